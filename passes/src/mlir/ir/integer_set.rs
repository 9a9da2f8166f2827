//! Integer sets, the conditions of `affine.if`. melior has affine maps but not these.

use std::fmt;

use melior::Context;
use melior::ir::{AffineExpr, Attribute, AttributeLike};
use mlir_sys::{
    MlirAffineExpr, MlirIntegerSet, mlirAttributeIsAIntegerSet, mlirIntegerSetAttrGet, mlirIntegerSetAttrGetValue,
    mlirIntegerSetEmptyGet, mlirIntegerSetGet, mlirIntegerSetGetConstraint, mlirIntegerSetGetNumConstraints,
    mlirIntegerSetGetNumDims, mlirIntegerSetGetNumSymbols, mlirIntegerSetIsConstraintEq,
};
use std::marker::PhantomData;

/// A conjunction of affine constraints over dimensions and symbols, owned by the context.
#[derive(Clone, Copy)]
pub struct IntegerSet<'c> {
    raw: MlirIntegerSet,
    context: PhantomData<&'c Context>,
}

impl<'c> IntegerSet<'c> {
    /// The set of the points where each expression is zero (`true`) or non-negative (`false`). With no
    /// constraint it is the set of all points, as one constraint that always holds.
    pub fn new(context: &'c Context, dims: usize, symbols: usize, constraints: &[(AffineExpr<'c>, bool)]) -> Self {
        if constraints.is_empty() {
            let always = AffineExpr::constant(context, 0);
            return Self::new(context, dims, symbols, &[(always, true)]);
        }
        let expressions: Vec<MlirAffineExpr> = constraints.iter().map(|(expression, _)| expression.to_raw()).collect();
        let equalities: Vec<bool> = constraints.iter().map(|(_, equal)| *equal).collect();
        // SAFETY: both arrays have `constraints.len()` entries and are copied by the call.
        let raw = unsafe {
            mlirIntegerSetGet(
                context.to_raw(),
                dims.cast_signed(),
                symbols.cast_signed(),
                constraints.len().cast_signed(),
                expressions.as_ptr(),
                equalities.as_ptr(),
            )
        };
        Self::from_raw(raw)
    }

    /// The empty set.
    pub fn empty(context: &'c Context, dims: usize, symbols: usize) -> Self {
        // SAFETY: the context is alive.
        Self::from_raw(unsafe { mlirIntegerSetEmptyGet(context.to_raw(), dims.cast_signed(), symbols.cast_signed()) })
    }

    /// The set that an attribute holds, if it holds one.
    pub fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
        // SAFETY: attributes live as long as the context; the kind is tested before the access.
        unsafe {
            mlirAttributeIsAIntegerSet(attribute.to_raw())
                .then(|| Self::from_raw(mlirIntegerSetAttrGetValue(attribute.to_raw())))
        }
    }

    /// The set as an attribute.
    pub fn to_attribute(self) -> Attribute<'c> {
        // SAFETY: the set is alive, and so is its attribute.
        unsafe { Attribute::from_raw(mlirIntegerSetAttrGet(self.raw)) }
    }

    /// How many dimensions the set has.
    pub fn dim_count(self) -> usize {
        // SAFETY: the set is alive.
        unsafe { mlirIntegerSetGetNumDims(self.raw) }.unsigned_abs()
    }

    /// How many symbols the set has.
    pub fn symbol_count(self) -> usize {
        // SAFETY: the set is alive.
        unsafe { mlirIntegerSetGetNumSymbols(self.raw) }.unsigned_abs()
    }

    /// The constraints: an expression that is zero (`true`) or non-negative (`false`).
    pub fn constraints(self) -> Vec<(AffineExpr<'c>, bool)> {
        // SAFETY: the set is alive and positions are below the count.
        unsafe {
            (0..mlirIntegerSetGetNumConstraints(self.raw))
                .map(|position| {
                    (
                        AffineExpr::from_raw(mlirIntegerSetGetConstraint(self.raw, position)),
                        mlirIntegerSetIsConstraintEq(self.raw, position),
                    )
                })
                .collect()
        }
    }

    const fn from_raw(raw: MlirIntegerSet) -> Self {
        Self { raw, context: PhantomData }
    }
}

impl fmt::Display for IntegerSet<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_attribute().fmt(formatter)
    }
}
