//! Delinearization: subscripts instead of offsets.
//!
//! | file | what |
//! |---|---|
//! | `arrays.rs` | the arrays of a region, one shape for all accesses of each |
//! | `shape.rs` | a shape that fits offsets |
//! | `numbers.rs` | numbers as places of an array |
//! | `limits.rs` | numbers that must be below limits |
//! | `rows.rs` | the pointers to rows that are loaded, as an array |
//! | `footprint.rs` | the least and the greatest element that is accessed |

pub mod arrays;
pub mod footprint;
pub mod limits;
pub mod numbers;
pub mod rows;
pub mod shape;
