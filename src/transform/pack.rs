//! Packed tiles: what the points of a tile read across rows is copied before to a buffer in which it lies along rows
//! (Shirako and Sarkar 2019, at the level of tiles; as fast matrix products have it).
//!
//! `C[i][j] += A[i][k] * B[j][k]` in vectors along `j` reads a column of `B` for each; of a tile that is packed as
//! `(k, j)` it reads a row. `C[i][j] += alpha * A[i][k] * B[k][j]` multiplies an element of `A` for each vector; a packed
//! tile holds the products. All rows of blocks read the same pieces of rows of `B`, which lie close together in a packed
//! tile. The copy is inside of all loops over tiles that move what is read, and around those that do
//! not, so that they use it again.

use crate::cost::packing::{Wanted, worth_packing};
use crate::footprint::{Footprint, PACKED_BYTES, along, packed, packed_bytes};
use crate::isl::{NodeType, Result, Schedule, ScheduleNode, UnionPwAff};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, band_below, insert_mark, mark, position};
use crate::schedule_tree::{Mark, PackedArray};
use crate::scop::{Array, Scop};

/// What is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// What vectors in blocks for registers read across rows, leave in place and scale, or read a piece of each row of.
    Gaining,
    /// Whatever tiles read, its dimensions the other way round.
    All,
}

/// Packs what gains from it in blocks for registers, or all that tiles read, in a tree that is mapped;
/// `None` where there is nothing of this kind, or no tile is small enough.
///
/// The result has marks [`Mark::Packed`] between the members over tiles, or right below them.
///
/// # Errors
/// Those of isl.
pub fn pack(scop: &Scop, tree: &Schedule, packing: Packing, machine: &Machine) -> Result<Option<Schedule>> {
    let mut left = PACKED_BYTES;
    let mut rewrite = |node: ScheduleNode| match mark(&node)? {
        Some(Mark::TILE) => tiles(scop, node, packing, (machine, &mut left)),
        _ => Ok(node),
    };
    let tree = tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok((left < PACKED_BYTES).then_some(tree))
}

/// The band below a mark `tile` with what is packed in it, as long as there is stack left for it; the result is at the
/// mark.
fn tiles(
    scop: &Scop,
    node: ScheduleNode,
    packing: Packing,
    (machine, left): (&Machine, &mut i64),
) -> Result<ScheduleNode> {
    let Some(band) = band_below(&node)? else { return Ok(node) };
    let blocks = band.clone().first_child()?;
    // Several nests may be in these tiles, and a mark speaks of one.
    if matches!(blocks.node_type()?, NodeType::Sequence | NodeType::Set) {
        return Ok(node);
    }
    let mut wanted = match packing {
        Packing::Gaining if is_around_blocks(&blocks)? => worth_packing(scop, &blocks, machine)?,
        Packing::Gaining => Vec::new(),
        Packing::All => reversed(scop),
    };
    let inside = packed_below(&blocks)?;
    wanted.retain(|wanted| !inside.contains(&wanted.array));
    if wanted.is_empty() {
        return Ok(node);
    }
    let members = Band::read(&band)?.members;
    let names: Vec<String> = (0..blocks.schedule_depth()?).map(|depth| format!("polyrs_t{depth}_")).collect();
    // For each place, the number of members around it, what is packed there.
    let mut places: Vec<(usize, Vec<PackedArray>)> = Vec::new();
    for Wanted { array: one, in_order } in wanted {
        let footprints = packed(scop, &blocks, &names, std::slice::from_ref(&one))?;
        let bytes: i64 = footprints.iter().map(|footprint| packed_bytes(scop, footprint)).sum();
        if footprints.is_empty() || bytes > *left {
            continue;
        }
        let moved = moved_by(scop, &footprints, &members)?;
        // Of a tile along one loop rows are read as they are.
        if in_order && moved.iter().filter(|moves| **moves).count() < 2 {
            continue;
        }
        let Some(place) = moved.iter().rposition(|moves| *moves).map(|last| last + 1) else { continue };
        *left -= bytes;
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, all)) => all.push(one),
            None => places.push((place, vec![one])),
        }
    }
    places.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    let depth = node.tree_depth()?;
    let mut band = band;
    for (place, arrays) in places {
        band = insert(band, place, &Mark::Packed { arrays })?;
    }
    let up = band.tree_depth()? - depth;
    band.ancestor(position(up)?)
}

/// Blocks for registers, or tiles that are around nothing else.
fn is_around_blocks(node: &ScheduleNode) -> Result<bool> {
    Ok(match mark(node)? {
        Some(Mark::Register) => true,
        Some(Mark::TILE | Mark::Packed { .. }) => {
            let below = node.clone().first_child()?;
            let below = if below.node_type()? == NodeType::Band { below.first_child()? } else { below };
            is_around_blocks(&below)?
        }
        _ => false,
    })
}

/// What is packed below a node already.
fn packed_below(node: &ScheduleNode) -> Result<Vec<PackedArray>> {
    let mut found = Vec::new();
    node.for_each_descendant_top_down(&mut |node| {
        if let Some(Mark::Packed { arrays }) = mark(node)? {
            found.extend(arrays);
        }
        Ok(true)
    })?;
    Ok(found)
}

/// All arrays, their dimensions the other way round.
fn reversed(scop: &Scop) -> Vec<Wanted> {
    let reversed = |array: &Array| Wanted {
        array: PackedArray { name: array.name.clone(), reference: None, order: (0..array.rank()).rev().collect() },
        in_order: false,
    };
    scop.arrays.iter().filter(|array| array.rank() > 0).map(reversed).collect()
}

/// Which members of a band move what the references of footprints read.
fn moved_by(scop: &Scop, footprints: &[Footprint], members: &[UnionPwAff]) -> Result<Vec<bool>> {
    let mut moved = vec![false; members.len()];
    for footprint in footprints {
        for reference in &footprint.references {
            let one = Footprint { references: vec![*reference], ..footprint.clone() };
            for (all, moves) in moved.iter_mut().zip(along(scop, &one, members)?) {
                *all |= moves;
            }
        }
    }
    Ok(moved)
}

/// Puts a mark below so many members of a band; the result is at the band of these.
fn insert(band: ScheduleNode, place: usize, mark: &Mark) -> Result<ScheduleNode> {
    if place >= band.band_n_member()? {
        return insert_mark(band.first_child()?, mark)?.parent();
    }
    let rest = band.band_split(position(place)?)?.first_child()?;
    insert_mark(insert_mark(rest, &Mark::TILE)?, mark)?.parent()
}
