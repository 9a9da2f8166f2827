//! What code finds in shared memory is what it would read from the array.
//!
//! A tile is copied before the code below it runs, by all threads of a block together. It is right if
//!
//! 1. all threads of the block come to the copy equally often: no loop and no condition around it within the kernel
//!    depends on the number of a thread, and no other tile is around it;
//! 2. nothing in the kernel writes the array, so that a copy does not get stale;
//! 3. each element read from it was copied;
//! 4. what is copied is read by a statement for certain, so it is memory: reads whose statement may not happen are the
//!    emitter's to refuse, who knows what depends on data.
//!
//! That threads wait before and after a copy, and where elements are in a tile, is the emitter's.

use super::place::Kernels;
use super::read::{Site, Tile};
use crate::isl::{self, UnionSet};
use crate::scop::{AccessKind, Scop};
use crate::translation_validation::ValidationError;

/// Proves that all tiles of some code are right whose calls are in the kernels of the tree.
///
/// # Errors
/// [`ValidationError::Shared`], and those of isl.
pub(super) fn check_tiles(
    scop: &Scop,
    kernels: &Kernels,
    sites: &[Site],
    tiles: &[Tile],
) -> Result<(), ValidationError> {
    for tile in tiles {
        let wrong = |what| Err(ValidationError::Shared { what, array: tile.array.clone() });
        let Some(kernel) = tile.kernel else { return wrong("it is used outside of kernels") };
        if !tile.is_even {
            return wrong("threads of a block come to a copy more often than others");
        }
        let is_inside = |site: &&Site| site.kernel.as_ref().is_some_and(|numbers| numbers.kernel == kernel);
        for site in sites.iter().filter(is_inside) {
            if scop.statement(site.statement).writes(&tile.array)? {
                return wrong("what was copied is written meanwhile");
            }
        }
        for (touched, there) in &tile.reads {
            let touched = touched.clone().intersect_params(scop.context.clone())?;
            if !touched.is_subset(there)? {
                return wrong("an element is read that was not copied");
            }
        }
        let memory = memory(scop, kernels, tile)?;
        let copied = tile.copied.clone().intersect_params(scop.context.clone())?;
        if !copied.to_union_map()?.subtract_range(memory)?.is_empty()? {
            return wrong("an element is copied that nothing reads");
        }
    }
    Ok(())
}

/// The elements that kernels read for certain by the statements that read from a tile: `{ A[a] }`
fn memory(scop: &Scop, kernels: &Kernels, tile: &Tile) -> isl::Result<UnionSet> {
    let mut memory = UnionSet::empty(scop.context.space()?)?;
    for statement in tile.readers.iter().map(|id| scop.statement(*id)) {
        for access in &statement.accesses {
            if access.kind != AccessKind::Read || access.array()? != tile.array {
                continue;
            }
            let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
            // A read of several elements is one of which nobody knows which it is.
            if relation.is_single_valued()? {
                let inside = relation.to_union_map()?.intersect_domain(kernels.domain.clone())?;
                memory = memory.union(inside.range()?)?;
            }
        }
    }
    memory.coalesce()
}
