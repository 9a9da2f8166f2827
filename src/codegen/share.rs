//! The iterations of a loop that are for one block or thread.
//!
//! Value `v` of a member is for number `v mod n` along an axis. So a loop over the values has iterations for the number
//! at hand that are `n` apart. They are found from the loop's bounds alone, whatever isl made of the members around: no
//! such condition goes through isl, which loses some of them.

use super::{Comparison, Cond, Error, Expr, IteratorId, Overflow};
use polyrs_model::ast::Linear;

/// What a member is shared among.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    /// The number of the block or thread at hand.
    pub number: IteratorId,
    /// Values are for the number that is their remainder by this.
    pub modulus: i64,
    /// There are numbers that are no remainders.
    pub is_partial: bool,
}

/// From the greatest lower to the least upper bound, which is behind the last value.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    /// Never empty.
    pub lower: Vec<Expr>,
    /// Never empty.
    pub upper: Vec<Expr>,
    /// Positive.
    pub step: i64,
}

/// What is left of a loop for one number along each of some axes.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The loop's variable.
    pub value: Expr,
    /// The loop that is left; `None` where there is one value at most.
    pub bounds: Option<Bounds>,
    /// What has to hold, in the loop if there is one.
    pub conditions: Vec<Cond>,
}

impl Share {
    /// A value is for the number at hand.
    pub fn is_for(&self, value: &Expr) -> Cond {
        Cond::Compare(Comparison::Eq, value.clone().modulo(self.modulus), Expr::Iterator(self.number))
    }

    /// The least value from a bound on that is for the number at hand, if that is a remainder.
    fn first_from(&self, bound: &Expr) -> Result<Expr, Overflow> {
        let (number, modulus) = (Expr::Iterator(self.number), self.modulus);
        let sum = Linear::of(bound)?;
        if sum.constant % modulus == 0 && sum.terms.values().all(|factor| factor % modulus == 0) {
            return bound.plus(&number);
        }
        // number + n * ceil((bound - number) / n), in which the bound occurs once: it may be a choice between others.
        let steps = bound.minus(&number)?.plus_constant(modulus - 1)?.floor_div(modulus);
        number.plus(&steps.times(modulus)?)
    }
}

impl Part {
    /// All of a loop.
    pub fn all(iterator: IteratorId, bounds: Bounds) -> Self {
        Part { value: Expr::Iterator(iterator), bounds: Some(bounds), conditions: Vec::new() }
    }

    /// What is left of a loop over an iterator.
    ///
    /// # Errors
    /// A number that does not fit.
    pub fn of(iterator: IteratorId, bounds: Bounds, shares: &[Share]) -> Result<Self, Error> {
        let Some((first, others)) = shares.split_first() else { return Ok(Self::all(iterator, bounds)) };
        let mut part = match bounds.step {
            1 => Self::strided(iterator, bounds, first)?,
            _ => Self::picked(iterator, bounds, first),
        };
        part.conditions.extend(others.iter().map(|share| share.is_for(&part.value)));
        Ok(part)
    }

    /// All values are looked at, those for the number at hand are taken.
    fn picked(iterator: IteratorId, bounds: Bounds, share: &Share) -> Self {
        let all = Self::all(iterator, bounds);
        Part { conditions: vec![share.is_for(&all.value)], ..all }
    }

    /// One value, if it is within the bounds; some are known to hold.
    fn one(value: Expr, bounds: &Bounds, known: (usize, Option<usize>)) -> Self {
        let side = |list: &[Expr], known: Option<usize>, comparison| -> Vec<Cond> {
            let unknown = list.iter().enumerate().filter(|(position, _)| Some(*position) != known);
            unknown.map(|(_, bound)| Cond::Compare(comparison, value.clone(), bound.clone())).collect()
        };
        let mut conditions = side(&bounds.lower, Some(known.0), Comparison::Ge);
        conditions.extend(side(&bounds.upper, known.1, Comparison::Lt));
        Part { value, bounds: None, conditions }
    }

    /// Values are as far apart as there are numbers.
    fn strided(iterator: IteratorId, bounds: Bounds, share: &Share) -> Result<Self, Error> {
        let mut part = match short(&bounds, share.modulus)? {
            Some((lower, upper, is_whole)) => {
                let value = share.first_from(&bounds.lower[lower])?;
                Self::one(value, &bounds, (lower, is_whole.then_some(upper)))
            }
            None => {
                let lower = bounds.lower.iter().map(|bound| share.first_from(bound));
                let lower = lower.collect::<Result<_, _>>()?;
                Self::all(iterator, Bounds { lower, step: share.modulus, ..bounds })
            }
        };
        if share.is_partial {
            let is_remainder = Cond::Compare(Comparison::Lt, Expr::Iterator(share.number), Expr::Const(share.modulus));
            part.conditions.insert(0, is_remainder);
        }
        Ok(part)
    }
}

/// A lower and an upper bound between which there are so many values at most, and whether there are just as many.
fn short(bounds: &Bounds, most: i64) -> Result<Option<(usize, usize, bool)>, Error> {
    for (first, lower) in bounds.lower.iter().enumerate() {
        for (last, upper) in bounds.upper.iter().enumerate() {
            if let Some(count) = upper.minus(lower)?.as_constant().filter(|count| *count <= most) {
                return Ok(Some((first, last, count == most)));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: IteratorId = IteratorId(1);
    const V: IteratorId = IteratorId(2);

    fn tile(factor: i64, more: i64) -> Expr {
        Expr::Iterator(IteratorId(0)).times(factor).unwrap().plus_constant(more).unwrap()
    }

    fn part(lower: Vec<Expr>, upper: Vec<Expr>, step: i64, modulus: i64) -> Part {
        let share = Share { number: T, modulus, is_partial: modulus == 5 };
        Part::of(V, Bounds { lower, upper, step }, &[share]).unwrap()
    }

    #[test]
    fn a_thread_has_one_point_of_a_tile() {
        let n = Expr::Parameter(0);
        let part = part(vec![tile(32, 0)], vec![n.clone(), tile(32, 32)], 1, 32);
        assert_eq!(part.value, tile(32, 0).plus(&Expr::Iterator(T)).unwrap());
        assert!(part.bounds.is_none());
        assert_eq!(part.conditions, [Cond::Compare(Comparison::Lt, part.value.clone(), n)]);
    }

    #[test]
    fn of_larger_tiles_it_has_several() {
        let part = part(vec![tile(32, 0), Expr::Const(3)], vec![tile(32, 32)], 1, 8);
        let bounds = part.bounds.unwrap();
        let steps = Expr::Iterator(T).times(-1).unwrap().plus_constant(10).unwrap().floor_div(8);
        let behind = steps.times(8).unwrap().plus(&Expr::Iterator(T)).unwrap();
        assert_eq!(bounds.lower, [tile(32, 0).plus(&Expr::Iterator(T)).unwrap(), behind]);
        assert_eq!((bounds.step, part.value, part.conditions.len()), (8, Expr::Iterator(V), 0));
    }

    #[test]
    fn steps_of_a_loop_are_kept() {
        let steps = part(vec![Expr::Const(0)], vec![Expr::Parameter(0)], 4, 3);
        let is_for = Cond::Compare(Comparison::Eq, Expr::Iterator(V).modulo(3), Expr::Iterator(T));
        assert_eq!((steps.bounds.unwrap().step, steps.conditions), (4, vec![is_for]));
    }

    #[test]
    fn numbers_that_are_no_remainders_have_nothing() {
        let part = part(vec![Expr::Const(0)], vec![Expr::Const(5)], 1, 5);
        assert_eq!(part.conditions, [Cond::Compare(Comparison::Lt, Expr::Iterator(T), Expr::Const(5))]);
        assert!(part.bounds.is_none());
    }
}
