//! Which members of a kernel's band run over blocks and threads.

use super::choose::Reuse;
use super::sizes::{KernelSizes, MOST_BLOCK_AXES, MOST_THREAD_AXES, Shape};
use crate::footprint::{Footprint, SHARED_BYTES, Tile, fitting, footprints, wanted};
use crate::isl::{MultiVal, NodeType, Result, Schedule, ScheduleNode, UnionMap, UnionPwAff, UnionSet, Val, ValList};
use crate::machine::Gpu;
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, has_band_below, insert_mark, mark, position, tuple};
use crate::scop::Scop;

/// Maps the kernels that [`super::select`] marked: the band that a kernel starts at is tiled; the outermost of its
/// coincident members, at most two, run over the blocks of the grid by tiles, and at most three over the threads of a
/// block by points (ppcg report, section 5.1).
///
/// The band is permutable, so its members are put in order first: coincident ones outermost, and last among those that
/// are mapped the one along x. That is the member which the scheduler marked, whose neighbours are near in memory
/// (unified report, section 4.8); without such a mark, the last of the first three. A kernel without coincident
/// members stays as it is, and runs in one thread.
///
/// Where neighbouring threads read the same elements often enough, tiles of these go to shared memory: with a mark
/// [`Mark::Shared`] between tiles and points. The members that run over neither blocks nor threads are tiled for that.
/// Threads with several points go through them in each iteration of those members (mark [`Mark::Block`]), so that they
/// load once what their points share and have a sum for each in a register. How many points that are says a model of
/// the device (`choose`), unless users did.
///
/// Members over tiles count tiles (`v / 32` rounded down), so that the mark's `v mod n` spreads neighbouring tiles over
/// blocks; members over points keep their values.
///
/// # Errors
/// Those of isl.
pub fn map(scop: &Scop, tree: &Schedule, sizes: &KernelSizes, gpu: &Gpu) -> Result<Schedule> {
    let ctx = tree.ctx();
    ctx.set_tile_scale_tile_loops(0)?;
    ctx.set_tile_shift_point_loops(0)?;
    let mut number = 0;
    let mut rewrite = |node: ScheduleNode| match mark(&node)? {
        // Kernels are not nested, so they come in the tree's order.
        Some(Mark::Kernel) => {
            let sizes = sizes.of(number);
            number += 1;
            kernel(scop, node, &sizes, gpu)
        }
        _ => Ok(node),
    };
    tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

/// Maps the kernel below a mark; the result is at the mark.
fn kernel(scop: &Scop, node: ScheduleNode, sizes: &KernelSizes, gpu: &Gpu) -> Result<ScheduleNode> {
    let depth = node.tree_depth()?;
    let (below, x) = without_thread_x(node.first_child()?)?;
    let mapped = match below.node_type()? {
        NodeType::Band => band(scop, below, x, sizes, gpu)?,
        _ => below,
    };
    let up = mapped.tree_depth()? - depth;
    mapped.ancestor(position(up)?)
}

/// Removes a scheduler's mark of the member along x, which is another one after the band was put in order; the member.
fn without_thread_x(node: ScheduleNode) -> Result<(ScheduleNode, Option<usize>)> {
    match mark(&node)? {
        Some(Mark::ThreadX { member }) => Ok((node.delete()?, Some(member))),
        _ => Ok((node, None)),
    }
}

/// Maps a band; the result is at its outermost mark.
fn band(scop: &Scop, node: ScheduleNode, x: Option<usize>, sizes: &KernelSizes, gpu: &Gpu) -> Result<ScheduleNode> {
    let band = Band::read(&node)?;
    let (order, threads) = order(&band.coincident, x);
    if threads == 0 {
        return Ok(node);
    }
    let reordered = Band {
        members: order.iter().map(|&member| band.members[member].clone()).collect(),
        coincident: order.iter().map(|&member| band.coincident[member]).collect(),
        permutable: band.permutable,
    };
    let node = reordered.replace(node)?;
    let depth = node.tree_depth()?;
    let loops = order.len() > threads || has_band_below(&node)?;
    let mut best: Option<Tiled> = None;
    for shape in sizes.shapes(threads, order.len(), loops) {
        let found = Tiled::of(scop, node.clone(), shape, threads, sizes)?;
        // Smaller tiles are for what does not fit.
        let is_enough = !found.shared.is_empty() && found.all_fit && found.shape.tile.len() == order.len();
        if best.as_ref().is_none_or(|best| best.shared.len() < found.shared.len()) {
            best = Some(found);
        }
        if is_enough {
            break;
        }
    }
    let Some(mut best) = best else { return Ok(node) };
    if let Some(larger) = larger(scop, &node, &best, threads, sizes, gpu)?
        && larger.shared.len() >= best.shared.len()
    {
        best = larger;
    }
    let points = if best.shared.is_empty() { best.points } else { insert_mark(best.points, &Mark::Shared)? };
    let up = points.tree_depth()? - depth;
    points.ancestor(position(up)?)
}

/// A band that is tiled.
struct Tiled {
    shape: Shape,
    /// The mark of the points.
    points: ScheduleNode,
    /// What goes to shared memory.
    shared: Vec<Footprint>,
    /// That is all that is worth it.
    all_fit: bool,
}

impl Tiled {
    fn of(scop: &Scop, node: ScheduleNode, shape: Shape, threads: usize, sizes: &KernelSizes) -> Result<Self> {
        let points = tiled(node, &shape, threads, sizes)?;
        let names: Vec<String> = (0..points.schedule_depth()?).map(|depth| format!("polyrs_t{depth}_")).collect();
        if sizes.no_shared_memory {
            return Ok(Tiled { shape, points, shared: Vec::new(), all_fit: true });
        }
        let wanted = wanted(scop, footprints(scop, &points, &names)?);
        let count = wanted.len();
        let shared = fitting(scop, wanted);
        let all_fit = shared.len() == count;
        Ok(Tiled { shape, points, shared, all_fit })
    }
}

/// A band with more points for each thread, if that is faster than with those that it has.
fn larger(
    scop: &Scop,
    node: &ScheduleNode,
    base: &Tiled,
    threads: usize,
    sizes: &KernelSizes,
    gpu: &Gpu,
) -> Result<Option<Tiled>> {
    let members = Band::read(node)?.members;
    let is_whole = base.shape.tile.len() == members.len() && members.len() > threads;
    if base.shared.is_empty() || !is_whole || has_band_below(node)? {
        return Ok(None);
    }
    let domain = node.domain()?;
    let extents = members.iter().take(threads).map(|member| extent(member, &domain)).collect::<Result<_>>()?;
    let reuse = Reuse::of(scop, &base.shared, &members, extents)?;
    let mut shapes = sizes.shapes(threads, members.len(), true);
    shapes.retain(|shape| shape.tile.len() == members.len());
    shapes.extend(sizes.larger(threads, members.len()));
    match reuse.fastest(gpu, &shapes, threads, SHARED_BYTES.unsigned_abs()) {
        Some(shape) if *shape != base.shape => Tiled::of(scop, node.clone(), shape.clone(), threads, sizes).map(Some),
        _ => Ok(None),
    }
}

/// How many values a member has at most, if that is known.
fn extent(member: &UnionPwAff, domain: &UnionSet) -> Result<Option<u64>> {
    // { S[i] -> [v] }
    let values = UnionMap::from_multi_union_pw_aff(tuple(member.ctx(), std::slice::from_ref(member))?)?;
    let values = values.intersect_domain(domain.clone())?.range()?;
    if values.is_empty()? {
        return Ok(None);
    }
    Ok(match Tile::of(&values.as_set()?)?.as_ref().map(|tile| &tile.extent[..]) {
        Some([extent]) => Some(extent.unsigned_abs()),
        _ => None,
    })
}

/// Tiles a band for so many axes of threads; the result is at the mark of the points.
fn tiled(node: ScheduleNode, shape: &Shape, threads: usize, sizes: &KernelSizes) -> Result<ScheduleNode> {
    let (Shape { tile, block }, members) = (shape, node.band_n_member()?);
    let node = if tile.len() < members { node.band_split(position(threads)?)? } else { node };
    let tiles = node.clone().band_tile(values(&node, tile)?)?;
    let tiles = insert_mark(tiles, &Mark::Grid { sizes: sizes.grid(threads.min(MOST_BLOCK_AXES)) })?;
    let tiles = insert_mark(tiles, &Mark::TILE)?;
    let points = tiles.first_child()?.first_child()?.first_child()?;
    let all = |sizes: &[u32]| sizes.iter().map(|&size| u64::from(size)).product::<u64>();
    if members > threads && all(&tile[..threads]) > all(block) {
        let others = if tile.len() < members { points.clone().first_child()? } else { points.clone() };
        if !has_band_below(&others)? {
            return points_together(points, threads, block.clone());
        }
    }
    let points = insert_mark(points, &Mark::Threads { sizes: block.clone() })?;
    insert_mark(points, &Mark::Point)
}

/// Has a thread go through its points in each iteration of the other members, whose band follows, so that it loads once
/// what its points share, and has a sum for each in a register: a block of the thread's own. The members are all of one
/// permutable band, and stay in their tiles.
fn points_together(points: ScheduleNode, threads: usize, block: Vec<u32>) -> Result<ScheduleNode> {
    let depth = points.tree_depth()?;
    // [threads, others] in one band, or in two.
    let points = if points.band_n_member()? > threads { points.band_split(position(threads)?)? } else { points };
    let own = Band::read(&points)?;
    let others = Band::read(&points.clone().first_child()?)?;
    let node = others.replace(points)?.first_child()?;
    let node = insert_mark(own.replace(node)?, &Mark::Threads { sizes: block })?;
    let node = insert_mark(node, &Mark::Block)?;
    let up = node.tree_depth()? - depth;
    insert_mark(node.ancestor(position(up)?)?, &Mark::Point)
}

/// The members of a band in the order in which they are mapped, and how many of them run over threads.
fn order(coincident: &[bool], x: Option<usize>) -> (Vec<usize>, usize) {
    let x = x.filter(|&x| coincident.get(x) == Some(&true));
    let parallel = (0..coincident.len()).filter(|&member| coincident[member]);
    let others = parallel.filter(|member| Some(*member) != x);
    let room = MOST_THREAD_AXES - usize::from(x.is_some());
    let mut mapped: Vec<usize> = others.take(room).collect();
    mapped.extend(x);
    let threads = mapped.len();
    let left = |member: &usize| !mapped[..threads].contains(member);
    let (more, sequential): (Vec<usize>, Vec<usize>) =
        (0..coincident.len()).filter(left).partition(|&member| coincident[member]);
    mapped.extend(more);
    mapped.extend(sequential);
    (mapped, threads)
}

/// Sizes as isl's values in the space of a band.
fn values(band: &ScheduleNode, sizes: &[u32]) -> Result<MultiVal> {
    let ctx = band.ctx();
    let values = sizes.iter().map(|&size| Val::int(ctx, size.into())).collect::<Result<Vec<_>>>()?;
    MultiVal::from_val_list(band.band_partial_schedule()?.space()?, ValList::from_vec(ctx, values)?)
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn coincident_members_come_first_and_x_last_of_those_that_are_mapped() {
        assert_eq!(order(&[true, true, false], None), (vec![0, 1, 2], 2));
        assert_eq!(order(&[true, true, false], Some(0)), (vec![1, 0, 2], 2));
        assert_eq!(order(&[false, true, false, true], None), (vec![1, 3, 0, 2], 2));
        // A mark on a member that cannot run in parallel says nothing.
        assert_eq!(order(&[false, true], Some(0)), (vec![1, 0], 1));
        assert_eq!(order(&[true; 5], None), (vec![0, 1, 2, 3, 4], 3));
        assert_eq!(order(&[true; 5], Some(4)), (vec![0, 1, 4, 2, 3], 3));
        assert_eq!(order(&[false, false], None), (vec![0, 1], 0));
    }
}
