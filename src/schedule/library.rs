//! `scheduler=isl`: the library's own scheduler.

use crate::isl::{Ctx, Result, Schedule, ScheduleConstraints};

/// The options of the library's scheduler that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The outermost member of each band must be coincident; where that is impossible a step of Feautrier's algorithm
    /// carries what is in the way (ppcg report, section 6.2). Without it bands are wider, and a wavefront makes them
    /// parallel.
    pub outer_coincidence: bool,
    /// Strongly connected components are only fused when no coincident member is lost (ppcg report, section 7.3.5).
    pub maximize_coincidence: bool,
    /// Each strongly connected component is scheduled by itself, which gives up fusion.
    pub serialize_sccs: bool,
}

impl Default for Options {
    /// What ppcg sets: outer coincidence and maximal coincidence on, serialised components off.
    fn default() -> Self {
        Options { outer_coincidence: true, maximize_coincidence: true, serialize_sccs: false }
    }
}

/// Schedules with the library's scheduler.
///
/// Bands are as deep as possible, components are clustered incrementally, and coalescing of loops is avoided (ppcg
/// report, sections 7.3 and 7.5), all as in ppcg. The work is bounded by the caller's quota.
///
/// # Errors
/// An [`crate::isl::Error`]; one that is exhausted says that the quota or the deadline struck.
pub fn library(constraints: ScheduleConstraints, options: Options) -> Result<Schedule> {
    set_options(constraints.ctx(), options)?;
    constraints.compute_schedule()
}

fn set_options(ctx: &Ctx, options: Options) -> Result<()> {
    const PLUTO: i32 = 0;
    ctx.set_schedule_algorithm(PLUTO)?;
    ctx.set_schedule_outer_coincidence(options.outer_coincidence.into())?;
    ctx.set_schedule_maximize_coincidence(options.maximize_coincidence.into())?;
    ctx.set_schedule_maximize_band_depth(1)?;
    ctx.set_schedule_serialize_sccs(options.serialize_sccs.into())?;
    ctx.set_schedule_whole_component(0)?;
    ctx.set_schedule_treat_coalescing(1)
}
