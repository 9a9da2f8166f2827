//! `polyrs report`: a page of what became of each loop nest of a project.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the command |
//! | `build.rs` | a build that is run with records |
//! | `database.rs` | a compilation database, each entry of which is compiled with records |
//! | `words_of_shell.rs` | a command line as its words |
//! | `surroundings.rs` | what compilers are told so that they write records |
//! | `collect.rs` | records in files and folders |
//! | `bitstream.rs` | records in LLVM's binary form |
//! | `yaml.rs`, `record.rs` | reading records, and what they are |
//! | `nest.rs` | loop nests, of records |
//! | `source.rs` | the sources of loops |
//! | `regions.rs` | pictures and code of regions |
//! | `content.rs` | what a page is made of |
//! | `page.rs`, `table.rs`, `listing.rs` | the page |
//! | `words.rs` | what is said of nests |
//! | `html.rs` | HTML that is well-formed by its type |

mod bitstream;
mod build;
pub mod collect;
mod content;
mod database;
mod html;
mod listing;
mod nest;
mod page;
pub mod record;
mod regions;
mod source;
pub mod surroundings;
mod table;
mod words;
mod words_of_shell;
mod yaml;

use crate::failure::Failure;
use clap::Args;
use collect::Compilation;
use content::Report;
use nest::{Nest, State};
use page::page;
use polyrs::text_file::why;
use regions::Regions;
use source::Sources;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use surroundings::{Folder, Surroundings};

/// Make a page of what became of each loop nest of a project, why, and what would help
///
/// Runs a build, or compiles what a compilation database lists, so that clang and flang write records of what the
/// plugin does (docs/records.md), or reads records that were saved, and makes one HTML page of them: a table of all
/// loop nests, and the sources with what was done to each loop, why not, what is assumed and checked at run time, and
/// what is predicted to be gained. The page loads nothing from elsewhere.
///
/// In a build, compilers of LLVM 22 get the plugin by way of CCC_OVERRIDE_OPTIONS and FCC_OVERRIDE_OPTIONS, with no
/// change to the project. Only what is compiled anew is in the report, so begin with a clean build.
#[derive(Debug, Args)]
#[command(
    name = "report",
    after_help = "Exit code: that of the build; 1 if there are no records, 2 for bad input or usage.

Examples:
  polyrs report -- make -j2
  polyrs report -o loops.html --compile-commands build/compile_commands.json
  polyrs report build/records kernel.opt.yaml"
)]
pub struct ReportCommand {
    /// Saved records (`….opt.yaml`, or `….opt.bitstream`, which are read with llvm-remarkutil), or folders with some
    #[arg(value_name = "RECORDS", conflicts_with_all = ["compile_commands", "command"])]
    records: Vec<PathBuf>,
    /// Compile what this compilation database lists; nothing of it is kept
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    compile_commands: Option<PathBuf>,
    /// The page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Keep the records in this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "records")]
    keep: Option<PathBuf>,
    /// The plugin. Default: the libpolyrs.so that was installed with this command
    #[arg(long, value_name = "FILE")]
    plugin: Option<PathBuf>,
    /// The folder that LLVM 22 is installed to, for databases that name other compilers, and for binary records
    #[arg(long, value_name = "FOLDER", default_value = "/usr/lib/llvm-22")]
    llvm: PathBuf,
    /// List single loops that have no new code as well, however many there are
    #[arg(long)]
    all: bool,
    /// What the page is about. Default: the name of this folder
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// A build, behind `--`
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<OsString>,
}

/// Of more nests, single loops are counted only.
const MANY: usize = 400;

/// The bytes that a page with pictures may have.
const MOST_BYTES: usize = 1_900_000;

/// What there is to make a page of.
struct Gathered {
    compilations: Vec<Compilation>,
    /// What the page tells first.
    notices: Vec<String>,
    /// How the command ends once the page is there.
    end: Result<(), Failure>,
}

impl ReportCommand {
    /// The page has a place: builds take long, and what cannot be written is told before they begin.
    fn reject_output(&self) -> Result<(), Failure> {
        let folder = self.output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let problem = match folder {
            _ if self.output.is_dir() => "it is a folder; name a file in it".to_owned(),
            Some(folder) if !folder.is_dir() => format!("there is no folder {}", folder.display()),
            _ => return Ok(()),
        };
        Err(Failure::Input(format!("error: --output {}: {problem}", self.output.display())))
    }

    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        self.reject_output()?;
        let folder = Folder::new(self.keep.as_deref())?;
        let gathered = self.gather(&folder)?;
        if gathered.compilations.is_empty() {
            gathered.end?;
            return Err(Failure::Failed(self.nothing()));
        }
        let mut sources = Sources::default();
        let mut nests = Nest::all(&gathered.compilations, &mut sources);
        let mut notices = gathered.notices;
        let count = nests.len();
        if count > MANY && !self.all {
            nests.retain(|nest| !nest.is_minor());
            let single = words::counted(count - nests.len(), "single loop");
            notices.push(format!("{single} without new code are not listed (polyrs report --all lists them)."));
        }
        let title = self.title.clone().unwrap_or_else(here);
        let mut report = Report {
            title: &title,
            compilations: &gathered.compilations,
            nests: &nests,
            sources: &sources,
            regions: &Regions::default(),
            notices: &notices,
        };
        let bare = page(&report);
        let regions = Regions::read(&nests, MOST_BYTES.saturating_sub(bare.len()));
        let mut notices = notices.clone();
        if regions.left_out > 0 {
            notices.push(format!("For {} there was no room for pictures.", words::counted(regions.left_out, "region")));
        }
        (report.regions, report.notices) = (&regions, &notices);
        let text = page(&report);
        std::fs::write(&self.output, text).map_err(|error| {
            Failure::Failed(format!("error: cannot write {}: {}", self.output.display(), why(&error)))
        })?;
        eprintln!("{}", summary(&nests, &self.output));
        gathered.end
    }

    fn gather(&self, folder: &Folder) -> Result<Gathered, Failure> {
        if !self.command.is_empty() {
            let end = build::run(&self.command, &Surroundings::new(self.plugin.as_deref(), folder)?)?;
            let (compilations, mut notices) = collect::read_written(folder.path())?;
            notices.extend(end.as_ref().err().map(|failure| format!("{failure}: what was compiled before is here.")));
            return Ok(Gathered { compilations, notices, end });
        }
        if let Some(database) = &self.compile_commands {
            let surroundings = Surroundings::new(self.plugin.as_deref(), folder)?;
            let failed = database::compile(database, &surroundings, &self.llvm)?;
            let end = match failed.len() {
                0 => Ok(()),
                count => {
                    Err(Failure::Failed(format!("error: {} could not be compiled", words::counted(count, "file"))))
                }
            };
            let (compilations, mut notices) = collect::read_written(folder.path())?;
            notices.extend(failed);
            return Ok(Gathered { compilations, notices, end });
        }
        if self.records.is_empty() {
            return Err(Failure::Input(
                "error: nothing to report on\nhelp: give a build behind `--`, a database (--compile-commands FILE), or saved records"
                    .to_owned(),
            ));
        }
        Ok(Gathered { compilations: collect::read(&self.records, &self.llvm)?, notices: Vec::new(), end: Ok(()) })
    }

    /// Why there may be no records.
    fn nothing(&self) -> String {
        let help = if !self.command.is_empty() {
            "the build compiled nothing with clang or flang of LLVM 22: begin with a clean build, and have it use them (CC=clang-22)"
        } else if self.compile_commands.is_some() {
            "the database lists nothing that clang or flang of LLVM 22 can compile"
        } else {
            "compile with -fsave-optimization-record -foptimization-record-passes=poly-schedule, or see `polyrs report --help`"
        };
        format!("error: there are no records\nhelp: {help}")
    }
}

/// The name of this folder.
fn here() -> String {
    let here = std::env::current_dir().unwrap_or_default();
    here.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// One line about the page.
fn summary(nests: &[Nest], output: &Path) -> String {
    let count = |state| nests.iter().filter(|nest| nest.state == state).count();
    let states = State::ALL.into_iter().rev().map(|state| format!("{} {}", count(state), state.word()));
    let states: Vec<String> = states.collect();
    format!("{}: {} ({})", output.display(), words::counted(nests.len(), "loop nest"), states.join(", "))
}
