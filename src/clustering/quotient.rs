//! Algorithm 1: constraints on statements as constraints on macro-statements (section 4).
//!
//! The contraction is applied to both ends of all relations. What relates instances within one `N[t]` holds by the order
//! in there, and goes; so does what is conditional on such live ranges alone, and relations that have become equal.

use super::contraction::{Contraction, Part};
use super::decision::Decision;
use crate::isl::{self, DimType, Map, Schedule, ScheduleConstraints, UnionMap};
use crate::proximity::ReferenceGroup;
use crate::schedule_tree::Positions;
use std::collections::{BTreeMap, BTreeSet};

/// Constraints on macro-statements.
#[derive(Debug, Clone)]
pub struct Quotient {
    constraints: ScheduleConstraints,
    contraction: Contraction,
}

impl Quotient {
    /// The constraints on what a decision makes of the statements. Clusters of which fewer than two statements have
    /// instances, or whose statements are not in as many loops, are none.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn new(constraints: &ScheduleConstraints, positions: &Positions, decision: &Decision) -> isl::Result<Quotient> {
        let contraction = Contraction::new(&constraints.domain()?, positions, decision, &BTreeSet::new())?;
        let mut quotient = Quotient { constraints: constraints.clone(), contraction };
        quotient.constraints = quotient.contract(constraints)?;
        Ok(quotient)
    }

    /// The constraints on the macro-statements, and on the statements that are none's.
    pub fn constraints(&self) -> &ScheduleConstraints {
        &self.constraints
    }

    fn contract(&self, constraints: &ScheduleConstraints) -> isl::Result<ScheduleConstraints> {
        let domain = constraints.domain()?.apply(self.contraction.map().clone())?.coalesce()?;
        let condition = self.tagged(constraints.conditional_validity_condition()?)?;
        let conditioned = constraints.conditional_validity()?;
        let next_to = self.tagged(conditioned)?;
        // What no live range is next to that could be torn apart is never asked for.
        let behind = next_to.clone().intersect_domain(condition.clone().range()?)?;
        let next_to = behind.union(next_to.intersect_range(condition.clone().domain()?)?)?;
        // Some of these pairs may have tags, too.
        let near = self.tagged(self.pairs(constraints.proximity()?)?)?;
        ScheduleConstraints::on_domain(domain)?
            .set_context(constraints.context()?)?
            .set_validity(self.pairs(constraints.validity()?)?)?
            .set_coincidence(self.pairs(constraints.coincidence()?)?)?
            .set_proximity(near)?
            .set_conditional_validity(condition, next_to)
    }

    /// Groups of references of macro-statements.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn groups(&self, groups: &[ReferenceGroup]) -> isl::Result<Vec<ReferenceGroup>> {
        let mut contracted = Vec::new();
        for group in groups {
            let access = match group.access.tuple_name(DimType::In)?.and_then(|name| self.contraction.part(&name)) {
                Some(part) => part.end(group.access.clone(), DimType::In)?,
                None => group.access.clone(),
            };
            let (temporal, spatial) = (self.pairs(group.temporal.clone())?, self.pairs(group.spatial.clone())?);
            contracted.push(ReferenceGroup { access, temporal, spatial, ..group.clone() });
        }
        Ok(contracted)
    }

    /// Pairs `{ S[i] -> T[j] }` between macro-statements, without those within an instance of one.
    fn pairs(&self, relation: UnionMap) -> isl::Result<UnionMap> {
        self.each(relation, |map| {
            let parts = (self.part(&map, DimType::In)?, self.part(&map, DimType::Out)?);
            let mut map = map;
            if let Some(source) = parts.0 {
                map = source.end(map, DimType::In)?;
            }
            if let Some(sink) = parts.1 {
                map = sink.end(map, DimType::Out)?;
            }
            match parts {
                (Some(source), Some(sink)) if source.cluster == sink.cluster => {
                    let identity = Map::identity(map.space()?)?;
                    without(map, identity)
                }
                _ => Ok(Some(map)),
            }
        })
    }

    /// The same for pairs of references: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
    fn tagged(&self, relation: UnionMap) -> isl::Result<UnionMap> {
        self.each(relation, |map| {
            if !map.can_zip()? {
                return Ok(Some(map));
            }
            // { [S[i] -> T[j]] -> [R[] -> Q[]] }
            let zipped = map.zip()?;
            let ends = zipped.clone().domain()?.unwrap_map()?;
            let parts = (self.part(&ends, DimType::In)?, self.part(&ends, DimType::Out)?);
            if parts.0.is_none() && parts.1.is_none() {
                return zipped.zip().map(Some);
            }
            let tags = zipped.range()?;
            let ends = self.pairs(ends.to_union_map()?)?;
            let Some(ends) = ends.map_list()?.to_vec()?.pop() else { return Ok(None) };
            Map::from_domain_and_range(ends.wrap()?, tags)?.zip().map(Some)
        })
    }

    fn part(&self, map: &Map, side: DimType) -> isl::Result<Option<&Part>> {
        Ok(map.tuple_name(side)?.and_then(|name| self.contraction.part(&name)))
    }

    /// What a change makes of each map of a relation; of those that have become equal one is left.
    fn each(&self, relation: UnionMap, change: impl Fn(Map) -> isl::Result<Option<Map>>) -> isl::Result<UnionMap> {
        if self.contraction.is_empty() {
            return Ok(relation);
        }
        let mut by_ends: BTreeMap<String, Vec<Map>> = BTreeMap::new();
        for map in relation.map_list()?.to_vec()? {
            let Some(map) = change(map)? else { continue };
            let known = by_ends.entry(map.space()?.to_string()).or_default();
            let mut is_new = true;
            for other in known.iter() {
                is_new &= !other.plain_is_equal(&map)?;
            }
            if is_new {
                known.push(map);
            }
        }
        let mut all = UnionMap::empty(relation.space()?)?;
        for maps in by_ends.into_values() {
            let mut maps = maps.into_iter();
            let Some(mut union) = maps.next() else { continue };
            for map in maps {
                union = union.union(map)?;
            }
            all = all.union(union.coalesce()?.to_union_map()?)?;
        }
        Ok(all)
    }

    /// The schedule of the statements that a schedule of the macro-statements stands for.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn expand(&self, schedule: Schedule) -> isl::Result<Schedule> {
        self.contraction.expand(schedule)
    }
}

/// A relation without some pairs; `None` if nothing is left.
fn without(map: Map, pairs: Map) -> isl::Result<Option<Map>> {
    if map.is_disjoint(&pairs)? {
        return Ok(Some(map));
    }
    let rest = map.subtract(pairs)?;
    Ok(if rest.is_empty()? { None } else { Some(rest) })
}
