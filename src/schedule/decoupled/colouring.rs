//! A level of a band as a colour of the fusion conflict graph (Acharya et al. 2018, section 3; 2020).
//!
//! Components are coloured in topological order, each so that its loops do not conflict with those that have the colour
//! already. Within a component the statements with most loops come first, and each takes the loop along which most of
//! what is near stays near, the outer one of several in the original order; where that leads nowhere the next one is
//! tried.

use crate::isl::Ctx;
use crate::schedule::decoupled::conflicts::{Choice, Conflicts, is_bounded, unit};
use crate::schedule::error::Result;
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Graph, Row};
use std::cmp::Reverse;

/// What a colour came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Colour {
    /// What each node has at the level.
    Whole(Vec<Choice>),
    /// A component, the first one, has no loops that fit.
    Stuck {
        /// The component.
        component: usize,
        /// Not even without those before.
        alone: bool,
    },
}

/// So often is a choice taken or taken back in a component, times its statements.
const TRIES: usize = 16;

/// Colours the loops of a level.
///
/// # Errors
/// [`crate::schedule::Error::Budget`], and those of finding coefficients.
pub fn colour(graph: &Graph, components: &Components, conflicts: &mut Conflicts, ctx: &Ctx) -> Result<Colour> {
    let mut members = vec![Vec::new(); components.count];
    for (node, &component) in components.of.iter().enumerate() {
        members[component].push(node);
    }
    let mut chosen = vec![None; graph.nodes.len()];
    for (component, mut nodes) in members.into_iter().enumerate() {
        nodes.sort_by_key(|&node| Reverse(graph.nodes[node].missing()));
        if !colour_component(graph, &nodes, conflicts, &mut chosen, ctx)? {
            let mut none = vec![None; graph.nodes.len()];
            let alone = component == 0 || !colour_component(graph, &nodes, conflicts, &mut none, ctx)?;
            return Ok(Colour::Stuck { component, alone });
        }
    }
    Ok(Colour::Whole(chosen.into_iter().map(|choice| choice.unwrap_or(Choice::Free)).collect()))
}

/// Chooses for the nodes of a component, in this order. False: nothing fits, and nothing is chosen.
fn colour_component(
    graph: &Graph,
    nodes: &[usize],
    conflicts: &mut Conflicts,
    chosen: &mut [Option<Choice>],
    ctx: &Ctx,
) -> Result<bool> {
    // What is left to try for each node that has a choice, and for the one whose choice was taken back.
    let (mut placed, mut open) = (Vec::new(), None);
    for _ in 0..TRIES * (nodes.len() + 1) {
        let Some(&node) = nodes.get(placed.len()) else { return Ok(true) };
        let mut untried = match open.take() {
            Some(untried) => untried,
            None => candidates(graph, node, conflicts, chosen)?.into_iter(),
        };
        match first_fit(graph, node, &mut untried, conflicts, chosen, ctx)? {
            Some(choice) => {
                chosen[node] = Some(choice);
                placed.push(untried);
            }
            None => {
                let Some(before) = placed.pop() else { return Ok(false) };
                chosen[nodes[placed.len()]] = None;
                open = Some(before);
            }
        }
    }
    nodes.iter().for_each(|&node| chosen[node] = None);
    Ok(false)
}

/// The first of some choices of a node that does not conflict with those made.
fn first_fit(
    graph: &Graph,
    node: usize,
    untried: &mut impl Iterator<Item = Choice>,
    conflicts: &mut Conflicts,
    chosen: &[Option<Choice>],
    ctx: &Ctx,
) -> Result<Option<Choice>> {
    'next: for choice in untried {
        for neighbour in conflicts.neighbours(node).to_vec() {
            let Some(other) = chosen[neighbour] else { continue };
            if conflicts.conflict(graph, (node, choice), (neighbour, other), ctx)? {
                continue 'next;
            }
        }
        return Ok(Some(choice));
    }
    Ok(None)
}

/// What a node may have at the level, the best first: loops that are left and can be outermost, and nothing where it
/// need not have a loop.
fn candidates(graph: &Graph, node: usize, conflicts: &Conflicts, chosen: &[Option<Choice>]) -> Result<Vec<Choice>> {
    let mut found = Vec::new();
    for variable in (0..graph.nodes[node].variables()).filter(|&variable| is_left(graph, node, variable)) {
        if !conflicts.is_alone(graph, node, Choice::Loop(variable))? {
            found.push((Reverse(nearness(graph, (node, variable), conflicts, chosen)?), Choice::Loop(variable)));
        }
    }
    found.sort();
    let free = (!graph.needs_row(&graph.nodes[node])).then_some(Choice::Free);
    Ok(found.into_iter().map(|(_, choice)| choice).chain(free).collect())
}

/// No combination of the rows of a node is the loop.
pub fn is_left(graph: &Graph, node: usize, variable: usize) -> bool {
    let row = unit(graph, node, variable);
    let node = &graph.nodes[node];
    !node.independence().is_dependent(node.linear(&row))
}

/// Along how many edges to loops that are chosen a loop keeps together what is near.
fn nearness(
    graph: &Graph,
    (node, variable): (usize, usize),
    conflicts: &Conflicts,
    chosen: &[Option<Choice>],
) -> Result<usize> {
    let mut near = 0;
    for &neighbour in conflicts.neighbours(node) {
        let Some(Choice::Loop(other)) = chosen[neighbour] else { continue };
        let rows = [(node, unit(graph, node, variable)), (neighbour, unit(graph, neighbour, other))];
        let row = |end: usize| -> &Row { if rows[0].0 == end { &rows[0].1 } else { &rows[1].1 } };
        for &edge in conflicts.between(node, neighbour) {
            let edge = &graph.edges[edge];
            let distance = edge.distance_between(graph, row(edge.source), row(edge.target))?;
            near += usize::from(conflicts.is_near(edge) && is_bounded(&*edge.exact()?, &distance));
        }
    }
    Ok(near)
}
