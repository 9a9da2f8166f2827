//! What is asked of instances that share a tile.
//!
//! Constraints among all instances that the loops outside of the tiles execute together are taken, though some pairs do
//! not share a tile: the first phase's order satisfies those as well, and they need no integer divisions. Where a pair
//! is let go of because it shares a tile, it has to do so surely: its ends have the same values of all members that the
//! tiles are of.

use crate::isl::{
    MultiUnionPwAff, NodeType, Result, ScheduleConstraints, ScheduleNode, UnionMap, UnionPwAff, UnionPwMultiAff,
    UnionSet,
};
use crate::proximity::ReferenceGroup;
use crate::schedule_tree::band::{Band, point_members_above, tuple};

/// The instances that reach a node, and what tells apart which of them are executed together.
pub(super) struct Within {
    /// `{ S[i] }`
    domain: UnionSet,
    /// The members of the bands above, without those over tiles: `{ S[i] -> [(t)] }` each.
    pub outside: Vec<UnionPwAff>,
    /// These are all instances, and there are no loops outside, so that any pair is one of them.
    all: bool,
    /// For each nest in tiles, the instances and all members of its outermost band. None: there are no tiles.
    nests: Option<Vec<(UnionSet, Vec<UnionPwAff>)>>,
}

impl Within {
    /// What is below a node, without tiles.
    pub fn new(node: &ScheduleNode) -> Result<Self> {
        let (domain, outside) = (node.domain()?, point_members_above(node)?);
        let all = outside.is_empty() && domain.is_equal(&node.schedule()?.domain()?)?;
        Ok(Within { domain, outside, all, nests: None })
    }

    /// What is in tiles. The node is where their points begin, and the outermost bands below it are those that were
    /// tiled.
    pub fn tiles(points: &ScheduleNode) -> Result<Self> {
        let mut nests = Vec::new();
        points.for_each_descendant_top_down(&mut |node| {
            if node.node_type()? != NodeType::Band {
                return Ok(true);
            }
            nests.push((node.domain()?, Band::read(node)?.members));
            Ok(false)
        })?;
        Ok(Within { nests: Some(nests), ..Within::new(points)? })
    }

    /// The constraints among these instances, and nothing on others.
    ///
    /// Conditions hold between tagged instances. A live range that does not stay in here, or in a tile, lets nothing
    /// else cross it, so that conditioned constraints next to it hold without a condition.
    pub fn constraints(&self, all: &ScheduleConstraints) -> Result<ScheduleConstraints> {
        let mut validity = self.pairs(all.validity()?)?;
        let mut constraints = ScheduleConstraints::on_domain(self.domain.clone())?
            .set_context(all.context()?)?
            .set_coincidence(self.pairs(all.coincidence()?)?)?
            .set_proximity(self.near(all.proximity()?)?)?;
        let (condition, conditioned) = (all.conditional_validity_condition()?, all.conditional_validity()?);
        if !conditioned.is_empty()? {
            let tagger = tagger(condition.clone().union(conditioned.clone())?)?;
            let conditioned = self.among(conditioned, &tagger)?;
            if !conditioned.is_empty()? {
                let condition = next_to(condition, &conditioned)?;
                let leaving = condition.clone().subtract(self.inside(&condition, &tagger)?)?;
                validity = validity.union(next_to(conditioned.clone(), &leaving)?.factor_domain()?)?;
                let condition = self.among(condition, &tagger)?;
                constraints = constraints.set_conditional_validity(condition, conditioned)?;
            }
        }
        constraints.set_validity(validity)
    }

    /// The groups, what is near restricted to these instances.
    pub fn groups(&self, groups: &[ReferenceGroup]) -> Result<Vec<ReferenceGroup>> {
        let restrict = |group: &ReferenceGroup| {
            let (temporal, spatial) = (self.pairs(group.temporal.clone())?, self.pairs(group.spatial.clone())?);
            Ok(ReferenceGroup { temporal, spatial, ..group.clone() })
        };
        groups.iter().map(restrict).collect()
    }

    /// The pairs `{ S[i] -> T[j] }` of these instances.
    pub fn pairs(&self, relation: UnionMap) -> Result<UnionMap> {
        if self.all {
            return Ok(relation);
        }
        let equal = functions(&self.domain, &self.outside)?;
        together(relation, self.domain.clone(), equal)
    }

    /// The same of pairs some of which may have tags ([`crate::schedule::as_aimed`]).
    fn near(&self, relation: UnionMap) -> Result<UnionMap> {
        let chosen = relation.clone().zip()?.zip()?;
        if self.all || chosen.is_empty()? {
            return self.pairs(relation);
        }
        let tagger = tagger(chosen.clone())?;
        self.pairs(relation)?.union(self.among(chosen, &tagger)?)
    }

    /// The pairs `{ [S[i] -> R[]] -> [T[j] -> Q[]] }` of these instances.
    fn among(&self, relation: UnionMap, tagger: &UnionPwMultiAff) -> Result<UnionMap> {
        if self.all { Ok(relation) } else { self.tagged(relation, &self.domain, &self.outside, tagger) }
    }

    /// The pairs `{ [S[i] -> R[]] -> [T[j] -> Q[]] }` of instances in `domain` that have the same values of some
    /// members.
    fn tagged(
        &self,
        relation: UnionMap,
        domain: &UnionSet,
        members: &[UnionPwAff],
        tagger: &UnionPwMultiAff,
    ) -> Result<UnionMap> {
        let equal = functions(domain, members)?.map(|equal| equal.pullback_union_pw_multi_aff(tagger.clone()));
        together(relation, domain.clone().preimage_union_pw_multi_aff(tagger.clone())?, equal.transpose()?)
    }

    /// Live ranges that surely stay in here, or in a tile: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
    fn inside(&self, condition: &UnionMap, tagger: &UnionPwMultiAff) -> Result<UnionMap> {
        let Some(nests) = &self.nests else {
            return self.among(condition.clone(), tagger);
        };
        let mut inside = UnionMap::empty(condition.space()?)?;
        for (domain, members) in nests {
            let members: Vec<UnionPwAff> = self.outside.iter().chain(members).cloned().collect();
            inside = inside.union(self.tagged(condition.clone(), domain, &members, tagger)?)?;
        }
        Ok(inside)
    }
}

/// `{ [S[i] -> R[]] -> S[i] }` on the ends of pairs with tags.
fn tagger(pairs: UnionMap) -> Result<UnionPwMultiAff> {
    let references = pairs.clone().domain()?.union(pairs.range()?)?.universe()?;
    references.unwrap_map()?.domain_map_union_pw_multi_aff()
}

/// Members as one function; `None` if there are none.
fn functions(domain: &UnionSet, members: &[UnionPwAff]) -> Result<Option<MultiUnionPwAff>> {
    if members.is_empty() { Ok(None) } else { tuple(domain.ctx(), members).map(Some) }
}

/// The pairs between elements of `domain` to that a function gives the same value.
fn together(relation: UnionMap, domain: UnionSet, equal: Option<MultiUnionPwAff>) -> Result<UnionMap> {
    let pairs = relation.intersect_domain(domain.clone())?.intersect_range(domain)?;
    match equal {
        Some(equal) => pairs.eq_at(equal),
        None => Ok(pairs),
    }
}

/// The pairs that begin where some of the others end, or end where some begin: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`
/// each.
fn next_to(pairs: UnionMap, others: &UnionMap) -> Result<UnionMap> {
    let after = pairs.clone().intersect_domain(others.clone().range()?)?;
    after.union(pairs.intersect_range(others.clone().domain()?)?)
}
