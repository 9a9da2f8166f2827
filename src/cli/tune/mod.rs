//! `polyrs tune`: candidates are measured in the user's own program, and the fastest are kept in a file that the passes
//! read (docs/tune.md).
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the command |
//! | `program.rs` | the user's build and program |
//! | `times.rs` | times that the program writes |
//! | `regions.rs` | regions, what may be measured of them, and what was |
//! | `search.rs` | the search |
//! | `progress.rs` | what is said meanwhile |
//! | `table.rs` | what is printed in the end |

mod program;
mod progress;
mod regions;
mod search;
mod table;
mod times;

use crate::failure::Failure;
use crate::output::print;
use crate::report::surroundings::{Folder, Surroundings};
use clap::Args;
use polyrs::text_file::why;
use polyrs::tuning::Tuned;
use program::{Program, Wanted};
use progress::Progress;
use search::{Limits, Search};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure candidates in your own program, and keep the fastest for the passes
///
/// Builds the program several times, each time with another candidate for each loop nest, runs it, and measures how long
/// each nest takes. What was fastest is written to a file that the passes read: -mllvm -poly-schedule=tuned=FILE, or
/// POLYRS_TUNED=FILE in the environment of the build. A choice other than the default is kept only if the whole program is
/// faster with it when both are run side by side. What takes less than a hundredth of the program's time is left out.
///
/// It can be interrupted: the file is good at any time, and the same command goes on with what was not measured.
/// Compilers of LLVM 22 get the plugin by way of CCC_OVERRIDE_OPTIONS and FCC_OVERRIDE_OPTIONS, with no change to the
/// project. In the end the program is built with what was chosen.
#[derive(Debug, Args)]
#[command(
    name = "tune",
    after_help = "Exit code: 1 if the build or the program fails, 2 for bad input or usage.

Examples:
  polyrs tune --build 'make -B' -- ./program input
  polyrs tune -o fast.tuned --minutes 60 --candidates 30 --build 'ninja -C b -t clean && ninja -C b' -- b/program"
)]
pub struct TuneCommand {
    /// The file of choices; what it knows already is not measured again
    #[arg(short, long, value_name = "FILE", default_value = "polyrs.tuned")]
    output: PathBuf,
    /// How many candidates of each loop nest are measured, those first that are predicted to be fast
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=40))]
    candidates: u32,
    /// How often each program is run; the least time counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: u32,
    /// How long it may take
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    minutes: u64,
    /// The plugin. Default: the libpolyrs.so that was installed with this command
    #[arg(long, value_name = "FILE")]
    plugin: Option<PathBuf>,
    /// What compiles everything anew, for a shell
    #[arg(long, value_name = "COMMAND")]
    build: String,
    /// Do not compare what the program prints
    #[arg(long)]
    ignore_output: bool,
    /// The program and its arguments, behind `--`
    #[arg(value_name = "PROGRAM", last = true, required = true)]
    command: Vec<OsString>,
}

impl TuneCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let before = read(&self.output)?;
        let folder = Folder::new(None)?;
        let surroundings = Surroundings::new(self.plugin.as_deref(), &folder)?;
        let progress = Progress::new(Duration::from_secs(60 * self.minutes));
        let (build, command) = (&*self.build, &*self.command);
        let surroundings = &surroundings;
        let mut program = Program { build, command, surroundings, folder: &folder, first: None, builds: 0, runs: 0 };
        progress.say("the first build, which looks for loop nests and their candidates");
        program.build(Wanted::Candidates(usize::try_from(self.candidates).unwrap_or(usize::MAX)))?;
        let offers = regions::offers(folder.path())?;
        if offers.is_empty() {
            return Err(Failure::Failed(
                "error: there are no loop nests to measure\nhelp: the build has to compile everything anew, with clang or flang \
                 of LLVM 22 and with -O1 or more (make -B CC=clang-22); `polyrs report` tells what became of loops"
                    .to_owned(),
            ));
        }
        let tuned = regions::begun(&offers, before, &self.words());
        let machine = offers.values().next().map(|(offer, _)| offer.machine.clone());
        let repeat = usize::try_from(self.repeat).unwrap_or(usize::MAX);
        let limits = Limits { repeat, ignore_output: self.ignore_output };
        let mut search = Search::new(program, (offers, tuned), &self.output, limits, &progress);
        search.measure_default()?;
        let mut compared = None;
        if search.is_open() {
            search.run()?;
            compared = search.decide()?;
        }
        search.build_chosen()?;
        progress.tell(&format!("{}: written", self.output.display()));
        let mut text = table::table(&search.tuned, machine.as_deref(), compared.as_ref());
        let (took, builds, runs) = (progress::time(progress.elapsed()), search.program.builds, search.program.runs);
        text += &format!("it took {took}: {builds} builds and {runs} runs\n");
        print(&text)
    }

    /// The program in words, by which its times are known again.
    fn words(&self) -> String {
        let words: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }
}

/// The file of choices of an earlier search, if there is one.
fn read(file: &Path) -> Result<Option<Tuned>, Failure> {
    let wrong = |what: String| {
        let help = "give another file by --output, or remove this one";
        Failure::Input(format!("error: {}: {what}\nhelp: {help}", file.display()))
    };
    match std::fs::read_to_string(file) {
        Ok(text) => Tuned::parse(&text).map(Some).map_err(|error| wrong(error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(why(&error))),
    }
}
