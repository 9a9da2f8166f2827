//! `polyrs explain`.

use crate::failure::Failure;
use crate::output::print;
use crate::request::Request;
use clap::Args;
use polyrs::isl::Schedule;
use polyrs::schedule::{Sequential, sequential_members};
use polyrs::scop::text::schedule_to_text;
use std::fmt::Write;

/// Say why a schedule is as it is
///
/// First what our scheduler decided, in order: why each band has no more members, what could not be coincident, what was
/// not combined. Then the tree. Then, for each member of it that is not coincident, the constraints that it separates.
/// About isl's own scheduler only the last two are known. Files and options are those of `polyrs schedule`.
#[derive(Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    request: Request,
}

impl Explain {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let problem = self.request.read()?;
        let mut text = String::new();
        let schedule = self.request.schedule(&problem, &mut |event| {
            let _ = writeln!(text, "- {event}");
        })?;
        let quota = self.request.quota.operations();
        let members = schedule.ctx().with_quota(quota, || sequential_members(&schedule, &problem.constraints))?;
        print(&(text + &describe(&schedule, &members)?))
    }
}

fn describe(schedule: &Schedule, members: &[Sequential]) -> Result<String, Failure> {
    let mut text = format!("{}\n", schedule_to_text(schedule)?.trim_end());
    for Sequential { band, member, function, separated } in members {
        let _ = writeln!(text, "- band {band}, member {member} is not coincident: {function}");
        for pairs in separated {
            let _ = writeln!(text, "  - it separates {} from {}, as in {}", pairs.source, pairs.sink, pairs.example);
        }
        if separated.is_empty() {
            let _ = writeln!(text, "  - but it separates nothing: the scheduler did not look for it");
        }
    }
    Ok(text)
}
