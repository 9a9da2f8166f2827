//! A function as raising sees it: plain data, so that all decisions can be made, and tested, without LLVM.

use std::collections::{BTreeMap, BTreeSet};

use super::ids::{BlockId, LoopId, ValueId};
use super::operation::{CastOp, FastMath, FloatOp, FloatPredicate, IntOp, Intrinsic, Predicate, Wrapping};
use super::scev::Scev;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// An integer of so many bits.
    Int(u32),
    /// A half, single or double precision number, by its bits.
    Float(u32),
    /// The 16-bit format with the exponent of single precision.
    BFloat,
    /// A pointer of the default address space.
    Pointer,
    /// Nothing.
    Void,
    /// Anything else, which no region may use.
    Other,
}

impl Type {
    /// The type in MLIR; nothing for pointers and others.
    pub fn text(self) -> Option<String> {
        match self {
            Type::Int(bits) => Some(format!("i{bits}")),
            Type::Float(bits) => Some(format!("f{bits}")),
            Type::BFloat => Some("bf16".to_owned()),
            Type::Pointer | Type::Void | Type::Other => None,
        }
    }

    /// The bytes of a value in memory, for types without padding.
    pub fn bytes(self) -> Option<i64> {
        let bits = match self {
            Type::Int(bits @ (8 | 16 | 32 | 64)) | Type::Float(bits) => bits,
            Type::BFloat => 16,
            _ => return None,
        };
        Some(i64::from(bits / 8))
    }
}

/// A constant of a number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// An integer, sign-extended.
    Int(i64),
    /// The bits of a floating-point number.
    Float(u64),
    /// Undefined or poison: any value will do.
    Any,
}

/// An instruction that makes a number of what may be none, in words.
pub const FROZEN: &str = "a frozen value";

/// The action of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// An operation on integers.
    Int(IntOp, Wrapping),
    /// An operation on floating-point numbers.
    Float(FloatOp, FastMath),
    /// A comparison of integers.
    Compare(Predicate),
    /// A comparison of pointers.
    ComparePointers(Predicate),
    /// A comparison of floating-point numbers.
    CompareFloat(FloatPredicate, FastMath),
    /// A conversion.
    Cast(CastOp),
    /// One of two values.
    Select,
    /// An intrinsic.
    Intrinsic(Intrinsic, FastMath),
    /// A call of a function that does nothing but compute a number from its operands.
    Call,
    /// A call of a function that computes a number from its operand, and says in `errno` if there is none. Code that may run
    /// on another thread notes that for the one that `errno` belongs to.
    NotedCall,
    /// A value for each block that control may come from.
    Phi(Vec<BlockId>),
    /// Loads from operand 0.
    Load,
    /// Stores operand 0 to operand 1.
    Store,
    /// Sets memory at operand 0, aligned so, to the byte that is operand 1, for as many bytes as operand 2 says.
    Fill(u64),
    /// Copies memory to operand 0 from operand 1, aligned so, as many bytes as operand 2 says.
    Copy {
        /// The alignment of operand 0.
        to: u64,
        /// The alignment of operand 1.
        from: u64,
        /// The places may overlap.
        moves: bool,
    },
    /// An address.
    Address,
    /// Something that may be left out.
    Hint,
    /// To the only successor.
    Jump,
    /// To the first successor if operand 0 holds, else to the second.
    Branch,
    /// Leaves the function.
    Leave,
    /// Is never reached, since the program ended before or is undefined.
    Never,
    /// Anything else, in words.
    Other(&'static str),
}

impl Action {
    /// Whether it accesses many elements, as a loop does.
    pub fn is_bulk(&self) -> bool {
        matches!(self, Action::Fill(_) | Action::Copy { .. })
    }

    /// Whether it writes to memory.
    pub fn stores(&self) -> bool {
        *self == Action::Store || self.is_bulk()
    }
}

/// Where something is in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The action.
    pub action: Action,
    /// The operands.
    pub operands: Vec<ValueId>,
    /// The block.
    pub block: BlockId,
    /// Where it is in the source.
    pub location: Option<SourceLocation>,
}

/// The source of a value.
#[derive(Clone, Debug)]
pub enum Source {
    /// An argument, a global, or the like: known everywhere.
    Given,
    /// A constant.
    Constant(Constant),
    /// Computed by an instruction.
    Computed(Instruction),
}

/// A value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub kind: Type,
    /// The source.
    pub source: Source,
    /// For an integer: the least and the greatest value it has, read as a signed number.
    pub range: Option<(i64, i64)>,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct BasicBlock {
    /// The instructions, the terminator last.
    pub instructions: Vec<ValueId>,
    /// Where control may go.
    pub successors: Vec<BlockId>,
    /// Where it may come from.
    pub predecessors: Vec<BlockId>,
    /// The innermost loop around.
    pub around: Option<LoopId>,
    /// The program ends with an error, or an exception is on its way, in it or in blocks that it always leads to.
    pub fails: bool,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Where it starts.
    pub header: BlockId,
    /// The loop around.
    pub parent: Option<LoopId>,
    /// The only block before.
    pub preheader: Option<BlockId>,
    /// The only block that leads back to the header.
    pub latch: Option<BlockId>,
    /// The only block that leads out, but to an error.
    pub exiting: Option<BlockId>,
    /// The only block behind, but for errors.
    pub exit: Option<BlockId>,
    /// How often it goes back to the header, exactly, if there is no error.
    pub backedges: Option<Scev>,
    /// The program may assume that it ends.
    pub ends: bool,
    /// Its blocks, those of loops in it included, in order.
    pub blocks: Vec<BlockId>,
}

/// Where an access goes.
#[derive(Clone, Debug)]
pub struct Pointer {
    /// The value that it is an offset from.
    pub base: ValueId,
    /// The offset in bytes, modulo 2^64.
    pub offset: Scev,
    /// Base and access are in the same object.
    pub inbounds: bool,
    /// The offset as instructions compute it: multiples of values, and a constant; if it is known.
    pub computed: Option<(Vec<(ValueId, i64)>, i64)>,
}

/// Rows of an array behind pointers that lie in a table, one for each row. Where the rows are as far apart as their
/// neighbours, they are an array of one dimension more.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Where the table starts.
    pub table: ValueId,
    /// Stands for where row zero starts, as a pointer. No instruction computes it: it is known if the rows have equal
    /// distances.
    pub start: ValueId,
    /// Stands for the distance of neighbours in elements, as an integer of 64 bits.
    pub spacing: ValueId,
}

/// Where a variable on the stack starts or ends to live.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The variable.
    pub variable: ValueId,
    /// Its size.
    pub bytes: u64,
    /// It starts.
    pub starts: bool,
}

/// Two versions of a loop. The first one is never run: it says what the loop does if nothing is written in it to some places,
/// from which it has what is loaded before.
#[derive(Clone, Debug)]
pub struct Versions {
    /// The condition that decides between them.
    pub condition: ValueId,
    /// The block before the first one.
    pub before: BlockId,
    /// The block before the second one.
    pub otherwise: BlockId,
    /// The loads before the first one.
    pub assumed: Vec<ValueId>,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The values.
    pub values: Vec<Value>,
    /// The blocks, the entry first.
    pub blocks: Vec<BasicBlock>,
    /// The loops, outer before inner.
    pub loops: Vec<Loop>,
    /// The integers that instructions of loops compute.
    pub scevs: BTreeMap<ValueId, Scev>,
    /// For comparisons of pointers, how far the first one is behind the second one, modulo 2^64, if they start from one place.
    pub distances: BTreeMap<ValueId, Scev>,
    /// Where accesses go, by instruction; for copies, where to.
    pub pointers: BTreeMap<ValueId, Pointer>,
    /// Where copies are from.
    pub sources: BTreeMap<ValueId, Pointer>,
    /// Marks of lives, by instruction.
    pub marks: BTreeMap<ValueId, Mark>,
    /// The rows that are accessed in loops.
    pub rows: Vec<Rows>,
    /// The conditions of loads which were moved out of loops that may have no iteration: where they do not hold, nobody
    /// uses what is loaded. Where such a load goes is told for when they hold.
    pub guards: BTreeMap<ValueId, ValueId>,
    /// The loops of which there are two versions.
    pub versions: Vec<Versions>,
}

impl Code {
    /// The instruction that computes a value, if one does.
    pub fn instruction(&self, value: ValueId) -> Option<&Instruction> {
        match &self.values[value.0].source {
            Source::Computed(instruction) => Some(instruction),
            Source::Given | Source::Constant(_) => None,
        }
    }

    /// The rows that a loaded pointer is the start of one of.
    pub fn rows_behind(&self, load: ValueId) -> Option<&Rows> {
        let is_row = self.kind(load) == Type::Pointer && self.instruction(load)?.action == Action::Load;
        let table = self.pointers.get(&load).filter(|_| is_row)?.base;
        self.rows.iter().find(|rows| rows.table == table)
    }

    /// Whether a pointer stands for where rows start.
    pub fn is_start_of_rows(&self, pointer: ValueId) -> bool {
        self.rows.iter().any(|rows| rows.start == pointer)
    }

    /// The type of a value.
    pub fn kind(&self, value: ValueId) -> Type {
        self.values[value.0].kind
    }

    /// Whether a value's range is narrower than its type.
    pub fn is_narrow(&self, value: ValueId) -> bool {
        let (Type::Int(bits @ 1..=64), Some((least, most))) = (self.kind(value), self.values[value.0].range) else {
            return false;
        };
        most.abs_diff(least) < u64::MAX >> (64 - bits)
    }

    /// The last instruction of a block.
    pub fn terminator(&self, block: BlockId) -> Option<ValueId> {
        self.blocks[block.0].instructions.last().copied()
    }

    /// Finds the blocks from which there is no way but to an error, or to those that are known to be of that kind.
    pub fn find_failures(&mut self) {
        let never = |code: &Code, block: usize| {
            let last = code.terminator(BlockId(block)).and_then(|last| code.instruction(last));
            last.is_some_and(|last| last.action == Action::Never)
        };
        for block in 0..self.blocks.len() {
            self.blocks[block].fails |= never(self, block);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in 0..self.blocks.len() {
                let BasicBlock { successors, fails, .. } = &self.blocks[block];
                if !fails && !successors.is_empty() && successors.iter().all(|next| self.blocks[next.0].fails) {
                    self.blocks[block].fails = true;
                    changed = true;
                }
            }
        }
    }

    /// Where control goes from a block, but to errors.
    pub fn behind(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let from = &self.blocks[block.0];
        from.successors.iter().copied().filter(|next| from.fails || !self.blocks[next.0].fails)
    }

    /// The only block of a loop that leads out, and the only block that it leads to; errors do not count.
    pub fn way_out(&self, number: LoopId) -> (Option<BlockId>, Option<BlockId>) {
        let is_inside = |block: BlockId| self.is_within(self.blocks[block.0].around, number);
        let (mut exiting, mut exits) = (BTreeSet::new(), BTreeSet::new());
        for block in (0..self.blocks.len()).map(BlockId).filter(|block| is_inside(*block)) {
            for next in self.behind(block).filter(|next| !is_inside(*next)) {
                exiting.insert(block);
                exits.insert(next);
            }
        }
        let only = |all: BTreeSet<BlockId>| all.first().copied().filter(|_| all.len() == 1);
        (only(exiting), only(exits))
    }

    /// Whether a loop is, or is inside of, another one.
    pub fn is_within(&self, inner: Option<LoopId>, outer: LoopId) -> bool {
        let mut current = inner;
        while let Some(candidate) = current {
            if candidate == outer {
                return true;
            }
            current = self.loops[candidate.0].parent;
        }
        false
    }

    /// How deep the nest is that a block is in, or right before: the most loops of it that are in each other.
    pub fn depth(&self, block: BlockId) -> usize {
        let all = || (0..self.loops.len()).map(LoopId);
        let outwards = |number| std::iter::successors(Some(number), |inner: &LoopId| self.loops[inner.0].parent);
        let around = self.blocks.get(block.0).and_then(|block| block.around);
        let before = || all().find(|number| self.loops[number.0].preheader == Some(block));
        let Some(outermost) = around.or_else(before).and_then(|number| outwards(number).last()) else { return 0 };
        let depths = all().map(|number| outwards(number).collect::<Vec<_>>());
        depths.filter(|loops| loops.last() == Some(&outermost)).map(|loops| loops.len()).max().unwrap_or(0)
    }

    /// The loop that starts with a block.
    pub fn loop_at(&self, block: BlockId) -> Option<LoopId> {
        let around = self.blocks[block.0].around?;
        (self.loops[around.0].header == block).then_some(around)
    }

    /// The first place in the source that an instruction of a block tells, from an instruction on.
    pub fn location_from(&self, block: BlockId, first: usize) -> Option<SourceLocation> {
        let rest = self.blocks[block.0].instructions.get(first..)?;
        rest.iter().find_map(|value| self.instruction(*value)?.location.clone())
    }
}
