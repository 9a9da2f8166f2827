//! `scheduler=isl`: isl's own scheduler.

use super::strategy::{Algorithm, Fusion, Strategy};
use crate::isl::{Ctx, Result, Schedule, ScheduleConstraints};

/// The options of isl's scheduler. [`Options::apply`] sets them by their isl names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// The outermost member of each band must be coincident; where that is impossible a step of Feautrier's algorithm
    /// carries what is in the way (ppcg report, section 6.2). Without it bands are wider, and a wavefront makes them
    /// parallel.
    pub outer_coincidence: bool,
    /// Strongly connected components are only fused when no coincident member is lost (ppcg report, section 7.3.5).
    pub maximize_coincidence: bool,
    /// Strongly connected components are only fused when no member of a band is lost (ppcg report, section 7.3.5).
    pub maximize_band_depth: bool,
    /// Each strongly connected component is scheduled by itself, which gives up fusion.
    pub serialize_sccs: bool,
    /// A weakly connected component is scheduled as a whole and not by clusters (ppcg report, section 7.3.1).
    pub whole_component: bool,
    /// Weakly connected components are scheduled independently of each other.
    pub separate_components: bool,
    /// Loop coalescing is avoided (ppcg report, section 7.5).
    pub treat_coalescing: bool,
    /// A step of Feautrier's algorithm first tries to carry the dependences of statements on themselves (ppcg report,
    /// section 7.6).
    pub carry_self_first: bool,
    /// A common factor of the coefficients of a step of Feautrier's algorithm is divided out (ppcg report, section
    /// 7.1).
    pub split_scaled: bool,
    /// Bound on the coefficients of variables and parameters in the Pluto-like algorithm (ppcg report, section 7.5).
    pub max_coefficient: Option<i32>,
    /// Bound on the constant terms in the Pluto-like algorithm.
    pub max_constant_term: Option<i32>,
}

impl Default for Options {
    /// What ppcg sets: outer coincidence, maximal coincidence and maximal band depth on.
    fn default() -> Self {
        Options { outer_coincidence: true, maximize_coincidence: true, maximize_band_depth: true, ..Options::isl() }
    }
}

impl Options {
    /// isl's own defaults, which its tool `isl_schedule` starts from.
    pub fn isl() -> Self {
        Options {
            algorithm: Algorithm::Pluto,
            outer_coincidence: false,
            maximize_coincidence: false,
            maximize_band_depth: false,
            serialize_sccs: false,
            whole_component: false,
            separate_components: true,
            treat_coalescing: true,
            carry_self_first: true,
            split_scaled: true,
            max_coefficient: None,
            max_constant_term: None,
        }
    }
}

impl From<Options> for Strategy {
    /// What isl does with these options.
    fn from(options: Options) -> Strategy {
        Strategy {
            algorithm: options.algorithm,
            outer_coincidence: options.outer_coincidence,
            maximize_band_depth: options.maximize_band_depth,
            fusion: match (options.serialize_sccs, options.whole_component) {
                (true, _) => Fusion::None,
                (false, true) => Fusion::Max,
                (false, false) => Fusion::Incremental,
            },
            maximize_coincidence: options.maximize_coincidence,
            treat_coalescing: options.treat_coalescing,
            unscale: options.split_scaled,
            carry_self_first: options.carry_self_first,
            max_coefficient: options.max_coefficient.map(i64::from),
            max_constant: options.max_constant_term.map(i64::from),
            ..Strategy::isl_defaults()
        }
    }
}

/// Schedules with isl's scheduler. The work is bounded by the caller's quota.
///
/// # Errors
/// An [`crate::isl::Error`]; one that is exhausted says that the quota or the deadline struck.
pub fn isl_schedule(constraints: ScheduleConstraints, options: Options) -> Result<Schedule> {
    set_options(constraints.ctx(), options)?;
    constraints.compute_schedule()
}

/// The same; where that finds nothing to carry, as may happen on small domains, without coincident outermost members:
/// wide bands need no carrying.
///
/// # Errors
/// As for [`isl_schedule`].
pub fn isl_schedule_or_wide(constraints: &ScheduleConstraints, options: Options) -> Result<Schedule> {
    match isl_schedule(constraints.clone(), options) {
        Err(error) if options.outer_coincidence && !error.is_exhausted() => {
            tracing::debug!(%error, "without outer coincidence instead");
            isl_schedule(constraints.clone(), Options { outer_coincidence: false, ..options })
        }
        found => found,
    }
}

fn set_options(ctx: &Ctx, options: Options) -> Result<()> {
    const UNBOUNDED: i32 = -1;
    ctx.set_schedule_algorithm(match options.algorithm {
        // It has no other that makes bands.
        Algorithm::Pluto | Algorithm::Decoupled => 0,
        Algorithm::Feautrier => 1,
    })?;
    ctx.set_schedule_outer_coincidence(options.outer_coincidence.into())?;
    ctx.set_schedule_maximize_coincidence(options.maximize_coincidence.into())?;
    ctx.set_schedule_maximize_band_depth(options.maximize_band_depth.into())?;
    ctx.set_schedule_serialize_sccs(options.serialize_sccs.into())?;
    ctx.set_schedule_whole_component(options.whole_component.into())?;
    ctx.set_schedule_separate_components(options.separate_components.into())?;
    ctx.set_schedule_treat_coalescing(options.treat_coalescing.into())?;
    ctx.set_schedule_carry_self_first(options.carry_self_first.into())?;
    ctx.set_schedule_split_scaled(options.split_scaled.into())?;
    ctx.set_schedule_max_coefficient(options.max_coefficient.unwrap_or(UNBOUNDED))?;
    ctx.set_schedule_max_constant_term(options.max_constant_term.unwrap_or(UNBOUNDED))
}
