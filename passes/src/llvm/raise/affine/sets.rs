//! Sets of isl over dimensions and values from outside, by constructors: `[v] -> { [i] }`.
//!
//! A value is a parameter. That it is named after its number is known here alone.

use std::collections::BTreeSet;

use polyrs_core::isl::{self, Aff, BasicSet, DimType, Id, LocalSpace, Set, Space, Val};

use super::polynomial::{Dim, Polynomial, Symbol};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::refusal::{Reason, Step};

/// The values that are parameters of a set, in order.
///
/// # Errors
/// [`Reason::NotAffine`] if one is no value; isl's.
pub fn values(set: &Set) -> Step<Vec<ValueId>> {
    let names = set.space()?.dim_names(DimType::Param)?;
    let value = |name: &String| name.strip_prefix('v')?.parse().ok().map(ValueId);
    names.iter().map(|name| value(name).ok_or(Reason::NotAffine)).collect()
}

/// No values: `{ : false }`
///
/// # Errors
/// isl's.
pub fn nothing(isl: &isl::Ctx) -> isl::Result<Set> {
    Set::empty(Space::unit(isl)?)
}

/// The point without dimensions: `{ [] }`
///
/// # Errors
/// isl's.
pub fn point(isl: &isl::Ctx) -> isl::Result<Set> {
    Set::universe(Space::unit(isl)?.add_unnamed_tuple_ui(0)?)
}

/// Where some values are within their ranges: `[v] -> { : least <= v <= most and ... }`
///
/// # Errors
/// isl's.
pub fn within(isl: &isl::Ctx, ranges: &[(ValueId, Option<(i64, i64)>)]) -> isl::Result<Set> {
    let mut set = Set::universe(parameters(isl, ranges.iter().map(|(value, _)| *value))?)?;
    for (position, (_, range)) in ranges.iter().enumerate() {
        let Some((least, most)) = *range else { continue };
        set = set.lower_bound_val(DimType::Param, position, Val::int(isl, least)?)?;
        set = set.upper_bound_val(DimType::Param, position, Val::int(isl, most)?)?;
    }
    Ok(set)
}

/// Where a value is not within its range: `[v] -> { : v < least or v > most }`
///
/// # Errors
/// isl's.
pub fn outside(isl: &isl::Ctx, value: ValueId, (least, most): (i64, i64)) -> isl::Result<Set> {
    let all = Set::universe(parameters(isl, std::iter::once(value))?)?;
    let below = number(isl, i128::from(least) - 1)?;
    let above = number(isl, i128::from(most) + 1)?;
    let below = all.clone().upper_bound_val(DimType::Param, 0, below)?;
    below.union(all.lower_bound_val(DimType::Param, 0, above)?)
}

/// Affine forms over dimensions and values.
pub struct Forms<'a> {
    space: Space,
    dims: &'a [Dim],
    values: Vec<ValueId>,
}

impl<'a> Forms<'a> {
    /// Over these.
    ///
    /// # Errors
    /// isl's.
    pub fn over(isl: &isl::Ctx, dims: &'a [Dim], values: &BTreeSet<ValueId>) -> isl::Result<Self> {
        let space = parameters(isl, values.iter().copied())?.add_unnamed_tuple_ui(dims.len())?;
        Ok(Self { space, dims, values: values.iter().copied().collect() })
    }

    /// All points.
    ///
    /// # Errors
    /// isl's.
    pub fn universe(&self) -> isl::Result<Set> {
        Set::universe(self.space.clone())
    }

    /// Where a polynomial is not negative, or is zero.
    ///
    /// # Errors
    /// [`Reason::NotAffine`]; isl's.
    pub fn constraint(&self, polynomial: &Polynomial, equal: bool) -> Step<BasicSet> {
        let (form, zero) = (self.form(polynomial)?, self.zero()?);
        Ok(if equal { form.eq_basic_set(zero)? } else { form.ge_basic_set(zero)? })
    }

    /// Where a polynomial is a multiple of a number.
    ///
    /// # Errors
    /// [`Reason::NotAffine`]; isl's.
    pub fn multiples(&self, polynomial: &Polynomial, of: i64) -> Step<Set> {
        let rest = self.form(polynomial)?.modulo(Val::int(self.space.ctx(), of)?)?;
        Ok(rest.eq_basic_set(self.zero()?)?.to_set()?)
    }

    fn zero(&self) -> isl::Result<Aff> {
        Aff::zero_on_domain(LocalSpace::from_space(self.space.clone())?)
    }

    fn form(&self, polynomial: &Polynomial) -> Step<Aff> {
        let mut form = self.zero()?;
        for (monomial, coefficient) in polynomial.terms() {
            let coefficient = number(self.space.ctx(), coefficient)?;
            let (kind, position) = match monomial[..] {
                [] => {
                    form = form.add_constant(coefficient)?;
                    continue;
                }
                [Symbol::Dim(dim)] => (DimType::In, self.dims.iter().position(|known| *known == dim)),
                [Symbol::Value(value)] => (DimType::Param, self.values.iter().position(|known| *known == value)),
                _ => return Err(Reason::NotAffine),
            };
            let position = i32::try_from(position.ok_or(Reason::NotAffine)?).map_err(|_| Reason::NotAffine)?;
            form = form.set_coefficient(kind, position, coefficient)?;
        }
        Ok(form)
    }
}

/// The space of values: `[v] -> { : }`
fn parameters(isl: &isl::Ctx, values: impl Iterator<Item = ValueId>) -> isl::Result<Space> {
    let mut space = Space::unit(isl)?;
    for value in values {
        space = space.add_param_id(Id::new(isl, &format!("v{}", value.0))?)?;
    }
    Ok(space)
}

/// A number of any size.
fn number(isl: &isl::Ctx, value: i128) -> isl::Result<Val> {
    const HALF: i128 = 1 << 62;
    if let Ok(small) = i64::try_from(value) {
        return Val::int(isl, small);
    }
    // What is left fits 64 bits.
    let rest = i64::try_from(value.rem_euclid(HALF)).unwrap_or_default();
    number(isl, value.div_euclid(HALF))?.mul(Val::int(isl, 1 << 62)?)?.add(Val::int(isl, rest)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::raise::code::ids::LoopId;

    const N: ValueId = ValueId(7);
    const I: Dim = Dim::Loop(LoopId(0));

    fn equal(set: &Set, text: &str) {
        assert!(set.is_equal(&Set::parse(set.ctx(), text).unwrap()).unwrap(), "{set}, expected {text}");
    }

    #[test]
    fn numbers_have_any_size() {
        let isl = isl::Ctx::new();
        for value in [0, -1, i128::from(i64::MIN) - 1, i128::from(u64::MAX), 1 << 100, i128::MIN, i128::MAX] {
            assert_eq!(number(&isl, value).unwrap().to_string(), value.to_string());
        }
    }

    #[test]
    fn sets_are_what_a_text_would_say() {
        let isl = isl::Ctx::new();
        equal(&nothing(&isl).unwrap(), "{ : false }");
        equal(&point(&isl).unwrap(), "{ [] }");
        equal(&outside(&isl, N, (i64::MIN, 3)).unwrap(), "[v7] -> { : v7 < -9223372036854775808 or v7 > 3 }");
        let ranges = [(N, Some((0, 9))), (ValueId(8), None)];
        equal(&within(&isl, &ranges).unwrap(), "[v7, v8] -> { : 0 <= v7 <= 9 }");
        assert_eq!(values(&within(&isl, &ranges).unwrap()), Ok(vec![N, ValueId(8)]));
    }

    #[test]
    fn forms_are_over_dimensions_and_values() {
        let isl = isl::Ctx::new();
        let forms = Forms::over(&isl, &[I], &BTreeSet::from([N])).unwrap();
        let n = Polynomial::symbol(Symbol::Value(N));
        let i = Polynomial::symbol(Symbol::Dim(I));
        let distance = n.sub(&i.scale(2).unwrap()).and_then(|rest| rest.sub(&Polynomial::constant(5))).unwrap();
        equal(&forms.constraint(&distance, false).unwrap().to_set().unwrap(), "[v7] -> { [i] : v7 - 2 i - 5 >= 0 }");
        equal(&forms.constraint(&distance, true).unwrap().to_set().unwrap(), "[v7] -> { [i] : v7 - 2 i - 5 = 0 }");
        equal(&forms.multiples(&i, 3).unwrap(), "[v7] -> { [i] : i mod 3 = 0 }");
        let other = Polynomial::symbol(Symbol::Dim(Dim::Greatest));
        assert_eq!(forms.constraint(&other, false).err(), Some(Reason::NotAffine));
        assert_eq!(forms.constraint(&n.mul(&i).unwrap(), false).err(), Some(Reason::NotAffine));
    }
}
