//! `polyrs explain`.

use crate::candidates;
use crate::failure::Failure;
use crate::output::print;
use crate::request::Request;
use crate::shared;
use clap::Args;
use polyrs::isl::Schedule;
use polyrs::schedule::{Event, Separated, Sequential, sequential_members};
use polyrs::scop::Scop;
use polyrs::scop::text::schedule_to_text;
use std::fmt::Write;

/// Say why a schedule is as it is
///
/// First what our scheduler decided, in order: which of its strategy's problems gave each member and what that made
/// least, why each band has no more members, what could not be coincident, what was not combined. Then the tree. Then, for each member of it that is not coincident, the constraints that it
/// separates. About isl's own scheduler only the last two are known. Of a region it is said which arrays the statements
/// share, and at the end what the optimizer would make of such schedules: the candidates with their predicted costs, as
/// `polyrs candidates` lists them. Files and options are those of `polyrs schedule`.
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
        let scop = problem.scop.as_ref();
        let schedule = self.request.schedule(&problem, &mut |event| {
            let _ = writeln!(text, "- {event}{}", scop.map_or(String::new(), |scop| arrays_of(scop, &event)));
        })?;
        let quota = self.request.quota.operations();
        let members = schedule.ctx().with_quota(quota, || sequential_members(&schedule, &problem.constraints))?;
        text += &describe(scop, &schedule, &members)?;
        if let Some(scop) = scop
            && !self.request.has_own_options()
        {
            text += "- candidates for the final tree, with their predicted costs; the choice has a star:\n";
            text += &match self.request.optimize(scop) {
                Ok(found) => candidates::list(&found),
                Err(failure) => format!("  {failure}\n"),
            };
        }
        print(&text)
    }
}

fn describe(scop: Option<&Scop>, schedule: &Schedule, members: &[Sequential]) -> Result<String, Failure> {
    let mut text = format!("{}\n", schedule_to_text(schedule)?.trim_end());
    for Sequential { band, member, function, separated } in members {
        let _ = writeln!(text, "- band {band}, member {member} is not coincident: {function}");
        for pairs in separated {
            let Separated { source, sink, example } = pairs;
            let arrays = match scop {
                Some(scop) => shared::phrase(&shared::in_example(scop, source, sink, example)?),
                None => String::new(),
            };
            let _ = writeln!(text, "  - it separates {source} from {sink}, as in {example}{arrays}");
        }
        if separated.is_empty() {
            let _ = writeln!(text, "  - but it separates nothing: the scheduler did not look for it");
        }
    }
    Ok(text)
}

/// What connects the statements that an event names.
fn arrays_of(scop: &Scop, event: &Event) -> String {
    match event {
        // Only a name is asked of isl; without it the event is said all the same.
        Event::NotCombined { source, target, .. } => {
            shared::between(scop, source, target).map_or(String::new(), |arrays| shared::phrase(&arrays))
        }
        _ => String::new(),
    }
}
