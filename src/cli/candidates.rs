//! `polyrs candidates`.

use crate::choices::Choices;
use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::output::print;
use clap::Args;
use polyrs::driver::{Optimized, candidates};
use std::fmt::Write;

/// List the candidates for a region, with their predicted costs
///
/// A candidate is one way to run the region: where the order comes from, tiles, wavefronts, the order of points, blocks
/// for registers, threads. Those that the search realized come with their costs, best first, the choice marked with
/// `*`. A candidate that is given to --candidate (or to candidate= of the passes) is taken without a search.
#[derive(Debug, Args)]
pub struct Candidates {
    #[command(flatten)]
    input: Input,
    /// List all that could be tried instead, without costs
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    choices: Choices,
    #[command(flatten)]
    quota: Quota,
}

impl Candidates {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        if self.all {
            let mut text = String::new();
            if self.choices.given.has("candidate") {
                return Err(Failure::Input("error: --all lists what could be tried, --candidate tries one".into()));
            }
            self.input.read()?;
            for candidate in candidates(&self.choices.options()?) {
                let _ = writeln!(text, "{candidate}");
            }
            return print(&text);
        }
        print(&list(&self.choices.optimize(&self.input.read()?, &self.quota)?))
    }
}

/// The candidates that were realized, best first, a line each.
pub fn list(found: &Optimized) -> String {
    let mut text = String::new();
    for (candidate, cost) in &found.considered {
        let mark = if *candidate == found.candidate { '*' } else { ' ' };
        let _ = writeln!(text, "{mark} {cost:>12} {candidate}");
    }
    if let Some(prediction) = &found.prediction {
        let before = prediction.before;
        let _ = writeln!(text, "  {before:>12} the code as it is; the choice is expected to be {prediction} as fast");
    }
    text
}
