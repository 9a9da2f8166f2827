//! Loops, conditions and accesses as affine functions.
//!
//! | file | what |
//! |---|---|
//! | `early_reject.rs` | what is no region, as far as that is clear without isl |
//! | `describe.rs` | a run of nodes: iterations, conditions, accesses |
//! | `accesses.rs` | the accesses of these |
//! | `no_wrap.rs` | exact integers for those of LLVM, which wrap around |
//! | `congruent.rs` | subscripts of fewer bits than addresses, which wrap around |
//! | `truth.rs` | where a value of one bit is true |
//! | `condition.rs` | that as constraints |
//! | `limit.rs` | errors that a check on a sum of products ends with |
//! | `max_start.rs` | loops that start with the greatest of several numbers |
//! | `rows.rs` | rows behind pointers as an array of one dimension more |
//! | `origin.rs` | loops that count from another number than subscripts do |
//! | `range.rs` | where the variable of a loop goes |
//! | `assumptions.rs` | what is assumed, and the values from outside for which that does not hold |
//! | `fits.rs` | that bounds, conditions and products have 64 bits |
//! | `sets.rs` | sets of isl over dimensions and values, by constructors |
//! | `polynomial.rs` | polynomials over loop variables and values |

mod accesses;
pub mod assumptions;
pub mod condition;
pub mod congruent;
pub mod describe;
pub mod early_reject;
pub mod fits;
pub mod limit;
pub mod max_start;
pub mod no_wrap;
pub mod origin;
pub mod polynomial;
pub mod range;
pub mod rows;
pub mod sets;
pub mod truth;
