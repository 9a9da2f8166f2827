//! One permutable band (ppcg report, sections 6.5.3, 6.5.4 and 6.5.8; unified report, section 4.7): each member is found
//! by the first of the strategy's steps whose conditions hold.
//!
//! | file | what |
//! |---|---|
//! | `lp.rs`, `columns.rs`, `ask.rs` | the integer problem of the next member (6.5.5) |
//! | `asked.rs` | what is asked of the coefficients of named statements |
//! | `binding.rs`, `choices.rs` | which constraints and choices make a member what it is, for those who ask |
//! | `demand.rs`, `statements.rs` | what a step demands, and of what |
//! | `conditions.rs` | conditional validity (4.2, 6.5.4) |
//! | `proximity.rs` | as few proximity relations carried as possible (unified report, 4.4, 4.5) |
//! | `registers.rs` | the registers that references would take (unified report, 4.7) |
//! | `spatial.rs` | as many spatial ones carried as possible (unified report, 4.6) |

pub(in crate::schedule) mod ask;
pub(in crate::schedule) mod asked;
pub(in crate::schedule) mod binding;
pub(in crate::schedule) mod choices;
pub(in crate::schedule) mod columns;
pub(in crate::schedule) mod conditions;
pub(in crate::schedule) mod demand;
pub(in crate::schedule) mod lp;
pub(in crate::schedule) mod proximity;
mod registers;
pub(in crate::schedule) mod spatial;
mod statements;
#[cfg(test)]
mod tests;

pub use statements::{Own, Statements};

use crate::isl::Ctx;
use crate::schedule::band::binding::{Parts, Question};
use crate::schedule::band::demand::Demand;
use crate::schedule::band::lp::{Found, Member, Problem};
use crate::schedule::error::Result;
use crate::schedule::explain::{BandEnd, Bound, Event, Observer, Origin, Rule, names};
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Graph, ProximityRelation, Row};
use crate::schedule::strategy::{Condition, Formulation, Keep, Otherwise, Step, Strategy, Term};

/// What the parts of the scheduler share.
pub struct Context<'a> {
    /// The aims.
    pub strategy: &'a Strategy,
    /// Where the work is counted.
    pub ctx: &'a Ctx,
    /// Who is told of decisions.
    pub observer: Observer<'a>,
    /// The constraints that make members what they are are looked for, too ([`Origin::bound_by`]).
    pub explains: bool,
}

/// Computes the members of a band, as many as there are: appends them to the rows of the graph's nodes.
///
/// The graph is any whose `target` is set ([`Graph::set_target`]), with its strongly connected components. Members are
/// coincident as long as possible; with [`Strategy::outer_coincidence`] there is no member at all when the first cannot
/// be coincident. When a member violates a conditioned constraint next to a condition whose ends are apart, those
/// conditions become local for the whole band, which is computed anew.
pub fn compute(graph: &mut Graph, components: &Components, context: &mut Context) -> Result<BandEnd> {
    let end = compute_of(graph, components, context, &mut Own)?;
    if context.strategy.carries_spatial_last() && spatial::leaves_nothing(graph)? {
        graph.shorten_band(1)?;
        (context.observer)(Event::BandShortened { statements: names(graph) });
    }
    Ok(end)
}

/// The same for nodes that stand for something else.
pub fn compute_of(
    graph: &mut Graph,
    components: &Components,
    context: &mut Context,
    statements: &mut dyn Statements,
) -> Result<BandEnd> {
    graph.forget_local();
    let conditional =
        graph.edges.iter().any(|edge| edge.kinds.condition) && graph.edges.iter().any(|edge| edge.kinds.conditioned);
    let strategy = context.strategy;
    let prefers = strategy.prefers_coincidence();
    let any_coincidence = prefers && graph.edges.iter().any(|edge| edge.kinds.coincidence);
    let mut coincidence = any_coincidence;
    let mut problems = Problems::default();
    let mut waived = false;
    while !graph.is_complete() {
        let Some(tried) = next(graph, components, context, statements, &mut problems, coincidence)? else {
            return Ok(BandEnd::NoSolution);
        };
        let bound_by = bounds(graph, components, context, statements, &tried)?;
        let demand = &tried.demand;
        if tried.step.relaxes_inner() && coincidence && !demand.complete && !waived {
            let (depth, rule) = (statements.depth(graph), Rule::InnerParallelism);
            (context.observer)(Event::CoincidenceWaived { statements: names(graph), depth, rule });
            waived = true;
        }
        match tried.member {
            Member::Found(found) => {
                if context.explains {
                    tell_found(graph, context, statements, (tried.step, tried.failed), &found, bound_by);
                }
                graph.push_rows(found.rows, !any_coincidence || coincidence && demand.complete)?;
                if !prefers || coincidence && !demand.complete || demand.asked.is_for_vectors() {
                    statements.mark_coincident(graph)?;
                }
            }
            Member::None(_) if tried.relaxes() && (!strategy.outer_coincidence || !graph.band_is_empty()) => {
                if graph.band_is_empty() && avoids_fusion(graph, context, statements) {
                    return Ok(BandEnd::NoSolution);
                }
                let members = graph.rows() - graph.band_start;
                (context.observer)(Event::CoincidenceGivenUp { statements: names(graph), members, bound_by });
                coincidence = false;
                problems.clear();
                continue;
            }
            Member::None(end) => {
                if context.explains {
                    let problem = strategy.problems[tried.step.problem].name.clone();
                    let (statements, members) = (names(graph), graph.rows() - graph.band_start);
                    (context.observer)(Event::NoMember { statements, members, problem, bound_by });
                }
                return Ok(end);
            }
        }
        let ends = tried.step.ends_band;
        if conditional {
            let Restart { anew, changed } = restart(graph, context, statements)?;
            if changed {
                problems.clear();
            }
            if anew {
                coincidence = any_coincidence;
                continue;
            }
        }
        if ends {
            return Ok(BandEnd::Ended);
        }
    }
    Ok(BandEnd::Complete)
}

/// What binds what was tried, for those who ask.
fn bounds(
    graph: &Graph,
    components: &Components,
    context: &mut Context,
    statements: &mut dyn Statements,
    tried: &Tried,
) -> Result<Vec<Bound>> {
    if !context.explains {
        return Ok(Vec::new());
    }
    let (strategy, step, ctx) = (context.strategy, tried.step, context.ctx);
    let edges = graph
        .edges
        .iter()
        .zip(&tried.demand.together)
        .map(|(edge, together)| binding::kinds(edge, *together, &strategy.problems[step.problem]));
    let (choices, problem) = (choices::of_problem(strategy, step.problem), Some(step.problem));
    let parts = Parts { choices, problem, edges: edges.collect() };
    let question =
        Question { graph: graph.clone(), strategy: strategy.clone(), together: tried.of_step.together.clone() };
    let names: Vec<String> = (0..graph.nodes.len()).map(|node| statements.name(graph, node)).collect();
    let mut has_better = |question: &Question| {
        let Question { graph, strategy, together } = question;
        let demand = Demand { together: together.clone(), ..tried.of_step.clone() };
        let demand = asked::with_asked(demand, step, graph, strategy, statements)?;
        let mut context = Context { strategy, ctx, observer: &mut |_| (), explains: false };
        let found = kept(graph, components, &mut context, statements, &mut Problems::default(), (step, &demand))?;
        Ok(found.is_better_than(&tried.member))
    };
    binding::binding(question, parts, |node| names[node].clone(), ctx, &mut has_better)
}

/// Says by which problem a member was found, what its terms come to, and what binds them.
fn tell_found(
    graph: &Graph,
    context: &mut Context,
    statements: &dyn Statements,
    (step, failed): (&Step, Vec<String>),
    found: &Found,
    bound_by: Vec<Bound>,
) {
    let problem = context.strategy.problems[step.problem].name.clone();
    let carried = |relation: &ProximityRelation| {
        let array = statements.array(graph, relation.group)?;
        Some(format!("{array} in {}", if relation.spatial { "memory" } else { "time" }))
    };
    let (values, carried) = (found.values.clone(), found.carried.iter().filter_map(carried).collect());
    let origin = Origin { depth: statements.depth(graph), problem, failed, values, carried, bound_by };
    (context.observer)(Event::Member { statements: names(graph), origin });
}

/// Conditions that the members found so far violate become local, and the band begins anew.
pub(in crate::schedule) struct Restart {
    /// The band has no members any more.
    pub anew: bool,
    /// Conditions became local, be it by chance, and have to stay so: problems are to be made anew.
    pub changed: bool,
}

/// Whether that is so.
pub(in crate::schedule) fn restart(
    graph: &mut Graph,
    context: &mut Context,
    statements: &mut dyn Statements,
) -> Result<Restart> {
    let count = |graph: &Graph| graph.edges.iter().filter(|edge| edge.local).count();
    let known = count(graph);
    let local = statements.make_local(graph)?;
    let anew = !local.is_empty();
    if anew {
        (context.observer)(Event::BandRestarted { statements: names(graph), local });
        graph.reset_band()?;
    }
    Ok(Restart { anew, changed: anew || count(graph) != known })
}

/// The problem of the last member, which may be that of the next one as well.
#[derive(Default)]
struct Problems {
    last: Option<(usize, Demand, Problem)>,
}

impl Problems {
    /// What edges ask is another thing now.
    fn clear(&mut self) {
        self.last = None;
    }

    /// The problem of a step, with what its demand keeps together.
    fn of(
        &mut self,
        step: &Step,
        demand: &Demand,
        graph: &Graph,
        components: &Components,
        strategy: &Strategy,
    ) -> Result<&mut Problem> {
        let is_same = self.last.as_ref().is_some_and(|(problem, asked, _)| *problem == step.problem && asked == demand);
        let kept = if is_same { self.last.take() } else { None };
        let kept = match kept {
            Some(kept) => kept,
            None => {
                let aims = (strategy, &strategy.problems[step.problem]);
                let problem = Problem::new(graph, components, aims, demand, 0)?;
                (step.problem, demand.clone(), problem)
            }
        };
        Ok(&mut self.last.insert(kept).2)
    }
}

/// What a step found.
struct Tried<'a> {
    step: &'a Step,
    /// What the step itself demands.
    of_step: Demand,
    /// And what its problem asks of named statements.
    demand: Demand,
    member: Member,
    /// The problems of steps before it that gave no member.
    failed: Vec<String>,
}

impl Tried<'_> {
    /// Where it found nothing, coincidence is given up.
    fn relaxes(&self) -> bool {
        self.step.otherwise == Otherwise::Relax && self.demand.any
    }
}

/// What the first step finds whose conditions hold, or of those that leave it to the next one the first that finds
/// something, or the last of them; nothing if there is no such step.
fn next<'a>(
    graph: &Graph,
    components: &Components,
    context: &mut Context<'a>,
    statements: &mut dyn Statements,
    problems: &mut Problems,
    coincidence: bool,
) -> Result<Option<Tried<'a>>> {
    let strategy = context.strategy;
    let parallel = statements.are_parallel(graph);
    let (left, depth) = (graph.target - graph.independent, statements.depth(graph));
    let (mut last, mut failed) = (None, Vec::new());
    for step in &strategy.steps {
        let demand = Demand::new(graph, step, coincidence, &parallel);
        let holds = |condition: &Condition| match condition {
            Condition::Last => left == 1,
            Condition::AtMostLeft(number) => left <= *number,
            Condition::First => graph.band_is_empty(),
            Condition::Inner => depth > 0,
            Condition::NothingParallel => !parallel.contains(&true),
            Condition::AllCoincident => demand.complete,
        };
        if !step.when.iter().all(holds) {
            continue;
        }
        let of_step = demand.clone();
        let demand = asked::with_asked(demand, step, graph, strategy, statements)?;
        let member = kept(graph, components, context, statements, problems, (step, &demand))?;
        let goes_on = matches!(member, Member::None(_)) && step.otherwise == Otherwise::Next;
        last = Some(Tried { step, of_step, demand, member, failed: failed.clone() });
        if !goes_on {
            break;
        }
        failed.push(strategy.problems[step.problem].name.clone());
    }
    Ok(last)
}

/// The member that a step asks for, if it is one to keep.
fn kept(
    graph: &Graph,
    components: &Components,
    context: &mut Context,
    statements: &mut dyn Statements,
    problems: &mut Problems,
    (step, demand): (&Step, &Demand),
) -> Result<Member> {
    match member(graph, components, context, statements, problems, (step, demand))? {
        Member::Found(found) if !is_kept(graph, step, &found.rows)? => Ok(Member::None(BandEnd::NoSolution)),
        member => Ok(member),
    }
}

/// What a step asks of solutions holds of this one.
fn is_kept(graph: &Graph, step: &Step, rows: &[Row]) -> Result<bool> {
    match step.keep {
        Some(Keep::CarriesSpatial) => spatial::carries(graph, rows),
        None => Ok(true),
    }
}

/// The member that a step asks for.
fn member(
    graph: &Graph,
    components: &Components,
    context: &mut Context,
    statements: &mut dyn Statements,
    problems: &mut Problems,
    (step, demand): (&Step, &Demand),
) -> Result<Member> {
    let Context { strategy, ctx, .. } = context;
    let formulation = &strategy.problems[step.problem];
    if formulation.minimizes(Term::UncarriedSpatial) {
        let takes = |group: usize| takes_group(formulation, graph, statements, group);
        return spatial::solve(graph, components, (strategy, formulation), demand, &takes, ctx);
    }
    let problem = problems.of(step, demand, graph, components, strategy)?;
    if formulation.looks_at_relations() {
        let mut order = statements.order(graph)?;
        order.retain(|group| takes_group(formulation, graph, statements, *group));
        let wanted = proximity::wanted(formulation, &order);
        return proximity::solve(problem, graph, components, &wanted, ctx);
    }
    problem.solve(graph, components, ctx)
}

/// A problem looks at the relations of a group of references.
fn takes_group(formulation: &Formulation, graph: &Graph, statements: &dyn Statements, group: usize) -> bool {
    let near = &formulation.near;
    near.is_all() || statements.array(graph, group).is_some_and(|array| near.takes_array(&array))
}

/// No outer member is coincident, and the references would take more registers than the strategy has room for: a step of
/// Feautrier's algorithm takes the band's place (unified report, 4.7).
fn avoids_fusion(graph: &Graph, context: &mut Context, statements: &dyn Statements) -> bool {
    let (limit, estimate) = (context.strategy.register_limit, statements.register_estimate(graph));
    let (Some(limit), Some(estimate)) = (limit, estimate) else { return false };
    (context.observer)(Event::RegisterEstimate { statements: names(graph), estimate, limit });
    if estimate > limit {
        let (depth, rule) = (statements.depth(graph), Rule::AvoidFusion);
        (context.observer)(Event::CoincidenceWaived { statements: names(graph), depth, rule });
    }
    estimate > limit
}
