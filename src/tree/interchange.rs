//! The order of the members of a band that suits caches and vectors best: intra-tile reordering (Pluto paper, section
//! 5.4; unified report, section 2.3, formula 2).

use super::Mark;
use super::band::{Band, has_band_below, is_over_tiles, marks_above, point_members, point_members_above, tuple};
use crate::isl::{DimType, Map, NodeType, Result, Schedule, ScheduleNode, Set, UnionMap, UnionPwAff, UnionSet};
use crate::machine::Machine;
use crate::scop::{Access, AccessKind, Scop, Statement};

/// Strides, in elements, that count as spatial locality.
const STRIDES: std::ops::RangeInclusive<i32> = 1..=4;

/// What makes a member the innermost one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// Formula (2) as the unified report has it: memory alone.
    Memory,
    /// The same, but a loop along which an operation waits for the one before is worth less.
    Latency {
        /// The operations that could have been done meanwhile.
        operations: u32,
    },
}

impl Formula {
    /// Memory and the latency of a machine.
    pub fn of(machine: &Machine) -> Formula {
        Formula::Latency { operations: machine.latency }
    }
}

/// [`interchange_by`] memory and latency.
pub fn interchange(scop: &Scop, schedule: &Schedule, machine: &Machine) -> Result<Schedule> {
    interchange_by(scop, schedule, Formula::of(machine))
}

/// Puts the member with the most locality innermost in every permutable band of points, and in every permutable band
/// that is not tiled and has no band below it. In a band of points those members come next that leave in place what is
/// updated.
///
/// A band that is not tiled is left alone when the change would cost it its outermost coincident member.
pub fn interchange_by(scop: &Scop, schedule: &Schedule, formula: Formula) -> Result<Schedule> {
    let mut rewrite = |node: ScheduleNode| {
        if node.node_type()? == NodeType::Band { reorder_band(scop, node, formula) } else { Ok(node) }
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

fn reorder_band(scop: &Scop, node: ScheduleNode, formula: Formula) -> Result<ScheduleNode> {
    let band = Band::read(&node)?;
    let marks = marks_above(&node)?;
    let is_point = marks.contains(&Mark::Point);
    if !band.permutable || band.members.len() < 2 || is_over_tiles(&node)? || !is_point && has_band_below(&node)? {
        return Ok(node);
    }
    let innermost = best_innermost(scop, &node, &band, formula)?;
    let last = band.members.len() - 1;
    let mut order: Vec<usize> = (0..=last).filter(|i| *i != innermost.member).collect();
    if is_point {
        // A tile's accumulators stay in registers while the next loop updates them.
        order.sort_by_key(|i| innermost.updating.contains(i));
    }
    order.push(innermost.member);
    let loses_parallelism = band.coincident[0] && !band.coincident[order[0]];
    if order.is_sorted() || !is_point && loses_parallelism {
        return Ok(node);
    }
    Band {
        members: order.iter().map(|i| band.members[*i].clone()).collect(),
        coincident: order.iter().map(|i| band.coincident[*i]).collect(),
        permutable: true,
    }
    .replace(node)
}

/// What suits the innermost place of a band.
pub(super) struct Innermost {
    /// The member.
    pub member: usize,
    /// Every access stays or walks along a row.
    pub is_along_rows: bool,
    /// The members that leave in place what is updated.
    pub updating: Vec<usize>,
    /// All members, from the one that suits it best to the one that suits it least.
    pub ranking: Vec<usize>,
}

/// The member with the greatest value of the formula; of equals a coincident one, which makes vectors (Pluto paper,
/// section 5.4), and of those the innermost.
pub(super) fn best_innermost(scop: &Scop, node: &ScheduleNode, band: &Band, formula: Formula) -> Result<Innermost> {
    let mut scores = vec![Score::default(); band.members.len()];
    let above = point_members_above(node)?;
    for (leaf, below) in leaves_below(node)? {
        for statement in &scop.statements {
            let domain = statement.domain.clone().to_union_set()?.intersect(leaf.clone())?;
            if domain.is_empty()? {
                continue;
            }
            // Only equalities matter for strides.
            let domain = domain.affine_hull()?;
            for (j, score) in scores.iter_mut().enumerate() {
                let others = band.members.iter().enumerate().filter(|(i, _)| *i != j).map(|(_, member)| member);
                let others: Vec<UnionPwAff> = above.iter().chain(others).chain(&below).cloned().collect();
                if let Some(step) = unit_step(&domain, &others, &band.members[j])? {
                    score.add(statement, &step)?;
                }
            }
        }
    }
    let values: Vec<i64> = scores.iter().map(|score| score.value(formula)).collect();
    let mut ranking: Vec<usize> = (0..values.len()).collect();
    ranking.sort_by_key(|i| std::cmp::Reverse((values[*i], band.coincident[*i], *i)));
    let member = ranking.first().copied().unwrap_or(0);
    let updating = (0..values.len()).filter(|i| scores[*i].chains > 0).collect();
    Ok(Innermost { member, is_along_rows: scores[member].neither == 0, updating, ranking })
}

/// The sums of the formula for one member.
#[derive(Debug, Clone, Default)]
struct Score {
    statements: i64,
    spatial: i64,
    temporal: i64,
    neither: i64,
    /// Written elements that the next iteration updates again: a chain of operations that wait for each other.
    chains: i64,
}

/// What a chain of updates costs in the formula, which does not know of it: without leave to reassociate, iterations
/// that update one element run at the latency of an operation, one at a time, while those of any other loop overlap or
/// make vectors. Each operation that could have been done meanwhile counts as much as a vector gains. With a latency of
/// 4 the 32 outweigh an access without locality along the other loop.
fn chain(formula: Formula) -> i64 {
    match formula {
        Formula::Memory => 0,
        Formula::Latency { operations } => VECTOR * i64::from(operations),
    }
}

/// What a loop that makes vectors gains in the formula.
const VECTOR: i64 = 8;

impl Score {
    /// `n_s * (sum (2 s + 4 l - 16 o) + 8 v - chain c)`, the last term our own.
    fn value(&self, formula: Formula) -> i64 {
        let chains = if formula == Formula::Memory { 0 } else { self.chains };
        let vector = i64::from(self.neither == 0 && chains == 0);
        let accesses = 2 * self.spatial + 4 * self.temporal - 16 * self.neither;
        self.statements * (accesses + VECTOR * vector - chain(formula) * chains)
    }

    /// Adds a statement for which the member is a loop; `step` is `{ S[i] -> S[i'] }`.
    fn add(&mut self, statement: &Statement, step: &UnionMap) -> Result<()> {
        self.statements += 1;
        for access in statement.accesses.iter().filter(|a| a.kind != AccessKind::Kill) {
            match step_locality(access, step)? {
                Some(Locality::Temporal) => {
                    self.temporal += 1;
                    self.chains += i64::from(is_update(statement, access)?);
                }
                Some(Locality::Spatial) => self.spatial += 1,
                Some(Locality::None) => self.neither += 1,
                None => {}
            }
        }
        Ok(())
    }
}

/// The access writes what the statement reads.
pub(super) fn is_update(statement: &Statement, access: &Access) -> Result<bool> {
    if access.kind == AccessKind::Read {
        return Ok(false);
    }
    for read in statement.accesses.iter().filter(|a| a.kind == AccessKind::Read) {
        if read.relation.is_equal(&access.relation)? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Locality {
    /// The same element.
    Temporal,
    /// A near element of the last dimension.
    Spatial,
    /// Neither.
    None,
}

/// From the element of an access to the one after a step `{ S[i] -> S[i'] }`: `{ A[a] -> A[a'] }`.
pub(super) fn moves(access: &Access, step: &UnionMap) -> Result<UnionMap> {
    let elements = access.relation.clone().to_union_map()?;
    step.clone().apply_domain(elements.clone())?.apply_range(elements)
}

/// What a step `{ S[i] -> S[i'] }` does to an access; `None` when it never leads from an access to another.
pub(super) fn step_locality(access: &Access, step: &UnionMap) -> Result<Option<Locality>> {
    let moves = moves(access, step)?;
    if moves.is_empty()? { Ok(None) } else { locality(&moves.as_map()?).map(Some) }
}

/// What a step does to an access: `moves` is `{ A[a] -> A[a'] }`.
fn locality(moves: &Map) -> Result<Locality> {
    let deltas = moves.clone().deltas()?;
    let rank = deltas.dim(DimType::SET)?;
    let fix = |set: Set, dims: usize| (0..dims).try_fold(set, |set, i| set.fix_si(DimType::SET, i, 0));
    let universe = Set::universe(deltas.space()?)?;
    if deltas.is_subset(&fix(universe.clone(), rank)?)? {
        return Ok(Locality::Temporal);
    }
    if rank > 0 {
        for stride in STRIDES {
            let row = fix(universe.clone(), rank - 1)?.fix_si(DimType::SET, rank - 1, stride)?;
            if deltas.is_subset(&row)? {
                return Ok(Locality::Spatial);
            }
        }
    }
    Ok(Locality::None)
}

/// Pairs of instances one apart along `member` and equal along the others: `{ S[i] -> S[i'] }`; `None` when there are
/// none, that is when the member is no loop for the statement.
pub(super) fn unit_step(domain: &UnionSet, others: &[UnionPwAff], member: &UnionPwAff) -> Result<Option<UnionMap>> {
    let ctx = domain.ctx();
    let mut functions = others.to_vec();
    functions.push(member.clone());
    let times = UnionMap::from_multi_union_pw_aff(tuple(ctx, &functions)?.intersect_domain(domain.clone())?)?;
    if times.is_empty()? {
        return Ok(None);
    }
    let names: Vec<String> = (0..functions.len()).map(|i| format!("t{i}")).collect();
    let list = names.join(", ");
    let next = Map::parse(ctx, &format!("{{ [{list}] -> [{list} + 1] }}"))?.to_union_map()?;
    let step = times.clone().apply_range(next)?.apply_range(times.reverse()?)?;
    Ok(if step.is_empty()? { None } else { Some(step) })
}

/// The leaves under a node: the instances that reach each and the members on the way, without those over tiles.
pub(super) fn leaves_below(node: &ScheduleNode) -> Result<Vec<(UnionSet, Vec<UnionPwAff>)>> {
    let mut leaves = Vec::new();
    for child in node.children()? {
        if child.node_type()? == NodeType::Leaf {
            leaves.push((child.domain()?, Vec::new()));
            continue;
        }
        let members = point_members(&child)?;
        for (domain, mut below) in leaves_below(&child)? {
            below.extend(members.iter().cloned());
            leaves.push((domain, below));
        }
    }
    Ok(leaves)
}
