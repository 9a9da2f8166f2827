//! Running: a trace made a line of steps by one order of what is unordered, then carried out on memory.

use super::interpreter::{ElementId, Interpreter};
use super::outcome::{Outcome, Value};
use super::trace::{InstanceId, Step, Trace};
use crate::scop::{AccessKind, ArrayKind};
use std::collections::BTreeMap;

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

impl Interpreter<'_> {
    /// Runs a trace with one order of what it leaves unordered.
    pub fn run(&self, trace: &Trace, order: Order) -> Outcome {
        let mut line = Line { order, frames: Vec::new(), random: Random::new(order) };
        let actions = line.actions(&trace.root, None);
        let mut state = State {
            interpreter: self,
            frames: line.frames,
            memory: (0..self.elements.len()).map(|e| self.initial(e)).collect(),
            private: BTreeMap::new(),
            pending: BTreeMap::new(),
            outcome: Outcome { memory: Vec::new(), count: vec![0; self.instances.len()], reads: Vec::new() },
        };
        for action in &actions {
            state.act(action);
        }
        Outcome { memory: state.memory, ..state.outcome }
    }

    /// The final values of the elements whose value may be observed, by name (`A[1, 2]`), `None` where undefined.
    pub fn live_out(&self, outcome: &Outcome) -> Vec<(String, Option<u64>)> {
        let live = (0..outcome.memory.len()).filter(|&e| self.elements[e].live_out);
        live.map(|e| (self.element_name(e), outcome.memory[e])).collect()
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

/// A part of an unordered step: the copies of arrays that it alone sees.
#[derive(Debug)]
struct Frame {
    outer: Option<usize>,
    /// Positions of the arrays.
    private: Vec<usize>,
}

/// A step of a run; reads come before the writes of the same instance and frame.
#[derive(Debug, Clone, Copy)]
struct Action {
    instance: InstanceId,
    frame: Option<usize>,
    write: bool,
}

struct Line {
    order: Order,
    frames: Vec<Frame>,
    random: Random,
}

impl Line {
    fn actions(&mut self, step: &Step, frame: Option<usize>) -> Vec<Action> {
        match step {
            Step::Instance(instance) => {
                let read = Action { instance: *instance, frame, write: false };
                vec![read, Action { write: true, ..read }]
            }
            Step::Sequence(children) => {
                let mut all = Vec::new();
                for child in children {
                    all.append(&mut self.actions(child, frame));
                }
                all
            }
            Step::Unordered { children, private } => {
                let mut parts = Vec::new();
                for child in children {
                    let frame = if private.is_empty() { frame } else { Some(self.frame(frame, private)) };
                    parts.push(self.actions(child, frame));
                }
                self.line_up(parts)
            }
        }
    }

    fn frame(&mut self, outer: Option<usize>, private: &[usize]) -> usize {
        self.frames.push(Frame { outer, private: private.to_vec() });
        self.frames.len() - 1
    }

    fn line_up(&mut self, mut parts: Vec<Vec<Action>>) -> Vec<Action> {
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

    fn interleave(&mut self, parts: Vec<Vec<Action>>) -> Vec<Action> {
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

struct State<'m, 's> {
    interpreter: &'m Interpreter<'s>,
    frames: Vec<Frame>,
    memory: Vec<Value>,
    /// The copies: undefined until written.
    private: BTreeMap<(usize, ElementId), Value>,
    /// What instances between their reads and their writes have read; several when an instance runs twice at once.
    pending: BTreeMap<(InstanceId, Option<usize>), Vec<Value>>,
    outcome: Outcome,
}

impl State<'_, '_> {
    fn act(&mut self, action: &Action) {
        let key = (action.instance, action.frame);
        if !action.write {
            let read = self.read(action);
            self.pending.entry(key).or_default().push(read);
            return;
        }
        let read = self.pending.get_mut(&key).and_then(Vec::pop).unwrap_or(None);
        self.write(action, read);
        self.outcome.count[action.instance] += 1;
        self.outcome.reads.push((action.instance, read));
    }

    /// The hash of the instance and all that it reads.
    fn read(&self, action: &Action) -> Value {
        let interpreter = self.interpreter;
        let instance = &interpreter.instances[action.instance];
        let mut hash = hash_text(mix(2), &interpreter.scop.statement(instance.statement).name);
        for &i in &instance.vector {
            hash = mix(hash ^ i.cast_unsigned());
        }
        for touch in instance.touches.iter().filter(|t| t.kind == AccessKind::Read) {
            for &element in &touch.elements {
                hash = mix(hash ^ self.load(element, action.frame)?);
            }
        }
        Some(hash)
    }

    fn write(&mut self, action: &Action, read: Value) {
        let interpreter = self.interpreter;
        for (position, touch) in interpreter.instances[action.instance].touches.iter().enumerate() {
            for &element in &touch.elements {
                let value = read.map(|hash| mix(mix(hash ^ position as u64) ^ element_hash(interpreter, element)));
                match touch.kind {
                    AccessKind::Read => {}
                    AccessKind::MustWrite => self.store(element, action.frame, value),
                    AccessKind::Kill => self.store(element, action.frame, None),
                    AccessKind::MayWrite if value.is_none_or(|v| v & 1 == 0) => {
                        self.store(element, action.frame, value);
                    }
                    AccessKind::MayWrite => {}
                }
            }
        }
    }

    /// The frame whose copy of an element is seen from a frame; none is memory.
    fn home(&self, element: ElementId, mut frame: Option<usize>) -> Option<usize> {
        let array = self.interpreter.elements[element].array;
        while let Some(f) = frame {
            if self.frames[f].private.contains(&array) {
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

    fn store(&mut self, element: ElementId, frame: Option<usize>, value: Value) {
        match self.home(element, frame) {
            Some(f) => drop(self.private.insert((f, element), value)),
            None => self.memory[element] = value,
        }
    }
}

fn element_hash(interpreter: &Interpreter<'_>, element: ElementId) -> u64 {
    let found = &interpreter.elements[element];
    let hash = hash_text(mix(3), &interpreter.scop.arrays[found.array].name);
    found.index.iter().fold(hash, |h, &i| mix(h ^ i.cast_unsigned()))
}

/// A bijection of 64-bit numbers that spreads every bit (the finaliser of splitmix64), shifted so that 0 moves too.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn hash_text(start: u64, text: &str) -> u64 {
    text.bytes().fold(start, |h, byte| mix(h ^ u64::from(byte)))
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
