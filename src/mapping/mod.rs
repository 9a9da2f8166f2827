//! From a schedule tree to hardware: which loops run in parallel, and on what.

mod conflicts;
mod cpu;
mod distribute;
#[cfg(test)]
mod tests;
mod work;

pub use conflicts::Conflicts;
pub use cpu::{Mapped, Options as CpuOptions, cpu, cpu_with};
