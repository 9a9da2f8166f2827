//! Options: texts from a command line or a pipeline, read into types.
//!
//! [`schedule`] holds the options of `poly-schedule`, [`machine`] the one that several passes have, [`budget`] that for
//! time, [`fuel`] how many regions a process may change, [`tuned`]
//! what was measured of regions, [`value`] how single values are read.

pub mod budget;
pub mod file;
pub mod fuel;
pub mod machine;
#[cfg(test)]
mod mutated;
pub mod schedule;
pub mod tuned;
pub mod value;

pub use schedule::{Dump, Options};
pub use tuned::Tuning;
pub use value::{OptionError, Values};
