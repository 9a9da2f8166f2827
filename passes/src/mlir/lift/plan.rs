//! Which values get a statement of their own.
//!
//! A store's operands are recomputed in its statement, loads included, as long as that gives the same values. A value
//! is computed once and kept in a scalar instead when something that it was loaded from is overwritten before its last
//! use, when it is used after the region or comes from an operation with effects, or when repeating the work costs more
//! than a scalar does.

use melior::ir::{TypeLike, Value, ValueLike};

use super::carried::Storages;
use super::discover::Granularity;
use super::kind::{is_pure_call, needs};
use super::reader::Reader;
use super::refusal::Step;
use super::slice::{Materialized, Slice};
use super::tree::{BodyId, Definition, LoopId, Point, Role, TreeNode};
use crate::mlir::ir::operation::{FMULADD, name, regions, results};
use crate::mlir::ir::value::{id, uses};

/// The work that may be done again in a second statement.
const SHARED_COST: u32 = 2;
/// The work that may be done again in each iteration of an inner loop.
const REPEATED_COST: u32 = 1;

/// How many values are kept only because that is cheaper.
const ROUNDS: usize = 100;

/// A place where values are needed.
pub(super) struct Root<'c, 'a> {
    /// Where.
    pub point: Point,
    /// The values.
    pub values: Vec<Value<'c, 'a>>,
}

/// How values get from statement to statement.
pub(super) struct Plan<'c, 'a> {
    /// Where carried values and conditions' results are kept.
    pub storages: Storages<'c, 'a>,
    /// The values that have a statement of their own.
    pub materialized: Materialized<'c, 'a>,
    /// Those of them that are used after the region, and other values that are.
    pub live_out: Vec<Value<'c, 'a>>,
}

impl<'c, 'a> Plan<'c, 'a> {
    /// The operations that values are computed from.
    pub fn slice(&self, reader: &Reader<'_, 'c, 'a>, values: impl IntoIterator<Item = Value<'c, 'a>>) -> Slice<'c, 'a> {
        let mut slice = Slice::default();
        slice.add(&reader.tree, &self.storages, &self.materialized, values);
        slice
    }

    /// The next value of a carried one is the value itself, kept where it is.
    pub fn is_kept(&self, reader: &Reader<'_, 'c, 'a>, number: LoopId, position: usize) -> bool {
        let carried = reader.tree.get_loop(number).carried[position];
        if id(carried.next) == id(carried.argument) {
            return true;
        }
        let Some(Definition::LoopResult(inner, inner_position)) = reader.tree.definition(carried.next) else {
            return false;
        };
        let continues = id(reader.tree.get_loop(inner).carried[inner_position].init) == id(carried.argument);
        continues && self.storages.loops[inner.0][inner_position].initialized
    }
}

impl<'c, 'a> Reader<'_, 'c, 'a> {
    /// Decides which values get a statement of their own.
    pub(super) fn plan(&mut self, granularity: Granularity) -> Step<'c, 'a, Plan<'c, 'a>> {
        let storages = self.assign_storages()?;
        let mut plan = Plan { storages, materialized: Materialized::default(), live_out: self.values_used_after() };
        for value in plan.live_out.clone() {
            if matches!(self.tree.definition(value), Some(Definition::Leaf(_))) {
                self.materialize(&mut plan, value);
            }
        }
        for value in self.results_of_effects() {
            self.materialize(&mut plan, value);
        }
        if granularity == Granularity::Operation {
            for value in self.results_of_arithmetic() {
                if plan.materialized.get(value).is_none() {
                    self.materialize(&mut plan, value);
                }
            }
        }
        // Only a matter of cost, so it may end early.
        for _ in 0..ROUNDS {
            self.isl.check_deadline()?;
            let Some(value) = self.costly(&plan) else { break };
            self.materialize(&mut plan, value);
        }
        loop {
            let loads = self.overwritten(&plan)?;
            if loads.is_empty() {
                return Ok(plan);
            }
            for load in loads {
                self.materialize(&mut plan, load);
            }
        }
    }

    fn materialize(&mut self, plan: &mut Plan<'c, 'a>, value: Value<'c, 'a>) {
        let storage = self.new_scalar("value", value);
        plan.materialized.insert(value, storage);
    }

    /// The values of the region that are used behind it, in textual order.
    fn values_used_after(&self) -> Vec<Value<'c, 'a>> {
        let replaced = self.frame.operations.iter().filter(|operation| !self.frame.is_kept(**operation));
        let all = replaced.flat_map(|operation| results(*operation));
        all.filter(|value| uses(*value).into_iter().any(|(user, _)| !self.frame.is_replaced(user))).collect()
    }

    /// The used results of operations that are statements anyway.
    fn results_of_effects(&self) -> Vec<Value<'c, 'a>> {
        let leaves = self.tree.blocks.iter().flat_map(|block| &block.nodes).filter_map(|node| match node {
            TreeNode::Leaf(leaf) if leaf.role == Role::Effect => Some(leaf),
            _ => None,
        });
        let all = leaves.flat_map(|leaf| results(leaf.operation));
        all.filter(|value| !uses(*value).is_empty()).collect()
    }

    /// The used results of operations that compute something, but for indices.
    fn results_of_arithmetic(&self) -> Vec<Value<'c, 'a>> {
        let leaves = self.tree.blocks.iter().flat_map(|block| &block.nodes).filter_map(|node| match node {
            TreeNode::Leaf(leaf) if leaf.role == Role::Pure => Some(leaf.operation),
            _ => None,
        });
        let computing = leaves.filter(|operation| cost(&name(*operation), regions(*operation).len()) > 0);
        computing
            .filter_map(|operation| match results(operation)[..] {
                [value] if !value.r#type().is_index() && !uses(value).is_empty() => Some(value),
                _ => None,
            })
            .collect()
    }

    /// Every place where values are needed: statements in textual order.
    fn roots(&self, plan: &Plan<'c, 'a>) -> Vec<Root<'c, 'a>> {
        let mut roots = Vec::new();
        for block in (0..self.tree.blocks.len()).map(BodyId) {
            for (number, node) in self.tree.block(block).nodes.iter().enumerate() {
                let point = Point { block, node: number };
                match node {
                    TreeNode::Leaf(leaf) => {
                        let kept = results(leaf.operation).into_iter().any(|v| plan.materialized.get(v).is_some());
                        if leaf.role == Role::Effect || kept {
                            roots.push(Root { point, values: needs(leaf.operation) });
                        }
                    }
                    TreeNode::Loop(number) => self.loop_roots(plan, *number, point, &mut roots),
                    TreeNode::If(branch) => {
                        for (block, yields) in std::iter::once(&branch.then).chain(&branch.otherwise) {
                            let end = Point { block: *block, node: self.tree.block(*block).nodes.len() };
                            roots.extend(yields.iter().map(|value| Root { point: end, values: vec![*value] }));
                        }
                    }
                }
            }
        }
        roots
    }

    fn loop_roots(&self, plan: &Plan<'c, 'a>, number: LoopId, point: Point, roots: &mut Vec<Root<'c, 'a>>) {
        let this = self.tree.get_loop(number);
        let end = Point { block: this.body, node: self.tree.block(this.body).nodes.len() };
        for (position, carried) in this.carried.iter().enumerate() {
            if !plan.storages.loops[number.0][position].initialized {
                roots.push(Root { point, values: vec![carried.init] });
            }
            if !plan.is_kept(self, number, position) {
                roots.push(Root { point: end, values: vec![carried.next] });
            }
        }
    }

    /// A value whose computation is shared or repeated and costs more than a scalar does. The last one in the text, so
    /// that what it is computed from is looked at again without its other uses.
    fn costly(&self, plan: &Plan<'c, 'a>) -> Option<Value<'c, 'a>> {
        // How many roots use a leaf's value, two at most, and whether one of them is in an inner loop.
        let mut used: std::collections::HashMap<(usize, usize), (u32, bool)> = std::collections::HashMap::new();
        for root in self.roots(plan) {
            for point in self.plan_points(plan, &root) {
                let entry = used.entry((point.block.0, point.node)).or_default();
                entry.0 += 1;
                entry.1 |= self.tree.depth(root.point.block) > self.tree.depth(point.block);
            }
        }
        for block in (0..self.tree.blocks.len()).rev().map(BodyId) {
            for (number, node) in self.tree.block(block).nodes.iter().enumerate().rev() {
                let TreeNode::Leaf(leaf) = node else { continue };
                let (count, repeated) = used.get(&(block.0, number)).copied().unwrap_or_default();
                let limit = match (repeated, count) {
                    (true, _) => REPEATED_COST,
                    (false, 2..) => SHARED_COST,
                    _ => continue,
                };
                let [value] = results(leaf.operation)[..] else { continue };
                if leaf.role != Role::Pure || plan.materialized.get(value).is_some() {
                    continue;
                }
                let slice = plan.slice(self, [value]);
                let cost = slice.operations.iter().map(|operation| cost(&name(*operation), regions(*operation).len()));
                let calls = slice.operations.iter().any(|operation| is_pure_call(*operation));
                if (calls || !slice.is_stable()) && cost.sum::<u32>() > limit {
                    return Some(value);
                }
            }
        }
        None
    }

    fn plan_points(&self, plan: &Plan<'c, 'a>, root: &Root<'c, 'a>) -> Vec<Point> {
        plan.slice(self, root.values.iter().copied()).points
    }

    /// The loaded values that are needed where something else may already be in their place.
    fn overwritten(&self, plan: &Plan<'c, 'a>) -> Step<'c, 'a, Vec<Value<'c, 'a>>> {
        let mut values: Vec<Value<'c, 'a>> = Vec::new();
        for root in self.roots(plan) {
            for load in plan.slice(self, root.values.iter().copied()).loads {
                let Some(leaf) = self.tree.leaf(load) else { continue };
                let loaded = results(leaf.operation);
                let known = loaded.iter().all(|value| values.contains(value));
                if !known && !self.tree.can_load_at(load, root.point)? {
                    values.extend(loaded);
                }
            }
        }
        Ok(values)
    }
}

/// Roughly what an operation costs, in additions.
fn cost(name: &str, regions: usize) -> u32 {
    let short = name.split_once('.').map_or(name, |(_, short)| short);
    let free = ["constant", "apply", "load", "index_cast", "dim", "subview", "cast", "get_global"];
    if regions > 0 || name.starts_with("math.") || name == "func.call" {
        20
    } else if ["div", "rem", "sqrt"].iter().any(|slow| short.contains(slow)) {
        8
    } else if free.iter().any(|cheap| short.ends_with(cheap)) {
        0
    } else if name == FMULADD {
        2
    } else {
        1
    }
}
