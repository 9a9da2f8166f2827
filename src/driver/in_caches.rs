//! Where new code gains only because data comes from memory: for sizes that caches hold it does not, and the code as it is runs.
//!
//! The prediction takes arrays that are not known to fit the nearest cache to be in memory. Data that the last cache holds comes
//! along rows as fast as vectors take it, so that tiles that bring it back sooner, and nothing else, only take time. The prediction
//! is made once more for such a machine ([`Machine::with_data_in_caches`]); what still gains then is for all sizes. Measured on a
//! Zen 4 with 16 MiB of last cache for each core, in times of clang's speed: five-point stencils over time, in skewed tiles, 0.6 to
//! 0.7 with two grids of up to 8 MB together, and 1.9 with 27 MB; in three dimensions 0.6 with 8 MB, 1.6 with 27 MB. The prediction for
//! caches says 0.6 and 0.7.
//!
//! [`Machine::with_data_in_caches`]: crate::machine::Machine::with_data_in_caches

use super::analysis::Analysis;
use super::options::{Options, Target};
use super::phases::Phase;
use super::prediction::Prediction;
use super::realize::{self, Realized};
use super::refusal::Refusal;
use super::search::{is_asked_for, stays};
use super::steps::Steps;
use super::worth::{expression, length};
use crate::cost;
use crate::isl::{self, DimType, Set};
use crate::layout::{SizeCondition, Term};
use crate::scop::{Array, Scop};

/// So many accesses to an array are looked at for what is used of it, with more of them its extents say it.
const MOST_ACCESSES: usize = 64;

/// The sizes for which a tree is expected to be better than the code as it is.
enum Gain {
    /// All, as far as is known.
    Always,
    /// Those for which this holds.
    Where(SizeCondition),
    /// None that there are.
    Never,
}

/// The trees of a ranking with those behind the code as it is that never gain.
pub(super) fn without_those_for_memory(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    ranked: Vec<Realized>,
) -> Vec<Realized> {
    let Some(as_it_is) = ranked.iter().position(stays) else { return ranked };
    let (mut before, mut after, mut ended) = (Vec::new(), Vec::new(), false);
    for (place, realized) in ranked.into_iter().enumerate() {
        ended |= place >= as_it_is || !matches!(gain(steps, analysis, &realized), Ok(Gain::Never));
        if ended { before.push(realized) } else { after.push(realized) }
    }
    before.extend(after);
    before
}

/// The sizes for which a tree that was taken is better than the code as it is, where these are not all. Where they cannot be said, it
/// is taken for all.
pub(super) fn pays_where(steps: &mut Steps<'_>, analysis: &Analysis, realized: &Realized) -> Option<SizeCondition> {
    match gain(steps, analysis, realized) {
        Ok(Gain::Where(condition)) => Some(condition),
        Ok(Gain::Always | Gain::Never) => None,
        Err(refusal) => {
            tracing::debug!(%refusal, "nothing is known of sizes that caches hold");
            None
        }
    }
}

/// For which sizes a tree is better than the code as it is.
///
/// # Errors
/// Those of isl, and where a size cannot be said.
fn gain(steps: &mut Steps<'_>, analysis: &Analysis, realized: &Realized) -> Result<Gain, Refusal> {
    let scop = steps.scop;
    // What a layout makes of a region has conditions of its own.
    if !is_open(steps.options) || scop.statements.iter().any(|statement| statement.copy) {
        return Ok(Gain::Always);
    }
    let Prediction { before, after } = in_caches(steps, analysis, realized)?;
    tracing::debug!(before, after, candidate = %realized.candidate(), "with data in caches");
    if after.saturating_mul(11) <= before.saturating_mul(10) {
        return Ok(Gain::Always);
    }
    let least = steps.options.machine.last_cache_share();
    if let Some(bytes) = known_bytes(scop)?
        && bytes <= least
    {
        return Ok(Gain::Never);
    }
    let terms = used_bytes(scop)?;
    let least = i64::try_from(least).unwrap_or(i64::MAX);
    match terms.iter().map(Term::known).try_fold(0, |sum: i64, term| Some(sum.saturating_add(term?))) {
        Some(bytes) if bytes > least => Ok(Gain::Always),
        Some(_) => Ok(Gain::Never),
        None => Ok(Gain::Where(SizeCondition { terms, least: least.saturating_add(1) })),
    }
}

/// Nobody asked for this code whatever it gains.
fn is_open(options: &Options) -> bool {
    let is_chosen = options.candidate.is_none() && options.load_schedule.is_none();
    options.target == Target::Cpu && options.profitability && options.size_versions && is_chosen && !is_asked_for(options)
}

/// What a tree is expected to bring where the last cache holds all data.
fn in_caches(steps: &mut Steps<'_>, analysis: &Analysis, realized: &Realized) -> Result<Prediction, Refusal> {
    let machine = steps.options.machine.with_data_in_caches();
    let known = realized.is_original().then(|| realized.arranged.scheduled.tree.clone());
    let original = realize::mapped_as_it_is(steps, analysis, known)?;
    let scop = steps.scop;
    steps.step(Phase::Map, || {
        let (before, after) = (cost::cost(scop, &original, &machine)?, cost::cost(scop, &realized.tree, &machine)?);
        Ok::<_, isl::Error>(Prediction { before, after })
    })
}

/// The bytes of all arrays, if their sizes are known.
fn known_bytes(scop: &Scop) -> isl::Result<Option<u64>> {
    let mut sum = 0u64;
    for array in &scop.arrays {
        let Some(bytes) = array.used_bytes()? else { return Ok(None) };
        sum = sum.saturating_add(bytes);
    }
    Ok(Some(sum))
}

/// The bytes that are used of each array.
fn used_bytes(scop: &Scop) -> Result<Vec<Term>, Refusal> {
    let mut terms = Vec::new();
    for array in &scop.arrays {
        let elements = elements(scop, array)?;
        let mut lengths = Vec::new();
        for (dimension, extent) in array.extent.iter().enumerate() {
            let used = elements.clone().map(|elements| length(elements, dimension)).transpose()?;
            let is_simple = |used: &isl::PwAff| used.clone().gist(scop.context.clone())?.coalesce()?.isa_aff();
            let used = match (used, extent) {
                (Some(used), Some(extent)) if !is_simple(&used)? => extent.clone(),
                (Some(used), _) => used,
                (None, Some(extent)) => extent.clone(),
                (None, None) => return Err(Refusal::new("an array has no size")),
            };
            lengths.push(expression(scop, used)?);
        }
        terms.push(Term { lengths, each: i64::from(array.element.bytes()) });
    }
    Ok(terms)
}

/// What is used of an array, `{ A[a] }`; `None` where it is too much to look at, or nothing.
fn elements(scop: &Scop, array: &Array) -> isl::Result<Option<Set>> {
    let mut elements: Option<Set> = None;
    let mut count = 0;
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        for access in &statement.accesses {
            if access.array()? != array.name {
                continue;
            }
            count += 1;
            let one = access.relation.clone().intersect_domain(statement.domain.clone())?.range()?;
            elements = Some(match elements {
                Some(all) => all.union(one)?,
                None => one,
            });
        }
    }
    let used = elements.filter(|_| count <= MOST_ACCESSES);
    let used = used.map(|used| used.intersect_params(scop.context.clone())).transpose()?;
    match used {
        Some(used) if used.is_empty()? || used.dim(DimType::SET)? == 0 => Ok(None),
        used => Ok(used),
    }
}
