//! Loops that count from one where arrays count from zero, as all of Fortran's do.
//!
//! Tiles and blocks begin at multiples of their sizes. Where a loop's variable is one more than the subscripts, the first
//! of them is one short, the last has one more, and rows of vectors begin in the middle of a line. So the variable is taken
//! to be the subscript, as it would be in C: as many iterations, counted from another number. That is always right, so
//! it does not matter that all numbers here are what they are in the first iteration of the loops around, and taken not
//! to wrap around.

use std::collections::BTreeMap;

use super::polynomial::{Monomial, Polynomial, Symbol};
use crate::llvm::raise::code::function::Code;
use crate::llvm::raise::code::ids::{BlockId, LoopId};
use crate::llvm::raise::code::scev::{Form, Scev};

/// Variables are moved by less than this.
const FARTHEST: i128 = 1 << 16;

/// A number that goes up by a step in each iteration of some loops.
struct Affine {
    /// The number in the first iterations.
    first: Polynomial,
    /// The steps.
    steps: BTreeMap<LoopId, Polynomial>,
}

/// How much greater the variable of a loop is than most of the subscripts that it is in; `first` is what it starts with.
/// Zero if that cannot be told, or if it is the middle one of these subscripts as it is.
pub fn excess(code: &Code, number: LoopId, first: &Scev) -> i128 {
    let Some(start) = affine(first) else { return 0 };
    let Some(first) = start.first.as_constant() else { return 0 };
    let is_inside = |block: BlockId| code.is_within(code.blocks[block.0].around, number);
    let places = code.pointers.iter().chain(&code.sources);
    let inside = places.filter(|(value, _)| code.instruction(**value).is_some_and(|it| is_inside(it.block)));
    let inside = inside.filter_map(|(_, pointer)| {
        let offset = affine(&pointer.offset)?.without_start(number, &start)?;
        subscript(&offset, number)
    });
    let mut all: Vec<i128> = inside.collect();
    all.sort_unstable();
    let Some(middle) = all.get(all.len() / 2) else { return 0 };
    // Of an even number of them there are two in the middle.
    let other = all[(all.len() - 1) / 2];
    let excess = if other == first { 0 } else { first - *middle };
    if excess.abs() < FARTHEST { excess } else { 0 }
}

/// A number as the sum of what it starts with and what loops add.
fn affine(scev: &Scev) -> Option<Affine> {
    let whole = |first| Affine { first, steps: BTreeMap::new() };
    match &scev.form {
        Form::Constant(value) => Some(whole(Polynomial::constant(i128::from(*value)))),
        Form::Value(value) => Some(whole(Polynomial::symbol(Symbol::Value(*value)))),
        Form::Add(all, _) => all.iter().try_fold(whole(Polynomial::default()), |sum, part| sum.add(affine(part)?)),
        Form::Mul(all, _) => all.iter().try_fold(whole(Polynomial::constant(1)), |product, part| {
            let part = affine(part)?;
            if part.steps.is_empty() { product.scale(&part.first) } else { part.scale(&product.constant()?) }
        }),
        Form::AddRec(start, step, number, _) => {
            let steps = BTreeMap::from([(*number, affine(step)?.constant()?)]);
            affine(start)?.add(Affine { first: Polynomial::default(), steps })
        }
        Form::Truncate(inner) | Form::ZeroExtend(inner) | Form::SignExtend(inner) => affine(inner),
        Form::MinMax(..) | Form::Divide(..) | Form::Other => {
            scev.computed.map(|value| whole(Polynomial::symbol(Symbol::Value(value))))
        }
    }
}

impl Affine {
    fn add(mut self, other: Self) -> Option<Self> {
        for (number, step) in other.steps {
            let sum = self.steps.entry(number).or_default().add(&step)?;
            self.steps.insert(number, sum);
        }
        Some(Self { first: self.first.add(&other.first)?, steps: self.steps })
    }

    fn scale(self, factor: &Polynomial) -> Option<Self> {
        let steps = self.steps.into_iter().map(|(number, step)| Some((number, step.mul(factor)?)));
        Some(Self { first: self.first.mul(factor)?, steps: steps.collect::<Option<_>>()? })
    }

    /// What loops add without what they do because a loop in them starts elsewhere each time, as `k` from `i + 1` on does: that
    /// is the inner loop's.
    fn without_start(mut self, number: LoopId, start: &Affine) -> Option<Self> {
        let Some(own) = self.steps.get(&number).cloned() else { return Some(self) };
        for (around, step) in &start.steps {
            let rest = self.steps.remove(around).unwrap_or_default().sub(&own.mul(step)?)?;
            if rest.terms().next().is_some() {
                self.steps.insert(*around, rest);
            }
        }
        Some(self)
    }

    /// The number, if no loop adds anything.
    fn constant(self) -> Option<Polynomial> {
        self.steps.is_empty().then_some(self.first)
    }
}

/// The subscript that a loop's variable is, in the first iteration: how often the loop's step goes into the offset, where larger
/// steps have been taken out of it before. Nothing if the offset does not change in the loop, or goes down in one.
fn subscript(offset: &Affine, number: LoopId) -> Option<i128> {
    // Of rows in descending order, as `n - 1 - j`, the first one counts among the steps of others.
    if offset.steps.values().any(|step| step.terms().any(|(_, by)| by < 0)) {
        return None;
    }
    let mut steps: Vec<(LoopId, &Monomial, i128, &Polynomial)> = Vec::new();
    for (around, step) in &offset.steps {
        // That which has most values in it: rows of `n` elements, each of `m`.
        let (monomial, by) = step.terms().max_by_key(|(monomial, _)| monomial.len())?;
        steps.push((*around, monomial, by, step));
    }
    steps.sort_by_key(|(_, monomial, by, _)| std::cmp::Reverse((monomial.len(), by.abs())));
    let mut rest = offset.first.clone();
    for (around, monomial, by, step) in steps {
        let has = rest.terms().find(|(other, _)| *other == monomial).map_or(0, |(_, by)| by);
        let times = nearest(has, by)?;
        if around == number {
            return Some(times);
        }
        rest = rest.sub(&step.scale(times)?)?;
    }
    None
}

/// The integer nearest to a quotient; nothing if it is divided by zero, or numbers are too large.
fn nearest(number: i128, by: i128) -> Option<i128> {
    let half = by.checked_abs()? / 2;
    Some(number.checked_add(half)?.checked_div_euclid(by.checked_abs()?)? * by.signum())
}
