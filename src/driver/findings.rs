//! What is found out once of a region, and counted each time it is needed.
//!
//! The search for layouts plans with a region before it is known whether its layout is taken, and then all is done again for what is
//! taken; several steps ask for the tree of the region as it is. What they find is kept here. It counts the operations that it took
//! the first time, as the answers of `known.rs` do: whether something was kept changes nothing but the time.

use super::candidate::Candidate;
use super::scheduled::{Arranged, Scheduled};
use super::step_down::StepDown;
use crate::dependence::{Dependences, FreeUpdates, Mode};
use crate::isl::{Ctx, Schedule, ScheduleConstraints};
use crate::proximity::ReferenceGroup;
use crate::transform::Conflicts;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Bounds within a step are numbers of operations, or more than this part of what the step has: work that takes no more meets the
/// same bounds, however much there is.
const PART: u64 = 8;

/// What is found out of a region, by the mode of its dependences.
#[derive(Clone, Default)]
pub(super) struct Findings(Vec<(Mode, Rc<Found>)>);

/// What is found out of a region in one mode of its dependences.
#[derive(Default)]
pub(super) struct Found {
    pub dependences: Once<Dependences>,
    pub constraints: Once<ScheduleConstraints>,
    pub groups: Once<Vec<ReferenceGroup>>,
    /// With so many operations the groups of references cannot be found.
    pub too_few_for_groups: Cell<u64>,
    pub conflicts: Once<Conflicts>,
    /// Updates whose order among themselves never counts.
    pub free_updates: Once<Option<FreeUpdates>>,
    /// The original order with its bands found anew.
    pub original: Once<Schedule>,
    /// The same as the code as it is.
    pub as_it_is: Once<Schedule>,
    /// The trees of our scheduler, without and with coincident outermost members, and what it did without.
    pub scheduled: [Once<(Scheduled, Option<StepDown>)>; 2],
    /// Candidates in tiles that they have from others, or in their own.
    arranged: RefCell<Vec<Named<Option<Arranged>>>>,
}

/// What is found out of a candidate, and whether it has the tiles of another one.
type Named<T> = ((Candidate, bool), Rc<Once<T>>);

impl Findings {
    /// What is found out in a mode.
    pub fn of(&mut self, mode: Mode) -> Rc<Found> {
        if let Some((_, found)) = self.0.iter().find(|(other, _)| *other == mode) {
            return found.clone();
        }
        let found = Rc::<Found>::default();
        self.0.push((mode, found.clone()));
        found
    }
}

impl Found {
    /// A candidate before it is mapped, with the tiles of another one or its own. What it is made from is the same each time.
    pub fn arranged(&self, candidate: &Candidate, has_tiles: bool) -> Rc<Once<Option<Arranged>>> {
        let mut all = self.arranged.borrow_mut();
        if let Some((_, once)) = all.iter().find(|((other, tiles), _)| other == candidate && *tiles == has_tiles) {
            return once.clone();
        }
        let once = Rc::<Once<_>>::default();
        all.push(((candidate.clone(), has_tiles), once.clone()));
        once
    }
}

/// What some work finds, once that is known.
pub(super) struct Once<T>(RefCell<Option<(T, u64)>>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Once(RefCell::new(None))
    }
}

impl<T: Clone> Once<T> {
    /// What the work finds, which is always the same with enough operations.
    ///
    /// # Errors
    /// Those of the work.
    pub fn get<E>(&self, ctx: &Ctx, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.within(ctx.remaining() / PART, ctx, work)
    }

    /// The same of work without bounds that are parts of what there is.
    ///
    /// # Errors
    /// Those of the work.
    pub fn get_if_left<E>(&self, ctx: &Ctx, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.within(ctx.remaining(), ctx, work)
    }

    fn within<E>(&self, most: u64, ctx: &Ctx, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let known = self.0.borrow().as_ref().filter(|(_, operations)| *operations <= most).cloned();
        if let Some((what, operations)) = known {
            // There is as much.
            let _ = ctx.charge(operations);
            return Ok(what);
        }
        let before = ctx.operations();
        let what = work()?;
        let operations = ctx.operations() - before;
        if operations <= most {
            *self.0.borrow_mut() = Some((what.clone(), operations));
        }
        Ok(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_counts_as_much_as_the_work() {
        let (ctx, once) = (Ctx::new(), Once::default());
        let done = Cell::new(0);
        let ask = |quota, operations| {
            let before = ctx.operations();
            let found = ctx.with_quota(quota, || {
                once.get(&ctx, || {
                    done.set(done.get() + 1);
                    ctx.charge(operations).map(|()| done.get())
                })
            });
            (found.ok(), ctx.operations() - before)
        };
        // What takes much of what there is may have met a bound.
        assert_eq!(ask(1_000, 200), (Some(1), 200));
        assert_eq!(ask(8_000, 200), (Some(2), 200));
        assert_eq!(ask(8_000, 300), (Some(2), 200));
        assert_eq!(ask(1_000, 300), (Some(3), 300));
        assert_eq!(ask(100, 300), (None, 300));
        assert_eq!(done.get(), 4);
    }

    #[test]
    fn modes_have_findings_of_their_own() {
        let mut findings = Findings::default();
        let mode = |live_range_reordering| Mode { live_range_reordering, ..Mode::default() };
        let (first, second) = (findings.of(mode(true)), findings.of(mode(false)));
        assert!(!Rc::ptr_eq(&first, &second) && Rc::ptr_eq(&first, &findings.clone().of(mode(true))));
    }
}
