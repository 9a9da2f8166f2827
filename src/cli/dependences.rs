//! `polyrs dependences`.

use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::output::print;
use clap::Args;
use polyrs::dependence::{Dependences, Mode};

/// Print the dependences of a region
///
/// Relations go from the earlier to the later instance. Tagged ones name the references: `[S[i] -> R[]]` is the
/// reference R of the instance S[i].
#[derive(Debug, Args)]
pub struct DependencesCommand {
    #[command(flatten)]
    input: Input,
    /// Keep live ranges in their order: false dependences instead of order and forced ones
    #[arg(long)]
    no_live_range_reordering: bool,
    /// Also print the input dependences, between reads of the same element
    #[arg(long = "input")]
    with_input: bool,
    #[command(flatten)]
    quota: Quota,
}

impl DependencesCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        let mode = Mode { live_range_reordering: !self.no_live_range_reordering, ..Mode::default() };
        let text = scop.ctx().with_quota(self.quota.operations(), || {
            let dependences = Dependences::compute(&scop, mode)?;
            match self.with_input {
                true => dependences.to_text(&[("input", dependences.input(&scop)?)]),
                false => dependences.to_text(&[]),
            }
        })?;
        print(&text)
    }
}
