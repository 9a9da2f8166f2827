//! Rectangular tiles of permutable bands (unified report, section 2.3).

use super::Mark;
use super::band::{Band, insert_mark, position};
use super::reuse::gains;
use crate::isl::{
    Ctx, DimType, Map, MultiUnionPwAff, MultiVal, NodeType, Result, Schedule, ScheduleNode, UnionMap, UnionPwAff,
    UnionSet, Val, ValList,
};
use crate::scop::Scop;

/// The extent of a tile along each member of a band, in iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileSizes(Vec<u32>);

impl TileSizes {
    /// The size where none is given.
    pub const DEFAULT: u32 = 32;

    /// The first size is for the outermost member of each band, and so on; members beyond the list get the last one,
    /// or [`Self::DEFAULT`] when the list is empty. A size of 0 counts as 1.
    pub fn new(sizes: &[u32]) -> Self {
        TileSizes(sizes.iter().map(|size| (*size).max(1)).collect())
    }

    /// The size for a member.
    pub fn at(&self, member: usize) -> u32 {
        self.0.get(member).or(self.0.last()).copied().unwrap_or(Self::DEFAULT)
    }

    /// The sizes for the members of a band, as isl values.
    fn values(&self, ctx: &Ctx, partial: &MultiUnionPwAff) -> Result<MultiVal> {
        let sizes = (0..partial.size()?).map(|i| Val::int(ctx, self.at(i).into())).collect::<Result<Vec<_>>>()?;
        MultiVal::from_val_list(partial.space()?, ValList::from_vec(ctx, sizes)?)
    }
}

impl Default for TileSizes {
    fn default() -> Self {
        Self::new(&[])
    }
}

/// Splits every band that is worth it into a band over tiles and a band over the points of a tile, each under its mark.
///
/// A band is tiled when it is permutable and at least two of its members are not known to run over fewer iterations
/// than make two tiles: one long loop alone has nothing to interchange with, and tiles that hold a whole loop only add
/// overhead. The members of a tile band count in the units of the original, in steps of the tile size; point members
/// keep their values. Both bands keep the flags of the original.
pub fn tile(schedule: &Schedule, sizes: &TileSizes) -> Result<Schedule> {
    tile_where(schedule, sizes, &|_| Ok(true))
}

/// The same, but only bands that gain: because tiles bring data back sooner, or, when loops may be made parallel
/// (`parallel`), because no member is coincident, so that a wavefront of tiles is the only parallelism there is.
pub fn tile_gaining(scop: &Scop, schedule: &Schedule, sizes: &TileSizes, parallel: bool) -> Result<Schedule> {
    tile_where(schedule, sizes, &|node| {
        let needs_wavefront = parallel && !node.band_coincident()?.contains(&true);
        Ok(needs_wavefront || gains(scop, node)?)
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
        if node.node_type()? == NodeType::Band && is_worth_tiling(&node, sizes)? && wanted(&node)? {
            tile_band(node, sizes)
        } else {
            Ok(node)
        }
    };
    schedule.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
}

fn tile_band(node: ScheduleNode, sizes: &TileSizes) -> Result<ScheduleNode> {
    let sizes = sizes.values(node.ctx(), &node.band_partial_schedule()?)?;
    let points = node.band_tile(sizes)?.first_child()?;
    let tiles = insert_mark(points, &Mark::Point)?.parent()?;
    insert_mark(tiles, &Mark::Tile)
}

fn is_worth_tiling(node: &ScheduleNode, sizes: &TileSizes) -> Result<bool> {
    let band = Band::read(node)?;
    if !band.permutable || band.members.len() < 2 {
        return Ok(false);
    }
    let domain = node.domain()?;
    let mut long = 0;
    for (i, member) in band.members.iter().enumerate() {
        if !is_known_shorter(member, &domain, sizes.at(i))? {
            long += 1;
        }
    }
    Ok(long >= 2)
}

/// The values of a member are known to lie within one tile's length.
fn is_known_shorter(member: &UnionPwAff, domain: &UnionSet, size: u32) -> Result<bool> {
    let member = MultiUnionPwAff::from_union_pw_aff(member.clone())?.reset_tuple_id(DimType::Out)?;
    let member = member.intersect_domain(domain.clone())?;
    let values = UnionMap::from_multi_union_pw_aff(member)?.range()?;
    if values.is_empty()? {
        return Ok(true);
    }
    let values = values.as_set()?;
    // { [d] }: differences between values at the same parameters
    let spread = Map::from_domain_and_range(values.clone(), values)?.deltas()?;
    let largest = spread.dim_max_val(position(0)?)?;
    Ok(largest.is_int()? && largest.lt(&Val::int(domain.ctx(), size.into())?)?)
}
