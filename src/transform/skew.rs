//! Points in an order in which they do not wait for each other.
//!
//! Where each iteration of the innermost loop reads what the one before has written, as in `A[i] = f(A[i - 1])`, the loop
//! takes the time of all operations from one to the other, one after the other, whatever a processor could do meanwhile.
//! Along another member of the band that may be different. Where it is not, as in Gauss-Seidel's sweeps, the points of a
//! wavefront (Pluto paper, Algorithm 2, for points instead of tiles) do not depend on each other: with the last two
//! members `a` and `b`, and no dependence that goes backwards along either, those with the same `a + b`. They are run
//! through in the order of `b`, or of `a` where that walks along rows.

use super::interchange::interchange_by;
use crate::cost::{Formula, best_innermost};
use crate::isl::{
    MultiUnionPwAff, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, UnionMap, UnionPwAff,
};
use crate::machine::Machine;
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, has_band_below, insert_mark, marks_above};
use crate::scop::Scop;

/// Puts those members innermost along which iterations do not wait for the one before, where locality does not weigh
/// more; where they still do in tiles, and no member is coincident, the last two members `a, b` of a
/// band become `a + b`, and in a band of its own `b` or `a`. `None` where nothing changes.
///
/// # Errors
/// Those of isl.
pub fn skew(
    scop: &Scop,
    schedule: &Schedule,
    constraints: &ScheduleConstraints,
    machine: &Machine,
) -> Result<Option<Schedule>> {
    let formula = Formula::with_neighbours(machine);
    let ordered = interchange_by(scop, schedule, formula)?;
    let coincidence = constraints.coincidence()?;
    let mut changed = !ordered.plain_is_equal(schedule)?;
    let mut rewrite = |node: ScheduleNode| {
        if node.node_type()? != NodeType::Band || has_band_below(&node)? || !marks_above(&node)?.contains(&Mark::Point)
        {
            return Ok(node);
        }
        let band = Band::read(&node)?;
        let last = band.members.len().checked_sub(1);
        let is_open = !band.coincident.contains(&true) && last.is_some_and(|last| last > 0);
        if !is_open || !waiting(scop, &node, &band, machine)?.iter().any(|member| Some(*member) == last) {
            return Ok(node);
        }
        let Some(members) = wavefront(&node, &band, &coincidence)? else { return Ok(node) };
        let [outer, one, other] = &members;
        changed = true;
        let inner = if walks_along_rows(scop, &node, &band, [outer, other], formula)? { other } else { one };
        points(node, band, outer, inner)
    };
    let skewed = ordered.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok(changed.then_some(skewed))
}

/// The members of a permutable band of points along which iterations wait for the one before.
pub(super) fn waiting(scop: &Scop, node: &ScheduleNode, band: &Band, machine: &Machine) -> Result<Vec<usize>> {
    if !band.permutable || band.members.is_empty() {
        return Ok(Vec::new());
    }
    Ok(best_innermost(scop, node, band, Formula::with_neighbours(machine))?.waiting)
}

/// The sum of the last two members of a band, with the last one and the one before; `None` where points with the same sum
/// would depend on each other.
pub(super) fn wavefront(node: &ScheduleNode, band: &Band, coincidence: &UnionMap) -> Result<Option<[UnionPwAff; 3]>> {
    let [others @ .., before, last] = &band.members[..] else { return Ok(None) };
    let sum = before.clone().add(last.clone())?;
    // { S[i] -> T[j] } at the same time along all but the last
    let domain = node.domain()?;
    let mut pending = coincidence.clone().intersect_domain(domain.clone())?.intersect_range(domain)?;
    let prefix = node.prefix_schedule()?;
    if prefix.size()? > 0 {
        pending = pending.eq_at(prefix)?;
    }
    for member in others.iter().chain([&sum]) {
        pending = pending.eq_at(MultiUnionPwAff::from_union_pw_aff(member.clone())?)?;
    }
    let along = MultiUnionPwAff::from_union_pw_aff(last.clone())?;
    let carried = pending.clone().lex_lt_at(along.clone())?.union(pending.lex_gt_at(along)?)?;
    Ok(carried.is_empty()?.then(|| [sum, last.clone(), before.clone()]))
}

/// All accesses stay or walk along rows with these members in the place of a band's last two.
fn walks_along_rows(
    scop: &Scop,
    node: &ScheduleNode,
    band: &Band,
    [outer, inner]: [&UnionPwAff; 2],
    formula: Formula,
) -> Result<bool> {
    let last = band.members.len() - 1;
    let mut skewed = band.clone();
    skewed.members[last - 1] = outer.clone();
    skewed.members[last] = inner.clone();
    let best = best_innermost(scop, node, &skewed, formula)?;
    Ok(best.member == last && best.is_along_rows)
}

/// Two members in the place of a band's last two, the second in a band of its own.
fn points(node: ScheduleNode, band: Band, outer: &UnionPwAff, inner: &UnionPwAff) -> Result<ScheduleNode> {
    let mut members = band.members;
    members.truncate(members.len() - 2);
    members.push(outer.clone());
    // Coincident, but too short for threads.
    let inner = Band { members: vec![inner.clone()], coincident: vec![false], permutable: true }.replace(node)?;
    let coincident = vec![false; members.len()];
    Band { members, coincident, permutable: true }.insert(insert_mark(inner, &Mark::Point)?)
}
