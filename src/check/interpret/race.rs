//! Races: accesses of one element by two threads, one of them a write, that nothing puts in order.
//!
//! Two accesses in a kernel are in order if one thread makes both, or if both are in one block and a barrier is between
//! them. That is looked for in the accesses themselves: a race need not show in the values that come out.
//!
//! A loop that holds elements reads them in memory before it runs and writes them behind, and what it does in between
//! counts as if it were done in memory, too: an emitter may leave them there. From one barrier to another while it
//! runs nobody else may access them, either, as nobody knows what they have in memory. Outside of kernels only elements
//! that are held are looked at, and two iterations of a parallel loop are like two threads of one block.

use super::fault::{Accessor, Agent, Fault, Faults};
use super::interpreter::Interpreter;
use super::trace::{Block, Cell, Copied, ElementId, HeldCopy, InstanceId, Place, Redirect, Step};
use crate::scop::AccessKind;
use std::collections::{BTreeMap, BTreeSet};

impl Interpreter<'_> {
    /// Adds the races in the kernels of a run.
    pub(super) fn races(&self, step: &Step, faults: &mut Faults) {
        match step {
            Step::Sequence(children) => children.iter().for_each(|child| self.races(child, faults)),
            Step::Unordered { children, private } => {
                let mut held = BTreeSet::new();
                step.held(&mut held);
                if !held.is_empty() {
                    Launch::new(self, &[], Some(held), faults).iterations(children, private);
                }
                children.iter().for_each(|child| self.races(child, faults));
            }
            Step::Kernel(blocks) => Launch::new(self, blocks, None, faults).run(),
            Step::Instance(..) | Step::Copy(_) | Step::Held(_) | Step::Barrier(_) => {}
        }
    }
}

impl Step {
    /// Adds the elements that loops hold, outside of kernels.
    fn held(&self, elements: &mut BTreeSet<ElementId>) {
        match self {
            Step::Sequence(children) | Step::Unordered { children, .. } => {
                children.iter().for_each(|child| child.held(elements));
            }
            Step::Held(copy) => elements.extend([copy.element]),
            Step::Instance(..) | Step::Copy(_) | Step::Barrier(_) | Step::Kernel(_) => {}
        }
    }

    /// What is held behind a step of a thread. Within others nothing is that is not released there, too.
    fn change_held(&self, elements: &mut BTreeSet<ElementId>) {
        match self {
            Step::Held(HeldCopy { element, is_back: true, .. }) => {
                elements.remove(element);
            }
            Step::Held(HeldCopy { element, is_back: false, .. }) => elements.extend([*element]),
            _ => {}
        }
    }
}

/// What makes an access.
#[derive(Debug, Clone, Copy)]
enum By {
    Instance(InstanceId),
    /// Something else.
    SharedCopy,
    CopyIn,
    CopyBack,
    Holder,
}

/// An access.
#[derive(Debug, Clone, Copy)]
struct Access {
    block: usize,
    /// How many barriers its thread has come to.
    phase: usize,
    /// The thread's position in the block.
    thread: usize,
    /// The same, but for copies to shared memory: any thread may be the one that copies an element.
    agent: Option<usize>,
    by: By,
    is_write: bool,
}

/// What has to be known of former accesses of an element to find whether a further one is made by somebody else, and
/// one of both writes.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    first: Option<Access>,
    /// The first one by somebody else.
    second: Option<Access>,
    write: Option<Access>,
}

impl Seen {
    /// An access that races with a further one, which is kept in mind.
    fn add(&mut self, access: Access, who: fn(&Access) -> Option<usize>) -> Option<Access> {
        let is_other = |known: &Access| who(known) != who(&access);
        let found = if access.is_write {
            self.first.filter(is_other).or(self.second.filter(is_other))
        } else {
            self.write.filter(is_other)
        };
        if self.first.is_some_and(|first| is_other(&first)) {
            self.second.get_or_insert(access);
        }
        self.first.get_or_insert(access);
        if access.is_write {
            self.write.get_or_insert(access);
        }
        found
    }
}

/// The accesses of an element.
#[derive(Debug, Clone, Copy, Default)]
struct History {
    /// By blocks, in all of the kernel.
    blocks: Seen,
    /// By threads, in one block between two barriers.
    threads: Seen,
    /// The block, and how many barriers are before.
    phase: (usize, usize),
}

impl History {
    /// An access that races with a further one. Those of a block and phase come one after the other.
    fn add(&mut self, access: Access) -> Option<Access> {
        let phase = (access.block, access.phase);
        if self.phase != phase {
            *self = History { threads: Seen::default(), phase, ..*self };
        }
        let in_block = self.threads.add(access, |access| access.agent);
        self.blocks.add(access, |access| Some(access.block)).or(in_block)
    }
}

/// A launch of a kernel, or a loop whose iterations run in any order.
struct Launch<'k, 's> {
    interpreter: &'k Interpreter<'s>,
    /// None of a loop.
    blocks: &'k [Block],
    /// The elements that are looked at, if these are not all.
    only: Option<BTreeSet<ElementId>>,
    elements: BTreeMap<ElementId, History>,
    /// The shared memory of the block at hand.
    cells: BTreeMap<Cell, History>,
    faults: &'k mut Faults,
}

impl<'k, 's> Launch<'k, 's> {
    fn new(
        interpreter: &'k Interpreter<'s>,
        blocks: &'k [Block],
        only: Option<BTreeSet<ElementId>>,
        faults: &'k mut Faults,
    ) -> Self {
        Launch { interpreter, blocks, only, elements: BTreeMap::new(), cells: BTreeMap::new(), faults }
    }

    fn run(mut self) {
        for (block, Block { threads }) in self.blocks.iter().enumerate() {
            self.cells.clear();
            // What threads hold at the end of the phase before.
            let mut held = vec![BTreeSet::new(); threads.len()];
            let phases = threads.iter().map(|thread| thread.phases.len()).max().unwrap_or_default();
            for phase in 0..phases {
                for (number, thread) in threads.iter().enumerate() {
                    let agent = Some(number);
                    let at = Access { block, phase, thread: number, agent, by: By::Holder, is_write: true };
                    held[number].iter().for_each(|element| self.element(*element, at));
                    for step in thread.phases.get(phase).into_iter().flatten() {
                        self.step(step, at, &mut Vec::new());
                        step.change_held(&mut held[number]);
                    }
                }
            }
        }
    }

    /// The iterations of a loop as threads that never wait for each other.
    fn iterations(mut self, children: &[Step], private: &[usize]) {
        for (number, child) in children.iter().enumerate() {
            let agent = Some(number);
            let at = Access { block: 0, phase: 0, thread: number, agent, by: By::Holder, is_write: true };
            self.step(child, at, &mut private.to_vec());
        }
    }

    /// The accesses of a step; of arrays that are `private` each iteration has a copy of its own.
    fn step(&mut self, step: &Step, at: Access, private: &mut Vec<usize>) {
        match step {
            Step::Sequence(children) => children.iter().for_each(|child| self.step(child, at, private)),
            Step::Unordered { children, private: more } => {
                let outer = private.len();
                private.extend(more);
                children.iter().for_each(|child| self.step(child, at, private));
                private.truncate(outer);
            }
            Step::Instance(instance, redirects) => self.instance(*instance, redirects, at, private),
            // Outside of kernels nobody else has the buffer.
            Step::Copy(Copied { element, .. }) if self.only.is_some() => {
                self.element(*element, Access { by: By::CopyIn, is_write: false, ..at });
            }
            Step::Copy(Copied { element, cell }) => {
                let is_alone = self.blocks.get(at.block).is_some_and(|block| block.threads.len() == 1);
                let agent = at.agent.filter(|_| is_alone);
                let at = Access { agent, by: By::SharedCopy, is_write: false, ..at };
                self.element(*element, at);
                self.cell(*cell, Access { is_write: true, ..at });
            }
            Step::Held(HeldCopy { element, is_back, .. }) => {
                if !private.contains(&self.interpreter.elements[*element].array) {
                    let by = if *is_back { By::CopyBack } else { By::CopyIn };
                    self.element(*element, Access { by, is_write: *is_back, ..at });
                }
            }
            Step::Barrier(_) | Step::Kernel(_) => {}
        }
    }

    /// The accesses of an instance. Those to a buffer count as accesses of the element: an emitter may leave it in
    /// memory.
    fn instance(&mut self, id: InstanceId, redirects: &[Redirect], at: Access, private: &[usize]) {
        let interpreter = self.interpreter;
        let at = Access { by: By::Instance(id), is_write: false, ..at };
        for (position, touch) in interpreter.instances[id].touches.iter().enumerate() {
            let redirect = redirects.iter().find(|redirect| redirect.access == position);
            if let Some(Redirect { to: Place::Tile(cell), .. }) = redirect {
                cell.iter().for_each(|cell| self.cell(*cell, at));
                continue;
            }
            let is_write = match touch.kind {
                AccessKind::Read => false,
                AccessKind::MustWrite | AccessKind::MayWrite => true,
                // Nothing happens in memory.
                AccessKind::Kill => continue,
            };
            for &element in &touch.elements {
                if !private.contains(&interpreter.elements[element].array) {
                    self.element(element, Access { is_write, ..at });
                }
            }
        }
    }

    fn element(&mut self, element: ElementId, access: Access) {
        if self.only.as_ref().is_some_and(|only| !only.contains(&element)) {
            return;
        }
        if let Some(former) = self.elements.entry(element).or_default().add(access) {
            let interpreter = self.interpreter;
            let place = ("race", interpreter.elements[element].array);
            self.race(place, || interpreter.element_name(element), former, access);
        }
    }

    fn cell(&mut self, cell: Cell, access: Access) {
        if self.only.is_some() {
            return;
        }
        if let Some(former) = self.cells.entry(cell).or_default().add(access) {
            let Cell { buffer, offset } = cell;
            let name = || format!("element {offset} of tile {buffer} in shared memory");
            self.race(("race in shared memory", buffer), name, former, access);
        }
    }

    fn race(
        &mut self,
        (kind, place): (&'static str, usize),
        element: impl FnOnce() -> String,
        former: Access,
        access: Access,
    ) {
        let Launch { interpreter, blocks, faults, .. } = self;
        let (writer, other) = if former.is_write { (former, access) } else { (access, former) };
        let statement = |access: Access| match access.by {
            By::Instance(id) => Some(interpreter.instances[id].statement),
            By::SharedCopy | By::CopyIn | By::CopyBack | By::Holder => None,
        };
        let accessor = |access: Access| Accessor {
            agent: match access.by {
                By::Instance(id) => Agent::Instance(interpreter.name(id)),
                By::SharedCopy => Agent::SharedCopy,
                By::CopyIn => Agent::CopyIn,
                By::CopyBack => Agent::CopyBack,
                By::Holder => Agent::Holder,
            },
            thread: blocks.get(access.block).map(|block| block.threads[access.thread].id.clone()),
        };
        faults.add((kind, place, [statement(writer), statement(other)]), || Fault::Race {
            element: element(),
            writer: accessor(writer),
            other: accessor(other),
            is_write: other.is_write,
        });
    }
}
