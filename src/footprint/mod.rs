//! Array reference groups: what a subtree reads of arrays, and the tiles that hold it (ppcg report, section 5.1).
//!
//! A tile has the same size wherever the subtree is executed, and starts at an element that is affine in parameters and
//! in the bands above. References to the same array are in one group where one tile for both is not larger than a tile
//! for each. A tile is worth it where its elements are read often, or where neighbouring threads read from another row
//! each: then threads copy rows together. Groups are only of arrays that nothing in the kernel writes, or outside of
//! kernels nothing in the subtree, so a copy is never stale.

use crate::isl::{self, DimType, Id, Map, MultiAff, NodeType, ScheduleNode, Set, UnionMap, UnionPwAff, UnionSet};
use crate::proximity::Subscripts;
use crate::schedule_tree::band::{Band, band_below, mark, tuple};
use crate::schedule_tree::{Mark, PackedArray};
use crate::scop::{AccessKind, ArrayKind, Scop, Statement, StatementId};
use std::collections::BTreeSet;

/// Tiles of more elements than this fit no shared memory.
const MOST_ELEMENTS: i64 = 1 << 16;

/// A block does not go through more instances of a statement at once.
const MOST_INSTANCES: i64 = 1 << 30;

/// Tiles of arrays with more dimensions are not made.
const MOST_DIMENSIONS: usize = 6;

/// What references to an array read, and the size of a tile that holds it.
#[derive(Debug, Clone)]
pub struct Footprint {
    /// The array's position in the scop.
    pub array: usize,
    /// The references: statements and positions of their accesses.
    pub references: Vec<(StatementId, usize)>,
    /// What is read: `[p, t] -> { A[a] }`, where `t` are the members of bands above.
    pub elements: Set,
    /// The tile's size along each dimension.
    pub extent: Vec<i64>,
    /// How often a whole tile is read, at most.
    pub reads: i64,
    /// The dimensions of the array in the order of the copy's, outermost first.
    pub order: Vec<usize>,
    /// Neighbouring threads read from another row each, so that the device fetches much that none of them needs.
    pub crosses_rows: bool,
}

impl Footprint {
    /// How many elements a tile has.
    pub fn volume(&self) -> i64 {
        self.extent.iter().product()
    }
}

/// A box of constant size.
pub struct Tile {
    /// Its first element: `[p, t] -> { A[a] }`
    pub origin: MultiAff,
    /// Its size along each dimension.
    pub extent: Vec<i64>,
}

impl Tile {
    /// A box around elements, `[p, t] -> { A[a] }`; `None` if there is none that could be in shared memory.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of(elements: &Set) -> isl::Result<Option<Self>> {
        Self::of_at_most(elements, MOST_ELEMENTS)
    }

    /// A box around a set, `[p, t] -> { A[a] }`; `None` if there is none of so few elements.
    ///
    /// # Errors
    /// Those of isl.
    fn of_at_most(set: &Set, most: i64) -> isl::Result<Option<Self>> {
        if set.is_empty()? || set.dim(DimType::SET)? > MOST_DIMENSIONS {
            return Ok(None);
        }
        let hull = set.simple_fixed_box_hull()?;
        if !hull.is_valid()? {
            return Ok(None);
        }
        let size = hull.size()?;
        let mut extent = Vec::new();
        for position in 0..size.size()? {
            let size = size.at(i32::try_from(position).unwrap_or(i32::MAX))?;
            extent.push(if size.is_int()? { size.to_i64().unwrap_or(i64::MAX) } else { i64::MAX });
        }
        let all = extent.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
        let fits = all.is_some_and(|all| (1..=most).contains(&all));
        Ok(fits.then_some(Tile { origin: hull.offset()?, extent }))
    }
}

/// Elements that are read less often than that from shared memory are left to the caches, if neighbouring threads read
/// neighbours.
const LEAST_REUSE: i64 = 8;

/// What a device fetches at once, in bytes: shorter rows of a tile are not fetched any better.
const SECTOR: i64 = 32;

/// Tiles of fewer elements are left to the caches: most threads of a block would copy none of them.
const LEAST_VOLUME: i64 = 128;

/// The shared memory that a block of any GPU can have without being asked for it, less what aligning tiles takes.
pub const SHARED_BYTES: i64 = 48 * 1024 - 256;

/// The elements that a tile takes along each dimension in shared memory. Each row begins in another bank, so that
/// threads that read a column do not wait for each other.
pub fn padded(extent: &[i64]) -> Vec<i64> {
    let mut padded = extent.to_vec();
    if let [_, .., last] = &mut padded[..] {
        *last |= 1;
    }
    padded
}

/// The bytes of an element in shared memory.
fn element_bytes(scop: &Scop, footprint: &Footprint) -> i64 {
    i64::from(scop.arrays[footprint.array].element.bytes().next_power_of_two())
}

/// Of footprints those that are worth a tile: the ones whose threads read from another row each first, then those that
/// are read most often.
pub fn wanted(scop: &Scop, footprints: Vec<Footprint>) -> Vec<Footprint> {
    let mut wanted: Vec<Footprint> = footprints;
    wanted.retain(|footprint| {
        let row = footprint.extent.last().map_or(0, |last| last * element_bytes(scop, footprint));
        let is_reused = footprint.reads / footprint.volume() >= LEAST_REUSE;
        footprint.volume() >= LEAST_VOLUME && (is_reused || footprint.crosses_rows && row >= SECTOR)
    });
    wanted.sort_by_key(|footprint| std::cmp::Reverse((footprint.crosses_rows, footprint.reads)));
    wanted
}

/// Of footprints those that are worth a tile and fit shared memory together.
pub fn fitting(scop: &Scop, footprints: Vec<Footprint>) -> Vec<Footprint> {
    let mut wanted = wanted(scop, footprints);
    let mut left = SHARED_BYTES;
    wanted.retain(|footprint| {
        let bytes = padded(&footprint.extent).iter().product::<i64>() * element_bytes(scop, footprint);
        let fits = bytes <= left;
        left -= if fits { bytes } else { 0 };
        fits
    });
    wanted
}

/// The groups of what the subtree at a node of a kernel reads, if tiles hold it; `names` are for the members of bands
/// above, outermost first.
///
/// # Errors
/// Those of isl.
pub fn footprints(scop: &Scop, node: &ScheduleNode, names: &[String]) -> isl::Result<Vec<Footprint>> {
    match kernel_around(node)? {
        Some(kernel) => groups(scop, node, names, (&kernel, true)),
        None => Ok(Vec::new()),
    }
}

/// Buffers for packed tiles are on the stack, and stay in a cache: those of a region have at most so many bytes
/// together, and none more in a tree that users load.
pub const PACKED_BYTES: i64 = 256 * 1024;

/// The bytes of the buffer for a packed tile.
pub fn packed_bytes(scop: &Scop, footprint: &Footprint) -> i64 {
    footprint.volume().saturating_mul(element_bytes(scop, footprint))
}

/// The groups of what the subtree at a node outside of kernels reads of some arrays, if tiles hold it that are small
/// enough to be packed; `names` are for the members of bands above, outermost first.
///
/// # Errors
/// Those of isl.
pub fn packed(
    scop: &Scop,
    node: &ScheduleNode,
    names: &[String],
    arrays: &[PackedArray],
) -> isl::Result<Vec<Footprint>> {
    let mut found = groups(scop, node, names, (&node.domain()?, false))?;
    found.retain_mut(|footprint| {
        let Some(wanted) = arrays.iter().find(|wanted| is_of(scop, footprint, wanted)) else { return false };
        footprint.order.clone_from(&wanted.order);
        packed_bytes(scop, footprint) <= PACKED_BYTES
    });
    Ok(found)
}

/// A footprint is what a mark speaks of.
fn is_of(scop: &Scop, footprint: &Footprint, wanted: &PackedArray) -> bool {
    let array = &scop.arrays[footprint.array];
    let is_named = |(id, number): &(StatementId, usize)| {
        wanted.reference.as_ref().is_none_or(|name| scop.statement(*id).accesses[*number].reference == *name)
    };
    wanted.name == array.name && wanted.order.len() == array.rank() && footprint.references.iter().any(is_named)
}

/// The groups of what the subtree at a node reads of arrays that some instances do not write, those of the kernel around
/// or its own.
fn groups(
    scop: &Scop,
    node: &ScheduleNode,
    names: &[String],
    (around, in_kernel): (&UnionSet, bool),
) -> isl::Result<Vec<Footprint>> {
    let (inside, written) = (node.domain()?, written(scop, around)?);
    let prefix = node.prefix_schedule()?;
    if prefix.size()? == 0 || prefix.size()? > names.len() {
        return Ok(Vec::new());
    }
    // { [t] -> S[i] }
    let dates = UnionMap::from_multi_union_pw_aff(prefix)?.intersect_domain(inside)?.reverse()?;
    let threads = threads_along_x(node)?;
    let mut groups: Vec<Footprint> = Vec::new();
    for (position, statement) in scop.statements.iter().enumerate() {
        let instances = dates.clone().intersect_range(statement.domain.clone().to_union_set()?)?;
        if instances.is_empty()? {
            continue;
        }
        let instances = instances.as_map()?;
        let instance = in_as_parameters(instances.clone(), names)?;
        let reads = match Tile::of_at_most(&instance, MOST_INSTANCES)? {
            Some(tile) => tile.extent.iter().product(),
            None if in_kernel => continue,
            None => MOST_INSTANCES,
        };
        let x = threads.as_ref().map(|member| dimension(member, statement)).transpose()?.flatten();
        for (number, access) in statement.accesses.iter().enumerate() {
            let Some(array) = scop.arrays.iter().position(|array| access.array().is_ok_and(|name| name == array.name))
            else {
                continue;
            };
            let is_tiled = access.kind == AccessKind::Read && !written.contains(&array) && {
                let array = &scop.arrays[array];
                array.kind != ArrayKind::Scalar && array.rank() > 0
            };
            if !is_tiled {
                continue;
            }
            let restricted = access.relation.clone().intersect_domain(statement.domain.clone())?;
            let Some(subscripts) = Subscripts::of(&access.relation, &restricted, &statement.domain)? else { continue };
            let crosses_rows = x.is_some_and(|x| crosses_rows(&subscripts, x));
            let elements = in_as_parameters(instances.clone().apply_range(restricted)?, names)?.coalesce()?;
            let references = vec![(StatementId(position), number)];
            let Some(tile) = Tile::of(&elements)? else { continue };
            let (extent, order) = (tile.extent, (0..scop.arrays[array].rank()).collect());
            join(&mut groups, Footprint { array, references, elements, extent, reads, order, crosses_rows })?;
        }
    }
    Ok(groups)
}

/// Whether what a footprint's first reference reads differs along each of some members: `{ S[i] -> [(v)] }`. Where that
/// cannot be said it does.
///
/// # Errors
/// Those of isl.
pub fn along(scop: &Scop, footprint: &Footprint, members: &[UnionPwAff]) -> isl::Result<Vec<bool>> {
    let Some(&(id, number)) = footprint.references.first() else { return Ok(vec![true; members.len()]) };
    let statement = scop.statement(id);
    let access = &statement.accesses[number].relation;
    let restricted = access.clone().intersect_domain(statement.domain.clone())?;
    let subscripts = Subscripts::of(access, &restricted, &statement.domain)?;
    let mut all = Vec::new();
    for member in members {
        let dimension = dimension(member, statement)?;
        all.push(match (&subscripts, dimension) {
            (Some(subscripts), Some(dimension)) => {
                let mut rows = subscripts.expressions.iter();
                rows.any(|row| row.iterators.get(dimension).is_some_and(|factor| *factor != 0))
            }
            _ => true,
        });
    }
    Ok(all)
}

/// The member that runs over threads along x, in the subtree at marks and bands: `{ S[i] -> [(v)] }`
fn threads_along_x(node: &ScheduleNode) -> isl::Result<Option<UnionPwAff>> {
    let mut node = node.clone();
    while matches!(node.node_type()?, NodeType::Mark | NodeType::Band) {
        if let Some(Mark::Threads { sizes }) = mark(&node)? {
            let band = band_below(&node)?.map(|band| Band::read(&band)).transpose()?;
            return Ok(band.and_then(|band| band.members.into_iter().take(sizes.len()).last()));
        }
        node = node.first_child()?;
    }
    Ok(None)
}

/// The dimension of a statement that a member goes along, if it is one, step by step or tile by tile.
fn dimension(member: &UnionPwAff, statement: &Statement) -> isl::Result<Option<usize>> {
    let own = member.clone().intersect_domain(statement.domain.clone().to_union_set()?)?;
    let own = UnionMap::from_multi_union_pw_aff(tuple(member.ctx(), &[own])?)?;
    if own.is_empty()? {
        return Ok(None);
    }
    let own = own.as_map()?;
    let function = own.clone().gist_domain(statement.domain.clone())?.as_pw_multi_aff()?;
    if function.n_piece()? != 1 {
        return Ok(None);
    }
    let value = function.clone().gist(function.domain()?)?.at(0)?;
    if !value.isa_aff()? {
        return Ok(None);
    }
    let value = value.as_aff()?;
    let mut moved = Vec::new();
    for dimension in 0..own.dim(DimType::In)? {
        if value.involves_dims(DimType::In, dimension, 1)? {
            moved.push(dimension);
        }
    }
    Ok(moved.first().copied().filter(|_| moved.len() == 1))
}

/// Along a dimension of the statement some other subscript changes than the last.
fn crosses_rows(subscripts: &Subscripts, dimension: usize) -> bool {
    let rows = subscripts.expressions.split_last().map_or(&[][..], |(_, rows)| rows);
    rows.iter().any(|row| row.iterators.get(dimension).is_some_and(|factor| *factor != 0))
}

/// Adds a group, to another one where a tile for both is not larger.
fn join(groups: &mut Vec<Footprint>, group: Footprint) -> isl::Result<()> {
    for other in groups.iter_mut().filter(|other| other.array == group.array) {
        let both = other.elements.clone().union(group.elements.clone())?.coalesce()?;
        let Some(tile) = Tile::of(&both)? else { continue };
        if tile.extent.iter().product::<i64>() <= other.volume() + group.volume() {
            other.references.extend(group.references);
            (other.elements, other.extent) = (both, tile.extent);
            other.reads += group.reads;
            other.crosses_rows |= group.crosses_rows;
            return Ok(());
        }
    }
    groups.push(group);
    Ok(())
}

/// The instances of the kernel that a node is in.
fn kernel_around(node: &ScheduleNode) -> isl::Result<Option<UnionSet>> {
    let mut node = node.clone();
    while node.has_parent()? {
        node = node.parent()?;
        if mark(&node)? == Some(Mark::Kernel) {
            return Ok(Some(node.domain()?));
        }
    }
    Ok(None)
}

/// The arrays that instances `{ S[i] }` write, by their positions.
///
/// # Errors
/// Those of isl.
pub fn written(scop: &Scop, instances: &UnionSet) -> isl::Result<BTreeSet<usize>> {
    let mut written = BTreeSet::new();
    for statement in &scop.statements {
        if statement.domain.clone().to_union_set()?.is_disjoint(instances)? {
            continue;
        }
        for (position, array) in scop.arrays.iter().enumerate() {
            if statement.writes(&array.name)? {
                written.insert(position);
            }
        }
    }
    Ok(written)
}

/// `{ [t] -> X[x] }` as a set of `x` with parameters by these names.
///
/// # Errors
/// Those of isl.
pub fn in_as_parameters(map: Map, names: &[String]) -> isl::Result<Set> {
    let (parameters, size) = (map.dim(DimType::Param)?, map.dim(DimType::In)?);
    let mut map = map.move_dims(DimType::Param, parameters, DimType::In, 0, size)?;
    for (position, name) in names.iter().take(size).enumerate() {
        let id = Id::new(map.ctx(), name)?;
        map = map.set_dim_id(DimType::Param, parameters + position, id)?;
    }
    map.range()
}
