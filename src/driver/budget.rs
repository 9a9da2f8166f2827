//! The work that is done for a region and for a function: counted, so that the same input meets the same fate on any
//! machine.
//!
//! # Unit
//! The operation. isl counts its own (`cmake/isl-pivots.h` and `cmake/isl-cells.h` have it count its arithmetic), our
//! solvers theirs ([`crate::ilp::Budget`]), in the same unit and on the same meter, that of the region's context
//! ([`Ctx::operations`]). An operation takes 20 to 85 nanoseconds of a processor's time of 2026, whatever is done
//! (PolyBench's regions: 50 to 80; `listing29-convolution.scop`: 27).
//!
//! # Memory
//! What isl has allocated at a time is bounded as well ([`Budget::MEMORY`], `cmake/isl-memory.h`): a step that needs more
//! is refused, as one that runs out of operations is, and gives back what it took. Our own solvers touch all memory that
//! they take, so that their operations bound it.
//!
//! # Shares
//! A bound inside of another is a part of it: what a step leaves is there for the steps that follow, and a step that
//! uses up its part leaves them theirs.
//!
//! | step | may take | when it is used up |
//! |---|---|---|
//! | dependences | 1/2 of the region's | refusal |
//! | constraints | 1/4 of the region's | refusal |
//! | search, all of it | 3/4 of what is left of the region | the best tree found so far |
//! | groups of references for all orders; conflicts on memory for them | 1/4 of what is left of the search, each | each order tries |
//! | planning with macro-statements, the steps above and below within it | 3/4 of what is left of the region | each statement by itself |
//! | proof and code of that | 1/2 of what is left of the region | each statement by itself |
//! | each decision with clusters cut, its proof and code within it | 1/2 of what is left of the region | what was proved before |
//! | each order in it | what is left of the search, by the number of orders that are left; the original is the last | no candidate |
//! | its first attempt to schedule | 3/4 of that | components by themselves |
//! | each tree of the post-tile phase | 1/4 of what is left of the search | no candidate |
//! | wavefronts undone | what is left of the search | no candidate |
//! | check of a tree | 3/4 of what is left of the region | the next candidate |
//! | code for it | 3/4 of what is left of the region | the next candidate |
//! | trial of the code at small sizes | as a check | what is left of it is not tried |
//! | proof that kernels execute each instance once, and that tiles hold what is read | what is left, 24 million at most; 4 million with sizes that users give | refusal; a trial with those sizes |
//! | that each instance is executed once, without kernels | a quarter of that | it was tried |
//! | whether that is the original's; the prediction | what is left | new code; no prediction |
//!
//! The joint search of layouts may take three times a region's operations besides: half of it to schedule layouts, each
//! what is left by the number of those that may follow, the rest for what is chosen, [`Budget::LAYOUT`] for its proof.
//!
//! The regions of a function share [`Allowance::of_function`]; each may take what is left by the number of regions that
//! are left, at most [`Budget::REGION`]. Lifting has [`Allowance::of_lifting`] for all that is tried in a function, and
//! at most half of that for a try.
//!
//! With [`super::Effort::Low`] a function has a twentieth of that, layouts are not searched, and its regions are served as they
//! come, each with at most half of what is left but for the last: to share among many would leave none enough.
//!
//! A region that would run out of its operations, as one before it or by its size, is not begun
//! ([`Allowance::suffices`]).

use super::Phase;
use super::foreseen::RegionSize;
use crate::isl::Ctx;

/// The operations that a region may take, and what part of them each step may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// 0: no bound.
    region: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new(Budget::REGION)
    }
}

impl Budget {
    /// The operations of a region: a little more than two seconds of work. PolyBench's lu needs 25 million, heat-3d 21,
    /// most others below 10.
    pub const REGION: u64 = 44_000_000;

    /// The operations of a function with [`super::Effort::Low`]: a third of a second. A product of matrices takes 2 to
    /// 4 million, and code for it gets at most three quarters of half of what a function has.
    pub const LOW: u64 = 4_400_000;

    /// The bytes that isl may have allocated at a time for a region: what PolyBench's regions and those of the benchmark of
    /// clusters take at most, 25 times.
    pub const MEMORY: u64 = 1 << 28;

    /// The operations of the proof that code with kernels executes each instance once.
    pub const COVERAGE: u64 = 24_000_000;

    /// Those of the same proof with sizes that users give, where a trial has to do if it takes longer.
    pub const COVERAGE_OF_GIVEN_SIZES: u64 = 4_000_000;

    /// The operations of finding the copies of a layout that is asked for or chosen, and of its proof.
    pub const LAYOUT: u64 = 20_000_000;

    /// The operations of the proof that the new code's indices do not overflow.
    pub const EMISSION: u64 = 4_000_000;

    /// So many operations for a region; 0 means that they are not bounded.
    pub fn new(operations: u64) -> Budget {
        Budget { region: operations }
    }

    /// So many operations are less than a region may take, and less than there are now.
    pub(super) fn suffices(self, ctx: &Ctx, operations: u64) -> bool {
        (self.region == 0 || operations < self.region) && operations < ctx.remaining()
    }

    /// Runs all of a region's steps.
    pub(super) fn whole<T>(self, ctx: &Ctx, work: impl FnOnce() -> T) -> T {
        self.bounded(ctx, self.region, work)
    }

    /// Runs the search for layouts, proofs included: as many operations as for three regions.
    pub(super) fn joint<T>(self, ctx: &Ctx, work: impl FnOnce() -> T) -> T {
        self.bounded(ctx, self.region.saturating_mul(3), work)
    }

    fn bounded<T>(self, ctx: &Ctx, operations: u64, work: impl FnOnce() -> T) -> T {
        match self.region {
            0 => work(),
            _ => with_bounds(ctx, operations, work),
        }
    }

    /// The operations that a step may take now; those of the search have [`Budget::search`] around them.
    pub(super) fn of(self, phase: Phase, ctx: &Ctx) -> u64 {
        let left = ctx.remaining();
        match phase {
            Phase::Dependences => self.of_dependences(),
            Phase::Constraints => part(self.region, 1, 4),
            Phase::Check => part(left, 3, 4),
            Phase::Codegen => part(left, 3, 4),
            Phase::PostTile => part(left, 1, 4),
            Phase::Proximity | Phase::Cluster | Phase::Schedule | Phase::Tile | Phase::Map => left,
        }
    }

    /// The operations that the dependences of a region may take.
    fn of_dependences(self) -> u64 {
        part(self.region, 1, 2)
    }

    /// The operations that the search may take now; the last quarter of what is left is for the checker and the code
    /// generator.
    pub(super) fn search(ctx: &Ctx) -> u64 {
        part(ctx.remaining(), 3, 4)
    }

    /// The operations that planning with macro-statements may take; the rest is for the checker and the code of all
    /// statements, or for planning with those.
    pub(super) fn coarse(ctx: &Ctx) -> u64 {
        part(ctx.remaining(), 3, 4)
    }

    /// The operations that the proof and the code of what was planned with macro-statements may take; where they stand in
    /// one loop that would be several with statements by themselves, it takes more than those do.
    pub(super) fn proof_of_coarse(ctx: &Ctx) -> u64 {
        part(ctx.remaining(), 1, 2)
    }

    /// The operations that a region with clusters cut may take. There is one that is proved before, which has to be tried and handed
    /// over with what is left.
    pub(super) fn finer(ctx: &Ctx) -> u64 {
        part(ctx.remaining(), 1, 2)
    }

    /// The operations that something which all orders need may take now, so that something is left for those that may
    /// do without.
    pub(super) fn preparation(ctx: &Ctx) -> u64 {
        part(ctx.remaining(), 1, 4)
    }
}

/// Runs work with at most so many operations, and the memory that there is for a region.
fn with_bounds<T>(ctx: &Ctx, operations: u64, work: impl FnOnce() -> T) -> T {
    ctx.with_memory(Budget::MEMORY, || ctx.with_quota(operations, work))
}

/// A fraction, not none.
pub(super) fn part(operations: u64, numerator: u64, denominator: u64) -> u64 {
    if operations == 0 { 0 } else { (operations / denominator * numerator).max(1) }
}

/// The part of what is left that one of so many equals may take.
pub(super) fn equal_part(ctx: &Ctx, count: usize) -> u64 {
    part(ctx.remaining(), 1, count.max(1) as u64)
}

/// The operations that are left to a function, whose regions have contexts of their own.
#[derive(Debug)]
pub struct Allowance {
    left: u64,
    most: u64,
    /// Little is to be spent: two regions that are left share it, those behind them get what these leave, and what is
    /// not expected to be finished is not begun.
    in_haste: bool,
    /// A region of that size could not be finished with so many operations.
    exceeded: Option<(RegionSize, u64)>,
}

impl Allowance {
    /// That of a function: two regions' budget, and with a search for layouts four times that, as such a region may
    /// take as much as four.
    pub fn of_function(layouts: bool) -> Allowance {
        let left = if layouts { 8 } else { 2 } * Budget::REGION;
        Allowance { left, most: Budget::REGION, in_haste: false, exceeded: None }
    }

    /// That of a function that little is to be spent on.
    pub fn of_function_in_haste() -> Allowance {
        Allowance { left: Budget::LOW, most: Budget::LOW, in_haste: true, exceeded: None }
    }

    /// That for all tries to read regions of a function.
    pub fn of_lifting() -> Allowance {
        Allowance { left: Budget::REGION / 2, most: Budget::REGION / 4, in_haste: false, exceeded: None }
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// What one of so many regions that are left may take.
    pub fn of_region(&self, count: usize) -> Budget {
        Budget::new(self.share(count).max(1))
    }

    /// What one of so many may take in all.
    fn share(&self, count: usize) -> u64 {
        let sharing = if self.in_haste { count.min(2) } else { count };
        (self.left / sharing.max(1) as u64).min(self.most)
    }

    /// Takes what one of so many regions may take, as an allowance of its own.
    pub fn split(&mut self, count: usize) -> Allowance {
        let part = self.share(count);
        self.left -= part;
        Allowance { left: part, most: part, ..*self }
    }

    /// Gives back what is left of a part, and what was found out with it.
    pub fn join(&mut self, part: Allowance) {
        self.left += part.left;
        self.exceeded = part.exceeded;
    }

    /// A region of this size may be finished with a budget. In haste that is not expected where its dependences would
    /// take more than they may, where a smaller region failed with two thirds of it, or with less than three quarters of
    /// a function's operations where regions of its size take more; with so many the search finds something for most.
    pub fn suffices(&self, size: RegionSize, budget: Budget) -> bool {
        if !self.in_haste || budget.region == 0 {
            return true;
        }
        let has_failed = |(least, operations): (RegionSize, u64)| size >= least && budget.region / 3 * 2 <= operations;
        let has_failed = self.exceeded.is_some_and(has_failed);
        let usual = size.expected_of_new_code().min(Budget::LOW / 4 * 3);
        !has_failed && budget.region >= usual && budget.of_dependences() >= size.expected_of_dependences()
    }

    /// Keeps in mind that a region of this size ran out of its budget. Of two that say different things, what is said
    /// of smaller regions is kept.
    pub fn was_exceeded(&mut self, size: RegionSize, budget: Budget) {
        let says_less = self
            .exceeded
            .is_some_and(|(least, operations)| least < size || (least == size && operations > budget.region));
        if !says_less {
            self.exceeded = Some((size, budget.region));
        }
    }

    /// Runs a try in a context, with at most what one may take, and counts what it takes.
    pub fn run<T>(&mut self, ctx: &Ctx, work: impl FnOnce() -> T) -> T {
        let before = ctx.operations();
        let quota = self.left.min(self.most).max(1);
        let found = with_bounds(ctx, quota, work);
        self.count(ctx.operations() - before);
        found
    }

    /// Counts work that was done under a bound of its own.
    pub fn count(&mut self, operations: u64) {
        self.left = self.left.saturating_sub(operations);
    }
}

#[cfg(test)]
mod tests {
    use super::super::foreseen;
    use super::*;
    use crate::isl::ErrorKind;

    #[test]
    fn steps_share_what_is_left() {
        let (ctx, budget) = (Ctx::new(), Budget::new(1_000_000));
        budget.whole(&ctx, || {
            let take = |quota, operations| ctx.with_quota(quota, || ctx.charge(operations));
            assert_eq!(budget.of(Phase::Dependences, &ctx), 500_000);
            take(budget.of(Phase::Dependences, &ctx), 100_000).unwrap();
            // The search has three quarters of what is left, and who uses up a part of it leaves the rest.
            assert_eq!(Budget::search(&ctx), 675_000);
            ctx.with_quota(Budget::search(&ctx), || {
                assert_eq!(equal_part(&ctx, 2), 337_500);
                assert_eq!(take(equal_part(&ctx, 2), 337_500).unwrap_err().kind, ErrorKind::Quota);
                assert_eq!(budget.of(Phase::Schedule, &ctx), 337_500);
                assert_eq!(take(equal_part(&ctx, 1), 337_500).unwrap_err().kind, ErrorKind::Quota);
            });
            assert_eq!(ctx.remaining(), 225_000);
        });
        // Each three quarters of what is left, however often something is used up.
        budget.whole(&ctx, || {
            for left in [1_000_000, 250_000, 62_500] {
                assert_eq!((ctx.remaining(), budget.of(Phase::Check, &ctx)), (left, left / 4 * 3));
                assert!(ctx.with_quota(budget.of(Phase::Check, &ctx), || ctx.charge(left / 4 * 3)).is_err());
            }
        });
        assert_eq!(Budget::new(0).whole(&ctx, || ctx.remaining()), u64::MAX);
    }

    #[test]
    fn regions_share_what_a_function_has() {
        let mut function = Allowance::of_function(false);
        assert_eq!(function.of_region(1), Budget::default());
        assert_eq!(function.of_region(16), Budget::new(Budget::REGION / 8));
        let mut part = function.split(16);
        let ctx = Ctx::new();
        assert!(part.run(&ctx, || ctx.charge(Budget::REGION)).is_err());
        assert!(part.is_spent());
        assert_eq!(part.run(&ctx, || ctx.remaining()), 1, "nothing is left, which is not the same as no bound");
        function.join(part);
        assert_eq!(function.left(), 2 * Budget::REGION - Budget::REGION / 8);
        let mut part = function.split(1);
        part.run(&ctx, || ctx.charge(7)).unwrap();
        function.join(part);
        assert_eq!(function.left(), 2 * Budget::REGION - Budget::REGION / 8 - 7);
    }

    #[test]
    fn in_haste_the_first_regions_get_enough() {
        let mut function = Allowance::of_function_in_haste();
        assert_eq!(function.of_region(1), Budget::new(Budget::LOW));
        let part = function.split(16);
        assert_eq!(part.of_region(1), Budget::new(Budget::LOW / 2));
        function.join(part);
        assert_eq!(function.left(), Budget::LOW);
    }

    #[test]
    fn what_would_not_be_finished_is_not_begun() {
        let size = |name: &str| RegionSize::of(&foreseen::samples::scop(name)).unwrap().unwrap();
        let (small, large) = (size("mvt"), size("gemm"));
        let mut function = Allowance::of_function_in_haste();
        let (more, enough) = (Budget::new(Budget::LOW / 4 * 3), Budget::new(large.expected_of_new_code()));
        assert!(small < large && enough.region < more.region);
        assert!(function.suffices(large, enough));
        assert!(!function.suffices(large, Budget::new(enough.region - 1)));
        // With most of a function's operations something is found for most, if their dependences can be.
        let (lu, adi) = (size("lu"), size("adi"));
        assert!(function.suffices(lu, more) && !function.suffices(lu, Budget::new(more.region - 1)));
        assert!(function.suffices(adi, Budget::new(Budget::LOW)) && !function.suffices(adi, more));
        // One that failed tells of larger ones with no more operations, and says so to the regions that follow.
        let mut part = function.split(2);
        part.was_exceeded(large, enough);
        function.join(part);
        assert!(function.suffices(small, enough));
        assert!(!function.suffices(large, enough));
        assert!(function.suffices(large, more));
        function.was_exceeded(small, enough);
        function.was_exceeded(large, Budget::new(1));
        assert!(!function.suffices(small, enough) && !function.suffices(large, enough));
        // Where there is time, everything is tried.
        let mut function = Allowance::of_function(false);
        function.was_exceeded(small, more);
        assert!(function.suffices(large, Budget::new(1)));
    }
}
