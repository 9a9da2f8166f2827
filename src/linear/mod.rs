//! Exact integer linear algebra. No isl in it.

mod matrix;

pub(crate) use matrix::{Hermite, Overflow, hermite};
