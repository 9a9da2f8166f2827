//! Members that carry as few proximity relations as possible (unified report, sections 4.4 and 4.5).
//!
//! Objective (4) has a bound on the distances of each group's temporal relation, followed by one on those of its
//! spatial relation, and the first that cannot be zero is removed, with all others, until the bounds that are left are
//! zero. A relation that has to be carried gains nothing from a short distance, so nothing is left of its bound. That
//! is the same as asking for distance zero over one relation after the other, in the order of their importance, and to
//! keep what has a solution: the relations before the first bound that is not zero have distance zero in all later
//! problems. So bounds need no columns, and the order of the groups may change from member to member. Of the members
//! with the relations that are kept, the one with the least coefficients is taken; of equals the one that is nearest to
//! the original order of loops.
//!
//! Groups are taken by rank, then by multiplicity (4.5); groups of distinct statements count as one where they are
//! alike, since a relation from one to the other would otherwise be kept for itself, by shifts. Where such a relation
//! has to be carried, its parts within the statements are tried one by one, as the report has a group for each
//! reference: a statement that has no choice left does not decide for the others. A relation that some member of the
//! band carries counts no more.

use crate::ilp::{Improve, NonTrivialRegion};
use crate::isl::Ctx;
use crate::schedule::band::conditions::is_zero;
use crate::schedule::band::lp::{CASES, Member, Problem};
use crate::schedule::error::Result;
use crate::schedule::graph::components::Components;
use crate::schedule::graph::independence::Independence;
use crate::schedule::graph::{Edge, Graph, Node, ProximityRelation, References, Row};
use crate::schedule::phases::{Phase, enter};
use crate::schedule::strategy::{Formulation, Term};
use crate::schedule::work::within;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The operations of a search that may do without an answer. Most take less than a hundredth.
pub(in crate::schedule) const PART: u64 = 200_000;

/// The groups of a graph in the order of their importance for the next member: those first with the most subscripts
/// that are not fixed yet, of these the ones with the most references.
pub fn order(graph: &Graph) -> Result<Vec<usize>> {
    // Rank and multiplicity by group.
    let mut groups: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for node in &graph.nodes {
        for references in &node.statement.references {
            let (greatest, multiplicity) = groups.entry(references.group).or_default();
            *greatest = rank(node, references)?.max(*greatest);
            *multiplicity += references.multiplicity;
        }
    }
    let mut order: Vec<usize> = groups.keys().copied().collect();
    order.sort_by_key(|group| Reverse(groups[group]));
    Ok(order)
}

/// The number of subscripts that the schedule so far leaves open: of the independent equations between schedule and
/// subscripts there is one less for each.
fn rank(node: &Node, references: &References) -> Result<usize> {
    let scheduled = node.rows().iter().map(|row| node.linear(row));
    let both = scheduled.chain(references.subscripts.iter().map(Vec::as_slice));
    Ok(Independence::of(both, node.variables())?.rank - node.independence().rank)
}

/// The relations of groups that are given in some order, as a problem's terms have them.
pub fn wanted(formulation: &Formulation, order: &[usize]) -> Vec<ProximityRelation> {
    let mut wanted = Vec::new();
    for term in &formulation.minimize {
        let kinds: &[bool] = match term {
            Term::GroupDistances => &[false, true],
            Term::TemporalDistances => &[false],
            Term::SpatialDistances => &[true],
            _ => &[],
        };
        let of_group = |&group: &usize| kinds.iter().map(move |&spatial| ProximityRelation { group, spatial });
        wanted.extend(order.iter().flat_map(of_group));
    }
    wanted
}

/// The next member, with as many of the wanted relations kept together as can be, the first ones before others.
///
/// # Errors
/// [`super::Error::Budget`], [`super::Error::Overflow`].
pub fn solve(
    problem: &mut Problem,
    graph: &Graph,
    components: &Components,
    wanted: &[ProximityRelation],
    ctx: &Ctx,
) -> Result<Member> {
    let _phase = enter(Phase::Ilp);
    problem.push();
    let regions = problem.demand_independence(graph);
    let mut levels = 1;
    let mut found = problem.search(graph, components, &regions, Improve::First, ctx)?;
    let relations = relations(graph)?;
    let mut carried = Vec::new();
    for relation in wanted {
        let Some(edges) = relations.get(relation) else { continue };
        let mut parts = vec![edges.clone()];
        let mut is_whole = true;
        while let Some(edges) = parts.pop() {
            let Member::Found(member) = &found else { break };
            let together = are_together(graph, &edges, &member.rows)?;
            problem.push();
            levels += 1;
            for &edge in &edges {
                problem.keep_together(graph, &graph.edges[edge])?;
            }
            if together {
                continue;
            }
            let concerned = concerned_first(graph, &edges, &regions);
            match within(ctx, PART, || problem.search(graph, components, &concerned, Improve::First, ctx))? {
                Some(better @ Member::Found(_)) => found = better,
                // Not found is as good as not there.
                Some(Member::None(_)) | None => {
                    problem.pop();
                    levels -= 1;
                    is_whole = false;
                    parts.extend(by_statement(graph, &edges));
                }
            }
        }
        carried.extend((!is_whole).then_some(*relation));
    }
    if matches!(found, Member::Found(_)) {
        let all = || problem.search(graph, components, &regions, Improve::Lexicographic(CASES), ctx);
        found = within(ctx, PART, all)?.unwrap_or(found);
    }
    (0..levels).for_each(|_| problem.pop());
    if let Member::Found(member) = &mut found {
        member.carried = carried;
    }
    Ok(found)
}

/// The edges of each statement with itself, if there are several such statements, the first one last.
fn by_statement(graph: &Graph, edges: &[usize]) -> Vec<Vec<usize>> {
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &edge in edges.iter().filter(|&&edge| graph.edges[edge].is_loop()) {
        parts.entry(graph.edges[edge].source).or_default().push(edge);
    }
    if parts.len() < 2 { Vec::new() } else { parts.into_values().rev().collect() }
}

/// The regions of nodes that these edges are between, then the others: what cannot be is then seen before the cases of
/// the others are tried one by one.
fn concerned_first(graph: &Graph, edges: &[usize], regions: &[NonTrivialRegion]) -> Vec<NonTrivialRegion> {
    let ends: BTreeSet<usize> =
        edges.iter().flat_map(|&edge| [graph.edges[edge].source, graph.edges[edge].target]).collect();
    // There is a region for each node that needs a row, in order.
    let nodes = (0..graph.nodes.len()).filter(|&node| graph.needs_row(&graph.nodes[node]));
    let (first, others): (Vec<_>, Vec<_>) = nodes.zip(regions).partition(|(node, _)| ends.contains(node));
    first.into_iter().chain(others).map(|(_, region)| region.clone()).collect()
}

/// The edges of each relation that no member of the band carries.
pub(in crate::schedule) fn relations(graph: &Graph) -> Result<BTreeMap<ProximityRelation, Vec<usize>>> {
    let mut relations: BTreeMap<ProximityRelation, Vec<usize>> = BTreeMap::new();
    let mut carried = Vec::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        if edge.proximity.is_empty() {
            continue;
        }
        let mut zero = true;
        for row in graph.band_start..graph.rows() {
            zero = zero && is_zero(&*edge.exact()?, &edge.distance(graph, row)?)?;
        }
        for relation in &edge.proximity {
            relations.entry(*relation).or_default().push(index);
            if !zero {
                carried.push(*relation);
            }
        }
    }
    for relation in carried {
        relations.remove(&relation);
    }
    Ok(relations)
}

/// These rows of the nodes give all pairs of the edges the same value.
fn are_together(graph: &Graph, edges: &[usize], rows: &[Row]) -> Result<bool> {
    for &index in edges {
        let edge: &Edge = &graph.edges[index];
        let distance = edge.distance_between(graph, &rows[edge.source], &rows[edge.target])?;
        if !is_zero(&*edge.exact()?, &distance)? {
            return Ok(false);
        }
    }
    Ok(true)
}
