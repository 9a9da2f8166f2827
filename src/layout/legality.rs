//! Maps that can be followed: one-to-one for all arrays together (section 3.1.2), or for what is alive at the same time
//! (3.2.2), with the copies that the region needs.
//! What is wrong is an error at the map's place; that a region with a layout is right is proved without this
//! (`src/check/layout/mod.rs`).

use super::Error;
use super::lifetime::Lifetimes;
use super::map::{LayoutMap, Transfer};
use super::redistribution::Chain;
use super::token::DirectiveError;
use super::tree::Tree;
use crate::isl::{self, Id, Map, Schedule, Set, Space, UnionAccessInfo, UnionMap, UnionSet};
use crate::scop::{AccessKind, Array, ArrayKind, Scop, Statement, StatementId};
use std::collections::BTreeSet;

/// Refuses maps that are not one-to-one or do not hold what is accessed, contractions that are wrong in an order, and
/// transfers that lack something. Of arrays that have several layouts, accesses have been looked at.
///
/// # Errors
/// The first map that is wrong; failures of isl.
pub(super) fn check(scop: &Scop, maps: &[LayoutMap], chains: &[Chain], order: &Schedule) -> Result<Moved, Error> {
    Tree::of(scop, maps)?;
    let chain = |map: &LayoutMap| chains.iter().find(|chain| chain.array == map.array);
    for map in maps.iter().filter(|map| chain(map).is_none()) {
        accesses(scop, map, None)?;
    }
    let moved = Moved::of(scop, maps.iter().map(|map| map.array))?;
    one_to_one(scop, maps, order, &moved)?;
    for map in maps {
        let needed = match chain(map) {
            Some(chain) => chain.needed()?,
            None => moved.needed(scop, map)?,
        };
        transfers(scop, map, needed)?;
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
            arrays = arrays.union(universe(scop, &scop.arrays[position])?.to_union_set()?)?;
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

    /// What of some arrays is alive before the region, and after it: `{ A[a] }`. Nothing outside sees what is made in it.
    pub fn outside(&self, scop: &Scop, arrays: &UnionSet) -> isl::Result<(UnionSet, UnionSet)> {
        let mut memory = UnionSet::empty(scop.context.space()?)?;
        for array in scop.arrays.iter().filter(|array| array.kind == ArrayKind::Memory) {
            memory = memory.union(universe(scop, array)?.to_union_set()?)?;
        }
        let of = |elements: UnionSet| elements.intersect(memory.clone())?.intersect(arrays.clone());
        Ok((of(self.exposed.clone())?, of(self.written.clone().intersect(scop.live_out.clone())?)?))
    }

    /// What of an array of that space is read before it is written, and what is written for certain: `{ A[a] }`.
    pub fn among(&self, space: Space) -> isl::Result<(Set, Set)> {
        Ok((self.exposed.extract_set(space.clone())?, self.written.extract_set(space)?))
    }

    /// The sizes for which something is read before it is written: `[p] -> { : ... }`.
    pub fn exposed(&self) -> isl::Result<Set> {
        self.exposed.clone().params()
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
        Ok(Transfer::of(!self.before(scop, map)?.is_empty()?, !self.after(scop, map)?.is_empty()?))
    }
}

/// All elements of an array, and others that its subscripts could name: `{ A[a] }`.
pub(super) fn universe(scop: &Scop, array: &Array) -> isl::Result<Set> {
    let id = Id::new(scop.ctx(), &array.name)?;
    Set::universe(scop.context.space()?.add_named_tuple_id_ui(id, array.rank())?)
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

/// What statements access in a map is in it, and known; `None`: all statements.
pub(super) fn accesses(scop: &Scop, map: &LayoutMap, statements: Option<&BTreeSet<StatementId>>) -> Result<(), Error> {
    let array = &scop.arrays[map.array];
    let refuse = |reason: String| Err(Error::Directive(map.place.error(format!("`{}` {reason}", array.name))));
    if array.kind == ArrayKind::Scalar {
        return refuse("is a value, and has no place".to_owned());
    }
    let elements = map.elements(scop)?;
    let is_asked = |number: usize| statements.is_none_or(|known| known.contains(&StatementId(number)));
    for (_, statement) in scop.statements.iter().enumerate().filter(|(number, _)| is_asked(*number)) {
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

/// No two elements have one address, or where that is a contraction, none that are alive at the same time.
pub(super) fn one_to_one(scop: &Scop, maps: &[LayoutMap], order: &Schedule, moved: &Moved) -> Result<(), Error> {
    let mut lifetimes = None;
    for (number, map) in maps.iter().enumerate() {
        let relation = map.relation(scop)?.intersect_domain(map.elements(scop)?)?;
        if !map.contraction && !relation.is_injective()? {
            let name = &scop.arrays[map.array].name;
            let text = format!("two elements of `{name}` have one address: the map is not one-to-one");
            return Err(map.place.error(text).into());
        }
        for other in &maps[..=number] {
            let may_share = map.contraction || (other.contraction && other.array != map.array);
            if other.address.len() != map.address.len() || (other.array == map.array && !may_share) {
                continue;
            }
            let theirs = other.relation(scop)?.intersect_domain(other.elements(scop)?)?;
            // { A[a] -> B[b] }
            let shared = theirs.apply_range(relation.clone().reverse()?)?;
            if !may_share {
                if !shared.is_empty()? {
                    return Err(in_common(scop, other, map).into());
                }
                continue;
            }
            let lifetimes = match &mut lifetimes {
                Some(known) => known,
                none => {
                    let positions = maps.iter().map(|map| map.array);
                    none.insert(Lifetimes::of(scop, order, positions, moved)?)
                }
            };
            let mut together = lifetimes.between(&other.elements(scop)?, &map.elements(scop)?)?.intersect(shared)?;
            if other.array == map.array {
                together = together.subtract(map.elements(scop)?.identity()?)?;
            }
            if !together.is_empty()? {
                return Err(Error::Alive(alive_together(scop, other, map, together)?));
            }
        }
    }
    Ok(())
}

fn in_common(scop: &Scop, one: &LayoutMap, two: &LayoutMap) -> DirectiveError {
    let name = |map: &LayoutMap| &scop.arrays[map.array].name;
    two.place.error(format!(
        "`{}` and `{}` have addresses in common; numbers in front put them in fields of their own: (0, ...) and (1, ...)",
        name(one),
        name(two)
    ))
}

/// Elements `{ A[a] -> B[b] }` that must not have one address, with the sizes for which that is so.
fn alive_together(scop: &Scop, one: &LayoutMap, two: &LayoutMap, pairs: Map) -> isl::Result<DirectiveError> {
    let pair = pairs.wrap()?.sample_point()?.to_string();
    let seen = [one, two].into_iter().find(|map| map.transfer.is_out());
    let hint = match seen {
        Some(map) => format!(
            "; `{}` is seen after the region, so all that is written of it stays alive",
            scop.arrays[map.array].name
        ),
        None => String::new(),
    };
    Ok(two.place.error(format!("elements that are alive at the same time have one address, as in {pair}{hint}")))
}

fn transfers(scop: &Scop, map: &LayoutMap, needed: Transfer) -> Result<(), Error> {
    let name = &scop.arrays[map.array].name;
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
