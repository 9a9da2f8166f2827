//! The effect of one step of a loop on an access: the same element, one near it in its row, or another.

use super::direction::{Equations, Told};
use crate::isl::{BasicMap, ConstraintRows, DimType, Map, Result, Set, UnionMap, UnionPwAff, UnionSet};
use crate::schedule_tree::band::tuple;
use crate::scop::{Access, AccessKind, Array, Statement};
use std::cell::OnceCell;

/// The longest step, in elements, that counts as near: as many vectors are shuffled into one.
pub(super) const LONGEST_STEP: i64 = 4;

/// From an iteration of a loop to the next one.
pub(super) struct Step {
    /// How instances differ, if that is known and the same for all.
    direction: Option<Vec<i64>>,
    /// The instances that it may start from and lead to: `{ S[i] }`.
    instances: UnionSet,
    /// `{ S[i] -> S[i'] }`, once that was asked for.
    pairs: OnceCell<UnionMap>,
}

impl Step {
    /// A step by pairs `{ S[i] -> S[i'] }`.
    pub fn by_pairs(instances: UnionSet, pairs: UnionMap) -> Step {
        Step { direction: None, instances, pairs: OnceCell::from(pairs) }
    }

    /// `{ S[i] -> S[i'] }`
    fn pairs(&self) -> Result<&UnionMap> {
        if let Some(pairs) = self.pairs.get() {
            return Ok(pairs);
        }
        let pairs = translation(&self.instances, self.direction.as_deref().unwrap_or_default())?;
        Ok(self.pairs.get_or_init(|| pairs))
    }

    /// How an access's subscripts change, if that is the same everywhere.
    fn change(&self, access: &Access) -> Result<Option<Vec<i64>>> {
        let Some(direction) = &self.direction else { return Ok(None) };
        Ok(match Equations::of_access(&access.relation)?.map(|equations| equations.solve(direction)) {
            Some(Told::One(change)) => Some(change),
            _ => None,
        })
    }
}

/// From each of some instances of a statement to that which differs from it by a vector: `{ S[i] -> S[i + d] }`.
fn translation(instances: &UnionSet, direction: &[i64]) -> Result<UnionMap> {
    let set = instances.clone().as_set()?;
    let space = set.space()?.map_from_set()?;
    let (parameters, depth) = (space.dim(DimType::Param)?, direction.len());
    let row = |(k, difference): (usize, &i64)| {
        let mut row = vec![0; 1 + parameters + 2 * depth];
        (row[0], row[1 + parameters + k], row[1 + parameters + depth + k]) = (*difference, 1, -1);
        row
    };
    let equalities = direction.iter().enumerate().map(row).collect();
    let rows = ConstraintRows { equalities, inequalities: Vec::new() };
    let all = BasicMap::from_constraint_rows(space, &rows)?.to_map()?;
    all.intersect_domain(set.clone())?.intersect_range(set)?.to_union_map()
}

/// What an access is to its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It writes what the statement reads, so many operations later.
    Update {
        /// The read's delay.
        delay: u32,
    },
    /// Any other.
    Plain,
}

/// The role of an access of a statement.
pub(super) fn role(statement: &Statement, access: &Access) -> Result<Role> {
    if access.kind == AccessKind::Read {
        return Ok(Role::Plain);
    }
    for read in statement.accesses.iter().filter(|a| a.kind == AccessKind::Read) {
        if read.relation.is_equal(&access.relation)? {
            return Ok(Role::Update { delay: read.delay });
        }
    }
    Ok(Role::Plain)
}

impl Role {
    /// It writes what the statement reads.
    pub fn is_update(self) -> bool {
        matches!(self, Role::Update { .. })
    }
}

/// How many operations an iteration waits for where a step leads to one that reads, by another reference than it writes it
/// by, what the one before has written; `None` where none does.
pub(super) fn wait(statement: &Statement, step: &Step) -> Result<Option<u32>> {
    let mut longest = None;
    for write in statement.accesses.iter().filter(|access| access.kind.is_write()) {
        let mut written = None;
        for read in statement.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
            if read.array()? != write.array()? || read.relation.is_equal(&write.relation)? {
                continue;
            }
            let written = match &written {
                Some(written) => written,
                None => &*written.insert(step.pairs()?.clone().apply_domain(write.relation.clone().to_union_map()?)?),
            };
            // { A[a] -> A[a'] } from what is written to what the next iteration reads
            let apart = written.clone().apply_range(read.relation.clone().to_union_map()?)?;
            if !apart.is_empty()? && is_in_place(&apart.as_map()?.deltas()?)? {
                longest = longest.max(Some(read.delay));
            }
        }
    }
    Ok(longest)
}

/// A step changes several subscripts of an access.
pub(super) fn is_diagonal(access: &Access, step: &Step) -> Result<bool> {
    if let Some(change) = step.change(access)? {
        return Ok(change.iter().filter(|entry| **entry != 0).count() > 1);
    }
    let moves = moves(access, step.pairs()?)?;
    if moves.is_empty()? {
        return Ok(false);
    }
    let deltas = moves.deltas()?.as_set()?;
    let mut changed = 0;
    for dimension in 0..deltas.dim(DimType::SET)? {
        let stays = deltas.is_subset(&Set::universe(deltas.space()?)?.fix_si(DimType::SET, dimension, 0)?)?;
        changed += usize::from(!stays);
    }
    Ok(changed > 1)
}

/// Differences of subscripts `{ A[a' - a] }` are all zero.
fn is_in_place(deltas: &Set) -> Result<bool> {
    let rank = deltas.dim(DimType::SET)?;
    let zero = (0..rank).try_fold(Set::universe(deltas.space()?)?, |set, i| set.fix_si(DimType::SET, i, 0))?;
    deltas.is_subset(&zero)
}

/// Where a step leads an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locality {
    /// The same element.
    Temporal,
    /// The next element of the last dimension.
    Spatial,
    /// An element so many further on, in its row or in one of the short rows behind it: the same member of the next
    /// structure.
    Strided(u32),
    /// Neither.
    None,
}

/// From the element of an access to the one after a step `{ S[i] -> S[i'] }`: `{ A[a] -> A[a'] }`.
pub(super) fn moves(access: &Access, step: &UnionMap) -> Result<UnionMap> {
    let elements = access.relation.clone().to_union_map()?;
    step.clone().apply_domain(elements.clone())?.apply_range(elements)
}

/// What a step does to an access to an array; `None` when it never leads from an access to another.
pub(super) fn step_locality(array: &Array, access: &Access, step: &Step) -> Result<Option<Locality>> {
    if let Some(change) = step.change(access)? {
        return locality_of(array, &change).map(Some);
    }
    let moves = moves(access, step.pairs()?)?;
    if moves.is_empty()? { Ok(None) } else { locality(array, &moves.as_map()?).map(Some) }
}

/// What a step does to an access whose subscripts change by this.
fn locality_of(array: &Array, change: &[i64]) -> Result<Locality> {
    let is =
        |last: i64| change.split_last().is_some_and(|(l, rest)| *l == last && rest.iter().all(|entry| *entry == 0));
    if change.is_empty() || is(0) {
        return Ok(Locality::Temporal);
    }
    if is(1) {
        return Ok(Locality::Spatial);
    }
    let known = |dimension: usize| Ok(change.get(dimension).map(|entry| i128::from(*entry)));
    Ok(further_on(array, known)?.map_or(Locality::None, Locality::Strided))
}

/// What a step does to an access: `moves` is `{ A[a] -> A[a'] }`.
fn locality(array: &Array, moves: &Map) -> Result<Locality> {
    let deltas = moves.clone().deltas()?;
    let rank = deltas.dim(DimType::SET)?;
    if is_in_place(&deltas)? {
        return Ok(Locality::Temporal);
    }
    let fix = |set: Set, dims: usize| (0..dims).try_fold(set, |set, i| set.fix_si(DimType::SET, i, 0));
    let universe = Set::universe(deltas.space()?)?;
    if rank > 0 && deltas.is_subset(&fix(universe, rank - 1)?.fix_si(DimType::SET, rank - 1, 1)?)? {
        return Ok(Locality::Spatial);
    }
    let known = |dimension: usize| {
        let position = i32::try_from(dimension).unwrap_or(i32::MAX);
        let (least, greatest) = (deltas.clone().dim_min_val(position)?, deltas.clone().dim_max_val(position)?);
        if !least.is_int()? || !greatest.is_int()? {
            return Ok(None);
        }
        let difference = least.to_i128()?;
        Ok((difference == greatest.to_i128()?).then_some(difference))
    };
    Ok(further_on(array, known)?.map_or(Locality::None, Locality::Strided))
}

/// How many elements further on a step leads, if that is always as many and not far; `change` says how a subscript changes, if that is
/// always the same.
fn further_on(array: &Array, change: impl Fn(usize) -> Result<Option<i128>>) -> Result<Option<u32>> {
    let (mut step, mut size) = (0i128, 1i128);
    for dimension in (0..array.rank()).rev() {
        let Some(difference) = change(dimension)? else { return Ok(None) };
        if difference != 0 && size > i128::from(LONGEST_STEP) {
            return Ok(None);
        }
        step += difference.saturating_mul(size);
        // Where it is not known how long rows are, only what is in one is near.
        let length = array.known_extent(dimension)?.map_or(i128::MAX, i128::from);
        size = size.saturating_mul(length.max(1));
    }
    Ok((1..=i128::from(LONGEST_STEP)).contains(&step).then(|| u32::try_from(step).unwrap_or(u32::MAX)))
}

/// All loops around a statement, in any order.
pub(super) struct Loops<'l> {
    /// `{ S[i] }`
    domain: &'l UnionSet,
    /// `{ S[i] -> [(t)] }` each.
    functions: &'l [UnionPwAff],
    /// The instances that have a time in all of them, and what says how these differ.
    equations: Option<(UnionSet, Equations)>,
}

impl<'l> Loops<'l> {
    /// Those with these functions, around instances of one statement, which are those of an affine hull.
    pub fn new(domain: &'l UnionSet, functions: &'l [UnionPwAff]) -> Result<Self> {
        let mut equations = None;
        if !functions.is_empty() {
            let times = tuple(domain.ctx(), functions)?.intersect_domain(domain.clone())?;
            let times = UnionMap::from_multi_union_pw_aff(times)?;
            if times.n_map()? == 1 && !times.is_empty()? {
                let found = Equations::of_times(&times.clone().as_map()?)?;
                equations = found.map(|found| Ok((times.domain()?, found))).transpose()?;
            }
        }
        Ok(Loops { domain, functions, equations })
    }

    /// From instances to those one apart along a loop and equal along the others; `None` when there are none, that is when it is no loop
    /// for the statement.
    pub fn step(&self, number: usize) -> Result<Option<Step>> {
        if let Some((instances, equations)) = &self.equations {
            let next: Vec<i64> = (0..self.functions.len()).map(|i| i64::from(i == number)).collect();
            match equations.solve(&next) {
                Told::One(direction) => {
                    let (direction, instances) = (Some(direction), instances.clone());
                    return Ok(Some(Step { direction, instances, pairs: OnceCell::new() }));
                }
                Told::None => return Ok(None),
                Told::Nothing => {}
            }
        }
        let pairs = unit_step(self.domain, &self.others(number), &self.functions[number])?;
        Ok(pairs.map(|pairs| Step::by_pairs(self.domain.clone(), pairs)))
    }

    /// All loops but one.
    pub fn others(&self, number: usize) -> Vec<UnionPwAff> {
        let others = self.functions.iter().enumerate().filter(|(i, _)| *i != number);
        others.map(|(_, other)| other.clone()).collect()
    }
}

/// Pairs of instances one apart along `member` and equal along the others: `{ S[i] -> S[i'] }`; `None` when there are
/// none, that is when the member is no loop for the statement.
fn unit_step(domain: &UnionSet, others: &[UnionPwAff], member: &UnionPwAff) -> Result<Option<UnionMap>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::Ctx;
    use crate::scop::Scop;
    use std::path::Path;

    /// Functions of a statement's iterators: in order, skewed, around tiles, over every second instance, and all but the first.
    fn functions(statement: &Statement, depth: usize) -> Vec<Vec<UnionPwAff>> {
        let names: Vec<String> = (0..depth).map(|i| format!("i{i}")).collect();
        let skewed: Vec<String> = (0..depth).map(|i| names[..=i].join(" + ")).collect();
        let tiled = |name: &String| [format!("32 * floor({name}/32)"), name.clone()];
        let doubled = |name: &String| format!("2 * {name}");
        let all = [
            names.clone(),
            skewed,
            names.iter().flat_map(tiled).collect(),
            names.iter().map(doubled).collect(),
            names.iter().skip(1).cloned().collect(),
        ];
        let (ctx, tuple) = (statement.domain.ctx(), format!("{}[{}]", statement.name, names.join(", ")));
        let parse = |text: &String| UnionPwAff::parse(ctx, &format!("{{ {tuple} -> [({text})] }}")).unwrap();
        all.iter().map(|texts| texts.iter().map(parse).collect()).collect()
    }

    /// How many steps, and what they do to accesses, were told by coefficients, of how many.
    fn compare(scop: &Scop, statement: &Statement) -> [usize; 4] {
        let [mut told, mut all, mut changes, mut accesses] = [0; 4];
        let domain = statement.domain.clone().to_union_set().unwrap().affine_hull().unwrap();
        let depth = statement.domain.dim(DimType::SET).unwrap();
        for functions in functions(statement, depth) {
            let loops = Loops::new(&domain, &functions).unwrap();
            for (number, member) in functions.iter().enumerate() {
                let exact = unit_step(&domain, &loops.others(number), member).unwrap();
                let found = loops.step(number).unwrap();
                assert_eq!(found.is_some(), exact.is_some(), "{}", statement.name);
                let (Some(found), Some(exact)) = (found, exact) else { continue };
                (told, all) = (told + usize::from(found.direction.is_some()), all + 1);
                assert!(found.pairs().unwrap().is_equal(&exact).unwrap(), "{}: {exact}", statement.name);
                let exact = Step::by_pairs(domain.clone(), exact);
                for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
                    let array = scop.array_of(access).unwrap();
                    let of = |step: &Step| {
                        let locality = step_locality(array, access, step).unwrap();
                        (locality, is_diagonal(access, step).unwrap(), wait(statement, step).unwrap())
                    };
                    assert_eq!(of(&found), of(&exact), "{} {}", statement.name, access.relation);
                    accesses += 1;
                    changes += usize::from(found.change(access).unwrap().is_some());
                }
            }
        }
        [told, all, changes, accesses]
    }

    #[test]
    fn coefficients_tell_what_sets_tell() {
        let mut counts = [0; 4];
        for folder in ["test/polybench/scop", "test/scop/basic"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            for file in std::fs::read_dir(folder).unwrap() {
                let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
                let Ok(scop) = Scop::parse(&Ctx::new(), &text) else { continue };
                for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
                    let found = compare(&scop, statement);
                    counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
                }
            }
        }
        let [told, all, changes, accesses] = counts;
        assert!(all > 500 && told * 2 > all, "{told} of {all}");
        assert!(changes * 2 > accesses, "{changes} of {accesses}");
    }
}
