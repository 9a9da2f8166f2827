//! Verification: the checker on the tree, its code, and the trial of the code.

use super::budget::Budget;
use super::candidate::Points;
use super::observer::{Observer, Stage, show};
use super::options::{Effort, Target};
use super::phases::Phase;
use super::ranking::stays;
use super::realize::{Realized, own_order};
use super::refusal::Refusal;
use super::step_down::Rung;
use super::steps::Steps;
use crate::check::coverage::check_coverage;
use crate::check::interpret::{Trial, trial};
use crate::check::legality;
use crate::codegen::{self, Ast};
use crate::isl::{self, Schedule, UnionSet};
use crate::schedule_tree::{has_copies, without_copies};
use crate::scop::StatementId;
use crate::scop::text::schedule_to_text;

/// So many calls of statements code for wavefronts may have: cholesky has 29. With a few more a nest of lu with another layout
/// took 8 seconds to compile.
const MOST_CALLS: usize = 32;

/// A tree that is right.
pub(super) struct Accepted {
    pub realized: Realized,
    /// Its code.
    pub ast: Ast,
    /// The code is that of the original order.
    pub same_as_original: bool,
}

/// The first of several trees that the checker accepts and that has code; the one that is taken or the last is shown.
///
/// # Errors
/// Why the last one is refused.
pub(super) fn first_accepted(
    steps: &mut Steps<'_>,
    ranked: &[Realized],
    dead: Option<&UnionSet>,
    observer: &mut dyn Observer,
) -> Result<Accepted, Refusal> {
    let mut refused: Vec<&Schedule> = Vec::new();
    let mut next = ranked.first();
    while let Some(realized) = next {
        let refusal = match accepted(steps, realized, dead) {
            Ok(accepted) => {
                show(observer, Stage::Schedule, || schedule_to_text(&accepted.realized.tree))?;
                return Ok(accepted);
            }
            Err(refusal) => refusal,
        };
        tracing::debug!(%refusal, candidate = %realized.candidate(), "not accepted");
        refused.push(&realized.tree);
        next = first_other(ranked, &refused)?;
        if next.is_none() {
            show(observer, Stage::Schedule, || schedule_to_text(&realized.tree))?;
            return Err(refusal);
        }
        steps.step_down(refusal.leads_to(Rung::NextTree));
    }
    Err(Refusal::new("there is no schedule"))
}

/// The first candidate with another tree than those that were refused: they are not asked about again, with less work left.
fn first_other<'r>(ranked: &'r [Realized], refused: &[&Schedule]) -> isl::Result<Option<&'r Realized>> {
    for realized in ranked {
        let known = refused.iter().map(|tree| tree.plain_is_equal(&realized.tree));
        if !known.collect::<isl::Result<Vec<_>>>()?.contains(&true) {
            return Ok(Some(realized));
        }
    }
    Ok(None)
}

/// A tree with its code, checked, but for the region's own order.
fn accepted(steps: &mut Steps<'_>, realized: &Realized, dead: Option<&UnionSet>) -> Result<Accepted, Refusal> {
    if let Some(original) = in_own_order(steps, realized)? {
        return Ok(original);
    }
    checked(steps, &realized.tree, dead)?;
    let ast = generate(steps, &realized.tree)?;
    if is_too_large(steps, realized, &ast) {
        return Err(Refusal::new("code for the ways in which wavefronts cut tiles would be large"));
    }
    let same_as_original = is_original(steps, &ast);
    Ok(Accepted { realized: realized.clone(), ast, same_as_original })
}

/// Fronts of tiles that are apart, with blocks for registers in what is left, may have as much code as LLVM takes seconds for. What
/// is asked for is not too large.
fn is_too_large(steps: &Steps<'_>, realized: &Realized, ast: &Ast) -> bool {
    let candidate = realized.candidate();
    let is_open = candidate.points == Points::Apart && candidate.wavefront > 0 && steps.options.candidate.is_none();
    let counts = |statement: StatementId| !steps.scop.statement(statement).copy;
    is_open && ast.root.calls_of(&counts) > MOST_CALLS
}

/// The region's own order, with [`Effort::Low`], in place of a tree that has the same loops: it is right without a check,
/// but not with marks for vectors, which somebody may emit where there is another layout.
fn in_own_order(steps: &mut Steps<'_>, realized: &Realized) -> Result<Option<Accepted>, Refusal> {
    let has_copies = steps.scop.statements.iter().any(|statement| statement.copy);
    if steps.options.effort != Effort::Low || has_copies || !stays(realized) {
        return Ok(None);
    }
    let tree = own_order(steps.scop)?;
    let ast = generate(steps, &tree)?;
    if !realized.tree.plain_is_equal(&tree)? && !generate(steps, &realized.tree)?.same_loops(&ast) {
        return Ok(None);
    }
    Ok(Some(Accepted { realized: Realized { tree, ..realized.clone() }, ast, same_as_original: true }))
}

fn checked(steps: &mut Steps<'_>, tree: &Schedule, dead: Option<&UnionSet>) -> Result<(), Refusal> {
    // Nothing on the way to kernels looks at what their threads share.
    let of_gpu = steps.options.target == Target::Gpu;
    if steps.options.check || of_gpu || steps.options.load_schedule.is_some() {
        let (scop, dead) = (steps.scop, dead.cloned());
        let quota = steps.options.budget.of(Phase::Check, scop.ctx());
        steps.step(Phase::Check, || legality::check(scop, tree, &legality::Assumptions { dead, quota }))?;
    }
    Ok(())
}

/// The code of a tree. Where that takes too long, copies of tiles are given up.
fn generate(steps: &mut Steps<'_>, tree: &Schedule) -> Result<Ast, Refusal> {
    generate_with(steps, tree, true)
}

/// The same, with cut blocks that hold something or without.
fn generate_with(steps: &mut Steps<'_>, tree: &Schedule, cut_blocks: bool) -> Result<Ast, Refusal> {
    let scop = steps.scop;
    let options = codegen::Options { promote: steps.options.promote, cut_blocks, ..codegen::Options::default() };
    match steps.step(Phase::Codegen, || codegen::generate(scop, tree, &options)) {
        Err(error) if error.exhausted && has_copies(tree)? => {
            let tree = without_copies(tree)?;
            steps.step(Phase::Codegen, || codegen::generate(scop, &tree, &options))
        }
        code => code,
    }
}

/// The code for the original order is the same, marks for vectors aside. Where that cannot be told it is not.
fn is_original(steps: &mut Steps<'_>, ast: &Ast) -> bool {
    let tree = steps.scop.schedule.clone();
    generate(steps, &tree).is_ok_and(|original| original.same_loops(ast))
}

/// Tries the code of a tree. Where its proof takes too long, cut blocks are left as they are, and then copies of tiles are
/// given up; packed ones also where they are not what they have to be, as only those that are written are looked at before.
///
/// # Errors
/// As [`try_code`], and those of code generation.
pub(super) fn tried(
    steps: &mut Steps<'_>,
    realized: Realized,
    ast: Ast,
    dead: Option<&UnionSet>,
) -> Result<(Realized, Ast), Refusal> {
    match try_code(steps, &realized.tree, &ast, dead) {
        Ok(()) => Ok((realized, ast)),
        Err(open) if open.exhausted && ast.root.has_shared() && !ast.root.has_kernel() && ast.root.has_cut_blocks() => {
            tracing::debug!(%open, "without cut blocks");
            let ast = generate_with(steps, &realized.tree, false)?;
            tried(steps, realized, ast, dead)
        }
        Err(open) if ast.root.has_shared() && (open.exhausted || !ast.root.has_kernel()) => {
            tracing::debug!(%open, "without copies of tiles");
            let tree = without_copies(&realized.tree)?;
            let ast = generate(steps, &tree)?;
            try_code(steps, &tree, &ast, dead)?;
            Ok((Realized { tree, ..realized }, ast))
        }
        Err(refusal) => Err(refusal),
    }
}

/// Runs the code of a tree at small sizes: the proof of the tree does not see what was made of it.
///
/// # Errors
/// An internal error, if the code does something else than the region.
fn try_code(steps: &mut Steps<'_>, tree: &Schedule, ast: &Ast, dead: Option<&UnionSet>) -> Result<(), Refusal> {
    let scop = steps.scop;
    let are_sizes_given = steps.options.kernel_sizes.are_given();
    steps.step(Phase::Check, || {
        let live = match dead.map(|dead| scop.without(dead)).transpose() {
            Ok(live) => live,
            // The trial is no condition of what was proved, but for kernels and copies.
            Err(error) if error.is_exhausted() && !ast.root.has_kernel() && !ast.root.has_shared() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let live = live.as_ref().unwrap_or(scop);
        let differs = |what: String| Refusal::new(format!("internal error: code against its schedule: {what}"));
        let tried = match trial(live, ast) {
            Trial::Different(what) => return Err(differs(what)),
            Trial::Same(sizes) => sizes,
        };
        tracing::debug!(sizes = tried, "code tried");
        if !ast.root.has_kernel() && !ast.root.has_shared() {
            return Ok(());
        }
        // A kernel has too many threads for most trials.
        let before = scop.ctx().operations();
        let quota = if are_sizes_given { Budget::COVERAGE_OF_GIVEN_SIZES } else { Budget::COVERAGE };
        let proved = check_coverage(live, tree, ast, quota.min(scop.ctx().remaining()));
        tracing::debug!(operations = scop.ctx().operations() - before, ok = proved.is_ok(), "kernels covered");
        match proved {
            Ok(()) => Ok(()),
            // Sizes that somebody chose: blocks that take several tiles make code that is hard to prove. Shared memory
            // has to be proved: arrays of a trial fill few tiles.
            Err(open) if open.is_open() && tried > 0 && are_sizes_given && !ast.root.has_shared() => Ok(()),
            Err(open) if open.is_open() => Err(Refusal {
                exhausted: true,
                ..Refusal::new(format!("it is not proved that kernels execute each instance once: {open}"))
            }),
            Err(wrong) => Err(differs(wrong.to_string())),
        }
    })
}
