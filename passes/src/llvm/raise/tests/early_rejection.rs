//! Early rejection: what it tells, and that description would refuse the same.

use fastrand::Rng;
use polyrs_core::driver::Allowance;
use polyrs_core::isl::Ctx;

use super::fixture::{Builder, DOUBLE, LONG, constant, copy_nest, long, minus_one, recurrence, sum, times, value};
use crate::llvm::raise::affine::describe::describe;
use crate::llvm::raise::affine::early_reject::early_reject;
use crate::llvm::raise::code::function::{Action, Type};
use crate::llvm::raise::code::ids::{LoopId, ValueId};
use crate::llvm::raise::code::operation::{CastOp, FastMath, FloatPredicate, IntOp, Predicate, Wrapping};
use crate::llvm::raise::code::scev::{Form, MinMax, Scev, Wrap};
use crate::llvm::raise::refusal::Reason;

fn rejected(builder: Builder) -> Option<Reason> {
    let (code, chains) = builder.finish();
    early_reject(&code, &chains[0]).map(|obstacle| obstacle.reason)
}

#[test]
fn what_depends_on_data_is_rejected() {
    let mut builder = Builder::new();
    let n = builder.given(LONG, None);
    let [from, to] = [0, 1].map(|_| builder.given(Type::Pointer, None));
    copy_nest(&mut builder, n, from, to);
    assert_eq!(rejected(builder), None);

    let nest = |inside: &dyn Fn(&mut Builder, ValueId, ValueId)| {
        let mut builder = Builder::new();
        let a = builder.given(Type::Pointer, None);
        let (number, _) = builder.begin_loop(Some(constant(9)));
        let loaded = builder.load(LONG, a, times(8, recurrence(number)));
        inside(&mut builder, a, loaded);
        builder.end_loop();
        rejected(builder)
    };
    let subscript = nest(&|builder, a, loaded| {
        builder.load(DOUBLE, a, times(8, value(loaded)));
    });
    assert_eq!(subscript, Some(Reason::Subscript));
    let bound = nest(&|builder, _, loaded| {
        builder.begin_loop(Some(minus_one(loaded)));
        builder.end_loop();
    });
    assert_eq!(bound, Some(Reason::Bound));
    let under_data = nest(&|builder, _, loaded| {
        let zero = builder.number(0);
        let condition = builder.compare(Predicate::Slt, loaded, zero);
        builder.begin_if(condition);
        builder.begin_loop(Some(constant(9)));
        builder.end_loop();
        builder.end_if();
    });
    assert_eq!(under_data, Some(Reason::LoopUnderData));
    let base = nest(&|builder, _, loaded| {
        builder.load(DOUBLE, loaded, constant(0));
    });
    assert_eq!(base, Some(Reason::Base));
}

fn one_of<T: Clone>(chance: &mut Rng, all: &[T]) -> T {
    chance.choice(all).unwrap().clone()
}

/// A random function: nests of loops and conditions, with accesses at random offsets.
struct Program {
    builder: Builder,
    chance: Rng,
    arrays: Vec<ValueId>,
    /// The integers that there are: from outside, loaded, and computed.
    integers: Vec<ValueId>,
    open: Vec<LoopId>,
}

impl Program {
    fn new(seed: u64) -> Self {
        let mut builder = Builder::new();
        let arrays = (0..3).map(|_| builder.given(Type::Pointer, None)).collect();
        let integers = vec![builder.given(LONG, Some((-9, 999))), builder.given(LONG, None)];
        Self { builder, chance: Rng::with_seed(seed), arrays, integers, open: Vec::new() }
    }

    fn scev(&mut self, depth: usize) -> Scev {
        let flag = self.chance.usize(..3) > 0;
        match self.chance.usize(..if depth == 0 { 4 } else { 12 }) {
            0 => constant(i64::try_from(self.chance.usize(..9)).unwrap() - 4),
            1 => value(one_of(&mut self.chance, &self.integers)),
            2 | 3 if !self.open.is_empty() => recurrence(one_of(&mut self.chance, &self.open)),
            2 | 3 => value(self.integers[0]),
            4 | 5 => long(Form::Add(vec![self.scev(depth - 1), self.scev(depth - 1)], Wrap::unless(flag))),
            6 | 7 => times(8, self.scev(depth - 1)),
            8 => long(Form::Mul(vec![self.scev(depth - 1), self.scev(depth - 1)], Wrap::unless(flag))),
            9 => {
                let which = one_of(&mut self.chance, &[MinMax::SMin, MinMax::SMax, MinMax::UMin, MinMax::UMax]);
                long(Form::MinMax(which, vec![self.scev(depth - 1), self.scev(depth - 1)]))
            }
            10 => {
                let mut narrow = self.scev(depth - 1);
                narrow.bits = 32;
                long(if flag { Form::SignExtend(Box::new(narrow)) } else { Form::ZeroExtend(Box::new(narrow)) })
            }
            _ => {
                let divided = long(Form::Divide(Box::new(constant(8)), Box::new(constant(3))));
                one_of(&mut self.chance, &[long(Form::Other), divided])
            }
        }
    }

    /// An integer instruction, with a SCEV in most cases.
    fn integer(&mut self) {
        let (left, right) = (one_of(&mut self.chance, &self.integers), one_of(&mut self.chance, &self.integers));
        let wrapping = Wrapping { nsw: self.chance.usize(..2) == 0, nuw: false };
        let (action, operands) = match self.chance.usize(..4) {
            0 => (Action::Cast(CastOp::SExt), vec![left]),
            1 => (Action::Int(IntOp::Mul, wrapping), vec![left, right]),
            _ => (Action::Int(IntOp::Add, wrapping), vec![left, right]),
        };
        let made = self.builder.instruction(LONG, action, &operands);
        if self.chance.usize(..4) > 0 {
            let scev = self.scev(2);
            self.builder.code.scevs.insert(made, scev);
        }
        self.integers.push(made);
    }

    fn access(&mut self) {
        let (base, offset) = (one_of(&mut self.chance, &self.arrays), self.scev(3));
        let access = match self.chance.usize(..3) {
            0 => {
                let loaded = self.builder.load(LONG, base, times(8, offset));
                self.integers.push(loaded);
                loaded
            }
            1 => self.builder.store(self.integers[0], base, times(8, offset)),
            _ => self.builder.load(DOUBLE, base, offset),
        };
        if self.chance.usize(..3) == 0 {
            let parts = vec![(one_of(&mut self.chance, &self.integers), 8)];
            self.builder.code.pointers.get_mut(&access).unwrap().computed = Some((parts, 0));
        }
    }

    fn nodes(&mut self, depth: usize) {
        for _ in 0..=self.chance.usize(..2) {
            match self.chance.usize(..if depth == 0 { 2 } else { 5 }) {
                0 => self.access(),
                1 => self.integer(),
                2 | 3 => {
                    let count = match self.chance.usize(..4) {
                        0 => Some(self.scev(2)),
                        1 => Some(sum(vec![self.scev(1), constant(-1)])),
                        _ => Some(constant(9)),
                    };
                    let known = self.integers.len();
                    let (number, variable) = self.builder.begin_loop(count);
                    self.open.push(number);
                    self.integers.push(variable);
                    self.access();
                    self.nodes(depth - 1);
                    self.builder.end_loop();
                    self.open.pop();
                    // What is computed in a loop may be used behind it.
                    if self.chance.usize(..2) == 0 {
                        self.integers.truncate(known);
                    }
                }
                _ => {
                    let (left, right) =
                        (one_of(&mut self.chance, &self.integers), one_of(&mut self.chance, &self.integers));
                    let condition = match self.chance.usize(..4) {
                        0 => {
                            let action = Action::CompareFloat(FloatPredicate::Olt, FastMath::default());
                            self.builder.instruction(Type::Int(1), action, &[left, right])
                        }
                        1 => self.builder.given(Type::Int(1), None),
                        _ => self.builder.compare(Predicate::Slt, left, right),
                    };
                    self.builder.begin_if(condition);
                    self.nodes(depth - 1);
                    self.builder.otherwise();
                    self.builder.end_if();
                }
            }
        }
    }
}

#[test]
fn what_is_rejected_early_would_be_refused() {
    const PROGRAMS: u64 = 1500;
    let (mut rejected, mut refused, mut raised) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let mut program = Program::new(seed);
        program.nodes(3);
        let (code, chains) = program.builder.finish();
        for nodes in chains.iter().filter(|nodes| !nodes.is_empty()) {
            let context = Ctx::new();
            let describe = || describe(&code, nodes, context.clone()).map(|_| ());
            let described = Allowance::of_lifting().run(&context, describe);
            match (early_reject(&code, nodes), described) {
                (Some(early), Ok(())) => panic!("seed {seed}: {} was described: {nodes:?}", early.reason),
                (Some(_), Err(_)) => rejected += 1,
                (None, Err(_)) => refused += 1,
                (None, Ok(())) => raised += 1,
            }
        }
    }
    // All of it happens, and early rejection does most of the work.
    println!("{rejected} rejected early, {refused} refused later, {raised} described");
    assert!(rejected > 200 && refused > 20 && raised > 100, "{rejected} {refused} {raised}");
}
