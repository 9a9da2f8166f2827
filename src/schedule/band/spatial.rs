//! A member that carries as many spatial proximity relations as possible (unified report, section 4.6).
//!
//! Objective (5): the sum of the coefficients of variables is made least, so that skewing is not worth it, and of the
//! members with that sum one is taken that carries most relations. Each node that is not scheduled completely gets a
//! row that is independent of those before, also where there is slack: a zero row carries nothing.
//!
//! Each relation `k` has a variable `0 ≤ e_k ≤ 1`, with `e_k ≤ f(b) − f(a)` on its pairs where it is one, as in
//! Feautrier's algorithm. There a relation that is not carried has to be respected all the same; a spatial one does not
//! order anything, so where `e_k = 0` nothing is asked. The least sum is found first, and the sum bounds all distances
//! on a generator of a statement's pairs with itself: that bound lets go of the constraint. Pairs of distinct
//! statements are brought together by fusion, not by a member, and do not count here.

use crate::ilp::Improve;
use crate::isl::Ctx;
use crate::schedule::band::conditions::{is_positive, is_zero};
use crate::schedule::band::demand::Demand;
use crate::schedule::band::lp::{CASES, Member, Problem};
use crate::schedule::band::proximity::{PART, relations};
use crate::schedule::error::{Error, Result};
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Graph, Node, Row};
use crate::schedule::phases::{Phase, enter};
use crate::schedule::strategy::{Formulation, Strategy};
use crate::schedule::work::within;

/// Rows of the nodes give the pairs of a node with itself, in some spatial relation, all a positive distance.
pub fn carries(graph: &Graph, rows: &[Row]) -> Result<bool> {
    for edge in graph.edges.iter().filter(|edge| edge.kinds.spatial && edge.is_loop()) {
        let distance = edge.distance_between(graph, &rows[edge.source], &rows[edge.target])?;
        if is_positive(&*edge.exact()?, &distance)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The band that is computed takes what is near in memory away from the loops below it: no member is coincident, the
/// statements with the most loops have one each below the band, no spatial relation between them is left for those, and
/// members after the first carry some. For CPUs the innermost loop is to carry them (4.7), and it is not among the
/// members, where it could be moved to the innermost place of a tile.
pub fn leaves_nothing(graph: &Graph) -> Result<bool> {
    let members = graph.band_start..graph.rows();
    if members.len() < 2 || graph.is_complete() || graph.coincident[members.clone()].contains(&true) {
        return Ok(false);
    }
    let most = graph.nodes.iter().map(Node::variables).max().unwrap_or(0);
    let mut last = Vec::new();
    for node in &graph.nodes {
        let is_deepest = node.variables() == most;
        if is_deepest && node.independence().forms.len() != 1 {
            return Ok(false);
        }
        last.push(is_deepest.then(|| last_row(graph, node)));
    }
    let mut carried_inside = false;
    for edge in graph.edges.iter().filter(|edge| edge.kinds.spatial) {
        let (Some(source), Some(target)) = (&last[edge.source], &last[edge.target]) else { continue };
        let pairs = edge.exact()?;
        let mut carrier = None;
        for row in members.clone() {
            if carrier.is_none() && !is_zero(&pairs, &edge.distance(graph, row)?)? {
                carrier = Some(row);
            }
        }
        match carrier {
            Some(row) => carried_inside |= row > members.start,
            None if is_zero(&pairs, &edge.distance_between(graph, source, target)?)? => {}
            None => return Ok(false),
        }
    }
    Ok(carried_inside)
}

/// The row of the only loop that a node has left.
fn last_row(graph: &Graph, node: &Node) -> Row {
    let mut row = vec![0; 1 + graph.parameters];
    row.extend(node.independence().forms.iter().flatten());
    row
}

/// The first coincident member of the band that is being computed that carries spatial relations, if no outer band has
/// a coincident member: the one for neighbouring threads (4.8, "Mapping").
pub fn for_threads(graph: &Graph) -> Result<Option<usize>> {
    if graph.coincident[..graph.band_start].contains(&true) {
        return Ok(None);
    }
    for row in (graph.band_start..graph.rows()).filter(|&row| graph.coincident[row]) {
        let rows: Vec<Row> = graph.nodes.iter().map(|node| node.rows()[row].clone()).collect();
        if carries(graph, &rows)? {
            return Ok(Some(row - graph.band_start));
        }
    }
    Ok(None)
}

/// The last member of a band, or one that a step demands more of, for the relations of groups that it takes.
///
/// # Errors
/// [`Error::Budget`], [`Error::Overflow`].
pub fn solve(
    graph: &Graph,
    components: &Components,
    (strategy, formulation): (&Strategy, &Formulation),
    demand: &Demand,
    takes: &dyn Fn(usize) -> bool,
    ctx: &Ctx,
) -> Result<Member> {
    let relations: Vec<Vec<usize>> = relations(graph)?
        .into_iter()
        .filter(|(relation, _)| relation.spatial && takes(relation.group))
        .map(|(_, edges)| edges.into_iter().filter(|&edge| graph.edges[edge].is_loop()).collect())
        .filter(|edges: &Vec<usize>| !edges.is_empty())
        .collect();
    let mut problem = Problem::new(graph, components, (strategy, formulation), demand, relations.len())?;
    let _phase = enter(Phase::Ilp);
    let regions = problem.demand_all_independence(graph);
    let mut found = problem.search(graph, components, &regions, Improve::First, ctx)?;
    if matches!(found, Member::None(_)) {
        return Ok(found);
    }
    let best = |problem: &mut Problem| {
        within(ctx, PART, || problem.search(graph, components, &regions, Improve::Lexicographic(CASES), ctx))
    };
    found = best(&mut problem)?.unwrap_or(found);
    let Member::Found(member) = &found else { return Ok(found) };
    if relations.is_empty() {
        return Ok(found);
    }
    let coefficients = graph.nodes.iter().zip(&member.rows).flat_map(|(node, row)| node.linear(row));
    let sum = coefficients.fold(0i64, |sum, a| sum.saturating_add(a.saturating_abs()));
    for (relation, edges) in relations.iter().enumerate() {
        for &edge in edges {
            problem.carry(graph, &graph.edges[edge], relation, sum)?;
        }
    }
    match best(&mut problem) {
        Ok(None | Some(Member::None(_))) | Err(Error::Overflow) => Ok(found),
        better => Ok(better?.unwrap_or(found)),
    }
}
