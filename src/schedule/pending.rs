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
        let starting =
            self.condition.clone().intersect_domain(references.clone())?.subtract_range(references.clone())?;
        let ending = self.condition.clone().intersect_range(references.clone())?.subtract_domain(references.clone())?;
        let pending = Pending {
            validity: restrict(self.validity, domain)?,
            coincidence: restrict(self.coincidence, domain)?,
            condition: restrict(self.condition, &references)?,
            conditioned: restrict(self.conditioned, &references)?,
            tagger: self.tagger,
        };
        // Only then, as there is less to look at.
        pending.next_to(&starting.union(ending)?)
    }

    /// Those that members of a band do not carry, members given as functions `{ S[i] -> [(t)] }`.
    pub fn below(self, members: &[UnionPwAff]) -> Result<Self> {
        let separated = self.separated(members)?;
        let mut pending = self;
        for member in members {
            let member = MultiUnionPwAff::from_union_pw_aff(member.clone())?;
            let tagged = member.clone().pullback_union_pw_multi_aff(pending.tagger.clone())?;
            pending.validity = pending.validity.eq_at(member.clone())?;
            pending.coincidence = pending.coincidence.eq_at(member)?;
            pending.condition = pending.condition.eq_at(tagged.clone())?;
            pending.conditioned = pending.conditioned.eq_at(tagged)?;
        }
        // Only then, as there is less to look at.
        pending.next_to(&separated)
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

    /// Some member separates the ends of a live range that something has to stay outside of.
    pub fn cuts_live_ranges(&self, members: &[UnionPwAff]) -> Result<bool> {
        Ok(!neighbours(self.conditioned.clone(), &self.separated(members)?)?.is_empty()?)
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
        neighbours(backwards, &self.separated(members)?)?.is_empty()
    }

    /// The constraints where these live ranges are no longer local, whatever is inside: what is conditioned next to one
    /// of them must hold. Live ranges are `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
    fn next_to(self, separated: &UnionMap) -> Result<Self> {
        if separated.is_empty()? {
            return Ok(self);
        }
        let forced = neighbours(self.conditioned.clone(), separated)?;
        let untagged = forced.clone().apply_domain(self.tags()?)?.apply_range(self.tags()?)?;
        Ok(Pending {
            validity: self.validity.union(untagged)?,
            // What is forced now may stay here as well: that it holds is asked of validity.
            ..self
        })
    }

    /// `{ [S[i] -> R[]] -> S[i] }`
    fn tags(&self) -> Result<UnionMap> {
        UnionMap::from_union_pw_multi_aff(self.tagger.clone())
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

/// Those of the conditioned constraints that end where one of the live ranges begins, or begin where one ends. All are
/// `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
fn neighbours(conditioned: UnionMap, live_ranges: &UnionMap) -> Result<UnionMap> {
    let before = conditioned.clone().intersect_range(live_ranges.clone().domain()?)?;
    before.union(conditioned.intersect_domain(live_ranges.clone().range()?)?)
}

#[cfg(test)]
mod tests {
    use super::Pending;
    use crate::isl::{Ctx, ScheduleConstraints, UnionPwAff, UnionSet};

    /// `S[t, i, j]` writes an element that `S[t + 1, i, j]` reads; `S[t, i + 1, j - 1]` writes the same element.
    const CONSTRAINTS: &str = "domain: { S[t, i, j] : 0 <= t, i, j < 9; T[t, i, j] : 0 <= t, i, j < 9 }\n\
         condition: { [S[t, i, j] -> W[]] -> [T[t + 1, i, j] -> R[]] }\n\
         conditional_validity: { [T[t, i, j] -> R[]] -> [T[t, i + 1, j - 1] -> W[]] }";

    fn member(ctx: &Ctx, function: &str) -> UnionPwAff {
        let text = format!("{{ S[t, i, j] -> [({function})]; T[t, i, j] -> [({function})] }}");
        UnionPwAff::parse(ctx, &text).unwrap()
    }

    #[test]
    fn live_ranges_that_an_outer_band_separates_keep_what_is_next_to_them_in_order() {
        let ctx = Ctx::new();
        let [t, i, j, local] = ["t", "i", "j", "0"].map(|function| member(&ctx, function));
        let pending = Pending::new(&ScheduleConstraints::parse(&ctx, CONSTRAINTS).unwrap()).unwrap();
        let inner = [i, j];
        assert!(pending.are_permutable(&inner).unwrap(), "nothing separates the ends of a live range");
        assert!(pending.clone().below(&[local]).unwrap().are_permutable(&inner).unwrap());
        assert!(!pending.below(&[t]).unwrap().are_permutable(&inner).unwrap());
    }

    #[test]
    fn live_ranges_that_leave_a_part_keep_what_is_next_to_them_in_order() {
        let ctx = Ctx::new();
        let inner = ["i", "j"].map(|function| member(&ctx, function));
        let pending = Pending::new(&ScheduleConstraints::parse(&ctx, CONSTRAINTS).unwrap()).unwrap();
        let part = UnionSet::parse(&ctx, "{ T[t, i, j] : 0 <= t, i, j < 9 }").unwrap();
        assert!(!pending.clone().among(&part).unwrap().are_permutable(&inner).unwrap());
        let all = UnionSet::parse(&ctx, "{ S[t, i, j] : true; T[t, i, j] : true }").unwrap();
        assert!(pending.among(&all).unwrap().are_permutable(&inner).unwrap());
    }
}
