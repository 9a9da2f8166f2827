//! The side of MLIR: from the affine dialect and back.

pub mod diagnostic;
pub mod emit;
pub mod estimate;
pub mod ir;
pub mod layout;
pub mod lift;
pub mod lower;
pub mod marker;
pub mod names;
pub mod region;
pub mod register;
pub mod schedule;
pub mod translation_validation;
