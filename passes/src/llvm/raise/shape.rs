//! The shapes of arrays, recovered from offsets.
//!
//! An offset is a polynomial over loop variables and values. What a loop variable is multiplied with is a candidate for a
//! stride; a shape is a chain of strides, each a multiple of the next. A shape fits when in all accesses, in all
//! iterations, every subscript but the first stays within its extent: then different subscripts are different places.

use std::collections::BTreeSet;

use polyrs_core::isl::Set;

use super::facts::{Domain, Facts};
use super::polynomial::{Monomial, Polynomial, Symbol};
use super::refusal::{Reason, Step};

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

    /// As a polynomial.
    pub fn polynomial(&self) -> Polynomial {
        Polynomial::product(self.values.clone(), self.factor)
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
pub struct Offset<'a> {
    /// The distance from the start of the array, in elements.
    pub elements: Polynomial,
    /// Where the access runs.
    pub domain: &'a Domain,
}

/// A shape, and the accesses in it.
#[derive(Debug)]
pub struct Shape {
    /// How far apart neighbours are along each dimension, the last one 1.
    pub strides: Vec<Stride>,
    /// The extents, but for that of the first dimension.
    pub extents: Vec<Stride>,
    /// For each access, its subscripts.
    pub subscripts: Vec<Vec<Polynomial>>,
    /// For each access, the values from outside for which its subscripts leave the extents: `[v] -> { : }`
    pub bad: Vec<Set>,
}

/// More candidates for strides are not looked at.
const CANDIDATES: usize = 8;
/// The values that extents may have: products of three of them, with elements of 8 bytes, fit 128 bits.
pub const MOST: i128 = (1 << 31) - 1;

/// Finds the shape with most dimensions that fits, preferably without a check at run time. `varies` tells the variables of
/// loops, in and around the region.
///
/// # Errors
/// [`Reason::Shape`] if none fits, or isl's.
pub fn recover(offsets: &[Offset<'_>], facts: &Facts, varies: &dyn Fn(Symbol) -> bool) -> Step<Shape> {
    let mut checked = None;
    for strides in chains(candidates(offsets, varies)?) {
        match fit(&strides, offsets, facts)? {
            // Where several variables of loops come together in one subscript, separate ones are worth a check.
            Some(shape) if all_empty(&shape.bad)? => {
                return Ok(if is_plain(&shape) { shape } else { checked.unwrap_or(shape) });
            }
            Some(shape) if checked.is_none() => checked = Some(shape),
            _ => {}
        }
    }
    checked.ok_or(Reason::Shape)
}

/// Whether each subscript has one variable of a loop at most.
fn is_plain(shape: &Shape) -> bool {
    let loops =
        |polynomial: &Polynomial| polynomial.symbols().filter(|symbol| matches!(symbol, Symbol::Loop(_))).count();
    shape.subscripts.iter().flatten().all(|subscript| loops(subscript) <= 1)
}

fn all_empty(sets: &[Set]) -> Step<bool> {
    for set in sets {
        if !set.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What loop variables are multiplied with.
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

/// Splits all offsets along strides; nothing if one leaves the extents whatever the values from outside are.
fn fit(strides: &[Stride], offsets: &[Offset<'_>], facts: &Facts) -> Step<Option<Shape>> {
    let extents: Option<Vec<Stride>> = strides.windows(2).map(|pair| pair[0].over(&pair[1])).collect();
    let extents = extents.ok_or(Reason::Shape)?;
    let mut shape = Shape { strides: strides.to_vec(), extents, subscripts: Vec::new(), bad: Vec::new() };
    for offset in offsets {
        let Some(subscripts) = split(&offset.elements, strides) else { return Ok(None) };
        let Some((subscripts, bad)) = settle(subscripts, &shape.extents, offset.domain, facts)? else {
            return Ok(None);
        };
        let some = offset.domain.set.clone().params()?;
        if !some.is_empty()? && some.is_subset(&bad)? {
            return Ok(None);
        }
        shape.subscripts.push(subscripts);
        shape.bad.push(bad);
    }
    Ok(Some(shape))
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

/// Moves whole extents from inner to outer subscripts until all are within bounds, as far as can be.
fn settle(
    mut subscripts: Vec<Polynomial>,
    extents: &[Stride],
    domain: &Domain,
    facts: &Facts,
) -> Step<Option<(Vec<Polynomial>, Set)>> {
    let some = domain.set.clone().params()?;
    let mut all = Set::parse(some.ctx(), "{ : false }")?;
    for position in (1..subscripts.len()).rev() {
        let extent = extents[position - 1].polynomial();
        let Some(most) = extent.sub(&Polynomial::constant(1)) else { return Ok(None) };
        let mut best: Option<(Set, Polynomial, i128)> = None;
        for times in [0, 1, -1] {
            let moved = extent.scale(times).and_then(|whole| subscripts[position].add(&whole));
            let Some(moved) = moved.filter(|moved| moved.is_affine() && most.is_affine()) else { continue };
            let bad = facts.violations(domain, &moved, Some(&Polynomial::default()), Some(&most))?;
            let good = bad.is_empty()?;
            if good || (best.is_none() && !some.is_subset(&bad)?) {
                best = Some((bad, moved, times));
            }
            if good {
                break;
            }
        }
        let Some((bad, moved, times)) = best else { return Ok(None) };
        subscripts[position] = moved;
        let outer = subscripts[position - 1].sub(&Polynomial::constant(times));
        subscripts[position - 1] = outer.ok_or(Reason::Shape)?;
        all = all.union(bad)?;
    }
    if !subscripts[0].is_affine() {
        return Ok(None);
    }
    let below = facts.violations(domain, &subscripts[0], Some(&Polynomial::default()), None)?;
    all = all.union(below)?;
    for symbol in extents.iter().flat_map(|extent| &extent.values) {
        let (least, most) = (Polynomial::constant(1), Polynomial::constant(MOST));
        let bad = facts.violations(domain, &Polynomial::symbol(*symbol), Some(&least), Some(&most))?;
        all = all.union(bad)?;
    }
    Ok(Some((subscripts, all)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use polyrs_core::isl;

    use super::super::code::{LoopId, ValueId};
    use super::*;

    const N: ValueId = ValueId(7);
    const I: LoopId = LoopId(0);
    const J: LoopId = LoopId(1);

    fn is_loop(symbol: Symbol) -> bool {
        matches!(symbol, Symbol::Loop(_))
    }

    fn value(id: ValueId) -> Polynomial {
        Polynomial::symbol(Symbol::Value(id))
    }

    fn variable(number: LoopId) -> Polynomial {
        Polynomial::symbol(Symbol::Loop(number))
    }

    fn number(value: i128) -> Polynomial {
        Polynomial::constant(value)
    }

    fn sum(parts: &[Polynomial]) -> Polynomial {
        parts.iter().fold(Polynomial::default(), |sum, part| sum.add(part).unwrap())
    }

    /// The square of iterations from 1 up to below `extent - 1`.
    fn interior(facts: &Facts, extent: &Polynomial) -> Domain {
        let last = extent.sub(&number(1)).unwrap();
        let top = facts.outside_of_loops().unwrap();
        let outer = facts.enter(&top, I, &number(1), &last, 1).unwrap();
        facts.enter(&outer, J, &number(1), &last, 1).unwrap()
    }

    #[test]
    fn a_constant_row_and_its_neighbours() {
        let facts = Facts::new(isl::Ctx::new(), BTreeMap::new()).unwrap();
        let domain = interior(&facts, &number(1300));
        let at = |rows: i128, columns: i128| Offset {
            elements: sum(&[variable(I).scale(1300).unwrap(), variable(J), number(1300 * rows + columns)]),
            domain: &domain,
        };
        let shape = recover(&[at(0, 0), at(0, -1), at(0, 1), at(-1, 0), at(1, 0)], &facts, &is_loop).unwrap();
        assert_eq!(shape.extents, [Stride { values: vec![], factor: 1300 }]);
        assert_eq!(shape.subscripts[1], [variable(I), sum(&[variable(J), number(-1)])]);
        assert_eq!(shape.subscripts[3], [sum(&[variable(I), number(-1)]), variable(J)]);
        assert!(all_empty(&shape.bad).unwrap());
    }

    #[test]
    fn a_diagonal_is_in_the_shape_of_the_others() {
        let facts = Facts::new(isl::Ctx::new(), BTreeMap::new()).unwrap();
        let domain = interior(&facts, &number(40));
        let diagonal = Offset { elements: variable(I).scale(41).unwrap(), domain: &domain };
        let plain = Offset { elements: sum(&[variable(I).scale(40).unwrap(), variable(J)]), domain: &domain };
        let shape = recover(&[diagonal, plain], &facts, &is_loop).unwrap();
        assert_eq!(shape.subscripts[0], [variable(I), variable(I)]);
        assert_eq!(shape.subscripts[1], [variable(I), variable(J)]);
    }

    #[test]
    fn a_row_of_unknown_length() {
        let ranges = BTreeMap::from([(N, (i64::from(i32::MIN), i64::from(i32::MAX)))]);
        let facts = Facts::new(isl::Ctx::new(), ranges).unwrap();
        let domain = interior(&facts, &value(N));
        let rows = variable(I).mul(&value(N)).unwrap();
        let last = Offset { elements: sum(&[rows.clone(), value(N), number(-1)]), domain: &domain };
        let plain = Offset { elements: sum(&[rows, variable(J)]), domain: &domain };
        let shape = recover(&[last, plain], &facts, &is_loop).unwrap();
        let end = sum(&[value(N), number(-1)]);
        assert_eq!(shape.subscripts[0], [variable(I), end]);
        assert!(all_empty(&shape.bad).unwrap());
    }

    #[test]
    fn another_row_length_needs_a_check() {
        let other = ValueId(9);
        let ranges = BTreeMap::from([(N, (0, 1000)), (other, (0, 1000))]);
        let facts = Facts::new(isl::Ctx::new(), ranges).unwrap();
        let domain = interior(&facts, &value(N));
        let rows = variable(I).mul(&value(other)).unwrap();
        let shape =
            recover(&[Offset { elements: sum(&[rows, variable(J)]), domain: &domain }], &facts, &is_loop).unwrap();
        assert_eq!(shape.extents.len(), 1);
        let expected = Set::parse(shape.bad[0].ctx(), "[v7, v9] -> { : 3 <= v7 <= 1000 and 0 <= v9 < v7 - 1 }");
        assert!(shape.bad[0].is_equal(&expected.unwrap()).unwrap());
    }

    #[test]
    fn what_overlaps_rows_is_one_row() {
        let facts = Facts::new(isl::Ctx::new(), BTreeMap::new()).unwrap();
        let domain = interior(&facts, &number(20));
        let elements = sum(&[variable(I).scale(3).unwrap(), variable(J)]);
        let shape = recover(&[Offset { elements: elements.clone(), domain: &domain }], &facts, &is_loop).unwrap();
        assert!(shape.extents.is_empty());
        assert_eq!(shape.subscripts[0], [elements]);
    }
}
