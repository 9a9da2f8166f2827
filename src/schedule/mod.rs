//! From dependences to a schedule tree.
//!
//! [`schedule`] is the scheduler of the ppcg report (sections 6 and 7) with the choices of a [`Strategy`]; [`isl_schedule`]
//! is isl's, as baseline; [`original`] keeps the order that is there.

mod above;
mod arguments;
mod band;
mod blocks;
mod build;
mod clusters;
mod coalescing;
mod coefficients;
mod components;
mod compress;
mod conditions;
mod cone;
mod constraints;
mod error;
mod explain;
mod fallback;
mod farkas;
mod feautrier;
mod gist;
mod graph;
mod groups;
mod independence;
mod isl_scheduler;
mod lp;
mod original;
mod pending;
mod phases;
mod proximity;
mod references;
mod scheduler;
mod sequential;
mod sizes;
mod spatial;
mod strategy;
#[cfg(test)]
mod tests;
mod tree;
mod unscale;
mod work;

pub use arguments::OptionError;
pub use constraints::constraints;
pub use error::{Error, Result};
pub use explain::{BandEnd, Event, Observer, Refusal, Rule};
pub use fallback::{schedule_or_serialize, schedule_or_serialize_below};
pub use isl_scheduler::{Options as IslOptions, isl_schedule, isl_schedule_or_wide};
pub use original::original;
pub use pending::Pending;
pub use phases::{Phase, measured};
pub use scheduler::{schedule, schedule_groups};
pub use sequential::{Separated, Sequential, sequential_members};
pub use strategy::{Algorithm, Cost, Fusion, Independence, ParseError, Signs, Strategy};
