//! What a tree costs to run, as far as its innermost loops and its reuse of data tell: to choose between trees.

use super::Mark;
use super::band::{Band, is_over_tiles, mark, marks_above};
use super::reorder::Locality;
use super::reuse::Uses;
use crate::isl::{DimType, NodeType, Result, Schedule, ScheduleNode, UnionPwAff};
use crate::scop::{Scop, Statement};
use std::ops::Range;

/// The cost of one instance, in eighths of a scalar operation, summed over the statements with as many loops as any.
/// Others run so much less often that they do not count.
///
/// In a vector loop, eight iterations cost as much as one, unless they gather; in another, each waits for the former
/// one if that has written what it updates. An access to an array larger than a row costs a share of a memory access,
/// unless a tile comes back to it. What runs in parallel costs half.
pub fn cost(scop: &Scop, tree: &Schedule) -> Result<u64> {
    let depth = |s: &Statement| s.domain.dim(DimType::SET);
    let mut deepest = 0;
    for statement in scop.statements.iter().filter(|s| !s.is_kill()) {
        deepest = deepest.max(depth(statement)?);
    }
    let mut nests = Vec::new();
    collect(&tree.root()?, &Path::default(), &mut nests)?;
    let mut sum = 0;
    for statement in &scop.statements {
        if statement.is_kill() || depth(statement)? < deepest {
            continue;
        }
        // A statement in several places counts where it is worst.
        let mut worst = 0;
        for (leaf, path) in &nests {
            if let Some(uses) = Uses::new(statement, &leaf.domain()?, &path.loops)? {
                worst = worst.max(instance(&uses, path)?);
            }
        }
        sum += worst;
    }
    Ok(sum)
}

/// The loops on the way to a leaf, those over tiles aside.
#[derive(Debug, Clone, Default)]
struct Path {
    loops: Vec<UnionPwAff>,
    /// The loops over the points of the innermost tile.
    points: Range<usize>,
    /// The last loop carries nothing.
    vector: bool,
    /// A loop runs in parallel.
    parallel: bool,
}

fn collect(node: &ScheduleNode, path: &Path, nests: &mut Vec<(ScheduleNode, Path)>) -> Result<()> {
    let mut path = path.clone();
    match node.node_type()? {
        NodeType::Leaf => {
            nests.push((node.clone(), path));
            return Ok(());
        }
        NodeType::Band if node.band_n_member()? > 0 => {
            let marks = marks_above(node)?;
            if !is_over_tiles(node)? {
                let first = path.loops.len();
                path.loops.extend(Band::read(node)?.members);
                if marks.contains(&Mark::Point) {
                    path.points = first..path.loops.len();
                } else if !path.points.is_empty() {
                    path.points.end = path.loops.len();
                }
            }
            path.vector = marks.contains(&Mark::Vector);
        }
        NodeType::Mark => match mark(node)? {
            Some(Mark::Tile { .. }) => path.points = 0..0,
            Some(Mark::Parallel { .. }) => path.parallel = true,
            _ => {}
        },
        _ => {}
    }
    for child in node.children()? {
        collect(&child, &path, nests)?;
    }
    Ok(())
}

/// The cost of one instance, in eighths.
fn instance(uses: &Uses<'_>, path: &Path) -> Result<u64> {
    const SCALAR: u64 = 8;
    const VECTOR: u64 = 1;
    const STRIDED: u64 = 8;
    const CHAIN: u64 = 32;
    const MEMORY: u64 = 4;
    const LINE: u64 = 32;
    let iterates = |j: &usize| uses.accesses.iter().any(|u| u.along[*j].is_some());
    let inner = (0..path.loops.len()).rev().find(iterates);
    let mut sum = if path.vector { VECTOR } else { SCALAR };
    for used in &uses.accesses {
        let locality = inner.and_then(|j| used.along[j]);
        sum += match locality {
            Some(Locality::Temporal) if used.is_update && !path.vector => CHAIN,
            Some(Locality::Temporal) | None => 0,
            Some(Locality::Spatial) => VECTOR,
            Some(Locality::None) => STRIDED,
        };
        if used.is_large(0) && !uses.comes_back(used, &path.points)? {
            sum += if locality == Some(Locality::None) { LINE } else { MEMORY };
        }
    }
    Ok(if path.parallel { sum } else { 2 * sum })
}
