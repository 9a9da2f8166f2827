//! The function from instances to those of macro-statements, and schedules pulled back along it (sections 4 and 5).
//!
//! A macro-statement `N[t]` stands for what its statements do in iteration `t` of the loops around them, in textual
//! order. The contraction `M = { S[i] -> N[t] }` is each statement's place in the original order, so the statements of a
//! cluster need not call their iterators alike (ppcg report, 7.4).

use super::decision::Decision;
use crate::isl::{
    self, DimType, Id, Map, NodeType, Schedule, ScheduleNode, Set, UnionMap, UnionPwMultiAff, UnionSet, UnionSetList,
};
use crate::schedule_tree::{Positions, names};
use std::collections::{BTreeMap, BTreeSet};

/// What statements become.
#[derive(Debug, Clone)]
pub(super) struct Contraction {
    /// What each clustered statement is a part of.
    parts: BTreeMap<String, Part>,
    /// `{ S[i] -> N[t] }` on all instances, the identity on statements that are not clustered.
    map: UnionMap,
    /// The statements of each cluster, in textual order: `{ S[i] }`, all of them.
    clusters: Vec<Vec<Set>>,
}

/// What a statement is a part of.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The number of the cluster.
    pub cluster: usize,
    /// The name of the macro-statement.
    pub id: Id,
    /// `{ S[i] -> N[t] }`
    pub map: Map,
    /// Nothing changes but the name.
    renames: bool,
}

impl Part {
    /// One end of a relation contracted.
    pub fn end(&self, map: Map, side: DimType) -> isl::Result<Map> {
        match side {
            _ if self.renames => map.set_tuple_id(side, self.id.clone()),
            DimType::In => map.apply_domain(self.map.clone()),
            _ => map.apply_range(self.map.clone()),
        }
    }
}

impl Contraction {
    /// That of a decision on instances `{ S[i] }`. Clusters of which fewer than two statements have instances, or whose
    /// statements are not in as many loops, are none. Names of statements, and those besides that are taken, are not
    /// given to macro-statements.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn new(
        instances: &UnionSet,
        positions: &Positions,
        decision: &Decision,
        taken: &BTreeSet<String>,
    ) -> isl::Result<Contraction> {
        let domains = instances.named_sets()?;
        let none = UnionMap::empty(instances.space()?)?;
        let mut contraction = Contraction { parts: BTreeMap::new(), map: none, clusters: Vec::new() };
        for cluster in decision.clusters() {
            contraction.add(cluster, &domains, positions, taken)?;
        }
        for (name, set) in domains {
            let map = match contraction.parts.get(&name) {
                Some(part) => part.map.clone().intersect_domain(set)?,
                None => Map::identity(set.space()?.map_from_set()?)?.intersect_domain(set)?,
            };
            contraction.map = contraction.map.union(map.to_union_map()?)?;
        }
        Ok(contraction)
    }

    /// Makes a macro-statement.
    fn add(
        &mut self,
        cluster: &[String],
        domains: &BTreeMap<String, Set>,
        positions: &Positions,
        reserved: &BTreeSet<String>,
    ) -> isl::Result<()> {
        let present: Vec<(&String, &Set)> = cluster.iter().filter_map(|name| domains.get_key_value(name)).collect();
        let depth = present.first().and_then(|(name, _)| positions.depth(name));
        let (Some(depth), true) = (depth, present.len() > 1) else { return Ok(()) };
        let number = self.clusters.len();
        let taken = |name: &String| {
            reserved.contains(name)
                || domains.contains_key(name)
                || self.parts.values().any(|part| is_called(part, name))
        };
        let name = (number..).map(|number| format!("M{number}")).find(|name| !taken(name)).unwrap_or_default();
        let mut parts = Vec::new();
        for (statement, domain) in present {
            if positions.depth(statement) != Some(depth) || self.parts.contains_key(statement) {
                return Ok(());
            }
            let id = Id::new(domain.ctx(), &name)?;
            let (map, renames) = place(statement, domain, positions, &id)?;
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

    /// The part that a statement is of a macro-statement, if it is clustered.
    pub fn part(&self, statement: &str) -> Option<&Part> {
        self.parts.get(statement)
    }

    /// The names of the macro-statements.
    pub fn names(&self) -> BTreeSet<String> {
        self.parts.values().filter_map(|part| part.id.name().ok().flatten()).collect()
    }

    /// The name of what a statement is a part of, its own if it is not clustered.
    pub fn name_of(&self, statement: &str) -> String {
        let part = self.parts.get(statement).and_then(|part| part.id.name().ok().flatten());
        part.unwrap_or_else(|| statement.to_owned())
    }

    /// Nothing is clustered.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// `{ S[i] -> N[t] }` on all instances.
    pub fn map(&self) -> &UnionMap {
        &self.map
    }

    /// The schedule of the statements that a schedule of the macro-statements stands for.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn expand(&self, schedule: Schedule) -> isl::Result<Schedule> {
        if self.parts.is_empty() {
            return Ok(schedule);
        }
        let contraction = UnionPwMultiAff::from_union_map(self.map.clone())?;
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
        let list = UnionSetList::from_vec(node.ctx(), filters)?;
        node.insert_sequence(list)
    }
}

fn is_called(part: &Part, name: &str) -> bool {
    part.id.name().ok().flatten().is_some_and(|other| other == name)
}

/// `{ S[i] -> N[t] }`, and whether that is but another name.
fn place(statement: &str, domain: &Set, positions: &Positions, id: &Id) -> isl::Result<(Map, bool)> {
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
