//! Races: accesses of one element by two threads, one of them a write, that nothing puts in order.
//!
//! Two accesses in a kernel are in order if one thread makes both, or if both are in one block and a barrier is between
//! them. That is looked for in the accesses themselves: a race need not show in the values that come out.

use super::fault::{Accessor, Fault, Faults};
use super::interpreter::Interpreter;
use super::trace::{Block, Cell, Copied, ElementId, InstanceId, Step, TileRead};
use crate::scop::AccessKind;
use std::collections::BTreeMap;

impl Interpreter<'_> {
    /// Adds the races in the kernels of a run.
    pub(super) fn races(&self, step: &Step, faults: &mut Faults) {
        match step {
            Step::Sequence(children) | Step::Unordered { children, .. } => {
                children.iter().for_each(|child| self.races(child, faults));
            }
            Step::Kernel(blocks) => Launch::new(self, blocks, faults).run(),
            Step::Instance(..) | Step::Copy(_) | Step::Barrier(_) => {}
        }
    }
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
    /// `None` for a copy to shared memory.
    instance: Option<InstanceId>,
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

/// A launch of a kernel.
struct Launch<'k, 's> {
    interpreter: &'k Interpreter<'s>,
    blocks: &'k [Block],
    elements: BTreeMap<ElementId, History>,
    /// The shared memory of the block at hand.
    cells: BTreeMap<Cell, History>,
    faults: &'k mut Faults,
}

impl<'k, 's> Launch<'k, 's> {
    fn new(interpreter: &'k Interpreter<'s>, blocks: &'k [Block], faults: &'k mut Faults) -> Self {
        Launch { interpreter, blocks, elements: BTreeMap::new(), cells: BTreeMap::new(), faults }
    }

    fn run(mut self) {
        for (block, Block { threads }) in self.blocks.iter().enumerate() {
            self.cells.clear();
            let phases = threads.iter().map(|thread| thread.phases.len()).max().unwrap_or_default();
            for phase in 0..phases {
                for (number, thread) in threads.iter().enumerate() {
                    let agent = Some(number);
                    let at = Access { block, phase, thread: number, agent, instance: None, is_write: false };
                    for step in thread.phases.get(phase).into_iter().flatten() {
                        self.step(step, at, &mut Vec::new());
                    }
                }
            }
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
            Step::Instance(instance, reads) => self.instance(*instance, reads, at, private),
            Step::Copy(Copied { element, cell }) => {
                let is_alone = self.blocks.get(at.block).is_some_and(|block| block.threads.len() == 1);
                let at = Access { agent: at.agent.filter(|_| is_alone), ..at };
                self.element(*element, at);
                self.cell(*cell, Access { is_write: true, ..at });
            }
            Step::Barrier(_) | Step::Kernel(_) => {}
        }
    }

    fn instance(&mut self, id: InstanceId, reads: &[TileRead], at: Access, private: &[usize]) {
        let interpreter = self.interpreter;
        let at = Access { instance: Some(id), ..at };
        for (position, touch) in interpreter.instances[id].touches.iter().enumerate() {
            if let Some(read) = reads.iter().find(|read| read.access == position) {
                if let Some(cell) = read.cell {
                    self.cell(cell, at);
                }
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
        if let Some(former) = self.elements.entry(element).or_default().add(access) {
            let interpreter = self.interpreter;
            let place = ("race", interpreter.elements[element].array);
            self.race(place, || interpreter.element_name(element), former, access);
        }
    }

    fn cell(&mut self, cell: Cell, access: Access) {
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
        let statement = |access: Access| access.instance.map(|id| interpreter.instances[id].statement);
        let accessor = |access: Access| Accessor {
            instance: access.instance.map(|id| interpreter.name(id)),
            thread: blocks[access.block].threads[access.thread].id.clone(),
        };
        faults.add((kind, place, [statement(writer), statement(other)]), || Fault::Race {
            element: element(),
            writer: accessor(writer),
            other: accessor(other),
            is_write: other.is_write,
        });
    }
}
