//! Algorithm 1: from statements and a decision to macro-statements, and from their schedule back (sections 4 and 5).
//!
//! A macro-statement `N[t]` stands for what its statements do in iteration `t` of the loops around them, in textual
//! order. The contraction `M = { S[i] -> N[t] }` is each statement's place in the original order, so the statements of a
//! cluster need not call their iterators alike (ppcg report, 7.4). It is applied to both ends of all relations. What
//! relates instances within one `N[t]` holds by the order in there, and goes; so does what is conditional on such live
//! ranges alone, and relations that have become equal. A schedule of macro-statements is one of statements by
//! substitution; below, each `N[t]` runs its statements one after the other.

use super::decision::Decision;
use crate::isl::{
    self, DimType, Id, Map, MultiUnionPwAff, NodeType, Schedule, ScheduleConstraints, ScheduleNode, Set, UnionMap,
    UnionPwAff, UnionPwMultiAff, UnionSet, UnionSetList,
};
use crate::proximity::ReferenceGroup;
use crate::schedule_tree::{Positions, names};
use std::collections::{BTreeMap, BTreeSet};

/// Constraints on macro-statements.
#[derive(Debug, Clone)]
pub struct Quotient {
    constraints: ScheduleConstraints,
    /// What each clustered statement is a part of.
    parts: BTreeMap<String, Part>,
    /// `{ S[i] -> N[t] }` on all instances, the identity on statements that are not clustered.
    contraction: UnionMap,
    /// The statements of each cluster, in textual order: `{ S[i] }`, all of them.
    clusters: Vec<Vec<Set>>,
}

/// What a statement is a part of.
#[derive(Debug, Clone)]
struct Part {
    cluster: usize,
    /// The name of the macro-statement.
    id: Id,
    /// `{ S[i] -> N[t] }`
    map: Map,
    /// Nothing changes but the name.
    renames: bool,
}

impl Quotient {
    /// The constraints on what a decision makes of the statements. Clusters of which fewer than two statements have
    /// instances, or whose statements are not in as many loops, are none.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn new(constraints: &ScheduleConstraints, positions: &Positions, decision: &Decision) -> isl::Result<Quotient> {
        let domain = constraints.domain()?;
        let mut domains = BTreeMap::new();
        for set in domain.set_list()?.to_vec()? {
            domains.extend(set.tuple_name()?.map(|name| (name, set)));
        }
        let mut quotient = Quotient {
            constraints: constraints.clone(),
            parts: BTreeMap::new(),
            contraction: UnionMap::empty(domain.space()?)?,
            clusters: Vec::new(),
        };
        for cluster in decision.clusters() {
            quotient.add(cluster, &domains, positions)?;
        }
        for (name, set) in domains {
            let map = match quotient.parts.get(&name) {
                Some(part) => part.map.clone().intersect_domain(set)?,
                None => Map::identity(set.space()?.map_from_set()?)?.intersect_domain(set)?,
            };
            quotient.contraction = quotient.contraction.union(map.to_union_map()?)?;
        }
        quotient.constraints = quotient.contract(constraints)?;
        Ok(quotient)
    }

    /// Makes a macro-statement.
    fn add(&mut self, cluster: &[String], domains: &BTreeMap<String, Set>, positions: &Positions) -> isl::Result<()> {
        let present: Vec<(&String, &Set)> = cluster.iter().filter_map(|name| domains.get_key_value(name)).collect();
        let depth = present.first().and_then(|(name, _)| positions.depth(name));
        let (Some(depth), true) = (depth, present.len() > 1) else { return Ok(()) };
        let number = self.clusters.len();
        let taken = |name: &String| domains.contains_key(name) || self.parts.values().any(|part| is_called(part, name));
        let name = (number..).map(|number| format!("M{number}")).find(|name| !taken(name)).unwrap_or_default();
        let mut parts = Vec::new();
        for (statement, domain) in present {
            if positions.depth(statement) != Some(depth) || self.parts.contains_key(statement) {
                return Ok(());
            }
            let id = Id::new(self.constraints.ctx(), &name)?;
            let (map, renames) = contraction(statement, domain, positions, &id)?;
            if !renames && !map.clone().intersect_domain(domain.clone())?.is_injective()? {
                return Ok(());
            }
            parts.push((statement.clone(), Part { cluster: number, id, map, renames }, domain.clone()));
        }
        let universe = |(_, _, domain): &(String, Part, Set)| Set::universe(domain.space()?);
        self.clusters.push(parts.iter().map(universe).collect::<isl::Result<_>>()?);
        self.parts.extend(parts.into_iter().map(|(statement, part, _)| (statement, part)));
        Ok(())
    }

    /// The constraints on the macro-statements, and on the statements that are none's.
    pub fn constraints(&self) -> &ScheduleConstraints {
        &self.constraints
    }

    fn contract(&self, constraints: &ScheduleConstraints) -> isl::Result<ScheduleConstraints> {
        let domain = constraints.domain()?.apply(self.contraction.clone())?.coalesce()?;
        let condition = self.tagged(constraints.conditional_validity_condition()?)?;
        let conditioned = constraints.conditional_validity()?;
        let next_to = self.tagged(conditioned)?;
        // What no live range is next to that could be torn apart is never asked for.
        let behind = next_to.clone().intersect_domain(condition.clone().range()?)?;
        let next_to = behind.union(next_to.intersect_range(condition.clone().domain()?)?)?;
        ScheduleConstraints::on_domain(domain)?
            .set_context(constraints.context()?)?
            .set_validity(self.pairs(constraints.validity()?)?)?
            .set_coincidence(self.pairs(constraints.coincidence()?)?)?
            .set_proximity(self.pairs(constraints.proximity()?)?)?
            .set_conditional_validity(condition, next_to)
    }

    /// Groups of references of macro-statements.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn groups(&self, groups: &[ReferenceGroup]) -> isl::Result<Vec<ReferenceGroup>> {
        let mut contracted = Vec::new();
        for group in groups {
            let access = match group.access.tuple_name(DimType::In)?.and_then(|name| self.parts.get(&name)) {
                Some(part) => end(group.access.clone(), DimType::In, part)?,
                None => group.access.clone(),
            };
            let (temporal, spatial) = (self.pairs(group.temporal.clone())?, self.pairs(group.spatial.clone())?);
            contracted.push(ReferenceGroup { access, temporal, spatial, ..group.clone() });
        }
        Ok(contracted)
    }

    /// Members of outer bands `{ S[i] -> [(t)] }`, as functions of macro-statements; `None` where one has several values
    /// for one of those.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn members(&self, members: &[UnionPwAff]) -> isl::Result<Option<Vec<UnionPwAff>>> {
        let mut contracted = Vec::new();
        for member in members {
            let function = MultiUnionPwAff::from_union_pw_aff(member.clone())?;
            let map = UnionMap::from_multi_union_pw_aff(function)?.apply_domain(self.contraction.clone())?;
            if !map.is_single_valued()? {
                return Ok(None);
            }
            contracted.push(MultiUnionPwAff::from_union_map(map)?.at(0)?);
        }
        Ok(Some(contracted))
    }

    /// The macro-statement that a statement is a part of, or the statement itself.
    pub fn name_of<'n>(&'n self, statement: &'n str) -> isl::Result<String> {
        match self.parts.get(statement) {
            Some(part) => Ok(part.id.name()?.unwrap_or_default()),
            None => Ok(statement.to_owned()),
        }
    }

    /// Pairs `{ S[i] -> T[j] }` between macro-statements, without those within an instance of one.
    fn pairs(&self, relation: UnionMap) -> isl::Result<UnionMap> {
        self.each(relation, |map| {
            let parts = (self.part(&map, DimType::In)?, self.part(&map, DimType::Out)?);
            let mut map = map;
            if let Some(source) = parts.0 {
                map = end(map, DimType::In, source)?;
            }
            if let Some(sink) = parts.1 {
                map = end(map, DimType::Out, sink)?;
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
        Ok(map.tuple_name(side)?.and_then(|name| self.parts.get(&name)))
    }

    /// What a change makes of each map of a relation; of those that have become equal one is left.
    fn each(&self, relation: UnionMap, change: impl Fn(Map) -> isl::Result<Option<Map>>) -> isl::Result<UnionMap> {
        if self.parts.is_empty() {
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
        if self.parts.is_empty() {
            return Ok(schedule);
        }
        let contraction = UnionPwMultiAff::from_union_map(self.contraction.clone())?;
        let tree = schedule.pullback_union_pw_multi_aff(contraction)?;
        tree.root()?.map_descendant_bottom_up(&mut |node| self.in_sequence(node))?.schedule()
    }

    /// At a leaf with several statements of a cluster these follow each other.
    fn in_sequence(&self, node: ScheduleNode) -> isl::Result<ScheduleNode> {
        if node.node_type()? != NodeType::Leaf {
            return Ok(node);
        }
        let present = node.universe_domain()?;
        let names = names(&present)?;
        let parts: BTreeSet<usize> = names.iter().filter_map(|name| Some(self.parts.get(name)?.cluster)).collect();
        if parts.is_empty() {
            return Ok(node);
        }
        let mut filters: Vec<UnionSet> = Vec::new();
        for cluster in parts {
            for statement in &self.clusters[cluster] {
                let filter = statement.clone().to_union_set()?;
                if !filter.is_disjoint(&present)? {
                    filters.push(filter);
                }
            }
        }
        for set in present.set_list()?.to_vec()? {
            let is_clustered = set.tuple_name()?.is_some_and(|name| self.parts.contains_key(&name));
            if !is_clustered {
                filters.push(set.to_union_set()?);
            }
        }
        if filters.len() < 2 {
            return Ok(node);
        }
        let list = UnionSetList::from_vec(self.constraints.ctx(), filters)?;
        node.insert_sequence(list)
    }
}

fn is_called(part: &Part, name: &str) -> bool {
    part.id.name().ok().flatten().is_some_and(|other| other == name)
}

/// `{ S[i] -> N[t] }`, and whether that is but another name.
fn contraction(statement: &str, domain: &Set, positions: &Positions, id: &Id) -> isl::Result<(Map, bool)> {
    let depth = positions.depth(statement).unwrap_or(0);
    let space = domain.space()?;
    if depth == 0 {
        let target = space.clone().params()?.add_named_tuple_id_ui(id.clone(), 0)?;
        let map = Map::from_domain_and_range(Set::universe(space.clone())?, Set::universe(target)?)?;
        return Ok((map, space.dim(DimType::SET)? == 0));
    }
    let map = positions.iterations(statement, depth)?.align_params(space.clone())?;
    let map = map.set_tuple_id(DimType::Out, id.clone())?;
    let same_size = space.dim(DimType::SET)? == depth;
    let renaming = || Map::identity(space.clone().map_from_set()?)?.set_tuple_id(DimType::Out, id.clone());
    if same_size && renaming()?.is_equal(&map)? { Ok((renaming()?, true)) } else { Ok((map, false)) }
}

/// One end of a relation contracted.
fn end(map: Map, side: DimType, part: &Part) -> isl::Result<Map> {
    match side {
        _ if part.renames => map.set_tuple_id(side, part.id.clone()),
        DimType::In => map.apply_domain(part.map.clone()),
        _ => map.apply_range(part.map.clone()),
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
