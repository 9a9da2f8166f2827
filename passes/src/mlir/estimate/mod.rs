//! Estimates of what code does, known now or computed when the program runs.

mod amount;
mod work;

pub use amount::{Amount, Operator};
pub use work::{is_uneven, launches_in, of_lone_threads, of_operations, of_parallel};
