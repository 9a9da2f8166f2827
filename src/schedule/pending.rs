//! Schedule constraints that outer bands have not carried yet, and what they say about a band.

use crate::isl::{MultiUnionPwAff, Result, ScheduleConstraints, UnionMap, UnionPwAff, UnionPwMultiAff, UnionSet};

/// The constraints whose ends are coscheduled by everything above a node of a schedule tree (ppcg report, section 4.2).
#[derive(Debug, Clone)]
pub struct Pending {
    /// `{ S[i] -> T[j] }`
    validity: UnionMap,
    /// `{ S[i] -> T[j] }`
    coincidence: UnionMap,
    /// Live ranges: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`
    condition: UnionMap,
    /// What must hold next to live ranges that are not local: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`
    conditioned: UnionMap,
    /// `{ [S[i] -> R[]] -> S[i] }` on all ends of the two relations above.
    tagger: UnionPwMultiAff,
}

impl Pending {
    /// All constraints, as they are at the root. Conditional validity is tagged or absent.
    pub fn new(constraints: &ScheduleConstraints) -> Result<Self> {
        let condition = constraints.conditional_validity_condition()?;
        let conditioned = constraints.conditional_validity()?;
        let both = condition.clone().union(conditioned.clone())?;
        let references = both.clone().domain()?.union(both.range()?)?.universe()?;
        Ok(Pending {
            validity: constraints.validity()?,
            coincidence: constraints.coincidence()?,
            condition,
            conditioned,
            tagger: references.unwrap_map()?.domain_map_union_pw_multi_aff()?,
        })
    }

    /// Those among some instances: `{ S[i] }`.
    pub fn among(self, domain: &UnionSet) -> Result<Self> {
        let references = domain.clone().preimage_union_pw_multi_aff(self.tagger.clone())?;
        let restrict = |relation: UnionMap, ends: &UnionSet| {
            relation.intersect_domain(ends.clone())?.intersect_range(ends.clone())
        };
        Ok(Pending {
            validity: restrict(self.validity, domain)?,
            coincidence: restrict(self.coincidence, domain)?,
            condition: restrict(self.condition, &references)?,
            conditioned: restrict(self.conditioned, &references)?,
            tagger: self.tagger,
        })
    }

    /// Those that members of a band do not carry, members given as functions `{ S[i] -> [(t)] }`.
    pub fn below(self, members: &[UnionPwAff]) -> Result<Self> {
        let mut pending = self;
        for member in members {
            let member = MultiUnionPwAff::from_union_pw_aff(member.clone())?;
            let tagged = member.clone().pullback_union_pw_multi_aff(pending.tagger.clone())?;
            pending.validity = pending.validity.eq_at(member.clone())?;
            pending.coincidence = pending.coincidence.eq_at(member)?;
            pending.condition = pending.condition.eq_at(tagged.clone())?;
            pending.conditioned = pending.conditioned.eq_at(tagged)?;
        }
        Ok(pending)
    }

    /// The coincidence constraints: `{ S[i] -> T[j] }`.
    pub fn coincidence(&self) -> &UnionMap {
        &self.coincidence
    }

    /// A member that coschedules all coincidence constraints may be marked coincident.
    pub fn is_coincident(&self, member: &UnionPwAff) -> Result<bool> {
        let together = self.coincidence.clone().eq_at(MultiUnionPwAff::from_union_pw_aff(member.clone())?)?;
        self.coincidence.is_subset(&together)
    }

    /// Members that may be interchanged freely: none orders a validity constraint backwards, nor a conditioned one
    /// next to a live range whose ends one of them separates.
    pub fn are_permutable(&self, members: &[UnionPwAff]) -> Result<bool> {
        for member in members {
            if !self.validity.clone().lex_gt_at(MultiUnionPwAff::from_union_pw_aff(member.clone())?)?.is_empty()? {
                return Ok(false);
            }
        }
        // { [S[i] -> R[]] -> [T[j] -> Q[]] }, rarely any
        let mut backwards = UnionMap::empty(self.conditioned.space()?)?;
        for member in members {
            let member = MultiUnionPwAff::from_union_pw_aff(member.clone())?;
            let member = member.pullback_union_pw_multi_aff(self.tagger.clone())?;
            backwards = backwards.union(self.conditioned.clone().lex_gt_at(member)?)?;
        }
        if backwards.is_empty()? {
            return Ok(true);
        }
        let separated = self.separated(members)?;
        let next_to_write = backwards.clone().range()?.is_disjoint(&separated.clone().domain()?)?;
        Ok(next_to_write && backwards.domain()?.is_disjoint(&separated.range()?)?)
    }

    /// Live ranges whose ends some member separates: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
    fn separated(&self, members: &[UnionPwAff]) -> Result<UnionMap> {
        let mut separated = UnionMap::empty(self.condition.space()?)?;
        for member in members {
            let member = MultiUnionPwAff::from_union_pw_aff(member.clone())?;
            let member = member.pullback_union_pw_multi_aff(self.tagger.clone())?;
            let forwards = self.condition.clone().lex_lt_at(member.clone())?;
            separated = separated.union(forwards)?.union(self.condition.clone().lex_gt_at(member)?)?;
        }
        Ok(separated)
    }
}
