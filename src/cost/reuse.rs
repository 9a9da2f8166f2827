//! What the loops around a statement do to the data it uses: what tiles would bring back sooner, and what a tree costs.

use super::block_size::Values;
use super::contiguity::next_along;
use super::counted::{typical_bytes, typical_elements, typical_instances};
use super::long_rows::is_long_row;
use super::step::{Locality, Loops, Role, Step, is_diagonal, role, step_locality, wait};
use super::width::{MOST_UNROLLED, Width};
use crate::isl::{DimType, Error, Id, Map, Result, ScheduleNode, Set, UnionMap, UnionPwAff, UnionSet, Val};
use crate::machine::Machine;
use crate::schedule_tree::PackedArray;
use crate::schedule_tree::band::{Band, leaves_below, point_members_above, tuple};
use crate::scop::{Access, AccessKind, Array, ArrayKind, ElementKind, Operator, Reduction, Scop, Statement};
use std::ops::Range;

/// Tiles of a band would shorten the distance between uses of the same data.
///
/// That takes one of three things in a statement, all about arrays that are larger than a row, in that two loops of the
/// nest move the element, and not known to stay near ([`Machine::fits_nearest_cache`]): what is smaller stays near
/// without tiles.
/// - The band itself comes back to the elements of such an array.
/// - The band accumulates, a member leaving an element that is written in place, and loops outside come back to the
///   elements of such an array: a tile of accumulators stays in registers.
/// - Two arrays have their rows along different members, so that no order of the members walks along both.
///
/// What a nest only streams through gains nothing, and has longer inner loops without tiles.
pub(crate) fn gains(scop: &Scop, node: &ScheduleNode, machine: &Machine) -> Result<bool> {
    let members = Band::read(node)?.members;
    let above = point_members_above(node)?;
    for (leaf, below) in leaves_below(node)? {
        let loops: Vec<UnionPwAff> = above.iter().chain(&members).chain(&below).cloned().collect();
        let band = above.len()..above.len() + members.len();
        for statement in &scop.statements {
            if let Some(uses) = Uses::new(scop, statement, &leaf, &loops, machine)?
                && uses.gain_from(&band)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What each loop around a statement does to each of its accesses.
pub(super) struct Uses<'a> {
    pub accesses: Vec<Use<'a>>,
    /// An array of which the statement is the first to use the memory.
    pub fresh: Option<Fresh<'a>>,
    statement: &'a Statement,
    /// For each loop, outermost first, from an iteration to the next one.
    steps: Vec<Option<Step>>,
    /// `{ S[i] -> [t] }`, all loops, outermost first.
    times: UnionMap,
}

/// What each loop does to one access.
pub(super) struct Use<'a> {
    pub access: &'a Access,
    /// What it is to its statement.
    pub role: Role,
    /// The array.
    pub array: &'a Array,
    /// It is known to stay in the nearest cache.
    near: bool,
    /// It is a row that a loop over time comes back to ([`super::long_rows`]).
    pub long_row: bool,
    /// It writes what the statement updates, and no other statement of the region writes the array: the sum is no variable of the
    /// program, which is written to the array in the end.
    pub updated_in_memory: bool,
    /// It reads from a packed tile; how many elements are copied to it at a time.
    pub copy: Option<Width>,
    /// As another nest has brought it nearer, it comes in this part of the time.
    pub part: u64,
    /// Along each loop, outermost first; `None` where the loop runs once.
    pub along: Vec<Option<Locality>>,
}

/// The order of an array's dimensions in the packed tile that an access reads from, if it does.
fn packed_order<'p>(array: &Array, access: &Access, packed: &'p [PackedArray]) -> Option<&'p [usize]> {
    let is_of = |packed: &&PackedArray| {
        packed.name == array.name && packed.reference.as_ref().is_none_or(|name| *name == access.reference)
    };
    let found = packed.iter().rev().filter(|_| access.kind == AccessKind::Read).find(is_of)?;
    (found.order.len() == array.rank()).then_some(&found.order)
}

/// An array, and an access to it, with the dimensions in another order.
fn in_order(array: &Array, access: &Access, order: &[usize]) -> Result<(Array, Access)> {
    let names: Vec<String> = (0..order.len()).map(|dimension| format!("e{dimension}")).collect();
    let moved: Vec<&str> = order.iter().map(|dimension| names[*dimension].as_str()).collect();
    // { T[e] -> T[e'] }, where T stands for the array
    let map = format!("{{ T[{}] -> T[{}] }}", names.join(", "), moved.join(", "));
    let (map, name) = (Map::parse(access.relation.ctx(), &map)?, Id::new(access.relation.ctx(), "T")?);
    let relation = access.relation.clone().set_tuple_id(DimType::Out, name)?.apply_range(map)?;
    let extent = order.iter().map(|dimension| array.extent[*dimension].clone()).collect();
    Ok((Array { extent, used: None, ..array.clone() }, Access { relation, ..access.clone() }))
}

impl<'a> Uses<'a> {
    /// For the instances in `reached`; `None` when the statement has none of them.
    pub fn new(
        scop: &'a Scop,
        statement: &'a Statement,
        reached: &UnionSet,
        loops: &[UnionPwAff],
        machine: &Machine,
    ) -> Result<Option<Self>> {
        Self::with_packed(scop, statement, reached, (loops, &[]), machine)
    }

    /// The same where some loops are inside of marks that pack what is read of arrays.
    pub fn with_packed(
        scop: &'a Scop,
        statement: &'a Statement,
        reached: &UnionSet,
        (loops, packed): (&[UnionPwAff], &[PackedArray]),
        machine: &Machine,
    ) -> Result<Option<Self>> {
        let domain = statement.domain.clone().to_union_set()?.intersect(reached.clone())?;
        if domain.is_empty()? {
            return Ok(None);
        }
        // Only equalities matter for strides.
        let domain = domain.affine_hull()?;
        let (mut steps, all) = (Vec::new(), Loops::new(&domain, loops)?);
        for (j, member) in loops.iter().enumerate() {
            // Where others leave a loop only every second value, or fewer, its steps are longer.
            steps.push(match all.step(j)? {
                None => {
                    let next = next_along(&domain, &all.others(j), member)?;
                    next.map(|pairs| Step::by_pairs(domain.clone(), pairs))
                }
                step => step,
            });
        }
        let mut accesses = Vec::new();
        for access in statement.accesses.iter().filter(|a| a.kind != AccessKind::Kill) {
            let array = scop.array_of(access)?;
            let order = packed_order(array, access, packed);
            let seen = order.map(|order| in_order(array, access, order)).transpose()?;
            let (seen_array, seen_access) = seen.as_ref().map_or((array, access), |(array, access)| (array, access));
            let locality = |step: &Option<Step>| {
                step.as_ref().map_or(Ok(None), |step| step_locality(seen_array, seen_access, step))
            };
            let along = steps.iter().map(locality).collect::<Result<_>>()?;
            let near = array.used_bytes()?.is_some_and(|bytes| machine.fits_nearest_cache(bytes)) || is_window(array)?;
            let copy = order.map(|order| if order.is_sorted() { Width::Vector } else { Width::Scalar });
            let role = role(statement, access)?;
            let is_updated = access.kind != AccessKind::Read && role.is_update();
            accesses.push(Use {
                access,
                role,
                updated_in_memory: is_updated && !is_written_by_others(scop, statement, array)?,
                array,
                near: near || copy.is_some(),
                long_row: is_long_row(scop, array)?,
                copy,
                part: 1,
                along,
            });
        }
        // Few iterations come back to little.
        let domain = domain.intersect(short_loops(statement)?.to_union_set()?)?;
        let times = UnionMap::from_multi_union_pw_aff(tuple(domain.ctx(), loops)?.intersect_domain(domain)?)?;
        Ok(Some(Uses { accesses, fresh: fresh(scop, statement)?, statement, steps, times }))
    }

    /// `{ S[i] }`
    pub fn domain(&self) -> Result<UnionSet> {
        self.statement.domain.clone().to_union_set()
    }

    /// Finds which accesses use nothing in a tile `{ S[i] -> [t] }` but what is nearer by then, `{ [t] -> A[a] }`, and comes in some
    /// part of the time.
    pub fn find(&mut self, tiles: &UnionMap, elements: &UnionMap, part: u64) -> Result<()> {
        for used in self.accesses.iter_mut().filter(|used| used.is_large(0)) {
            let relation = used.access.relation.clone().intersect_domain(self.statement.domain.clone())?;
            let used_there = tiles.clone().reverse()?.apply_range(relation.to_union_map()?)?;
            if used_there.is_subset(elements)? {
                used.part = part;
            }
        }
        Ok(())
    }

    /// Finds which accesses come back to elements in each iteration of a loop, of arrays that are known to be larger than that, and come in
    /// some part of the time.
    pub fn find_returning(&mut self, at: usize, (kept, part): (u64, u64)) -> Result<()> {
        for number in 0..self.accesses.len() {
            let used = &self.accesses[number];
            let is_larger = used.array.used_bytes()?.is_some_and(|bytes| bytes > kept);
            if used.is_large(0) && is_larger && self.comes_back(used, &(at..at + 1))? {
                self.accesses[number].part = part;
            }
        }
        Ok(())
    }

    /// How many operations each iteration of a loop waits for, because it reads what the one before has written as
    /// another element.
    pub fn wait(&self, j: usize) -> Result<Option<u32>> {
        self.steps[j].as_ref().map_or(Ok(None), |step| wait(self.statement, step))
    }

    /// The operations of an instance, as far as the delays of what it reads tell: one at least.
    pub fn operations(&self) -> u32 {
        self.accesses.iter().map(|used| used.access.delay).max().unwrap_or(1).max(1)
    }

    /// The statement gathers values in an order that may be changed.
    pub fn is_reduction(&self) -> bool {
        self.statement.reduction.is_some()
    }

    /// The greatest or the least floating-point number is looked for.
    pub fn is_extreme(&self) -> bool {
        let is_extreme = |one: Reduction| matches!(one.operator, Operator::Max | Operator::Min);
        let is_float = |used: &Use<'_>| used.writes() && used.array.element.kind == ElementKind::Float;
        self.statement.reduction.is_some_and(is_extreme) && self.accesses.iter().any(is_float)
    }

    /// A loop runs more than once for the statement.
    pub fn iterates(&self, j: usize) -> bool {
        self.accesses.iter().any(|used| used.along[j].is_some())
    }

    fn gain_from(&self, band: &Range<usize>) -> Result<bool> {
        let accumulates = self.accesses.iter().any(|u| u.writes() && u.stays(band.clone()));
        for used in self.accesses.iter().filter(|u| u.is_large(band.start)) {
            if accumulates && used.stays(0..band.start) || self.comes_back(used, band)? {
                return Ok(true);
            }
        }
        Ok(self.has_conflicting_rows(band))
    }

    /// With the loops outside a range fixed, some different iterations of those in the range use the same element.
    pub fn comes_back(&self, used: &Use<'_>, range: &Range<usize>) -> Result<bool> {
        let elements = used.access.relation.clone().to_union_map()?;
        self.meets(range, (&elements, &elements))
    }

    /// A step of a loop changes several subscripts of an access, as it does along a wavefront of points.
    pub fn is_diagonal(&self, used: &Use<'_>, j: usize) -> Result<bool> {
        self.steps[j].as_ref().map_or(Ok(false), |step| is_diagonal(used.access, step))
    }

    /// With the loops outside a range fixed, some iterations of those in the range use the next element of the row.
    pub fn comes_back_to_row(&self, used: &Use<'_>, range: &Range<usize>) -> Result<bool> {
        let Some(last) = used.array.rank().checked_sub(1) else { return Ok(false) };
        let relation = &used.access.relation;
        let names: Vec<String> = (0..=last).map(|dimension| format!("e{dimension}")).collect();
        // { A[e] -> A[e'] }, the element before in the row
        let before = format!("{{ A[{0}] -> A[{0} - 1] }}", names.join(", "));
        let id = Id::new(relation.ctx(), &used.access.array()?)?;
        let before = Map::parse(relation.ctx(), &before)?;
        let before = before.set_tuple_id(DimType::In, id.clone())?.set_tuple_id(DimType::Out, id)?;
        let next = relation.clone().apply_range(before)?.to_union_map()?;
        self.meets(range, (&relation.clone().to_union_map()?, &next))
    }

    /// Different iterations of a loop use the same element, with the loops around it fixed and one inside of it as well.
    pub fn comes_back_beside(&self, used: &Use<'_>, around: usize, inside: usize) -> Result<bool> {
        let elements = used.access.relation.clone().to_union_map()?;
        let Some(distances) = self.distances((&elements, &elements))? else { return Ok(false) };
        let beside = fix(fix(distances, 0..around)?, inside..inside + 1)?;
        let same = fix(beside.clone(), around..around + 1)?;
        Ok(!beside.is_subset(&same)?)
    }

    /// With the loops outside a range fixed, an iteration of those in the range has an element `{ S[i] -> A[a] }` that a different
    /// one has of others.
    fn meets(&self, range: &Range<usize>, accessed: (&UnionMap, &UnionMap)) -> Result<bool> {
        if range.is_empty() {
            return Ok(false);
        }
        let Some(distances) = self.distances(accessed)? else { return Ok(false) };
        let inside = fix(distances, 0..range.start)?;
        let same = fix(inside.clone(), range.clone())?;
        Ok(!inside.is_subset(&same)?)
    }

    /// How far apart iterations are that have the same elements, `{ [t' - t] }`, of two relations `{ S[i] -> A[a] }`; `None` where none
    /// have.
    fn distances(&self, (elements, others): (&UnionMap, &UnionMap)) -> Result<Option<Set>> {
        if self.times.is_empty()? {
            return Ok(None);
        }
        // { [t] -> A[a] }
        let of = |accessed: &UnionMap| self.times.clone().reverse()?.apply_range(accessed.clone());
        let distances = of(elements)?.apply_range(of(others)?.reverse()?)?.deltas()?;
        if distances.is_empty()? { Ok(None) } else { distances.as_set().map(Some) }
    }

    fn has_conflicting_rows(&self, band: &Range<usize>) -> bool {
        let crossed = |one: &Use<'_>, two: &Use<'_>, i: usize, j: usize| {
            let is = |u: &Use<'_>, k: usize, wanted| u.along[k] == Some(wanted);
            is(one, i, Locality::Spatial)
                && is(one, j, Locality::None)
                && is(two, j, Locality::Spatial)
                && is(two, i, Locality::None)
        };
        let far = || self.accesses.iter().filter(|used| !used.near);
        far().any(|one| far().any(|two| band.clone().any(|i| band.clone().any(|j| crossed(one, two, i, j)))))
    }
}

/// Some other statement writes an array.
fn is_written_by_others(scop: &Scop, statement: &Statement, array: &Array) -> Result<bool> {
    for other in scop.statements.iter().filter(|other| other.name != statement.name && !other.is_kill()) {
        if other.writes(&array.name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The elements of a set that are zero in some dimensions.
fn fix(set: Set, mut dimensions: Range<usize>) -> Result<Set> {
    dimensions.try_fold(set, |set, dimension| set.fix_si(DimType::SET, dimension, 0))
}

/// The values of iterators that are known to have few: `{ S[i] }`, as if there were no others.
fn short_loops(statement: &Statement) -> Result<Set> {
    let mut short = Set::universe(statement.domain.space()?)?;
    for dimension in 0..statement.domain.dim(DimType::SET)? {
        let values = Values::of_iterator(&statement.domain, dimension)?;
        let Some(values) = values.filter(|values| values.count() <= MOST_UNROLLED) else { continue };
        let [first, last] = [values.first, values.last].map(|value| Val::int(short.ctx(), value));
        short = short.lower_bound_val(DimType::SET, dimension, first?)?;
        short = short.upper_bound_val(DimType::SET, dimension, last?)?;
    }
    Ok(short)
}

/// Smaller ones are allocated in memory that the program had before.
const LEAST_FRESH: u64 = 128 << 10;

/// So are those that a program makes again and again: the C library keeps what was freed, up to this size.
const LEAST_FRESH_AGAIN: u64 = 32 << 20;

/// An array of which a statement is the first to use the memory, each element once.
pub(super) struct Fresh<'a> {
    pub array: &'a Array,
    /// For so many of the statement's instances there is an element; the others use one again.
    pub elements: u64,
    pub instances: u64,
}

/// The array that a statement takes into use: of a copy the one it writes, or where nothing is copied to it, the one it
/// reads; of another statement what nobody sees outside of the region, if none before writes it.
pub(super) fn fresh<'s>(scop: &'s Scop, statement: &Statement) -> Result<Option<Fresh<'s>>> {
    let found = if statement.copy { of_copy(scop, statement)? } else { first_written(scop, statement)? };
    let Some(array) = found else { return Ok(None) };
    let (elements, instances) = match statement.copy {
        true => (1, 1),
        false => (typical_elements(array)?, typical_instances(scop, statement)?.max(1)),
    };
    Ok(Some(Fresh { array, elements: elements.min(instances), instances }))
}

/// The array that a copy takes into use if its size, which is not known, turns out to be large, where [`fresh`] takes it for small.
pub(super) fn perhaps_fresh<'s>(scop: &'s Scop, statement: &Statement) -> Result<Option<Fresh<'s>>> {
    let [_, write] = &statement.accesses[..] else { return Ok(None) };
    let to = scop.array_of(write)?;
    let is_open = statement.copy && to.kind == ArrayKind::Local && to.known_bytes()?.is_none();
    let is_counted = typical_bytes(to)? >= LEAST_FRESH;
    Ok((is_open && !is_counted).then_some(Fresh { array: to, elements: 1, instances: 1 }))
}

fn of_copy<'s>(scop: &'s Scop, statement: &Statement) -> Result<Option<&'s Array>> {
    let [read, write] = &statement.accesses[..] else { return Ok(None) };
    let (from, to) = (scop.array_of(read)?, scop.array_of(write)?);
    let is_large = |array: &Array| Ok::<_, Error>(typical_bytes(array)? >= LEAST_FRESH);
    if to.kind == ArrayKind::Local {
        return Ok(if is_large(to)? { Some(to) } else { None });
    }
    if !is_large(from)? {
        return Ok(None);
    }
    for other in scop.statements.iter().filter(|other| other.copy) {
        for access in other.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
            if access.array()? == from.name {
                return Ok(None);
            }
        }
    }
    Ok(Some(from))
}

/// Of several statements that write an array, it is the one with most instances that takes it into use.
fn first_written<'s>(scop: &'s Scop, statement: &Statement) -> Result<Option<&'s Array>> {
    for access in statement.accesses.iter().filter(|access| access.kind.is_write()) {
        let array = scop.array_of(access)?;
        if typical_bytes(array)? < LEAST_FRESH_AGAIN || scop.is_seen_after(array)? {
            continue;
        }
        let mut first: Option<(u64, &str)> = None;
        for other in scop.statements.iter().filter(|other| !other.copy && !other.is_kill()) {
            if other.writes(&array.name)? {
                let instances = typical_instances(scop, other)?;
                first = first.filter(|(most, _)| *most >= instances).or(Some((instances, &other.name)));
            }
        }
        if first.is_some_and(|(_, name)| name == statement.name) {
            return Ok(Some(array));
        }
    }
    Ok(None)
}

/// As many rows come back before the next ones are needed, and strips of them stay near.
const MOST_ROWS: u64 = 16;

/// A few rows of an array that is made in the region, whatever their length.
fn is_window(array: &Array) -> Result<bool> {
    let Some(last) = array.rank().checked_sub(1) else { return Ok(false) };
    let mut rows = 1u64;
    for dimension in 0..last {
        rows = rows.saturating_mul(array.known_extent(dimension)?.unwrap_or(u64::MAX));
    }
    Ok(array.kind == ArrayKind::Local && rows <= MOST_ROWS)
}

impl Use<'_> {
    pub fn writes(&self) -> bool {
        self.access.kind != AccessKind::Read
    }

    /// Some loop of a range leaves the element in place.
    fn stays(&self, range: Range<usize>) -> bool {
        self.along[range].contains(&Some(Locality::Temporal))
    }

    /// One loop moves the element, of an array that is not known to stay near, and one around it comes back to it.
    pub fn is_walked_again(&self) -> bool {
        let moving = |l: &Option<Locality>| l.is_some_and(|l| l != Locality::Temporal);
        let mut moves = (0..self.along.len()).filter(|j| moving(&self.along[*j]));
        let (Some(only), None) = (moves.next(), moves.next()) else { return false };
        !self.near && self.stays(0..only)
    }

    /// Two loops from a position on move the element, in more than one dimension as far as can be seen, of an array
    /// that is not known to stay near; one is enough for a row that a loop over time comes back to.
    pub fn is_large(&self, from: usize) -> bool {
        let moves =
            |l: &&Option<Locality>| matches!(l, Some(Locality::Spatial | Locality::Strided(_) | Locality::None));
        let moving = self.along[from..].iter().filter(moves).count();
        !self.near && (self.array.rank() >= 2 && moving >= 2 || self.long_row && moving >= 1)
    }
}
