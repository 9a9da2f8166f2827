//! What a tree costs to run, as far as its innermost loops and its reuse of data tell: to choose between trees.

use super::Mark;
use super::band::{Band, is_over_tiles, mark, marks_above};
use super::reorder::Locality;
use super::reuse::{Use, Uses};
use crate::isl::{DimType, NodeType, Result, Schedule, ScheduleNode, UnionPwAff};
use crate::scop::{Scop, Statement};
use crate::target::Target;
use std::ops::Range;

/// The cost of one instance, summed over the statements with as many loops as any. Others run so much less often that they do not
/// count. The unit is the time of a core that a 64th of a scalar operation takes, times the number of cores, so that costs are only to
/// be compared for the same machine.
///
/// In a vector loop, as many iterations as a vector has room for cost as much as one, unless they gather; in another, each waits
/// for the former one if that has written what it updates. An access to an array larger than a row, and not known to stay near, costs
/// its share of a line from memory, or all of it if it does not walk along a row, unless a tile comes back to it. What runs in parallel
/// runs on all cores.
pub fn cost(scop: &Scop, tree: &Schedule, target: &Target) -> Result<u64> {
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
            if let Some(uses) = Uses::new(scop, statement, &leaf.domain()?, &path.loops, target)? {
                worst = worst.max(instance(&uses, path, target)?);
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
                if !path.points.is_empty() {
                    path.points.end = path.loops.len();
                } else if marks.contains(&Mark::Point) {
                    path.points = first..path.loops.len();
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

/// What one thing costs on a machine, in 64ths of a scalar operation: a vector of bytes is the shortest time of any.
struct Prices {
    /// An operation, alone or for one element of a vector that is gathered.
    scalar: u64,
    /// An operation's share in a vector of a statement's elements.
    vector: u64,
    /// An update that the next iteration waits for.
    chain: u64,
    /// A line from memory.
    line: u64,
}

impl Prices {
    /// The largest elements of a statement say how many a vector holds. 16 for a vector operation on doubles of 256 bits, 8 of 512.
    fn new(target: &Target, uses: &Uses<'_>) -> Prices {
        const OPERATION: u64 = 64;
        let widest = uses.accesses.iter().map(|used| used.array.element.bytes()).max().unwrap_or(1);
        Prices {
            scalar: OPERATION,
            vector: (OPERATION / u64::from(target.lanes(widest))).max(1),
            chain: OPERATION * u64::from(target.latency),
            line: OPERATION * u64::from(target.line_cost),
        }
    }

    /// What is used of a line, along a row, costs its share.
    fn row(&self, used: &Use<'_>, target: &Target) -> u64 {
        self.line * u64::from(used.array.element.bytes().min(target.line_bytes)) / u64::from(target.line_bytes)
    }
}

/// The cost of one instance.
fn instance(uses: &Uses<'_>, path: &Path, target: &Target) -> Result<u64> {
    let prices = Prices::new(target, uses);
    let iterates = |j: &usize| uses.accesses.iter().any(|u| u.along[*j].is_some());
    let inner = (0..path.loops.len()).rev().find(iterates);
    // A loop that runs once makes no vector of what is around it.
    let vector = path.vector && inner.is_none_or(|inner| inner + 1 == path.loops.len());
    let mut sum = if vector { prices.vector } else { prices.scalar };
    for used in &uses.accesses {
        let locality = inner.and_then(|j| used.along[j]);
        sum += match locality {
            Some(Locality::Temporal) if used.is_update && !vector => prices.chain,
            Some(Locality::Temporal) | None => 0,
            Some(Locality::Spatial) => prices.vector,
            Some(Locality::None) => prices.scalar,
        };
        if used.is_large(0) && !uses.comes_back(used, &path.points)? {
            sum += if locality == Some(Locality::None) { prices.line } else { prices.row(used, target) };
        }
    }
    Ok(if path.parallel { sum } else { sum.saturating_mul(target.cores.into()) })
}
