//! Extents and element types of memrefs and vectors.

use melior::ir::{Type, TypeLike};
use mlir_sys::{
    mlirComplexTypeGetElementType, mlirFloatTypeGetWidth, mlirIntegerTypeGetWidth, mlirShapedTypeGetDimSize,
    mlirShapedTypeGetElementType, mlirShapedTypeGetRank, mlirShapedTypeHasRank, mlirShapedTypeIsDynamicDim,
    mlirTypeIsAComplex, mlirTypeIsAFloat, mlirTypeIsAIndex, mlirTypeIsAInteger, mlirTypeIsAMemRef, mlirTypeIsAVector,
    mlirVectorTypeIsScalable,
};
use polyrs_core::scop::{ElementKind, ElementType};

/// The extent of one dimension of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Known.
    Static(i64),
    /// Given at run time; how many dynamic dimensions come before.
    Dynamic(usize),
}

/// Whether the type is `index`.
pub(super) fn is_index(kind: Type<'_>) -> bool {
    // SAFETY: types live as long as the context.
    unsafe { mlirTypeIsAIndex(kind.to_raw()) }
}

/// The width of an integer type; nothing for other types.
pub(super) fn integer_width(kind: Type<'_>) -> Option<u32> {
    // SAFETY: types live as long as the context; the kind is tested before the access.
    unsafe { mlirTypeIsAInteger(kind.to_raw()).then(|| mlirIntegerTypeGetWidth(kind.to_raw())) }
}

/// Whether the type is one of numbers, or vectors of numbers.
pub(super) fn is_number(kind: Type<'_>) -> bool {
    let raw = kind.to_raw();
    // SAFETY: types live as long as the context.
    let plain = unsafe { mlirTypeIsAFloat(raw) || mlirTypeIsAInteger(raw) || mlirTypeIsAComplex(raw) };
    plain || is_index(kind) || vector_extents(kind).is_some()
}

/// Whether the type is a ranked memref.
pub(super) fn is_memref(kind: Type<'_>) -> bool {
    // SAFETY: types live as long as the context.
    unsafe { mlirTypeIsAMemRef(kind.to_raw()) }
}

/// The extents of a memref or vector type; nothing for other types.
pub(super) fn extents(kind: Type<'_>) -> Option<Vec<Extent>> {
    let raw = kind.to_raw();
    // SAFETY: types live as long as the context; the kind is tested before the accesses, positions are below the rank.
    unsafe {
        if !(mlirTypeIsAMemRef(raw) || mlirTypeIsAVector(raw)) || !mlirShapedTypeHasRank(raw) {
            return None;
        }
        let mut dynamic = 0;
        let extents = (0..mlirShapedTypeGetRank(raw)).map(|position| {
            if mlirShapedTypeIsDynamicDim(raw, position as isize) {
                dynamic += 1;
                Extent::Dynamic(dynamic - 1)
            } else {
                Extent::Static(mlirShapedTypeGetDimSize(raw, position as isize))
            }
        });
        Some(extents.collect())
    }
}

/// The extent of one dimension of a memref or vector type; nothing for other types and dimensions.
pub(super) fn extent(kind: Type<'_>, dimension: i64) -> Option<Extent> {
    extents(kind)?.get(usize::try_from(dimension).ok()?).copied()
}

/// The element type of a memref or vector type; nothing for other types.
pub fn element<'c>(kind: Type<'c>) -> Option<Type<'c>> {
    let raw = kind.to_raw();
    // SAFETY: as above.
    unsafe {
        (mlirTypeIsAMemRef(raw) || mlirTypeIsAVector(raw)).then(|| Type::from_raw(mlirShapedTypeGetElementType(raw)))
    }
}

/// The extents of a vector type whose size is fixed; nothing for other types.
pub(super) fn vector_extents(kind: Type<'_>) -> Option<Vec<i64>> {
    let raw = kind.to_raw();
    // SAFETY: as above.
    let fixed = unsafe { mlirTypeIsAVector(raw) && !mlirVectorTypeIsScalable(raw) };
    if !fixed {
        return None;
    }
    let fixed = extents(kind)?.into_iter().map(|extent| match extent {
        Extent::Static(size) => Some(size),
        Extent::Dynamic(_) => None,
    });
    fixed.collect()
}

/// Whether the type is a vector.
pub(super) fn is_vector(kind: Type<'_>) -> bool {
    // SAFETY: as above.
    unsafe { mlirTypeIsAVector(kind.to_raw()) }
}

/// A type as the core knows it. Of a type of unknown size, 64 bits are assumed: the size only steers costs.
pub(super) fn element_type(kind: Type<'_>) -> ElementType {
    let raw = kind.to_raw();
    // SAFETY: types live as long as the context; each kind is tested before the access.
    unsafe {
        if mlirTypeIsAFloat(raw) {
            return ElementType { kind: ElementKind::Float, bits: mlirFloatTypeGetWidth(raw) };
        }
        if mlirTypeIsAIndex(raw) {
            return ElementType { kind: ElementKind::Int, bits: 64 };
        }
        if mlirTypeIsAInteger(raw) {
            return ElementType { kind: ElementKind::Int, bits: mlirIntegerTypeGetWidth(raw) };
        }
        if mlirTypeIsAComplex(raw) {
            let part = element_type(Type::from_raw(mlirComplexTypeGetElementType(raw)));
            return ElementType { kind: ElementKind::Other, bits: part.bits.saturating_mul(2) };
        }
    }
    let bits = match (vector_extents(kind), element(kind)) {
        (Some(extents), Some(part)) => {
            let count = extents.into_iter().fold(1_i64, i64::saturating_mul);
            element_type(part).bits.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
        }
        _ => 64,
    };
    ElementType { kind: ElementKind::Other, bits }
}
