//! Values that a tree hands on within an iteration.
//!
//! A scalar that one statement writes, and that statements behind it read in the same iteration of all loops, keeps its
//! meaning in any tree that executes them so: each iteration writes before it reads, and no other iteration writes in
//! between, as each has a date of its own or a copy of its own. Where both orders are such, nothing else has to be asked
//! about the scalar. Code in three addresses consists of little else, and to find that out by dataflow takes long.

use crate::isl::{self, DimType, Id, Map, NodeType, PwAff, Schedule, ScheduleNode, Set};
use crate::nodes::mark_of;
use crate::scop::{Access, AccessKind, ArrayKind, Scop, Statement};
use polyrs_model::Mark;
use std::collections::{BTreeMap, BTreeSet};

/// The scalars that both orders hand on.
pub(super) fn in_both(scop: &Scop, tree: &Schedule) -> isl::Result<BTreeSet<String>> {
    let Some(before) = Places::of(&scop.schedule)? else { return Ok(BTreeSet::new()) };
    let Some(after) = Places::of(tree)? else { return Ok(BTreeSet::new()) };
    let mut found = BTreeSet::new();
    // Statements of one block have the same dates: { W[i] : .. } and { W[i] -> [t] }, known to be one-to-one.
    let mut distinct: Vec<(Set, Map)> = Vec::new();
    for (array, uses) in uses(scop)? {
        if before.hand_on(scop, &array, &uses, &mut distinct)? && after.hand_on(scop, &array, &uses, &mut distinct)? {
            found.insert(array);
        }
    }
    Ok(found)
}

/// The one write of a scalar, and its reads.
struct Uses<'s> {
    write: (&'s Statement, &'s Access),
    reads: Vec<(&'s Statement, &'s Access)>,
}

/// The scalars that are written by one reference and read by others, and not seen after the region.
fn uses(scop: &Scop) -> isl::Result<BTreeMap<String, Uses<'_>>> {
    let mut accesses: BTreeMap<String, Vec<(&Statement, &Access)>> = BTreeMap::new();
    for statement in &scop.statements {
        for access in &statement.accesses {
            accesses.entry(access.array()?).or_default().push((statement, access));
        }
    }
    let mut found = BTreeMap::new();
    // Others cannot have copies of their own.
    let own = scop.arrays.iter().filter(|array| array.rank() == 0 && array.kind != ArrayKind::Memory);
    for array in own {
        if scop.is_seen_after(array)? {
            continue;
        }
        let all = accesses.remove(&array.name).unwrap_or_default();
        let (writes, reads): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, access)| access.kind != AccessKind::Read);
        if let [write] = writes[..]
            && write.1.kind == AccessKind::MustWrite
            && !reads.is_empty()
        {
            found.insert(array.name.clone(), Uses { write, reads });
        }
    }
    Ok(found)
}

/// Where statements are in a tree.
#[derive(Default)]
struct Places {
    of: BTreeMap<String, Place>,
    bands: usize,
    sets: usize,
    count: usize,
}

#[derive(Default, Clone)]
struct Place {
    /// The leaves that have instances of it.
    leaves: usize,
    /// Its number in the order of the leaves.
    number: usize,
    /// The innermost band and the innermost child of a set node, by their numbers.
    around: Around,
    /// The members of all bands around it: `{ S[i] -> [(t)] }`.
    members: Vec<PwAff>,
}

#[derive(Default, Clone, PartialEq, Eq)]
struct Around {
    band: usize,
    set: usize,
    /// The arrays that have private copies, for each parallel member, and for members whose iterations are lanes.
    private: Vec<Vec<String>>,
}

impl Places {
    /// `None` for a tree with nodes or marks that this does not know.
    fn of(tree: &Schedule) -> isl::Result<Option<Places>> {
        let mut places = Places::default();
        let active = names(&tree.domain()?)?;
        Ok(places.visit(&tree.root()?.first_child()?, &active, Around::default())?.then_some(places))
    }

    fn visit(&mut self, node: &ScheduleNode, active: &BTreeSet<String>, around: Around) -> isl::Result<bool> {
        let mut around = around;
        match node.node_type()? {
            NodeType::Leaf => {
                // Statements at one leaf are in no order.
                for name in active {
                    let place = self.of.entry(name.clone()).or_default();
                    place.leaves += 1;
                    place.around = around.clone();
                    place.number = self.count;
                }
                self.count += 1;
                return Ok(true);
            }
            NodeType::Band => {
                let partial = node.band_partial_schedule()?;
                for member in 0..partial.size()? {
                    let functions = partial.at(i32::try_from(member).unwrap_or(i32::MAX))?.pw_aff_list()?;
                    for function in functions.to_vec()? {
                        let name = function.domain_space()?.tuple_name(DimType::SET)?;
                        if let Some(name) = name.filter(|name| active.contains(name)) {
                            self.of.entry(name).or_default().members.push(function);
                        }
                    }
                }
                self.bands += 1;
                around.band = self.bands;
            }
            NodeType::Mark => match mark_of(node)? {
                Some(Mark::Kernel | Mark::Grid { .. } | Mark::Threads { .. } | Mark::Shared) => return Ok(false),
                Some(Mark::Parallel { private }) => around.private.push(private),
                // Lanes have no copies.
                Some(Mark::Vector) => around.private.push(Vec::new()),
                _ => {}
            },
            NodeType::Filter => {
                let inside: BTreeSet<String> = names(&node.filter()?)?.intersection(active).cloned().collect();
                return self.visit(&node.clone().first_child()?, &inside, around);
            }
            kind @ (NodeType::Sequence | NodeType::Set) => {
                for child in node.children()? {
                    if kind == NodeType::Set {
                        self.sets += 1;
                        around.set = self.sets;
                    }
                    if !self.visit(&child, active, around.clone())? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
            NodeType::Context | NodeType::Guard => {}
            NodeType::Domain | NodeType::Expansion | NodeType::Extension => return Ok(false),
        }
        self.visit(&node.clone().first_child()?, active, around)
    }

    /// Each read is in the iteration of a write, and comes behind it.
    fn hand_on(
        &self,
        scop: &Scop,
        array: &String,
        uses: &Uses<'_>,
        distinct: &mut Vec<(Set, Map)>,
    ) -> isl::Result<bool> {
        let writer = uses.write.0;
        let Some(own) = self.of.get(&writer.name).filter(|place| place.leaves == 1) else { return Ok(false) };
        if !own.around.private.iter().all(|private| private.contains(array)) {
            return Ok(false);
        }
        let written = executed(scop, uses.write)?;
        for read in &uses.reads {
            let Some(place) = self.of.get(&read.0.name).filter(|place| place.leaves == 1) else { return Ok(false) };
            if place.around != own.around || place.number <= own.number || place.members.len() != own.members.len() {
                return Ok(false);
            }
            let dimensions = read.0.domain.dim(DimType::SET)?;
            if dimensions != written.dim(DimType::SET)? {
                return Ok(false);
            }
            let same = executed(scop, *read)?.set_tuple_id(Id::new(scop.ctx(), &writer.name)?)?;
            if !same.is_subset(&written)? || !have_same_dates(scop, own, place, &writer.name, &written)? {
                return Ok(false);
            }
        }
        own.is_one_to_one(written, distinct)
    }
}

/// The members are the same functions where something is written.
fn have_same_dates(scop: &Scop, own: &Place, other: &Place, writer: &str, written: &Set) -> isl::Result<bool> {
    for (one, another) in own.members.iter().zip(&other.members) {
        let space = one.domain_space()?;
        if another.domain_space()?.dim(DimType::SET)? != space.dim(DimType::SET)? {
            return Ok(false);
        }
        let renamed = another.clone().as_map()?.set_tuple_id(DimType::In, Id::new(scop.ctx(), writer)?)?;
        let one = one.clone().as_map()?;
        if !one.plain_is_equal(&renamed)? {
            let (one, other) = (one.intersect_domain(written.clone())?, renamed.intersect_domain(written.clone())?);
            if !one.is_equal(&other)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

impl Place {
    /// Different instances `{ W[i] }` have different dates.
    fn is_one_to_one(&self, written: Set, distinct: &mut Vec<(Set, Map)>) -> isl::Result<bool> {
        let any = Id::new(written.ctx(), "any")?;
        let written = written.set_tuple_id(any.clone())?;
        let mut members = self.members.iter();
        let Some(first) = members.next() else { return written.is_singleton() };
        let mut dates = first.clone().as_map()?;
        for member in members {
            dates = dates.flat_range_product(member.clone().as_map()?)?;
        }
        let dates = dates.set_tuple_id(DimType::In, any)?;
        for (known, map) in distinct.iter() {
            if map.plain_is_equal(&dates)? && known.is_equal(&written)? {
                return Ok(true);
            }
        }
        let good = dates.clone().intersect_domain(written.clone())?.is_injective()?;
        if good {
            distinct.push((written, dates));
        }
        Ok(good)
    }
}

/// The instances of a statement whose access is executed: `{ S[i] }`.
fn executed(scop: &Scop, access: (&Statement, &Access)) -> isl::Result<Set> {
    let relation = access.1.relation.clone().intersect_domain(access.0.domain.clone())?;
    relation.domain()?.intersect_params(scop.context.clone())
}

fn names(instances: &isl::UnionSet) -> isl::Result<BTreeSet<String>> {
    Ok(instances.tuple_names()?.into_iter().collect())
}
