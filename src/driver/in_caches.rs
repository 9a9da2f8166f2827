//! Where new code gains only because data comes from memory: for sizes that caches hold it does not, and the code as it is runs.
//!
//! The prediction takes arrays that are not known to fit the nearest cache to be in memory. Data that a core's own cache holds comes
//! along rows as fast as vectors take it, and so does what a near last cache holds, so that tiles that bring it back sooner, and nothing
//! else, only take time. The prediction is made once more for such a machine ([`Machine::with_data_in_own_cache`]); what loses nothing
//! then is for all sizes. Measured on a Zen 4 with 16 MiB of last cache for each core, in times of clang's speed: five-point stencils
//! over time, in skewed tiles, 0.6 to 0.7 with two grids of up to 8 MB together, and 1.9 with 27 MB; in three dimensions 0.6 with 8 MB,
//! 1.6 with 27 MB. The prediction for caches says 0.6 and 0.7.
//!
//! Where the last cache is far, a third prediction is for data that it holds ([`Machine::with_data_in_last_cache`]); what gains then is
//! for all that a core's own cache does not hold. Measured on a Xeon with 2 MiB of its own and 300 MiB for all cores of the processor,
//! one thread and two: five-point stencils over time 0.99 and 1.6 with 1 MB, 1.7 and 2.9 with 4 MB, 1.5 and 2.8 with 16 MB, 2.1 and 3.1
//! with 64 MB; a wave in three arrays (fdtd-2d) 1.8 and 3.0 with 3 MB, 2.3 and 4.3 with 24 MB.
//!
//! [`Machine::with_data_in_own_cache`]: crate::machine::Machine::with_data_in_own_cache
//! [`Machine::with_data_in_last_cache`]: crate::machine::Machine::with_data_in_last_cache

use super::analysis::Analysis;
use super::optimized::Optimized;
use super::options::Options;
use super::phases::Phase;
use super::prediction::Prediction;
use super::realize::{self, Realized};
use super::refusal::Refusal;
use super::steps::Steps;
use super::worth::{expression, length};
use crate::codegen::Expr;
use crate::cost::{self, Threads};
use crate::isl::{self, PwAff, Schedule, Set};
use crate::layout::{Applied, SizeCondition, Term};
use crate::machine::Machine;
use crate::scop::{Array, Scop};

/// In tenths: what code has to bring with data in a far last cache, as anywhere.
const GAIN: u64 = 11;

/// In tenths: what threads alone have to bring where caches hold the data, since what is divided among them is short there. Measured on
/// two cores: the stencils above, predicted to run at 1.2 to 1.4 times clang's speed with data in caches, run at 0.8 to 1.1, and at 0.2
/// to 0.6 with data that a core's own cache holds.
const GAIN_OF_THREADS: u64 = 15;

/// The sizes whose data is so large that a tree gains; `None` where that is all.
///
/// # Errors
/// Those of isl, and where a size cannot be said.
pub(super) fn condition(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    realized: &Realized,
) -> Result<Option<SizeCondition>, Refusal> {
    let found = in_caches(steps, analysis, realized)?;
    tracing::debug!(?found, candidate = %realized.candidate(), "with data in caches");
    match found.most_bytes_without_gain(&steps.options.machine) {
        Some(most) => larger_than(steps.scop, most).map(Some),
        None => Ok(None),
    }
}

/// The sizes whose data is so large that a layout gains against the best code without it; `None` where that is all.
///
/// # Errors
/// As [`condition`]; there are no such sizes.
pub(super) fn condition_of_layout(
    (scop, without): (&Scop, &Optimized),
    (relaid, with): (&Applied, &Optimized),
    options: &Options,
) -> Result<Option<SizeCondition>, Refusal> {
    if !options.size_versions {
        return Ok(None);
    }
    let before = |machine: &Machine| match without.same_as_original {
        // As a compiler makes vectors of it; nothing is marked.
        true => cost::cost_unmapped(scop, &without.tree, machine, Threads::One),
        false => cost::cost(scop, &without.tree, machine),
    };
    // Caches that hold what there is without the layout do not hold more than that.
    let held = if is_larger(scop, relaid) { Held::Before } else { Held::All };
    let found = InCaches::of(before, (&relaid.scop, &with.tree), &options.machine, held)?;
    tracing::debug!(?found, "a layout with data in caches");
    let Some(most) = found.most_bytes_without_gain(&options.machine) else { return Ok(None) };
    let condition = larger_than(scop, most)?;
    match condition.known() {
        None => Ok(Some(condition)),
        Some(true) => Ok(None),
        Some(false) => Err(Refusal::new("it gains only where caches do not hold the data")),
    }
}

/// A layout has arrays of more dimensions than any without it, with places for iterations of loops.
fn is_larger(scop: &Scop, relaid: &Applied) -> bool {
    let most = scop.arrays.iter().map(Array::rank).max().unwrap_or(0);
    relaid
        .placed
        .iter()
        .any(|placed| !placed.loops.is_empty() && scop.arrays[placed.array].rank() + placed.loops.len() > most)
}

/// The sizes for which a region uses more bytes of its arrays.
fn larger_than(scop: &Scop, most: u64) -> Result<SizeCondition, Refusal> {
    let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let terms = match known_bytes(scop)?.filter(|bytes| *bytes <= most) {
        // Whatever is used of them.
        Some(bytes) => vec![Term { lengths: vec![Expr::Const(number(bytes))], each: 1 }],
        None => used_bytes(scop)?,
    };
    Ok(SizeCondition { terms, least: number(most).saturating_add(1) })
}

/// What a tree is expected to bring where caches hold all data.
#[derive(Debug)]
struct InCaches {
    /// Where a core's own cache does.
    own: Expected,
    /// Where the last cache does.
    last: Expected,
}

/// What caches hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// The data.
    All,
    /// The data of the code without the tree.
    Before,
}

#[derive(Debug, Clone, Copy)]
struct Expected {
    one_thread: Prediction,
    /// With loops in parallel, as far as they are.
    all_threads: Prediction,
}

impl InCaches {
    /// Of a tree, beside what code costs so much without it as `before` says of a machine.
    fn of(
        before: impl Fn(&Machine) -> isl::Result<u64>,
        (scop, tree): (&Scop, &Schedule),
        machine: &Machine,
        held: Held,
    ) -> isl::Result<InCaches> {
        let expected = |in_cache: &Machine| {
            let before = before(in_cache)?;
            let machine = if held == Held::All { in_cache } else { machine };
            let one_thread = Prediction { before, after: cost::cost_of_one_thread(scop, tree, machine)? };
            let all_threads = Prediction { before, after: cost::cost(scop, tree, machine)? };
            Ok(Expected { one_thread, all_threads })
        };
        let own = expected(&machine.with_data_in_own_cache())?;
        let last = if machine.last_line_cost == 0 { own } else { expected(&machine.with_data_in_last_cache())? };
        Ok(InCaches { own, last })
    }

    /// With so many bytes of data or less, nothing is gained; `None` where something always is.
    fn most_bytes_without_gain(&self, machine: &Machine) -> Option<u64> {
        // Of as good code there as the original, the one that is better elsewhere is taken; and whether there is enough to do for
        // threads is found out as it runs.
        if self.own.one_thread.gains(10) {
            return None;
        }
        let Expected { one_thread, all_threads } = self.last;
        let gains = one_thread.gains(GAIN) || all_threads.gains(GAIN_OF_THREADS);
        Some(if gains { machine.own_cache() } else { machine.last_cache_share() })
    }
}

fn in_caches(steps: &mut Steps<'_>, analysis: &Analysis, realized: &Realized) -> Result<InCaches, Refusal> {
    let known = realized.is_original().then(|| realized.arranged.scheduled.tree.clone());
    let original = realize::mapped_as_it_is(steps, analysis, known)?;
    let (scop, tree) = (steps.scop, &realized.tree);
    let machine = &steps.options.machine;
    let before = |machine: &Machine| cost::cost(scop, &original, machine);
    steps.step(Phase::Map, || InCaches::of(before, (scop, tree), machine, Held::All))
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
            let is_simple = |used: &PwAff| used.clone().gist(scop.context.clone())?.coalesce()?.isa_aff();
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
    let mut used = scop.used_elements(array)?.unwrap_or_default().into_iter();
    let Some(first) = used.next() else { return Ok(None) };
    used.try_fold(first, Set::union).map(Some)
}
