//! What code finds in copies of tiles is what it would read from the array.
//!
//! In a kernel a tile is copied to shared memory before the code below it runs, by all threads of a block together. It
//! is right if
//!
//! 1. all threads of the block come to the copy equally often: no loop and no condition around it within the kernel
//!    depends on the number of a thread, and no other tile is around it;
//! 2. nothing in the kernel writes the array, so that a copy does not get stale;
//! 3. each element read from it was copied;
//! 4. what is copied is read by a statement for certain, so it is memory: reads whose statement may not happen are the
//!    emitter's to refuse, who knows what depends on data.
//!
//! That threads wait before and after a copy, and where elements are in a tile, is the emitter's.
//!
//! Outside of kernels whoever comes to the code below packs a tile to a buffer of that execution. It is right if
//!
//! 1. nothing in the code below writes the array;
//! 2. each element read from it was copied;
//! 3. what is copied is read below, for certain, in the same iteration of the loops around: so it is memory, and where
//!    these loops run in parallel, none of them writes what another one copies, as the tree is legal.

use super::place::Kernels;
use super::read::{Site, Tile};
use crate::isl::{self, DimType, Id, Map, UnionSet};
use crate::scop::{AccessKind, Scop, Statement};
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
    for (number, tile) in tiles.iter().enumerate() {
        let wrong = |what| Err(ValidationError::Shared { what, array: tile.array.clone() });
        if !tile.is_even {
            return wrong("threads of a block come to a copy more often than others");
        }
        let is_inside = |site: &&Site| match tile.kernel {
            Some(kernel) => site.kernel.as_ref().is_some_and(|numbers| numbers.kernel == kernel),
            None => site.tiles.contains(&number),
        };
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
        let copied = tile.copied.clone().intersect_params(scop.context.clone())?;
        let is_read = match tile.kernel {
            Some(_) => copied.to_union_map()?.subtract_range(memory(scop, kernels, tile)?)?.is_empty()?,
            None => is_read_below(scop, tile, copied, sites.iter().filter(is_inside))?,
        };
        if !is_read {
            return wrong("an element is copied that nothing reads");
        }
    }
    Ok(())
}

/// Each element that is copied is read by some calls below in the same iteration of the loops around, for certain.
fn is_read_below<'s>(
    scop: &Scop,
    tile: &Tile,
    copied: Map,
    below: impl Iterator<Item = &'s Site>,
) -> isl::Result<bool> {
    // { N[c] -> A[a] }, with the iterators around the tile alone
    let around = |map: Map| {
        let inner = map.dim(DimType::In)?.saturating_sub(tile.depth);
        let name = Id::new(map.ctx(), "N")?;
        map.project_out(DimType::In, tile.depth, inner)?.set_tuple_id(DimType::In, name)
    };
    let copied = around(copied)?;
    let mut read = copied.clone().subtract(copied.clone())?;
    for site in below.filter(|site| tile.readers.contains(&site.statement)) {
        for relation in certain_reads(scop.statement(site.statement), &tile.array)? {
            let inside = site.executed.clone().apply_range(relation)?;
            read = read.union(around(inside)?)?;
        }
    }
    copied.is_subset(&read.coalesce()?)
}

/// What a statement reads of an array for certain: `{ S[i] -> A[a] }` each. A read of several elements is one of which
/// nobody knows which it is.
fn certain_reads(statement: &Statement, array: &str) -> isl::Result<Vec<Map>> {
    let mut all = Vec::new();
    for access in &statement.accesses {
        if access.kind != AccessKind::Read || access.array()? != array {
            continue;
        }
        let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
        if relation.is_single_valued()? {
            all.push(relation);
        }
    }
    Ok(all)
}

/// The elements that kernels read for certain by the statements that read from a tile: `{ A[a] }`
fn memory(scop: &Scop, kernels: &Kernels, tile: &Tile) -> isl::Result<UnionSet> {
    let mut memory = UnionSet::empty(scop.context.space()?)?;
    for statement in tile.readers.iter().map(|id| scop.statement(*id)) {
        for relation in certain_reads(statement, &tile.array)? {
            let inside = relation.to_union_map()?.intersect_domain(kernels.domain.clone())?;
            memory = memory.union(inside.range()?)?;
        }
    }
    memory.coalesce()
}
