//! The one way to realize a candidate: schedule, tile, order the points, map.

use super::analysis::{Analysis, Basis};
use super::candidate::{Candidate, Order, Points, Tiles};
use super::options::{Options, Scheduler, Target};
use super::phases::Phase;
use super::prediction::Prediction;
use super::refusal::Refusal;
use super::scheduled::{Arranged, Scheduled};
use super::step_down::{Rung, StepDown};
use super::steps::Steps;
use crate::cost::{self, Reuse, Threads, TimeTiles};
use crate::dependence::FreeUpdates;
use crate::isl::{self, Schedule, UnionSet};
use crate::machine::Machine;
use crate::schedule::{self, IslOptions, Strategy, WavefrontPartner};
use crate::schedule_tree::TileSizes;
use crate::scop::Scop;
use crate::scop::text::parse_schedule;
use crate::transform::post_tile::{self, Common, Request};
use crate::transform::{self, CpuOptions, Fronts, LongTiles, Mapped, Packing, StripPoints, TileAims, gpu};

/// A candidate's tree.
#[derive(Clone)]
pub(super) struct Realized {
    pub arranged: Arranged,
    /// Tiled and mapped.
    pub tree: Schedule,
    /// What it seems to cost ([`crate::cost::cost`]); 0 for a loaded tree, which nothing competes with.
    pub cost: u64,
    /// Threads would not pay for some loop that could run in parallel.
    pub too_little_work: bool,
}

impl Realized {
    pub fn candidate(&self) -> &Candidate {
        &self.arranged.candidate
    }

    pub fn is_original(&self) -> bool {
        self.candidate().order == Order::Original
    }

    /// Loops are in the order in which the schedule has them, as far as can be seen.
    pub fn keeps_order(&self) -> bool {
        self.arranged.ordered.plain_is_equal(&self.arranged.scheduled.tree).unwrap_or(false)
    }

    /// A tree to which nothing is done any more.
    pub fn of_tree(tree: Schedule, candidate: Candidate, cost: u64) -> Realized {
        let scheduled = Scheduled::of_tree(tree.clone());
        let arranged = Arranged { candidate, scheduled, tiled: tree.clone(), ordered: tree.clone() };
        Realized { arranged, tree, cost, too_little_work: false }
    }

    /// A tree that the user gave, which is taken as it is.
    pub fn loaded(scop: &Scop, text: &str) -> Result<Realized, Refusal> {
        let tree = parse_schedule(scop, text).map_err(|error| Refusal::new(format!("loaded schedule: {error}")))?;
        Ok(Realized::of_tree(tree, Candidate::loaded(), 0))
    }
}

/// All of a candidate.
///
/// # Errors
/// Whatever a step says; and that there are no tiles to share, or no points to schedule anew.
pub(super) fn realize(steps: &mut Steps<'_>, analysis: &Analysis, candidate: &Candidate) -> Result<Realized, Refusal> {
    let scheduled = schedule(steps, analysis, candidate.order)?;
    let arranged = arrange(steps, analysis, candidate, scheduled, None)?;
    map(steps, analysis, arranged.ok_or_else(|| Refusal::new(format!("nothing to do as '{candidate}' says")))?)
}

/// The tree that an order stands for, and which tiles suit it.
pub(super) fn schedule(steps: &mut Steps<'_>, analysis: &Analysis, order: Order) -> Result<Scheduled, Refusal> {
    let scheduled = in_order(steps, analysis, order)?;
    let (scop, options) = (steps.scop, steps.options);
    if !options.leaves_tile_sizes_open() {
        return Ok(scheduled);
    }
    let found = || cost::time_tiles(scop, &scheduled.tree, &options.machine, options.parallel);
    let time_tiles = steps.step(Phase::Tile, found)?;
    Ok(Scheduled { time_tiles, ..scheduled })
}

/// The tree that an order stands for.
fn in_order(steps: &mut Steps<'_>, analysis: &Analysis, order: Order) -> Result<Scheduled, Refusal> {
    let options = steps.options;
    let tree = match (order, options.scheduler, options.scheduler.strategy(options.target, &options.machine)) {
        (Order::Scheduled { outer_coincidence }, _, Some(preset)) => {
            // The report's own rule is a guess at which of the two is better; here their costs tell.
            let tried = || match options.target {
                Target::Cpu => Strategy { outer_coincidence, register_limit: None, ..preset },
                Target::Gpu => Strategy { outer_coincidence, ..preset },
            };
            let strategy = options.strategy.clone().unwrap_or_else(tried);
            schedule::check_names(&strategy, &analysis.constraints, Some(steps.scop))?;
            return scheduled(steps, analysis, &strategy);
        }
        (Order::Scheduled { outer_coincidence }, Scheduler::Isl, None) => {
            let isl = IslOptions { outer_coincidence, ..IslOptions::default() };
            steps.step(Phase::Schedule, || schedule::isl_schedule_or_wide(&analysis.constraints, isl))?
        }
        (Order::Scheduled { .. }, _, None) => {
            return Err(Refusal::new(format!("scheduler=none has no order={order}")));
        }
        (Order::Original | Order::Loaded, ..) => original(steps, analysis)?,
    };
    Ok(Scheduled::of_tree(tree))
}

/// A tree of our scheduler.
fn scheduled(steps: &mut Steps<'_>, analysis: &Analysis, strategy: &Strategy) -> Result<Scheduled, Refusal> {
    let (ctx, once) = (steps.scop.ctx(), &analysis.found.scheduled[usize::from(strategy.outer_coincidence)]);
    let (scheduled, simpler) = once.get(ctx, || scheduled_anew(steps, analysis, strategy))?;
    simpler.into_iter().for_each(|step| steps.step_down(step));
    Ok(scheduled)
}

/// The same, and what was done with less than was wanted.
fn scheduled_anew(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    strategy: &Strategy,
) -> Result<(Scheduled, Option<StepDown>), Refusal> {
    let groups = analysis.groups(steps)?;
    let mut any_coincidence = !strategy.outer_coincidence;
    let mut simpler = None;
    let mut observer = |event: schedule::Event| {
        any_coincidence &= !event.depends_on_outer_coincidence();
        tracing::debug!(?event, "scheduler");
        if let schedule::Event::Fallback { reason } = event {
            simpler = Some(StepDown::new(Rung::Components, reason));
        }
    };
    let scop = steps.scop;
    let has_copies = scop.statements.iter().any(|statement| statement.copy);
    let tree = steps.step(Phase::Schedule, || match has_copies {
        true => schedule::schedule_apart(scop, &analysis.constraints, &groups, strategy, &mut observer),
        false => schedule::schedule_or_serialize(&analysis.constraints, &groups, strategy, &mut observer),
    });
    match tree {
        Ok(tree) => Ok((Scheduled { any_coincidence, ..Scheduled::of_tree(tree) }, simpler)),
        Err(refusal) => {
            simpler.into_iter().for_each(|step| steps.step_down(step));
            Err(refusal)
        }
    }
}

/// The order of the region itself, of what is scheduled: instances that only end the life of arrays are not.
pub(super) fn own_order(scop: &Scop) -> isl::Result<Schedule> {
    scop.schedule.clone().intersect_domain(scop.domain()?)
}

/// The original order of what is scheduled, its bands found anew.
pub(super) fn original(steps: &mut Steps<'_>, analysis: &Analysis) -> Result<Schedule, Refusal> {
    let scop = steps.scop;
    let anew = || {
        let mut domain = scop.domain()?;
        if let Some(dead) = &analysis.obligations.dead {
            domain = domain.subtract(dead.clone())?;
        }
        schedule::original(&scop.schedule.clone().intersect_domain(domain)?, &analysis.constraints)
    };
    steps.step(Phase::Schedule, || analysis.found.original.get(scop.ctx(), anew))
}

/// Tiles, and points in order. A candidate that differs from this one in its points alone has its tiles already.
/// `None` where there are no tiles to share, no points to schedule anew, or none that wait for each other.
pub(super) fn arrange(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    candidate: &Candidate,
    scheduled: Scheduled,
    with_tiles: Option<&Schedule>,
) -> Result<Option<Arranged>, Refusal> {
    let ctx = steps.scop.ctx();
    let once = analysis.found.arranged(candidate, with_tiles.is_some());
    once.get(ctx, || arrange_anew(steps, analysis, candidate, scheduled, with_tiles))
}

fn arrange_anew(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    candidate: &Candidate,
    scheduled: Scheduled,
    with_tiles: Option<&Schedule>,
) -> Result<Option<Arranged>, Refusal> {
    if steps.options.target == Target::Gpu {
        // Mapping cuts tiles and puts members in order itself.
        let (tiled, ordered) = (scheduled.tree.clone(), scheduled.tree.clone());
        return Ok(Some(Arranged { candidate: candidate.clone(), scheduled, tiled, ordered }));
    }
    let candidate = &in_suitable_tiles(candidate, &scheduled, steps.options)?;
    let tiled = match (with_tiles, &candidate.tiles) {
        (Some(tiled), _) => tiled.clone(),
        (None, Tiles::Shared(sizes) | Tiles::Rows(sizes)) => {
            let (constraints, tree) = (&analysis.constraints, &scheduled.tree);
            let (scop, machine) = (steps.scop, &steps.options.machine);
            let shared = steps.step(Phase::PostTile, || match candidate.tiles {
                Tiles::Rows(_) => {
                    let rows = post_tile::rows_passed(scop, machine)?;
                    post_tile::share(tree, constraints, sizes, Common::Rows(&rows))
                }
                _ => post_tile::share(tree, constraints, sizes, Common::Written),
            })?;
            let Some(shared) = shared else { return Ok(None) };
            tile(steps, analysis, candidate, &shared)?
        }
        (None, Tiles::RightLooking(sizes)) => {
            let (constraints, tree) = (&analysis.constraints, &scheduled.tree);
            let looking = || post_tile::right_looking(tree, constraints, sizes);
            let Some(strips) = steps.step(Phase::PostTile, looking)? else { return Ok(None) };
            tile(steps, analysis, candidate, &strips)?
        }
        (None, Tiles::Diamonds(sizes)) => {
            let (constraints, tree) = (&analysis.constraints, &scheduled.tree);
            let diamonds = steps.step(Phase::Tile, || transform::diamonds(tree, constraints, sizes))?;
            let Some(diamonds) = diamonds else { return Ok(None) };
            tile(steps, analysis, candidate, &diamonds)?
        }
        (None, Tiles::LeftLooking(sizes)) => {
            let (constraints, tree) = (&analysis.constraints, &scheduled.tree);
            let looking = || post_tile::left_looking(tree, constraints, sizes);
            let Some(around) = steps.step(Phase::PostTile, looking)? else { return Ok(None) };
            tile(steps, analysis, candidate, &around)?
        }
        (None, Tiles::Own(_) | Tiles::None) => tile(steps, analysis, candidate, &scheduled.tree)?,
    };
    let points = match candidate.points {
        Points::Interchanged | Points::Skewed | Points::Staggered => Some(tiled.clone()),
        Points::Rescheduled => reschedule(steps, analysis, &tiled)?,
        Points::Apart | Points::Ahead => in_parts(steps, analysis, candidate, (&scheduled.tree, &tiled))?,
    };
    let Some(points) = points else { return Ok(None) };
    let Some(ordered) = order_points(steps, analysis, candidate, &points)? else { return Ok(None) };
    Ok(Some(Arranged { candidate: candidate.clone(), scheduled, tiled, ordered }))
}

/// Which members run in parallel and as vectors, or over blocks and threads, and what that costs.
pub(super) fn map(steps: &mut Steps<'_>, analysis: &Analysis, arranged: Arranged) -> Result<Realized, Refusal> {
    if steps.options.target == Target::Gpu {
        return map_to_gpu(steps, arranged);
    }
    let profitability = steps.options.profitability;
    let options = CpuOptions { parallel: arranged.candidate.parallel, vector: true, profitability };
    let Mapped { mut tree, too_little_work } = map_as(steps, analysis, &arranged.ordered, options)?;
    if arranged.candidate.pack {
        tree = pack(steps, &tree)?.ok_or_else(|| Refusal::new("no tile is worth packing"))?;
    }
    let cost = cost_in_tiles(steps, &tree, &arranged.candidate.tiles)?;
    tracing::trace!(cost, %tree, candidate = %arranged.candidate, "candidate");
    Ok(Realized { arranged, tree, cost, too_little_work })
}

/// A candidate's tree in tiles that are packed; `None` where there is nothing to pack.
pub(super) fn packed(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    realized: &Realized,
    candidate: &Candidate,
) -> Result<Option<Realized>, Refusal> {
    if pack(steps, &realized.tree)?.is_none() {
        return Ok(None);
    }
    let (scheduled, tiled) = (realized.arranged.scheduled.clone(), &realized.arranged.tiled);
    let arranged = arrange(steps, analysis, candidate, scheduled, Some(tiled))?;
    arranged.map(|arranged| map(steps, analysis, arranged)).transpose()
}

fn pack(steps: &mut Steps<'_>, tree: &Schedule) -> Result<Option<Schedule>, Refusal> {
    let (scop, machine) = (steps.scop, &steps.options.machine);
    let packing = steps.options.pack_tiles.unwrap_or(Packing::Gaining);
    steps.step(Phase::Map, || transform::pack(scop, tree, packing, machine))
}

/// Kernels, blocks and threads. Nothing competes with them yet, so that they cost nothing.
fn map_to_gpu(steps: &mut Steps<'_>, arranged: Arranged) -> Result<Realized, Refusal> {
    let (scop, sizes) = (steps.scop, &steps.options.kernel_sizes);
    let gpu = steps.options.machine.gpu_or_default();
    let mapped = steps.step(Phase::Map, || match gpu::select(&arranged.ordered)? {
        // One thread would do the rest.
        Some(selected) if gpu::has_parallel(&selected, &own_instances(scop)?)? => {
            gpu::map(scop, &selected, sizes, &gpu).map(Some)
        }
        _ => Ok::<_, isl::Error>(None),
    })?;
    let tree = mapped.ok_or_else(|| Refusal::new("none of its loops can run in parallel on a GPU"))?;
    Ok(Realized { arranged, tree, cost: 0, too_little_work: false })
}

/// The instances `{ S[i] }` of a region but for copies that a layout asks for.
fn own_instances(scop: &Scop) -> isl::Result<UnionSet> {
    let own = scop.statements.iter().filter(|statement| !statement.copy);
    let none = UnionSet::empty(scop.context.space()?)?;
    own.map(|statement| statement.domain.clone().to_union_set()).try_fold(none, |all, one| all.union(one?))
}

/// What code of this cost is expected to bring, against the code as it is, one thread running loops that may be
/// vectors. Only a remark needs it: a region is not refused for the lack of it.
pub(super) fn prediction(steps: &mut Steps<'_>, basis: &Basis, ranked: &[Realized], after: u64) -> Option<Prediction> {
    let Basis::Analyzed(analysis) = basis else { return None };
    if steps.options.target == Target::Gpu {
        return None;
    }
    let untouched = ranked.iter().find(|realized| *realized.candidate() == Candidate::as_it_is());
    let before = match untouched {
        Some(untouched) => untouched.cost,
        None => {
            let known = ranked.iter().find(|realized| realized.is_original());
            cost_as_it_is(steps, analysis, known.map(|known| known.arranged.scheduled.tree.clone())).ok()?
        }
    };
    Some(Prediction { before, after })
}

/// What the code as it is costs, one thread running loops that may be vectors; its tree with the bands found anew may be
/// known.
pub(super) fn cost_as_it_is(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    known: Option<Schedule>,
) -> Result<u64, Refusal> {
    let tree = mapped_as_it_is(steps, analysis, known)?;
    cost(steps, &tree)
}

/// The tree of the code as it is, one thread running loops that may be vectors; with the bands found anew it may be known.
pub(super) fn mapped_as_it_is(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    known: Option<Schedule>,
) -> Result<Schedule, Refusal> {
    let options = CpuOptions { parallel: false, vector: true, profitability: false };
    match known {
        Some(original) => Ok(map_as(steps, analysis, &original, options)?.tree),
        None => analysis.found.as_it_is.get(steps.scop.ctx(), || {
            let original = original(steps, analysis)?;
            Ok(map_as(steps, analysis, &original, options)?.tree)
        }),
    }
}

/// Whether iterations of an innermost loop wait for so many operations of the one before.
pub(super) fn waits(steps: &mut Steps<'_>, tree: &Schedule, least: u32) -> Result<bool, Refusal> {
    let (scop, machine) = (steps.scop, &steps.options.machine);
    steps.step(Phase::Map, || cost::waits(scop, tree, machine, least))
}

/// A lower bound on a candidate's cost.
pub(super) fn cost_unmapped(steps: &mut Steps<'_>, arranged: &Arranged) -> Result<u64, Refusal> {
    let (scop, machine) = (steps.scop, &steps.options.machine);
    let threads = if arranged.candidate.parallel { Threads::Several } else { Threads::One };
    steps.step(Phase::Map, || cost::cost_unmapped(scop, &arranged.ordered, machine, threads))
}

fn map_as(steps: &mut Steps<'_>, analysis: &Analysis, tree: &Schedule, options: CpuOptions) -> Result<Mapped, Refusal> {
    let (scop, machine) = (steps.scop, &steps.options.machine);
    let conflicts = analysis.conflicts(steps)?;
    steps.step(Phase::Map, || transform::cpu_with(scop, &conflicts, tree, options, machine))
}

/// What a tree of the region seems to cost.
pub(super) fn cost(steps: &mut Steps<'_>, tree: &Schedule) -> Result<u64, Refusal> {
    let (scop, machine) = (steps.scop, &steps.options.machine);
    steps.step(Phase::Map, || cost::cost(scop, tree, machine))
}

/// The same, with what such tiles are for.
fn cost_in_tiles(steps: &mut Steps<'_>, tree: &Schedule, tiles: &Tiles) -> Result<u64, Refusal> {
    match tiles {
        Tiles::Rows(_) => cost_with(steps, tree, Reuse::Tiles),
        Tiles::LeftLooking(_) => cost_with(steps, tree, Reuse::Earlier),
        Tiles::None | Tiles::Own(_) | Tiles::Shared(_) | Tiles::Diamonds(_) | Tiles::RightLooking(_) => {
            cost(steps, tree)
        }
    }
}

/// The same, with some reuse among statements.
pub(super) fn cost_with(steps: &mut Steps<'_>, tree: &Schedule, reuse: Reuse) -> Result<u64, Refusal> {
    let (scop, machine) = (steps.scop, &steps.options.machine);
    steps.step(Phase::Map, || cost::cost_with(scop, tree, machine, reuse))
}

/// A candidate for a tree, with the tiles that suit a loop over time, where it has one, or rows that are an iteration apart, in the
/// place of those that suit all trees. Whoever asks for wavefronts gets them, in tiles that have some.
fn in_suitable_tiles(candidate: &Candidate, scheduled: &Scheduled, options: &Options) -> isl::Result<Candidate> {
    let machine = &options.machine;
    let is_open = candidate.tiles.sizes() == Some(&TileSizes::for_machine(machine));
    if let (true, Tiles::Diamonds(_), Some(found)) = (is_open, &candidate.tiles, &scheduled.time_tiles) {
        return Ok(Candidate { tiles: Tiles::Diamonds(found.diamonds.clone()), ..candidate.clone() });
    }
    if !is_open || !matches!(candidate.tiles, Tiles::Own(_)) {
        return Ok(candidate.clone());
    }
    if let Some(TimeTiles { sizes, in_fronts, .. }) = scheduled.time_tiles.clone() {
        if !in_fronts && candidate.wavefront > 0 && options.wavefront.is_some() {
            return Ok(candidate.clone());
        }
        let wavefront = if in_fronts { candidate.wavefront } else { 0 };
        return Ok(Candidate { tiles: Tiles::Own(sizes), wavefront, ..candidate.clone() });
    }
    let mut sizes = None;
    if candidate.points == Points::Staggered {
        sizes = transform::staggered_tiles(&scheduled.tree, machine, candidate.parallel)?;
    }
    Ok(Candidate { tiles: sizes.map_or_else(|| candidate.tiles.clone(), Tiles::Own), ..candidate.clone() })
}

/// Tiles and wavefronts.
fn tile(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    candidate: &Candidate,
    tree: &Schedule,
) -> Result<Schedule, Refusal> {
    let tiled = cut(steps, candidate, tree)?;
    in_fronts(steps, analysis, candidate, &tiled)
}

/// Tiles alone.
fn cut(steps: &mut Steps<'_>, candidate: &Candidate, tree: &Schedule) -> Result<Schedule, Refusal> {
    let (scop, machine, profitability) = (steps.scop, &steps.options.machine, steps.options.profitability);
    let points = if candidate.register_tiles { StripPoints::VectorsAndBlocks } else { StripPoints::Vectors };
    let Some(sizes) = candidate.tiles.sizes() else { return Ok(tree.clone()) };
    steps.step(Phase::Tile, || {
        if !profitability {
            return transform::tile(tree, sizes);
        }
        let skew = matches!(candidate.points, Points::Skewed | Points::Staggered);
        let aims = TileAims { parallel: candidate.wavefront > 0, skew };
        let tiled = transform::tile_gaining(scop, tree, sizes, aims, machine)?;
        let threads = if candidate.parallel { machine.cores } else { 1 };
        transform::strip_mine(scop, &tiled, (machine, threads), points)
    })
}

/// Wavefronts of tiles, or of points where there are none.
fn in_fronts(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    candidate: &Candidate,
    tree: &Schedule,
) -> Result<Schedule, Refusal> {
    let (constraints, degrees) = (&analysis.constraints, candidate.wavefront);
    if degrees == 0 {
        return Ok(tree.clone());
    }
    let partner = steps.options.aims().map_or_else(WavefrontPartner::default, |aims| aims.wavefront_partner);
    let fronts = Fronts { degrees, partner };
    steps.step(Phase::Tile, || match candidate.tiles.sizes() {
        None => transform::wavefront_of_points(tree, constraints, fronts),
        Some(sizes) => transform::wavefront(tree, constraints, sizes, fronts),
    })
}

/// A tree with the points of its tiles scheduled anew; `None` where it has no tiles, or the scheduler no aims.
fn reschedule(steps: &mut Steps<'_>, analysis: &Analysis, tiled: &Schedule) -> Result<Option<Schedule>, Refusal> {
    let Some(strategy) = steps.options.aims() else { return Ok(None) };
    let groups = analysis.groups(steps)?;
    let request = Request { constraints: &analysis.constraints, groups: &groups, strategy: &strategy };
    let mut observer = |event| tracing::debug!(?event, "post-tile phase");
    steps.step(Phase::PostTile, || post_tile::points(tiled, request, &mut observer))
}

/// A tree in tiles with the points of those that one statement has alone apart from the others, or with updates ahead of the
/// others; `None` where there are none to gain from.
fn in_parts(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    candidate: &Candidate,
    (tree, tiled): (&Schedule, &Schedule),
) -> Result<Option<Schedule>, Refusal> {
    let Some(sizes) = candidate.tiles.sizes() else { return Ok(None) };
    // Which tiles these are is said by each loop over tiles in few words, and by sums of them in many.
    let tiles = if candidate.wavefront > 0 { &cut(steps, candidate, tree)? } else { tiled };
    let coincidence = analysis.constraints.coincidence()?;
    let parts = if candidate.points == Points::Ahead {
        let (scop, once) = (steps.scop, &analysis.found.free_updates);
        let updates = steps.step(Phase::Tile, || once.get(scop.ctx(), || FreeUpdates::of(scop)))?;
        let Some(updates) = updates else { return Ok(None) };
        steps.step(Phase::Tile, || transform::ahead(tiles, &updates, &coincidence))?
    } else {
        steps.step(Phase::Tile, || transform::apart(tiles, &coincidence, sizes))?
    };
    parts.map(|parts| in_fronts(steps, analysis, candidate, &parts)).transpose()
}

/// Points in the order that the cost model gives them, and blocks for registers; `None` where they are to be skewed, and
/// none wait for each other.
fn order_points(
    steps: &mut Steps<'_>,
    analysis: &Analysis,
    candidate: &Candidate,
    tree: &Schedule,
) -> Result<Option<Schedule>, Refusal> {
    let (scop, machine) = (steps.scop, &steps.options.machine);
    let conflicts = analysis.conflicts(steps)?;
    steps.step(Phase::Tile, || {
        let mut ordered = transform::interchange(scop, tree, machine)?;
        if candidate.points == Points::Skewed {
            let skewed = transform::skew(scop, &ordered, &analysis.constraints, machine)?;
            let Some(skewed) = skewed else { return Ok::<_, isl::Error>(None) };
            ordered = skewed;
        }
        if candidate.points == Points::Staggered {
            let staggered = transform::stagger(scop, &ordered, &analysis.constraints, machine)?;
            let Some(staggered) = staggered else { return Ok(None) };
            ordered = staggered;
        }
        match candidate.tiles.sizes() {
            Some(sizes) if candidate.register_tiles => {
                let rows = long_tiles(candidate, sizes, machine);
                transform::register_tile(scop, &ordered, &conflicts, sizes, rows, machine).map(Some)
            }
            _ => Ok(Some(ordered)),
        }
    })
}

/// How long tiles are along the rows of blocks for registers; `None` where somebody asked for a size.
fn long_tiles(candidate: &Candidate, sizes: &TileSizes, machine: &Machine) -> Option<LongTiles> {
    let (threads, packed) = (if candidate.parallel { machine.cores } else { 1 }, candidate.pack);
    (*sizes == TileSizes::for_machine(machine)).then(|| LongTiles { rows: machine.tile_rows(threads), threads, packed })
}
