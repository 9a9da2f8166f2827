//! The shapes of arrays, recovered from offsets.
//!
//! An offset is a polynomial over loop variables and values. What a loop variable is multiplied with is a candidate for
//! a stride; a shape is a chain of strides, each a multiple of the next. A shape fits when in all accesses, in all
//! iterations, every subscript but the first stays within its extent: then different subscripts are different places.

use std::collections::{BTreeMap, BTreeSet};

use polyrs_core::isl::Set;

use crate::llvm::raise::affine::assumptions::{Assumptions, Domain};
use crate::llvm::raise::affine::polynomial::{Dim, Monomial, Polynomial, Symbol};
use crate::llvm::raise::affine::range::Range;
use crate::llvm::raise::affine::sets;
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::refusal::{Reason, Step};

/// A number of elements: a constant times values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stride {
    /// The values, in order.
    pub values: Monomial,
    /// The constant, positive.
    pub factor: i128,
}

impl Stride {
    /// One element.
    pub fn one() -> Self {
        Self { values: Vec::new(), factor: 1 }
    }

    /// As a polynomial over values.
    ///
    /// # Errors
    /// [`Reason::Shape`] if it is too large.
    pub fn polynomial(&self) -> Step<Polynomial> {
        Polynomial::product(self.values.clone(), self.factor).without_sums().ok_or(Reason::Shape)
    }

    /// This one over another one, if that is a whole number of times.
    pub fn over(&self, other: &Stride) -> Option<Stride> {
        let mut values = self.values.clone();
        for value in &other.values {
            let position = values.iter().position(|known| known == value)?;
            values.remove(position);
        }
        (self.factor % other.factor == 0).then(|| Stride { values, factor: self.factor / other.factor })
    }
}

/// An access to fit a shape to.
#[derive(Clone)]
pub struct Offset<'a> {
    /// The distance from the start of the array, in elements.
    pub elements: Polynomial,
    /// Where the access runs.
    pub domain: &'a Domain,
    /// For an access to many elements one after the other: how many, and the first access of the instruction.
    pub length: Option<(Polynomial, usize)>,
}

impl Offset<'_> {
    /// Both are of one element in the same iterations.
    fn is_same(&self, other: &Offset<'_>) -> bool {
        let are_single = self.length.is_none() && other.length.is_none();
        are_single && self.elements == other.elements && self.domain.is_same(other.domain)
    }
}

/// An access in a shape.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The subscripts.
    pub subscripts: Vec<Polynomial>,
    /// Where it runs, with the loops over its elements.
    pub domain: Domain,
    /// The loops over its elements, from 0 up to below a number.
    pub loops: Vec<(Dim, Polynomial)>,
}

/// A shape, and the accesses in it.
#[derive(Debug)]
pub struct Shape {
    /// How far apart neighbours are along each dimension, the last one 1.
    pub strides: Vec<Stride>,
    /// The extents, but for that of the first dimension.
    pub extents: Vec<Stride>,
    /// For each access, what it is in the shape.
    pub fitted: Vec<Fitted>,
    /// For each access, the values from outside for which its subscripts leave the extents: `[v] -> { : }`
    pub invalid: Vec<Set>,
}

/// More candidates for strides are not looked at.
const CANDIDATES: usize = 8;
/// The values that extents may have: products of three of them, with elements of 8 bytes, fit 128 bits.
pub const MOST: i128 = (1 << 31) - 1;

/// Finds the shape with most dimensions that fits, preferably without a check at run time. `varies` tells the variables
/// of loops, in and around the region.
///
/// # Errors
/// [`Reason::Shape`] if none fits, or isl's.
pub fn recover(offsets: &[Offset<'_>], assumptions: &Assumptions, varies: &dyn Fn(Symbol) -> bool) -> Step<Shape> {
    // Rows of n + 2 elements: what loop variables are multiplied with is no product of values as they are.
    let sums = sums(offsets, varies);
    if !sums.is_empty()
        && let Some(rewritten) = with_sums(offsets, &sums)
        && let Ok(shape) = recover_products(&rewritten, assumptions, varies)
        && !shape.extents.is_empty()
    {
        return Ok(shape);
    }
    recover_products(offsets, assumptions, varies)
}

/// The values, each with a number, whose sums the variables of loops are multiplied with. Of several sums with one
/// value the one with the least number: a diagonal of rows of n elements is a multiple of n + 1.
fn sums(offsets: &[Offset<'_>], varies: &dyn Fn(Symbol) -> bool) -> BTreeMap<ValueId, i64> {
    let mut found: BTreeMap<ValueId, i64> = BTreeMap::new();
    for multiplier in offsets.iter().flat_map(|offset| multipliers(offset, varies)) {
        let constant = multiplier.terms().find(|(monomial, _)| monomial.is_empty()).map_or(0, |(_, number)| number);
        // In products of sums, too, one value alone is multiplied with what goes with the others.
        for (monomial, coefficient) in multiplier.terms() {
            let [Symbol::Value(value)] = monomial[..] else { continue };
            if constant % coefficient == 0
                && let Ok(more) = i64::try_from(constant / coefficient)
            {
                let least = found.entry(value).or_insert(more);
                *least = std::cmp::min_by_key(*least, more, |number| number.unsigned_abs());
            }
        }
    }
    found.retain(|_, more| *more != 0);
    found
}

/// The factor of each variable of a loop in an offset.
fn multipliers(offset: &Offset<'_>, varies: &dyn Fn(Symbol) -> bool) -> Vec<Polynomial> {
    let mut found: BTreeMap<Symbol, Polynomial> = BTreeMap::new();
    for (monomial, coefficient) in offset.elements.terms() {
        let (loops, values): (Monomial, Monomial) = monomial.iter().partition(|symbol| varies(**symbol));
        let [variable] = loops[..] else { continue };
        let sum = found.entry(variable).or_default();
        if let Some(more) = sum.add(&Polynomial::product(values, coefficient)) {
            *sum = more;
        }
    }
    found.into_values().collect()
}

/// Offsets in terms of sums.
fn with_sums<'a>(offsets: &[Offset<'a>], sums: &BTreeMap<ValueId, i64>) -> Option<Vec<Offset<'a>>> {
    let mut rewritten = offsets.to_vec();
    for offset in &mut rewritten {
        for (value, more) in sums {
            offset.elements = offset.elements.with_sum(*value, *more)?;
            if let Some((length, _)) = &mut offset.length {
                *length = length.with_sum(*value, *more)?;
            }
        }
    }
    Some(rewritten)
}

/// The same for extents that are products of values, or of sums that offsets are in terms of.
fn recover_products(offsets: &[Offset<'_>], assumptions: &Assumptions, varies: &dyn Fn(Symbol) -> bool) -> Step<Shape> {
    let mut checked = None;
    for strides in chains(candidates(offsets, varies)?) {
        // Another shape with a check is of no use.
        let without_check = checked.is_some();
        match fit(&strides, offsets, assumptions, without_check)? {
            // Where several variables of loops come together in one subscript, separate ones are worth a check.
            Some(shape) if without_check || all_empty(&shape.invalid)? => {
                return Ok(if is_plain(&shape) { shape } else { checked.unwrap_or(shape) });
            }
            Some(shape) => checked = Some(shape),
            None => {}
        }
    }
    checked.ok_or(Reason::Shape)
}

/// Whether each subscript has one variable of a loop at most.
fn is_plain(shape: &Shape) -> bool {
    let loops =
        |polynomial: &Polynomial| polynomial.symbols().filter(|symbol| matches!(symbol, Symbol::Dim(_))).count();
    shape.fitted.iter().flat_map(|fitted| &fitted.subscripts).all(|subscript| loops(subscript) <= 1)
}

fn all_empty(sets: &[Set]) -> Step<bool> {
    for set in sets {
        if !set.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The factors of loop variables.
fn candidates(offsets: &[Offset<'_>], varies: &dyn Fn(Symbol) -> bool) -> Step<BTreeSet<Stride>> {
    let mut found = BTreeSet::new();
    for offset in offsets {
        for (monomial, coefficient) in offset.elements.terms() {
            let (loops, values): (Monomial, Monomial) = monomial.iter().partition(|symbol| varies(**symbol));
            match loops.len() {
                0 => {}
                1 => {
                    let factor = i128::try_from(coefficient.unsigned_abs()).map_err(|_| Reason::Subscript)?;
                    found.insert(Stride { values, factor });
                }
                _ => return Err(Reason::Subscript),
            }
        }
    }
    found.remove(&Stride::one());
    Ok(found)
}

/// All chains of candidates from the largest stride to one element, longer ones first.
fn chains(candidates: BTreeSet<Stride>) -> Vec<Vec<Stride>> {
    // By the number of values and the factor, so that a multiple comes behind what it is a multiple of.
    let mut all: Vec<Stride> = candidates.into_iter().collect();
    all.sort_by_key(|stride| (stride.values.len(), stride.factor, stride.values.clone()));
    all.truncate(CANDIDATES);
    let mut found = vec![vec![Stride::one()]];
    for stride in all {
        for chain in found.clone() {
            if chain.first().is_some_and(|inner| stride.over(inner).is_some_and(|extent| extent != Stride::one())) {
                found.push(std::iter::once(stride.clone()).chain(chain).collect());
            }
        }
    }
    found.sort_by_key(|chain| std::cmp::Reverse(chain.len()));
    found
}

/// Splits all offsets along strides; nothing if one leaves the extents whatever the values from outside are, or
/// `without_check` for some of them.
fn fit(
    strides: &[Stride],
    offsets: &[Offset<'_>],
    assumptions: &Assumptions,
    without_check: bool,
) -> Step<Option<Shape>> {
    let extents: Option<Vec<Stride>> = strides.windows(2).map(|pair| pair[0].over(&pair[1])).collect();
    let extents = extents.ok_or(Reason::Shape)?;
    let mut shape = Shape { strides: strides.to_vec(), extents, fitted: Vec::new(), invalid: Vec::new() };
    let mut domains: Vec<Bounded<'_>> = Vec::new();
    for (number, offset) in offsets.iter().enumerate() {
        // What is read and written again is in one place.
        if let Some(known) = offsets[..number].iter().position(|known| known.is_same(offset)) {
            shape.fitted.push(shape.fitted[known].clone());
            shape.invalid.push(shape.invalid[known].clone());
            continue;
        }
        let position = match domains.iter().position(|known| known.domain.is_same(offset.domain)) {
            Some(position) => position,
            None => {
                domains.push(Bounded::new(offset.domain, &shape.extents, assumptions)?);
                domains.len() - 1
            }
        };
        let Some((fitted, invalid)) = fit_one(offset, &domains[position], &shape, assumptions)? else {
            return Ok(None);
        };
        if without_check && !invalid.is_empty()? {
            return Ok(None);
        }
        shape.fitted.push(fitted);
        shape.invalid.push(invalid);
    }
    Ok(Some(shape))
}

/// A domain, and what follows from it for all accesses in it.
struct Bounded<'a> {
    domain: &'a Domain,
    /// The values for which it has iterations: `[v] -> { : }`
    some: Set,
    /// Those for which an extent is less than 1 or too large: `[v] -> { : }`
    invalid: Set,
}

impl<'a> Bounded<'a> {
    fn new(domain: &'a Domain, extents: &[Stride], assumptions: &Assumptions) -> Step<Self> {
        let some = domain.set.clone().params()?;
        let mut invalid = sets::nothing(some.ctx())?;
        let values: BTreeSet<_> = extents.iter().flat_map(|extent| &extent.values).collect();
        for symbol in values {
            let (least, most) = (Polynomial::constant(1), Polynomial::constant(MOST));
            let value = Polynomial::symbol(*symbol).without_sums().ok_or(Reason::Shape)?;
            invalid = invalid.union(assumptions.violations(domain, &value, Some(&least), Some(&most))?)?;
        }
        Ok(Self { domain, some, invalid })
    }
}

/// Splits an offset along the strides of a shape, and the values from outside for which it leaves the extents; nothing
/// if those are all.
fn fit_one(
    offset: &Offset<'_>,
    bounded: &Bounded<'_>,
    shape: &Shape,
    assumptions: &Assumptions,
) -> Step<Option<(Fitted, Set)>> {
    let subscripts = split(&offset.elements, &shape.strides);
    let values = |all: Vec<Polynomial>| all.iter().map(Polynomial::without_sums).collect::<Option<Vec<_>>>();
    let Some(subscripts) = subscripts.and_then(values) else { return Ok(None) };
    let Some((fitted, negative)) = spread(subscripts, offset, shape, assumptions)? else { return Ok(None) };
    let with_loops =
        if fitted.loops.is_empty() { None } else { Some(Bounded::new(&fitted.domain, &shape.extents, assumptions)?) };
    let Bounded { some, invalid, .. } = with_loops.as_ref().unwrap_or(bounded);
    let settled = settle(fitted.subscripts, &shape.extents, (&fitted.domain, some), assumptions)?;
    let Some((subscripts, outside)) = settled else { return Ok(None) };
    let invalid = outside.union(negative)?.union(invalid.clone())?;
    if !bounded.some.is_empty()? && bounded.some.is_subset(&invalid)? {
        return Ok(None);
    }
    Ok(Some((Fitted { subscripts, ..fitted }, invalid)))
}

/// Spreads an access to many elements over the dimensions of a shape: a number of the largest pieces that it is a
/// multiple of, and all of each. Nothing if it does not start with such a piece. Also the values from outside for which
/// the number is negative.
fn spread(
    mut subscripts: Vec<Polynomial>,
    offset: &Offset<'_>,
    shape: &Shape,
    assumptions: &Assumptions,
) -> Step<Option<(Fitted, Set)>> {
    let mut domain = offset.domain.clone();
    let none = sets::nothing(domain.set.ctx())?;
    let Some((length, access)) = offset.length.clone() else {
        return Ok(Some((Fitted { subscripts, domain, loops: Vec::new() }, none)));
    };
    let whole = shape.strides.iter().enumerate().find_map(|(position, stride)| {
        let starts = subscripts[position + 1..].iter().all(|inner| *inner == Polynomial::default());
        let times = quotient(&length, stride)
            .and_then(|times| times.without_sums())
            .filter(|times| starts && times.is_affine())?;
        Some((position, times))
    });
    let Some((first, times)) = whole else { return Ok(None) };
    let negative = assumptions.violations(&domain, &times, Some(&Polynomial::default()), None)?;
    let inner = shape.extents[first..].iter().map(Stride::polynomial);
    let mut loops = Vec::new();
    for (position, count) in (first..).zip(std::iter::once(Ok(times)).chain(inner)) {
        let count = count?;
        if !count.is_affine() {
            return Ok(None);
        }
        if count == Polynomial::constant(1) {
            continue;
        }
        let dim = Dim::Bulk { access, level: loops.len() };
        let range = Range { lower: vec![Polynomial::default()], upper: vec![count.clone()], step: 1 };
        domain = assumptions.enter(&domain, dim, &range)?;
        let variable = Polynomial::symbol(Symbol::Dim(dim));
        subscripts[position] = subscripts[position].add(&variable).ok_or(Reason::Shape)?;
        loops.push((dim, count));
    }
    Ok(Some((Fitted { subscripts, domain, loops }, negative)))
}

/// A number of elements as a multiple of a stride.
fn quotient(length: &Polynomial, stride: &Stride) -> Option<Polynomial> {
    let mut result = Polynomial::default();
    for (monomial, coefficient) in length.terms() {
        let mut rest = monomial.clone();
        for value in &stride.values {
            rest.remove(rest.iter().position(|known| known == value)?);
        }
        if coefficient % stride.factor != 0 {
            return None;
        }
        result = result.add(&Polynomial::product(rest, coefficient / stride.factor))?;
    }
    Some(result)
}

/// How many of each stride an offset is, products with more values first to larger strides.
fn split(elements: &Polynomial, strides: &[Stride]) -> Option<Vec<Polynomial>> {
    let mut subscripts = vec![Polynomial::default(); strides.len()];
    for (monomial, coefficient) in elements.terms() {
        let mut rest = coefficient;
        for (stride, subscript) in strides.iter().zip(&mut subscripts) {
            let whole = Stride { values: monomial.clone(), factor: stride.factor };
            let Some(quotient) = whole.over(stride) else { continue };
            // A constant leaves a rest that is not negative, a multiple of a variable one of its own sign.
            let times = if monomial.is_empty() { rest.div_euclid(stride.factor) } else { rest / stride.factor };
            *subscript = subscript.add(&Polynomial::product(quotient.values, times))?;
            rest -= times.checked_mul(stride.factor)?;
        }
        if rest != 0 {
            return None;
        }
    }
    Some(subscripts)
}

/// Moves whole extents from inner to outer subscripts until all are within bounds, as far as can be; `some` are the
/// values for which the domain may have iterations.
fn settle(
    mut subscripts: Vec<Polynomial>,
    extents: &[Stride],
    (domain, some): (&Domain, &Set),
    assumptions: &Assumptions,
) -> Step<Option<(Vec<Polynomial>, Set)>> {
    let mut all = sets::nothing(some.ctx())?;
    for position in (1..subscripts.len()).rev() {
        let extent = extents[position - 1].polynomial()?;
        let Some(most) = extent.sub(&Polynomial::constant(1)) else { return Ok(None) };
        let mut best: Option<(Set, Polynomial, i128)> = None;
        for times in [0, 1, -1] {
            let moved = extent.scale(times).and_then(|whole| subscripts[position].add(&whole));
            let Some(moved) = moved.filter(|moved| moved.is_affine() && most.is_affine()) else { continue };
            let invalid = assumptions.violations(domain, &moved, Some(&Polynomial::default()), Some(&most))?;
            let good = invalid.is_empty()?;
            if good || (best.is_none() && !some.is_subset(&invalid)?) {
                best = Some((invalid, moved, times));
            }
            if good {
                break;
            }
        }
        let Some((invalid, moved, times)) = best else { return Ok(None) };
        subscripts[position] = moved;
        let outer = subscripts[position - 1].sub(&Polynomial::constant(times));
        subscripts[position - 1] = outer.ok_or(Reason::Shape)?;
        all = all.union(invalid)?;
    }
    if !subscripts[0].is_affine() {
        return Ok(None);
    }
    let below = assumptions.violations(domain, &subscripts[0], Some(&Polynomial::default()), None)?;
    all = all.union(below)?;
    Ok(Some((subscripts, all)))
}

#[cfg(test)]
mod tests {
    use polyrs_core::isl;

    use super::*;
    use crate::llvm::raise::code::ids::LoopId;

    const N: ValueId = ValueId(7);
    const I: Dim = Dim::Loop(LoopId(0));
    const J: Dim = Dim::Loop(LoopId(1));

    fn is_loop(symbol: Symbol) -> bool {
        matches!(symbol, Symbol::Dim(_))
    }

    fn value(id: ValueId) -> Polynomial {
        Polynomial::symbol(Symbol::Value(id))
    }

    fn variable(number: Dim) -> Polynomial {
        Polynomial::symbol(Symbol::Dim(number))
    }

    fn number(value: i128) -> Polynomial {
        Polynomial::constant(value)
    }

    fn sum(parts: &[Polynomial]) -> Polynomial {
        parts.iter().fold(Polynomial::default(), |sum, part| sum.add(part).unwrap())
    }

    /// The square of iterations from 1 up to below `extent - 1`.
    fn interior(assumptions: &Assumptions, extent: &Polynomial) -> Domain {
        let range = Range { lower: vec![number(1)], upper: vec![extent.sub(&number(1)).unwrap()], step: 1 };
        let top = assumptions.outside_of_loops().unwrap();
        let outer = assumptions.enter(&top, I, &range).unwrap();
        assumptions.enter(&outer, J, &range).unwrap()
    }

    #[test]
    fn a_constant_row_and_its_neighbours() {
        let assumptions = Assumptions::new(isl::Ctx::new(), BTreeMap::new()).unwrap();
        let domain = interior(&assumptions, &number(1300));
        let at = |rows: i128, columns: i128| Offset {
            elements: sum(&[variable(I).scale(1300).unwrap(), variable(J), number(1300 * rows + columns)]),
            domain: &domain,
            length: None,
        };
        let shape = recover(&[at(0, 0), at(0, -1), at(0, 1), at(-1, 0), at(1, 0)], &assumptions, &is_loop).unwrap();
        assert_eq!(shape.extents, [Stride { values: vec![], factor: 1300 }]);
        assert_eq!(shape.fitted[1].subscripts, [variable(I), sum(&[variable(J), number(-1)])]);
        assert_eq!(shape.fitted[3].subscripts, [sum(&[variable(I), number(-1)]), variable(J)]);
        assert!(all_empty(&shape.invalid).unwrap());
    }

    #[test]
    fn a_diagonal_is_in_the_shape_of_the_others() {
        let assumptions = Assumptions::new(isl::Ctx::new(), BTreeMap::new()).unwrap();
        let domain = interior(&assumptions, &number(40));
        let diagonal = Offset { elements: variable(I).scale(41).unwrap(), domain: &domain, length: None };
        let plain =
            Offset { elements: sum(&[variable(I).scale(40).unwrap(), variable(J)]), domain: &domain, length: None };
        let shape = recover(&[diagonal, plain], &assumptions, &is_loop).unwrap();
        assert_eq!(shape.fitted[0].subscripts, [variable(I), variable(I)]);
        assert_eq!(shape.fitted[1].subscripts, [variable(I), variable(J)]);
    }

    #[test]
    fn a_row_of_unknown_length() {
        let ranges = BTreeMap::from([(N, (i64::from(i32::MIN), i64::from(i32::MAX)))]);
        let assumptions = Assumptions::new(isl::Ctx::new(), ranges).unwrap();
        let domain = interior(&assumptions, &value(N));
        let rows = variable(I).mul(&value(N)).unwrap();
        let last = Offset { elements: sum(&[rows.clone(), value(N), number(-1)]), domain: &domain, length: None };
        let plain = Offset { elements: sum(&[rows, variable(J)]), domain: &domain, length: None };
        let shape = recover(&[last, plain], &assumptions, &is_loop).unwrap();
        let end = sum(&[value(N), number(-1)]);
        assert_eq!(shape.fitted[0].subscripts, [variable(I), end]);
        assert!(all_empty(&shape.invalid).unwrap());
    }

    #[test]
    fn another_row_length_needs_a_check() {
        let other = ValueId(9);
        let ranges = BTreeMap::from([(N, (0, 1000)), (other, (0, 1000))]);
        let assumptions = Assumptions::new(isl::Ctx::new(), ranges).unwrap();
        let domain = interior(&assumptions, &value(N));
        let rows = variable(I).mul(&value(other)).unwrap();
        let shape = recover(
            &[Offset { elements: sum(&[rows, variable(J)]), domain: &domain, length: None }],
            &assumptions,
            &is_loop,
        )
        .unwrap();
        assert_eq!(shape.extents.len(), 1);
        let expected = Set::parse(shape.invalid[0].ctx(), "[v7, v9] -> { : 3 <= v7 <= 1000 and 0 <= v9 < v7 - 1 }");
        assert!(shape.invalid[0].is_equal(&expected.unwrap()).unwrap());
    }

    #[test]
    fn a_row_of_a_sum() {
        let ranges = BTreeMap::from([(N, (0, 1000))]);
        let assumptions = Assumptions::new(isl::Ctx::new(), ranges).unwrap();
        let domain = interior(&assumptions, &sum(&[value(N), number(2)]));
        let rows = variable(I).mul(&sum(&[value(N), number(2)])).unwrap();
        let below = sum(&[rows.clone(), variable(J), value(N), number(2)]);
        let at = |elements: &Polynomial| Offset { elements: elements.clone(), domain: &domain, length: None };
        let shape = recover(&[at(&sum(&[rows, variable(J)])), at(&below)], &assumptions, &is_loop).unwrap();
        assert_eq!(shape.extents, [Stride { values: vec![Symbol::Sum(N, 2)], factor: 1 }]);
        assert_eq!(shape.fitted[0].subscripts, [variable(I), variable(J)]);
        assert_eq!(shape.fitted[1].subscripts, [sum(&[variable(I), number(1)]), variable(J)]);
        assert!(all_empty(&shape.invalid).unwrap());
    }

    #[test]
    fn what_overlaps_rows_is_one_row() {
        let assumptions = Assumptions::new(isl::Ctx::new(), BTreeMap::new()).unwrap();
        let domain = interior(&assumptions, &number(20));
        let elements = sum(&[variable(I).scale(3).unwrap(), variable(J)]);
        let shape =
            recover(&[Offset { elements: elements.clone(), domain: &domain, length: None }], &assumptions, &is_loop)
                .unwrap();
        assert!(shape.extents.is_empty());
        assert_eq!(shape.fitted[0].subscripts, [elements]);
    }
}
