//! From LLVM IR to [`Code`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use llvm_sys::LLVMOpcode;
use llvm_sys::core::LLVMIsAUndefValue;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

use super::instruction;
use super::instruction::type_of;
use crate::llvm::analysis::Analysis;
use crate::llvm::ir;
use crate::llvm::raise::code::function::{
    Action, BasicBlock, Code, Constant, Instruction, Loop, Mark, Pointer, Rows, Source, SourceLocation, Type, Value,
    Versions,
};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::code::scev::{Form, MinMax, Scev, Wrap};
use crate::llvm::raise::structure::nodes::ControlNode;
use polyrs_host::raw::{self as host, PolyLlvmLoop, PolyLlvmScev, PolyLlvmScevKind as Kind, PolyLlvmScevRow};

/// Deeper SCEVs are not read.
const DEPTH: usize = 40;
/// Larger SCEVs are not read.
const SIZE: usize = 400;

/// A function as data, and where its parts are in LLVM.
pub struct Reading<'f> {
    /// The data.
    pub code: Code,
    /// The values of LLVM.
    pub values: Vec<ir::Value<'f>>,
    /// The blocks of LLVM.
    pub blocks: Vec<ir::BasicBlock<'f>>,
}

impl<'f> Reading<'f> {
    /// The instruction before which a node starts; for a loop, the jump to it.
    pub fn start(&self, node: &ControlNode) -> Option<ir::Instruction<'f>> {
        let code = &self.code;
        let value = match node {
            ControlNode::Loop { number, .. } => code.terminator(code.loops[number.0].preheader?)?,
            ControlNode::If { block, .. } => code.terminator(*block)?,
            ControlNode::Straight { block, first, .. } => *code.blocks[block.0].instructions.get(*first)?,
            ControlNode::Version { .. } | ControlNode::Failure { .. } | ControlNode::Opaque { .. } => return None,
        };
        self.values[value.0].instruction()
    }

    /// Where nodes start in the source.
    pub fn location(&self, nodes: &[ControlNode]) -> ir::Location<'f> {
        let from = match nodes.first() {
            Some(ControlNode::Loop { number, .. }) => {
                self.blocks[self.code.loops[number.0].header.0].instructions().next()
            }
            Some(node) => self.start(node),
            None => None,
        };
        std::iter::successors(from, |instruction| instruction.next())
            .map(ir::Instruction::location)
            .find(|location| location.line() > 0)
            .unwrap_or(ir::Location::unknown())
    }
}

/// What becomes of calls that do nothing but compute a number and say in `errno` whether there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// New code may not have them.
    Refused,
    /// New code makes all of them, on the thread of the original: they are like others that compute a number.
    Kept,
    /// New code makes all of them, perhaps on other threads, which have an `errno` of their own.
    Noted,
}

/// Reads a clone. If new code `finds_rows`, pointers to rows may be loaded in a region.
pub fn read<'f>(analysis: &'f Analysis<'_>, errno: Errno, finds_rows: bool) -> Reading<'f> {
    let mut reader = Reader {
        analysis,
        errno,
        code: Code::default(),
        values: Vec::new(),
        numbers: HashMap::new(),
        blocks: HashMap::new(),
        loops: HashMap::new(),
        rows: Vec::new(),
        computing: HashMap::new(),
    };
    let blocks: Vec<_> = analysis.function().blocks().collect();
    for (number, block) in blocks.iter().enumerate() {
        reader.blocks.insert(block.raw(), BlockId(number));
        reader.code.blocks.push(BasicBlock::default());
    }
    reader.read_loops(&blocks);
    for block in &blocks {
        for instruction in block.instructions() {
            reader.value(instruction.value());
        }
    }
    for (number, block) in blocks.iter().enumerate() {
        reader.read_block(BlockId(number), *block);
    }
    reader.code.find_failures();
    reader.read_versions(&blocks);
    reader.read_scevs(&blocks);
    if finds_rows {
        reader.read_rows();
    }
    Reading { code: reader.code, values: reader.values, blocks }
}

struct Reader<'f, 'm> {
    analysis: &'f Analysis<'m>,
    errno: Errno,
    code: Code,
    values: Vec<ir::Value<'f>>,
    numbers: HashMap<LLVMValueRef, ValueId>,
    blocks: HashMap<LLVMBasicBlockRef, BlockId>,
    loops: HashMap<LLVMBasicBlockRef, LoopId>,
    rows: Vec<PolyLlvmLoop>,
    /// The instructions that compute a SCEV, in the order of the function.
    computing: HashMap<*const PolyLlvmScev, Vec<ValueId>>,
}

impl<'f> Reader<'f, '_> {
    fn read_loops(&mut self, blocks: &[ir::BasicBlock<'f>]) {
        let mut around = Vec::new();
        let mut found: BTreeMap<BlockId, PolyLlvmLoop> = BTreeMap::new();
        for block in blocks {
            let row = self.loop_of(block.raw());
            around.push(row.as_ref().map(|row| row.header));
            if let Some(row) = row {
                // The loop around may hold no block of its own but header and latch, so it is asked for by its header.
                let mut parent = row.parent;
                found.insert(self.blocks[&row.header], row);
                while !parent.is_null() {
                    let Some(row) = self.loop_of(parent) else { break };
                    parent = row.parent;
                    found.insert(self.blocks[&row.header], row);
                }
            }
        }
        let depth = |row: &PolyLlvmLoop| {
            let mut depth = 0;
            let mut parent = row.parent;
            while let Some(row) = self.blocks.get(&parent).and_then(|parent| found.get(parent)) {
                parent = row.parent;
                depth += 1;
            }
            depth
        };
        // Outer before inner, and in the order of the function.
        let mut order: Vec<(usize, BlockId)> = found.iter().map(|(header, row)| (depth(row), *header)).collect();
        order.sort_unstable();
        for (number, (_, header)) in order.iter().enumerate() {
            if let Some(row) = found.remove(header) {
                self.loops.insert(row.header, LoopId(number));
                self.rows.push(row);
            }
        }
        for (number, header) in around.into_iter().enumerate() {
            self.code.blocks[number].around = header.and_then(|header| self.loops.get(&header).copied());
        }
    }

    fn loop_of(&self, block: LLVMBasicBlockRef) -> Option<PolyLlvmLoop> {
        let none = std::ptr::null_mut();
        let mut row = PolyLlvmLoop { header: none, parent: none, preheader: none, latch: none, ends: false };
        // SAFETY: the analysis is alive and fresh, and the block is of its function.
        let found = unsafe { host::polyHostLlvmLoopOf(self.analysis.raw(), block, &raw mut row) };
        found.then_some(row)
    }

    /// The number of a value, which is read when it is met first.
    fn value(&mut self, value: ir::Value<'f>) -> ValueId {
        if let Some(known) = self.numbers.get(&value.raw()) {
            return *known;
        }
        let number = ValueId(self.values.len());
        self.numbers.insert(value.raw(), number);
        self.values.push(value);
        let kind = type_of(value.ty());
        let source = match constant(value, kind) {
            Some(constant) => Source::Constant(constant),
            None => Source::Given,
        };
        let range = self.range(value, kind, &source);
        self.code.values.push(Value { kind, source, range });
        number
    }

    fn range(&self, value: ir::Value<'f>, kind: Type, source: &Source) -> Option<(i64, i64)> {
        match (kind, source) {
            (Type::Int(_), Source::Constant(Constant::Int(number))) => Some((*number, *number)),
            (Type::Int(1..=64), Source::Given) => {
                let (mut least, mut most) = (0, 0);
                // SAFETY: the analysis is alive and fresh; the value is an integer of its function.
                unsafe {
                    host::polyHostLlvmRange(self.analysis.raw(), value.raw(), &raw mut least, &raw mut most);
                }
                Some((least, most))
            }
            _ => None,
        }
    }

    fn read_block(&mut self, number: BlockId, block: ir::BasicBlock<'f>) {
        let mut instructions = Vec::new();
        for instruction in block.instructions() {
            let value = self.value(instruction.value());
            let read = self.instruction(number, instruction);
            self.code.blocks[number.0].fails |= instruction::is_of_exceptions(instruction);
            if let (Action::Hint, Some((starts, bytes))) = (&read.action, instruction.life_mark()) {
                let variable = read.operands[0];
                self.code.marks.insert(value, Mark { variable, bytes, starts });
            }
            self.code.values[value.0].source = Source::Computed(read);
            instructions.push(value);
        }
        let successors: Vec<BlockId> = block.successors().iter().map(|next| self.blocks[&next.raw()]).collect();
        for next in &successors {
            let before = &mut self.code.blocks[next.0].predecessors;
            if !before.contains(&number) {
                before.push(number);
            }
        }
        self.code.blocks[number.0].instructions = instructions;
        self.code.blocks[number.0].successors = successors;
    }

    /// Notes the loops of which there are two versions.
    fn read_versions(&mut self, blocks: &[ir::BasicBlock<'f>]) {
        for number in (0..blocks.len()).map(BlockId) {
            let Some(branch) = self.code.terminator(number) else { continue };
            let (mut before, mut otherwise) = (std::ptr::null_mut(), std::ptr::null_mut());
            let raw = self.values[branch.0].raw();
            // SAFETY: an instruction of the clone.
            if !unsafe { host::polyHostLlvmVersions(raw, &raw mut before, &raw mut otherwise) } {
                continue;
            }
            let (before, otherwise) = (self.blocks[&before], self.blocks[&otherwise]);
            let loads = |value: &&ValueId| {
                self.values[value.0].instruction().is_some_and(|it| it.opcode() == LLVMOpcode::LLVMLoad)
            };
            let assumed = self.code.blocks[before.0].instructions.iter().filter(loads).copied().collect();
            let condition = self.code.instruction(branch).and_then(|branch| branch.operands.first().copied());
            self.code.versions.extend(condition.map(|condition| Versions { condition, before, otherwise, assumed }));
        }
    }

    /// A call that may have its place in new code, though it may set `errno`.
    fn sets_errno_only(&self, instruction: ir::Instruction<'f>) -> bool {
        self.errno != Errno::Refused
            && instruction.opcode() == LLVMOpcode::LLVMCall
            && instruction::is_of_numbers(instruction)
            // SAFETY: the analysis is alive, and the call is of its function.
            && unsafe { host::polyHostLlvmSetsErrnoOnly(self.analysis.raw(), instruction.raw()) }
    }

    fn instruction(&mut self, block: BlockId, instruction: ir::Instruction<'f>) -> Instruction {
        let action = match instruction.opcode() {
            LLVMOpcode::LLVMPHI => {
                let blocks = instruction::incoming(instruction);
                Action::Phi(blocks.into_iter().map(|block| self.blocks[&block]).collect())
            }
            _ => match instruction::of(instruction) {
                Action::Other(_) if self.sets_errno_only(instruction) => match self.errno {
                    Errno::Noted => Action::NotedCall,
                    Errno::Kept | Errno::Refused => Action::Call,
                },
                action => action,
            },
        };
        let take = match &action {
            Action::Branch => 1,
            Action::Jump => 0,
            Action::Fill(_) | Action::Copy { .. } => 3,
            Action::Intrinsic(..) | Action::Call | Action::NotedCall => instruction.operands().len().saturating_sub(1),
            _ => instruction.operands().len(),
        };
        let operands = instruction.operands().take(take).map(|operand| self.value(operand)).collect();
        let location = instruction.location();
        let source = (location.line() > 0).then(|| SourceLocation {
            file: location.file(),
            line: location.line(),
            column: location.column(),
        });
        Instruction { action, operands, block, location: source }
    }

    fn read_scevs(&mut self, blocks: &[ir::BasicBlock<'f>]) {
        self.note_computing(blocks);
        let rows = std::mem::take(&mut self.rows);
        for row in &rows {
            let known = |block: LLVMBasicBlockRef| self.blocks.get(&block).copied();
            self.code.loops.push(Loop {
                header: self.blocks[&row.header],
                parent: self.loops.get(&row.parent).copied(),
                preheader: known(row.preheader),
                latch: known(row.latch),
                exiting: None,
                exit: None,
                backedges: None,
                ends: row.ends,
                blocks: Vec::new(),
            });
        }
        for (number, row) in rows.iter().enumerate() {
            let (exiting, exit) = self.code.way_out(LoopId(number));
            let backedges = exiting.and_then(|exiting| {
                let exiting = blocks[exiting.0].raw();
                // SAFETY: the analysis is alive and fresh; the blocks are of its function, one the header of a loop.
                let raw = unsafe { host::polyHostLlvmExitCount(self.analysis.raw(), row.header, exiting) };
                (!raw.is_null()).then(|| self.scev(raw, row.header))
            });
            let this = &mut self.code.loops[number];
            (this.exiting, this.exit, this.backedges) = (exiting, exit, backedges);
        }
        for number in 0..blocks.len() {
            let mut around = self.code.blocks[number].around;
            while let Some(inner) = around {
                let this = &mut self.code.loops[inner.0];
                this.blocks.push(BlockId(number));
                around = this.parent;
            }
        }
        for block in blocks {
            for instruction in block.instructions() {
                let value = self.value(instruction.value());
                if matches!(self.code.kind(value), Type::Int(1..=64)) {
                    let raw = self.raw_scev(instruction, *block);
                    if !raw.is_null() {
                        let scev = self.scev(raw, block.raw());
                        self.code.scevs.insert(value, scev);
                    }
                }
                self.read_pointers(value, *block);
                self.read_distance(value, *block);
            }
        }
    }

    /// Finds pointers that are loaded in loops, and accessed from.
    fn read_rows(&mut self) {
        let code = &self.code;
        let in_loop = |value: ValueId| {
            let instruction = code.instruction(value)?;
            code.blocks[instruction.block.0].around.filter(|_| instruction.action == Action::Load)
        };
        let all = code.pointers.values().chain(code.sources.values());
        let starts = all.filter(|pointer| in_loop(pointer.base).is_some());
        let tables: BTreeSet<ValueId> =
            starts.filter_map(|pointer| Some(code.pointers.get(&pointer.base)?.base)).collect();
        for table in tables {
            // Nothing of LLVM's computes these; users know them by the table.
            let mut stand_for = |kind| {
                self.values.push(self.values[table.0]);
                self.code.values.push(Value { kind, source: Source::Given, range: None });
                ValueId(self.values.len() - 1)
            };
            let (start, spacing) = (stand_for(Type::Pointer), stand_for(Type::Int(64)));
            self.code.rows.push(Rows { table, start, spacing });
        }
    }

    fn raw_scev(&self, instruction: ir::Instruction<'f>, block: ir::BasicBlock<'f>) -> *const PolyLlvmScev {
        // SAFETY: the analysis is alive and fresh; value and block are of its function.
        unsafe { host::polyHostLlvmScev(self.analysis.raw(), instruction.raw(), block.raw()) }
    }

    fn note_computing(&mut self, blocks: &[ir::BasicBlock<'f>]) {
        for block in blocks {
            for instruction in block.instructions() {
                let value = self.value(instruction.value());
                if matches!(self.code.kind(value), Type::Int(2..=64)) {
                    let raw = self.raw_scev(instruction, *block);
                    self.computing.entry(raw).or_default().push(value);
                }
            }
        }
    }

    /// An instruction that computes a SCEV before the innermost loop around a block.
    fn computed_before(&self, raw: *const PolyLlvmScev, user: LLVMBasicBlockRef) -> Option<ValueId> {
        /// More are not looked at.
        const LOOKED_AT: usize = 4;
        let stands_for = |value: &&ValueId| {
            let instruction = self.values[value.0].raw();
            // SAFETY: the analysis is alive and fresh; instruction and block are of its function, the SCEV of its scalar evolution.
            unsafe { host::polyHostLlvmStandsFor(self.analysis.raw(), instruction, raw, user) }
        };
        self.computing.get(&raw)?.iter().take(LOOKED_AT).find(stands_for).copied()
    }

    fn read_pointers(&mut self, access: ValueId, block: ir::BasicBlock<'f>) {
        let Some(Instruction { action, operands, .. }) = self.code.instruction(access) else { return };
        let (action, operands) = (action.clone(), operands.clone());
        let (to, from) = match (&action, &operands[..]) {
            (Action::Load, [_]) if self.code.kind(access) == Type::Pointer => (self.guarded_address(access), None),
            (Action::Load, [address]) | (Action::Store, [_, address]) | (Action::Fill(_), [address, ..]) => {
                (*address, None)
            }
            (Action::Copy { .. }, [to, from, _]) => (*to, Some(*from)),
            _ => return,
        };
        if let Some(pointer) = self.pointer(to, block) {
            self.code.pointers.insert(access, pointer);
        }
        if let Some(pointer) = from.and_then(|from| self.pointer(from, block)) {
            self.code.sources.insert(access, pointer);
        }
    }

    /// The address of a load, under the condition that is noted if there is one.
    fn guarded_address(&mut self, load: ValueId) -> ValueId {
        let mut condition = std::ptr::null_mut();
        // SAFETY: a load of the function.
        let address = unsafe { host::polyHostLlvmGuarded(self.values[load.0].raw(), &raw mut condition) };
        if address.is_null() {
            return self.code.instruction(load).map_or(load, |load| load.operands[0]);
        }
        // SAFETY: values that the function uses.
        let (address, condition) = unsafe { (ir::Value::new(address), ir::Value::new(condition)) };
        let condition = self.value(condition);
        self.code.guards.insert(load, condition);
        self.value(address)
    }

    /// How far a pointer is behind one that it is compared with.
    fn read_distance(&mut self, compare: ValueId, block: ir::BasicBlock<'f>) {
        let operands = match self.code.instruction(compare) {
            Some(Instruction { action: Action::ComparePointers(_), operands, .. }) => operands.clone(),
            _ => return,
        };
        let [left, right] = operands[..] else { return };
        let [left, right] = [left, right].map(|pointer| self.values[pointer.0].raw());
        // SAFETY: the analysis is alive and fresh; pointers and block are of its function.
        let raw = unsafe { host::polyHostLlvmDistance(self.analysis.raw(), left, right, block.raw()) };
        if !raw.is_null() {
            let distance = self.scev(raw, block.raw());
            self.code.distances.insert(compare, distance);
        }
    }

    fn pointer(&mut self, address: ValueId, block: ir::BasicBlock<'f>) -> Option<Pointer> {
        if self.code.kind(address) != Type::Pointer {
            return None;
        }
        let (mut offset, mut inbounds) = (std::ptr::null(), false);
        let user = block.raw();
        let address = self.values[address.0].raw();
        // SAFETY: the analysis is alive and fresh; value and block are of its function.
        let base = unsafe {
            let raw = self.analysis.raw();
            host::polyHostLlvmBase(raw, address, user, &raw mut offset, &raw mut inbounds)
        };
        if base.is_null() {
            return None;
        }
        let computed = self.computed(address, base);
        // SAFETY: a value that the function uses.
        let base = self.value(unsafe { ir::Value::new(base) });
        Some(Pointer { base, offset: self.scev(offset, user), inbounds, computed })
    }

    /// The offset of an address from its base, as instructions compute it.
    fn computed(&mut self, address: LLVMValueRef, base: LLVMValueRef) -> Option<(Vec<(ValueId, i64)>, i64)> {
        const CAPACITY: u32 = 16;
        let mut values = [std::ptr::null_mut(); CAPACITY as usize];
        let mut scales = [0; CAPACITY as usize];
        let (mut constant, mut start) = (0, std::ptr::null_mut());
        // SAFETY: a pointer, and room for as many values and scales as is said.
        let count = unsafe {
            let (values, scales) = (values.as_mut_ptr(), scales.as_mut_ptr());
            host::polyHostLlvmAddress(address, values, scales, CAPACITY, &raw mut constant, &raw mut start)
        };
        if count > CAPACITY || start != base {
            return None;
        }
        let count = usize::try_from(count).ok()?;
        let pairs = values.into_iter().zip(scales).take(count);
        // SAFETY: values that the function uses.
        let pairs = pairs.map(|(value, scale)| (self.value(unsafe { ir::Value::new(value) }), scale));
        Some((pairs.collect(), constant))
    }

    /// A SCEV as a block sees it.
    fn scev(&mut self, raw: *const PolyLlvmScev, user: LLVMBasicBlockRef) -> Scev {
        self.scev_within(raw, user, 0, &mut 0)
    }

    fn scev_within(
        &mut self,
        raw: *const PolyLlvmScev,
        user: LLVMBasicBlockRef,
        depth: usize,
        size: &mut usize,
    ) -> Scev {
        let mut row = PolyLlvmScevRow {
            kind: Kind::Other,
            bits: 0,
            operands: 0,
            nsw: false,
            fits: false,
            constant: 0,
            value: std::ptr::null_mut(),
            header: std::ptr::null_mut(),
        };
        // SAFETY: the analysis is alive and fresh, and the SCEV one of its scalar evolution.
        unsafe { host::polyHostLlvmScevRow(self.analysis.raw(), raw, &raw mut row) };
        *size += 1;
        if depth > DEPTH || *size > SIZE {
            return Scev { bits: row.bits, form: Form::Other, computed: None };
        }
        let mut operands = Vec::new();
        for number in 0..row.operands {
            // SAFETY: the operand exists.
            let operand = unsafe { host::polyHostLlvmOperand(raw, number) };
            operands.push(self.scev_within(operand, user, depth + 1, size));
        }
        let form = self.form(&row, operands);
        let is_simple = matches!(form, Form::Constant(_) | Form::Value(_) | Form::AddRec(..));
        let computed = if is_simple { None } else { self.computed_before(raw, user) };
        Scev { bits: row.bits, form, computed }
    }

    fn form(&mut self, row: &PolyLlvmScevRow, mut operands: Vec<Scev>) -> Form {
        let min_max = |which, operands| Form::MinMax(which, operands);
        match (row.kind, operands.len()) {
            (Kind::Constant, _) if row.fits => Form::Constant(row.constant),
            (Kind::Unknown, _) if row.bits > 0 => {
                // SAFETY: a value that the function uses.
                Form::Value(self.value(unsafe { ir::Value::new(row.value) }))
            }
            (Kind::Add, _) => Form::Add(operands, Wrap::unless(row.nsw)),
            (Kind::Mul, _) => Form::Mul(operands, Wrap::unless(row.nsw)),
            (Kind::SMax, _) => min_max(MinMax::SMax, operands),
            (Kind::SMin, _) => min_max(MinMax::SMin, operands),
            (Kind::UMax, _) => min_max(MinMax::UMax, operands),
            (Kind::UMin, _) => min_max(MinMax::UMin, operands),
            (Kind::AddRec, 2) => {
                let (step, start) = (operands.pop(), operands.pop());
                match (start, step, self.loops.get(&row.header)) {
                    (Some(start), Some(step), Some(number)) => {
                        Form::AddRec(Box::new(start), Box::new(step), *number, Wrap::unless(row.nsw))
                    }
                    _ => Form::Other,
                }
            }
            (Kind::Divide, 2) => match (operands.pop(), operands.pop()) {
                (Some(right), Some(left)) => Form::Divide(Box::new(left), Box::new(right)),
                _ => Form::Other,
            },
            (Kind::Truncate | Kind::ZeroExtend | Kind::SignExtend, 1) => match (row.kind, operands.pop()) {
                (Kind::Truncate, Some(inner)) => Form::Truncate(Box::new(inner)),
                (Kind::ZeroExtend, Some(inner)) => Form::ZeroExtend(Box::new(inner)),
                (_, Some(inner)) => Form::SignExtend(Box::new(inner)),
                _ => Form::Other,
            },
            _ => Form::Other,
        }
    }
}

fn constant(value: ir::Value<'_>, kind: Type) -> Option<Constant> {
    let known = matches!(kind, Type::Int(_) | Type::Float(_) | Type::BFloat);
    // SAFETY: the value is alive.
    if known && unsafe { !LLVMIsAUndefValue(value.raw()).is_null() } {
        return Some(Constant::Any);
    }
    if let Some(number) = value.signed_constant() {
        return Some(Constant::Int(number));
    }
    let mut bits = 0;
    // SAFETY: the value is alive.
    let float = known && unsafe { host::polyHostLlvmFloatBits(value.raw(), &raw mut bits) };
    float.then_some(Constant::Float(bits))
}
