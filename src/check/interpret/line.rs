//! A trace made a line of steps by one order of what is unordered.

use super::hash::mix;
use super::trace::{Block, Copied, HeldCopy, InstanceId, Redirect, Step, Thread};

/// How what is unordered is ordered in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As the tree or AST enumerates it.
    Ascending,
    /// The other way round.
    Descending,
    /// By a permutation that the seed decides.
    Shuffled(u64),
    /// At the same time: each next step is of a part that the seed decides; reads and writes of an instance are steps
    /// of their own.
    Interleaved(u64),
}

/// A part of an unordered step, as what it does sees it.
#[derive(Debug)]
pub(super) struct Frame<'t> {
    /// The frame around it.
    pub outer: Option<usize>,
    /// What is of its own in it.
    pub kind: FrameKind<'t>,
}

/// What is of its own in a frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum FrameKind<'t> {
    /// Copies of arrays, by their positions.
    Private(&'t [usize]),
    /// Shared memory.
    Block,
    /// Nothing: a thread of a block.
    Thread(&'t Thread),
}

/// A step of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Action<'t> {
    /// What is done.
    pub kind: ActionKind<'t>,
    /// By whom.
    pub frame: Option<usize>,
}

/// What a step of a run does; reads come before the writes of the same instance and frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum ActionKind<'t> {
    /// All reads of an instance, and those of its accesses that are not to memory.
    Read(InstanceId, &'t [Redirect]),
    /// All writes of an instance, likewise.
    Write(InstanceId, &'t [Redirect]),
    /// A copy to a tile.
    Copy(Copied),
    /// A copy to the buffer of a loop, or back.
    Held(HeldCopy),
}

/// The making of a line.
pub(super) struct Line<'t> {
    order: Order,
    /// All frames that steps are in.
    pub frames: Vec<Frame<'t>>,
    random: Random,
}

impl<'t> Line<'t> {
    /// A line in an order, without steps so far.
    pub fn new(order: Order) -> Self {
        Line { order, frames: Vec::new(), random: Random::new(order) }
    }

    /// The steps of a part of a trace, in a frame.
    pub fn actions(&mut self, step: &'t Step, frame: Option<usize>) -> Vec<Action<'t>> {
        let action = |kind| Action { kind, frame };
        match step {
            Step::Instance(instance, redirects) => {
                let (read, write) = (ActionKind::Read(*instance, redirects), ActionKind::Write(*instance, redirects));
                vec![action(read), action(write)]
            }
            Step::Copy(copied) => vec![action(ActionKind::Copy(*copied))],
            Step::Held(copy) => vec![action(ActionKind::Held(*copy))],
            // Threads are cut there.
            Step::Barrier(_) => Vec::new(),
            Step::Sequence(children) => self.sequence(children, frame),
            Step::Unordered { children, private } => {
                let mut parts = Vec::new();
                for child in children {
                    let is_own = !private.is_empty();
                    let frame = if is_own { self.frame(frame, FrameKind::Private(private)) } else { frame };
                    parts.push(self.actions(child, frame));
                }
                self.line_up(parts)
            }
            Step::Kernel(blocks) => {
                let parts = blocks.iter().map(|block| self.block(block, frame)).collect();
                self.line_up(parts)
            }
        }
    }

    fn sequence(&mut self, steps: &'t [Step], frame: Option<usize>) -> Vec<Action<'t>> {
        let mut all = Vec::new();
        for step in steps {
            all.append(&mut self.actions(step, frame));
        }
        all
    }

    /// The threads of a block, from barrier to barrier. A thread that comes to fewer of them than others ends early.
    fn block(&mut self, block: &'t Block, outer: Option<usize>) -> Vec<Action<'t>> {
        let own = self.frame(outer, FrameKind::Block);
        let threads: Vec<(&'t Thread, Option<usize>)> =
            block.threads.iter().map(|thread| (thread, self.frame(own, FrameKind::Thread(thread)))).collect();
        let phases = block.threads.iter().map(|thread| thread.phases.len()).max().unwrap_or_default();
        let mut all = Vec::new();
        for phase in 0..phases {
            let running = threads.iter().filter_map(|(thread, frame)| Some((thread.phases.get(phase)?, *frame)));
            let parts = running.map(|(steps, frame)| self.sequence(steps, frame)).collect();
            all.append(&mut self.line_up(parts));
        }
        all
    }

    fn frame(&mut self, outer: Option<usize>, kind: FrameKind<'t>) -> Option<usize> {
        self.frames.push(Frame { outer, kind });
        Some(self.frames.len() - 1)
    }

    fn line_up(&mut self, mut parts: Vec<Vec<Action<'t>>>) -> Vec<Action<'t>> {
        match self.order {
            Order::Ascending => {}
            Order::Descending => parts.reverse(),
            Order::Shuffled(_) => {
                for i in (1..parts.len()).rev() {
                    let j = self.random.below(i + 1);
                    parts.swap(i, j);
                }
            }
            Order::Interleaved(_) => return self.interleave(parts),
        }
        parts.concat()
    }

    fn interleave(&mut self, parts: Vec<Vec<Action<'t>>>) -> Vec<Action<'t>> {
        let mut merged = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        let mut running: Vec<_> = parts.into_iter().map(|part| part.into_iter().peekable()).collect();
        running.retain_mut(|part| part.peek().is_some());
        while !running.is_empty() {
            let chosen = self.random.below(running.len());
            merged.extend(running[chosen].next());
            if running[chosen].peek().is_none() {
                drop(running.swap_remove(chosen));
            }
        }
        merged
    }
}

/// Numbers that the seed decides.
struct Random(u64);

impl Random {
    fn new(order: Order) -> Self {
        match order {
            Order::Shuffled(seed) | Order::Interleaved(seed) => Random(mix(seed)),
            Order::Ascending | Order::Descending => Random(0),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        // The remainder is below the bound, which is a usize.
        (mix(self.0) % bound.max(1) as u64) as usize
    }
}
