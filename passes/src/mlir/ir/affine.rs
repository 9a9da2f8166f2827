//! Views of the affine dialect's operations: what an operation says, without MLIR's encoding.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DenseElementsAttribute, DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::{AffineExpr, AffineMap, Attribute, AttributeLike, BlockRef, OperationRef, Value};
use mlir_sys::{mlirAffineMapAttrGetValue, mlirAttributeIsAAffineMap};

use super::integer_set::IntegerSet;
use super::operation::{arguments, attribute, is, only_block, operands, regions};

/// The map that an attribute holds, if it holds one.
pub fn map_of<'c>(attribute: Attribute<'c>) -> Option<AffineMap<'c>> {
    // SAFETY: attributes live as long as the context; the kind is tested before the access.
    unsafe {
        mlirAttributeIsAAffineMap(attribute.to_raw())
            .then(|| AffineMap::from_raw(mlirAffineMapAttrGetValue(attribute.to_raw())))
    }
}

fn map_attribute<'c>(operation: OperationRef<'c, '_>, name: &str) -> Option<AffineMap<'c>> {
    map_of(attribute(operation, name)?)
}

/// A map and its operands, dimensions before symbols. As a lower bound it means the greatest of its
/// results, as an upper bound (exclusive) the least.
#[derive(Clone, Debug)]
pub struct Bound<'c, 'a> {
    /// The map.
    pub map: AffineMap<'c>,
    /// Its operands: `map.dim_count()` dimensions, then `map.symbol_count()` symbols.
    pub operands: Vec<Value<'c, 'a>>,
}

impl<'c> Bound<'c, '_> {
    /// The map with a last result that is so much greater.
    pub fn further(&self, context: &'c Context, distance: i64) -> AffineMap<'c> {
        let count = self.map.result_count();
        let mut results: Vec<_> = (0..count).filter_map(|number| self.map.result(number).ok()).collect();
        if let Some(last) = results.last_mut().filter(|_| distance != 0) {
            *last = *last + AffineExpr::constant(context, distance);
        }
        AffineMap::new(context, self.map.dim_count(), self.map.symbol_count(), &results)
    }
}

/// An `affine.for`.
#[derive(Clone, Debug)]
pub struct AffineFor<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// The first value of the induction variable.
    pub lower: Bound<'c, 'a>,
    /// The exclusive upper bound.
    pub upper: Bound<'c, 'a>,
    /// The step, positive.
    pub step: i64,
    /// The initial values of the loop-carried ones.
    pub inits: Vec<Value<'c, 'a>>,
    /// The induction variable.
    pub variable: Value<'c, 'a>,
    /// The loop-carried values as block arguments.
    pub carried: Vec<Value<'c, 'a>>,
    /// The body; its terminator is `affine.yield`.
    pub body: BlockRef<'c, 'a>,
}

impl<'c, 'a> AffineFor<'c, 'a> {
    /// The view, if the operation is an `affine.for`.
    pub fn new(operation: OperationRef<'c, 'a>) -> Option<Self> {
        if !is(operation, "affine.for") {
            return None;
        }
        let [lower, upper, inits] = segments(operation)?;
        let body = only_block(operation, 0)?;
        let mut carried = arguments(body);
        if carried.is_empty() {
            return None;
        }
        let variable = carried.remove(0);
        let step = IntegerAttribute::try_from(attribute(operation, "step")?).ok()?;
        Some(Self {
            operation,
            lower: Bound { map: map_attribute(operation, "lowerBoundMap")?, operands: lower },
            upper: Bound { map: map_attribute(operation, "upperBoundMap")?, operands: upper },
            step: step.value(),
            inits,
            variable,
            carried,
            body,
        })
    }
}

/// The operands cut by `operandSegmentSizes`, if there are `N` segments.
fn segments<'c, 'a, const N: usize>(operation: OperationRef<'c, 'a>) -> Option<[Vec<Value<'c, 'a>>; N]> {
    let sizes = DenseI32ArrayAttribute::try_from(attribute(operation, "operandSegmentSizes")?).ok()?;
    let mut rest = operands(operation).into_iter();
    let mut result = Vec::new();
    for number in 0..sizes.len() {
        let size = usize::try_from(sizes.element(number).ok()?).ok()?;
        result.push(rest.by_ref().take(size).collect());
    }
    result.try_into().ok()
}

/// An `affine.if`.
#[derive(Clone)]
pub struct AffineIf<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// The condition.
    pub condition: IntegerSet<'c>,
    /// The condition's operands, dimensions before symbols.
    pub operands: Vec<Value<'c, 'a>>,
    /// The block that runs where the condition holds.
    pub then: BlockRef<'c, 'a>,
    /// The block that runs elsewhere.
    pub otherwise: Option<BlockRef<'c, 'a>>,
}

impl<'c, 'a> AffineIf<'c, 'a> {
    /// The view, if the operation is an `affine.if`.
    pub fn new(operation: OperationRef<'c, 'a>) -> Option<Self> {
        if !is(operation, "affine.if") {
            return None;
        }
        Some(Self {
            operation,
            condition: IntegerSet::from_attribute(attribute(operation, "condition")?)?,
            operands: operands(operation),
            then: only_block(operation, 0)?,
            otherwise: only_block(operation, 1),
        })
    }
}

/// An `affine.parallel`.
#[derive(Clone, Debug)]
pub struct AffineParallel<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// The lower bound of each dimension: the greatest of its results.
    pub lowers: Vec<Bound<'c, 'a>>,
    /// The exclusive upper bound of each dimension: the least of its results.
    pub uppers: Vec<Bound<'c, 'a>>,
    /// The step of each dimension, positive.
    pub steps: Vec<i64>,
    /// The induction variables.
    pub variables: Vec<Value<'c, 'a>>,
    /// The kind of each reduction, as `arith::AtomicRMWKind` numbers them; one for each result.
    pub reductions: Vec<i64>,
    /// The body; its terminator is `affine.yield`.
    pub body: BlockRef<'c, 'a>,
}

impl<'c, 'a> AffineParallel<'c, 'a> {
    /// The view, if the operation is an `affine.parallel`.
    pub fn new(operation: OperationRef<'c, 'a>) -> Option<Self> {
        if !is(operation, "affine.parallel") {
            return None;
        }
        let lower = map_attribute(operation, "lowerBoundsMap")?;
        let mut rest = operands(operation);
        let upper_operands = rest.split_off(lower.input_count().min(rest.len()));
        let upper = map_attribute(operation, "upperBoundsMap")?;
        let body = only_block(operation, 0)?;
        Some(Self {
            operation,
            lowers: grouped(operation, "lowerBoundsGroups", lower, &rest)?,
            uppers: grouped(operation, "upperBoundsGroups", upper, &upper_operands)?,
            steps: integers(attribute(operation, "steps")?)?,
            variables: arguments(body),
            reductions: integers(attribute(operation, "reductions")?)?,
            body,
        })
    }
}

/// One bound for each dimension, from a map of all results and how many each dimension has.
fn grouped<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    name: &str,
    map: AffineMap<'c>,
    operands: &[Value<'c, 'a>],
) -> Option<Vec<Bound<'c, 'a>>> {
    let groups = DenseElementsAttribute::try_from(attribute(operation, name)?).ok()?;
    let mut next = 0;
    let mut bounds = Vec::new();
    for number in 0..groups.len() {
        let size = usize::try_from(groups.i32_element(number).ok()?).ok()?;
        let positions: Vec<usize> = (next..next + size).collect();
        next += size;
        bounds.push(Bound { map: map.sub_map(&positions), operands: operands.to_vec() });
    }
    Some(bounds)
}

fn integers(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    let array = ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len()).map(|number| Some(IntegerAttribute::try_from(array.element(number).ok()?).ok()?.value())).collect()
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// `affine.load` or `affine.vector_load`.
    Load,
    /// `affine.store` or `affine.vector_store`.
    Store,
}

/// An `affine.load`, `affine.store`, `affine.vector_load` or `affine.vector_store`.
#[derive(Clone, Debug)]
pub struct Access<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// Its kind.
    pub kind: AccessKind,
    /// Whether it moves a vector, along the innermost dimension and from the subscript upwards.
    pub vector: bool,
    /// The buffer.
    pub memref: Value<'c, 'a>,
    /// The subscripts.
    pub subscripts: Bound<'c, 'a>,
    /// The value that is stored, or the load's result.
    pub value: Value<'c, 'a>,
}

impl<'c, 'a> Access<'c, 'a> {
    /// The view, if the operation is one of the four.
    pub fn new(operation: OperationRef<'c, 'a>) -> Option<Self> {
        let (kind, vector) = match super::operation::name(operation).as_str() {
            "affine.load" => (AccessKind::Load, false),
            "affine.store" => (AccessKind::Store, false),
            "affine.vector_load" => (AccessKind::Load, true),
            "affine.vector_store" => (AccessKind::Store, true),
            _ => return None,
        };
        let mut rest = operands(operation);
        let value = match kind {
            AccessKind::Load => operation.result(0).ok()?.into(),
            AccessKind::Store => rest.remove(0),
        };
        let memref = rest.remove(0);
        let map = map_attribute(operation, "map")?;
        Some(Self { operation, kind, vector, memref, subscripts: Bound { map, operands: rest }, value })
    }
}

/// Which of the three an [`Apply`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplyKind {
    /// `affine.apply`: the map's only result.
    Apply,
    /// `affine.min`: the least result.
    Min,
    /// `affine.max`: the greatest result.
    Max,
}

/// An `affine.apply`, `affine.min` or `affine.max`.
#[derive(Clone, Debug)]
pub struct Apply<'c, 'a> {
    /// The operation.
    pub operation: OperationRef<'c, 'a>,
    /// Which of the three.
    pub kind: ApplyKind,
    /// The map with its operands.
    pub argument: Bound<'c, 'a>,
}

impl<'c, 'a> Apply<'c, 'a> {
    /// The view, if the operation is one of the three.
    pub fn new(operation: OperationRef<'c, 'a>) -> Option<Self> {
        let kind = match super::operation::name(operation).as_str() {
            "affine.apply" => ApplyKind::Apply,
            "affine.min" => ApplyKind::Min,
            "affine.max" => ApplyKind::Max,
            _ => return None,
        };
        Some(Self {
            operation,
            kind,
            argument: Bound { map: map_attribute(operation, "map")?, operands: operands(operation) },
        })
    }
}

/// Whether the operation has no region, so that it can be cloned as one instance.
pub fn is_leaf(operation: OperationRef<'_, '_>) -> bool {
    regions(operation).is_empty()
}
