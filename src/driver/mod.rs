//! From a region to code: the list of steps.
//!
//! | step | file |
//! |---|---|
//! | analyze: dependences, constraints, the original order, groups of references, conflicts | `analysis.rs`, once `findings.rs` |
//! | a region of fewer statements to plan with; where they are too few | `coarse.rs`, `finer.rs` |
//! | enumerate candidates | `enumerate.rs`, `candidate.rs` |
//! | realize one: schedule, tile, order points, map, cost | `realize.rs`, `scheduled.rs` |
//! | search and rank | `search.rs`, `ranking.rs` |
//! | for which sizes the code as it is stays beside | `size_versions.rs`, `in_caches.rs`, `partial_tiles.rs`, `short_rows.rs` |
//! | verify: checker, code, trial | `verify.rs` |
//! | all of this for other layouts of the data, where they may be better | `joint.rs`, `relaid.rs`, `orders.rs`, `worth.rs` |
//! | none of it for a region like one before | `known.rs`, `memory.rs` |
//!
//! Every step has its share of the region's [`Budget`], which is counted, so the same input meets the same fate on any
//! machine (`budget.rs`, `steps.rs`). The caller may set a deadline on the context as an outer net. Nothing is handed
//! back unless every step succeeded and, by default, the checker accepted the tree.

mod analysis;
mod budget;
mod candidate;
mod coarse;
mod enumerate;
mod findings;
mod finer;
mod foreseen;
mod in_caches;
mod joint;
mod known;
mod memory;
mod obligations;
mod observer;
mod optimized;
mod options;
mod orders;
mod partial_tiles;
mod phases;
mod prediction;
mod ranking;
mod realize;
mod refusal;
mod relaid;
mod scheduled;
mod search;
mod short_rows;
mod size_versions;
mod step_down;
mod steps;
#[cfg(test)]
mod tests;
mod unprofitable;
mod verify;
mod worth;

pub use budget::{Allowance, Budget};
pub use candidate::{Candidate, Order, Points, Tiles};
pub use enumerate::candidates;
pub use foreseen::RegionSize;
pub use joint::optimize_jointly;
pub use memory::Memory;
pub use observer::{Observer, Stage};
pub use optimized::Optimized;
pub use options::{Effort, LayoutSearch, OPTIONS, OptionRow, Options, Scheduler, Target, Unacceptable};
pub use orders::in_some_order;
pub use phases::{Phase, Phases};
pub use prediction::Prediction;
pub use refusal::Refusal;
pub use relaid::{Considered, Joint, Relaid};
pub use step_down::StepDown;
pub use unprofitable::{BestAlternative, Unprofitable};

use crate::clustering::{Clustering, CoarseRegion, Decision};
use crate::dependence::Mode;
use crate::isl;
use crate::schedule_tree::Statistics;
use crate::scop::Scop;
use analysis::{Analysis, Basis, obligations};
use coarse::Clustered;
use findings::Findings;
use known::{is_unobserved, known};
use observer::{Buffered, show};
use orders::schedules;
use realize::{Realized, cost, prediction};
use search::{as_it_is_if_best, may_be_beaten, original_first, search};
use size_versions::pays_where;
use step_down::Rung;
use steps::Steps;
use verify::{Accepted, first_accepted, tried};

/// Schedules, transforms, maps and checks a region, and generates its code.
///
/// # Errors
/// A [`Refusal`] that says which step gave up, why, and what would help. The region is to be left as it is.
pub fn optimize(scop: &Scop, options: &Options, observer: &mut dyn Observer) -> Result<Optimized, Refusal> {
    optimize_with(scop, options, &Findings::default(), observer)
}

/// The same for a region that something is known of.
fn optimize_with(
    scop: &Scop,
    options: &Options,
    findings: &Findings,
    observer: &mut dyn Observer,
) -> Result<Optimized, Refusal> {
    match &options.memory {
        Some(memory) if is_unobserved(observer) => {
            known(memory, scop, options, || optimize_anew(scop, options, findings, observer))
        }
        _ => optimize_anew(scop, options, findings, observer),
    }
}

fn optimize_anew(
    scop: &Scop,
    options: &Options,
    findings: &Findings,
    observer: &mut dyn Observer,
) -> Result<Optimized, Refusal> {
    let ctx = scop.ctx();
    let before = ctx.operations();
    let work = || {
        let mut steps = Steps::with(scop, options, findings.clone());
        let chosen = match choose(&mut steps, observer) {
            Ok(chosen) => chosen,
            Err(refusal) => return Err(Refusal { stepped_down: steps.into_record().1, ..refusal }),
        };
        show(observer, Stage::Ast, || Ok(chosen.accepted.ast.to_text(scop)))?;
        finish(steps, chosen)
    };
    let (found, memory) = ctx.memory_of(|| options.budget.whole(ctx, work));
    tracing::debug!(memory, "at a time");
    tracing::debug!(operations = ctx.operations() - before, "region");
    found
}

/// What was accepted, and what it was chosen from.
struct Chosen {
    accepted: Accepted,
    /// Best first; the one that was accepted is among them.
    ranked: Vec<Realized>,
    basis: Basis,
    /// What `ranked` and `basis` are about, if not the region itself.
    coarse: Option<CoarseRegion>,
}

/// What is taken in the first mode in which there is an order that the checker accepts.
fn choose(steps: &mut Steps<'_>, observer: &mut dyn Observer) -> Result<Chosen, Refusal> {
    let mut buffered = Buffered::new(observer);
    let mut modes = modes(steps.options).into_iter().peekable();
    let mut chosen = Err(Refusal::new("there is no schedule"));
    let depth = steps.depth();
    while let Some(mode) = modes.next() {
        let found = choose_in(steps, mode, &mut buffered);
        let is_in_time = steps.scop.ctx().check_deadline().is_ok();
        chosen = match (found, chosen) {
            // There was not enough left: why the mode before gave nothing is what to say, unless time is up.
            (Err(refusal), Err(before)) if refusal.exhausted && before.phase.is_some() && is_in_time => Err(before),
            (found, _) => found,
        };
        match &chosen {
            Err(refusal) if refusal.is_about_order() && modes.peek().is_some() => {
                buffered.forget();
                steps.forget_below(depth);
                steps.step_down(refusal.leads_to(Rung::OrderedLiveRanges));
            }
            _ => break,
        }
    }
    buffered.release();
    chosen
}

/// The dependences to try, one after the other. isl's scheduler forgets live ranges that go from one part of its graph
/// to another, and then may let a write into them; or the checker cannot tell whether they stayed whole. Without
/// reordering there is nothing to forget.
fn modes(options: &Options) -> Vec<Mode> {
    let both = options.live_range_reordering && options.load_schedule.is_none();
    let modes = if both { vec![true, false] } else { vec![options.live_range_reordering] };
    modes.into_iter().map(|live_range_reordering| options.mode(live_range_reordering)).collect()
}

fn choose_in(steps: &mut Steps<'_>, mode: Mode, observer: &mut Buffered<'_>) -> Result<Chosen, Refusal> {
    let (ctx, depth) = (steps.scop.ctx(), steps.depth());
    let region = ctx.with_quota(Budget::coarse(ctx), || coarse::region(steps, mode));
    let coarse = match region {
        Ok(None) => return choose_among(steps, mode, observer),
        Ok(Some(clustered)) => choose_coarse(steps, clustered, mode, observer),
        Err(refusal) => Err(refusal),
    };
    coarse.or_else(|refusal| {
        observer.forget();
        steps.forget_below(depth);
        steps.step_down(refusal.leads_to(Rung::Statements));
        choose_among(steps, mode, observer)
    })
}

/// What is taken of the trees for macro-statements. It is proved before others are looked for, so that what these take
/// does not cost it.
fn choose_coarse(
    steps: &mut Steps<'_>,
    clustered: Clustered,
    mode: Mode,
    observer: &mut Buffered<'_>,
) -> Result<Chosen, Refusal> {
    let ctx = steps.scop.ctx();
    let first = ctx.with_quota(Budget::coarse(ctx), || planned(steps, clustered.region, mode, observer))?;
    let chosen = ctx.with_quota(Budget::proof_of_coarse(ctx), || proved(steps, first, observer))?;
    match steps.options.clustering {
        Clustering::Auto => Ok(finest(steps, &clustered.decision, chosen, mode, observer)),
        _ => Ok(chosen),
    }
}

/// A region of macro-statements with its trees, best first.
struct Planned {
    region: CoarseRegion,
    ranked: Vec<Realized>,
    basis: Basis,
}

fn planned(
    steps: &mut Steps<'_>,
    region: CoarseRegion,
    mode: Mode,
    observer: &mut dyn Observer,
) -> Result<Planned, Refusal> {
    let mut planning = Steps::new(&region.scop, steps.options);
    if region.is_uncut() {
        planning.obligations.clone_from(&steps.obligations);
    }
    let found = plan(&mut planning, mode, observer);
    steps.join(planning);
    let (ranked, basis) = found?;
    Ok(Planned { region, ranked, basis })
}

/// The first of its trees that is right as a tree of statements, with what it costs as one.
fn proved(steps: &mut Steps<'_>, planned: Planned, observer: &mut dyn Observer) -> Result<Chosen, Refusal> {
    let Planned { region, ranked, basis } = planned;
    let mut accepted = first_accepted(steps, &coarse::expanded(&region, &ranked)?, None, observer)?;
    accepted.realized.cost = cost(steps, &accepted.realized.tree)?;
    Ok(Chosen { accepted, ranked, basis, coarse: Some(region) })
}

/// What costs least of this and of regions with those clusters cut that may stand in the way of parallel loops.
fn finest(
    steps: &mut Steps<'_>,
    decision: &Decision,
    first: Chosen,
    mode: Mode,
    observer: &mut Buffered<'_>,
) -> Chosen {
    if first.basis.original_is_best() {
        return first;
    }
    let (Some(region), Some(best)) = (&first.coarse, first.ranked.first()) else { return first };
    let Ok(short) = finer::short(region, &best.arranged.scheduled.tree) else { return first };
    if short.is_empty() || !is_open(steps, region, best.cost) {
        return first;
    }
    let ctx = steps.scop.ctx();
    let cuts = ctx.with_quota(Budget::preparation(ctx), || finer::cuts(steps, decision, &short, region, mode));
    let cuts = cuts.unwrap_or_else(|refusal| {
        steps.step_down(refusal.leads_to(Rung::UncutClusters));
        Vec::new()
    });
    let mut taken = first;
    for cut in cuts {
        let (shown, depth) = (observer.set_aside(), steps.depth());
        let least = taken.accepted.realized.cost;
        let finer = ctx.with_quota(Budget::finer(ctx), || with_cuts(steps, cut, least, mode, observer));
        if let Ok(Some(finer)) = finer {
            taken = finer;
            continue;
        }
        observer.restore(shown);
        steps.forget_below(depth);
        if let Err(refusal) = finer {
            steps.step_down(refusal.leads_to(Rung::UncutClusters));
        }
    }
    taken
}

/// What there is with clusters cut, if that costs less.
fn with_cuts(
    steps: &mut Steps<'_>,
    cut: Decision,
    least: u64,
    mode: Mode,
    observer: &mut dyn Observer,
) -> Result<Option<Chosen>, Refusal> {
    let region = match coarse::of_decision(steps, cut)? {
        Some(clustered) => clustered.region,
        None => CoarseRegion::uncut(steps.scop)?,
    };
    let finer = planned(steps, region, mode, observer)?;
    let Some(best) = finer.ranked.first() else { return Ok(None) };
    if cost(steps, &finer.region.expand(best.tree.clone())?)? >= least {
        return Ok(None);
    }
    let proved = proved(steps, finer, observer)?;
    Ok((proved.accepted.realized.cost < least).then_some(proved))
}

/// Some order of loops may cost less than the best tree of a region of macro-statements.
fn is_open(steps: &mut Steps<'_>, region: &CoarseRegion, best: u64) -> bool {
    let mut planning = Steps::new(&region.scop, steps.options);
    let open = may_be_beaten(&mut planning, best);
    steps.join(planning);
    open
}

/// What is taken of the trees for statements.
fn choose_among(steps: &mut Steps<'_>, mode: Mode, observer: &mut dyn Observer) -> Result<Chosen, Refusal> {
    let (ranked, basis) = plan(steps, mode, observer)?;
    let accepted = first_accepted(steps, &ranked, basis.dead(), observer)?;
    Ok(Chosen { accepted, ranked, basis, coarse: None })
}

/// The trees for a region, best first, and what is known of it.
fn plan(steps: &mut Steps<'_>, mode: Mode, observer: &mut dyn Observer) -> Result<(Vec<Realized>, Basis), Refusal> {
    let (scop, options, ctx) = (steps.scop, steps.options, steps.scop.ctx());
    if is_unobserved(observer)
        && let Some(original) = ctx.with_quota(Budget::preparation(ctx), || as_it_is_if_best(steps))
    {
        return Ok((vec![original], Basis::Unknown));
    }
    let obligations = obligations(steps, mode)?;
    show(observer, Stage::Dependences, || obligations.dependences.to_text(&[]))?;
    Ok(match &options.load_schedule {
        Some(text) => (vec![Realized::loaded(scop, text)?], Basis::Loaded(obligations)),
        None => {
            let mut analysis = Analysis::of(steps, obligations)?;
            show(observer, Stage::Constraints, || Ok(analysis.constraints.to_string()))?;
            let original = ctx.with_quota(Budget::preparation(ctx), || original_first(steps, &analysis));
            let ranked = match original {
                Some((original, true)) => {
                    analysis.original_is_best = true;
                    vec![original]
                }
                open => {
                    analysis = analysis.with_groups(steps);
                    let original = open.map(|(original, _)| original);
                    ctx.with_quota(Budget::search(ctx), || search(steps, &analysis, original.as_ref()))?
                }
            };
            (ranked, Basis::Analyzed(analysis))
        }
    })
}

/// Tries the code, if it is new, and says what came out.
fn finish(mut steps: Steps<'_>, chosen: Chosen) -> Result<Optimized, Refusal> {
    let (scop, options) = (steps.scop, steps.options);
    let Chosen { accepted: Accepted { mut realized, mut ast, same_as_original }, ranked, basis, coarse } = chosen;
    // Nobody but the proof of the code looks at what threads do, and at copies.
    let is_open = options.check || options.target == Target::Gpu || ast.root.has_shared();
    if is_open && !same_as_original {
        (realized, ast) = tried(&mut steps, realized, ast, basis.dead())?;
    }
    let packed = if ast.root.has_kernel() { 0 } else { ast.tiles().len() };
    let statistics = Statistics { packed, ..Statistics::new(&realized.arranged.scheduled.tree, &realized.tree)? };
    let mut planning = Steps::new(coarse.as_ref().map_or(scop, |coarse| &coarse.scop), options);
    // Both sides of it are about the region that was planned with.
    let planned = ranked.iter().find(|planned| planned.candidate() == realized.candidate());
    let after = planned.map_or(realized.cost, |planned| planned.cost);
    let prediction = if same_as_original { None } else { prediction(&mut planning, &basis, &ranked, after) };
    let pays_where = match (&basis, planned) {
        (Basis::Analyzed(analysis), Some(planned)) if !same_as_original => pays_where(&mut planning, analysis, planned),
        _ => Vec::new(),
    };
    steps.join(planning);
    // An attempt that the clock cut short may have decided what was chosen after it, so that nothing counts any more.
    scop.ctx().check_deadline()?;
    let schedules = schedules(&ranked)?.into_iter().map(|tree| match &coarse {
        Some(region) => region.expand(tree),
        None => Ok(tree),
    });
    let (phases, stepped_down) = steps.into_record();
    Ok(Optimized {
        unprofitable: same_as_original.then(|| Unprofitable::of(options, &realized, &ranked, &basis)).flatten(),
        prediction,
        cost: realized.cost,
        tree: realized.tree,
        ast,
        pays_where,
        statistics,
        candidate: realized.arranged.candidate,
        schedules: schedules.collect::<isl::Result<_>>()?,
        considered: ranked.into_iter().map(|one| (one.arranged.candidate, one.cost)).collect(),
        same_as_original,
        too_little_work: realized.too_little_work,
        stepped_down,
        phases,
    })
}
