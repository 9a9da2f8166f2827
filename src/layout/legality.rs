//! Maps that can be followed: one-to-one for all arrays together (section 3.1.2), with the copies that the region needs.
//! What is wrong is an error at the map's place; that a region with a layout is right is proved without this
//! (`src/check/layout.rs`).

use super::Error;
use super::map::{LayoutMap, Transfer};
use super::tree::Tree;
use crate::isl::{self, Id, Map, Set, UnionAccessInfo, UnionMap, UnionSet};
use crate::scop::{AccessKind, Array, ArrayKind, Scop, Statement};

/// Refuses maps that are not one-to-one or do not hold what is accessed, and transfers that lack something.
///
/// # Errors
/// The first map that is wrong; failures of isl.
pub(super) fn check(scop: &Scop, maps: &[LayoutMap]) -> Result<Moved, Error> {
    Tree::of(scop, maps)?;
    for map in maps {
        accesses(scop, map)?;
    }
    one_to_one(scop, maps)?;
    let moved = Moved::of(scop, maps.iter().map(|map| map.array))?;
    for map in maps {
        transfers(scop, map, &moved)?;
    }
    Ok(moved)
}

/// What of arrays a region needs from before, and leaves behind.
#[derive(Debug, Clone)]
pub(super) struct Moved {
    /// What is read before it is written: `{ A[a] }`.
    exposed: UnionSet,
    /// What is written for certain: `{ A[a] }`.
    written: UnionSet,
}

impl Moved {
    /// Of some arrays, by their positions.
    pub fn of(scop: &Scop, positions: impl Iterator<Item = usize>) -> isl::Result<Self> {
        let mut arrays = UnionSet::empty(scop.context.space()?)?;
        for position in positions {
            let Array { name, extent, .. } = &scop.arrays[position];
            let space = scop.context.space()?.add_named_tuple_id_ui(Id::new(scop.ctx(), name)?, extent.len())?;
            arrays = arrays.union(Set::universe(space)?.to_union_set()?)?;
        }
        let of = |accesses: UnionMap| accesses.intersect_range(arrays.clone());
        let written = of(scop.must_writes()?)?;
        let flow = UnionAccessInfo::from_sink(of(scop.reads()?)?)?
            .set_may_source(of(scop.may_writes()?)?)?
            .set_kill(written.clone().union(of(scop.kills()?)?)?)?
            .set_schedule(scop.schedule.clone())?
            .compute_flow()?;
        Ok(Moved { exposed: flow.may_no_source()?.range()?, written: written.range()? })
    }

    /// The same of these arrays and others.
    pub fn and(self, other: &Moved) -> isl::Result<Self> {
        let exposed = self.exposed.union(other.exposed.clone())?;
        Ok(Moved { exposed, written: self.written.union(other.written.clone())? })
    }

    /// The elements that have to be copied before the region: `{ A[a] }`.
    pub fn before(&self, scop: &Scop, map: &LayoutMap) -> isl::Result<Set> {
        of_array(&self.exposed, scop, map)
    }

    /// The elements that have to be copied after it: `{ A[a] }`.
    pub fn after(&self, scop: &Scop, map: &LayoutMap) -> isl::Result<Set> {
        of_array(&self.written.clone().intersect(scop.live_out.clone())?, scop, map)
    }

    /// What has to be copied of a map's array.
    pub fn needed(&self, scop: &Scop, map: &LayoutMap) -> isl::Result<Transfer> {
        Ok(match (!self.before(scop, map)?.is_empty()?, !self.after(scop, map)?.is_empty()?) {
            (true, true) => Transfer::InOut,
            (true, false) => Transfer::In,
            (false, true) => Transfer::Out,
            (false, false) => Transfer::None,
        })
    }
}

/// Elements of a map's array; none of one that is made in the region.
fn of_array(elements: &UnionSet, scop: &Scop, map: &LayoutMap) -> isl::Result<Set> {
    let space = map.elements(scop)?.space()?;
    match scop.arrays[map.array].kind {
        ArrayKind::Memory => elements.extract_set(space)?.intersect_params(scop.context.clone())?.coalesce(),
        ArrayKind::Local | ArrayKind::Scalar => Set::empty(space),
    }
}

/// The accesses of a statement to a map's array, restricted to its domain: `{ S[i] -> A[a] }`.
fn relations(scop: &Scop, map: &LayoutMap, statement: &Statement) -> isl::Result<Vec<(AccessKind, Map)>> {
    let mut found = Vec::new();
    for access in &statement.accesses {
        if access.array()? == scop.arrays[map.array].name {
            let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
            found.push((access.kind, relation.intersect_params(scop.context.clone())?));
        }
    }
    Ok(found)
}

fn accesses(scop: &Scop, map: &LayoutMap) -> Result<(), Error> {
    let array = &scop.arrays[map.array];
    let refuse = |reason: String| Err(Error::Directive(map.place.error(format!("`{}` {reason}", array.name))));
    if array.kind == ArrayKind::Scalar {
        return refuse("is a value, and has no place".to_owned());
    }
    let elements = map.elements(scop)?;
    for statement in &scop.statements {
        for (kind, relation) in relations(scop, map, statement)? {
            let name = &statement.name;
            if kind == AccessKind::MayWrite {
                return refuse(format!(
                    "is written by `{name}` under conditions on data, so nobody knows what to copy"
                ));
            }
            if kind != AccessKind::Kill && !relation.is_single_valued()? {
                return refuse(format!("is accessed by `{name}` at subscripts that are not known"));
            }
            if kind != AccessKind::Kill && !relation.range()?.is_subset(&elements)? {
                return refuse(format!(
                    "is accessed by `{name}` outside of its extents, or at subscripts that may be negative"
                ));
            }
        }
    }
    Ok(())
}

fn one_to_one(scop: &Scop, maps: &[LayoutMap]) -> Result<(), Error> {
    let mut before: Vec<(&LayoutMap, Set)> = Vec::new();
    for map in maps {
        let name = |map: &LayoutMap| &scop.arrays[map.array].name;
        let relation = map.relation(scop)?.intersect_domain(map.elements(scop)?)?;
        if !relation.is_injective()? {
            let text = format!("two elements of `{}` have one address: the map is not one-to-one", name(map));
            return Err(map.place.error(text).into());
        }
        let addresses = relation.range()?;
        for (other, theirs) in &before {
            if other.address.len() == map.address.len() && !theirs.is_disjoint(&addresses)? {
                let (one, two) = (name(other), name(map));
                let text = format!(
                    "`{one}` and `{two}` have addresses in common; numbers in front put them in fields of their own: \
                     (0, ...) and (1, ...)"
                );
                return Err(map.place.error(text).into());
            }
        }
        before.push((map, addresses));
    }
    Ok(())
}

fn transfers(scop: &Scop, map: &LayoutMap, moved: &Moved) -> Result<(), Error> {
    let name = &scop.arrays[map.array].name;
    let needed = moved.needed(scop, map)?;
    if needed.is_in() && !map.transfer.is_in() {
        let text = format!("`{name}` is read before it is written, so it has to be copied in: `{}`", needed.word());
        return Err(map.place.error(text).into());
    }
    if needed.is_out() && !map.transfer.is_out() {
        let text =
            format!("`{name}` is written and seen after the region, so it has to be copied out: `{}`", needed.word());
        return Err(map.place.error(text).into());
    }
    Ok(())
}
