//! From dependences to a schedule tree.
//!
//! [`schedule`] is the scheduler of the ppcg report (sections 6 and 7) with the choices of a [`Strategy`];
//! [`isl_schedule`] is isl's, as baseline; [`original`] keeps the order that is there.
//!
//! | file or folder | what |
//! |---|---|
//! | `constraints.rs` | dependences as constraints for a scheduler (ppcg report, 4.3) |
//! | `strategy/`, `arguments.rs` | the aims of our scheduler: problems, steps, presets as files; isl's option words |
//! | `scheduler/` | its steps (6.1, 6.2, 6.5.8), and the tree of what they decide (4.4) |
//! | `graph/` | statements and constraints as a graph: domains compressed (7.2) and simplified, sizes, components, independent rows, rows that are there already |
//! | `farkas/` | what dependences ask of coefficients (6.3): cones by their generators, coalescing (7.5) |
//! | `band/` | one permutable band as integer problems (6.5), conditional validity, temporal and spatial proximity (unified report, 4.4 to 4.7) |
//! | `decoupled/` | one permutable band by colours of a graph and linear problems over rationals (Acharya et al. 2018, 2020) |
//! | `feautrier/` | members that carry as much as possible (6.4) |
//! | `clusters/` | components combined (6.2, 7.3) |
//! | `near.rs` | what is near for some problems alone |
//! | `names.rs` | what a strategy names is in the region |
//! | `fallback.rs` | what is done where a strategy gives no schedule |
//! | `apart.rs` | copies of a layout, scheduled apart from what they are for |
//! | `isl_scheduler.rs`, `original.rs` | isl's scheduler; the given order |
//! | `pending.rs`, `sequential.rs` | what outer bands leave open; what keeps members from being coincident |
//! | `explain.rs`, `error.rs`, `phases.rs`, `work.rs` | events, errors, times, counted work |

mod apart;
mod arguments;
mod band;
mod clusters;
mod constraints;
mod decoupled;
mod error;
mod explain;
mod fallback;
mod farkas;
mod feautrier;
mod graph;
mod isl_scheduler;
mod names;
mod near;
mod original;
mod pending;
mod phases;
mod scheduler;
mod sequential;
mod strategy;
#[cfg(test)]
mod tests;
mod work;

pub use apart::schedule_apart;
pub use arguments::OptionError;
pub use constraints::{as_aimed, constraints, with_reads_near};
pub use error::{Error, Result};
pub use explain::{BandEnd, Bound, CarryingStep, Event, Observer, Origin, Relation, Rule, WhyApart};
pub use fallback::{schedule_or_serialize, schedule_or_serialize_below};
pub(crate) use graph::components::Components;
pub use isl_scheduler::{Options as IslOptions, isl_schedule, isl_schedule_or_wide};
pub use names::check_names;
pub use original::original;
pub use pending::Pending;
pub use phases::{Phase, measured};
pub use scheduler::{schedule, schedule_explained, schedule_groups};
pub use sequential::{Separated, Sequential, sequential_members};
pub use strategy::{
    Algorithm, Coefficient, Coincident, Condition, DependenceKind, Formulation, Fusion, Independence, Keep, Linear,
    Near, Otherwise, ParseError, Signs, Step, Strategy, Term, WavefrontPartner, Weights,
};
