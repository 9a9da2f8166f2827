//! Reading the files that are named on the command line.

use crate::failure::Failure;
use clap::Args;
use polyrs::isl;
use polyrs::scop::Scop;
use polyrs::scop::text::{ParseError, parse_schedule};
use polyrs::text_file::{self, why};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The region to work on.
#[derive(Debug, Args)]
pub struct Input {
    /// The region, as `.scop` text; `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
}

impl Input {
    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.file
    }

    /// The text of the file.
    pub fn text(&self) -> Result<String, Failure> {
        read(&self.file)
    }

    /// What is wrong with the file, with its place.
    pub fn located(&self, error: &ParseError) -> Failure {
        located(&self.file, error)
    }

    /// The region.
    pub fn read(&self) -> Result<Scop, Failure> {
        let text = self.text()?;
        Scop::parse(&isl::Ctx::new(), &text).map_err(|error| located(&self.file, &error))
    }
}

/// A schedule to use in place of the original order.
#[derive(Debug, Args)]
pub struct ScheduleFile {
    /// Use this schedule tree (isl's YAML) instead of the original order
    #[arg(long = "schedule", value_name = "FILE")]
    schedule: Option<String>,
}

/// A bound on the work.
#[derive(Debug, Args)]
pub struct Quota {
    /// Allow this many isl operations; 0 means as many as it takes
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = whole, allow_negative_numbers = true)]
    quota: u64,
}

impl Quota {
    /// The number of operations.
    pub fn operations(&self) -> u64 {
        self.quota
    }
}

impl ScheduleFile {
    /// The schedule of the file, if one was given.
    pub fn read(&self, scop: &Scop) -> Result<Option<isl::Schedule>, Failure> {
        let Some(file) = &self.schedule else { return Ok(None) };
        let text = read(file)?;
        parse_schedule(scop, &text).map(Some).map_err(|error| located(file, &error))
    }
}

/// Standard input was read.
static IS_READ: AtomicBool = AtomicBool::new(false);

/// The text of a file, or of standard input.
pub fn read(file: &str) -> Result<String, Failure> {
    if file != "-" {
        return text_file::read(Path::new(file)).map_err(|problem| Failure::Input(format!("error: {problem}")));
    }
    if IS_READ.swap(true, Ordering::Relaxed) {
        let problem = "error: `-` is standard input, which can be read once: name a file for the other one";
        return Err(Failure::Input(problem.to_owned()));
    }
    let mut text = String::new();
    let done = std::io::stdin().read_to_string(&mut text);
    done.map(|_| text).map_err(|error| Failure::Input(format!("error: cannot read standard input: {}", why(&error))))
}

/// Reads a whole number of an option.
pub fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("it is no whole number from 0 to {}", u64::MAX))
}

/// Values of parameters by their names.
pub fn values(given: &[(String, i64)]) -> Result<BTreeMap<String, i64>, Failure> {
    let mut values = BTreeMap::new();
    for (name, value) in given {
        if values.insert(name.clone(), *value).is_some() {
            return Err(Failure::Input(format!("error: the parameter `{name}` is given twice")));
        }
    }
    Ok(values)
}

/// What is wrong with a file, with its place.
pub fn located(file: &str, error: &ParseError) -> Failure {
    let mut message = format!("{file}:{}:{}: error: {}", error.line, error.column, error.message);
    if let Some(help) = &error.help {
        message.push_str("\n  help: ");
        message.push_str(help);
    }
    if error.exhausted { Failure::Failed(message) } else { Failure::Input(message) }
}
