//! The sizes that a layout is for, where a region would do something else for others: access arrays outside of their
//! extents, or read what it did not write. Nobody has such sizes, mostly none or one where a loop leaves out borders, but
//! nothing says so. New code looks at the sizes, and leaves these to the original.
//!
//! A size that is excluded costs a comparison, so only a least or greatest value of one parameter is asked for, and none
//! that programs do not have.

use super::legality::{Moved, universe};
use crate::isl::{self, DimType, Set};
use crate::scop::{AccessKind, Array, Scop, below};

/// Programs have sizes from this one on, for all that is known here.
const LARGE: i64 = 64;

/// Arrays are for sizes up to this one at least.
const SMALL: i64 = 16;

/// A bound on a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizeBound {
    /// The parameter, by its position in the region's context.
    pub parameter: usize,
    /// Whether the bound is its least or its greatest value.
    pub side: Side,
    /// The bound.
    pub value: i64,
}

/// A side of what a parameter may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// At least the bound.
    Least,
    /// At most the bound.
    Most,
}

/// The bounds on sizes for which some arrays, by their positions, are accessed within their extents, and those that nobody
/// sees outside of the region are written before they are read. None where nothing is excluded, or cannot be by bounds.
pub(super) fn size_bounds(scop: &Scop, arrays: &[usize]) -> isl::Result<Vec<SizeBound>> {
    let mut all = Vec::new();
    let mut inside = scop.clone();
    if !exclude(&mut inside, outside(scop, arrays)?, &mut all)? {
        return Ok(Vec::new());
    }
    let mut own = Vec::new();
    for &array in arrays {
        if !scop.is_seen_after(&scop.arrays[array])? {
            own.push(array);
        }
    }
    let exposed = Moved::of(&inside, own.into_iter())?.exposed()?;
    // Without it there is a layout all the same, maybe another one.
    exclude(&mut inside, exposed, &mut all)?;
    all.sort_unstable();
    Ok(all)
}

/// The region for these sizes alone.
pub(super) fn restricted(scop: &Scop, sizes: &[SizeBound]) -> isl::Result<Scop> {
    let mut context = scop.context.clone();
    for SizeBound { parameter, side, value } in sizes {
        let value = isl::Val::int(scop.ctx(), *value)?;
        context = match side {
            Side::Least => context.lower_bound_val(DimType::Param, *parameter, value)?,
            Side::Most => context.upper_bound_val(DimType::Param, *parameter, value)?,
        };
    }
    Ok(Scop { context, ..scop.clone() })
}

/// Leaves sizes `[p] -> { : ... }` out by bounds for which the region still does something; whether it could.
fn exclude(scop: &mut Scop, sizes: Set, all: &mut Vec<SizeBound>) -> isl::Result<bool> {
    let sizes = sizes.intersect(scop.context.clone())?.coalesce()?;
    let mut inside = scop.clone();
    let mut found = Vec::new();
    for part in sizes.basic_set_list()?.to_vec()? {
        let mut left = None;
        for bound in bounds_outside(&part.to_set()?)? {
            let candidate = restricted(&inside, &[bound])?;
            if !candidate.domain()?.intersect_params(candidate.context.clone())?.is_empty()? {
                left = Some((bound, candidate));
                break;
            }
        }
        let Some((bound, candidate)) = left else { return Ok(false) };
        found.push(bound);
        inside = candidate;
    }
    all.append(&mut found);
    *scop = inside;
    Ok(true)
}

/// Bounds that leave a part of sizes out: on a parameter that has only small values there, or else only large ones; of
/// several the one that excludes least.
fn bounds_outside(part: &Set) -> isl::Result<Vec<SizeBound>> {
    let (mut least, mut most): (Option<SizeBound>, Option<SizeBound>) = (None, None);
    for parameter in 0..part.dim(DimType::Param)? {
        let values = part.clone().from_params()?.move_dims(DimType::SET, 0, DimType::Param, parameter, 1)?;
        let number = |value: isl::Val| -> isl::Result<Option<i64>> {
            Ok(if value.is_int()? { i64::try_from(value.to_i128()?).ok() } else { None })
        };
        let behind = number(values.clone().dim_max_val(0)?)?.and_then(|value| value.checked_add(1));
        if let Some(value) = behind.filter(|value| *value <= LARGE && least.is_none_or(|best| *value < best.value)) {
            least = Some(SizeBound { parameter, side: Side::Least, value });
        }
        let before = number(values.dim_min_val(0)?)?.and_then(|value| value.checked_sub(1));
        if let Some(value) = before.filter(|value| *value >= SMALL && most.is_none_or(|best| *value > best.value)) {
            most = Some(SizeBound { parameter, side: Side::Most, value });
        }
    }
    Ok(least.into_iter().chain(most).collect())
}

/// The sizes for which some of the arrays are accessed outside of their extents.
fn outside(scop: &Scop, arrays: &[usize]) -> isl::Result<Set> {
    let mut sizes = Set::empty(scop.context.space()?)?;
    for &position in arrays {
        let array = &scop.arrays[position];
        let elements = within(scop, array)?;
        for statement in &scop.statements {
            for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
                if access.array()? == array.name {
                    let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
                    sizes = sizes.union(relation.range()?.subtract(elements.clone())?.params()?)?;
                }
            }
        }
    }
    Ok(sizes)
}

/// The elements of an array as far as its extents are known: `{ A[a] }`.
fn within(scop: &Scop, array: &Array) -> isl::Result<Set> {
    let mut elements = universe(scop, array)?;
    for (dimension, extent) in array.extent.iter().enumerate() {
        elements = match extent {
            Some(extent) => below(elements, dimension, extent.clone())?,
            None => elements.lower_bound_val(DimType::SET, dimension, isl::Val::int(scop.ctx(), 0)?)?,
        };
    }
    Ok(elements)
}
