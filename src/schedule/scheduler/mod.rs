//! The scheduler's steps, as in the ppcg report (sections 6.1, 6.2 and 6.5.8). Parts of the graph wait on a list with
//! the place in the tree where their schedule goes, so nothing here recurses.

mod prefix;
mod tree;

use crate::isl::{Schedule, ScheduleConstraints, UnionPwAff};
use crate::proximity::ReferenceGroup;
use crate::schedule::band::spatial;
use crate::schedule::band::{self, Context};
use crate::schedule::clusters::{self, Clusters, Kind};
use crate::schedule::decoupled;
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::{BandEnd, Event, Observer, names};
use crate::schedule::feautrier::{self, Purpose};
use crate::schedule::graph::Graph;
use crate::schedule::graph::components::Components;
use crate::schedule::phases::{Phase, enter};
use crate::schedule::scheduler::tree::{Loops, Slot, Tree};
use crate::schedule::strategy::{Algorithm, Fusion, Strategy};
use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

/// Finds a schedule tree that respects the constraints, with the aims of a strategy.
///
/// The work is bounded by the quota of the constraints' context.
///
/// # Errors
/// [`Error::NothingCarried`] where no affine schedule exists, [`Error::NothingWithin`], [`Error::NoStep`] and
/// [`Error::Prefix`] where the strategy leaves none, and failures for which [`Error::is_exhausted`] is true
/// when a bound on the work struck.
pub fn schedule(constraints: &ScheduleConstraints, strategy: &Strategy, observer: Observer) -> Result<Schedule> {
    schedule_groups(constraints, &[], strategy, observer)
}

/// The same, with groups of references, for a strategy that looks at them ([`Strategy::looks_at_references`]). What they
/// say is near takes the place of the constraints' own proximity where [`Strategy::is_near_by_groups`].
///
/// # Errors
/// Those of [`schedule`].
pub fn schedule_groups(
    constraints: &ScheduleConstraints,
    groups: &[ReferenceGroup],
    strategy: &Strategy,
    observer: Observer,
) -> Result<Schedule> {
    schedule_below(&[], constraints, groups, strategy, observer)
}

/// The same, where the observer is told as well which constraints make members what they are ([`crate::schedule::Origin`]). It takes
/// a search for each constraint and member.
///
/// # Errors
/// Those of [`schedule`].
pub fn schedule_explained(
    constraints: &ScheduleConstraints,
    groups: &[ReferenceGroup],
    strategy: &Strategy,
    observer: Observer,
) -> Result<Schedule> {
    let context = Context { strategy, ctx: constraints.ctx(), observer, explains: true };
    run(&[], constraints, groups, context)
}

/// The same inside of loops that are fixed: the members `above` of outer bands, outermost first. The constraints are
/// those between instances that have the same values of them.
///
/// # Errors
/// Those of [`schedule`].
pub fn schedule_below(
    above: &[UnionPwAff],
    constraints: &ScheduleConstraints,
    groups: &[ReferenceGroup],
    strategy: &Strategy,
    observer: Observer,
) -> Result<Schedule> {
    run(above, constraints, groups, Context { strategy, ctx: constraints.ctx(), observer, explains: false })
}

fn run(
    above: &[UnionPwAff],
    constraints: &ScheduleConstraints,
    groups: &[ReferenceGroup],
    context: Context,
) -> Result<Schedule> {
    let graph = {
        let _phase = enter(Phase::Graph);
        let mut graph = Graph::from_constraints(constraints, groups, context.strategy)?;
        graph.take_prefix(above)?;
        graph
    };
    let (tree, root) = Tree::new();
    let mut scheduler = Scheduler { tree, waiting: Vec::new(), context };
    if !graph.nodes.is_empty() {
        scheduler.waiting.push((root, graph, Step::Fixed(0)));
    }
    while let Some((slot, graph, step)) = scheduler.waiting.pop() {
        let done = scheduler.step(slot, graph, step);
        constraints.ctx().check_deadline()?;
        done?;
    }
    let _phase = enter(Phase::Tree);
    Ok(scheduler.tree.to_schedule(constraints.domain()?)?)
}

/// What is to be done with a part of the graph.
enum Step {
    /// Find its components first.
    Schedule,
    /// The strategy's first members are there up to this one.
    Fixed(usize),
    /// It is a component.
    Connected,
    /// Its band is computed.
    Finish(Components, BandEnd),
}

/// How the graphs of a partition follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Sequence,
    Any,
}

struct Scheduler<'a> {
    tree: Tree,
    waiting: Vec<(Slot, Graph, Step)>,
    context: Context<'a>,
}

impl Scheduler<'_> {
    fn step(&mut self, slot: Slot, graph: Graph, step: Step) -> Result<()> {
        match step {
            Step::Schedule => self.schedule(slot, graph),
            Step::Fixed(members) => self.fix(slot, graph, members),
            Step::Connected => self.connected(slot, graph),
            Step::Finish(components, end) => self.finish(slot, graph, &components, end),
        }
    }

    /// Splits into components (6.1).
    fn schedule(&mut self, slot: Slot, graph: Graph) -> Result<()> {
        let (components, order) = match self.context.strategy.fusion {
            Fusion::None => (Components::strong(&graph), Order::Sequence),
            _ => (Components::weak(&graph), Order::Any),
        };
        if components.count > 1 { self.split(slot, graph, &components, order) } else { self.connected(slot, graph) }
    }

    /// Schedules each component by itself. Statements that only need to be told apart need no tree.
    fn split(&mut self, slot: Slot, graph: Graph, components: &Components, order: Order) -> Result<()> {
        let mut graph = graph;
        if order == Order::Any && components.count == graph.nodes.len() {
            graph.set_target();
            if graph.is_complete() {
                return Ok(());
            }
        }
        self.spread(slot, graph, components, order, |_| Step::Connected)
    }

    /// Puts parts of a graph one after the other, or beside each other. What would enter live ranges between parts that
    /// follow each other is kept out.
    fn spread(
        &mut self,
        slot: Slot,
        graph: Graph,
        parts: &Components,
        order: Order,
        step: impl Fn(usize) -> Step,
    ) -> Result<()> {
        let mut graph = graph;
        if order == Order::Sequence {
            graph.force_next_to_cut(&parts.of)?;
        }
        let parts: Vec<Graph> = (0..parts.count).map(|part| graph.component(&parts.of, part)).collect();
        let statements = parts.iter().map(Graph::statements).collect();
        let slots = match order {
            Order::Sequence => self.tree.set_sequence(slot, statements),
            Order::Any => self.tree.set_set(slot, statements),
        };
        let parts = slots.into_iter().zip(parts).enumerate();
        // The first is taken first.
        let parts: Vec<_> = parts.map(|(i, (slot, graph))| (slot, graph, step(i))).collect();
        self.waiting.extend(parts.into_iter().rev());
        Ok(())
    }

    /// Schedules a component.
    fn connected(&mut self, slot: Slot, graph: Graph) -> Result<()> {
        let mut graph = graph;
        let components = Components::strong(&graph);
        graph.set_target();
        let strategy = self.context.strategy;
        if strategy.algorithm == Algorithm::Feautrier && graph.edges.iter().any(|edge| edge.kinds.orders()) {
            return self.carry(slot, graph, &components, Purpose { fallback: false, coincidence: false });
        }
        if strategy.fusion == Fusion::Smart && graph.rows() == 0 {
            let groups = by_dimension(&graph, &components);
            if groups.count > 1 {
                return self.spread(slot, graph, &groups, Order::Sequence, |_| Step::Connected);
            }
        }
        if strategy.fusion == Fusion::Incremental && components.count > 1 {
            return self.combine(slot, &graph, &components);
        }
        let end = match strategy.algorithm {
            Algorithm::Decoupled => decoupled::compute(&mut graph, &components, &mut self.context)?,
            _ => band::compute(&mut graph, &components, &mut self.context)?,
        };
        self.finish(slot, graph, &components, end)
    }

    /// Schedules strongly connected components one by one, and combines them (7.3).
    fn combine(&mut self, slot: Slot, graph: &Graph, components: &Components) -> Result<()> {
        let Clusters { clusters, after, .. } = clusters::compute(graph, components, &mut self.context)?;
        let groups = clusters::arrange(&after);
        let mut slots = vec![slot; clusters.len()];
        let mut open = vec![(0, slot)];
        while let Some((group, slot)) = open.pop() {
            let statements = |parts: &[usize]| {
                let statements = |&part: &usize| groups[part].clusters.iter().flat_map(|&i| clusters[i].0.statements());
                parts.iter().map(|part| statements(part).collect()).collect()
            };
            let (parts, children) = match &groups[group].kind {
                Kind::Single => {
                    slots[groups[group].clusters[0]] = slot;
                    continue;
                }
                Kind::Sequence(parts) => (parts, self.tree.set_sequence(slot, statements(parts))),
                Kind::Set(parts) => (parts, self.tree.set_set(slot, statements(parts))),
            };
            open.extend(parts.iter().copied().zip(children));
        }
        for (slot, (graph, end)) in slots.into_iter().zip(clusters).rev() {
            // Its components are in one band now, or there is only one.
            let together = Components { of: vec![0; graph.nodes.len()], count: 1 };
            let end = if matches!(end, BandEnd::Conflict { .. }) { BandEnd::NoSolution } else { end };
            self.waiting.push((slot, graph, Step::Finish(together, end)));
        }
        Ok(())
    }

    /// Puts a band in the tree and goes on below it, or does what else makes progress (6.5.8).
    fn finish(&mut self, slot: Slot, graph: Graph, components: &Components, end: BandEnd) -> Result<()> {
        let empty = graph.band_is_empty();
        if graph.is_complete() {
            return if empty { self.sort(slot, graph) } else { self.next_band(slot, graph, end) };
        }
        if !empty && !self.context.strategy.maximize_band_depth {
            return self.next_band(slot, graph, end);
        }
        if let BandEnd::Conflict { source, .. } = end {
            return self.cut(slot, graph, components, source);
        }
        if !empty {
            return self.next_band(slot, graph, end);
        }
        if components.count > 1 {
            return self.split(slot, graph, components, Order::Sequence);
        }
        let strategy = self.context.strategy;
        let coincidence = strategy.outer_coincidence || strategy.register_limit.is_some();
        self.carry(slot, graph, components, Purpose { fallback: true, coincidence })
    }

    /// Gives up the band, and separates the components up to `last` from the others.
    fn cut(&mut self, slot: Slot, graph: Graph, components: &Components, last: usize) -> Result<()> {
        let mut graph = graph;
        graph.reset_band()?;
        graph.next_band();
        let halves = components.of.iter().map(|component| usize::from(*component > last)).collect();
        self.spread(slot, graph, &Components { of: halves, count: 2 }, Order::Sequence, |_| Step::Schedule)
    }

    /// Reports the band, and goes on below it.
    fn next_band(&mut self, slot: Slot, graph: Graph, end: BandEnd) -> Result<()> {
        let coincident = graph.coincident[graph.band_start..].to_vec();
        (self.context.observer)(Event::Band { statements: names(&graph), coincident, end });
        self.below(slot, graph, Loops::Permutable, Step::Schedule)
    }

    /// Puts the rows of the band in the tree and goes on with what they do not carry.
    fn below(&mut self, slot: Slot, graph: Graph, loops: Loops, then: Step) -> Result<()> {
        let mut graph = graph;
        let for_threads = match self.context.strategy.carries_spatial_first() {
            true => spatial::for_threads(&graph)?,
            false => None,
        };
        graph.drop_carried()?;
        let child = self.tree.set_band(slot, &graph, loops, for_threads);
        graph.next_band();
        self.waiting.push((child, graph, then));
        Ok(())
    }

    /// Orders statements that are scheduled completely. If they depend on each other in turn, carries some constraints.
    fn sort(&mut self, slot: Slot, graph: Graph) -> Result<()> {
        if graph.nodes.len() == 1 || graph.edges.is_empty() {
            return Ok(());
        }
        let components = Components::strong(&graph);
        if components.count < graph.nodes.len() {
            return self.carry(slot, graph, &components, Purpose { fallback: true, coincidence: false });
        }
        let parts = (0..components.count).map(|i| graph.component(&components.of, i).statements()).collect();
        self.tree.set_sequence(slot, parts);
        Ok(())
    }

    /// A band of one member by Feautrier's algorithm (6.4). Where it carries nothing, or is trivial for a node that
    /// needs a row, components are scheduled by themselves.
    fn carry(&mut self, slot: Slot, graph: Graph, components: &Components, purpose: Purpose) -> Result<()> {
        let mut graph = graph;
        graph.set_target();
        let (strategy, ctx) = (self.context.strategy, self.context.ctx);
        let Some(step) = feautrier::carry(&graph, components, purpose, strategy, ctx)? else {
            if components.count > 1 {
                return self.split(slot, graph, components, Order::Sequence);
            }
            return Err(self.nothing_carried(&graph, components, purpose)?);
        };
        let trivial = feautrier::is_trivial(&graph, &step.rows);
        if trivial && components.count > 1 {
            return self.split(slot, graph, components, Order::Sequence);
        }
        let told = || feautrier::explained::told(&graph, components, purpose, (strategy, ctx), &step);
        let told = match self.context.explains.then(told).transpose() {
            // What cannot be written down is not told.
            Err(Error::Overflow) => None,
            told => told?,
        };
        let (statements, coincidence) = (names(&graph), purpose.coincidence);
        (self.context.observer)(Event::Carried { statements, coincidence, step: told });
        let rows = step.rows;
        graph.push_rows(rows, false)?;
        if trivial {
            // Nodes that got an independent row all the same have one less to find.
            graph.independent -= 1;
        }
        self.below(slot, graph, Loops::Ordered, Step::Schedule)
    }

    /// Why there is no schedule where no step carries anything.
    fn nothing_carried(&mut self, graph: &Graph, components: &Components, purpose: Purpose) -> Result<Error> {
        let Context { strategy, ctx, explains, observer } = &mut self.context;
        let is_free = strategy.constraints.is_empty();
        if !graph.edges.iter().any(|edge| edge.kinds.orders()) {
            let is_free = is_free && strategy.problems.iter().all(|problem| problem.constraints.is_empty());
            let within = if is_free { "" } else { ", within its constraints," };
            return Ok(Error::NoStep(names(graph).join(", ") + within));
        }
        if *explains {
            let bound_by = feautrier::explained::bounds(graph, components, purpose, (strategy, ctx), None)?;
            observer(Event::NothingCarried { statements: names(graph), bound_by });
        }
        Ok(if is_free { Error::NothingCarried } else { Error::NothingWithin })
    }
}

/// Groups of components whose statements have the same greatest dimension. As many as can be are in the first group, then in
/// the next one: a component only follows components of its group and of groups before.
fn by_dimension(graph: &Graph, components: &Components) -> Components {
    let mut dimension = vec![0; components.count];
    for (node, &component) in graph.nodes.iter().zip(&components.of) {
        dimension[component] = dimension[component].max(node.variables());
    }
    let mut follows = vec![BTreeSet::new(); components.count];
    for edge in graph.edges.iter().filter(|edge| edge.kinds.orders()) {
        let (source, target) = (components.of[edge.source], components.of[edge.target]);
        if source != target {
            follows[target].insert(source);
        }
    }
    let mut group: Vec<Option<usize>> = vec![None; components.count];
    let mut count = 0;
    // They are in topological order: what the first of the others follows has a group.
    while let Some(first) = group.iter().position(Option::is_none) {
        for i in first..components.count {
            let is_ready = follows[i].iter().all(|&other| group[other].is_some());
            if group[i].is_none() && is_ready && dimension[i] == dimension[first] {
                group[i] = Some(count);
            }
        }
        count += 1;
    }
    Components { of: components.of.iter().map(|&component| group[component].unwrap_or(count)).collect(), count }
}
