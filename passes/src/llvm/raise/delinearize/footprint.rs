//! The footprint of an array: the least and the greatest element that a region accesses, in terms of values from
//! outside.
//!
//! Subscripts other than the first are within their extents, so elements lie in memory in the lexicographic order of
//! their subscripts. The least element of a conjunction is found one subscript after the other: each is the greatest
//! of its lower bounds in the projection that drops the subscripts behind it, at the least values of those before it.
//! Projections are rational, so a bound may be taken that no integer point attains, but never one that cuts off an
//! integer point: what is found is the exact element where no divisions are involved, and one that is further out
//! where they are.

use std::collections::BTreeMap;

use polyrs_core::isl::{self, Set};

use super::shape::{Fitted, Stride};
use crate::llvm::raise::affine::assumptions::{Assumptions, Constraint, Domain};
use crate::llvm::raise::affine::polynomial::{Dim, Polynomial, Symbol};
use crate::llvm::raise::affine::sets;
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::refusal::{Reason, Step};

/// A bound on a subscript: the subscript times the divisor is at least, or at most, the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Positive.
    pub divisor: i128,
    /// An affine polynomial over values.
    pub values: Polynomial,
    /// The coefficients of the subscripts before this one.
    pub outer: Vec<i128>,
}

/// The least or the greatest element of a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corner {
    /// Affine polynomials over values, none of which is negative if an element is accessed.
    pub conditions: Vec<Polynomial>,
    /// For each subscript its bounds on the side of the corner.
    pub subscripts: Vec<Vec<Bound>>,
}

/// The elements of an array that are accessed lie between these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The least element is the least of these.
    pub least: Vec<Corner>,
    /// The greatest element is the greatest of these.
    pub most: Vec<Corner>,
}

/// One end of a footprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The least element.
    Least,
    /// The greatest element.
    Most,
}

/// More conjunctions are replaced by one that holds all of them.
pub const CORNERS: usize = 16;

/// The range of a value.
pub type RangeOf<'a> = &'a dyn Fn(ValueId) -> Option<(i64, i64)>;

impl Footprint {
    /// The first element of an array of one dimension.
    pub fn of_one() -> Self {
        let first = Bound { divisor: 1, values: Polynomial::default(), outer: Vec::new() };
        let corner = Corner { conditions: Vec::new(), subscripts: vec![vec![first]] };
        Self { least: vec![corner.clone()], most: vec![corner] }
    }

    /// The footprint of accesses to an array with inner extents, wherever they are within these.
    ///
    /// # Errors
    /// isl's.
    pub fn of(assumptions: &Assumptions, extents: &[Stride], fitted: &[Fitted]) -> Step<Self> {
        let corners = |end| -> Step<Vec<Corner>> {
            let mut found: Option<Set> = None;
            for access in outermost(fitted, end) {
                let image = image(assumptions, extents, access)?;
                found = Some(match found {
                    Some(others) => others.union(image)?,
                    None => image,
                });
            }
            let Some(found) = found else { return Ok(Vec::new()) };
            let mut found = found.coalesce()?;
            if found.n_basic_set()? > CORNERS {
                found = found.simple_hull()?.to_set()?;
            }
            let mut corners = Vec::new();
            for piece in found.basic_set_list()?.to_vec()? {
                if !piece.is_empty()? {
                    corners.push(corner(piece.to_set()?, extents.len() + 1, end)?);
                }
            }
            Ok(corners)
        };
        Ok(Self { least: corners(End::Least)?, most: corners(End::Most)? })
    }

    /// The greatest first subscript, as the ranges of values have it.
    pub fn last_row(&self, range: RangeOf<'_>) -> Option<i128> {
        self.most.iter().map(|corner| corner.last_row(range)).try_fold(0, |most, row| Some(most.max(row?)))
    }
}

impl Corner {
    /// The greatest first subscript, as the ranges of values have it.
    pub fn last_row(&self, range: RangeOf<'_>) -> Option<i128> {
        let bounds = self.subscripts.first()?.iter();
        bounds.filter_map(|bound| Some(interval(&bound.values, range)?.1.max(0) / bound.divisor)).min()
    }
}

/// The least and the greatest number that an affine polynomial over values may be; nothing if that is too large.
pub fn interval(polynomial: &Polynomial, range: RangeOf<'_>) -> Option<(i128, i128)> {
    polynomial.interval(|symbol| match symbol {
        Symbol::Value(value) => {
            let (low, high) = range(value).unwrap_or((i64::MIN, i64::MAX));
            Some((i128::from(low), i128::from(high)))
        }
        Symbol::Dim(_) | Symbol::Sum(..) => None,
    })
}

/// The accesses without those that are always behind another one of the same iterations, as seen from an end.
fn outermost(fitted: &[Fitted], end: End) -> Vec<&Fitted> {
    let mut groups: BTreeMap<(&[Dim], String), Vec<&Fitted>> = BTreeMap::new();
    for access in fitted {
        let kept = groups.entry((&access.domain.dims, access.domain.set.to_string())).or_default();
        if !kept.iter().any(|other| is_beyond(other, access, end)) {
            kept.retain(|other| !is_beyond(access, other, end));
            kept.push(access);
        }
    }
    groups.into_values().flatten().collect()
}

/// Whether one access is always at, or further out than, another one.
fn is_beyond(one: &Fitted, other: &Fitted, end: End) -> bool {
    let mut distances = Vec::new();
    for (left, right) in one.subscripts.iter().zip(&other.subscripts) {
        let Some(distance) = right.sub(left).and_then(|distance| distance.as_constant()) else { return false };
        distances.push(if end == End::Least { distance } else { -distance });
    }
    distances.into_iter().find(|distance| *distance != 0).is_none_or(|distance| distance > 0)
}

/// The subscripts of an access, without divisions: `[v] -> { [x] }`
fn image(assumptions: &Assumptions, extents: &[Stride], access: &Fitted) -> Step<Set> {
    let depth = access.domain.dims.len();
    let mut domain: Domain = access.domain.clone();
    let mut within = Vec::new();
    for (position, subscript) in access.subscripts.iter().enumerate() {
        let dim = Dim::Subscript(position);
        domain = assumptions.with_greatest(&domain, dim, std::slice::from_ref(subscript))?;
        let variable = Polynomial::symbol(Symbol::Dim(dim));
        if let Some(extent) = position.checked_sub(1).map(|inner| last_of(&extents[inner])).transpose()? {
            within.push(Constraint::at_least_zero(extent.sub(&variable).ok_or(Reason::Shape)?));
        }
        within.push(Constraint::at_least_zero(variable));
    }
    within.retain(|constraint| constraint.polynomial.is_affine());
    let set = assumptions.narrow(&domain, &within)?.set;
    assumptions.without_widest_ranges(set.project_out(isl::DimType::SET, 0, depth)?.remove_divs()?)
}

/// The greatest subscript of an extent.
pub fn last_of(extent: &Stride) -> Step<Polynomial> {
    extent.polynomial()?.sub(&Polynomial::constant(1)).ok_or(Reason::Shape)
}

/// The corner of a conjunction of so many subscripts: `[v] -> { [x] }`
pub fn corner(mut set: Set, dimensions: usize, end: End) -> Step<Corner> {
    let parameters = sets::values(&set)?;
    let mut subscripts = Vec::new();
    for position in (0..dimensions).rev() {
        set = set.remove_redundancies()?;
        let mut bounds = Vec::new();
        for row in rows(&set)? {
            let (values, of_subscripts) = row.split_at(1 + parameters.len());
            let Some((entry, outer)) = of_subscripts.split_last() else { continue };
            // entry * x + rest >= 0
            let sign = match end {
                End::Least if *entry > 0 => -1,
                End::Most if *entry < 0 => 1,
                _ => continue,
            };
            bounds.push(Bound {
                divisor: i128::from(entry.unsigned_abs()),
                values: affine(&parameters, values, sign)?,
                outer: outer.iter().map(|entry| sign * i128::from(*entry)).collect(),
            });
        }
        subscripts.push(bounds);
        set = set.project_out(isl::DimType::SET, position, 1)?.remove_divs()?;
    }
    subscripts.reverse();
    let mut conditions = Vec::new();
    for row in rows(&set.remove_redundancies()?)? {
        conditions.push(affine(&parameters, &row, 1)?);
    }
    Ok(Corner { conditions, subscripts })
}

/// The constraints of a conjunction without divisions, each as a form that is not negative:
/// `[constant, parameters, dimensions]`
fn rows(set: &Set) -> Step<Vec<Vec<i64>>> {
    // What is too large is left out: fewer constraints, a larger set.
    let rows = set.clone().simple_hull()?.constraint_rows()?.unwrap_or_default();
    let opposite = |row: &Vec<i64>| row.iter().map(|entry| -entry).collect::<Vec<i64>>();
    let mut found: Vec<Vec<i64>> = rows.equalities.iter().map(opposite).collect();
    found.extend(rows.equalities);
    found.extend(rows.inequalities);
    Ok(found)
}

/// A row of constraints, times a number.
fn affine(parameters: &[ValueId], row: &[i64], factor: i128) -> Step<Polynomial> {
    let [constant, coefficients @ ..] = row else { return Err(Reason::NotAffine) };
    let mut sum = Polynomial::constant(i128::from(*constant) * factor);
    for (value, coefficient) in parameters.iter().zip(coefficients) {
        let part = Polynomial::product(vec![Symbol::Value(*value)], i128::from(*coefficient) * factor);
        sum = sum.add(&part).ok_or(Reason::NotAffine)?;
    }
    Ok(sum)
}
