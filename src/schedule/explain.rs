//! Why a schedule is as it is: events for those who ask.

use super::strategy::{Strategy, Term};
use crate::schedule::farkas::cone::gcd;
use crate::schedule::graph::Graph;
use serde::Serialize;
use std::fmt;

/// A decision of the scheduler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// A band is computed.
    Band {
        /// Its statements.
        statements: Vec<String>,
        /// One flag a member.
        coincident: Vec<bool>,
        /// Why it has no more members.
        end: BandEnd,
    },
    /// A member was found, of a schedule that is explained ([`crate::schedule::schedule_explained`]). Its band may still
    /// begin anew, or be given up.
    Member {
        /// The statements of the band.
        statements: Vec<String>,
        /// How it was found.
        origin: Origin,
    },
    /// No member satisfies the coincidence constraints that are in effect, so they are given up for the rest of the
    /// band.
    CoincidenceGivenUp {
        /// The statements of the band.
        statements: Vec<String>,
        /// How many members it has so far.
        members: usize,
        /// What alone is in the way, where that is asked for.
        bound_by: Vec<Bound>,
    },
    /// The band has no further member, of a schedule that is explained.
    NoMember {
        /// The statements of the band.
        statements: Vec<String>,
        /// How many members it has.
        members: usize,
        /// The problem that was tried last, by its name in the strategy.
        problem: String,
        /// What alone is in the way.
        bound_by: Vec<Bound>,
    },
    /// Coincidence is not asked for where it might be found, or its loss is tolerated.
    CoincidenceWaived {
        /// The statements of the band.
        statements: Vec<String>,
        /// How many members are outside, those of outer bands included.
        depth: usize,
        /// What for.
        rule: Rule,
    },
    /// No outermost member is coincident, and the registers that the references would take decide whether the band goes on
    /// without, or a step of Feautrier's algorithm takes its place (unified report, 4.7).
    RegisterEstimate {
        /// The statements of the band.
        statements: Vec<String>,
        /// The report's `h`.
        estimate: i64,
        /// Its `h_lim`: what the strategy has room for.
        limit: i64,
    },
    /// The last member violated conditioned constraints; conditions next to them are kept local, and the band starts
    /// anew.
    BandRestarted {
        /// The statements of the band.
        statements: Vec<String>,
        /// Source and target of the conditions.
        local: Vec<(String, String)>,
    },
    /// Live ranges go from one cluster to another, and some band lets what is conditioned next to them happen within: components
    /// are combined anew, and these pairs are ordered.
    ClustersRestarted {
        /// The statements of all clusters.
        statements: Vec<String>,
        /// Source and target of what has to be ordered.
        ordered: Vec<(String, String)>,
    },
    /// The band has one member and not more: the others would have carried all spatial relations, and none would have
    /// been left for the innermost loops.
    BandShortened {
        /// The statements of the band.
        statements: Vec<String>,
    },
    /// A step of Feautrier's algorithm.
    Carried {
        /// The statements of the band.
        statements: Vec<String>,
        /// Coincidence constraints were carried as well: no member was coincident, and one was asked for.
        coincidence: bool,
        /// What it came to, of a schedule that is explained.
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<CarryingStep>,
    },
    /// No step of Feautrier's algorithm carries anything, of a schedule that is explained.
    NothingCarried {
        /// The statements.
        statements: Vec<String>,
        /// What alone is in the way.
        bound_by: Vec<Bound>,
    },
    /// Components that are scheduled already were not combined to share a band (7.3).
    NotCombined {
        /// The first statement of the proximity constraint that asks for it.
        source: String,
        /// The second.
        target: String,
        /// All statements that would have shared the band.
        statements: Vec<String>,
        /// Why not.
        refusal: WhyApart,
    },
    /// The whole strategy failed, and something simpler is done.
    Fallback {
        /// Why.
        reason: String,
    },
}

/// How a member was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Origin {
    /// How many members are outside, those of outer bands included.
    pub depth: usize,
    /// The problem that it solves, by its name in the strategy.
    pub problem: String,
    /// The problems that were tried before, and gave none.
    pub failed: Vec<String>,
    /// What the problem's terms came to, the most important first.
    pub values: Vec<(Term, Vec<i64>)>,
    /// The groups of references that it does not keep together, each by its array, in time or in memory: what the
    /// distances over groups come to.
    pub carried: Vec<String>,
    /// What alone keeps these from being less, where that is asked for
    /// ([`crate::schedule::schedule_explained`]).
    pub bound_by: Vec<Bound>,
}

/// What a step of Feautrier's algorithm came to (ppcg report, 6.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CarryingStep {
    /// How many members are outside of its own.
    pub depth: usize,
    /// Constraints of statements with themselves were to be carried, and others had only to hold (7.6).
    pub own_only: bool,
    /// What was made least, the most important first, times the denominator: how many groups of constraints are not carried
    /// (`uncarried`), the sum of the coefficients of parameters, and the sum of the sizes of those of variables.
    pub values: Vec<(&'static str, i64)>,
    /// How many groups of constraints were to be carried: the parts of relations, equal ones once.
    pub groups: usize,
    /// The common denominator of the solution. The member is the solution times it.
    pub denominator: i64,
    /// The common divisor that was taken out of the member after that, or one (7.1).
    pub divisor: i64,
    /// What the member carries of each relation that orders, or asks for coincidence where that counts.
    pub relations: Vec<Relation>,
    /// What alone keeps the values from being less.
    pub bound_by: Vec<Bound>,
}

/// Constraints between instances of two statements, and how many of them a member carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Relation {
    /// The statements of the first instances.
    pub source: String,
    /// The statements of the second instances.
    pub target: String,
    /// What is asked for: validity, conditional validity, coincidence.
    pub kinds: Vec<&'static str>,
    /// Its parts, each of which is carried as a whole or not (6.4.4).
    pub parts: usize,
    /// Those that are.
    pub carried: usize,
}

/// What makes a member what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Bound {
    /// Constraints between instances.
    Relation {
        /// The statements of the first instances.
        source: String,
        /// The statements of the second instances.
        target: String,
        /// What is asked for: validity, conditional validity, coincidence, a live range kept local, proximity, spatial
        /// proximity.
        kinds: Vec<&'static str>,
    },
    /// A constraint on coefficients, as the strategy's file has it ([`super::Linear`]).
    Constraint {
        /// Its text.
        constraint: String,
    },
    /// Another choice of the strategy.
    Choice {
        /// As its file has it: `max-coefficient = 4`.
        choice: String,
    },
}

impl Bound {
    /// Constraints between instances of statements.
    pub(super) fn between(source: String, target: String, kinds: Vec<&'static str>) -> Bound {
        Bound::Relation { source, target, kinds }
    }
}

/// What parallel loops are given up for (unified report, section 4.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// "Single degree of parallelism": components are combined though coincident members are lost, as one is left.
    SingleDegree,
    /// "Unprofitable inner parallelism": two or fewer members remain.
    InnerParallelism,
    /// "Carrying dependences to avoid fusion": the references weigh more than `h_lim`.
    AvoidFusion,
    /// "Wavefront parallelism": no outermost member can be coincident, and the band goes on without.
    Wavefront,
}

impl Rule {
    /// The same aims without the rule.
    pub fn without(self, strategy: &Strategy) -> Strategy {
        let strategy = strategy.clone();
        match self {
            Rule::SingleDegree => strategy.with_all_coincident(),
            Rule::InnerParallelism => strategy.without_inner_relaxation(),
            Rule::AvoidFusion => Strategy { register_limit: None, ..strategy },
            Rule::Wavefront => Strategy { outer_coincidence: true, ..strategy },
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::SingleDegree => "single degree of parallelism",
            Rule::InnerParallelism => "unprofitable inner parallelism",
            Rule::AvoidFusion => "carrying dependences to avoid fusion",
            Rule::Wavefront => "wavefront parallelism",
        })
    }
}

impl Event {
    /// The rule by which coincidence is given up for the statements of a band.
    pub fn rule(&self) -> Option<(Rule, &[String])> {
        match self {
            Event::CoincidenceWaived { statements, rule, .. } => Some((*rule, statements)),
            Event::CoincidenceGivenUp { statements, members: 0, .. } => Some((Rule::Wavefront, statements)),
            _ => None,
        }
    }

    /// Of a schedule that was not forced to have coincident outermost members ([`Strategy::outer_coincidence`]):
    /// whether it might be another one otherwise. Without such an event it would be the same. Components that are not
    /// combined would not be either: they have less in common then.
    pub fn depends_on_outer_coincidence(&self) -> bool {
        match self {
            Event::CoincidenceGivenUp { members, .. } => *members == 0,
            Event::CoincidenceWaived { rule, .. } => *rule == Rule::Wavefront,
            Event::Carried { .. } | Event::NothingCarried { .. } | Event::Fallback { .. } => true,
            Event::Band { .. }
            | Event::Member { .. }
            | Event::NoMember { .. }
            | Event::RegisterEstimate { .. }
            | Event::BandRestarted { .. }
            | Event::ClustersRestarted { .. }
            | Event::BandShortened { .. }
            | Event::NotCombined { .. } => false,
        }
    }
}

/// Why components were not combined (7.3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyApart {
    /// Others among them were to be combined before, and were not.
    TriedBefore,
    /// They have no member in common.
    NoMember,
    /// The strategy ended the band of one of them ([`BandEnd::Ended`]).
    Ended,
    /// They would have fewer members than one of them has alone.
    FewerMembers {
        /// The members that they have in common.
        members: usize,
    },
    /// They would have fewer coincident members.
    FewerCoincident {
        /// The coincident members that they have in common.
        coincident: usize,
        /// Those that one of them has alone.
        alone: usize,
    },
    /// No proximity constraint would have small distances.
    LongDistances,
}

/// Why a band has no more members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BandEnd {
    /// The schedule is complete.
    Complete,
    /// The problem has no other solution.
    NoSolution,
    /// The strategy gives its members ([`Strategy::prefix`]).
    Given,
    /// The step of the strategy that found the last member ends it ([`super::Step::ends_band`]).
    Ended,
    /// The problem has no solution; constraints between these components (in topological order) are in the way.
    Conflict {
        /// The component of the first instances.
        source: usize,
        /// The component of the second instances.
        target: usize,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Band { statements, coincident, end } => {
                let number = coincident.iter().filter(|coincident| **coincident).count();
                let members = coincident.len();
                write!(f, "{}: a band of {members} members, {number} of them coincident; {end}", statements.join(", "))
            }
            Event::Member { statements, origin } => write!(f, "{}: {origin}", statements.join(", ")),
            Event::CoincidenceGivenUp { statements, members, bound_by } => {
                let next = members + 1;
                write!(f, "{}: no member {next} of the band can be coincident", statements.join(", "))?;
                write_bounds(f, "in the way:", bound_by)
            }
            Event::NoMember { statements, members, problem, bound_by } => {
                let next = members + 1;
                write!(f, "{}: no member {next} of the band by the problem `{problem}`", statements.join(", "))?;
                write_bounds(f, "in the way:", bound_by)
            }
            Event::CoincidenceWaived { statements, depth, rule } => {
                let number = depth + 1;
                write!(f, "{}: coincidence is waived for member {number}: {rule}", statements.join(", "))
            }
            Event::RegisterEstimate { statements, estimate, limit } => {
                let what = "registers by the estimate of the unified report";
                write!(f, "{}: {estimate} {what}; the limit is {limit}", statements.join(", "))
            }
            Event::BandRestarted { statements, local } => {
                let pairs = pairs(local);
                write!(f, "{}: the band starts anew with live ranges kept local: {pairs}", statements.join(", "))
            }
            Event::ClustersRestarted { statements, ordered } => {
                let what = "components are combined anew, with what would enter live ranges between bands in order";
                write!(f, "{}: {what}: {}", statements.join(", "), pairs(ordered))
            }
            Event::BandShortened { statements } => {
                let why = "further ones would leave no loop along rows for the innermost place";
                write!(f, "{}: the band has one member only: {why}", statements.join(", "))
            }
            Event::Carried { statements, coincidence, step } => {
                let why = match coincidence {
                    true => "no coincident member exists, but one is asked for",
                    false => "no permutable band exists, or none is looked for",
                };
                write!(f, "{}: a step of Feautrier's algorithm carries what it can: {why}", statements.join(", "))?;
                step.iter().try_for_each(|step| write!(f, "; {step}"))
            }
            Event::NothingCarried { statements, bound_by } => {
                write!(f, "{}: no step of Feautrier's algorithm carries anything", statements.join(", "))?;
                write_bounds(f, "in the way:", bound_by)
            }
            Event::NotCombined { source, target, statements, refusal } => {
                let statements = statements.join(", ");
                write!(
                    f,
                    "{statements}: not in one band, as what is between {source} and {target} would have it: {refusal}"
                )
            }
            Event::Fallback { reason } => {
                write!(f, "{reason}; each strongly connected component is scheduled by itself instead")
            }
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "member {} by the problem `{}`", self.depth + 1, self.problem)?;
        let mut before = ": ";
        for (term, values) in &self.values {
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            write!(f, "{before}{} {}", term.name(), values.join(" "))?;
            before = ", ";
        }
        if !self.carried.is_empty() {
            write!(f, "; not near: {}", self.carried.join(", "))?;
        }
        if !self.failed.is_empty() {
            write!(f, "; before it, `{}` gave none", self.failed.join("`, `"))?;
        }
        write_bounds(f, "bound by", &self.bound_by)
    }
}

impl fmt::Display for CarryingStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "member {}: ", self.depth + 1)?;
        for (place, (term, value)) in self.values.iter().enumerate() {
            let divisor = gcd(*value, self.denominator).max(1);
            write!(f, "{}{term} {}", if place == 0 { "" } else { ", " }, value / divisor)?;
            if divisor < self.denominator {
                write!(f, "/{}", self.denominator / divisor)?;
            }
            if place == 0 {
                write!(f, " of {}", self.groups)?;
            }
        }
        if self.own_only {
            f.write_str("; what is between distinct statements has only to hold")?;
        }
        if self.denominator > 1 {
            write!(f, "; times {}", self.denominator)?;
        }
        if self.divisor > 1 {
            write!(f, "; divided by {}", self.divisor)?;
        }
        let (carried, left): (Vec<&Relation>, Vec<&Relation>) =
            self.relations.iter().partition(|relation| relation.carried > 0);
        for (before, relations) in [("; carries ", carried), ("; does not carry ", left)] {
            let relations: Vec<String> = relations.into_iter().map(Relation::to_string).collect();
            if !relations.is_empty() {
                write!(f, "{before}{}", relations.join(", "))?;
            }
        }
        write_bounds(f, "bound by", &self.bound_by)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Relation { source, target, kinds, parts, carried } = self;
        if (1..*parts).contains(carried) {
            write!(f, "{carried} of {parts} parts of ")?;
        }
        write!(f, "{source} to {target} ({})", kinds.join(", "))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Relation { source, target, kinds } => write!(f, "{source} to {target} ({})", kinds.join(", ")),
            Bound::Constraint { constraint } => write!(f, "constraint \"{constraint}\""),
            Bound::Choice { choice } => f.write_str(choice),
        }
    }
}

fn write_bounds(f: &mut fmt::Formatter<'_>, before: &str, bounds: &[Bound]) -> fmt::Result {
    let bounds: Vec<String> = bounds.iter().map(Bound::to_string).collect();
    if bounds.is_empty() { Ok(()) } else { write!(f, "; {before} {}", bounds.join(", ")) }
}

impl fmt::Display for WhyApart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyApart::TriedBefore => f.write_str("some of them were found not to fit before"),
            WhyApart::NoMember => f.write_str("the band would have no member"),
            WhyApart::Ended => f.write_str("the strategy ended the band of one of them"),
            WhyApart::FewerMembers { members } => write!(f, "the band would have {members} members, which is too few"),
            WhyApart::FewerCoincident { coincident, alone } => {
                write!(f, "the band would have {coincident} coincident members, and one of them has {alone} alone")
            }
            WhyApart::LongDistances => f.write_str("the band would bring no instances close to each other"),
        }
    }
}

impl fmt::Display for BandEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BandEnd::Complete => f.write_str("it ends because the schedule is complete"),
            BandEnd::NoSolution => f.write_str("it ends because no other member respects all constraints"),
            BandEnd::Given => f.write_str("it is what the strategy begins with"),
            BandEnd::Ended => f.write_str("it ends because the strategy ends bands with such a member"),
            BandEnd::Conflict { source, target } => {
                write!(f, "it ends because of constraints from component {source} to component {target}")
            }
        }
    }
}

fn pairs(of: &[(String, String)]) -> String {
    of.iter().map(|(source, sink)| format!("{source} to {sink}")).collect::<Vec<_>>().join(", ")
}

/// Who is told of events.
pub type Observer<'a> = &'a mut dyn FnMut(Event);

/// The names of a graph's statements.
pub(super) fn names(graph: &Graph) -> Vec<String> {
    (0..graph.nodes.len()).map(|node| name(graph, node)).collect()
}

/// The name of a statement, a placeholder for one without.
pub(super) fn name(graph: &Graph, node: usize) -> String {
    let space = &graph.nodes[node].statement.space;
    space.tuple_name(crate::isl::DimType::SET).ok().flatten().unwrap_or_else(|| format!("#{node}"))
}
