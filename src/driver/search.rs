//! The search: candidates are realized as long as one of them may be better than what there is, and ranked.

use super::analysis::Analysis;
use super::budget::{equal_part, part};
use super::candidate::{Candidate, Order};
use super::options::{Effort, Target};
use super::phases::Phase;
use super::ranking::{certain, may_stay, rank, stays};
use super::realize::{self, Realized};
use super::refusal::Refusal;
use super::scheduled::{Arranged, Scheduled};
use super::size_versions::with_gaining_first;
use super::step_down::Rung;
use super::steps::Steps;
use crate::cost::{self, LastDimensions, Reuse};
use crate::isl::{self, DimType, Schedule};
use crate::schedule_tree::{self, Mark};
use crate::scop::{Scop, Statement};
use crate::transform::{Packing, post_tile};

/// The candidates worth looking at, best first: those that cost least, to leave the code as it is counted as a tenth
/// less than that, of equals the one that keeps the original order. One that fails is no candidate. If the user wants
/// one candidate, it is that one alone. The original order may be known already.
///
/// # Errors
/// Why the last one failed, if all did.
pub(super) fn search(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    original: Option<&Realized>,
) -> Result<Vec<Realized>, Refusal> {
    if let Some(candidate) = &steps.options.candidate {
        return Ok(vec![realize::realize(steps, analysis, candidate)?]);
    }
    let first = first(steps, analysis, original)?;
    let limit = first.iter().map(|first| first.cost).min().unwrap_or(0);
    let in_sequence = variants(steps, analysis, &first, limit, without_wavefront);
    let limit = in_sequence.iter().map(|realized| realized.cost).fold(limit, u64::min);
    let skewed = variants(steps, analysis, &first, limit, without_waiting);
    let limit = skewed.iter().map(|realized| realized.cost).fold(limit, u64::min);
    let staggered = variants(steps, analysis, &first, limit, in_staggered_rows);
    let limit = staggered.iter().map(|realized| realized.cost).fold(limit, u64::min);
    // Code for these may be too large: then the next best is taken, which is looked for as if there were none of them.
    let mut apart = variants(steps, analysis, &first, limit, with_tiles_apart);
    apart.extend(with_updates_ahead(steps, analysis, &first, limit));
    let over_rows = over_rows(steps, analysis, &first, limit);
    let limit = over_rows.iter().map(|realized| realized.cost).fold(limit, u64::min);
    let left_looking = left_looking(steps, analysis, &first, limit);
    let limit = left_looking.iter().map(|realized| realized.cost).fold(limit, u64::min);
    let right_looking = right_looking(steps, analysis, &first, limit);
    let limit = right_looking.iter().map(|realized| realized.cost).fold(limit, u64::min);
    // Of equals, tiles that start at the same time are the best.
    let mut ranked = variants(steps, analysis, &first, limit, in_diamonds);
    ranked.extend(with_post_tile(steps, analysis, first, limit));
    ranked.extend(in_sequence);
    ranked.extend(over_rows);
    ranked.extend(left_looking);
    ranked.extend(right_looking);
    ranked.extend(apart);
    ranked.extend(skewed);
    ranked.extend(staggered);
    ranked.extend(untouched(steps, analysis, &ranked));
    ranked.sort_by_cached_key(rank);
    let mut ranked = with_gaining_first(steps, analysis, ranked);
    if let Some(packed) = packed(steps, analysis, &ranked) {
        ranked.insert(0, packed);
    }
    for realized in &ranked {
        tracing::debug!(cost = realized.cost, candidate = %realized.candidate(), "candidate");
    }
    Ok(ranked)
}

/// The region as it is, where that is none of the candidates: the original order is one of them, but in tiles or with
/// threads, and what is predicted to gain nothing is not worth the risk.
fn untouched(steps: &mut Steps<'_>, analysis: &Analysis, ranked: &[Realized]) -> Option<Realized> {
    let scop = steps.scop;
    if !may_stay(steps.options, scop) || ranked.iter().any(stays) {
        return None;
    }
    let known = ranked.iter().find(|realized| realized.is_original());
    let known = known.map(|known| known.arranged.scheduled.tree.clone());
    let cost = realize::cost_as_it_is(steps, analysis, known).ok()?;
    Some(Realized::of_tree(realize::own_order(scop).ok()?, Candidate::as_it_is(), cost))
}

/// The region as it is, with [`Effort::Low`], where that is known to be best before anything is analysed: what it costs
/// without vectors and threads is at least what it costs. Tiles of loops that walk across rows gain more than costs say.
pub(super) fn as_it_is_if_best(steps: &mut Steps<'_>) -> Option<Realized> {
    let options = steps.options;
    // Who wants instances removed wants another region.
    let is_open = is_original_first(steps) && options.load_schedule.is_none() && !options.remove_dead;
    if !is_open || !walks_along_rows(steps.scop).unwrap_or(false) {
        return None;
    }
    let (tree, candidate) = (realize::own_order(steps.scop).ok()?, Candidate::of(Order::Original, options));
    let cost = realize::cost(steps, &tree).ok()?;
    (!may_be_beaten(steps, worth_a_search(cost))).then(|| Realized::of_tree(tree, candidate, cost))
}

/// The original order, with [`Effort::Low`], and whether it is known without a look at others that none of them is worth
/// one: there, a lower bound on what any order costs has to promise more than a quarter of the time, as bounds promise more
/// than orders keep.
pub(super) fn original_first(steps: &mut Steps<'_>, analysis: &Analysis) -> Option<(Realized, bool)> {
    let options = steps.options;
    if !is_original_first(steps) {
        return None;
    }
    let original = first_of_order(steps, analysis, (&Candidate::of(Order::Original, options), None), &[]);
    let original =
        original.inspect_err(|refusal| tracing::debug!(%refusal, "no look at the original first")).ok()??;
    let cost = if stays(&original) { worth_a_search(original.cost) } else { original.cost };
    let is_best = !may_be_beaten(steps, cost);
    Some((original, is_best))
}

/// The region is looked at as it is before others are looked for. Bounds are not sure where rows are short.
fn is_original_first(steps: &Steps<'_>) -> bool {
    let options = steps.options;
    let is_open = options.effort == Effort::Low && options.target == Target::Cpu && options.profitability;
    is_open && options.candidate.is_none() && !cost::has_short_rows(steps.scop).unwrap_or(true)
}

/// The innermost loops take all accesses to the same element or its neighbour.
fn walks_along_rows(scop: &Scop) -> isl::Result<bool> {
    let found = cost::contiguity(scop, &scop.schedule)?;
    Ok(found.iter().all(|(_, along)| along.contiguous == along.accesses))
}

/// Where no order can cost less than this, none is looked for instead of code that stays as it is and costs so much.
fn worth_a_search(cost: u64) -> u64 {
    cost - cost / 4
}

/// The best candidate with tiles packed, if that costs no more, or whoever asks for it wants that in any case.
fn packed(steps: &mut Steps<'_>, analysis: &Analysis, ranked: &[Realized]) -> Option<Realized> {
    let best = ranked.first()?;
    let candidate = best.candidate().packed(steps.options)?;
    let is_always = steps.options.pack_tiles == Some(Packing::All) || !steps.options.profitability;
    match realize::packed(steps, analysis, best, &candidate) {
        Ok(packed) => {
            tracing::debug!(cost = packed.as_ref().map(|packed| packed.cost), "packed tiles");
            packed.filter(|packed| is_always || packed.cost <= best.cost)
        }
        Err(refusal) => {
            tracing::debug!(%refusal, "no packed tiles");
            None
        }
    }
}

/// The first candidate of each order, the original in front.
fn first(steps: &mut Steps<'_>, analysis: &Analysis, original: Option<&Realized>) -> Result<Vec<Realized>, Refusal> {
    let (ctx, options) = (steps.scop.ctx(), steps.options);
    let mut failure = Refusal::new("there is no schedule");
    let mut found: Vec<Realized> = Vec::new();
    let wanted = Candidate::first(options);
    for (index, candidate) in wanted.iter().enumerate() {
        let share = equal_part(ctx, wanted.len() - index);
        let known = original.filter(|original| original.candidate() == candidate);
        match ctx.with_quota(share, || first_of_order(steps, analysis, (candidate, known), &found)) {
            Ok(realized) => found.extend(realized),
            Err(refusal) if refusal.of_request => return Err(refusal),
            Err(refusal) => {
                if refusal.exhausted || refusal.phase == Some(Phase::Schedule) {
                    steps.step_down(refusal.leads_to(Rung::Without(candidate.order)));
                }
                failure = refusal;
            }
        }
    }
    if found.is_empty() && options.aims().is_some() {
        tracing::debug!(%failure, "the original order instead");
        found.extend(first_of_order(steps, analysis, (&Candidate::of(Order::Original, options), original), &[])?);
    }
    if found.is_empty() {
        return Err(failure);
    }
    found.sort_by_key(|realized| match realized.candidate().order {
        Order::Loaded | Order::Original => 0,
        Order::Scheduled { outer_coincidence: true } => 1,
        Order::Scheduled { outer_coincidence: false } => 2,
    });
    Ok(found)
}

/// A candidate, which may have been realized before; `None` where the scheduler found the same tree for another one.
fn first_of_order(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    (candidate, before): (&Candidate, Option<&Realized>),
    known: &[Realized],
) -> Result<Option<Realized>, Refusal> {
    let forced = candidate.order == Order::Scheduled { outer_coincidence: true };
    if forced && known.iter().any(|other| other.arranged.scheduled.any_coincidence) {
        return Ok(None);
    }
    let scheduled = match before {
        Some(before) => before.arranged.scheduled.clone(),
        None => realize::schedule(steps, analysis, candidate.order)?,
    };
    if let Some(other) = with_schedule(known, &scheduled)? {
        let is_new = candidate.order == Order::Original && !other.is_original();
        let arranged = Arranged { candidate: candidate.clone(), ..other.arranged.clone() };
        return Ok(is_new.then(|| Realized { arranged, ..other.clone() }));
    }
    if let Some(before) = before {
        return Ok(Some(before.clone()));
    }
    let arranged = realize::arrange(steps, analysis, candidate, scheduled, None)?;
    arranged.map(|arranged| realize::map(steps, analysis, arranged)).transpose()
}

/// The one that has the same schedule.
fn with_schedule<'k>(known: &'k [Realized], scheduled: &Scheduled) -> isl::Result<Option<&'k Realized>> {
    for other in known {
        if other.arranged.scheduled.tree.plain_is_equal(&scheduled.tree)? {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Makes another candidate of a first one, if there is a reason to, and it may cost less than the limit.
type Variant = fn(&mut Steps<'_>, &Analysis, &Realized, u64) -> Result<Option<Realized>, Refusal>;

/// What a variant makes of the first candidates.
fn variants(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &[Realized],
    limit: u64,
    variant: Variant,
) -> Vec<Realized> {
    let mut found = Vec::new();
    for first in first {
        match variant(steps, analysis, first, limit) {
            Ok(realized) => found.extend(realized),
            Err(refusal) => tracing::debug!(%refusal, candidate = %first.candidate(), "no variant"),
        }
    }
    found
}

/// A candidate mapped, if it may cost less than the limit.
fn mapped_below(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    arranged: Arranged,
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let least = realize::cost_unmapped(steps, &arranged)?;
    if least < limit { realize::map(steps, analysis, arranged).map(Some) } else { Ok(None) }
}

/// Without a wavefront, in the original order or with blocks for registers.
fn without_wavefront(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &Realized,
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let Some(candidate) = first.candidate().in_sequence(steps.options) else { return Ok(None) };
    if !schedule_tree::has_mark(&first.arranged.tiled, &Mark::Wavefront)? {
        return Ok(None);
    }
    let scheduled = first.arranged.scheduled.clone();
    let Some(arranged) = realize::arrange(steps, analysis, &candidate, scheduled, None)? else { return Ok(None) };
    if !first.is_original() && !schedule_tree::has_mark(&arranged.ordered, &Mark::Register)? {
        return Ok(None);
    }
    let least = realize::cost_unmapped(steps, &arranged)?;
    let counted = if first.is_original() { certain(least) } else { least };
    if counted < limit { realize::map(steps, analysis, arranged).map(Some) } else { Ok(None) }
}

/// In diamonds, where there is a loop over time with tiles that suit it. Of statements that share a row without vectors each iteration
/// would ask whether they are in the diamond, as each begins and ends elsewhere: then points are scheduled anew.
fn in_diamonds(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &Realized,
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let scheduled = &first.arranged.scheduled;
    if scheduled.time_tiles.is_none() {
        return Ok(None);
    }
    for candidate in first.candidate().in_diamonds(steps.options) {
        let arranged = realize::arrange(steps, analysis, &candidate, scheduled.clone(), None)?;
        let Some(arranged) = arranged else { return Ok(None) };
        let found = realize::map(steps, analysis, arranged)?;
        if !schedule_tree::has_scalar_points(&found.tree)? {
            return Ok((found.cost <= limit).then_some(found));
        }
    }
    Ok(None)
}

/// With points that do not wait for each other, where they do for several operations.
fn without_waiting(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &Realized,
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let candidate = first.candidate().skewed(steps.options);
    where_waiting(steps, analysis, first, (candidate, cost::LEAST_WAIT), limit)
}

/// With rows that are an iteration apart, where elements wait for the ones before.
fn in_staggered_rows(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &Realized,
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let candidate = first.candidate().staggered(steps.options);
    where_waiting(steps, analysis, first, (candidate, 1), limit)
}

/// A candidate for where iterations wait for so many operations of the one before.
fn where_waiting(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &Realized,
    (candidate, least): (Option<Candidate>, u32),
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let Some(candidate) = candidate else { return Ok(None) };
    if !realize::waits(steps, &first.tree, least)? {
        return Ok(None);
    }
    let scheduled = first.arranged.scheduled.clone();
    let Some(arranged) = realize::arrange(steps, analysis, &candidate, scheduled, None)? else { return Ok(None) };
    mapped_below(steps, analysis, arranged, limit)
}

/// With tiles that one statement has alone apart from the others, where points of tiles make no vectors, or are in a wavefront,
/// where others have no blocks. A wavefront passes rows in short pieces: there has to be more work than data.
fn with_tiles_apart(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &Realized,
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let Some(candidate) = first.candidate().apart(steps.options) else { return Ok(None) };
    let is_open = match schedule_tree::has_mark(&first.tree, &Mark::Wavefront)? {
        true => has_more_work_than_data(steps.scop)?,
        false => schedule_tree::has_scalar_points(&first.tree)?,
    };
    if !is_open {
        return Ok(None);
    }
    let (scheduled, tiled) = (first.arranged.scheduled.clone(), Some(&first.arranged.tiled));
    let Some(arranged) = realize::arrange(steps, analysis, &candidate, scheduled, tiled)? else { return Ok(None) };
    mapped_below(steps, analysis, arranged, limit)
}

/// The first of the candidates, the cheapest in front, that has updates which need finished tiles alone, with these ahead of the others,
/// where some gather integers in any order. Where there is too little left to look for it, there are the others.
fn with_updates_ahead(steps: &mut Steps<'_>, analysis: &Analysis, first: &[Realized], limit: u64) -> Option<Realized> {
    let gathers = |statement: &Statement| statement.reduction.is_some_and(|one| one.operator.is_free_of_order());
    if !steps.scop.statements.iter().any(gathers) {
        return None;
    }
    let mut first: Vec<&Realized> = first.iter().collect();
    first.sort_by_key(|one| one.cost);
    let ctx = steps.scop.ctx();
    let search = || {
        for one in first {
            let Some(candidate) = one.candidate().ahead(steps.options) else { continue };
            let (scheduled, tiled) = (one.arranged.scheduled.clone(), Some(&one.arranged.tiled));
            if let Some(arranged) = realize::arrange(steps, analysis, &candidate, scheduled, tiled)? {
                return mapped_below(steps, analysis, arranged, limit);
            }
        }
        Ok(None)
    };
    let found = ctx.with_quota(part(ctx.remaining(), 1, 4), search);
    found.inspect_err(|refusal: &Refusal| tracing::debug!(%refusal, "no updates ahead")).ok()?
}

/// Some statement has more loops than each of its accesses has dimensions.
fn has_more_work_than_data(scop: &Scop) -> isl::Result<bool> {
    for statement in &scop.statements {
        let loops = statement.domain.dim(DimType::SET)?;
        let mut dimensions = statement.accesses.iter().map(|access| access.relation.dim(DimType::Out));
        if loops > 0 && dimensions.try_fold(true, |all, one| Ok::<_, isl::Error>(all && one? < loops))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The best of the first candidates with loops over rows that nests share, where that costs less than what shares loops already: a
/// worse order brings more back in ways that have no price here. Where there is too little left to look for these, there are the
/// others.
fn over_rows(steps: &mut Steps<'_>, analysis: &Analysis, first: &[Realized], limit: u64) -> Vec<Realized> {
    let is_open = |one: &&Realized| one.cost <= limit && !one.candidate().over_rows(steps.options).is_empty();
    let best: Vec<Realized> = first.iter().filter(is_open).cloned().collect();
    if best.is_empty() {
        return Vec::new();
    }
    let ctx = steps.scop.ctx();
    let (scop, machine) = (steps.scop, &steps.options.machine);
    let search = || {
        if post_tile::rows_passed(scop, machine)?.is_empty()? {
            return Ok(Vec::new());
        }
        let mut limit = limit;
        for one in first {
            limit = limit.min(realize::cost_with(steps, &one.tree, Reuse::Iterations)?);
        }
        Ok::<_, Refusal>(variants(steps, analysis, &best, limit, with_common_rows))
    };
    ctx.with_quota(part(ctx.remaining(), 1, 8), search).unwrap_or_else(|refusal| {
        tracing::debug!(%refusal, "no loops over rows");
        Vec::new()
    })
}

/// With a loop over the rows that nests share, as many as stay near. Each nest begins anew for these: that has to bring more than a
/// tenth.
fn with_common_rows(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &Realized,
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let limit = certain(limit);
    for candidate in first.candidate().over_rows(steps.options) {
        let scheduled = first.arranged.scheduled.clone();
        let Some(arranged) = realize::arrange(steps, analysis, &candidate, scheduled, None)? else { return Ok(None) };
        let found = realize::map(steps, analysis, arranged)?;
        if found.cost < limit {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The best of the first candidates in left-looking order, where that is legal and costs less. Where there is too little left to look
/// for it, there are the others.
fn left_looking(steps: &mut Steps<'_>, analysis: &Analysis, first: &[Realized], limit: u64) -> Option<Realized> {
    let best = first.iter().find(|one| one.cost <= limit)?;
    let candidate = best.candidate().left_looking(steps.options)?;
    looking(steps, analysis, (best, &candidate), limit, 8)
}

/// A candidate with a schedule that there is, with one of so many parts of what is left, if it costs less for certain.
fn looking(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    (best, candidate): (&Realized, &Candidate),
    limit: u64,
    of: u64,
) -> Option<Realized> {
    let ctx = steps.scop.ctx();
    let search = || {
        let scheduled = best.arranged.scheduled.clone();
        let arranged = realize::arrange(steps, analysis, candidate, scheduled, None)?;
        arranged.map(|arranged| realize::map(steps, analysis, arranged)).transpose()
    };
    let found = ctx.with_quota(part(ctx.remaining(), 1, of), search);
    let found = found.inspect_err(|refusal| tracing::debug!(%refusal, %candidate, "no such order")).ok()??;
    (found.cost < certain(limit)).then_some(found)
}

/// The best of the first candidates in right-looking order, where no tiles help, and that is legal and costs less. Where there is too
/// little left to look for it, there are the others.
fn right_looking(steps: &mut Steps<'_>, analysis: &Analysis, first: &[Realized], limit: u64) -> Option<Realized> {
    let best = first.iter().find(|one| one.cost <= limit)?;
    let candidate = best.candidate().right_looking(steps.options)?;
    let has_tiles = schedule_tree::has_mark(&best.arranged.tiled, &Mark::Point).unwrap_or(true);
    if has_tiles { None } else { looking(steps, analysis, (best, &candidate), limit, 4) }
}

/// The first candidates, each with what the post-tile phase makes of it if it is wanted: that is, of those that cost
/// least, until something is found that costs less, unless no order of loops can do that.
fn with_post_tile(steps: &mut Steps<'_>, analysis: &Analysis, first: Vec<Realized>, limit: u64) -> Vec<Realized> {
    let options = steps.options;
    let has_more = |first: &&Realized| !first.candidate().post_tile(options).is_empty();
    let least = first.iter().filter(has_more).map(|first| first.cost).min();
    let mut open = least.is_some() && may_be_beaten(steps, limit);
    let mut all = Vec::new();
    for first in first {
        let wanted = open && least == Some(first.cost);
        let more = if wanted { post_tile(steps, analysis, &first, limit) } else { Vec::new() };
        open &= more.iter().all(|realized| realized.cost >= limit);
        all.push(first);
        all.extend(more);
    }
    all
}

/// An order of loops may cost less than this. Where that cannot be told, one may.
pub(super) fn may_be_beaten(steps: &mut Steps<'_>, cost: u64) -> bool {
    let (scop, options) = (steps.scop, steps.options);
    let least = steps.step(Phase::PostTile, || {
        cost::cost_lower_bound(scop, &options.machine, options.freedom(), &LastDimensions::new())
    });
    tracing::debug!(?least, cost, "bound");
    least.map_or(true, |least| least < cost)
}

/// What the post-tile phase makes of a candidate. What cannot cost less than the limit is left out.
fn post_tile(steps: &mut Steps<'_>, analysis: &Analysis, first: &Realized, limit: u64) -> Vec<Realized> {
    let mut limit = limit;
    let mut known = vec![first.arranged.ordered.clone()];
    let mut found = Vec::new();
    for candidate in first.candidate().post_tile(steps.options) {
        match rescheduled(steps, analysis, first, &candidate, &mut known, limit) {
            Ok(realized) => {
                limit = realized.iter().map(|realized| realized.cost).fold(limit, u64::min);
                found.extend(realized);
            }
            Err(refusal) => tracing::debug!(%refusal, %candidate, "no post-tile phase"),
        }
    }
    found
}

fn rescheduled(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    first: &Realized,
    candidate: &Candidate,
    known: &mut Vec<Schedule>,
    limit: u64,
) -> Result<Option<Realized>, Refusal> {
    let with_tiles = (candidate.tiles == first.candidate().tiles).then_some(&first.arranged.tiled);
    let scheduled = first.arranged.scheduled.clone();
    let Some(arranged) = realize::arrange(steps, analysis, candidate, scheduled, with_tiles)? else { return Ok(None) };
    for other in &*known {
        if other.plain_is_equal(&arranged.ordered)? {
            return Ok(None);
        }
    }
    known.push(arranged.ordered.clone());
    mapped_below(steps, analysis, arranged, limit)
}
