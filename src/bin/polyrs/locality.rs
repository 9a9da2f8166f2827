//! `polyrs locality`.

use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::output::print;
use clap::Args;
use polyrs::locality::{Line, Locality};

/// Print what is near what in time and in memory
///
/// For each group of references of a statement to an array, named by its references: the access of the first of them; then the
/// uses of an element with the next use, which is in this group; then the uses of a line with the next one.
#[derive(Debug, Args)]
pub struct LocalityCommand {
    #[command(flatten)]
    input: Input,
    /// The size of a line of memory, in bytes
    #[arg(long, value_name = "N", default_value_t = Line::default().bytes)]
    line_bytes: u32,
    #[command(flatten)]
    quota: Quota,
}

impl LocalityCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        let line = Line { bytes: self.line_bytes };
        let text = scop.ctx().with_quota(self.quota.operations(), || {
            let locality = Locality::compute(&scop, None, line)?;
            if locality.given_up > 0 {
                eprintln!("note: {} relations take too many operations and are left empty", locality.given_up);
            }
            locality.to_text()
        })?;
        print(&text)
    }
}
