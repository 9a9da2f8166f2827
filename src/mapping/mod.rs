//! From a schedule tree to hardware: which loops run in parallel, and on what.

mod conflicts;
mod cpu;
#[cfg(test)]
mod tests;

pub use cpu::{Options as CpuOptions, cpu};
