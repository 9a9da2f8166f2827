//! Statements of a basic block that depend on each other in each iteration of each loop: dense strongly connected
//! components (section 6.2).
//!
//! At depth `k` the graph has the dependences between iterations `t_1, …, t_k` of a block's statements that differ in
//! `t_k` alone. A component of it is dense if a path of dependences leads from each instance to each later one. Between
//! an instance and the one that comes next in time no third fits, so that is to say: each depends directly on the one
//! just before it. Statements that are together in a dense component at every depth are clustered.

use super::basic_block::basic_blocks;
use super::decision::Decision;
use super::validity::orders;
use crate::isl::{self, DimType, Map, ScheduleConstraints, Set, UnionMap};
use crate::schedule::Components;
use crate::schedule_tree::Positions;
use crate::scop::Scop;
use std::collections::BTreeMap;

/// The dense components of a region's basic blocks.
///
/// # Errors
/// Failures of isl.
pub fn dense_components(
    scop: &Scop,
    constraints: &ScheduleConstraints,
    positions: &Positions,
) -> isl::Result<Decision> {
    let depth_of = |block: &Vec<String>| positions.depth(&block[0]).unwrap_or(0);
    let blocks = basic_blocks(scop, positions);
    // Statements in no loop are executed once: none comes after itself.
    let blocks: Vec<&Vec<String>> = blocks.clusters().iter().filter(|block| depth_of(block) > 0).collect();
    let mut decision = Decision::new(blocks.iter().copied().cloned(), positions);
    let orders = orders(constraints)?;
    let domains = constraints.domain()?.named_sets()?;
    for depth in 1..=blocks.iter().map(|block| depth_of(block)).max().unwrap_or(0) {
        let mut parts = BTreeMap::new();
        for block in &blocks {
            if depth_of(block) >= depth {
                Level::new(block, depth, &orders, &domains, positions)?.add_to(&mut parts)?;
            } else {
                // There is no such loop: the block stays as it is.
                let number = parts.len();
                parts.extend(block.iter().map(|name| (name.clone(), number)));
            }
        }
        decision = decision.cut(&parts);
    }
    Ok(decision)
}

/// A block at one depth.
struct Level<'a> {
    block: &'a [String],
    /// The iterations of each statement that has any: `{ [t] }`.
    iterations: BTreeMap<&'a str, Set>,
    /// `{ [t] -> [u] }` by the ends.
    edges: BTreeMap<(&'a str, &'a str), Map>,
}

impl<'a> Level<'a> {
    fn new(
        block: &'a [String],
        depth: usize,
        orders: &UnionMap,
        domains: &BTreeMap<String, Set>,
        positions: &Positions,
    ) -> isl::Result<Level<'a>> {
        let (mut iterations, mut edges) = (BTreeMap::new(), BTreeMap::new());
        let place = |name: &str| positions.iterations(name, depth);
        for name in block {
            if let Some(domain) = domains.get(name) {
                iterations.insert(name.as_str(), domain.clone().apply(place(name)?)?);
            }
        }
        for source in block.iter().filter(|name| domains.contains_key(*name)) {
            for sink in block.iter().filter(|name| domains.contains_key(*name)) {
                let ends = domains[source].space()?.map_from_domain_and_range(domains[sink].space()?)?;
                let pairs = orders.extract_map(ends)?;
                if pairs.plain_is_empty()? {
                    continue;
                }
                let mut pairs = pairs.apply_domain(place(source)?)?.apply_range(place(sink)?)?;
                for outer in 0..depth.saturating_sub(1) {
                    let outer = i32::try_from(outer).unwrap_or(i32::MAX);
                    pairs = pairs.equate(DimType::In, outer, DimType::Out, outer)?;
                }
                if !pairs.is_empty()? {
                    edges.insert((source.as_str(), sink.as_str()), pairs);
                }
            }
        }
        Ok(Level { block, iterations, edges })
    }

    /// Numbers the dense components; statements of others are parts of their own.
    fn add_to(&self, parts: &mut BTreeMap<String, usize>) -> isl::Result<()> {
        let number = |name: &str| self.block.iter().position(|other| other == name).unwrap_or(0);
        let mut follows = vec![Vec::new(); self.block.len()];
        for (source, sink) in self.edges.keys() {
            follows[number(sink)].push(number(source));
        }
        let components = Components::of(follows);
        let first = parts.len();
        for component in 0..components.count {
            let members: Vec<&str> = (0..self.block.len())
                .filter(|&statement| components.of[statement] == component)
                .map(|statement| self.block[statement].as_str())
                .collect();
            let is_dense = members.len() > 1 && self.is_dense(&members)?;
            for (position, name) in members.iter().enumerate() {
                let part = if is_dense { component } else { self.block.len() * (1 + position) + component };
                parts.insert((*name).to_owned(), first + part);
            }
        }
        Ok(())
    }

    /// Each instance of a component depends on the one before it.
    fn is_dense(&self, members: &[&str]) -> isl::Result<bool> {
        let Some(all) = self.iterations.get(members[0]) else { return Ok(false) };
        for name in &members[1..] {
            match self.iterations.get(name) {
                Some(iterations) if iterations.is_equal(all)? => {}
                _ => return Ok(false),
            }
        }
        let has_edge = |source: &str, sink: &str, pairs: &Map| match self.edges.get(&(source, sink)) {
            Some(edge) => pairs.is_subset(edge),
            None => Ok(pairs.is_empty()?),
        };
        let same = Map::identity(all.space()?.map_from_set()?)?.intersect_domain(all.clone())?;
        for pair in members.windows(2) {
            if !has_edge(pair[0], pair[1], &same)? {
                return Ok(false);
            }
        }
        has_edge(members[members.len() - 1], members[0], &next(all)?)
    }
}

/// Each iteration with the next one that differs in the last dimension alone: `{ [t] -> [u] }`.
fn next(iterations: &Set) -> isl::Result<Map> {
    let space = iterations.space()?;
    let last = space.dim(DimType::SET)?.saturating_sub(1);
    let mut later = Map::universe(space.map_from_set()?)?;
    for dimension in 0..=last {
        let dimension = i32::try_from(dimension).unwrap_or(i32::MAX);
        later = match usize::try_from(dimension) == Ok(last) {
            true => later.order_lt(DimType::In, dimension, DimType::Out, dimension)?,
            false => later.equate(DimType::In, dimension, DimType::Out, dimension)?,
        };
    }
    later.intersect_domain(iterations.clone())?.intersect_range(iterations.clone())?.lexmin()
}
