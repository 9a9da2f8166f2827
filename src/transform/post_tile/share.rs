//! Loops over tiles around several nests: fusion that only tiles make legal or good (unified report, 5.3, last
//! paragraph).
//!
//! Nests that follow each other may be impossible to fuse, since one runs through data in the direction that the other
//! does not take, and still share some loops over tiles: those along which no dependence between them goes backwards. A
//! nest may be shifted along such a loop by a constant, if that is what it takes. Inside of the tiles the nests follow
//! each other as before, until their points are scheduled together.
//!
//! Nests that pass through a large matrix one after the other, each using an element once, share a loop over some of its rows:
//! the later ones find these in the cache that the first one has brought them to. `x1[i] += A[i][j] * y1[j]` and
//! `x2[j] += A[i][j] * y2[i]`, whose loops want different orders inside of such rows, read `A` from memory once.

use super::graft::copy;
use super::within::Within;
use crate::isl::{
    Error, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, Set, UnionMap, UnionPwAff, UnionSet,
    UnionSetList, Val,
};
use crate::schedule::Pending;
use crate::schedule_tree::band::{Band, insert_mark, loops_below, origin, position, tuple};
use crate::schedule_tree::{Mark, TileSizes};
use std::cell::OnceCell;

/// What nests share loops over tiles for.
#[derive(Clone, Copy)]
pub enum Common<'a> {
    /// Some use what others write: they share all the loops that can be shared.
    Written,
    /// They use the same rows of arrays ([`super::rows_passed`]), `{ S[i] -> A[r] }`: they share one loop over these.
    Rows(&'a UnionMap),
}

/// Puts loops over tiles around adjacent parts of sequences that can share them and use the same data, with tiles of
/// the sizes of the innermost level. None: there are none such.
///
/// Parts count whose outermost node is a permutable band. The result is `tile > [tiles of the shared members] >
/// sequence`, in each part of it `point > ...` as it was.
pub fn share(
    tree: &Schedule,
    constraints: &ScheduleConstraints,
    sizes: &TileSizes,
    common: Common<'_>,
) -> Result<Option<Schedule>> {
    let mut found = false;
    let mut rewrite = |node: ScheduleNode| {
        if !matches!(node.node_type()?, NodeType::Sequence | NodeType::Set) {
            return Ok(node);
        }
        let parts = node.children()?.into_iter().map(NestGroup::new).collect::<Result<Vec<_>>>()?;
        // What is not as deep has little data to bring back.
        if parts.iter().filter(|part| part.depth > 1).count() < 2 {
            return Ok(node);
        }
        let sharing = Sharing::new(&node, constraints, sizes, common)?;
        let groups = sharing.groups(parts)?;
        if groups.iter().all(NestGroup::is_alone) {
            return Ok(node);
        }
        found = true;
        sharing.rebuild(node, &groups)
    };
    let tree = tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok(found.then_some(tree))
}

/// Adjacent parts of a sequence.
struct NestGroup {
    /// The parts, each a filter.
    parts: Vec<ScheduleNode>,
    /// The instances of all of them: `{ S[i] }`.
    domain: UnionSet,
    /// What tiles of all of them can be of. For a part alone, the members of its band.
    members: Vec<Member>,
    /// The number of loops in the deepest nest.
    depth: usize,
}

/// A function whose tiles are shared.
#[derive(Clone)]
struct Member {
    /// `{ S[i] -> [(t)] }`
    function: UnionPwAff,
    /// The place of the loop in the first part's band, which says the size of tiles.
    place: usize,
}

/// What it takes to decide.
struct Sharing<'a> {
    constraints: &'a ScheduleConstraints,
    /// The instances that everything above the sequence executes together.
    within: Within,
    /// All constraints among them, once they were asked for.
    pending: OnceCell<Pending>,
    /// Validity among them, as far as it has no condition: `{ S[i] -> T[j] }`.
    order: UnionMap,
    /// Those that access the same element one after the other, one of them to write it, or the same row: `{ S[i] -> T[j] }`.
    near: UnionMap,
    sizes: &'a TileSizes,
    common: Common<'a>,
}

impl<'a> Sharing<'a> {
    fn new(
        sequence: &ScheduleNode,
        constraints: &'a ScheduleConstraints,
        sizes: &'a TileSizes,
        common: Common<'a>,
    ) -> Result<Self> {
        let within = Within::new(sequence)?;
        let order = within.pairs(constraints.validity()?)?;
        let near = match common {
            Common::Written => {
                let between_live_ranges = constraints.conditional_validity()?.factor_domain()?;
                order.clone().union(within.pairs(between_live_ranges)?)?
            }
            Common::Rows(rows) => within.pairs(rows.clone().apply_range(rows.clone().reverse()?)?)?,
        };
        Ok(Sharing { constraints, within, pending: OnceCell::new(), order, near, sizes, common })
    }

    /// The constraints among some of the instances.
    fn pending(&self, domain: &UnionSet) -> Result<Pending> {
        let known = match self.pending.get() {
            Some(known) => known,
            None => {
                let found = Pending::new(&self.within.constraints(self.constraints)?)?;
                self.pending.get_or_init(|| found)
            }
        };
        known.clone().among(domain)
    }

    /// The parts of a sequence, those that share loops together.
    fn groups(&self, parts: Vec<NestGroup>) -> Result<Vec<NestGroup>> {
        let mut groups = parts;
        let mut next = 1;
        while next < groups.len() {
            match self.joined(&groups[next - 1], &groups[next])? {
                Some(both) => {
                    groups[next - 1] = both;
                    groups.remove(next);
                    // What has nothing to do with one part may use the data of both.
                    next = 1.max(next - 1);
                }
                None => next += 1,
            }
        }
        Ok(groups)
    }

    /// Two groups as one; `None` where they share no member, or no data.
    fn joined(&self, first: &NestGroup, second: &NestGroup) -> Result<Option<NestGroup>> {
        let between = |relation: &UnionMap| {
            relation.clone().intersect_domain(first.domain.clone())?.intersect_range(second.domain.clone())
        };
        if first.members.is_empty() || second.members.is_empty() {
            return Ok(None);
        }
        let near = between(&self.near)?;
        if near.is_empty()? {
            return Ok(None);
        }
        let order = between(&self.order)?;
        let mut free: Vec<&Member> = second.members.iter().collect();
        let mut members = Vec::new();
        for member in &first.members {
            let mut best: Option<(i64, usize)> = None;
            for (i, other) in free.iter().enumerate() {
                let shift = self.shift(&order, member, other)?;
                if let Some(shift) = shift
                    && self.keeps_near(&near, member, other, shift)?
                {
                    best = Some(best.map_or((shift, i), |known| known.min((shift, i))));
                }
            }
            let Some((shift, i)) = best else { continue };
            let shift = Val::int(second.domain.ctx(), shift)?;
            let shift = UnionPwAff::val_on_domain(second.domain.clone(), shift)?;
            let function = free.remove(i).function.clone().add(shift)?.union_add(member.function.clone())?;
            members.push(Member { function, place: member.place });
            if matches!(self.common, Common::Rows(_)) {
                break;
            }
        }
        let domain = first.domain.clone().union(second.domain.clone())?;
        if members.is_empty() || !self.are_permutable(&members, &domain)? {
            return Ok(None);
        }
        let parts = first.parts.iter().chain(&second.parts).cloned().collect();
        Ok(Some(NestGroup { parts, domain, members, depth: first.depth.max(second.depth) }))
    }

    /// The tiles of members may be interchanged.
    fn are_permutable(&self, members: &[Member], domain: &UnionSet) -> Result<bool> {
        let pending = self.pending(domain)?;
        // Tiles never go backwards where the members do not, nor separate what they do not, and members need no
        // divisions.
        let functions: Vec<UnionPwAff> = members.iter().map(|member| member.function.clone()).collect();
        if pending.are_permutable(&functions)? {
            return Ok(true);
        }
        let tiles = members.iter().map(|member| self.tiles(member)).collect::<Result<Vec<_>>>()?;
        pending.are_permutable(&tiles)
    }

    /// By how much the other function has to be shifted so that no constraint leads backwards; `None` where no shift
    /// within a tile does that. `order` leads from where the first function is defined to where the other is.
    fn shift(&self, order: &UnionMap, member: &Member, other: &Member) -> Result<Option<i64>> {
        if order.is_empty()? {
            return Ok(Some(0));
        }
        let Some(distances) = distances(order, member, other)? else { return Ok(None) };
        let least = distances.dim_min_val(0)?;
        let least = if least.is_int()? { least.as_i64()? } else { None };
        let size = i64::from(self.sizes.at(1, member.place));
        Ok(least.map(|least| 0.max(-least)).filter(|shift| *shift < size))
    }

    /// What uses the same rows is less than a tile apart, the other function shifted; tiles for what is written bring back what they
    /// can.
    fn keeps_near(&self, near: &UnionMap, member: &Member, other: &Member, shift: i64) -> Result<bool> {
        if matches!(self.common, Common::Written) {
            return Ok(true);
        }
        let Some(distances) = distances(near, member, other)? else { return Ok(false) };
        let size = i64::from(self.sizes.at(1, member.place));
        let is_less = |distance: Val| {
            let distance = if distance.is_int()? { distance.as_i64()? } else { None };
            Ok::<_, Error>(
                distance
                    .and_then(|distance| distance.checked_add(shift))
                    .is_some_and(|apart| apart > -size && apart < size),
            )
        };
        Ok(is_less(distances.clone().dim_min_val(0)?)? && is_less(distances.dim_max_val(0)?)?)
    }

    /// Where tiles start: `{ S[i] -> [(t)] }`.
    fn tiles(&self, member: &Member) -> Result<UnionPwAff> {
        origin(&member.function, self.sizes.at(1, member.place))
    }

    /// The band over the tiles of a group.
    fn band(&self, group: &NestGroup) -> Result<Band> {
        let members = group.members.iter().map(|member| self.tiles(member)).collect::<Result<Vec<_>>>()?;
        let pending = self.pending(&group.domain)?;
        // Tiles are, where the members are; what only meets at all because there is but one tile does not count.
        let coincident = group.members.iter().map(|member| pending.is_coincident(&member.function));
        let coincident = coincident.collect::<Result<_>>()?;
        Ok(Band { members, coincident, permutable: true })
    }
}

impl Sharing<'_> {
    /// The sequence with loops over tiles around each group that shares any; the result is at the same place.
    fn rebuild(&self, node: ScheduleNode, groups: &[NestGroup]) -> Result<ScheduleNode> {
        let kind = node.node_type()?;
        let leaf = node.cut()?;
        if let [only] = groups {
            return self.around(leaf, only);
        }
        let filters = groups.iter().map(NestGroup::filter).collect::<Result<_>>()?;
        let filters = UnionSetList::from_vec(leaf.ctx(), filters)?;
        let mut node = match kind {
            NodeType::Set => leaf.insert_set(filters)?,
            _ => leaf.insert_sequence(filters)?,
        };
        for (i, group) in groups.iter().enumerate() {
            let below = node.child(position(i)?)?.first_child()?;
            let below = match group.is_alone() {
                true => copy(below, &group.parts[0].clone().first_child()?)?,
                false => self.around(below, group)?,
            };
            node = below.parent()?.parent()?;
        }
        Ok(node)
    }

    /// The parts of a group in sequence, in tiles, in place of a leaf.
    fn around(&self, leaf: ScheduleNode, group: &NestGroup) -> Result<ScheduleNode> {
        let filters = group.parts.iter().map(ScheduleNode::filter).collect::<Result<_>>()?;
        let filters = UnionSetList::from_vec(leaf.ctx(), filters)?;
        let mut node = leaf.insert_sequence(filters)?;
        for (i, part) in group.parts.iter().enumerate() {
            let below = node.child(position(i)?)?.first_child()?;
            let points = copy(below, &part.clone().first_child()?)?;
            node = insert_mark(points, &Mark::Point)?.parent()?.parent()?;
        }
        insert_mark(self.band(group)?.insert(node)?, &Mark::TILE)
    }
}

/// How far apart pairs `{ S[i] -> T[j] }` are, by a function of their first ends and another one of their second ends: `{ [d] }`;
/// `None` where no pair has both.
fn distances(pairs: &UnionMap, member: &Member, other: &Member) -> Result<Option<Set>> {
    let graph = |function: &UnionPwAff| {
        UnionMap::from_multi_union_pw_aff(tuple(function.ctx(), std::slice::from_ref(function))?)
    };
    let distances =
        pairs.clone().apply_domain(graph(&member.function)?)?.apply_range(graph(&other.function)?)?.deltas()?;
    if distances.is_empty()? { Ok(None) } else { distances.as_set().map(Some) }
}

impl NestGroup {
    /// A part alone, with the members of the permutable band that it begins with, if it does.
    fn new(part: ScheduleNode) -> Result<Self> {
        let below = part.clone().first_child()?;
        let domain = below.domain()?;
        let members = match below.node_type()? {
            NodeType::Band if below.band_permutable()? => Band::read(&below)?.members,
            _ => Vec::new(),
        };
        let member = |(place, function): (usize, UnionPwAff)| {
            Ok(Member { function: function.intersect_domain(domain.clone())?, place })
        };
        let members = members.into_iter().enumerate().map(member).collect::<Result<_>>()?;
        Ok(NestGroup { depth: loops_below(&part)?, parts: vec![part], domain, members })
    }

    fn is_alone(&self) -> bool {
        self.parts.len() < 2
    }

    fn filter(&self) -> Result<UnionSet> {
        let filters = self.parts.iter().map(ScheduleNode::filter);
        filters.reduce(|all, next| all?.union(next?)).unwrap_or_else(|| Err(Error::invalid("a group without parts")))
    }
}
