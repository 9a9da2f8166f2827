//! Layouts: whether different subscripts of a memref are different elements.
//!
//! The model knows an element by its subscripts, so what is written has to have a layout that shows no element twice.
//! Of a layout that is written down that is proved: sorted by their strides, each dimension steps over all that is
//! inside of it. What a function is called with is taken to be of that kind where its type leaves that open (dynamic
//! strides, or dynamic sizes that have to fit into static strides), as part of what `assume-noalias=true` takes for
//! granted; a type that shows elements twice as soon as there are two along each dimension is not.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike};
use mlir_sys::{
    mlirAffineMapIsIdentity, mlirMemRefTypeGetAffineMap, mlirMemRefTypeGetStridesAndOffset,
    mlirShapedTypeGetDynamicStrideOrOffset,
};

use super::types::{self, Extent};
use super::views::{self, Offset};
use crate::mlir::ir::operation::{attribute, is, name, operands, results};
use crate::mlir::ir::value::{ValueId, defining, id};

/// Whether different subscripts of a memref are known to be different elements; `assume`: or taken to be, where it
/// comes from elsewhere and its type leaves it open.
pub(super) fn is_one_to_one(memref: Value<'_, '_>, assume: bool) -> bool {
    let kind = memref.r#type();
    let Some((operation, number)) = defining(memref) else { return is_type_one_to_one(kind, assume) };
    match name(operation).as_str() {
        "memref.reinterpret_cast" => {
            shape(operation).is_some_and(|dimensions| is_nested(&dimensions))
                || metadata_source(operation).is_some_and(|source| is_one_to_one(source, assume))
        }
        "memref.subview" => {
            let Some(base) = views::base(operation, number) else { return false };
            let offsets = views::offsets(operation).unwrap_or_default();
            let strides = &offsets[offsets.len() / 2..];
            strides.iter().all(|stride| matches!(stride, Offset::Static(stride) if *stride != 0))
                && is_one_to_one(base, assume)
        }
        "memref.cast" if is_type_one_to_one(kind, false) => true,
        "memref.view" | "memref.reshape" => is_type_one_to_one(kind, false),
        "memref.extract_strided_metadata" => true,
        _ => match views::base(operation, number) {
            Some(base) => is_one_to_one(base, assume),
            None => is_type_one_to_one(kind, false),
        },
    }
}

/// A product of a number and values that are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Product {
    factor: i64,
    /// In any order.
    values: Vec<ValueId>,
}

impl Product {
    fn constant(factor: i64) -> Self {
        Self { factor, values: Vec::new() }
    }

    /// The product that a value is.
    fn of(value: Value<'_, '_>) -> Option<Self> {
        let operation = defining(value).map(|(operation, _)| operation);
        match operation.map(|operation| (operation, name(operation))) {
            Some((operation, kind)) if kind == "arith.constant" => {
                let number = IntegerAttribute::try_from(attribute(operation, "value")?).ok()?;
                Some(Self::constant(number.value()))
            }
            Some((operation, kind)) if kind == "arith.muli" => {
                let factors = operands(operation);
                Self::of(factors[0])?.times(&Self::of(factors[1])?)
            }
            _ => Some(Self { factor: 1, values: vec![id(value)] }),
        }
    }

    fn from_offset(offset: &Offset<'_, '_>) -> Option<Self> {
        match offset {
            Offset::Static(number) => Some(Self::constant(*number)),
            Offset::Dynamic(value) => Self::of(*value),
        }
    }

    fn times(&self, other: &Self) -> Option<Self> {
        /// Longer products are of no use.
        const MOST: usize = 16;
        let values = [self.values.as_slice(), other.values.as_slice()].concat();
        if values.len() > MOST {
            return None;
        }
        Some(Self { factor: self.factor.checked_mul(other.factor)?, values })
    }

    /// Whether this is at least another one that is positive.
    fn is_at_least(&self, positive: &Self) -> bool {
        let count = |all: &[ValueId], value: &ValueId| all.iter().filter(|known| *known == value).count();
        let same = self.values.len() == positive.values.len()
            && self.values.iter().all(|value| count(&self.values, value) == count(&positive.values, value));
        same && positive.factor > 0 && self.factor >= positive.factor
    }
}

/// A dimension: how many elements, and how far apart.
struct Dimension {
    size: Product,
    stride: Product,
}

/// Whether dimensions can be put in an order in which each steps over all that those before it show. The step of the
/// first is a number, and that of each other at least one that is positive wherever there are elements at all.
fn is_nested(dimensions: &[Dimension]) -> bool {
    /// All orders of more are too many.
    const MOST: usize = 6;
    if dimensions.iter().any(|dimension| dimension.size == Product::constant(0)) {
        return true;
    }
    let wide: Vec<&Dimension> = dimensions.iter().filter(|dimension| dimension.size != Product::constant(1)).collect();
    wide.len() <= MOST && steps_over(&wide, &Product::constant(1))
}

/// Whether dimensions, in some order, step over each other and over so many elements, which are positive.
fn steps_over(dimensions: &[&Dimension], covered: &Product) -> bool {
    let is_next = |position: usize| {
        let next = dimensions[position];
        let Some(all) = next.stride.times(&next.size).filter(|_| next.stride.is_at_least(covered)) else {
            return false;
        };
        let rest: Vec<_> = [&dimensions[..position], &dimensions[position + 1..]].concat();
        steps_over(&rest, &all)
    };
    dimensions.is_empty() || (0..dimensions.len()).any(is_next)
}

/// The dimensions of a `memref.reinterpret_cast`, if all are products.
fn shape(operation: OperationRef<'_, '_>) -> Option<Vec<Dimension>> {
    let [sizes, strides] = views::sizes_and_strides(operation)?;
    let pairs = sizes.iter().zip(&strides);
    pairs
        .map(|(size, stride)| {
            Some(Dimension { size: Product::from_offset(size)?, stride: Product::from_offset(stride)? })
        })
        .collect()
}

/// The memref whose sizes and strides a `memref.reinterpret_cast` has, as `memref.extract_strided_metadata` gives them.
fn metadata_source<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    let [sizes, strides] = views::sizes_and_strides(operation)?;
    let dynamic = sizes.iter().chain(&strides).find_map(|entry| match entry {
        Offset::Dynamic(value) => defining(*value),
        Offset::Static(_) => None,
    });
    let (metadata, _) = dynamic.filter(|(operation, _)| is(*operation, "memref.extract_strided_metadata"))?;
    let source = *operands(metadata).first()?;
    let extents = types::extents(source.r#type())?;
    let known = strides_of(source.r#type())?;
    let values = results(metadata);
    if extents.len() != sizes.len() {
        return None;
    }
    let same = |entry: &Offset<'c, 'a>, result: usize, fixed: Option<i64>| match entry {
        Offset::Dynamic(value) => values.get(result).is_some_and(|known| id(*known) == id(*value)),
        Offset::Static(number) => fixed == Some(*number),
    };
    let rank = sizes.len();
    let all = (0..rank).all(|dimension| {
        let size = match extents[dimension] {
            Extent::Static(size) => Some(size),
            Extent::Dynamic(_) => None,
        };
        same(&sizes[dimension], 2 + dimension, size)
            && same(&strides[dimension], 2 + rank + dimension, known[dimension])
    });
    all.then_some(source)
}

/// Whether the layout of a type shows no element twice.
fn is_type_one_to_one(kind: Type<'_>, assume: bool) -> bool {
    if !types::is_memref(kind) {
        return false;
    }
    // SAFETY: the type is alive, and a memref.
    if unsafe { mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(kind.to_raw())) } {
        return true;
    }
    let (Some(extents), Some(strides)) = (types::extents(kind), strides_of(kind)) else { return false };
    let mut dimensions = Vec::new();
    for (extent, stride) in extents.into_iter().zip(strides) {
        let size = match extent {
            Extent::Static(1) => continue,
            Extent::Static(size) => size,
            // Whatever fits: two elements are the least that can be shown twice.
            Extent::Dynamic(_) if assume => 2,
            Extent::Dynamic(_) => i64::MAX,
        };
        match stride.and_then(i64::checked_abs) {
            Some(stride) => dimensions.push((stride, size)),
            None if assume => {}
            None => return false,
        }
    }
    dimensions.sort_unstable();
    let mut reached: i128 = 0;
    dimensions.iter().any(|(_, size)| *size == 0)
        || dimensions.into_iter().all(|(stride, size)| {
            let is_new = i128::from(stride) > reached;
            reached = reached.saturating_add(i128::from(stride).saturating_mul(i128::from(size) - 1));
            is_new
        })
}

/// Neighbours along the last dimension of a memref type are neighbours in memory, as operations on vectors need it.
pub fn has_rows(kind: Type<'_>) -> bool {
    strides_of(kind).is_some_and(|strides| strides.last() == Some(&Some(1)))
}

/// The strides of a memref type, those that are not known left out; nothing if elements are not at strides.
fn strides_of(kind: Type<'_>) -> Option<Vec<Option<i64>>> {
    let rank = types::extents(kind)?.len();
    let (mut strides, mut offset) = (vec![0_i64; rank], 0_i64);
    // SAFETY: the type is alive, and a memref; there is room for all strides.
    let (found, dynamic) = unsafe {
        let found = mlirMemRefTypeGetStridesAndOffset(kind.to_raw(), strides.as_mut_ptr(), &raw mut offset);
        (found.value != 0, mlirShapedTypeGetDynamicStrideOrOffset())
    };
    found.then(|| strides.into_iter().map(|stride| (stride != dynamic).then_some(stride)).collect())
}

#[cfg(test)]
mod tests {
    use super::{Dimension, Product, is_nested};

    fn dimensions(all: &[(i64, i64)]) -> Vec<Dimension> {
        let of = |(size, stride): &(i64, i64)| Dimension {
            size: Product::constant(*size),
            stride: Product::constant(*stride),
        };
        all.iter().map(of).collect()
    }

    #[test]
    fn dimensions_in_any_order_step_over_each_other() {
        assert!(is_nested(&dimensions(&[(3, 8), (2, 1), (4, 2)])));
        assert!(!is_nested(&dimensions(&[(3, 7), (2, 1), (4, 2)])));
        assert!(!is_nested(&dimensions(&[(8, 1), (8, 1)])));
        assert!(!is_nested(&dimensions(&[(8, 0)])));
        assert!(!is_nested(&dimensions(&[(8, -1)])));
    }

    #[test]
    fn one_element_or_none_is_shown_once() {
        assert!(is_nested(&dimensions(&[(8, 1), (1, 1)])));
        assert!(is_nested(&dimensions(&[(8, 1), (8, 1), (0, 1)])));
        assert!(is_nested(&dimensions(&[])));
    }
}
