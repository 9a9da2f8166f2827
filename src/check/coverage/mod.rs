//! Whether code with kernels executes each instance once, in the block and thread that the tree says: a proof for all
//! parameters.
//!
//! isl's generator has lost conditions that say which block executes what, and with one of them the number of the
//! block: every block did the same then. The trial at small sizes does not see it, since a kernel has more threads than
//! the trial has steps. So the code is read as sets again (`read`), and these are compared with the instances, with the
//! marks of the tree (`place`), and what is found in shared memory with what would be read (`shared`). The order in which
//! a thread executes its instances is not looked at.

mod place;
mod read;
mod shared;

use place::Kernels;
use read::Read;

use crate::isl::{Map, Schedule, UnionSet};
use crate::scop::Scop;
use crate::translation_validation::{ValidationError, check_instances};
use polyrs_model::ast::Ast;

/// The part of the operations that code without kernels may take for the proof that it executes each instance once.
const PART_OF_INSTANCES: u64 = 4;

/// Proves that code executes each instance of a region once and no others, on the host or in the kernel's block and
/// thread that the tree says, and that tiles hold what is read from them. The proof may use `quota` operations of isl.
///
/// Without kernels the instances are left to the trial, as those of code without tiles are, where a quarter of the operations is not
/// enough for them: code for many blocks is in many places, each of which has to be compared with each other one.
///
/// # Errors
/// [`ValidationError`]: an example, or that the bound struck.
pub fn check_coverage(scop: &Scop, tree: &Schedule, ast: &Ast, quota: u64) -> Result<(), ValidationError> {
    scop.ctx().with_quota(quota, || {
        let Read { mut sites, tiles } = read::read(scop, ast)?;
        for site in &mut sites {
            site.executed = site.executed.clone().intersect_params(scop.context.clone())?.coalesce()?;
        }
        // { N[c] -> S[i] }
        let instances: Vec<Map> = sites.iter().map(|site| site.executed.clone()).collect();
        // What only kills is not executed: { S[i] }
        let mut alive = UnionSet::empty(scop.context.space()?)?;
        for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
            let instances = statement.domain.clone().intersect_params(scop.context.clone())?;
            alive = alive.union(instances.to_union_set()?)?;
        }
        let has_kernel = ast.root.has_kernel();
        let part = if has_kernel { quota } else { quota / PART_OF_INSTANCES };
        match scop.ctx().with_quota(part, || check_instances(&alive, &instances)) {
            Err(open) if open.is_open() && !has_kernel => {}
            proved => proved?,
        }
        let kernels = Kernels::of_tree(tree)?;
        place::check_places(&kernels, &sites)?;
        shared::check_tiles(scop, &kernels, &sites, &tiles)
    })
}
