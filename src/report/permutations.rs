//! The most contiguous accesses that permuting loops can bring: an exhaustive search that knows nothing of schedulers.
//!
//! # What is searched
//! Each statement keeps its own loops, the members of the original tree that vary for it, unchanged but in any order.
//! Loops are made from the outside (Allen and Kennedy's way of distributing them): statements whose dependences go in a
//! circle share a loop, for which each of them brings one of its own that it does not have yet. One with fewer loops
//! left than another may bring one again, or stay at zero. No dependence may go backwards along the loop; those that go
//! forwards are done with. Then come the circles that are left, each by itself, in topological order. To distribute as
//! far as that is legal takes no order of loops away from a statement: what is left of the dependences among fewer
//! statements is less. So these are all legal orders of each statement's loops, under any fusion of loops without
//! shifts, skewing and reversal.
//!
//! # Legality
//! All dependences given are kept. With flow and false ones that means that nothing is renamed: live ranges do not
//! change places.

use super::Result;
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use polyrs::cost::Contiguity;
use polyrs::cost::{along, next_along};
use polyrs::isl::{self, MultiUnionPwAff, NodeType, Schedule, UnionMap, UnionPwAff, UnionSet, Val};
use polyrs::schedule_tree::{Band, point_members};
use polyrs::scop::{Scop, Statement, StatementId};
use std::collections::{BTreeMap, BTreeSet};

/// The best order found.
#[derive(Debug, Clone)]
pub struct Best {
    /// The order as a tree.
    pub tree: Schedule,
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
        let (Some(source), Some(sink)) = (end(isl::DimType::In)?, end(isl::DimType::Out)?) else { continue };
        let pairs = map.clone().to_union_map()?;
        by_ends.insert((source, sink), pairs);
    }
    pending.extend(by_ends.into_iter().map(|((source, sink), pairs)| Pending { source, sink, pairs }));
    let all: Vec<usize> = (0..search.nodes.len()).collect();
    let used = vec![Vec::new(); all.len()];
    let found = search.distribute(&all, &pending, &used)?;
    let (Some(found), true) = (found, search.checks > 0) else { return Ok(None) };
    let innermost = |(node, (position, accesses)): (&usize, &(usize, Contiguity))| {
        (search.nodes[*node].id, Innermost { position: *position, accesses: *accesses })
    };
    let statements = found.innermost.iter().map(innermost).collect();
    let domain = scop.domain()?;
    Ok(Some(Best { tree: search.tree(&found.plan, &domain)?, statements }))
}

/// A statement with its loops.
struct Node<'s> {
    id: StatementId,
    statement: &'s Statement,
    /// The affine hull of the instances, `{ S[i] }`.
    domain: UnionSet,
    /// The original members, `{ S[i] -> [(t)] }`, outermost first. Some may be functions of others.
    members: Vec<UnionPwAff>,
    /// `{ S[i] -> [(0)] }`
    zero: UnionPwAff,
    steps: Steps,
    /// How many independent members there are.
    loops: usize,
}

/// What a member does as an innermost loop, under a set of others that leave it a choice.
type Steps = BTreeMap<(BTreeSet<usize>, usize), Contiguity>;

/// Dependences from a node to a node that no outer loop carries.
#[derive(Clone)]
struct Pending {
    source: usize,
    sink: usize,
    pairs: UnionMap,
}

/// An order of the loops of some nodes.
#[derive(Clone, Default)]
struct Order {
    /// The innermost loop of each node that has loops, by position, with its accesses.
    innermost: BTreeMap<usize, (usize, Contiguity)>,
    /// One after the other.
    plan: Vec<Plan>,
}

/// How the instances of some nodes follow each other.
#[derive(Clone)]
enum Plan {
    /// A node has loops of its own left, outermost first.
    Alone(usize, Vec<usize>),
    /// Nodes share a loop, to which each brings something.
    Shared(Vec<(usize, Choice)>, Vec<Plan>),
}

impl Order {
    fn contiguous(&self) -> usize {
        self.innermost.values().map(|(_, along)| along.contiguous).sum()
    }
}

struct Search<'s> {
    nodes: Vec<Node<'s>>,
    /// How many more times dependences may be looked at.
    checks: usize,
}

/// What a node brings to a shared loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Choice {
    Member(usize),
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
        let mut order = Order::default();
        for nodes in circles(nodes, pending) {
            let inside = |p: &&Pending| nodes.contains(&p.source) && nodes.contains(&p.sink);
            let pending: Vec<Pending> = pending.iter().filter(inside).cloned().collect();
            if pending.is_empty() {
                // It is a single one, and free.
                for &node in &nodes {
                    let (loops, best) = self.nodes[node].best(&used[node]);
                    order.innermost.extend(best.map(|best| (node, best)));
                    order.plan.push(Plan::Alone(node, loops));
                }
                continue;
            }
            let left = nodes.iter().map(|&node| self.nodes[node].left(&used[node])).max().unwrap_or(0);
            if left == 0 {
                return Ok(None);
            }
            let (choices, verdicts) = (Vec::new(), BTreeMap::new());
            let mut circle = Circle { nodes: &nodes, pending: &pending, used, left, choices, verdicts, best: None };
            self.choose(&mut circle)?;
            let Some((_, found)) = circle.best else { return Ok(None) };
            order.innermost.extend(found.innermost);
            order.plan.extend(found.plan);
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
        if let Some(Choice::Member(position)) = circle.choices.get(index)
            && self.nodes[circle.nodes[index]].steps.contains_key(&(set(&used), *position))
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
            let (Some(source), Some(sink)) = (circle.choice(pending.source), circle.choice(pending.sink)) else {
                continue;
            };
            if pending.source != circle.nodes[last] && pending.sink != circle.nodes[last] {
                continue;
            }
            let key = (index, source, sink);
            let verdict = match circle.verdicts.get(&key) {
                Some(verdict) => *verdict,
                None => {
                    self.checks = self.checks.saturating_sub(1);
                    let shared = self.shared(pending, source, sink)?;
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
    fn shared(&self, pending: &Pending, source: Choice, sink: Choice) -> Result<MultiUnionPwAff> {
        let mut shared = self.nodes[pending.source].function(source).clone();
        if pending.source != pending.sink {
            shared = shared.union_add(self.nodes[pending.sink].function(sink).clone())?;
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
            let (Some(source), Some(sink)) = (circle.choice(pending.source), circle.choice(pending.sink)) else {
                continue;
            };
            let pairs = pending.pairs.clone().eq_at(self.shared(pending, source, sink)?)?;
            if !pairs.is_empty()? {
                rest.push(Pending { pairs, ..*pending });
            }
        }
        let Some(Order { innermost, plan }) = self.distribute(circle.nodes, &rest, &used)? else { return Ok(()) };
        let shared = circle.nodes.iter().copied().zip(circle.choices.iter().copied()).collect();
        let order = Order { innermost, plan: vec![Plan::Shared(shared, plan)] };
        let value = order.contiguous();
        if circle.best.as_ref().is_none_or(|(best, _)| value > *best) {
            circle.best = Some((value, order));
        }
        Ok(())
    }
}

impl Search<'_> {
    /// Some plans, one after the other, for the instances `{ S[i] }` that they are about.
    fn tree(&self, plan: &[Plan], domain: &UnionSet) -> Result<Schedule> {
        let mut whole: Option<Schedule> = None;
        for part in plan {
            let tree = self.part(part, domain)?;
            whole = Some(match whole {
                Some(before) => before.sequence(tree)?,
                None => tree,
            });
        }
        Ok(whole.map_or_else(|| Schedule::from_domain(domain.clone()), Ok)?)
    }

    fn part(&self, plan: &Plan, domain: &UnionSet) -> Result<Schedule> {
        let instances = |node: usize| domain.clone().intersect(self.nodes[node].domain.clone().universe()?);
        let (mut tree, bands) = match plan {
            Plan::Alone(node, loops) => {
                let members: Vec<UnionPwAff> = loops.iter().map(|&i| self.nodes[*node].members[i].clone()).collect();
                (Schedule::from_domain(instances(*node)?)?, members)
            }
            Plan::Shared(choices, inner) => {
                let mut reached = UnionSet::empty(domain.space()?)?;
                let mut shared: Option<UnionPwAff> = None;
                for &(node, choice) in choices {
                    reached = reached.union(instances(node)?)?;
                    let function = self.nodes[node].function(choice).clone();
                    shared = Some(match shared {
                        Some(before) => before.union_add(function)?,
                        None => function,
                    });
                }
                (self.tree(inner, &reached)?, shared.into_iter().collect())
            }
        };
        for member in bands.into_iter().rev() {
            let band = Band { members: vec![member], coincident: vec![false], permutable: false };
            tree = band.insert(tree.root()?.first_child()?)?.schedule()?;
        }
        Ok(tree)
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
            Choice::Member(position) => &self.members[position],
            Choice::Zero => &self.zero,
        }
    }

    /// How many loops it still needs.
    fn left(&self, used: &[usize]) -> usize {
        self.loops - used.len()
    }

    /// What it can bring where some node needs `left` more loops.
    fn choices(&self, used: &[usize], left: usize) -> Vec<Choice> {
        let (mut new, old): (Vec<usize>, Vec<usize>) =
            (0..self.members.len()).partition(|&position| self.steps.contains_key(&(set(used), position)));
        let slack = self.left(used) < left;
        if slack {
            new.extend(old);
        }
        new.into_iter().map(Choice::Member).chain(slack.then_some(Choice::Zero)).collect()
    }

    /// The best order of the loops that are left where some are used, and the innermost loop of all, with its accesses;
    /// None without loops.
    fn best(&self, used: &[usize]) -> (Vec<usize>, Option<(usize, Contiguity)>) {
        if self.left(used) == 0 {
            let along = |(last, outer): (&usize, &[usize])| Some((*last, *self.steps.get(&(set(outer), *last))?));
            return (Vec::new(), used.split_last().and_then(along));
        }
        let free = (0..self.members.len()).filter(|&i| self.steps.contains_key(&(set(used), i)));
        let orders = free.map(|next| {
            let (inner, best) = self.best(&[used, &[next]].concat());
            ([&[next], inner.as_slice()].concat(), best)
        });
        orders.max_by_key(|(_, best)| best.map(|(last, along)| (along.contiguous, last))).unwrap_or_default()
    }

    /// The most contiguous accesses where some loops are used.
    fn most(&self, used: &[usize]) -> usize {
        self.best(used).1.map_or(0, |(_, along)| along.contiguous)
    }
}

fn set(positions: &[usize]) -> BTreeSet<usize> {
    positions.iter().copied().collect()
}

/// The statements, without kills.
fn nodes(scop: &Scop) -> Result<Vec<Node<'_>>> {
    let mut nodes = Vec::new();
    for (index, statement) in scop.statements.iter().enumerate().filter(|(_, s)| !s.is_kill()) {
        let domain = statement.domain.clone().intersect_params(scop.context.clone())?.to_union_set()?;
        let members = members(scop, &domain)?;
        let zero = UnionPwAff::val_on_domain(domain.clone(), Val::int(scop.ctx(), 0)?)?;
        let domain = domain.affine_hull()?;
        let (steps, loops) = steps(statement, &domain, &members)?;
        nodes.push(Node { id: StatementId(index), statement, domain, members, zero, steps, loops });
    }
    Ok(nodes)
}

/// For each set of outer members and each further one that still varies, what it does as an innermost loop; and the
/// number of members that suffice to tell all instances apart.
fn steps(statement: &Statement, domain: &UnionSet, members: &[UnionPwAff]) -> Result<(Steps, usize)> {
    let mut steps = Steps::new();
    let mut loops = 0;
    let mut open = vec![BTreeSet::new()];
    while let Some(outer) = open.pop() {
        let functions: Vec<UnionPwAff> = outer.iter().map(|&i: &usize| members[i].clone()).collect();
        for (position, member) in members.iter().enumerate().filter(|(i, _)| !outer.contains(i)) {
            if steps.contains_key(&(outer.clone(), position)) {
                continue;
            }
            if let Some(step) = next_along(domain, &functions, member)? {
                steps.insert((outer.clone(), position), along(statement, &step)?);
                let mut further = outer.clone();
                further.insert(position);
                loops = loops.max(further.len());
                open.push(further);
            }
        }
    }
    Ok((steps, loops))
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

/// The strongly connected components, each in ascending order, before those that depend on them.
fn circles(nodes: &[usize], pending: &[Pending]) -> Vec<Vec<usize>> {
    let mut graph = DiGraphMap::<usize, ()>::new();
    for &node in nodes {
        graph.add_node(node);
    }
    for pending in pending {
        graph.add_edge(pending.source, pending.sink, ());
    }
    let mut circles = kosaraju_scc(&graph);
    circles.reverse();
    for circle in &mut circles {
        circle.sort_unstable();
    }
    circles
}
