//! `polyrs codegen`.

use crate::choices::Subject;
use crate::failure::Failure;
use crate::input::{Input, Quota};
use crate::output::print;
use clap::Args;
use polyrs::codegen;

/// Print the loops of a schedule as C-like text
#[derive(Debug, Args)]
pub struct Codegen {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    quota: Quota,
}

impl Codegen {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        let schedule = self.subject.schedule(&scop, &self.quota)?;
        let generate = || codegen::generate(&scop, &schedule, &codegen::Options::default());
        let ast = scop.ctx().with_quota(self.quota.operations(), generate)?;
        print(&ast.to_text(&scop))
    }
}
