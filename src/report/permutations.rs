//! The most contiguous accesses that permuting loops can bring: an exhaustive search that knows nothing of schedulers.
//!
//! # What is searched
//! Each statement keeps its own loops, the members of the original tree that vary for it, unchanged but in any order. Loops are made
//! from the outside (Allen and Kennedy's way of distributing them): statements whose dependences go in a circle share a loop, for
//! which each of them brings one of its own that it does not have yet. One with fewer loops left than another may bring one
//! again, or stay at zero. No dependence may go backwards along the loop; those that go forwards are done with. Then come the
//! circles that are left, each by itself, in topological order. To distribute as far as that is legal takes no order of loops
//! away from a statement: what is left of the dependences among fewer statements is less. So these are all legal orders of each
//! statement's loops, under any fusion of loops without shifts, skewing and reversal.
//!
//! # Legality
//! Dependences are those of the original order that hold in any case: flow, and false ones unless the caller leaves some to live-range
//! reordering.

use super::Result;
use crate::isl::{self, MultiUnionPwAff, NodeType, UnionMap, UnionPwAff, UnionSet, Val};
use crate::scop::{Scop, Statement, StatementId};
use crate::tree::Contiguity;
use crate::tree::band::point_members;
use crate::tree::contiguity::{along, next_along};
use std::collections::{BTreeMap, BTreeSet};

/// The best order found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Best {
    /// What the innermost loop of each statement with loops does.
    pub statements: BTreeMap<StatementId, Innermost>,
}

/// The innermost loop of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Innermost {
    /// Its position in the original order, counted from the outside.
    pub position: usize,
    /// The accesses along it.
    pub accesses: Contiguity,
}

impl Best {
    /// The contiguous accesses of all statements.
    pub fn contiguous(&self) -> usize {
        self.statements.values().map(|innermost| innermost.accesses.contiguous).sum()
    }
}

/// Searches all legal orders of loops for one with the most contiguous accesses in innermost loops. `dependences` is
/// `{ S[i] -> T[j] }`. None: the search was given up after `limit` checks of dependences.
///
/// # Errors
/// Those of isl.
pub fn best_permutation(scop: &Scop, dependences: &UnionMap, limit: usize) -> Result<Option<Best>> {
    let mut search = Search { nodes: nodes(scop)?, checks: limit };
    let mut pending = Vec::new();
    let position: BTreeMap<&str, usize> =
        search.nodes.iter().enumerate().map(|(i, node)| (node.statement.name.as_str(), i)).collect();
    let mut by_ends: BTreeMap<(usize, usize), UnionMap> = BTreeMap::new();
    for map in dependences.map_list()?.to_vec()? {
        let end = |kind| -> isl::Result<Option<usize>> {
            Ok(map.tuple_name(kind)?.and_then(|name| position.get(name.as_str()).copied()))
        };
        let (Some(source), Some(target)) = (end(isl::DimType::In)?, end(isl::DimType::Out)?) else { continue };
        let pairs = map.clone().to_union_map()?;
        by_ends.insert((source, target), pairs);
    }
    pending.extend(by_ends.into_iter().map(|((source, target), pairs)| Pending { source, target, pairs }));
    let all: Vec<usize> = (0..search.nodes.len()).collect();
    let used = vec![Vec::new(); all.len()];
    let found = search.distribute(&all, &pending, &used)?;
    if search.checks == 0 {
        return Ok(None);
    }
    let mut best = Best::default();
    for (node, position) in found.unwrap_or_default() {
        let Node { id, along, .. } = &search.nodes[node];
        best.statements.insert(*id, Innermost { position, accesses: along[position] });
    }
    Ok(Some(best))
}

/// A statement with its loops.
struct Node<'s> {
    id: StatementId,
    statement: &'s Statement,
    /// `{ S[i] -> [(t)] }`, outermost first.
    loops: Vec<UnionPwAff>,
    /// `{ S[i] -> [(0)] }`
    zero: UnionPwAff,
    /// What each loop does when it is the innermost.
    along: Vec<Contiguity>,
}

/// Dependences from a node to a node that no outer loop carries.
#[derive(Clone)]
struct Pending {
    source: usize,
    target: usize,
    pairs: UnionMap,
}

/// The innermost loop of each node that has loops, by position.
type Order = BTreeMap<usize, usize>;

struct Search<'s> {
    nodes: Vec<Node<'s>>,
    /// How many more times dependences may be looked at.
    checks: usize,
}

/// What a node brings to a shared loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Choice {
    Loop(usize),
    Zero,
}

/// A circle of dependences for which a shared loop is looked for.
struct Circle<'a> {
    nodes: &'a [usize],
    pending: &'a [Pending],
    /// The loops that each node of the search has already, outermost first.
    used: &'a [Vec<usize>],
    /// The most loops that a node still needs.
    left: usize,
    /// What the first nodes bring.
    choices: Vec<Choice>,
    /// Dependences, by position, do not go backwards with these choices of their ends.
    verdicts: BTreeMap<(usize, Choice, Choice), bool>,
    best: Option<(usize, Order)>,
}

impl Search<'_> {
    /// Each circle of dependences by itself. None: there is no legal order.
    fn distribute(&mut self, nodes: &[usize], pending: &[Pending], used: &[Vec<usize>]) -> Result<Option<Order>> {
        let mut order = Order::new();
        for nodes in circles(nodes, pending) {
            let inside = |p: &&Pending| nodes.contains(&p.source) && nodes.contains(&p.target);
            let pending: Vec<Pending> = pending.iter().filter(inside).cloned().collect();
            if pending.is_empty() {
                // It is a single one, and free.
                order.extend(nodes.iter().filter_map(|&node| Some((node, self.nodes[node].best(&used[node])?))));
                continue;
            }
            let left = nodes.iter().map(|&node| self.nodes[node].loops.len() - used[node].len()).max().unwrap_or(0);
            if left == 0 {
                return Ok(None);
            }
            let (choices, verdicts) = (Vec::new(), BTreeMap::new());
            let mut circle = Circle { nodes: &nodes, pending: &pending, used, left, choices, verdicts, best: None };
            self.choose(&mut circle)?;
            let Some((_, found)) = circle.best else { return Ok(None) };
            order.extend(found);
        }
        Ok(Some(order))
    }

    /// Tries all that the next node can bring.
    fn choose(&mut self, circle: &mut Circle) -> Result<()> {
        let Some(&node) = circle.nodes.get(circle.choices.len()) else { return self.complete(circle) };
        for choice in self.nodes[node].choices(&circle.used[node], circle.left) {
            circle.choices.push(choice);
            let better = circle.best.as_ref().is_none_or(|(best, _)| self.promise(circle) > *best);
            if better && self.checks > 0 && self.is_legal(circle)? {
                self.choose(circle)?;
            }
            circle.choices.pop();
        }
        Ok(())
    }

    /// The loops of a node after its choice.
    fn used(&self, circle: &Circle, index: usize) -> Vec<usize> {
        let mut used = circle.used[circle.nodes[index]].clone();
        if let Some(Choice::Loop(position)) = circle.choices.get(index)
            && !used.contains(position)
        {
            used.push(*position);
        }
        used
    }

    /// No order with these choices has more contiguous accesses.
    fn promise(&self, circle: &Circle) -> usize {
        let of = |(index, node): (usize, &usize)| self.nodes[*node].most(&self.used(circle, index));
        circle.nodes.iter().enumerate().map(of).sum()
    }

    /// No dependence between the last node that has a choice and those that have one goes backwards.
    fn is_legal(&mut self, circle: &mut Circle) -> Result<bool> {
        let last = circle.choices.len() - 1;
        for (index, pending) in circle.pending.iter().enumerate() {
            let (Some(source), Some(target)) = (circle.choice(pending.source), circle.choice(pending.target)) else {
                continue;
            };
            if pending.source != circle.nodes[last] && pending.target != circle.nodes[last] {
                continue;
            }
            let key = (index, source, target);
            let verdict = match circle.verdicts.get(&key) {
                Some(verdict) => *verdict,
                None => {
                    self.checks = self.checks.saturating_sub(1);
                    let shared = self.shared(pending, source, target)?;
                    pending.pairs.clone().lex_gt_at(shared)?.is_empty()?
                }
            };
            circle.verdicts.insert(key, verdict);
            if !verdict {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The loop on both ends of dependences.
    fn shared(&self, pending: &Pending, source: Choice, target: Choice) -> Result<MultiUnionPwAff> {
        let mut shared = self.nodes[pending.source].function(source).clone();
        if pending.source != pending.target {
            shared = shared.union_add(self.nodes[pending.target].function(target).clone())?;
        }
        Ok(MultiUnionPwAff::from_union_pw_aff(shared)?)
    }

    /// What is best under a loop that all nodes bring something to.
    fn complete(&mut self, circle: &mut Circle) -> Result<()> {
        let mut used = circle.used.to_vec();
        for (index, &node) in circle.nodes.iter().enumerate() {
            used[node] = self.used(circle, index);
        }
        let mut rest = Vec::new();
        for pending in circle.pending {
            let (Some(source), Some(target)) = (circle.choice(pending.source), circle.choice(pending.target)) else {
                continue;
            };
            let pairs = pending.pairs.clone().eq_at(self.shared(pending, source, target)?)?;
            if !pairs.is_empty()? {
                rest.push(Pending { pairs, ..*pending });
            }
        }
        let Some(order) = self.distribute(circle.nodes, &rest, &used)? else { return Ok(()) };
        let value = order.iter().map(|(&node, &position)| self.nodes[node].along[position].contiguous).sum();
        if circle.best.as_ref().is_none_or(|(best, _)| value > *best) {
            circle.best = Some((value, order));
        }
        Ok(())
    }
}

impl Circle<'_> {
    fn choice(&self, node: usize) -> Option<Choice> {
        let index = self.nodes.iter().position(|other| *other == node)?;
        self.choices.get(index).copied()
    }
}

impl Node<'_> {
    fn function(&self, choice: Choice) -> &UnionPwAff {
        match choice {
            Choice::Loop(position) => &self.loops[position],
            Choice::Zero => &self.zero,
        }
    }

    /// What it can bring where some node needs `left` more loops.
    fn choices(&self, used: &[usize], left: usize) -> Vec<Choice> {
        let all = 0..self.loops.len();
        let mut choices: Vec<Choice> = all.filter(|i| !used.contains(i)).map(Choice::Loop).collect();
        if choices.len() < left {
            choices.extend(used.iter().copied().map(Choice::Loop));
            choices.push(Choice::Zero);
        }
        choices
    }

    /// The innermost loop that is best where some are used; None without loops.
    fn best(&self, used: &[usize]) -> Option<usize> {
        if used.len() == self.loops.len() {
            return used.last().copied();
        }
        let free = (0..self.loops.len()).filter(|i| !used.contains(i));
        free.max_by_key(|&i| (self.along[i].contiguous, i))
    }

    /// The most contiguous accesses where some loops are used.
    fn most(&self, used: &[usize]) -> usize {
        self.best(used).map_or(0, |position| self.along[position].contiguous)
    }
}

/// The statements, without kills.
fn nodes(scop: &Scop) -> Result<Vec<Node<'_>>> {
    let mut nodes = Vec::new();
    for (index, statement) in scop.statements.iter().enumerate().filter(|(_, s)| !s.is_kill()) {
        let domain = statement.domain.clone().intersect_params(scop.context.clone())?.to_union_set()?;
        let hull = domain.clone().affine_hull()?;
        let mut loops = Vec::new();
        for member in members(scop, &domain)? {
            if next_along(&hull, &loops, &member)?.is_some() {
                loops.push(member);
            }
        }
        let mut accesses = Vec::new();
        for (position, member) in loops.iter().enumerate() {
            let others: Vec<UnionPwAff> = [&loops[..position], &loops[position + 1..]].concat();
            accesses.push(match next_along(&hull, &others, member)? {
                Some(step) => along(statement, &step)?,
                None => Contiguity::default(),
            });
        }
        let zero = UnionPwAff::val_on_domain(domain, Val::int(scop.ctx(), 0)?)?;
        nodes.push(Node { id: StatementId(index), statement, loops, zero, along: accesses });
    }
    Ok(nodes)
}

/// The members on the way to the leaf that some instances of one statement reach.
fn members(scop: &Scop, domain: &UnionSet) -> Result<Vec<UnionPwAff>> {
    let mut members = Vec::new();
    let mut node = scop.schedule.root()?;
    while node.node_type()? != NodeType::Leaf {
        for member in point_members(&node)? {
            members.push(member.intersect_domain(domain.clone())?);
        }
        let mut next = None;
        for child in node.children()? {
            let reached = child.node_type()? != NodeType::Filter || !child.filter()?.is_disjoint(domain)?;
            next = if next.is_none() && reached { Some(child) } else { next };
        }
        let Some(child) = next else { break };
        node = child;
    }
    Ok(members)
}

/// The strongly connected components, each in ascending order.
fn circles(nodes: &[usize], pending: &[Pending]) -> Vec<Vec<usize>> {
    let mut reach: BTreeSet<(usize, usize)> = pending.iter().map(|p| (p.source, p.target)).collect();
    for &middle in nodes {
        for &from in nodes {
            for &to in nodes {
                if reach.contains(&(from, middle)) && reach.contains(&(middle, to)) {
                    reach.insert((from, to));
                }
            }
        }
    }
    let mut circles: Vec<Vec<usize>> = Vec::new();
    for &node in nodes {
        let same = |circle: &&mut Vec<usize>| reach.contains(&(circle[0], node)) && reach.contains(&(node, circle[0]));
        match circles.iter_mut().find(same) {
            Some(circle) => circle.push(node),
            None => circles.push(vec![node]),
        }
    }
    circles
}
