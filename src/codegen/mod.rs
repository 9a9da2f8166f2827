//! From a schedule tree to a neutral AST: loops, conditions, and calls of statements.
//!
//! The AST is what a front end emits: it never sees the schedule. All numbers are exact; expressions are affine in the
//! iterators and parameters, with floor division and remainder by positive constants.
//!
//! The steps of [`generate`]: the blocks and threads of kernels are counted (`kernels`), the tree's marks are tied to
//! loop depths (`marks`), isl makes its AST, which is translated (`translate`), where loops in kernels are shared out
//! (`share`) and tiles in shared memory described (`shared`), outermost loops ask whether there is anything to do
//! (`begin`), and all is brought into the form that a loop dialect can say (`bounds`); then whole blocks for registers
//! are told from cut ones (`blocks`, `ends`) with what they hold (`promote`), innermost loops over whole tiles get a constant
//! trip count of their own (`separate`), conditions leave the loops that they do not depend on (`unswitch`), what
//! blocks hold is held over all loops around that leave it in place (`hold`), and of parallel loops in parallel ones those stay
//! parallel whose iterations threads can share together (`beside`).
//!
//! What code accesses of an array, for copies to a device, is in `span`.

mod begin;
mod beside;
mod blocks;
mod bounds;
mod carry;
mod ends;
mod error;
mod facts;
mod hold;
mod kernels;
mod marks;
mod options;
pub mod overflow;
mod private;
mod promote;
mod ranges;
mod separate;
mod share;
mod shared;
mod span;
mod translate;
mod unswitch;
mod window;

#[cfg(test)]
mod tests;

pub use carry::offset;
pub use error::Error;
pub use options::Options;
pub use polyrs_model::ast::{
    Ast, Axis, Call, Carried, Comparison, Cond, Expr, For, If, IteratorId, Kernel, Linear, Node, Overflow, Parallel,
    Promoted, Shared, SharedTile,
};
pub use span::{Accessed, Part, Span};
pub use window::{Line, Moving, Offset, Window};

use crate::isl;
use crate::scop::Scop;

/// The AST that executes the instances of a schedule in its order.
///
/// Pure kills are left out; instances outside the scop's context do not exist. Loops under a `parallel` mark carry it;
/// so do loops under a `vector` mark where they come out innermost. Only the front end's own quota bounds isl's work.
///
/// # Errors
/// [`Error::Isl`] when isl fails or its quota strikes, the others when the code cannot be said in the AST.
pub fn generate(scop: &Scop, schedule: &isl::Schedule, options: &Options) -> Result<Ast, Error> {
    let ctx = scop.ctx();
    ctx.set_ast_build_atomic_upper_bound(1)?;
    ctx.set_ast_build_detect_min_max(1)?;
    ctx.set_ast_build_exploit_nested_bounds(1)?;
    ctx.set_ast_build_prefer_pdiv(1)?;
    ctx.set_ast_build_scale_strides(0)?;

    let schedule = schedule.clone().intersect_domain(scop.domain()?)?;
    let names = translate::iterator_names(scop, &schedule)?;
    let (schedule, kernels) = kernels::assign(scop, schedule, &names)?;
    let (schedule, decisions) = marks::tie_to_depths(scop, schedule, &names)?;
    // Else isl may run what comes first in a loop's first iteration before the loop, where the iteration's private
    // copies are not.
    ctx.set_ast_build_group_coscheduled(i32::from(decisions.iter().any(marks::Decision::has_private)))?;
    let ids = names.iter().map(|name| isl::Id::new(ctx, name)).collect::<isl::Result<Vec<_>>>()?;
    let build = isl::AstBuild::from_context(scop.context.clone())?.set_iterators(isl::IdList::from_vec(ctx, ids)?)?;
    let root = build.node_from_schedule(schedule)?;

    let mut ast = translate::translate(scop, &root, &names, (&decisions, &kernels), options.max_nodes)?;
    begin::only_if_needed(scop, &mut ast, options.max_nodes)?;
    bounds::legalize(&mut ast, options.max_nodes)?;
    if options.separate_full_tiles {
        if ast.root.has_kernel() {
            // Conditions on the thread at hand are in loops over its points, and keep blocks there from being whole.
            unswitch::unswitch(&mut ast, options.max_nodes)?;
        }
        let cut = blocks::blocks(scop, &mut ast, options)?;
        separate::separate(&mut ast, &cut, options)?;
        unswitch::unswitch(&mut ast, options.max_nodes)?;
        if options.promote {
            hold::hold(scop, &mut ast)?;
        }
    }
    if ast.root.has_shared() {
        shared::tidy(scop, &mut ast)?;
    }
    beside::settle(&mut ast)?;
    Ok(ast)
}

/// A function of the parameters as an expression.
///
/// # Errors
/// As [`generate`].
pub fn expression(scop: &Scop, value: &isl::PwAff) -> Result<Expr, Error> {
    let build = isl::AstBuild::from_context(scop.context.clone())?;
    let value = value.clone().gist(scop.context.clone())?.coalesce()?;
    translate::Expressions::new(scop, Options::default().max_nodes)?.expr(&build.expr_from_pw_aff(value)?)
}
