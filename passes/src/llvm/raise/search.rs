//! The longest runs of nodes that can be raised.

use std::collections::BTreeSet;

use polyrs_core::driver::Allowance;
use polyrs_core::isl::Moment;
use polyrs_interface::Outlook;

use super::refusal::{Obstacle, Reason};
use super::region::{Argument, Oracle, RaisedRegion, busy_loops, raise};
use crate::llvm::raise::affine::early_reject::early_reject;
use crate::llvm::raise::code::function::Code;
use crate::llvm::raise::code::ids::{LoopId, ValueId};
use crate::llvm::raise::structure::extent::Extent;
use crate::llvm::raise::structure::lives;
use crate::llvm::raise::structure::members::{blocks_of, members};
use crate::llvm::raise::structure::nodes::{ControlNode, loop_location};
use crate::llvm::raise::structure::recover::{loops_inside, structure};
use crate::llvm::raise::structure::versions::single_versions;

/// How often raising is tried in one function.
const ATTEMPTS: usize = 100;
/// How often that may end because it is too much work, before the rest of the function is left alone.
const EXHAUSTED: usize = 3;
/// So many combinations of versions of loops are tried for one region.
const VERSIONS: usize = 5;
/// The loops of one region. Longer runs are cut.
const LOOPS: usize = 64;
/// The loads and stores of one region.
const ACCESSES: usize = 1024;

/// Which loops are regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The least that is one.
    pub least: Outlook,
    /// What is less is raised to be shown, or to find out what else is in the way, and left as it is; otherwise it is not
    /// even looked at.
    pub shown: bool,
}

impl Wanted {
    /// It is a region, not only shown.
    pub fn takes(self, region: &RaisedRegion) -> bool {
        region.outlook >= self.least
    }
}

/// The regions of a function, and what was in the way of others, in textual order. Nothing is begun after the deadline.
pub fn search(
    code: &Code,
    function: &str,
    wanted: Wanted,
    deadline: Option<Moment>,
    oracle: &dyn Oracle,
) -> Vec<Result<RaisedRegion, Obstacle>> {
    let mut search = Search {
        code,
        function,
        wanted,
        deadline,
        oracle,
        found: Vec::new(),
        work: Work::new(),
        shown: Work::new(),
        regions: 0,
        taken: BTreeSet::new(),
        tried: BTreeSet::new(),
    };
    for nodes in structure(code) {
        search.run(&nodes);
    }
    search.separate();
    search.found
}

/// The work that was spent on the regions of a function.
struct Work {
    /// How often raising was tried.
    attempts: usize,
    /// How often that was too much work.
    exhausted: usize,
    /// The rest of the budget.
    allowance: Allowance,
}

impl Work {
    fn new() -> Self {
        Self { attempts: 0, exhausted: 0, allowance: Allowance::of_lifting() }
    }
}

struct Search<'a> {
    code: &'a Code,
    function: &'a str,
    wanted: Wanted,
    deadline: Option<Moment>,
    oracle: &'a dyn Oracle,
    found: Vec<Result<RaisedRegion, Obstacle>>,
    work: Work,
    /// The same for loops that are only shown: the others get what they get when nobody looks on.
    shown: Work,
    regions: usize,
    /// The instructions of the regions found so far.
    taken: BTreeSet<ValueId>,
    /// The runs that were tried: their first and last instruction, and how many nodes they have.
    tried: BTreeSet<(Option<ValueId>, Option<ValueId>, usize)>,
}

impl Search<'_> {
    /// Raises a run of nodes, or parts of it.
    fn run(&mut self, nodes: &[ControlNode]) {
        if let Some(at) = nodes.iter().position(|node| self.is_taken(node)) {
            self.run(&nodes[..at]);
            self.inside(&nodes[at]);
            self.run(&nodes[at + 1..]);
            return;
        }
        if !nodes.iter().any(ControlNode::has_loop) {
            return;
        }
        let Some(first) = nodes.iter().position(ControlNode::has_work) else { return };
        let last = nodes.iter().rposition(ControlNode::has_work).unwrap_or(first);
        let nodes = &nodes[first..=last];
        if nodes.len() > 1 && nodes.iter().map(ControlNode::loops).sum::<usize>() > LOOPS {
            return self.run_parts(nodes, nodes.len() / 2);
        }
        let excessive = lives::is_excessive(self.code, nodes);
        if excessive && nodes.len() > 1 {
            return self.run_parts(nodes, lives::cut(self.code, nodes));
        }
        let (members, _) = members(self.code, nodes);
        if !self.tried.insert((members.first().copied(), members.last().copied(), nodes.len())) {
            return;
        }
        let outlook = busy_loops(self.code, nodes).outlook();
        if outlook == Outlook::Nothing {
            self.tell(self.at_loop(nodes, Reason::Idle));
            return;
        }
        self.attempt(nodes, &members, outlook, excessive);
    }

    /// Raises a run of nodes, or parts of it. `excessive`: its variables need too much of the stack.
    fn attempt(&mut self, nodes: &[ControlNode], members: &BTreeSet<ValueId>, outlook: Outlook, excessive: bool) {
        let shown = outlook < self.wanted.least && self.wanted.shown;
        if let Some(reason) = self.bound(if shown { &self.shown } else { &self.work }) {
            self.tell(Obstacle { reason, location: nodes[0].location(self.code), block: nodes[0].block(self.code) });
            return;
        }
        // What can be told without describing anything comes first.
        let lives = excessive.then(|| self.at_loop(nodes, Reason::Lives));
        let clear = lives
            .or_else(|| early_reject(self.code, nodes))
            .or_else(|| self.unwanted(nodes, outlook))
            .or_else(|| self.large(nodes));
        let extent = match clear {
            Some(obstacle) => Err(obstacle),
            None => self.extent(nodes),
        };
        let raised = extent.and_then(|extent| self.raise_versions(nodes, &extent, shown));
        let obstacle = match raised {
            Ok(region) => {
                // Those that are only shown do not count.
                if self.wanted.takes(&region) {
                    self.regions += 1;
                    self.taken.extend(members);
                }
                self.found.push(Ok(region));
                return;
            }
            Err(obstacle) => obstacle,
        };
        let at = nodes.iter().position(|node| self.holds(node, &obstacle)).unwrap_or(0);
        self.run(&nodes[..at]);
        self.tell(obstacle);
        self.inside(&nodes[at]);
        self.run(&nodes[at + 1..]);
    }

    /// Raises nodes; where something is in the way in loops of two versions, one of them.
    fn raise_versions(
        &mut self,
        nodes: &[ControlNode],
        extent: &Extent,
        shown: bool,
    ) -> Result<RaisedRegion, Obstacle> {
        let name = format!("{}.poly.{}", self.function, self.regions);
        let mut open = vec![nodes.to_vec()];
        let mut first = None;
        for _ in 0..VERSIONS {
            let Some(left) = open.pop() else { break };
            let work = if shown { &mut self.shown } else { &mut self.work };
            work.attempts += 1;
            let raised = raise(self.code, &left, extent, &name, self.deadline, &mut work.allowance, self.oracle);
            let obstacle = match raised {
                Ok(region) => return Ok(region.at(nodes)),
                Err(obstacle) => obstacle,
            };
            let is_exhausted = matches!(obstacle.reason, Reason::Exhausted(_));
            work.exhausted += usize::from(is_exhausted);
            if !is_exhausted {
                open.extend(single_versions(self.code, &left, obstacle.block).into_iter().rev());
            }
            first.get_or_insert(obstacle);
        }
        Err(first.unwrap_or_else(|| self.at_loop(nodes, Reason::Unstructured)))
    }

    /// Refuses regions that need a value of another region which that does not hand on: scalar evolution looks through
    /// the PHIs behind loops, so that no operand behind the other region tells.
    fn separate(&mut self) {
        let good = || self.found.iter().enumerate().filter_map(|(at, found)| Some((at, found.as_ref().ok()?)));
        let hidden = |region: &RaisedRegion| {
            let (mut inside, _) = members(self.code, &region.site.nodes);
            region.site.out.iter().for_each(|value| {
                inside.remove(value);
            });
            inside
        };
        // What is only shown stays as it is.
        let placed = good().filter(|(_, region)| self.wanted.takes(region));
        let hidden: Vec<(usize, BTreeSet<ValueId>)> = placed.map(|(at, region)| (at, hidden(region))).collect();
        let needs = |region: &RaisedRegion, values: &BTreeSet<ValueId>| {
            region.site.arguments.iter().flat_map(Argument::values).any(|value| values.contains(&value))
        };
        let refused: Vec<usize> = good()
            .filter(|(at, region)| hidden.iter().any(|(other, values)| other != at && needs(region, values)))
            .map(|(at, _)| at)
            .collect();
        for at in refused {
            let Ok(region) = &self.found[at] else { continue };
            self.found[at] = Err(self.at_loop(&region.site.nodes, Reason::OtherRegion));
        }
    }

    /// Raises what is before a position, and what is behind it.
    fn run_parts(&mut self, nodes: &[ControlNode], at: usize) {
        let (before, behind) = nodes.split_at(at);
        self.run(before);
        self.run(behind);
    }

    /// Why no more is tried in this function.
    fn bound(&self, work: &Work) -> Option<Reason> {
        let text = if work.attempts >= ATTEMPTS {
            format!("{ATTEMPTS} regions of this function were tried")
        } else if work.exhausted >= EXHAUSTED || work.allowance.is_spent() {
            "too much work was spent on this function".to_owned()
        } else if self.deadline.is_some_and(Moment::is_over) {
            "the time for this function is used up".to_owned()
        } else {
            return None;
        };
        Some(Reason::Exhausted(text))
    }

    /// Keeps what is in the way, once; of bounds, only that the first one struck.
    fn tell(&mut self, obstacle: Obstacle) {
        // The second version of the loop tells.
        if obstacle.reason == Reason::Part {
            return;
        }
        let bound = |reason: &Reason| matches!(reason, Reason::Exhausted(_));
        let known = |found: &Result<RaisedRegion, Obstacle>| {
            found
                .as_ref()
                .is_err_and(|known| *known == obstacle || known.reason == obstacle.reason && bound(&obstacle.reason))
        };
        if !self.found.iter().any(known) {
            self.found.push(Err(obstacle));
        }
    }

    /// Whether there are more loads and stores than a region may have.
    fn large(&self, nodes: &[ControlNode]) -> Option<Obstacle> {
        let blocks = blocks_of(self.code, nodes);
        let mut all = blocks.iter().flat_map(|block| &self.code.blocks[block.0].instructions);
        let value = all.by_ref().filter(|value| self.code.pointers.contains_key(value)).nth(ACCESSES)?;
        let instruction = self.code.instruction(*value)?;
        let reason = Reason::Exhausted(format!("more than {ACCESSES} loads and stores"));
        Some(Obstacle { reason, location: instruction.location.clone(), block: instruction.block })
    }

    /// The extent of nodes that are entered in one place only, and left for one other.
    fn extent(&self, nodes: &[ControlNode]) -> Result<Extent, Obstacle> {
        Extent::of(self.code, nodes).map_err(|block| Obstacle {
            reason: Reason::Unstructured,
            location: self.code.location_from(block, 0),
            block,
        })
    }

    /// Whether a part of a node belongs to a region already.
    fn is_taken(&self, node: &ControlNode) -> bool {
        !self.taken.is_empty() && !members(self.code, std::slice::from_ref(node)).0.is_disjoint(&self.taken)
    }

    /// Whether loops are of those that are left as they are.
    fn unwanted(&self, nodes: &[ControlNode], outlook: Outlook) -> Option<Obstacle> {
        let is_left = !self.wanted.shown && outlook < self.wanted.least;
        is_left.then(|| self.at_loop(nodes, Reason::of_unwanted(outlook)))
    }

    /// An obstacle at the first loop of nodes.
    fn at_loop(&self, nodes: &[ControlNode], reason: Reason) -> Obstacle {
        match nodes.iter().find_map(ControlNode::first_loop) {
            Some(number) => {
                let block = self.code.loops[number.0].header;
                Obstacle { reason, location: loop_location(self.code, number), block }
            }
            None => Obstacle { reason, location: nodes[0].location(self.code), block: nodes[0].block(self.code) },
        }
    }

    fn holds(&self, node: &ControlNode, obstacle: &Obstacle) -> bool {
        match node {
            ControlNode::Opaque { block, .. } => {
                let inside = |number: LoopId| self.code.is_within(self.code.blocks[obstacle.block.0].around, number);
                *block == obstacle.block || self.code.loop_at(*block).is_some_and(inside)
            }
            ControlNode::Straight { block, .. } | ControlNode::Failure { block, .. } => *block == obstacle.block,
            ControlNode::If { .. } | ControlNode::Loop { .. } | ControlNode::Version { .. } => {
                blocks_of(self.code, std::slice::from_ref(node)).contains(&obstacle.block)
            }
        }
    }

    /// Whether a condition decides between two versions of a loop.
    fn decides(&self, condition: ValueId) -> bool {
        self.code.versions.iter().any(|versions| versions.condition == condition)
    }

    /// Raises the first of two versions of a loop, or nothing of it. What is in the way is told of the second one.
    fn whole(&mut self, nodes: &[ControlNode]) -> bool {
        let Some(node) = nodes.iter().find(|node| node.has_loop()) else { return false };
        let nodes = std::slice::from_ref(node);
        let outlook = busy_loops(self.code, nodes).outlook();
        let is_clear = outlook == Outlook::Nothing
            || outlook < self.wanted.least
            || node.loops() > LOOPS
            || self.bound(&self.work).is_some()
            || lives::is_excessive(self.code, nodes)
            || early_reject(self.code, nodes).is_some()
            || self.large(nodes).is_some();
        if is_clear {
            return false;
        }
        let extent = self.extent(nodes);
        let Ok(region) = extent.and_then(|extent| self.raise_versions(nodes, &extent, false)) else { return false };
        self.regions += 1;
        self.taken.extend(members(self.code, nodes).0);
        self.found.push(Ok(region));
        true
    }

    /// Looks for regions in a node that is none itself.
    fn inside(&mut self, node: &ControlNode) {
        match node {
            ControlNode::Straight { .. } | ControlNode::Failure { .. } => {}
            ControlNode::If { condition, then, otherwise, .. } if self.decides(*condition) => {
                if !self.whole(&then.nodes) {
                    self.run(&otherwise.nodes);
                }
            }
            ControlNode::If { then, otherwise, .. } => {
                self.run(&then.nodes);
                self.run(&otherwise.nodes);
            }
            ControlNode::Version { branch, .. } => self.run(&branch.nodes),
            ControlNode::Loop { body, .. } => self.run(body),
            ControlNode::Opaque { block, .. } => {
                for nodes in loops_inside(self.code, *block) {
                    self.run(&nodes);
                }
            }
        }
    }
}
