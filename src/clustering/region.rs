//! A region of macro-statements: the same region with fewer, larger statements.
//!
//! What a macro-statement accesses is what its statements do, without the scalars that they only hand on among
//! themselves and without reads of what was written before in the same iteration. All steps up to the choice of a tree
//! see this region; its tree is expanded, and checked and made into code with the statements that there are.

use super::contraction::Contraction;
use super::decision::Decision;
use crate::dependence::HandedOn;
use crate::isl::{self, DimType, Map, NodeType, Schedule, ScheduleNode, Set, UnionMap, UnionPwMultiAff};
use crate::schedule_tree::{Positions, among, names};
use crate::scop::{Access, AccessKind, Scop, Statement};
use polyrs_model::Mark;
use std::collections::{BTreeMap, BTreeSet};

/// A region whose clusters are statements.
#[derive(Debug, Clone)]
pub struct CoarseRegion {
    /// The region.
    pub scop: Scop,
    contraction: Contraction,
    /// The scalars that are handed on within macro-statements, by their names.
    internal: BTreeMap<String, BTreeSet<String>>,
}

impl CoarseRegion {
    /// The region that a decision makes of one. Only clusters count whose statements follow each other with nothing in
    /// between and have the same iterations; `None` if there are none.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn new(scop: &Scop, decision: &Decision) -> isl::Result<Option<CoarseRegion>> {
        let positions = Positions::of(&scop.schedule)?;
        let statements = scop.statements.iter().map(|statement| (statement.name.as_str(), statement)).collect();
        let decision = decision.clone().retained(|cluster| is_whole(&statements, &positions, cluster))?;
        let taken = scop.statements.iter().map(|statement| statement.name.clone()).collect();
        let contraction = Contraction::new(&scop.domain()?, &positions, &decision, &taken)?;
        if contraction.is_empty() {
            return Ok(None);
        }
        Self::contracted(scop, positions, contraction).map(Some)
    }

    /// The region as it is.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn uncut(scop: &Scop) -> isl::Result<CoarseRegion> {
        let contraction =
            Contraction::new(&scop.domain()?, &Positions::default(), &Decision::default(), &BTreeSet::new())?;
        Ok(CoarseRegion { scop: scop.clone(), contraction, internal: BTreeMap::new() })
    }

    fn contracted(scop: &Scop, positions: Positions, contraction: Contraction) -> isl::Result<CoarseRegion> {
        let mut members: BTreeMap<usize, Vec<&Statement>> = BTreeMap::new();
        for statement in &scop.statements {
            if let Some(part) = contraction.part(&statement.name) {
                members.entry(part.cluster).or_default().push(statement);
            }
        }
        for statements in members.values_mut() {
            statements.sort_by_key(|statement| positions.number(&statement.name));
        }
        let handed_on = HandedOn::of(scop)?;
        let mut coarse = CoarseRegion { scop: scop.clone(), contraction, internal: BTreeMap::new() };
        let internal = coarse.find_internal(&handed_on)?;
        coarse.scop.statements.clear();
        for statement in &scop.statements {
            match coarse.contraction.part(&statement.name) {
                None => coarse.scop.statements.push(statement.clone()),
                Some(part) if members[&part.cluster][0].name == statement.name => {
                    let one = coarse.statement(&members[&part.cluster], &internal)?;
                    coarse.scop.statements.push(one);
                }
                Some(_) => {}
            }
        }
        let mut used = BTreeSet::new();
        for access in coarse.scop.statements.iter().flat_map(|statement| &statement.accesses) {
            used.insert(access.array()?);
        }
        coarse.scop.arrays.retain(|array| used.contains(&array.name) || !internal.contains(&array.name));
        coarse.scop.schedule = coarse.order(scop, &members)?;
        Ok(coarse)
    }

    /// It has the statements that there are.
    pub fn is_uncut(&self) -> bool {
        self.contraction.is_empty()
    }

    /// The names of the macro-statements.
    pub fn names(&self) -> BTreeSet<String> {
        self.contraction.names()
    }

    /// The name of what a statement is a part of, its own if it is not clustered.
    pub fn name_of(&self, statement: &str) -> String {
        self.contraction.name_of(statement)
    }

    /// The scalars that are handed on within one macro-statement.
    fn find_internal(&mut self, handed_on: &HandedOn<'_>) -> isl::Result<BTreeSet<String>> {
        let mut internal = BTreeSet::new();
        for value in &handed_on.values {
            let cluster = |name: &str| self.contraction.part(name).map(|part| part.cluster);
            let writer = &value.write.0.name;
            let is_its = value.reads.iter().all(|(reader, ..)| cluster(&reader.name) == cluster(writer));
            let (Some(part), true) = (self.contraction.part(writer), is_its) else { continue };
            let array = value.write.1.array()?;
            let name = part.id.name()?.unwrap_or_default();
            self.internal.entry(name).or_default().insert(array.clone());
            internal.insert(array);
        }
        Ok(internal)
    }

    /// One macro-statement.
    fn statement(&self, members: &[&Statement], internal: &BTreeSet<String>) -> isl::Result<Statement> {
        let first = members[0];
        let part = |statement: &Statement| {
            let unknown = || isl::Error::invalid(format!("{} is in no cluster", statement.name));
            self.contraction.part(&statement.name).ok_or_else(unknown)
        };
        let mut accesses: Vec<Access> = Vec::new();
        // { N[t] -> A[a] }, what was written so far
        let mut written: BTreeMap<String, Map> = BTreeMap::new();
        for statement in members {
            let mut writes = Vec::new();
            for access in &statement.accesses {
                let array = access.array()?;
                if internal.contains(&array) {
                    continue;
                }
                let relation = part(statement)?.end(access.relation.clone(), DimType::In)?;
                if access.kind == AccessKind::Read
                    && let Some(before) = written.get(&array)
                    && relation.is_subset(before)?
                {
                    continue;
                }
                if access.kind == AccessKind::MustWrite {
                    writes.push((array, relation.clone()));
                }
                accesses.push(Access { relation, ..access.clone() });
            }
            for (array, relation) in writes {
                let all = match written.remove(&array) {
                    Some(before) => before.union(relation)?,
                    None => relation,
                };
                written.insert(array, all);
            }
        }
        let contracted = part(first)?;
        Ok(Statement {
            name: contracted.id.name()?.unwrap_or_default(),
            domain: first.domain.clone().apply(contracted.map.clone())?,
            accesses,
            side_effect: members.iter().any(|statement| statement.side_effect),
            may_trap: members.iter().any(|statement| statement.may_trap),
            copy: false,
            reduction: None,
            block: None,
            parts: 1,
            text: format!("{} and {} more", first.text, members.len() - 1),
        })
    }

    /// The original order, of each cluster its first statement in place of all.
    fn order(&self, scop: &Scop, members: &BTreeMap<usize, Vec<&Statement>>) -> isl::Result<Schedule> {
        let mut kept: BTreeSet<String> = names(&scop.schedule.domain()?)?;
        let mut expansion = UnionMap::empty(scop.context.space()?)?;
        for statement in &scop.statements {
            match self.contraction.part(&statement.name) {
                None => {
                    let same = Set::universe(statement.domain.space()?)?.identity()?;
                    expansion = expansion.union(same.to_union_map()?)?;
                }
                Some(part) if members[&part.cluster][0].name == statement.name => {
                    let map = part.map.clone().intersect_domain(statement.domain.clone())?;
                    expansion = expansion.union(map.reverse()?.to_union_map()?)?;
                }
                Some(_) => {
                    kept.remove(&statement.name);
                }
            }
        }
        let tree = among(&scop.schedule, &kept)?.ok_or_else(|| isl::Error::invalid("a region without statements"))?;
        tree.pullback_union_pw_multi_aff(UnionPwMultiAff::from_union_map(expansion)?)
    }

    /// A tree of the region as one of its statements. Threads have their own copies of what macro-statements hand on.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn expand(&self, tree: Schedule) -> isl::Result<Schedule> {
        let tree = tree.root()?.map_descendant_bottom_up(&mut |node| self.with_private(node))?.schedule()?;
        self.contraction.expand(tree)
    }

    fn with_private(&self, node: ScheduleNode) -> isl::Result<ScheduleNode> {
        if node.node_type()? != NodeType::Mark {
            return Ok(node);
        }
        let mark = node.mark_id()?.name()?.and_then(|name| name.parse::<Mark>().ok());
        let mut internal = Vec::new();
        for name in names(&node.universe_domain()?)? {
            internal.extend(self.internal.get(&name).into_iter().flatten().cloned());
        }
        let mut private = match mark {
            Some(Mark::Parallel { private }) => private,
            // Lanes have no copies of their own.
            Some(Mark::Vector) if !internal.is_empty() => return node.delete(),
            _ => return Ok(node),
        };
        private.extend(internal);
        private.sort();
        private.dedup();
        let id = isl::Id::new(node.ctx(), &Mark::Parallel { private }.to_string())?;
        node.delete()?.insert_mark(id)
    }
}

/// The statements of a cluster follow each other, and have the same iterations.
fn is_whole(statements: &BTreeMap<&str, &Statement>, positions: &Positions, cluster: &[String]) -> isl::Result<bool> {
    let Some(own) = cluster.first().and_then(|first| statements.get(first.as_str())) else { return Ok(false) };
    if !positions.are_adjacent(cluster) {
        return Ok(false);
    }
    let dimensions = own.domain.dim(DimType::SET)?;
    for name in cluster {
        let Some(other) = statements.get(name.as_str()) else { return Ok(false) };
        if other.domain.dim(DimType::SET)? != dimensions || !positions.are_iterations(name, dimensions)? {
            return Ok(false);
        }
        let domain = other.domain.clone().set_tuple_id(own.domain.tuple_id()?)?;
        if !domain.is_equal(&own.domain)? {
            return Ok(false);
        }
    }
    Ok(true)
}
