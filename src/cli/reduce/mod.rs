//! `polyrs reduce`: makes a region smaller as long as a test still succeeds on it.
//!
//! The order is that of delta debugging: large parts go first, then ever smaller ones, and all of it again until
//! nothing helps. What is tried is always a region that can be read and printed, so each result is one.

mod draft;
mod edits;
mod notation;
mod oracle;
mod tree;

use crate::failure::Failure;
use crate::input::{Input, whole};
use crate::output::print;
use clap::Args;
use draft::Draft;
use oracle::Oracle;
use polyrs::text_file::why;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Make a region smaller as long as a test succeeds
///
/// Statements, accesses, elements that are live-out, parameters, constraints and constants are dropped or made smaller
/// while the test ends with 0. The test is a command of the shell. The name of the region's file is put behind it, or
/// where it says $REGION. The smallest region so far is written whenever there is one, so an interruption loses
/// nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples (the first keeps a refusal, the second a crash):
  polyrs reduce big.scop --test 'polyrs schedule $REGION --final 2>&1 | grep -q overflow'
  polyrs reduce big.scop --test 'polyrs explain $REGION; test $? -gt 100' -o small.scop")]
pub struct Reduce {
    #[command(flatten)]
    input: Input,
    /// The test: a command that ends with 0 on the file
    #[arg(long, value_name = "CMD")]
    test: String,
    /// Write the result here; `-` is standard output. Default: FILE.reduced.scop beside FILE.scop
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Run the test at most so many times
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    tests: u64,
    /// Take a test that runs longer than this for a failure
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = whole, allow_negative_numbers = true)]
    timeout: u64,
}

impl Reduce {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let start = Draft::read(&self.input.text()?).map_err(|error| self.input.located(&error))?;
        let output = self.output();
        if let Some(output) = &output {
            self.refuse_input_as_output(output)?;
        }
        let oracle = Oracle::new(
            &self.test,
            usize::try_from(self.tests).unwrap_or(usize::MAX),
            Duration::from_secs(self.timeout),
        )?;
        let mut search = Search { oracle, best: start, output: output.as_deref() };
        if !search.oracle.accepts(search.best.text())? {
            let help = "it must end with 0 there, before --timeout; sh runs it, with the file's name behind it";
            return Err(Failure::Input(format!("error: the test fails on the region itself: {help}")));
        }
        search.keep()?;
        while search.round()? {}
        if search.oracle.is_spent() {
            eprintln!("reduce: stopped after {} tests", self.tests);
        }
        match &output {
            None => print(search.best.text()),
            Some(path) => {
                eprintln!("reduce: the result is in {}", path.display());
                Ok(())
            }
        }
    }

    /// The result must not take the place of what it is made from.
    fn refuse_input_as_output(&self, output: &Path) -> Result<(), Failure> {
        let same = |input: PathBuf| output.canonicalize().is_ok_and(|output| output == input);
        match Path::new(self.input.name()).canonicalize().is_ok_and(same) {
            true => Err(Failure::Input(format!("error: {} is the region itself; name another file", output.display()))),
            false => Ok(()),
        }
    }

    /// The file of the result; `None` for standard output.
    fn output(&self) -> Option<PathBuf> {
        match (self.output.as_deref(), self.input.name()) {
            (Some("-"), _) | (None, "-") => None,
            (Some(file), _) => Some(PathBuf::from(file)),
            (None, file) => Some(Path::new(file).with_extension("reduced.scop")),
        }
    }
}

/// The search for a smaller region.
struct Search<'o> {
    oracle: Oracle,
    best: Draft,
    output: Option<&'o Path>,
}

impl Search<'_> {
    /// Tries everything once; whether something became smaller.
    fn round(&mut self) -> Result<bool, Failure> {
        let before = self.best.size();
        for part in edits::PARTS {
            self.drop_parts(part)?;
        }
        for edit in edits::EDITS {
            self.try_edits(edit)?;
        }
        Ok(self.best.size() < before && !self.oracle.is_spent())
    }

    /// Drops items of a list: half of it, then quarters, and so on down to single ones.
    fn drop_parts(&mut self, part: &edits::Part) -> Result<(), Failure> {
        let mut chunk = (part.count)(&self.best).next_power_of_two();
        while chunk > 0 {
            let mut first = 0;
            while first < (part.count)(&self.best) {
                let candidate = (part.without)(&self.best, first..first + chunk);
                if !self.take(candidate)? {
                    first += chunk;
                }
            }
            chunk /= 2;
        }
        Ok(())
    }

    /// Tries edits one by one. After a success those that are left are found anew, and the search goes on where it was.
    fn try_edits(&mut self, edit: &edits::Edit) -> Result<(), Failure> {
        let mut next = 0;
        while let Some(candidate) = edit(&self.best, next) {
            if !self.take(candidate)? {
                next += 1;
            }
        }
        Ok(())
    }

    /// Takes a candidate if it is one, is smaller, and the test succeeds on it.
    fn take(&mut self, candidate: Option<Draft>) -> Result<bool, Failure> {
        let Some(candidate) = candidate.filter(|candidate| candidate.size() < self.best.size()) else {
            return Ok(false);
        };
        if !self.oracle.accepts(candidate.text())? {
            return Ok(false);
        }
        self.best = candidate;
        self.keep()?;
        Ok(true)
    }

    /// Writes the best region so far, in one step, and says how large it is.
    fn keep(&self) -> Result<(), Failure> {
        eprintln!("reduce: {} ({} tests)", self.best, self.oracle.count());
        let Some(path) = self.output else { return Ok(()) };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let fresh = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let written = std::fs::write(&fresh, self.best.text()).and_then(|()| std::fs::rename(&fresh, path));
        written.map_err(|error| Failure::Failed(format!("error: cannot write {}: {}", path.display(), why(&error))))
    }
}
