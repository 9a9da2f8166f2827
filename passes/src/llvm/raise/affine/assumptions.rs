//! Domains, the iterations that run something, and assumptions about values from outside.
//!
//! Every fact is about exact integers. Where LLVM's integers could wrap around, or be taken as unsigned although
//! negative, the values from outside for which that happens are collected; for those, the original code has to run.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use polyrs_core::isl::{self, Set, Val};

use super::polynomial::{Dim, Polynomial, Symbol};
use super::range::Range;
use super::sets::{self, Forms};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::refusal::{Reason, Step};

/// What a number is checked to be no larger than, where the conditions that follow from larger bounds have numbers that
/// do not fit 64 bits.
const CHECKED: i128 = 1 << 60;

/// The points of dimensions, outermost first, in which something runs: `[v] -> { [i] }`.
#[derive(Clone, Debug)]
pub struct Domain {
    /// The dimensions.
    pub dims: Vec<Dim>,
    /// The points.
    pub set: Set,
}

impl Domain {
    /// The points are obviously the same.
    pub fn is_same(&self, other: &Domain) -> bool {
        self.dims == other.dims && self.set.plain_is_equal(&other.set).unwrap_or(false)
    }
}

/// An affine polynomial that is not negative, or is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The polynomial.
    pub polynomial: Polynomial,
    /// It is zero.
    pub equal: bool,
}

impl Constraint {
    /// `polynomial >= 0`
    pub fn at_least_zero(polynomial: Polynomial) -> Self {
        Self { polynomial, equal: false }
    }
}

/// The assumptions about one region, and the values from outside for which one does not hold: the invalid context.
pub struct Assumptions {
    isl: isl::Ctx,
    ranges: BTreeMap<ValueId, (i64, i64)>,
    /// The values whose ranges some fact relies on.
    used: RefCell<BTreeSet<ValueId>>,
    /// Where the variables of loops are, by these ranges.
    dims: RefCell<BTreeMap<Dim, (i128, i128)>>,
    /// The values for which polynomials are not negative somewhere in a domain: shapes are tried with the same
    /// subscripts.
    known: RefCell<BTreeMap<Polynomial, Vec<(Domain, Set)>>>,
    invalid_context: Set,
}

impl Assumptions {
    /// No assumption but the ranges of values.
    ///
    /// # Errors
    /// isl's.
    pub fn new(isl: isl::Ctx, ranges: BTreeMap<ValueId, (i64, i64)>) -> Step<Self> {
        let invalid_context = sets::nothing(&isl)?;
        let (used, dims, known) = (RefCell::default(), RefCell::default(), RefCell::default());
        Ok(Self { isl, ranges, used, dims, known, invalid_context })
    }

    /// Takes the ranges of doubtful values no longer for granted where something relied on them: for what is outside of
    /// its range, the original has to run.
    ///
    /// # Errors
    /// isl's.
    pub fn confirm(&mut self, is_doubtful: impl Fn(ValueId) -> bool) -> Step<()> {
        let used = self.used.take();
        self.known.take();
        for value in used.into_iter().filter(|value| is_doubtful(*value)) {
            let Some(range) = self.ranges.remove(&value) else { continue };
            let outside = sets::outside(&self.isl, value, range)?;
            self.invalid_context = self.invalid_context.clone().union(outside)?.coalesce()?;
        }
        Ok(())
    }

    /// The values for which the original has to run: `[v] -> { : }`
    pub fn invalid_context(&self) -> &Set {
        &self.invalid_context
    }

    /// The rest of [`Assumptions::invalid_context`] when the ranges of values are known, as few conjunctions
    /// without divisions.
    ///
    /// # Errors
    /// isl's.
    pub fn simple_invalid_context(&self) -> Step<Set> {
        let values = sets::values(&self.invalid_context)?;
        let ranges: Vec<_> = values.into_iter().map(|value| (value, self.ranges.get(&value).copied())).collect();
        let ranges = sets::within(&self.isl, &ranges)?;
        let simple = self.invalid_context.clone().remove_divs()?.coalesce()?.gist(ranges)?;
        Ok(simple.remove_divs()?.remove_redundancies()?.coalesce()?)
    }

    /// The values for which the original has to run whatever some others are: `[v] -> { : }`
    ///
    /// # Errors
    /// isl's.
    pub fn invalid_context_without(&self, others: &[ValueId]) -> Step<Set> {
        let mut valid = self.simple_invalid_context()?.complement()?;
        for value in others {
            let position = sets::values(&valid)?.iter().position(|known| known == value);
            if let Some(position) = position {
                valid = valid.project_out(isl::DimType::Param, position, 1)?;
            }
        }
        Ok(valid.complement()?.remove_divs()?.remove_redundancies()?.coalesce()?)
    }

    /// A set without what holds of any number of 64 bits: the ends of that range are too large for rows of constraints.
    ///
    /// # Errors
    /// isl's.
    pub fn without_widest_ranges(&self, set: Set) -> Step<Set> {
        const WIDEST: (i64, i64) = (i64::MIN, i64::MAX);
        let mut values = sets::values(&set)?;
        values.retain(|value| self.ranges.get(value) == Some(&WIDEST));
        if values.is_empty() {
            return Ok(set);
        }
        let context: Vec<_> = values.into_iter().map(|value| (value, Some(WIDEST))).collect();
        Ok(set.gist_params(sets::within(&self.isl, &context)?)?)
    }

    /// Goes back to an earlier state of [`Assumptions::invalid_context`].
    pub fn restore(&mut self, invalid_context: Set) {
        self.invalid_context = invalid_context;
    }

    /// The one iteration outside of all loops.
    ///
    /// # Errors
    /// isl's.
    pub fn outside_of_loops(&self) -> Step<Domain> {
        Ok(Domain { dims: Vec::new(), set: sets::point(&self.isl)? })
    }

    /// The iterations of loops where all constraints hold.
    ///
    /// # Errors
    /// [`Reason::NotAffine`], or isl's.
    pub fn set(&self, dims: &[Dim], constraints: &[Constraint]) -> Step<Set> {
        let values = constraints.iter().flat_map(|constraint| constraint.polynomial.values()).collect();
        let forms = Forms::over(&self.isl, dims, &values)?;
        let mut set = forms.universe()?;
        for Constraint { polynomial, equal } in constraints {
            set = set.intersect(forms.constraint(polynomial, *equal)?.to_set()?)?;
        }
        for (position, value) in values.iter().enumerate() {
            let Some((least, most)) = self.ranges.get(value) else { continue };
            set = set.lower_bound_val(isl::DimType::Param, position, Val::int(&self.isl, *least)?)?;
            set = set.upper_bound_val(isl::DimType::Param, position, Val::int(&self.isl, *most)?)?;
            self.used.borrow_mut().insert(*value);
        }
        Ok(set)
    }

    /// The part of a domain where constraints hold.
    ///
    /// # Errors
    /// As of [`Assumptions::set`].
    pub fn narrow(&self, domain: &Domain, constraints: &[Constraint]) -> Step<Domain> {
        let set = domain.set.clone().intersect(self.set(&domain.dims, constraints)?)?.coalesce()?;
        Ok(Domain { dims: domain.dims.clone(), set })
    }

    /// The part of a domain where constraints do not all hold.
    ///
    /// # Errors
    /// As of [`Assumptions::set`].
    pub fn narrow_to_others(&self, domain: &Domain, constraints: &[Constraint]) -> Step<Domain> {
        let set = domain.set.clone().subtract(self.set(&domain.dims, constraints)?)?.coalesce()?;
        Ok(Domain { dims: domain.dims.clone(), set })
    }

    /// The iterations of a loop in a domain.
    ///
    /// # Errors
    /// As of [`Assumptions::set`]; [`Reason::Bound`] if steps are taken from the greatest of several numbers.
    pub fn enter(&self, domain: &Domain, dim: Dim, range: &Range) -> Step<Domain> {
        let variable = Polynomial::symbol(Symbol::Dim(dim));
        let mut constraints = Vec::new();
        for lower in &range.lower {
            constraints.push(Constraint::at_least_zero(variable.sub(lower).ok_or(Reason::NotAffine)?));
        }
        for upper in &range.upper {
            let below = upper.sub(&variable).and_then(|rest| rest.sub(&Polynomial::constant(1)));
            constraints.push(Constraint::at_least_zero(below.ok_or(Reason::NotAffine)?));
        }
        let mut inside = self.narrow(&wider(domain, dim)?, &constraints)?;
        if range.step != 1 {
            let [lower] = &range.lower[..] else { return Err(Reason::Bound) };
            let above = variable.sub(lower).ok_or(Reason::NotAffine)?;
            inside.set = inside.set.intersect(self.multiples(&inside.dims, &above, range.step)?)?;
        }
        self.note(dim, range);
        Ok(inside)
    }

    /// Notes where the variable of a loop is: above the greatest of its lower bounds, below the least of its upper ones.
    fn note(&self, dim: Dim, range: &Range) {
        let lower = range.lower.iter().filter_map(|lower| Some(self.interval(lower)?.0)).max();
        let upper = range.upper.iter().filter_map(|upper| Some(self.interval(upper)?.1)).min();
        // One variable may go over several ranges, while it is looked for the one that fits.
        let mut dims = self.dims.borrow_mut();
        let Some((least, behind)) = lower.zip(upper) else {
            dims.insert(dim, (i128::MIN, i128::MAX));
            return;
        };
        // A loop that never runs has no iterations to say anything of.
        let most = least.max(behind - 1);
        let known = dims.entry(dim).or_insert((least, most));
        *known = (known.0.min(least), known.1.max(most));
    }

    /// The least and the greatest number that an affine polynomial may be, by the ranges of values alone; nothing if
    /// that is not known.
    pub fn interval(&self, polynomial: &Polynomial) -> Option<(i128, i128)> {
        let dims = self.dims.borrow();
        let found = polynomial.interval(|symbol| match symbol {
            Symbol::Value(value) => {
                let (least, most) = self.ranges.get(&value).copied().unwrap_or((i64::MIN, i64::MAX));
                Some((i128::from(least), i128::from(most)))
            }
            Symbol::Dim(dim) => dims.get(&dim).copied(),
            Symbol::Sum(..) => None,
        })?;
        self.used.borrow_mut().extend(polynomial.values());
        Some(found)
    }

    /// A domain with one more dimension, which is the greatest of several numbers.
    ///
    /// # Errors
    /// As of [`Assumptions::set`].
    pub fn with_greatest(&self, domain: &Domain, dim: Dim, of: &[Polynomial]) -> Step<Domain> {
        let variable = Polynomial::symbol(Symbol::Dim(dim));
        let differences: Option<Vec<_>> = of.iter().map(|one| variable.sub(one)).collect();
        let differences = differences.ok_or(Reason::NotAffine)?;
        let wider = wider(domain, dim)?;
        let mut found: Option<Set> = None;
        for greatest in 0..of.len() {
            let constraint = |(number, polynomial): (usize, &Polynomial)| Constraint {
                polynomial: polynomial.clone(),
                equal: number == greatest,
            };
            let constraints: Vec<_> = differences.iter().enumerate().map(constraint).collect();
            let part = self.narrow(&wider, &constraints)?.set;
            found = Some(match found {
                Some(found) => found.union(part)?,
                None => part,
            });
        }
        let set = found.ok_or(Reason::Bound)?.coalesce()?;
        Ok(Domain { dims: wider.dims, set })
    }

    /// The iterations of loops where a polynomial is a multiple of a number.
    fn multiples(&self, dims: &[Dim], polynomial: &Polynomial, of: i64) -> Step<Set> {
        Forms::over(&self.isl, dims, &polynomial.values().collect())?.multiples(polynomial, of)
    }

    /// The values for which a polynomial leaves its bounds somewhere in a domain: `[v] -> { : }`
    ///
    /// # Errors
    /// As of [`Assumptions::set`].
    pub fn violations(
        &self,
        domain: &Domain,
        polynomial: &Polynomial,
        least: Option<&Polynomial>,
        most: Option<&Polynomial>,
    ) -> Step<Set> {
        let one = Polynomial::constant(1);
        let below = least.map(|least| least.sub(polynomial).and_then(|rest| rest.sub(&one)));
        let above = most.map(|most| polynomial.sub(most).and_then(|rest| rest.sub(&one)));
        let mut found = sets::nothing(&self.isl)?;
        for outside in [below, above].into_iter().flatten() {
            let outside = outside.ok_or(Reason::NotAffine)?;
            if self.interval(&outside).is_some_and(|(_, most)| most < 0) {
                continue;
            }
            found = found.union(self.at_least_zero(domain, outside)?)?;
        }
        Ok(found.coalesce()?)
    }

    /// The values for which a polynomial is not negative somewhere in a domain: `[v] -> { : }`
    fn at_least_zero(&self, domain: &Domain, polynomial: Polynomial) -> Step<Set> {
        let known =
            |all: &Vec<(Domain, Set)>| all.iter().find(|(of, _)| of.is_same(domain)).map(|(_, set)| set.clone());
        if let Some(set) = self.known.borrow().get(&polynomial).and_then(known) {
            return Ok(set);
        }
        let part = self.set(&domain.dims, &[Constraint::at_least_zero(polynomial.clone())])?;
        let set = domain.set.clone().intersect(part)?.params()?.remove_divs()?;
        self.known.borrow_mut().entry(polynomial).or_default().push((domain.clone(), set.clone()));
        Ok(set)
    }

    /// Notes values for which the original has to run.
    ///
    /// # Errors
    /// [`Reason::Wraps`] if nothing is left of the values for which the domain has iterations.
    pub fn add_invalid(&mut self, domain: &Domain, values: Set) -> Step<()> {
        if values.is_empty()? {
            return Ok(());
        }
        let some = domain.set.clone().params()?;
        if some.is_subset(&self.invalid_context.clone().union(values.clone())?)? && !some.is_empty()? {
            return Err(Reason::Wraps);
        }
        self.invalid_context = self.invalid_context.clone().union(values)?.coalesce()?;
        Ok(())
    }

    /// A polynomial is within constant bounds in a domain, or the original has to run. Bounds are taken to be narrower
    /// where the conditions that follow from them have numbers that do not fit 64 bits.
    ///
    /// # Errors
    /// As of [`Assumptions::set`] and [`Assumptions::add_invalid`].
    pub fn assume(
        &mut self,
        domain: &Domain,
        polynomial: &Polynomial,
        least: Option<i128>,
        most: Option<i128>,
    ) -> Step<()> {
        let mut found = self.outside(domain, polynomial, least, most)?;
        if !has_small_rows(&found)? {
            let (least, most) = (least.map(|least| least.max(-CHECKED)), most.map(|most| most.min(CHECKED)));
            found = self.outside(domain, polynomial, least, most)?;
        }
        self.add_invalid(domain, found)
    }

    /// The values for which a polynomial leaves constant bounds somewhere in a domain: `[v] -> { : }`
    fn outside(&self, domain: &Domain, polynomial: &Polynomial, least: Option<i128>, most: Option<i128>) -> Step<Set> {
        let (least, most) = (least.map(Polynomial::constant), most.map(Polynomial::constant));
        self.without_widest_ranges(self.violations(domain, polynomial, least.as_ref(), most.as_ref())?)
    }

    /// Whether a polynomial is never negative in a domain.
    ///
    /// # Errors
    /// isl's; what is not affine is not known.
    pub fn is_at_least_zero(&self, domain: &Domain, polynomial: &Polynomial) -> Step<bool> {
        if !polynomial.is_affine() {
            return Ok(false);
        }
        Ok(self.violations(domain, polynomial, Some(&Polynomial::default()), None)?.is_empty()?)
    }
}

/// Whether the conditions of a set of values have numbers of 64 bits.
fn has_small_rows(values: &Set) -> Step<bool> {
    for piece in values.basic_set_list()?.to_vec()? {
        if piece.constraint_rows()?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A domain with one more variable, which may be any number.
fn wider(domain: &Domain, variable: Dim) -> Step<Domain> {
    let dims = domain.dims.iter().copied().chain([variable]).collect();
    Ok(Domain { dims, set: domain.set.clone().add_dims(isl::DimType::SET, 1)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::raise::code::ids::LoopId;

    const N: ValueId = ValueId(3);
    const I: Dim = Dim::Loop(LoopId(0));

    fn assumptions() -> Assumptions {
        let ranges = BTreeMap::from([(N, (i64::from(i32::MIN), i64::from(i32::MAX)))]);
        Assumptions::new(isl::Ctx::new(), ranges).unwrap()
    }

    fn n() -> Polynomial {
        Polynomial::symbol(Symbol::Value(N))
    }

    #[test]
    fn what_a_guard_says_needs_no_check() {
        let mut assumptions = assumptions();
        let one = Polynomial::constant(1);
        let top = assumptions.outside_of_loops().unwrap();
        let guarded = assumptions.narrow(&top, &[Constraint::at_least_zero(n().sub(&one).unwrap())]).unwrap();
        assumptions.assume(&guarded, &n().sub(&one).unwrap(), Some(0), Some(i128::from(i32::MAX))).unwrap();
        assert!(assumptions.invalid_context().is_empty().unwrap());
        assert_eq!(assumptions.assume(&guarded, &n(), None, Some(0)), Err(Reason::Wraps));
    }

    #[test]
    fn a_range_in_doubt_is_checked_if_it_was_used() {
        let (other, unused) = (ValueId(4), ValueId(5));
        let ranges = BTreeMap::from([(N, (0, 100)), (other, (1, 7)), (unused, (1, 7))]);
        let mut assumptions = Assumptions::new(isl::Ctx::new(), ranges).unwrap();
        let top = assumptions.outside_of_loops().unwrap();
        let sum = n().add(&Polynomial::symbol(Symbol::Value(other))).unwrap();
        assumptions.assume(&top, &sum, None, Some(200)).unwrap();
        assert!(assumptions.invalid_context().is_empty().unwrap());
        assumptions.confirm(|value| value != N).unwrap();
        let expected = Set::parse(assumptions.invalid_context().ctx(), "[v4] -> { : v4 < 1 or v4 > 7 }").unwrap();
        assert!(assumptions.simple_invalid_context().unwrap().is_equal(&expected).unwrap());
    }

    #[test]
    fn the_greatest_of_two_is_one_of_them() {
        let assumptions = assumptions();
        let top = assumptions.outside_of_loops().unwrap();
        let found = assumptions.with_greatest(&top, I, &[n(), Polynomial::constant(7)]).unwrap();
        let expected = "[v3] -> { [i] : (i = v3 and v3 >= 7 or i = 7 and v3 < 7) and -2^31 <= v3 < 2^31 }";
        assert!(found.set.is_equal(&Set::parse(assumptions.invalid_context().ctx(), expected).unwrap()).unwrap());
        let range = Range { lower: vec![n(), Polynomial::constant(7)], upper: vec![n()], step: 2 };
        assert_eq!(assumptions.enter(&top, I, &range).err(), Some(Reason::Bound));
    }

    #[test]
    fn what_may_wrap_around_is_noted() {
        let mut assumptions = assumptions();
        let top = assumptions.outside_of_loops().unwrap();
        let range = Range { lower: vec![Polynomial::default()], upper: vec![n()], step: 1 };
        let inside = assumptions.enter(&top, I, &range).unwrap();
        let twice = Polynomial::symbol(Symbol::Dim(I)).scale(2).unwrap();
        assumptions.assume(&inside, &twice, Some(i128::from(i32::MIN)), Some(i128::from(i32::MAX))).unwrap();
        let expected = Set::parse(assumptions.invalid_context().ctx(), "[v3] -> { : 2^30 < v3 < 2^31 }").unwrap();
        assert!(assumptions.invalid_context().is_equal(&expected).unwrap());
    }
}
