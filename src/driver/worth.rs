//! When a layout pays: the model's formula for sizes that are known when the program runs.

use super::refusal::Refusal;
use crate::codegen::{self, Expr};
use crate::cost::{cost_of_large_copy, kept_near};
use crate::isl::{self, DimType, PwAff, Schedule, Set, Val};
use crate::layout::{Applied, SizeCondition, Term, on_stack};
use crate::machine::Machine;
use crate::scop::{Array, Role, Scop, Statement};
use std::collections::BTreeSet;

/// The operations that a buffer takes that is not on the stack, whatever its size: to allocate it, to look whether it is
/// there, to free it, and to look whether it pays. Measured: code with one or three of them loses about a microsecond.
const BUFFER: u64 = 2000;

/// The same of a buffer on the stack, which is always there: a tenth, as it may take the place of other lines in the
/// nearest cache. Measured: nothing that could be told from the time for the copies.
const ON_STACK: u64 = 200;

/// The operations that have to be saved at least where something is copied, or threads gather partial results, some hundred
/// microseconds: what is shorter is in the nearest cache, where another layout is seldom better and processors do much at a time, and
/// may be called again and again. Measured: a product of complex numbers of 24 by 24, which is predicted to save more than
/// 200,000, takes as many cycles as a tenth of that, and loses a tenth of its time.
const LEAST_SAVED: u64 = 500_000;

/// Predictions may be wrong by as much: what is gained has to be so many times what copies and buffers cost. Measured: a
/// million particles in 20 steps are predicted to gain twice what they cost, and lose, as what one waits for is done for others
/// meanwhile.
const CAUTION: u64 = 3;

/// The statements of a tree that count, with the cost of an instance of each.
type Parts<'s> = [(&'s Statement, u64)];

/// When a region with a layout that costs `after` is better than the one that costs `before` without it: what the
/// statements gain that run most often has to be at least what copies, buffers and the gathering of partial results cost,
/// in the units of [`crate::cost::cost`].
pub(super) fn worth(
    applied: &Applied,
    before: &Parts<'_>,
    after: &Parts<'_>,
    machine: &Machine,
) -> Result<SizeCondition, Refusal> {
    let number = |cost: u64| i64::try_from(cost).unwrap_or(i64::MAX);
    let mut terms = Vec::new();
    let is_renumbered = !applied.reduced.is_empty();
    for (statement, cost) in after {
        let is_extra = statement.reduction.is_some_and(|one| one.role != Role::Update);
        let each = if statement.copy || is_extra {
            let large = cost_of_large_copy(&applied.scop, statement, machine)?;
            -number(cost.saturating_add(large).saturating_mul(CAUTION))
        } else {
            let part = applied.part_of(&statement.name);
            let whole = part.map_or(&statement.name, |(whole, _)| &applied.scop.statement(whole).name);
            let known = before.iter().find(|(other, _)| other.name == *whole);
            match (known, is_renumbered) {
                (Some((_, without)), _) => {
                    let saved = number(*without).saturating_sub(number(*cost)) / i64::from(statement.parts.max(1));
                    if let Some((_, iterations)) = part {
                        terms.push(pivots(lengths(&applied.scop, &statement.domain)?, saved, iterations));
                    }
                    saved
                }
                // It runs so seldom that it did not count.
                (None, true) => 0,
                (None, false) => return Err(Refusal::new("a statement is missing")),
            }
        };
        terms.push(Term { lengths: lengths(&applied.scop, &statement.domain)?, each });
    }
    let buffers: BTreeSet<usize> = applied.placed.iter().map(|place| place.field).collect();
    let copies = if is_renumbered || after.iter().any(|(statement, _)| statement.copy) { LEAST_SAVED } else { 0 };
    let is_small = on_stack(buffers.iter().map(|&field| &applied.scop.arrays[field]))?;
    let made: u64 = is_small.into_iter().map(|is_small| if is_small { ON_STACK } else { BUFFER }).sum();
    let least = CAUTION.saturating_mul(made).max(copies);
    // An operation is 64 units, and the unit is that of all cores.
    let least = least.saturating_mul(64).saturating_mul(machine.cores.into());
    Ok(SizeCondition { terms, least: number(least) })
}

/// What is not saved in a box of instances, of so much each, where right-looking order takes so many iterations of the outermost loop at a
/// time: for each other loop, as many of its iterations are pivots, and run as before.
fn pivots(lengths: Vec<Expr>, saved: i64, iterations: i64) -> Term {
    let lengths: Vec<Expr> = lengths.into_iter().skip(1).collect();
    let loops = i64::try_from(lengths.len()).unwrap_or(i64::MAX);
    Term { lengths, each: saved.max(0).saturating_mul(iterations).saturating_mul(loops).saturating_neg() }
}

/// The sizes for which arrays of a layout stay near that are taken to ([`kept_near`]): with all others of them they fit into the
/// cache that a core has for itself. `None` where there are none.
pub(super) fn stays_near(
    applied: &Applied,
    tree: &Schedule,
    machine: &Machine,
) -> Result<Option<SizeCondition>, Refusal> {
    let kept = kept_near(&applied.scop, tree, machine)?;
    let condition = within(applied, |array| kept.contains(array.name.as_str()), machine.own_cache())?;
    Ok((!condition.terms.is_empty()).then_some(condition))
}

/// The sizes for which all arrays of a layout take at most so many bytes together. `None` where they always do.
pub(super) fn fits(applied: &Applied, most_bytes: u64) -> Result<Option<SizeCondition>, Refusal> {
    let condition = within(applied, |_| true, most_bytes)?;
    match condition.known() {
        None => Ok(Some(condition)),
        Some(true) => Ok(None),
        Some(false) => Err(Refusal::new("its arrays take too much memory")),
    }
}

/// The sizes for which some arrays of a layout take at most so many bytes together.
fn within(applied: &Applied, wanted: impl Fn(&Array) -> bool, most_bytes: u64) -> Result<SizeCondition, Refusal> {
    let fields: BTreeSet<usize> = applied.placed.iter().map(|place| place.field).collect();
    let mut terms = Vec::new();
    for array in fields.into_iter().map(|field| &applied.scop.arrays[field]).filter(|array| wanted(array)) {
        let known =
            array.extent.iter().map(|extent| extent.clone().ok_or_else(|| Refusal::new("an array has no size")));
        let lengths = known.map(|extent| expression(&applied.scop, extent?)).collect::<Result<_, _>>()?;
        terms.push(Term { lengths, each: i64::from(array.element.bytes()) });
    }
    Ok(SizeCondition::at_most(terms, most_bytes))
}

/// The extents of the least box around a statement's instances `{ S[i] }`.
pub(super) fn lengths(scop: &Scop, instances: &Set) -> Result<Vec<Expr>, Refusal> {
    let domain = instances.clone().intersect_params(scop.context.clone())?;
    (0..domain.dim(DimType::SET)?).map(|dimension| expression(scop, length(domain.clone(), dimension)?)).collect()
}

/// How many values a dimension of a set has, from the least to the greatest.
pub(super) fn length(set: Set, dimension: usize) -> isl::Result<PwAff> {
    let dimension = i32::try_from(dimension).unwrap_or(i32::MAX);
    let greatest = set.clone().dim_max(dimension)?;
    let one = PwAff::val_on_domain(greatest.clone().domain()?, Val::int(set.ctx(), 1)?)?;
    greatest.sub(set.dim_min(dimension)?)?.add(one)
}

pub(super) fn expression(scop: &Scop, length: PwAff) -> Result<Expr, Refusal> {
    let known = length.clone().domain()?.intersect(scop.context.clone())?;
    let simple = length.clone().gist(known)?.coalesce()?;
    if simple.isa_aff()? {
        return Ok(codegen::expression(scop, &simple)?);
    }
    // Where there are no instances, there is nothing to save.
    let nothing = length.clone().domain()?.complement()?;
    let zero = PwAff::val_on_domain(nothing, Val::int(scop.ctx(), 0)?)?;
    let everywhere: isl::Result<PwAff> = length.union_add(zero)?.gist(scop.context.clone())?.coalesce();
    Ok(codegen::expression(scop, &everywhere?)?)
}
