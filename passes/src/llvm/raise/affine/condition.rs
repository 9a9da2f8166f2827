//! Conditions as affine constraints.

use super::assumptions::{Assumptions, Constraint, Domain};
use super::polynomial::Polynomial;
use crate::llvm::raise::code::operation::Predicate;
use crate::llvm::raise::refusal::{Reason, Step};

/// Where several constraints all hold, or where they do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// It holds where one of them does not.
    pub negated: bool,
}

/// Conditions that a node runs under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    /// They are affine.
    Affine,
    /// One of them depends on data.
    Data,
}

/// More constraints are not looked at.
const CONSTRAINTS: usize = 16;

impl Condition {
    /// Where all of some constraints hold.
    pub fn all(constraints: Vec<Constraint>) -> Self {
        Self { constraints, negated: false }
    }

    /// The opposite.
    ///
    /// # Errors
    /// [`Reason::NotAffine`] if it is too large.
    pub fn not(self) -> Step<Self> {
        if let ([Constraint { polynomial, equal: false }], false) = (&self.constraints[..], self.negated) {
            // not p >= 0 is -p - 1 >= 0
            let other = polynomial.scale(-1).and_then(|other| other.sub(&Polynomial::constant(1)));
            return Ok(Self::all(vec![Constraint::at_least_zero(other.ok_or(Reason::NotAffine)?)]));
        }
        Ok(Self { negated: !self.negated, ..self })
    }

    /// Where both hold.
    ///
    /// # Errors
    /// [`Reason::NotAffine`] if that is no conjunction, or one of too many constraints.
    pub fn and(self, other: Self) -> Step<Self> {
        if self.negated || other.negated || self.constraints.len() + other.constraints.len() > CONSTRAINTS {
            return Err(Reason::NotAffine);
        }
        Ok(Self::all(self.constraints.into_iter().chain(other.constraints).collect()))
    }
}

/// Where an order of two numbers holds.
///
/// # Errors
/// [`Reason::NotAffine`] if it is no affine constraint; those of [`Assumptions::assume`].
pub fn compare(
    assumptions: &mut Assumptions,
    predicate: Predicate,
    left: &Polynomial,
    right: &Polynomial,
    domain: &Domain,
) -> Step<Condition> {
    let one = |constraint: Constraint| Ok(Condition::all(vec![constraint]));
    match predicate {
        Predicate::Slt => one(ordered(left, right, 1)?),
        Predicate::Sle => one(ordered(left, right, 0)?),
        Predicate::Sgt => one(ordered(right, left, 1)?),
        Predicate::Sge => one(ordered(right, left, 0)?),
        Predicate::Ult => unsigned(assumptions, left, right, ordered(left, right, 1)?, domain),
        Predicate::Ule => unsigned(assumptions, left, right, ordered(left, right, 0)?, domain),
        Predicate::Ugt => unsigned(assumptions, right, left, ordered(right, left, 1)?, domain),
        Predicate::Uge => unsigned(assumptions, right, left, ordered(right, left, 0)?, domain),
        Predicate::Eq | Predicate::Ne => {
            let polynomial = left.sub(right).filter(Polynomial::is_affine).ok_or(Reason::NotAffine)?;
            let negated = predicate == Predicate::Ne;
            Ok(Condition { constraints: vec![Constraint { polynomial, equal: true }], negated })
        }
    }
}

/// An unsigned order, of a number that may be negative and one that must not be.
fn unsigned(
    assumptions: &mut Assumptions,
    less: &Polynomial,
    greater: &Polynomial,
    order: Constraint,
    domain: &Domain,
) -> Step<Condition> {
    assumptions.assume(domain, greater, Some(0), None)?;
    if assumptions.is_at_least_zero(domain, less)? {
        return Ok(Condition::all(vec![order]));
    }
    // A negative number is a large one.
    Ok(Condition::all(vec![Constraint::at_least_zero(less.clone()), order]))
}

/// `greater - less - gap >= 0`
///
/// # Errors
/// [`Reason::NotAffine`].
pub fn ordered(less: &Polynomial, greater: &Polynomial, gap: i128) -> Step<Constraint> {
    let distance = greater.sub(less).and_then(|rest| rest.sub(&Polynomial::constant(gap)));
    distance.map(Constraint::at_least_zero).filter(|it| it.polynomial.is_affine()).ok_or(Reason::NotAffine)
}
