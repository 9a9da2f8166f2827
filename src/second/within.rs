//! What is asked of instances that share a tile.
//!
//! Two instances share a tile if all loops above its points give them the same values. Those over tiles round down, and so
//! the pairs would need integer divisions. These are projected out: of `32 t <= f < 32 (t + 1)` for both ends of a pair
//! remains that `f` differs by less than 32. A few pairs at the edges of tiles are then too many.

use crate::isl::{MultiUnionPwAff, Result, ScheduleConstraints, ScheduleNode, UnionMap, UnionPwMultiAff, UnionSet};
use crate::locality::Group;

/// The instances of a band over points, and what tells their tiles apart.
pub(super) struct Within {
    /// `{ S[i] }`
    domain: UnionSet,
    /// All loops above: `{ S[i] -> [t] }`. None: there are none.
    tiles: Option<MultiUnionPwAff>,
}

impl Within {
    /// `points` is where the points of tiles begin, or any other node: then the loops above are in the place of those over
    /// tiles.
    pub fn new(points: &ScheduleNode) -> Result<Self> {
        let prefix = points.prefix_schedule()?;
        let tiles = if prefix.size()? > 0 { Some(prefix) } else { None };
        Ok(Within { domain: points.domain()?, tiles })
    }

    /// The constraints among instances of the same tile, and nothing on others.
    ///
    /// Conditions hold between tagged instances. A live range that does not stay in the tile lets nothing else cross it, so
    /// that conditioned constraints next to it hold without a condition.
    pub fn constraints(&self, all: &ScheduleConstraints) -> Result<ScheduleConstraints> {
        let condition = all.conditional_validity_condition()?;
        let conditioned = all.conditional_validity()?;
        let mut validity = self.pairs(all.validity()?)?;
        let mut constraints = ScheduleConstraints::on_domain(self.domain.clone())?
            .set_context(all.context()?)?
            .set_coincidence(self.pairs(all.coincidence()?)?)?
            .set_proximity(self.pairs(all.proximity()?)?)?;
        if !conditioned.is_empty()? {
            let references = condition.clone().union(conditioned.clone())?;
            let references = references.clone().domain()?.union(references.range()?)?.universe()?;
            // { [S[i] -> R[]] -> S[i] }
            let tagger = references.unwrap_map()?.domain_map_union_pw_multi_aff()?;
            let conditioned = self.tagged(conditioned, &tagger)?;
            validity = validity.union(self.unconditional(&condition, &conditioned, &tagger)?)?;
            let condition = without_divisions(self.tagged(condition, &tagger)?)?;
            constraints = constraints.set_conditional_validity(condition, without_divisions(conditioned)?)?;
        }
        constraints.set_validity(validity)
    }

    /// The groups, what is near restricted to pairs that share a tile.
    pub fn groups(&self, groups: &[Group]) -> Result<Vec<Group>> {
        let restrict = |group: &Group| {
            let (temporal, spatial) = (self.pairs(group.temporal.clone())?, self.pairs(group.spatial.clone())?);
            Ok(Group { temporal, spatial, ..group.clone() })
        };
        groups.iter().map(restrict).collect()
    }

    /// The pairs `{ S[i] -> T[j] }` that share a tile.
    fn pairs(&self, relation: UnionMap) -> Result<UnionMap> {
        without_divisions(together(relation, self.domain.clone(), self.tiles.clone())?)
    }

    /// The pairs `{ [S[i] -> R[]] -> [T[j] -> Q[]] }` that share a tile.
    fn tagged(&self, relation: UnionMap, tagger: &UnionPwMultiAff) -> Result<UnionMap> {
        let domain = self.domain.clone().preimage_union_pw_multi_aff(tagger.clone())?;
        let tiles = self.tiles.clone().map(|tiles| tiles.pullback_union_pw_multi_aff(tagger.clone())).transpose()?;
        together(relation, domain, tiles)
    }

    /// What is conditioned next to a live range that leaves the tile: `{ S[i] -> T[j] }`. `condition` are all live ranges.
    fn unconditional(
        &self,
        condition: &UnionMap,
        conditioned: &UnionMap,
        tagger: &UnionPwMultiAff,
    ) -> Result<UnionMap> {
        let leaving = condition.clone().subtract(self.tagged(condition.clone(), tagger)?)?;
        let after = conditioned.clone().intersect_domain(leaving.clone().range()?)?;
        let before = conditioned.clone().intersect_range(leaving.domain()?)?;
        without_divisions(after.union(before)?.factor_domain()?)
    }
}

/// The pairs between elements of `domain` that have the same values of `tiles`.
fn together(relation: UnionMap, domain: UnionSet, tiles: Option<MultiUnionPwAff>) -> Result<UnionMap> {
    let pairs = relation.intersect_domain(domain.clone())?.intersect_range(domain)?;
    tiles.map_or(Ok(pairs.clone()), |tiles| pairs.eq_at(tiles))
}

/// Integer divisions projected out: perhaps more pairs.
fn without_divisions(pairs: UnionMap) -> Result<UnionMap> {
    let mut plain = UnionMap::empty(pairs.space()?)?;
    for map in pairs.map_list()?.to_vec()? {
        plain = plain.union(map.remove_divs()?.to_union_map()?)?;
    }
    Ok(plain)
}
