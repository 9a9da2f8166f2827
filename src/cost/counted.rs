//! Which statements count in the cost of a region, and how much.

use crate::isl::{DimType, Result, Set};
use crate::scop::{Array, Role, Scop, Statement};

/// What a parameter is taken to be where the context allows it.
const TYPICAL: i32 = 1000;

/// What is only known to be no longer than something beyond this is not known.
const LONGEST: u64 = u32::MAX as u64;

/// A statement that counts.
pub(super) struct Counted<'s> {
    pub statement: &'s Statement,
    /// Its instances, for so many of the statements that run most often; as many where the two are said to be alike.
    instances: u64,
    of: u64,
}

impl Counted<'_> {
    /// The share of a cost for each instance of what runs most often.
    pub fn share(&self, cost: u64) -> u64 {
        let share = (u128::from(cost) * u128::from(self.instances)).div_ceil(u128::from(self.of.max(1)));
        u64::try_from(share).unwrap_or(u64::MAX)
    }
}

/// The statements that run most often: those with as many loops as any. Others run so much less often that they do not
/// count, but for copies of a layout: whether it pays depends on how often they run. Parts of a statement are taken to run
/// equally often. Where reductions have partial results,
/// the number of loops says nothing any more, and all statements count as often as they run.
pub(super) fn counted(scop: &Scop) -> Result<Vec<Counted<'_>>> {
    let is_work = |statement: &&Statement| !statement.is_kill() && !statement.copy;
    let is_split = |statement: &Statement| statement.reduction.is_some_and(|one| one.role == Role::Neutral);
    if scop.statements.iter().any(is_split) {
        return by_instances(scop);
    }
    let mut deepest = Vec::new();
    let mut most = 0;
    for statement in scop.statements.iter().filter(is_work) {
        let depth = statement.domain.dim(DimType::SET)?;
        if depth > most {
            deepest.clear();
            most = depth;
        }
        if depth == most {
            deepest.push(Counted { statement, instances: 1, of: statement.parts.max(1).into() });
        }
    }
    let copies: Vec<&Statement> = scop.statements.iter().filter(|statement| statement.copy).collect();
    if copies.is_empty() {
        return Ok(deepest);
    }
    let sizes = typical_sizes(scop)?;
    let mut of = 0;
    for work in &deepest {
        of = of.max(instances(work.statement, &sizes)?);
    }
    for statement in copies {
        deepest.push(Counted { statement, instances: instances(statement, &sizes)?, of });
    }
    Ok(deepest)
}

/// All statements, by how often they run.
fn by_instances(scop: &Scop) -> Result<Vec<Counted<'_>>> {
    let sizes = typical_sizes(scop)?;
    let mut all = Vec::new();
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        all.push(Counted { statement, instances: instances(statement, &sizes)?, of: 1 });
    }
    let of = all.iter().filter(|one| !one.statement.copy).map(|one| one.instances).max().unwrap_or(1);
    all.iter_mut().for_each(|one| one.of = of);
    Ok(all)
}

/// How many instances a statement has, for sizes of which nothing is known.
pub(super) fn typical_instances(scop: &Scop, statement: &Statement) -> Result<u64> {
    instances(statement, &typical_sizes(scop)?)
}

/// How many elements an array has, for extents that are not known.
pub(super) fn typical_elements(array: &Array) -> Result<u64> {
    let mut elements = 1u64;
    for dimension in 0..array.rank() {
        elements = elements.saturating_mul(typical_extent(array, dimension)?);
    }
    Ok(elements)
}

/// How long a dimension of an array is, where that is not known.
pub(super) fn typical_extent(array: &Array, dimension: usize) -> Result<u64> {
    let known = array.used_extent(dimension)?.filter(|length| *length <= LONGEST);
    Ok(known.unwrap_or(TYPICAL.unsigned_abs().into()))
}

/// The bytes of these.
pub(super) fn typical_bytes(array: &Array) -> Result<u64> {
    Ok(typical_elements(array)?.saturating_mul(array.element.bytes().into()))
}

/// Values of the parameters: `[p] -> { : p = ... }`.
fn typical_sizes(scop: &Scop) -> Result<Set> {
    let mut sizes = scop.context.clone();
    for position in 0..sizes.dim(DimType::Param)? {
        let fixed = sizes.clone().fix_si(DimType::Param, position, TYPICAL)?;
        if !fixed.is_empty()? {
            sizes = fixed;
        }
    }
    Ok(sizes)
}

/// How many instances there are in the least box around them.
fn instances(statement: &Statement, sizes: &Set) -> Result<u64> {
    let domain = statement.domain.clone().intersect_params(sizes.clone())?;
    if domain.is_empty()? {
        return Ok(0);
    }
    let mut count = 1u64;
    for dimension in 0..i32::try_from(domain.dim(DimType::SET)?).unwrap_or(i32::MAX) {
        let (least, greatest) = (domain.clone().dim_min_val(dimension)?, domain.clone().dim_max_val(dimension)?);
        let length = match least.is_int()? && greatest.is_int()? {
            true => greatest.to_i128()? - least.to_i128()? + 1,
            // There is no end to it, whatever the sizes.
            false => i128::from(TYPICAL),
        };
        count = count.saturating_mul(u64::try_from(length).unwrap_or(u64::MAX));
    }
    Ok(count)
}
