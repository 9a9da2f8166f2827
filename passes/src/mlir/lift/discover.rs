//! Finding regions: the longest runs of operations that can be lifted, in every block of a function.

use std::collections::HashSet;

use melior::ir::{BlockLike, BlockRef, OperationRef};
use polyrs_core::driver::Allowance;
use polyrs_core::isl::{self, Moment};

use super::frame::{Frame, OperationId, operation_id};
use super::kind::{Kind, has_affine_loop, is_known_control};
use super::reader::Reader;
use super::reduction::mark_reductions;
use super::refusal::{LiftRefusal, Reason, Step, Stop};
use crate::mlir::ir::operation::{attribute, blocks, nested, operations, regions, string_attribute};
use crate::mlir::marker::{KERNELS, RELAID};
use crate::mlir::region::LiftedRegion;

/// The operations that a region may have, nested ones included.
const OPERATIONS: usize = 4000;

/// What becomes a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Each operation, its result handed on in a scalar: three-address code.
    Operation,
    /// Each store with what it is computed from, unless that is kept for several.
    #[default]
    Store,
    /// Each basic block, cut where a statement accesses what one before it writes in the same iteration.
    Block,
}

/// How regions are lifted.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Distinct arguments and globals do not overlap.
    pub assume_noalias: bool,
    /// The order of all reductions may be changed.
    pub reorder_reductions: bool,
    /// What becomes a statement.
    pub granularity: Granularity,
    /// The end of the work on this thread's clock; the outer net only.
    pub deadline: Option<Moment>,
    /// Only the code in the last branch of operations with this attribute: what stayed as it was beside new code.
    pub beside: Option<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            assume_noalias: true,
            reorder_reductions: false,
            granularity: Granularity::Store,
            deadline: None,
            beside: None,
        }
    }
}

/// The regions of a function, and what was in the way of others, in textual order.
///
/// The function is only read.
pub fn lift_function<'c, 'a>(
    function: OperationRef<'c, 'a>,
    settings: Settings,
) -> Vec<Result<LiftedRegion<'c, 'a>, LiftRefusal<'c>>> {
    let name = string_attribute(function, "sym_name").unwrap_or_else(|| "function".to_owned());
    let allowance = Allowance::of_lifting();
    let mut search = Search { name, settings, allowance, found: Vec::new(), reported: HashSet::new() };
    match settings.beside {
        Some(marker) => {
            let marked = |operation: &OperationRef<'_, '_>| attribute(*operation, marker).is_some();
            let originals = nested(function).into_iter().filter(marked).filter_map(|branches| regions(branches).pop());
            originals.flat_map(blocks).for_each(|block| search.block(block));
        }
        None => search.regions_of(function),
    }
    search.found
}

struct Search<'c, 'a> {
    name: String,
    settings: Settings,
    allowance: Allowance,
    found: Vec<Result<LiftedRegion<'c, 'a>, LiftRefusal<'c>>>,
    /// The obstacles that were reported.
    reported: HashSet<OperationId>,
}

impl<'c, 'a> Search<'c, 'a> {
    /// Reports an obstacle. One that is in the way of several loops is reported once.
    fn refuse(&mut self, operation: OperationRef<'c, 'a>, reason: Reason) {
        if self.reported.insert(operation_id(operation)) {
            self.found.push(Err(LiftRefusal::new(operation, reason)));
        }
    }

    fn regions_of(&mut self, operation: OperationRef<'c, 'a>) {
        for region in regions(operation) {
            for block in blocks(region) {
                self.block(block);
            }
        }
    }

    fn block(&mut self, block: BlockRef<'c, 'a>) {
        let mut all = operations(block);
        if block.terminator().is_some() {
            all.pop();
        }
        if !all.iter().any(|operation| has_affine_loop(*operation)) {
            return;
        }
        // What stands between two loops keeps them apart; control flow with loops inside is no news otherwise.
        let loops = |operation: &OperationRef<'c, 'a>| has_affine_loop(*operation) && !is_known_control(*operation);
        let first = all.iter().position(loops).unwrap_or(all.len());
        let last = all.iter().rposition(loops).unwrap_or(0);
        let mut run = Vec::new();
        for (position, operation) in all.into_iter().enumerate() {
            match obstacle(operation) {
                None => run.push(operation),
                Some((inner, reason)) => {
                    self.run(std::mem::take(&mut run));
                    if position >= first && position <= last {
                        self.refuse(inner, reason);
                    }
                    self.inside(operation);
                }
            }
        }
        self.run(run);
    }

    /// Looks for regions in an operation that is none itself. Kernels that were made are none, nor is code with another
    /// layout.
    fn inside(&mut self, operation: OperationRef<'c, 'a>) {
        if [KERNELS, RELAID].into_iter().any(|made| attribute(operation, made).is_some()) {
            return;
        }
        if matches!(Kind::of(operation), Kind::For(_) | Kind::Parallel(_) | Kind::If(_)) || is_known_control(operation)
        {
            self.regions_of(operation);
        }
    }

    /// Lifts a run of operations, or parts of it.
    fn run(&mut self, run: Vec<OperationRef<'c, 'a>>) {
        let run = trim(run);
        let Some(frame) = Frame::new(run.clone()) else { return };
        if frame.size() > OPERATIONS {
            return self.halves(run, Reason::TooLarge(OPERATIONS, "operations"));
        }
        let at = match self.lift(&frame) {
            Ok(region) => {
                self.found.push(Ok(region));
                return;
            }
            Err(Stop::Refused(_, reason @ Reason::TooLarge(..))) => return self.halves(run, reason),
            // Nothing is left for halves either.
            Err(Stop::Isl(error)) if error.kind == isl::ErrorKind::Deadline || self.allowance.is_spent() => {
                return self.refuse(run[0], Reason::Exhausted(error));
            }
            Err(Stop::Isl(error)) => {
                let exhausted = error.is_exhausted();
                return self.halves(run, if exhausted { Reason::Exhausted(error) } else { Reason::Isl(error) });
            }
            Err(Stop::Cut(operation)) => match run.iter().position(|member| *member == operation) {
                Some(position) if position > 0 => {
                    let mut before = run;
                    let after = before.split_off(position);
                    self.run(before);
                    self.run(after);
                    return;
                }
                _ => {
                    self.refuse(operation, Reason::NotAffine);
                    frame.top_level(operation)
                }
            },
            Err(Stop::Refused(operation, reason)) => {
                // The parts before the obstacle are reported before it.
                let top = frame.top_level(operation);
                let position = run.iter().position(|member| Some(*member) == top).unwrap_or(0);
                self.run(run[..position].to_vec());
                self.refuse(operation, reason);
                if let Some(top) = top {
                    self.inside(top);
                }
                self.run(run[(position + 1).min(run.len())..].to_vec());
                return;
            }
        };
        let position = run.iter().position(|member| Some(*member) == at).unwrap_or(0);
        self.run(run[(position + 1).min(run.len())..].to_vec());
    }

    /// Goes on with the halves of a run that is too much as a whole, or inside of its only operation.
    fn halves(&mut self, run: Vec<OperationRef<'c, 'a>>, reason: Reason) {
        match run[..] {
            [] => {}
            [only] => {
                self.refuse(only, reason);
                self.inside(only);
            }
            _ => {
                let mut first = run;
                let second = first.split_off(first.len() / 2);
                self.run(first);
                self.run(second);
            }
        }
    }

    fn lift(&mut self, frame: &Frame<'c, 'a>) -> Step<'c, 'a, LiftedRegion<'c, 'a>> {
        let isl = isl::Ctx::new();
        isl.set_deadline(self.settings.deadline);
        let (name, assume_noalias) = (&self.name, self.settings.assume_noalias);
        let (reorder, granularity) = (self.settings.reorder_reductions, self.settings.granularity);
        let lifted = self.allowance.run(&isl, || {
            let mut reader = Reader::new(isl.clone(), frame);
            reader.read()?;
            reader.check_layouts(assume_noalias)?;
            if !assume_noalias {
                reader.check_overlap()?;
            }
            let mut region = reader.assemble(name, granularity)?;
            mark_reductions(&mut region, reorder)?;
            // Nothing of what the clock cut short is taken.
            isl.check_deadline()?;
            Ok(region)
        });
        isl.set_deadline(None);
        lifted
    }
}

/// The first operation at or below one that cannot be part of a region.
fn obstacle<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<(OperationRef<'c, 'a>, Reason)> {
    match Kind::of(operation) {
        Kind::For(_) | Kind::Parallel(_) | Kind::If(_) => {
            let inner = regions(operation).into_iter().flat_map(blocks);
            inner.flat_map(operations).find_map(obstacle)
        }
        Kind::Other => Some((operation, Reason::of_unknown(operation))),
        _ => None,
    }
}

/// A run from its first to its last loop, store or other effect; empty if it has no affine loop.
fn trim<'c, 'a>(mut run: Vec<OperationRef<'c, 'a>>) -> Vec<OperationRef<'c, 'a>> {
    if !run.iter().any(|operation| has_affine_loop(*operation)) {
        return Vec::new();
    }
    let matters = |operation: &OperationRef<'_, '_>| match Kind::of(*operation) {
        Kind::For(_) | Kind::Parallel(_) | Kind::If(_) | Kind::Atomic | Kind::Copy => true,
        Kind::Affine(view) => view.kind == crate::mlir::ir::AccessKind::Store,
        Kind::Indexed(view) => view.stores,
        _ => false,
    };
    run.truncate(run.iter().rposition(matters).map_or(0, |last| last + 1));
    run.drain(..run.iter().position(matters).unwrap_or(run.len()));
    run
}
