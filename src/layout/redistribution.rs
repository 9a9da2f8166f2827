//! Several layouts of one array, one after the other (the `redist` of section 4.1): from a place at the top level of a
//! region on, where no loop is around it, the array has another layout.
//!
//! What is copied at such a place is what is needed of the values that the array has there: what is read before it is
//! written again, and what is seen after the region and not written again. Each copy is from the layout before it, so a
//! layout needs what the next copy takes from it, without what is written in between. To the program's own place goes only
//! what was written elsewhere meanwhile.

use super::Error;
use super::clause::Redist;
use super::legality::{Moved, accesses, one_to_one, universe};
use super::map::{LayoutMap, Transfer};
use super::token::Place;
use super::tree::Tree;
use crate::isl::{self, Set, UnionSet};
use crate::schedule_tree::{Part, parts};
use crate::scop::{ArrayKind, Scop, StatementId};
use std::collections::BTreeSet;

/// Arrays that have another layout from a place at the top level of a region on.
#[derive(Debug, Clone)]
pub struct Redistribution {
    /// The first statement behind it.
    pub before: StatementId,
    /// The new maps.
    pub maps: Vec<LayoutMap>,
    /// The arrays that are where the program has them, by their positions.
    pub back: Vec<usize>,
    /// So many parts of the region come before it.
    part: usize,
    /// Where the text names each array, these by their positions.
    places: Vec<(usize, Place)>,
}

/// The layouts of an array, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// The array, by its position.
    pub array: usize,
    /// From one layout to the next.
    pub stages: Vec<Stage>,
    /// What is copied to the array after the region: `{ A[a] }`.
    pub after: Set,
}

/// A stretch of a region in which an array has one layout.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    /// It begins with the region for 0, with the `n`-th redistribution for `n`.
    pub beginning: usize,
    /// The array's map, by its position among those of that place; `None`: it is where the program has it.
    pub map: Option<usize>,
    /// The statements that access it there.
    pub statements: BTreeSet<StatementId>,
    /// What is copied there at the beginning: `{ A[a] }`.
    pub moved: Set,
}

/// What a stretch of a region does with an array.
struct Uses {
    statements: BTreeSet<StatementId>,
    /// Something reads or writes it.
    any: bool,
    /// What is read before it is written: `{ A[a] }`.
    exposed: Set,
    /// What is written for certain: `{ A[a] }`.
    written: Set,
    /// What is written or killed: values from before do not outlive it.
    ended: Set,
}

impl Redistribution {
    /// The redistributions that a text asks for, in the order of the region.
    ///
    /// # Errors
    /// What is wrong with a place or a map; failures of isl.
    pub(super) fn all(scop: &Scop, parameters: &[String], wanted: Vec<Redist>) -> Result<Vec<Self>, Error> {
        let parts = if wanted.is_empty() { Vec::new() } else { parts(&scop.schedule)? };
        let mut all: Vec<Self> = Vec::new();
        for Redist { before: (name, at), array, map, place } in wanted {
            let Some(position) = scop.arrays.iter().position(|known| known.name == array) else {
                let names: Vec<&str> = scop.arrays.iter().map(|array| array.name.as_str()).collect();
                return Err(place.error(format!("there is no array `{array}`; there are {}", names.join(", "))).into());
            };
            let (before, part) = place_before(scop, &parts, &name, at)?;
            let map = map.map(|clause| LayoutMap::of(scop, parameters, clause)).transpose()?;
            let number = all.iter().position(|known| known.part == part).unwrap_or_else(|| {
                all.push(Redistribution { before, maps: Vec::new(), back: Vec::new(), part, places: Vec::new() });
                all.len() - 1
            });
            let here = &mut all[number];
            if here.place_of(position).is_some() {
                return Err(place.error(format!("`{array}` is redistributed before `{name}` already")).into());
            }
            here.places.push((position, place));
            match map {
                Some(map) => here.maps.push(map),
                None => here.back.push(position),
            }
        }
        all.sort_by_key(|one| one.part);
        Ok(all)
    }

    /// Where the text names an array; `None` if that has no other layout from here on.
    fn place_of(&self, array: usize) -> Option<Place> {
        self.places.iter().find(|(known, _)| *known == array).map(|(_, place)| *place)
    }

    /// The place where the text has the first one.
    pub(super) fn place(&self) -> Option<Place> {
        self.places.first().map(|(_, place)| *place)
    }

    /// What comes before it: `{ S[i] }`.
    pub(super) fn earlier(&self, scop: &Scop) -> isl::Result<UnionSet> {
        instances(scop, &parts(&scop.schedule)?[..self.part])
    }
}

/// The statement of a name, with the number of parts before the one that it begins.
fn place_before(scop: &Scop, parts: &[Part], name: &str, at: Place) -> Result<(StatementId, usize), Error> {
    let refuse = |message: String| Err(Error::Directive(at.error(message)));
    let Some(id) = scop.statement_by_name(name) else {
        let names: Vec<&str> = scop.statements.iter().map(|statement| statement.name.as_str()).collect();
        return refuse(format!("there is no statement `{name}`; there are {}", names.join(", ")));
    };
    let domain = scop.statement(id).domain.clone().to_union_set()?;
    let mut of_it = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        if !part.instances.clone().intersect(domain.clone())?.is_empty()? {
            of_it.push(number);
        }
    }
    if of_it.is_empty() {
        return refuse(format!("`{name}` has no instances, and so no place"));
    }
    let [part] = of_it[..] else {
        return refuse(format!("`{name}` is in {} parts of the region's top level, not in one", of_it.len()));
    };
    if !parts[part].first.iter().any(|first| first == name) {
        let first = parts[part].first.join("` and `");
        return refuse(format!(
            "the place before `{name}` is inside of a loop, behind `{first}`; at the top level is `before {}`",
            parts[part].first.first().map_or("", |first| first)
        ));
    }
    if part == 0 {
        return refuse(format!(
            "nothing comes before `{name}`: at the region's beginning stand in, out, inout and none"
        ));
    }
    Ok((id, part))
}

fn instances(scop: &Scop, parts: &[Part]) -> isl::Result<UnionSet> {
    parts.iter().try_fold(UnionSet::empty(scop.context.space()?)?, |all, part| all.union(part.instances.clone()))
}

impl Chain {
    /// The layouts of all arrays that have several.
    ///
    /// # Errors
    /// Maps that cannot be followed, at their places; failures of isl.
    pub(super) fn all(scop: &Scop, maps: &[LayoutMap], redistributions: &[Redistribution]) -> Result<Vec<Self>, Error> {
        if redistributions.is_empty() {
            return Ok(Vec::new());
        }
        for here in redistributions {
            Tree::of(scop, &here.maps)?;
            one_to_one(scop, &here.maps, &scop.schedule, &Moved::of(scop, std::iter::empty())?)?;
        }
        let parts = parts(&scop.schedule)?;
        let arrays: BTreeSet<usize> =
            redistributions.iter().flat_map(|here| here.places.iter().map(|(array, _)| *array)).collect();
        arrays.into_iter().map(|array| Links { scop, array, maps, redistributions, parts: &parts }.chain()).collect()
    }

    /// What has to be copied before the region, and after it.
    pub fn needed(&self) -> isl::Result<Transfer> {
        Ok(Transfer::of(!self.stages[0].moved.is_empty()?, !self.after.is_empty()?))
    }
}

/// What a chain is made of.
struct Links<'a> {
    scop: &'a Scop,
    array: usize,
    maps: &'a [LayoutMap],
    redistributions: &'a [Redistribution],
    parts: &'a [Part],
}

impl Links<'_> {
    fn chain(&self) -> Result<Chain, Error> {
        let (scop, array) = (self.scop, self.array);
        let beginnings: Vec<usize> = std::iter::once(0)
            .chain((1..=self.redistributions.len()).filter(|number| self.place(*number).is_some()))
            .collect();
        let mut uses = Vec::new();
        for (number, &beginning) in beginnings.iter().enumerate() {
            let end = beginnings.get(number + 1).map_or(self.parts.len(), |next| self.part(*next));
            uses.push(Uses::of(scop, array, &self.parts[self.part(beginning)..end])?);
        }
        self.check(&beginnings, &uses)?;
        let has_map: Vec<bool> = beginnings.iter().map(|beginning| self.map(*beginning).is_some()).collect();
        let (moved, after) = moved(scop, array, &has_map, &uses)?;
        let mut stages = Vec::new();
        for ((&beginning, uses), moved) in beginnings.iter().zip(uses).zip(moved) {
            if let Some(map) = self.map(beginning)
                && !moved.is_subset(&map.elements(scop)?)?
            {
                let text = format!("`{}` has other elements, too, that are needed from here on", self.name());
                return Err(map.place.error(text).into());
            }
            let map = self.maps_of(beginning).iter().position(|map| map.array == array);
            stages.push(Stage { beginning, map, statements: uses.statements, moved });
        }
        Ok(Chain { array, stages, after })
    }

    fn name(&self) -> &str {
        &self.scop.arrays[self.array].name
    }

    /// The maps of a place.
    fn maps_of(&self, beginning: usize) -> &[LayoutMap] {
        match beginning.checked_sub(1) {
            None => self.maps,
            Some(number) => &self.redistributions[number].maps,
        }
    }

    fn map(&self, beginning: usize) -> Option<&LayoutMap> {
        self.maps_of(beginning).iter().find(|map| map.array == self.array)
    }

    fn part(&self, beginning: usize) -> usize {
        beginning.checked_sub(1).map_or(0, |number| self.redistributions[number].part)
    }

    /// Where the text says the array's layout from a place on.
    fn place(&self, beginning: usize) -> Option<Place> {
        match beginning.checked_sub(1) {
            None => self.map(0).map(|map| map.place),
            Some(number) => self.redistributions[number].place_of(self.array),
        }
    }

    /// Each layout is another one than that before, and used where it is.
    fn check(&self, beginnings: &[usize], uses: &[Uses]) -> Result<(), Error> {
        let name = self.name();
        for (number, (&beginning, here)) in beginnings.iter().zip(uses).enumerate() {
            let Some(place) = self.place(beginning) else { continue };
            let refuse = |message: String| Err(Error::Directive(place.error(message)));
            let map = self.map(beginning);
            if let Some(before) = number.checked_sub(1) {
                if self.is_same(self.map(beginnings[before]), map)? {
                    return refuse(match map {
                        Some(_) => format!("`{name}` has this layout already"),
                        None => format!("`{name}` is where the program has it already"),
                    });
                }
                let earlier = uses[..number].iter().flat_map(|uses| &uses.statements);
                if let Some(both) = earlier.into_iter().find(|one| here.statements.contains(one)) {
                    let statement = &self.scop.statement(*both).name;
                    return refuse(format!("`{statement}` accesses `{name}` both before this place and behind it"));
                }
            }
            if !here.any {
                let until = if number + 1 < uses.len() { "before it is redistributed again" } else { "from here on" };
                return refuse(format!("nothing accesses `{name}` {until}: this layout is of no use"));
            }
            if let Some(map) = map {
                if map.contraction {
                    return refuse(format!("`{name}` is contracted, so it cannot be redistributed as well"));
                }
                accesses(self.scop, map, Some(&here.statements))?;
            }
        }
        Ok(())
    }

    fn is_same(&self, one: Option<&LayoutMap>, other: Option<&LayoutMap>) -> isl::Result<bool> {
        let (Some(one), Some(other)) = (one, other) else { return Ok(one.is_none() && other.is_none()) };
        let relation = |map: &LayoutMap| map.relation(self.scop)?.intersect_domain(map.elements(self.scop)?);
        let is_as_deep = one.address.len() == other.address.len() && one.pads == other.pads;
        Ok(is_as_deep && relation(one)?.is_equal(&relation(other)?)?)
    }
}

impl Uses {
    fn of(scop: &Scop, position: usize, parts: &[Part]) -> isl::Result<Self> {
        let array = &scop.arrays[position];
        let instances = instances(scop, parts)?;
        let (mut statements, mut any) = (BTreeSet::new(), false);
        for (number, statement) in scop.statements.iter().enumerate() {
            let own = instances.clone().intersect(statement.domain.clone().to_union_set()?)?;
            let mut names = statement.accesses.iter().map(|access| access.array());
            if names.any(|name| name.is_ok_and(|name| name == array.name)) && !own.is_empty()? {
                statements.insert(StatementId(number));
                any |= statement.uses(&array.name)?;
            }
        }
        let mut part = scop.clone();
        part.schedule = part.schedule.intersect_domain(instances.clone())?;
        for statement in &mut part.statements {
            let space = statement.domain.space()?;
            statement.domain = instances.extract_set(space)?.intersect(statement.domain.clone())?;
        }
        let moved = Moved::of(&part, std::iter::once(position))?;
        let space = universe(scop, array)?.space()?;
        let (exposed, written) = moved.among(space.clone())?;
        let ended = written.clone().union(part.kills()?.range()?.extract_set(space)?)?;
        Ok(Uses { statements, any, exposed, written, ended })
    }
}

/// What is copied of an array at the beginning of each stage, which may have a map or not, and after the region:
/// `{ A[a] }`.
fn moved(scop: &Scop, position: usize, has_map: &[bool], uses: &[Uses]) -> isl::Result<(Vec<Set>, Set)> {
    let array = &scop.arrays[position];
    let space = universe(scop, array)?.space()?;
    let seen = scop.live_out.extract_set(space.clone())?;
    // What the program's own place lacks at the beginning of each stage, and after the last one.
    let mut lacks = vec![Set::empty(space.clone())?];
    for (number, uses) in uses.iter().enumerate() {
        lacks.push(match has_map[number] {
            true => lacks[number].clone().union(uses.written.clone())?,
            false => Set::empty(space.clone())?,
        });
    }
    let simple = |set: Set| set.intersect_params(scop.context.clone())?.coalesce();
    let after = simple(lacks[uses.len()].clone().intersect(seen.clone())?)?;
    let (mut next, mut later, mut all) = (after.clone(), Set::empty(space.clone())?, Vec::new());
    for (number, uses) in uses.iter().enumerate().rev() {
        later = later.union(uses.written.clone())?;
        let needed = uses.exposed.clone().union(next.subtract(uses.ended.clone())?)?;
        let made_here = number == 0 && array.kind != ArrayKind::Memory;
        next = simple(match has_map[number] {
            true if made_here => Set::empty(space.clone())?,
            true => needed,
            // What is seen later, unless it is written again.
            false => needed.union(seen.clone().subtract(later.clone())?)?.intersect(lacks[number].clone())?,
        })?;
        all.push(next.clone());
    }
    all.reverse();
    Ok((all, after))
}
