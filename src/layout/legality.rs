//! Maps that can be followed: one-to-one for all arrays together (section 3.1.2), with the copies that the region needs.
//! What is wrong is an error at the map's place; that a region with a layout is right is proved without this
//! (`src/check/layout.rs`).

use super::Error;
use super::map::{Layout, LayoutMap, Transfer};
use super::tree::Tree;
use crate::isl::{self, Map, Set, UnionAccessInfo, UnionMap, UnionSet};
use crate::scop::{AccessKind, ArrayKind, Scop, Statement};

/// Refuses maps that are not one-to-one or do not hold what is accessed, and transfers that lack something.
///
/// # Errors
/// The first map that is wrong; failures of isl.
pub(super) fn check(scop: &Scop, layout: &Layout) -> Result<(), Error> {
    Tree::of(scop, layout)?;
    for map in &layout.maps {
        accesses(scop, map)?;
    }
    one_to_one(scop, layout)?;
    let moved = Moved::of(scop, layout)?;
    for map in &layout.maps {
        transfers(scop, map, &moved)?;
    }
    Ok(())
}

/// What of arrays a region needs from before, and leaves behind.
pub(super) struct Moved {
    /// What is read before it is written: `{ A[a] }`.
    exposed: UnionSet,
    /// What is written for certain: `{ A[a] }`.
    written: UnionSet,
}

impl Moved {
    pub fn of(scop: &Scop, layout: &Layout) -> isl::Result<Self> {
        let mut arrays = UnionSet::empty(scop.context.space()?)?;
        for map in &layout.maps {
            arrays = arrays.union(map.elements(scop)?.to_union_set()?.universe()?)?;
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

    /// The elements that have to be copied before the region: `{ A[a] }`.
    pub fn before(&self, scop: &Scop, map: &LayoutMap) -> isl::Result<Set> {
        of_array(&self.exposed, scop, map)
    }

    /// The elements that have to be copied after it: `{ A[a] }`.
    pub fn after(&self, scop: &Scop, map: &LayoutMap) -> isl::Result<Set> {
        of_array(&self.written.clone().intersect(scop.live_out.clone())?, scop, map)
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

fn one_to_one(scop: &Scop, layout: &Layout) -> Result<(), Error> {
    let mut before: Vec<(&LayoutMap, Set)> = Vec::new();
    for map in &layout.maps {
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
    let (is_in, is_out) = (!moved.before(scop, map)?.is_empty()?, !moved.after(scop, map)?.is_empty()?);
    let needed = match (is_in, is_out) {
        (true, true) => Transfer::InOut,
        (true, false) => Transfer::In,
        (false, true) => Transfer::Out,
        (false, false) => Transfer::None,
    };
    let lacks = |has: bool, needs: bool| needs && !has;
    if lacks(map.transfer.is_in(), is_in) {
        let text = format!("`{name}` is read before it is written, so it has to be copied in: `{}`", needed.word());
        return Err(map.place.error(text).into());
    }
    if lacks(map.transfer.is_out(), is_out) {
        let text =
            format!("`{name}` is written and seen after the region, so it has to be copied out: `{}`", needed.word());
        return Err(map.place.error(text).into());
    }
    Ok(())
}
