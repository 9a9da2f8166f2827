//! `polyrs explain`.

use crate::candidates;
use crate::failure::Failure;
use crate::output::print;
use crate::request::Request;
use crate::shared;
use clap::Args;
use polyrs::driver::Optimized;
use polyrs::isl::{self, Schedule};
use polyrs::schedule::{Event, Sequential, sequential_members};
use polyrs::scop::Scop;
use polyrs::scop::text::schedule_to_text;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// Say why a schedule is as it is
///
/// First what our scheduler decided, in order: which of its strategy's problems gave each member, what its terms came to and
/// which constraints and choices made it so, what steps of Feautrier's algorithm carry, why each band has no more members, what
/// could not be coincident, what was not combined.
/// Then the tree. Then, for each member of it that is not coincident, the constraints that it separates. About isl's own
/// scheduler only the last two are known. Of a region it is said which arrays the statements share, and at the end what
/// the optimizer would make of such schedules: the candidates with their predicted costs, as `polyrs candidates` lists
/// them. Files and options are those of `polyrs schedule`.
#[derive(Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    request: Request,
    /// Print all of it as one object of JSON (docs/strategies.md)
    #[arg(long)]
    json: bool,
}

impl Explain {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let (explanation, failure) = self.explained()?;
        let text = match self.json {
            false => Ok(explanation.to_string()),
            true => serde_json::to_string_pretty(&explanation).map(|text| text + "\n"),
        };
        print(&text.map_err(|error| Failure::Failed(format!("error: {error}")))?)?;
        failure.map_or(Ok(()), Err)
    }

    /// All that there is to say, and why there is no schedule, if there is none.
    fn explained(&self) -> Result<(Explanation, Option<Failure>), Failure> {
        let problem = self.request.read()?;
        let scop = problem.scop.as_ref();
        let mut decisions = Vec::new();
        let found = self.request.explain(&problem, &mut |event| {
            let arrays = scop.map_or_else(BTreeSet::new, |scop| arrays_of(scop, &event));
            decisions.push(Decision { event, arrays });
        });
        let schedule = match found {
            Ok(schedule) => schedule,
            Err(failure) => {
                let error = Some(failure.to_string());
                return Ok((Explanation { decisions, error, ..Explanation::default() }, Some(failure)));
            }
        };
        let quota = self.request.quota.operations();
        let members = schedule.ctx().with_quota(quota, || sequential_members(&schedule, &problem.constraints))?;
        let sequential = members.iter().map(|member| Member::new(scop, member)).collect::<isl::Result<_>>()?;
        let candidates = match scop {
            Some(scop) if !self.request.has_own_options() => {
                Some(self.request.optimize(scop).map_err(|failure| failure.to_string()))
            }
            _ => None,
        };
        let (tree, candidates) = (Some(text_of(&schedule)?), candidates.map(Listed));
        Ok((Explanation { decisions, tree, sequential, candidates, error: None }, None))
    }
}

/// All that there is to say.
#[derive(Default, Serialize)]
struct Explanation {
    decisions: Vec<Decision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<String>,
    sequential: Vec<Member>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Listed>,
    /// Why there is no tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What our scheduler decided, with the arrays that connect the statements that it names.
#[derive(Serialize)]
struct Decision {
    #[serde(flatten)]
    event: Event,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    arrays: BTreeSet<String>,
}

/// A member that is not coincident.
#[derive(Serialize)]
struct Member {
    band: usize,
    member: usize,
    function: String,
    separates: Vec<Pairs>,
}

/// What it separates.
#[derive(Serialize)]
struct Pairs {
    source: String,
    sink: String,
    example: String,
    arrays: BTreeSet<String>,
}

/// The candidates of the optimizer, or why there are none.
struct Listed(Result<Optimized, String>);

impl Member {
    fn new(scop: Option<&Scop>, of: &Sequential) -> isl::Result<Member> {
        let mut separates = Vec::new();
        for pairs in &of.separated {
            let (source, sink, example) = (pairs.source.clone(), pairs.sink.clone(), pairs.example.clone());
            let arrays = match scop {
                Some(scop) => shared::in_example(scop, &source, &sink, &example)?,
                None => BTreeSet::new(),
            };
            separates.push(Pairs { source, sink, example, arrays });
        }
        Ok(Member { band: of.band, member: of.member, function: of.function.to_string(), separates })
    }
}

impl Serialize for Listed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// One of them.
        #[derive(Serialize)]
        struct Candidate {
            candidate: String,
            cost: String,
            chosen: bool,
        }
        let found = match &self.0 {
            Ok(found) => found,
            Err(failure) => return serializer.serialize_str(failure),
        };
        serializer.collect_seq(found.considered.iter().map(|(candidate, cost)| Candidate {
            candidate: candidate.to_string(),
            cost: cost.to_string(),
            chosen: *candidate == found.candidate,
        }))
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Decision { event, arrays } in &self.decisions {
            writeln!(f, "- {event}{}", shared::phrase(arrays))?;
        }
        if let Some(tree) = &self.tree {
            writeln!(f, "{tree}")?;
        }
        for Member { band, member, function, separates } in &self.sequential {
            writeln!(f, "- band {band}, member {member} is not coincident: {function}")?;
            for Pairs { source, sink, example, arrays } in separates {
                let arrays = shared::phrase(arrays);
                writeln!(f, "  - it separates {source} from {sink}, as in {example}{arrays}")?;
            }
            if separates.is_empty() {
                writeln!(f, "  - but it separates nothing: the scheduler did not look for it")?;
            }
        }
        let Some(Listed(candidates)) = &self.candidates else { return Ok(()) };
        writeln!(f, "- candidates for the final tree, with their predicted costs; the choice has a star:")?;
        match candidates {
            Ok(found) => f.write_str(&candidates::list(found)),
            Err(failure) => writeln!(f, "  {failure}"),
        }
    }
}

fn text_of(schedule: &Schedule) -> isl::Result<String> {
    Ok(schedule_to_text(schedule)?.trim_end().to_owned())
}

/// What connects the statements that an event names. Only a name is asked of isl; without it the event is said all the same.
fn arrays_of(scop: &Scop, event: &Event) -> BTreeSet<String> {
    match event {
        Event::NotCombined { source, target, .. } => shared::between(scop, source, target).unwrap_or_default(),
        _ => BTreeSet::new(),
    }
}
