//! Running: the steps of a line, carried out on memory.

use super::fault::{Accessor, Agent, Fault, Faults, ThreadId};
use super::hash::{hash_text, mix};
use super::interpreter::Interpreter;
use super::line::{Action, ActionKind, Frame, FrameKind, Line, Order};
use super::outcome::{Outcome, Value};
use super::trace::{Cell, Copied, ElementId, HeldCopy, HoldId, InstanceId, Place, Redirect, Trace};
use crate::scop::{AccessKind, ArrayKind, Operator, Role};
use std::collections::BTreeMap;

impl Interpreter<'_> {
    /// Runs a trace with one order of what it leaves unordered.
    pub fn run(&self, trace: &Trace, order: Order) -> Outcome {
        let mut line = Line::new(order);
        let actions = line.actions(&trace.root, None);
        let mut state = State {
            interpreter: self,
            frames: line.frames,
            memory: (0..self.elements.len()).map(|e| self.initial(e)).collect(),
            private: BTreeMap::new(),
            tiles: BTreeMap::new(),
            buffers: BTreeMap::new(),
            written: BTreeMap::new(),
            steps: 0,
            pending: BTreeMap::new(),
            faults: Faults::default(),
            count: vec![0; self.instances.len()],
            reads: Vec::new(),
        };
        for action in &actions {
            state.act(action);
        }
        let State { memory, count, reads, faults, .. } = state;
        Outcome { memory, count, reads, faults: faults.into_vec() }
    }

    /// The final values of the elements whose value may be observed, by name (`A[1, 2]`), `None` where undefined.
    pub fn live_out(&self, outcome: &Outcome) -> Vec<(String, Option<u64>)> {
        let live = (0..outcome.memory.len()).filter(|&e| self.elements[e].live_out);
        live.map(|e| (self.element_name(e), outcome.memory[e])).collect()
    }

    fn is_copy(&self, instance: InstanceId) -> bool {
        self.scop.statement(self.instances[instance].statement).copy
    }

    /// The part in a reduction.
    fn role(&self, instance: InstanceId) -> Option<Role> {
        self.scop.statement(self.instances[instance].statement).reduction.map(|reduction| reduction.role)
    }

    /// What makes the operation of a reduction another one than those of others; 0 for sums.
    fn salt(&self, instance: InstanceId) -> u64 {
        let operator = self.scop.statement(self.instances[instance].statement).reduction.map(|one| one.operator);
        operator.filter(|one| *one != Operator::Add).map_or(0, |one| hash_text(mix(4), &one.to_string()))
    }

    fn initial(&self, element: ElementId) -> Value {
        let array = &self.scop.arrays[self.elements[element].array];
        match array.kind {
            ArrayKind::Memory | ArrayKind::Scalar => {
                let hash = hash_text(mix(1), &array.name);
                Some(self.elements[element].index.iter().fold(hash, |h, &i| mix(h ^ i.cast_unsigned())))
            }
            ArrayKind::Local => None,
        }
    }
}

/// What a tile holds somewhere.
#[derive(Debug, Clone, Copy)]
struct InTile {
    element: ElementId,
    value: Value,
    /// After how many steps it was copied.
    since: usize,
}

struct State<'m, 's, 't> {
    interpreter: &'m Interpreter<'s>,
    frames: Vec<Frame<'t>>,
    memory: Vec<Value>,
    /// The copies: undefined until written.
    private: BTreeMap<(usize, ElementId), Value>,
    /// The shared memory of blocks, by their frames, and outside of kernels buffers: undefined until something is copied
    /// there.
    tiles: BTreeMap<(Option<usize>, Cell), InTile>,
    /// The buffers of loops that hold elements: undefined until something is copied there.
    buffers: BTreeMap<(HoldId, ElementId), Value>,
    /// After how many steps, and by whom, elements were written last, in memory or in a buffer.
    written: BTreeMap<ElementId, (usize, InstanceId)>,
    steps: usize,
    /// What instances between their reads and their writes have read; several when an instance runs twice at once.
    pending: BTreeMap<(InstanceId, Option<usize>), Vec<Value>>,
    faults: Faults,
    count: Vec<usize>,
    reads: Vec<(InstanceId, Value)>,
}

impl State<'_, '_, '_> {
    fn act(&mut self, action: &Action<'_>) {
        self.steps += 1;
        let frame = action.frame;
        match action.kind {
            ActionKind::Read(instance, redirects) => {
                let read = self.read(instance, redirects, frame);
                self.pending.entry((instance, frame)).or_default().push(read);
            }
            ActionKind::Write(instance, redirects) => {
                let read = self.pending.get_mut(&(instance, frame)).and_then(Vec::pop).unwrap_or(None);
                self.write(instance, redirects, read, frame);
                self.count[instance] += 1;
                self.reads.push((instance, read));
            }
            ActionKind::Copy(Copied { element, cell }) => {
                let held = InTile { element, value: self.load(element, frame), since: self.steps };
                self.tiles.insert((self.block(frame), cell), held);
            }
            ActionKind::Held(HeldCopy { hold, element, is_back: false }) => {
                let value = self.load(element, frame);
                self.buffers.insert((hold, element), value);
            }
            ActionKind::Held(HeldCopy { hold, element, is_back: true }) => {
                let value = self.buffers.remove(&(hold, element)).flatten();
                self.store_memory(element, frame, value);
            }
        }
    }

    /// The hash of the instance and all that it reads; what a copy reads.
    fn read(&mut self, id: InstanceId, redirects: &[Redirect], frame: Option<usize>) -> Value {
        let interpreter = self.interpreter;
        let instance = &interpreter.instances[id];
        let mut hash = hash_text(mix(2), &interpreter.scop.statement(instance.statement).name);
        for &i in &instance.vector {
            hash = mix(hash ^ i.cast_unsigned());
        }
        let mut hash = Some(hash);
        let is_copy = interpreter.is_copy(id);
        let role = interpreter.role(id);
        let gathered = interpreter.gathered[instance.statement.0];
        let mut gathers = Some(0);
        for (position, touch) in instance.touches.iter().enumerate().filter(|(_, t)| t.kind == AccessKind::Read) {
            let redirect = redirects.iter().find(|redirect| redirect.access == position);
            for &element in &touch.elements {
                let value = match redirect.map(|redirect| redirect.to) {
                    Some(Place::Tile(cell)) => self.load_tile(cell, element, id, frame),
                    Some(Place::Buffer { hold, .. }) => self.buffers.get(&(hold, element)).copied().flatten(),
                    None => self.load(element, frame),
                };
                if role.is_some() && gathered == Some(position) {
                    gathers = value;
                    continue;
                }
                hash = if is_copy || role == Some(Role::Combine) {
                    value
                } else {
                    hash.zip(value).map(|(hash, value)| mix(hash ^ value))
                };
            }
        }
        // Any operation whose order does not count does, as long as it is another one for each operator.
        let salt = interpreter.salt(id);
        match role {
            None => hash,
            Some(Role::Neutral) => Some(salt),
            Some(Role::Update) => gathers.zip(hash).map(|(all, one)| (all ^ salt).wrapping_add(one) ^ salt),
            Some(Role::Combine) => gathers.zip(hash).map(|(all, one)| (all ^ salt).wrapping_add(one ^ salt) ^ salt),
        }
    }

    fn write(&mut self, id: InstanceId, redirects: &[Redirect], read: Value, frame: Option<usize>) {
        let interpreter = self.interpreter;
        for (position, touch) in interpreter.instances[id].touches.iter().enumerate() {
            let hold = Redirect::hold(redirects, position);
            for &element in &touch.elements {
                let value = match (interpreter.is_copy(id), &touch.elements[..]) {
                    (true, _) => read,
                    _ if interpreter.role(id).is_some() => read,
                    // Which element it is does not count, so that values are the same in another layout.
                    (false, [_]) => read.map(|hash| mix(hash ^ position as u64)),
                    (false, _) => {
                        read.map(|hash| mix(mix(hash ^ position as u64) ^ element_hash(interpreter, element)))
                    }
                };
                let value = match touch.kind {
                    AccessKind::MustWrite => value,
                    AccessKind::Kill => None,
                    AccessKind::MayWrite if value.is_none_or(|v| v & 1 == 0) => value,
                    AccessKind::Read | AccessKind::MayWrite => continue,
                };
                match hold {
                    Some(hold) => {
                        self.buffers.insert((hold, element), value);
                        self.written.insert(element, (self.steps, id));
                    }
                    None => self.store(element, frame, value, id),
                }
            }
        }
    }

    /// The frame whose copy of an element is seen from a frame; none is memory.
    fn home(&self, element: ElementId, mut frame: Option<usize>) -> Option<usize> {
        let array = self.interpreter.elements[element].array;
        while let Some(f) = frame {
            if let FrameKind::Private(arrays) = self.frames[f].kind
                && arrays.contains(&array)
            {
                return Some(f);
            }
            frame = self.frames[f].outer;
        }
        None
    }

    fn load(&self, element: ElementId, frame: Option<usize>) -> Value {
        match self.home(element, frame) {
            Some(f) => self.private.get(&(f, element)).copied().flatten(),
            None => self.memory[element],
        }
    }

    fn store(&mut self, element: ElementId, frame: Option<usize>, value: Value, by: InstanceId) {
        if self.home(element, frame).is_none() {
            self.written.insert(element, (self.steps, by));
        }
        self.store_memory(element, frame, value);
    }

    fn store_memory(&mut self, element: ElementId, frame: Option<usize>, value: Value) {
        match self.home(element, frame) {
            Some(f) => drop(self.private.insert((f, element), value)),
            None => self.memory[element] = value,
        }
    }

    /// What a read finds in a tile, with what is wrong about that.
    fn load_tile(&mut self, cell: Option<Cell>, element: ElementId, id: InstanceId, frame: Option<usize>) -> Value {
        let key = cell.map(|cell| (self.block(frame), cell));
        let held = key.and_then(|key| self.tiles.get(&key).copied());
        match held {
            Some(held) if held.element == element => {
                if let Some(&(at, writer)) = self.written.get(&element)
                    && at > held.since
                {
                    let writer = self.interpreter.name(writer);
                    self.fault("stale", id, element, frame, |element, reader| Fault::Stale { element, reader, writer });
                }
                held.value
            }
            _ => {
                let holds = held.map(|held| self.interpreter.element_name(held.element));
                self.fault("copied", id, element, frame, |element, reader| match key {
                    Some(_) => Fault::NotCopied { element, reader, holds },
                    None => Fault::OutsideOfTile { element, reader },
                });
                None
            }
        }
    }

    fn fault(
        &mut self,
        kind: &'static str,
        id: InstanceId,
        element: ElementId,
        frame: Option<usize>,
        fault: impl FnOnce(String, Accessor) -> Fault,
    ) {
        let thread = self.thread(frame).cloned();
        let interpreter = self.interpreter;
        let place = (kind, interpreter.elements[element].array, [Some(interpreter.instances[id].statement), None]);
        let reader = || Accessor { agent: Agent::Instance(interpreter.name(id)), thread: thread.clone() };
        self.faults.add(place, || fault(interpreter.element_name(element), reader()));
    }

    /// The frames around a step, from the inside.
    fn around(&self, frame: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(frame, |f| self.frames[*f].outer)
    }

    /// The frame of the block that a step is in.
    fn block(&self, frame: Option<usize>) -> Option<usize> {
        self.around(frame).find(|f| matches!(self.frames[*f].kind, FrameKind::Block))
    }

    /// The thread that a step is of.
    fn thread(&self, frame: Option<usize>) -> Option<&ThreadId> {
        self.around(frame).find_map(|f| match self.frames[f].kind {
            FrameKind::Thread(thread) => Some(&thread.id),
            FrameKind::Private(_) | FrameKind::Block => None,
        })
    }
}

fn element_hash(interpreter: &Interpreter<'_>, element: ElementId) -> u64 {
    let found = &interpreter.elements[element];
    let hash = hash_text(mix(3), &interpreter.scop.arrays[found.array].name);
    found.index.iter().fold(hash, |h, &i| mix(h ^ i.cast_unsigned()))
}
