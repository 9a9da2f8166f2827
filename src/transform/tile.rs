//! Rectangular tiles of permutable bands, at several levels (Pluto paper, section 5.2; unified report, section 2.3).

use super::skew::waiting;
use crate::cost::gains;
use crate::isl::{
    DimType, Map, MultiUnionPwAff, MultiVal, NodeType, Result, Schedule, ScheduleNode, UnionMap, UnionPwAff, UnionSet,
    Val, ValList,
};
use crate::machine::Machine;
use crate::schedule_tree::band::{Band, insert_mark, is_tiled, position};
use crate::schedule_tree::{Mark, TileSizes};
use crate::scop::Scop;

/// Splits every band that is worth it into bands over tiles, one for each level, outermost first, and a band over the
/// points of an innermost tile, each under its mark.
///
/// A band is tiled at a level when it is permutable and at least two of its members are not known to run over fewer
/// iterations than make two tiles: one long loop alone has nothing to interchange with, and tiles that hold a whole
/// loop only add overhead. That holds for bands anywhere in the tree; those of imperfectly nested statements are bands
/// like any other. The members of a tile band count in the units of the original, in steps of the tile size; point
/// members keep their values. All of these bands keep the flags of the original. What is in tiles already stays as it
/// is.
pub fn tile(schedule: &Schedule, sizes: &TileSizes) -> Result<Schedule> {
    tile_where(schedule, sizes, &|_| Ok(true))
}

/// What tiles are for, besides data that they bring back sooner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TileAims {
    /// Loops may be made parallel: where no member is coincident, a wavefront of tiles is the only parallelism there is.
    pub parallel: bool,
    /// Points are to be put in an order in which they do not wait for each other ([`super::skew()`]), which goes across
    /// rows, so that without tiles all would be far.
    pub skew: bool,
}

/// The same, but only bands that gain.
pub fn tile_gaining(
    scop: &Scop,
    schedule: &Schedule,
    sizes: &TileSizes,
    aims: TileAims,
    machine: &Machine,
) -> Result<Schedule> {
    tile_where(schedule, sizes, &|node| {
        let needs_wavefront = aims.parallel && !node.band_coincident()?.contains(&true);
        let waits = || Ok(aims.skew && !waiting(scop, node, &Band::read(node)?, machine)?.is_empty());
        Ok(needs_wavefront || gains(scop, node, machine)? || waits()?)
    })
}

fn tile_where(
    schedule: &Schedule,
    sizes: &TileSizes,
    wanted: &dyn Fn(&ScheduleNode) -> Result<bool>,
) -> Result<Schedule> {
    let ctx = schedule.ctx();
    ctx.set_tile_scale_tile_loops(1)?;
    ctx.set_tile_shift_point_loops(0)?;
    let mut rewrite = |node: ScheduleNode| {
        let levels = levels_worth_it(&node, sizes)?;
        if levels.is_empty() || is_tiled(&node)? || !wanted(&node)? {
            Ok(node)
        } else {
            tile_band(node, sizes, &levels)
        }
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

/// Tiles a band at some levels, outermost first; the result is at the outermost mark. The same members are tiled each
/// time (Pluto paper, section 5.2, "Tiling multiple times").
fn tile_band(node: ScheduleNode, sizes: &TileSizes, levels: &[u32]) -> Result<ScheduleNode> {
    let depth = node.tree_depth()?;
    let mut points = node;
    for level in levels {
        let tiles = points.clone().band_tile(values(&points, sizes, *level)?)?;
        points = insert_mark(tiles, &Mark::Tile { level: *level })?.first_child()?.first_child()?;
    }
    let points = insert_mark(points, &Mark::Point)?;
    let up = points.tree_depth()? - depth;
    points.ancestor(position(up)?)
}

/// The sizes for the members of a band, as isl values.
fn values(band: &ScheduleNode, sizes: &TileSizes, level: u32) -> Result<MultiVal> {
    let partial = band.band_partial_schedule()?;
    let ctx = band.ctx();
    let values = (0..partial.size()?).map(|i| Val::int(ctx, sizes.at(level, i).into())).collect::<Result<Vec<_>>>()?;
    MultiVal::from_val_list(partial.space()?, ValList::from_vec(ctx, values)?)
}

/// The levels at which a node is worth tiling, outermost first.
fn levels_worth_it(node: &ScheduleNode, sizes: &TileSizes) -> Result<Vec<u32>> {
    let mut levels = Vec::new();
    if node.node_type()? != NodeType::Band {
        return Ok(levels);
    }
    let band = Band::read(node)?;
    if !band.permutable || band.members.len() < 2 {
        return Ok(levels);
    }
    let spreads = spreads(&band, &node.domain()?)?;
    for level in sizes.levels() {
        let mut long = 0;
        for (i, spread) in spreads.iter().enumerate() {
            long += usize::from(!spread.is_shorter(sizes.at(level, i))?);
        }
        if long >= 2 {
            levels.push(level);
        }
    }
    Ok(levels)
}

/// What is known of the values of a member.
pub(super) enum Spread {
    /// There are none.
    Empty,
    /// The greatest difference, perhaps infinite.
    Within(Val),
}

impl Spread {
    /// The values are known to lie within one tile's length.
    pub(super) fn is_shorter(&self, size: u32) -> Result<bool> {
        match self {
            Spread::Empty => Ok(true),
            Spread::Within(largest) => Ok(largest.is_int()? && largest.lt(&Val::int(largest.ctx(), size.into())?)?),
        }
    }
}

fn spreads(band: &Band, domain: &UnionSet) -> Result<Vec<Spread>> {
    band.members.iter().map(|member| spread(member, domain)).collect()
}

/// What is known of the values of a member on a domain.
pub(super) fn spread(member: &UnionPwAff, domain: &UnionSet) -> Result<Spread> {
    let member = MultiUnionPwAff::from_union_pw_aff(member.clone())?.reset_tuple_id(DimType::Out)?;
    let member = member.intersect_domain(domain.clone())?;
    let values = UnionMap::from_multi_union_pw_aff(member)?.range()?;
    if values.is_empty()? {
        return Ok(Spread::Empty);
    }
    let values = values.as_set()?;
    // { [d] }: differences between values at the same parameters
    let differences = Map::from_domain_and_range(values.clone(), values)?.deltas()?;
    Ok(Spread::Within(differences.dim_max_val(position(0)?)?))
}
