//! From a schedule tree to hardware: which loops run in parallel, and on what.

mod conflicts;
mod cpu;
mod distribute;
#[cfg(test)]
mod tests;

pub use cpu::{Options as CpuOptions, cpu};
