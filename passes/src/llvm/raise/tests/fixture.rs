//! Functions built by hand: loops as LLVM rotates them, conditions, accesses.

use crate::llvm::raise::affine::polynomial::{Dim, Polynomial, Symbol};
use crate::llvm::raise::code::function::{
    Action, BasicBlock, Code, Constant, Instruction, Loop, Pointer, Source, Type, Value,
};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::code::operation::{IntOp, Predicate, Wrapping};
use crate::llvm::raise::code::scev::{Form, Scev, Wrap};
use crate::llvm::raise::structure::nodes::ControlNode;
use crate::llvm::raise::structure::recover::structure;

pub const LONG: Type = Type::Int(64);
pub const DOUBLE: Type = Type::Float(64);
pub const NSW: Wrapping = Wrapping { nsw: true, nuw: false };

/// A condition that is being built.
struct OpenIf {
    block: BlockId,
    then_end: Option<BlockId>,
    condition: ValueId,
}

/// A function that is being built, block after block.
pub struct Builder {
    pub code: Code,
    block: BlockId,
    loops: Vec<(LoopId, ValueId)>,
    conditions: Vec<OpenIf>,
}

impl Builder {
    pub fn new() -> Self {
        let code = Code { blocks: vec![BasicBlock::default()], ..Code::default() };
        Self { code, block: BlockId(0), loops: Vec::new(), conditions: Vec::new() }
    }

    fn value(&mut self, kind: Type, source: Source, range: Option<(i64, i64)>) -> ValueId {
        self.code.values.push(Value { kind, source, range });
        ValueId(self.code.values.len() - 1)
    }

    /// A value from outside.
    pub fn given(&mut self, kind: Type, range: Option<(i64, i64)>) -> ValueId {
        self.value(kind, Source::Given, range)
    }

    /// A constant of 64 bits.
    pub fn number(&mut self, number: i64) -> ValueId {
        self.value(LONG, Source::Constant(Constant::Int(number)), Some((number, number)))
    }

    /// An instruction at the end of the current block.
    pub fn instruction(&mut self, kind: Type, action: Action, operands: &[ValueId]) -> ValueId {
        let block = self.block;
        let instruction = Instruction { action, operands: operands.to_vec(), block, location: None };
        let value = self.value(kind, Source::Computed(instruction), None);
        self.code.blocks[block.0].instructions.push(value);
        value
    }

    /// A sum that does not wrap around, with a SCEV.
    pub fn add(&mut self, left: ValueId, right: ValueId, scev: Scev) -> ValueId {
        let sum = self.instruction(LONG, Action::Int(IntOp::Add, NSW), &[left, right]);
        self.code.scevs.insert(sum, scev);
        sum
    }

    /// A comparison.
    pub fn compare(&mut self, predicate: Predicate, left: ValueId, right: ValueId) -> ValueId {
        self.instruction(Type::Int(1), Action::Compare(predicate), &[left, right])
    }

    /// A load of a base at an offset in bytes.
    pub fn load(&mut self, kind: Type, base: ValueId, offset: Scev) -> ValueId {
        let value = self.instruction(kind, Action::Load, &[base]);
        self.code.pointers.insert(value, Pointer { base, offset, inbounds: true, computed: None });
        value
    }

    /// A store to a base at an offset in bytes.
    pub fn store(&mut self, stored: ValueId, base: ValueId, offset: Scev) -> ValueId {
        let value = self.instruction(Type::Void, Action::Store, &[stored, base]);
        self.code.pointers.insert(value, Pointer { base, offset, inbounds: true, computed: None });
        value
    }

    fn open_block(&mut self) -> BlockId {
        let around = self.loops.last().map(|(number, _)| *number);
        self.code.blocks.push(BasicBlock { around, ..BasicBlock::default() });
        let block = BlockId(self.code.blocks.len() - 1);
        for (number, _) in &self.loops {
            self.code.loops[number.0].blocks.push(block);
        }
        block
    }

    fn edge(&mut self, from: BlockId, to: BlockId) {
        self.code.blocks[from.0].successors.push(to);
        self.code.blocks[to.0].predecessors.push(from);
    }

    fn jump(&mut self, to: BlockId) {
        self.instruction(Type::Void, Action::Jump, &[]);
        self.edge(self.block, to);
    }

    /// A loop that goes back so often; its number, and its variable, which counts from zero.
    pub fn begin_loop(&mut self, backedges: Option<Scev>) -> (LoopId, ValueId) {
        let number = LoopId(self.code.loops.len());
        let preheader = self.block;
        let zero = self.number(0);
        self.code.loops.push(Loop {
            header: BlockId(0),
            parent: self.loops.last().map(|(outer, _)| *outer),
            preheader: Some(preheader),
            latch: None,
            exiting: None,
            exit: None,
            backedges,
            ends: true,
            blocks: Vec::new(),
        });
        self.loops.push((number, zero));
        let header = self.open_block();
        self.code.loops[number.0].header = header;
        self.jump(header);
        self.block = header;
        let variable = self.instruction(LONG, Action::Phi(vec![preheader]), &[zero]);
        self.code.scevs.insert(variable, recurrence(number));
        self.loops.last_mut().unwrap().1 = variable;
        (number, variable)
    }

    /// The end of the innermost loop.
    pub fn end_loop(&mut self) {
        let (number, variable) = *self.loops.last().unwrap();
        let one = self.number(1);
        let next = self.add(variable, one, sum(vec![recurrence(number), constant(1)]));
        let condition = self.compare(Predicate::Slt, next, one);
        let latch = self.block;
        self.instruction(Type::Void, Action::Branch, &[condition]);
        let header = self.code.loops[number.0].header;
        self.edge(latch, header);
        self.loops.pop();
        let exit = self.open_block();
        self.edge(latch, exit);
        self.block = exit;
        let this = &mut self.code.loops[number.0];
        (this.latch, this.exiting, this.exit) = (Some(latch), Some(latch), Some(exit));
        let Source::Computed(phi) = &mut self.code.values[variable.0].source else { unreachable!() };
        phi.operands.push(next);
        let Action::Phi(from) = &mut phi.action else { unreachable!() };
        from.push(latch);
    }

    /// A condition; what follows is done where it holds.
    pub fn begin_if(&mut self, condition: ValueId) {
        let block = self.block;
        self.instruction(Type::Void, Action::Branch, &[condition]);
        self.conditions.push(OpenIf { block, then_end: None, condition });
        let then = self.open_block();
        self.edge(block, then);
        self.block = then;
    }

    /// What follows is done where the condition does not hold.
    pub fn otherwise(&mut self) {
        let end = self.block;
        let open = self.conditions.last_mut().unwrap();
        open.then_end = Some(end);
        let from = open.block;
        let otherwise = self.open_block();
        self.edge(from, otherwise);
        self.block = otherwise;
    }

    /// The end of a condition, whose value is given back.
    pub fn end_if(&mut self) -> ValueId {
        if self.conditions.last().unwrap().then_end.is_none() {
            self.otherwise();
        }
        let OpenIf { then_end, condition, .. } = self.conditions.pop().unwrap();
        let join = self.open_block();
        self.jump(join);
        self.block = then_end.unwrap();
        self.jump(join);
        self.block = join;
        condition
    }

    /// The program ends with an error where a condition holds.
    pub fn fail_if(&mut self, condition: ValueId) {
        let block = self.block;
        self.instruction(Type::Void, Action::Branch, &[condition]);
        let error = self.open_block();
        self.edge(block, error);
        self.block = error;
        self.instruction(Type::Void, Action::Never, &[]);
        let rest = self.open_block();
        self.edge(block, rest);
        self.block = rest;
    }

    /// The function, and the parts that its control flow has.
    pub fn finish(mut self) -> (Code, Vec<Vec<ControlNode>>) {
        self.instruction(Type::Void, Action::Leave, &[]);
        self.code.find_failures();
        let chains = structure(&self.code);
        (self.code, chains)
    }
}

/// `for (i = 0; i < n; i++) for (j = 0; j < n; j++) stored to[1000 * i + j] = from[1000 * i + j]`; the loops, and the
/// load.
pub fn copy_nest(builder: &mut Builder, n: ValueId, from: ValueId, to: ValueId) -> ([LoopId; 2], ValueId) {
    let (outer, _) = builder.begin_loop(Some(minus_one(n)));
    let (inner, _) = builder.begin_loop(Some(minus_one(n)));
    let offset = bytes(1000, outer, inner);
    let loaded = builder.load(DOUBLE, from, offset.clone());
    builder.store(loaded, to, offset);
    builder.end_loop();
    builder.end_loop();
    ([outer, inner], loaded)
}

/// `8 * (rows * i + j)`
pub fn bytes(rows: i64, outer: LoopId, inner: LoopId) -> Scev {
    sum(vec![times(8 * rows, recurrence(outer)), times(8, recurrence(inner))])
}

pub fn long(form: Form) -> Scev {
    Scev { bits: 64, form, computed: None }
}

pub fn constant(number: i64) -> Scev {
    long(Form::Constant(number))
}

pub fn value(value: ValueId) -> Scev {
    long(Form::Value(value))
}

pub fn sum(parts: Vec<Scev>) -> Scev {
    long(Form::Add(parts, Wrap::Never))
}

pub fn times(factor: i64, part: Scev) -> Scev {
    long(Form::Mul(vec![constant(factor), part], Wrap::Never))
}

/// `n - 1`
pub fn minus_one(n: ValueId) -> Scev {
    sum(vec![value(n), constant(-1)])
}

/// The variable of a loop, from zero in steps of one.
pub fn recurrence(number: LoopId) -> Scev {
    long(Form::AddRec(Box::new(constant(0)), Box::new(constant(1)), number, Wrap::Never))
}

pub fn symbol(value: ValueId) -> Polynomial {
    Polynomial::symbol(Symbol::Value(value))
}

pub fn variable(number: LoopId) -> Polynomial {
    Polynomial::symbol(Symbol::Dim(Dim::Loop(number)))
}
