//! Delinearization: subscripts instead of offsets.
//!
//! | file | what |
//! |---|---|
//! | `arrays.rs` | the arrays of a region, one shape for all accesses of each |
//! | `shape.rs` | a shape that fits offsets |
//! | `limits.rs` | numbers that must be below limits, as places of an array |
//! | `rows.rs` | the pointers to rows that are loaded, as an array |
//! | `footprint.rs` | the least and the greatest element that is accessed |

pub mod arrays;
pub mod footprint;
pub mod limits;
pub mod rows;
pub mod shape;
