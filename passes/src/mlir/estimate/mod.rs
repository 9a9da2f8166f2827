//! Estimates of what code does, known now or computed when the program runs.

mod amount;
mod work;

pub use amount::{Amount, Operator};
pub use work::{launches_in, of_lone_threads, of_operations, of_parallel};
