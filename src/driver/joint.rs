//! The joint search: the layout and the schedule that together cost least (Shirako and Sarkar 2019, section 5).
//!
//! First come the layouts that suit one loop best, one for each loop that may be the innermost one: all references to
//! an array that have a say there walk along its rows, and what has none stays as it is. Where iterations use arrays or
//! scalars anew, all of this is there twice: as it is, and with a place for each iteration ([`Layout::expanding`]); and
//! where windows of arrays are enough ([`Layout::contracting`]), in the region's order or in one that was found for it,
//! once more with these. Where reductions may be reordered, partial results of what does not run in parallel are one more
//! choice ([`Layout::reducing`]); and where iterations overwrite what they read, and no tiles help, copies of that
//! ([`Layout::keeping`]).
//!
//! Then arrays are decided in turn: one stays as it is, or has one of its candidates
//! ([`crate::layout::choices`]). What is decided of some arrays costs at least [`cost_lower_bound`] of the region with
//! these layouts and their copies, as if each reference to another array had the row that suits it. Of what is open, that
//! with the least bound comes first; where all is decided, the scheduler and the search for a region (`search.rs`) tell
//! what the region costs. This ends when no bound is below what was found, a third less for the layout as it is, which
//! for most regions is before it begins, or when several in a row were no better.
//!
//! Only the choice is checked: first that the region with its layout computes the same, then as any other region.

use super::budget::{Budget, equal_part, part};
use super::findings::Findings;
use super::observer::{Buffered, Observer};
use super::optimized::Optimized;
use super::options::{Effort, LayoutSearch, Options, Target};
use super::orders::{by_rows, parallel, ranked};
use super::prediction::Prediction;
use super::refusal::Refusal;
use super::relaid::{Considered, Joint, Relaid};
use super::size_versions::layout_pays_where;
use super::worth::fits;
use super::{optimize, optimize_with};
use crate::cost::{LastDimensions, cost_lower_bound, directions};
use crate::isl::{self, DimType, Schedule};
use crate::layout::{self, Applied, Choice, Layout, Memory};
use crate::schedule_tree::{Mark, has_mark};
use crate::scop::{Array, Scop};
use crate::transform::post_tile::strip;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// More arrays than this keep their layout, those that come last.
const MOST_ARRAYS: usize = 8;

/// So many decisions are looked at, with or without a bound that lets them pass.
const MOST_DECISIONS: usize = 400;

/// An element has at most so many partial results.
const MOST_PARTS: i64 = 256;

/// So many layouts of a region are scheduled.
const MOST_SCHEDULED: usize = 8;

/// After so many that are no better than what there was, the rest is not expected to be: of PolyBench and test/structures, what gains
/// is found first or second, and the bounds that put it there say less of what comes after.
const MOST_IN_VAIN: usize = 2;

/// So many of those that gain are tried to be proved.
const MOST_TRIED: usize = 2;

/// As [`optimize`], and with [`Options::layout`] the layout is chosen, too, of those that are `possible`.
///
/// # Errors
/// As [`optimize`].
pub fn optimize_jointly(
    scop: &Scop,
    options: &Options,
    possible: &dyn Fn(&Applied) -> bool,
    observer: &mut dyn Observer,
) -> Result<Joint, Refusal> {
    if !is_open(options) {
        return Ok(Joint::without(optimize(scop, options, observer)?));
    }
    let mut buffered = Buffered::new(observer);
    let optimized = optimize(scop, options, &mut buffered)?;
    let as_it_is = optimized.cost;
    let mut search = JointSearch::new(scop, options, possible, as_it_is);
    let mut joint = Joint::without(optimized);
    let ctx = scop.ctx();
    options.budget.joint(ctx, || {
        // Whoever asks for a choice is not refused a region for the lack of one.
        let Optimized { schedules, tree, .. } = &joint.optimized;
        if let Err(refusal) = ctx.with_quota(part(ctx.remaining(), 1, 2), || search.run(schedules, tree)) {
            tracing::debug!(%refusal, "joint search");
        }
        search.take(&mut joint, &mut buffered);
    });
    buffered.release();
    Ok(joint)
}

/// A tree or a candidate is said for a region as it is, and kernels have no other layouts.
fn is_open(options: &Options) -> bool {
    let is_said = options.load_schedule.is_some() || options.candidate.is_some();
    let is_wanted = match options.layout {
        LayoutSearch::None => false,
        LayoutSearch::Auto => options.profitability && options.effort == Effort::High,
        LayoutSearch::Any => true,
    };
    is_wanted && options.target == Target::Cpu && !is_said
}

struct JointSearch<'s> {
    scop: &'s Scop,
    options: &'s Options,
    possible: &'s dyn Fn(&Applied) -> bool,
    /// The cost of the region with the layout that it has.
    as_it_is: u64,
    /// What may be chosen for each array.
    choices: Vec<Choice>,
    /// With a place for each iteration, where iterations use something anew.
    expansion: Option<Layout>,
    /// With windows of arrays, in different orders.
    contractions: Vec<Layout>,
    /// With partial results of reductions, so that what gathers values runs in parallel.
    reduction: Option<Layout>,
    /// With operands kept that iterations overwrite.
    kept: Option<Layout>,
    /// What was not expanded.
    too_large: Vec<String>,
    scheduled: Vec<Scheduled>,
    tried: Vec<Decided>,
    /// How many were tried since one was better than what there was.
    in_vain: usize,
}

/// A layout, or what is decided of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Decided {
    /// What iterations use anew has a place for each.
    expanded: bool,
    /// Reductions have partial results.
    reduced: bool,
    /// Iterations keep operands.
    kept: bool,
    /// By the number of an order, what has windows in it.
    contracted: Option<usize>,
    /// By the number of a choice: which of its layouts an array has, if not its own.
    rows: Vec<Option<usize>>,
}

impl Decided {
    /// Values are elsewhere than where the region has them.
    fn is_another(&self) -> bool {
        self.expanded || self.reduced || self.kept || self.contracted.is_some()
    }

    /// Arrays have windows, and all that is decided of others is that they stay as they are.
    fn only_contracts(&self) -> bool {
        self.contracted.is_some()
            && !self.expanded
            && !self.reduced
            && !self.kept
            && self.rows.iter().all(Option::is_none)
    }
}

/// A layout whose region was scheduled.
struct Scheduled {
    layout: Layout,
    text: String,
    cost: u64,
    /// What it has to be below to be worth it.
    limit: u64,
    /// What was found out of its region.
    findings: Findings,
}

/// What is decided of the first arrays. Ordered by the bound, then by the number that it was found as.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Decision {
    bound: u64,
    number: usize,
    decided: Decided,
}

impl<'s> JointSearch<'s> {
    fn new(scop: &'s Scop, options: &'s Options, possible: &'s dyn Fn(&Applied) -> bool, as_it_is: u64) -> Self {
        JointSearch {
            scop,
            options,
            possible,
            as_it_is,
            choices: Vec::new(),
            expansion: None,
            contractions: Vec::new(),
            reduction: None,
            kept: None,
            too_large: Vec::new(),
            scheduled: Vec::new(),
            tried: Vec::new(),
            in_vain: 0,
        }
    }

    /// How many layouts are scheduled: where nobody asks what gains, the first will do.
    fn most(&self) -> usize {
        if self.options.layout == LayoutSearch::Any { 1 } else { MOST_SCHEDULED }
    }

    /// No more layouts are scheduled.
    fn is_over(&self) -> bool {
        let is_vain = self.in_vain >= MOST_IN_VAIN && self.options.layout != LayoutSearch::Any;
        is_vain || self.scheduled.len() >= self.most()
    }

    /// What a layout has to be below: a third less than the region as it is, as predictions that compare layouts were
    /// wrong by as much when measured, or a tenth where nothing is copied and nothing grows; or anything where what does
    /// not gain is wanted as well.
    fn worthwhile(&self, decided: &Decided) -> u64 {
        match self.options.layout {
            LayoutSearch::Any => u64::MAX,
            _ if decided.only_contracts() => self.as_it_is - self.as_it_is / 10,
            _ => self.as_it_is - self.as_it_is / 3,
        }
    }

    /// What it has to be below to be the best.
    fn limit(&self, decided: &Decided) -> u64 {
        self.gains().map(|one| one.cost).fold(self.worthwhile(decided), u64::min)
    }

    /// Searches; `schedules` are orders that were found for the region as it is, of which the best became `tree`.
    fn run(&mut self, schedules: &[Schedule], tree: &Schedule) -> Result<(), Refusal> {
        let ctx = self.scop.ctx();
        // Without these there are layouts all the same.
        if let Err(refusal) = ctx.with_quota(part(ctx.remaining(), 1, 4), || self.expand()) {
            tracing::debug!(%refusal, "expansions");
        }
        if let Err(refusal) = ctx.with_quota(part(ctx.remaining(), 1, 4), || self.contract(schedules)) {
            tracing::debug!(%refusal, "contractions");
        }
        if let Err(refusal) = ctx.with_quota(part(ctx.remaining(), 1, 4), || self.reduce(tree)) {
            tracing::debug!(%refusal, "reductions");
        }
        if let Err(refusal) = ctx.with_quota(part(ctx.remaining(), 1, 4), || self.keep(tree)) {
            tracing::debug!(%refusal, "kept operands");
        }
        let mut is_hopeful = false;
        for storage in self.storages() {
            let least = match self.layout_of(&storage)? {
                None => self.any_rows(self.scop)?,
                Some(layout) => self.any_rows(&layout.apply(self.scop)?.scop)?,
            };
            tracing::debug!(least, limit = self.limit(&storage), ?storage, "any layouts");
            is_hopeful |= least < self.limit(&storage);
        }
        if !is_hopeful {
            return Ok(());
        }
        let directions = directions(self.scop, tree)?;
        self.choices = layout::choices(self.scop, self.options.machine.line_bytes, &directions)?;
        self.choices.truncate(MOST_ARRAYS);
        for decided in self.along_loops()? {
            let bound = self.decided_bound(&decided)?;
            if bound < self.limit(&decided) && !self.is_over() {
                self.schedule(&decided, bound)?;
            }
        }
        self.branch_and_bound()
    }

    /// A lower bound on the cost of a region with the best rows of all arrays, whether or not they may have them.
    fn any_rows(&self, scop: &Scop) -> Result<u64, Refusal> {
        let any = |array: &Array| (array.name.clone(), (0..array.rank()).collect());
        self.bound(scop, &scop.arrays.iter().filter(|array| array.rank() > 0).map(any).collect())
    }

    /// Looks for what iterations use anew, and has a place for each, the smallest first, as long as that fits.
    fn expand(&mut self) -> Result<(), Refusal> {
        let mut possible = Vec::new();
        for one in Layout::expanding(self.scop)? {
            if (self.possible)(&one.apply(self.scop)?) {
                possible.push((one.known_bytes(self.scop)?, one));
            }
        }
        possible.sort_by_key(|(bytes, _)| *bytes);
        for (_, one) in possible {
            let both = Layout::joined(self.expansion.iter().chain([&one]))?;
            match both {
                Some(both) if !matches!(both.memory(self.scop, self.options.expansion_bytes)?, Memory::TooMuch(_)) => {
                    self.expansion = Some(both);
                }
                _ => self.too_large.push(one.to_text(self.scop)?),
            }
        }
        Ok(())
    }

    /// Looks for arrays of which windows are enough, in the region's own order and in those that were found.
    fn contract(&mut self, schedules: &[Schedule]) -> Result<(), Refusal> {
        let orders = schedules.iter().map(|tree| by_rows(self.scop, tree, &self.options.machine));
        let orders = orders.collect::<isl::Result<Vec<_>>>()?;
        let mut known = Vec::new();
        for order in std::iter::once(None).chain(orders.iter().map(Some)) {
            let Some(found) = Layout::contracting(self.scop, order)? else { continue };
            let text = found.to_text(self.scop)?;
            // The same windows in another order are no other choice.
            if !known.contains(&text) && (self.possible)(&found.apply(self.scop)?) {
                known.push(text);
                self.contractions.push(found);
            }
        }
        Ok(())
    }

    /// Looks for reductions that may have partial results, one for each thread and as many again, so that none waits for long:
    /// of what does not run in parallel as it is, or else of all.
    fn reduce(&mut self, tree: &Schedule) -> Result<(), Refusal> {
        let cores = i64::from(self.options.machine.cores);
        if !self.options.parallel || cores < 2 {
            return Ok(());
        }
        let parts = (2 * cores).min(MOST_PARTS);
        let mut possible = Vec::new();
        for one in Layout::reducing(self.scop, parts, &parallel(tree)?)? {
            if (self.possible)(&one.apply(self.scop)?) {
                possible.push(one);
            }
        }
        let all = Layout::joined(possible.iter())?;
        let fits = |layout: &Layout| layout.memory(self.scop, self.options.expansion_bytes);
        self.reduction = match all {
            Some(all) if !matches!(fits(&all)?, Memory::TooMuch(_)) => Some(all),
            Some(all) => {
                self.too_large.push(all.to_text(self.scop)?);
                None
            }
            None => None,
        };
        Ok(())
    }

    /// Looks for operands to keep, for as many iterations as right-looking order takes at a time, where no tiles help.
    fn keep(&mut self, tree: &Schedule) -> Result<(), Refusal> {
        if !self.options.right_looking || has_mark(tree, &Mark::Point)? {
            return Ok(());
        }
        let iterations = strip(&self.options.tile_sizes).into();
        let Some(kept) = Layout::keeping(self.scop, iterations)? else { return Ok(()) };
        let applied = kept.apply(self.scop)?;
        // A part may read an element in several versions.
        if (self.possible)(&applied) && applied.check(self.scop).is_ok() {
            self.kept = Some(kept);
        }
        Ok(())
    }

    /// Arrays with windows, with a place for each iteration, both or neither, and all else as it is; that which has most
    /// to gain first. No array has both.
    fn storages(&self) -> Vec<Decided> {
        let of = |layout: &Layout| -> Vec<usize> {
            let moved = layout.maps.iter().map(|one| one.array);
            let partial = layout.partial_sums.iter().map(|one| one.array);
            moved.chain(layout.expansions.iter().map(|one| one.array)).chain(partial).collect()
        };
        let expanded = self.expansion.as_ref().map(of).unwrap_or_default();
        let mut all = Vec::new();
        if let Some(reduced) = self.reduction.as_ref().map(of) {
            let is_both = self.expansion.is_some() && !reduced.iter().any(|array| expanded.contains(array));
            for expanded in [true, false] {
                if !expanded || is_both {
                    all.push(Decided { expanded, reduced: true, ..Decided::default() });
                }
            }
        }
        if self.kept.is_some() {
            all.push(Decided { kept: true, ..Decided::default() });
        }
        for contracted in (0..self.contractions.len()).map(Some).chain([None]) {
            let windows = contracted.map(|number| of(&self.contractions[number])).unwrap_or_default();
            if self.expansion.is_some() && !windows.iter().any(|array| expanded.contains(array)) {
                all.push(Decided { expanded: true, contracted, ..Decided::default() });
            }
            all.push(Decided { contracted, ..Decided::default() });
        }
        all
    }

    /// What suits each loop best, and before that what has a place for each iteration, and what suits the innermost loop of the
    /// order that was found for the region as it is.
    fn along_loops(&self) -> isl::Result<Vec<Decided>> {
        let mut depth = 0;
        for statement in &self.scop.statements {
            depth = depth.max(statement.domain.dim(DimType::SET)?);
        }
        let none = vec![None; self.choices.len()];
        let (mut all, mut along) = (Vec::new(), Vec::new());
        for storage in self.storages() {
            if storage.is_another() {
                all.push(Decided { rows: none.clone(), ..storage.clone() });
            }
            // From the innermost one, which may be that for a reason.
            for loops in (0..depth).rev() {
                let best = |choice: &Choice| self.is_open(choice, &storage).then(|| choice.best_along(loops)).flatten();
                along.push(Decided { rows: self.choices.iter().map(best).collect(), ..storage.clone() });
            }
        }
        let skewed = self.skewed();
        if skewed.iter().any(Option::is_some) {
            all.push(Decided { rows: skewed, ..Decided::default() });
        }
        all.extend(along);
        Ok(all)
    }

    /// For each choice the skewed layout, where it has one.
    fn skewed(&self) -> Vec<Option<usize>> {
        self.choices.iter().map(|choice| choice.skewed).collect()
    }

    /// An array that has a place for each iteration or windows has no other layout.
    fn is_open(&self, choice: &Choice, decided: &Decided) -> bool {
        let expansions = self.expansion.iter().filter(|_| decided.expanded).flat_map(|layout| &layout.expansions);
        let windows = decided.contracted.iter().flat_map(|number| &self.contractions[*number].maps);
        let partial = self.reduction.iter().filter(|_| decided.reduced).flat_map(|layout| &layout.partial_sums);
        let taken = expansions.map(|one| one.array).chain(windows.map(|one| one.array));
        let kept = self.kept.iter().filter(|_| decided.kept).flat_map(|layout| &layout.kept);
        let taken = taken.chain(partial.map(|one| one.array)).chain(kept.map(|one| one.array));
        !taken.into_iter().any(|array| array == choice.array)
    }

    /// Decides arrays one after the other.
    fn branch_and_bound(&mut self) -> Result<(), Refusal> {
        let roots = self.storages().into_iter().zip(0..);
        let roots = roots.map(|(decided, number)| Reverse(Decision { bound: 0, number, decided }));
        let mut open: BinaryHeap<_> = roots.collect();
        let mut number = open.len();
        while let Some(Reverse(decision)) = open.pop() {
            if number > MOST_DECISIONS || self.is_over() {
                break;
            }
            if decision.bound >= self.limit(&decision.decided) {
                continue;
            }
            let rows = &decision.decided.rows;
            let Some(choice) = self.choices.get(rows.len()) else {
                self.schedule(&decision.decided, decision.bound)?;
                continue;
            };
            let layouts = if self.is_open(choice, &decision.decided) { choice.layouts.len() } else { 0 };
            for next in std::iter::once(None).chain((0..layouts).map(Some)) {
                let rows = rows.iter().copied().chain([next]).collect();
                let decided = Decided { rows, ..decision.decided.clone() };
                // To leave an array as it is makes nothing possible that was not.
                let bound = self.decided_bound(&decided)?.max(decision.bound);
                if bound < self.limit(&decided) {
                    number += 1;
                    open.push(Reverse(Decision { bound, number, decided }));
                }
            }
        }
        Ok(())
    }

    fn bound(&self, scop: &Scop, last: &LastDimensions) -> Result<u64, Refusal> {
        Ok(cost_lower_bound(scop, &self.options.machine, self.options.freedom(), last)?)
    }

    /// A lower bound on the cost with some layouts, whatever the others are.
    fn decided_bound(&self, decided: &Decided) -> Result<u64, Refusal> {
        let open = self.choices[decided.rows.len()..].iter();
        let last = open.map(|choice| (self.scop.arrays[choice.array].name.clone(), choice.last.clone())).collect();
        match self.layout_of(decided)? {
            None => self.bound(self.scop, &last),
            Some(layout) => self.bound(&layout.apply(self.scop)?.scop, &last),
        }
    }

    /// Schedules the region with a layout, unless that cannot be had.
    fn schedule(&mut self, decided: &Decided, bound: u64) -> Result<(), Refusal> {
        if self.tried.contains(decided) {
            return Ok(());
        }
        self.tried.push(decided.clone());
        let Some(layout) = self.layout_of(decided)? else { return Ok(()) };
        let applied = layout.apply(self.scop)?;
        if !(self.possible)(&applied) {
            return Ok(());
        }
        let ctx = self.scop.ctx();
        // Those that are no variants of others come first, and are few.
        let is_skewed = decided.rows == self.skewed() && decided.rows.iter().any(Option::is_some);
        let share = match is_skewed || decided.is_another() && decided.rows.iter().all(Option::is_none) {
            true => part(ctx.remaining(), 1, 2),
            false => equal_part(ctx, self.most().saturating_sub(self.scheduled.len())),
        };
        let text = layout.to_text(self.scop)?;
        let cost_of_best = || {
            let (ranked, findings) = ranked(&applied.scop, self.options)?;
            let best = ranked.first().ok_or_else(|| Refusal::new("there is no schedule"))?;
            Ok::<_, Refusal>((best.cost, findings))
        };
        let least = self.limit(decided);
        self.in_vain += 1;
        match ctx.with_quota(share, cost_of_best) {
            Ok((cost, findings)) => {
                tracing::debug!(cost, bound, text, "layout");
                if cost < least {
                    self.in_vain = 0;
                }
                let limit = self.worthwhile(decided);
                self.scheduled.push(Scheduled { layout, text, cost, limit, findings });
            }
            Err(refusal) => tracing::debug!(%refusal, text, "layout"),
        }
        Ok(())
    }

    /// Takes the best layout that is accepted, if there is one.
    fn take(&mut self, joint: &mut Joint, observer: &mut Buffered<'_>) {
        // What the clock cut short counts for nothing, but the region without another layout is there.
        if self.scop.ctx().check_deadline().is_err() {
            self.scheduled.clear();
        }
        joint.considered = self.considered();
        joint.too_large = std::mem::take(&mut self.too_large);
        let mut chosen = self.gains().count();
        for (position, one) in self.gains().take(MOST_TRIED).enumerate() {
            let shown = observer.set_aside();
            match self.accepted(one, &joint.optimized, observer) {
                Ok((relaid, optimized)) => {
                    let before = joint.optimized.prediction.map_or(joint.optimized.cost, |known| known.before);
                    let prediction = Some(Prediction { before, after: optimized.cost });
                    joint.relaid = Some(relaid);
                    joint.optimized = Optimized { prediction, ..optimized };
                    chosen = position;
                    break;
                }
                Err(refusal) => {
                    joint.considered[position].refused = Some(refusal.to_string());
                    observer.restore(shown);
                }
            }
        }
        joint.considered[chosen].is_chosen = true;
    }

    /// The region with a layout, both proved, if it costs less than the limit; `without` is what there is without the layout.
    fn accepted(
        &self,
        Scheduled { layout, limit, findings, .. }: &Scheduled,
        without: &Optimized,
        observer: &mut dyn Observer,
    ) -> Result<(Relaid, Optimized), Refusal> {
        let (ctx, options) = (self.scop.ctx(), self.options);
        let applied = ctx.with_quota(Budget::LAYOUT, || {
            let applied = layout.apply(self.scop)?;
            applied.check(self.scop)?;
            Ok::<_, layout::Error>(applied)
        })?;
        let optimized = optimize_with(&applied.scop, options, findings, observer)?;
        if optimized.cost >= *limit {
            return Err(Refusal::new("the checker did not accept its best trees"));
        }
        let mut conditions = Vec::new();
        if options.layout != LayoutSearch::Any {
            conditions = layout_pays_where((self.scop, without), (&applied, &optimized), options)?;
        }
        conditions.extend(fits(&applied, options.layout_bytes)?);
        match layout.memory(self.scop, options.expansion_bytes)? {
            Memory::Fits => {}
            Memory::FitsWhere(condition) => conditions.push(condition),
            Memory::TooMuch(_) => return Err(Refusal::new("its arrays take too much memory")),
        }
        let settled = without.same_as_original;
        Ok((Relaid { layout: layout.clone(), applied, conditions, settled }, optimized))
    }

    /// The layout that was decided on; `None` if all arrays stay as they are.
    fn layout_of(&self, decided: &Decided) -> isl::Result<Option<Layout>> {
        let rows = self.choices.iter().zip(&decided.rows);
        let rows = rows.filter_map(|(choice, one)| one.map(|one| &choice.layouts[one]));
        let windows = decided.contracted.map(|number| &self.contractions[number]);
        let reduced = self.reduction.iter().filter(|_| decided.reduced);
        let reduced = reduced.chain(self.kept.iter().filter(|_| decided.kept));
        Layout::joined(self.expansion.iter().filter(|_| decided.expanded).chain(reduced).chain(windows).chain(rows))
    }

    /// What was scheduled, what gains before what does not, best first.
    fn considered(&mut self) -> Vec<Considered> {
        self.scheduled.sort_by_key(|one| (one.cost >= one.limit, one.cost));
        let considered = |maps: &str, cost| Considered { maps: maps.to_owned(), cost, is_chosen: false, refused: None };
        let mut all: Vec<Considered> = self.scheduled.iter().map(|one| considered(&one.text, one.cost)).collect();
        all.insert(self.gains().count(), considered("", self.as_it_is));
        all
    }

    /// The layouts that are expected to be better than that of the region, best first.
    fn gains(&self) -> impl Iterator<Item = &Scheduled> {
        self.scheduled.iter().filter(|one| one.cost < one.limit)
    }
}
