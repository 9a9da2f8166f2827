//! What an instruction of LLVM does, in terms of MLIR.

use llvm_sys::core::{
    LLVMCanValueUseFastMathFlags, LLVMCountIncoming, LLVMGetCalledValue, LLVMGetFCmpPredicate, LLVMGetFastMathFlags,
    LLVMGetICmpPredicate, LLVMGetIncomingBlock, LLVMGetNSW, LLVMGetNUW, LLVMGetNumSuccessors,
    LLVMGetPointerAddressSpace,
};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind};

use super::host;
use crate::llvm::ir::{Instruction, Value};
use crate::llvm::raise::code::function::{Action, Predicate, Type};

/// The intrinsics that the text of functions has operations for, without the suffix for types.
const INTRINSICS: [&str; 27] = [
    "abs",
    "ceil",
    "copysign",
    "cos",
    "ctpop",
    "exp",
    "exp2",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "log",
    "log10",
    "log2",
    "maximum",
    "maxnum",
    "minimum",
    "minnum",
    "pow",
    "round",
    "roundeven",
    "sin",
    "smax",
    "smin",
    "sqrt",
    "umax",
    "umin",
];

/// The intrinsics that say something and do nothing. A variable whose life starts or ends in a region lives during the call of new
/// code, with marks of its own there.
const HINTS: [&str; 5] =
    ["llvm.assume", "llvm.dbg.", "llvm.experimental.noalias.scope.decl", "llvm.donothing", "llvm.lifetime."];

/// The type of a value as regions know it.
pub fn type_of(kind: crate::llvm::ir::Type<'_>) -> Type {
    match kind.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => kind.integer_bits().map_or(Type::Other, Type::Int),
        LLVMTypeKind::LLVMHalfTypeKind => Type::Float(16),
        LLVMTypeKind::LLVMFloatTypeKind => Type::Float(32),
        LLVMTypeKind::LLVMDoubleTypeKind => Type::Float(64),
        LLVMTypeKind::LLVMBFloatTypeKind => Type::BFloat,
        // SAFETY: a pointer type.
        LLVMTypeKind::LLVMPointerTypeKind => match unsafe { LLVMGetPointerAddressSpace(kind.raw()) } {
            0 => Type::Pointer,
            _ => Type::Other,
        },
        LLVMTypeKind::LLVMVoidTypeKind => Type::Void,
        _ => Type::Other,
    }
}

/// The blocks that a PHI has values for.
pub fn incoming(phi: Instruction<'_>) -> Vec<LLVMBasicBlockRef> {
    // SAFETY: a PHI, and numbers of blocks that it has.
    unsafe { (0..LLVMCountIncoming(phi.raw())).map(|number| LLVMGetIncomingBlock(phi.raw(), number)).collect() }
}

/// What an instruction that is no PHI does.
pub fn of(instruction: Instruction<'_>) -> Action {
    use LLVMOpcode as Op;
    let raw = instruction.raw();
    let float = |name| Action::Plain(name, fast(raw));
    let wrapping = |name| Action::Plain(name, overflow(raw));
    let plain = |name| Action::Plain(name, String::new());
    match instruction.opcode() {
        Op::LLVMFAdd => float("arith.addf"),
        Op::LLVMFSub => float("arith.subf"),
        Op::LLVMFMul => float("arith.mulf"),
        Op::LLVMFDiv => float("arith.divf"),
        Op::LLVMFRem => float("arith.remf"),
        Op::LLVMFNeg => float("arith.negf"),
        Op::LLVMAdd => wrapping("arith.addi"),
        Op::LLVMSub => wrapping("arith.subi"),
        Op::LLVMMul => wrapping("arith.muli"),
        Op::LLVMShl => wrapping("arith.shli"),
        Op::LLVMAnd => plain("arith.andi"),
        Op::LLVMOr => plain("arith.ori"),
        Op::LLVMXor => plain("arith.xori"),
        Op::LLVMLShr => plain("arith.shrui"),
        Op::LLVMAShr => plain("arith.shrsi"),
        Op::LLVMSDiv => plain("arith.divsi"),
        Op::LLVMUDiv => plain("arith.divui"),
        Op::LLVMSRem => plain("arith.remsi"),
        Op::LLVMURem => plain("arith.remui"),
        Op::LLVMTrunc => Action::Cast("arith.trunci"),
        Op::LLVMZExt => Action::Cast("arith.extui"),
        Op::LLVMSExt => Action::Cast("arith.extsi"),
        Op::LLVMFPToSI => Action::Cast("arith.fptosi"),
        Op::LLVMFPToUI => Action::Cast("arith.fptoui"),
        Op::LLVMSIToFP => Action::Cast("arith.sitofp"),
        Op::LLVMUIToFP => Action::Cast("arith.uitofp"),
        Op::LLVMFPExt => Action::Cast("arith.extf"),
        Op::LLVMFPTrunc => Action::Cast("arith.truncf"),
        Op::LLVMBitCast => Action::Cast("arith.bitcast"),
        Op::LLVMICmp => compare(instruction),
        Op::LLVMFCmp => compare_float(raw),
        Op::LLVMSelect => Action::Select,
        // SAFETY: a memory access.
        Op::LLVMLoad if unsafe { host::polyHostLlvmIsSimple(raw) } => Action::Load,
        // SAFETY: as above.
        Op::LLVMStore if unsafe { host::polyHostLlvmIsSimple(raw) } => Action::Store,
        Op::LLVMLoad | Op::LLVMStore => Action::Other("a volatile, atomic or unaligned access"),
        Op::LLVMGetElementPtr => Action::Address,
        Op::LLVMBr => {
            // SAFETY: a terminator.
            if unsafe { LLVMGetNumSuccessors(raw) } == 2 { Action::Branch } else { Action::Jump }
        }
        Op::LLVMRet | Op::LLVMResume => Action::Leave,
        Op::LLVMUnreachable => Action::Never,
        Op::LLVMSwitch => Action::Other("a switch"),
        Op::LLVMInvoke => Action::Other("a call that may throw"),
        Op::LLVMCall => call(instruction),
        Op::LLVMFence | Op::LLVMAtomicCmpXchg | Op::LLVMAtomicRMW => Action::Other("an atomic access"),
        Op::LLVMAlloca => Action::Other("an allocation on the stack"),
        Op::LLVMFreeze => Action::Other("a frozen value"),
        Op::LLVMPtrToInt | Op::LLVMIntToPtr => Action::Other("a pointer as an integer"),
        Op::LLVMExtractElement | Op::LLVMInsertElement | Op::LLVMShuffleVector => Action::Other("a vector"),
        _ => Action::Other("an instruction of this kind"),
    }
}

fn overflow(raw: LLVMValueRef) -> String {
    // SAFETY: an addition, subtraction, multiplication or left shift.
    let (signed, unsigned) = unsafe { (LLVMGetNSW(raw) != 0, LLVMGetNUW(raw) != 0) };
    match (signed, unsigned) {
        (false, false) => String::new(),
        (true, false) => " overflow<nsw>".to_owned(),
        (false, true) => " overflow<nuw>".to_owned(),
        (true, true) => " overflow<nsw, nuw>".to_owned(),
    }
}

/// The names of the flags of a floating-point operation, by commas.
fn flags(raw: LLVMValueRef) -> Option<String> {
    use llvm_sys::{
        LLVMFastMathAllowContract, LLVMFastMathAllowReassoc, LLVMFastMathAllowReciprocal, LLVMFastMathApproxFunc,
        LLVMFastMathNoInfs, LLVMFastMathNoNaNs, LLVMFastMathNoSignedZeros,
    };
    // SAFETY: the value is alive, and asked for flags only if it can have them.
    let bits = unsafe {
        if LLVMCanValueUseFastMathFlags(raw) == 0 {
            return None;
        }
        LLVMGetFastMathFlags(raw)
    };
    let known = [
        (LLVMFastMathAllowReassoc, "reassoc"),
        (LLVMFastMathNoNaNs, "nnan"),
        (LLVMFastMathNoInfs, "ninf"),
        (LLVMFastMathNoSignedZeros, "nsz"),
        (LLVMFastMathAllowReciprocal, "arcp"),
        (LLVMFastMathAllowContract, "contract"),
        (LLVMFastMathApproxFunc, "afn"),
    ];
    let names: Vec<&str> = known.into_iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| name).collect();
    (!names.is_empty()).then(|| names.join(","))
}

fn fast(raw: LLVMValueRef) -> String {
    flags(raw).map_or_else(String::new, |names| format!(" fastmath<{names}>"))
}

fn compare(instruction: Instruction<'_>) -> Action {
    if !matches!(type_of(instruction.operand(0).ty()), Type::Int(_)) {
        return Action::Other("a comparison of pointers or vectors");
    }
    // SAFETY: a comparison of integers.
    Action::Compare(match unsafe { LLVMGetICmpPredicate(instruction.raw()) } {
        LLVMIntPredicate::LLVMIntEQ => Predicate::Eq,
        LLVMIntPredicate::LLVMIntNE => Predicate::Ne,
        LLVMIntPredicate::LLVMIntSLT => Predicate::Slt,
        LLVMIntPredicate::LLVMIntSLE => Predicate::Sle,
        LLVMIntPredicate::LLVMIntSGT => Predicate::Sgt,
        LLVMIntPredicate::LLVMIntSGE => Predicate::Sge,
        LLVMIntPredicate::LLVMIntULT => Predicate::Ult,
        LLVMIntPredicate::LLVMIntULE => Predicate::Ule,
        LLVMIntPredicate::LLVMIntUGT => Predicate::Ugt,
        LLVMIntPredicate::LLVMIntUGE => Predicate::Uge,
    })
}

fn compare_float(raw: LLVMValueRef) -> Action {
    use LLVMRealPredicate as Real;
    // SAFETY: a comparison of floating-point numbers.
    let name = match unsafe { LLVMGetFCmpPredicate(raw) } {
        Real::LLVMRealOEQ => "oeq",
        Real::LLVMRealOGT => "ogt",
        Real::LLVMRealOGE => "oge",
        Real::LLVMRealOLT => "olt",
        Real::LLVMRealOLE => "ole",
        Real::LLVMRealONE => "one",
        Real::LLVMRealORD => "ord",
        Real::LLVMRealUNO => "uno",
        Real::LLVMRealUEQ => "ueq",
        Real::LLVMRealUGT => "ugt",
        Real::LLVMRealUGE => "uge",
        Real::LLVMRealULT => "ult",
        Real::LLVMRealULE => "ule",
        Real::LLVMRealUNE => "une",
        Real::LLVMRealPredicateFalse => "false",
        Real::LLVMRealPredicateTrue => "true",
    };
    Action::CompareFloat(name, fast(raw))
}

/// A call that sets or copies memory.
fn bulk(raw: LLVMValueRef) -> Option<Action> {
    let (mut copies, mut moves, mut to, mut from) = (false, false, 1, 1);
    // SAFETY: a call.
    let known = unsafe { host::polyHostLlvmTransfer(raw, &raw mut copies, &raw mut moves, &raw mut to, &raw mut from) };
    known.then_some(if copies { Action::Copy { to, from, moves } } else { Action::Fill(to) })
}

/// A call: of an intrinsic that MLIR has as well, of a function that only computes a number, or one that is in the way.
fn call(instruction: Instruction<'_>) -> Action {
    // SAFETY: a call.
    let callee = unsafe { Value::new(LLVMGetCalledValue(instruction.raw())) };
    let name = callee.name();
    if HINTS.iter().any(|hint| name.starts_with(hint)) {
        return Action::Hint;
    }
    if let Some(bulk) = bulk(instruction.raw()) {
        return bulk;
    }
    // SAFETY: a call.
    let is_pure = unsafe { host::polyHostLlvmIsPure(instruction.raw()) };
    let short = name.strip_prefix("llvm.").map(|rest| rest.split('.').next().unwrap_or(rest));
    if let Some(short) = short.filter(|short| is_pure && INTRINSICS.contains(short)) {
        return Action::Intrinsic(short.to_owned(), flags(instruction.raw()).unwrap_or_default());
    }
    let is_number = |value: Value<'_>| matches!(type_of(value.ty()), Type::Int(_) | Type::Float(_) | Type::BFloat);
    let count = instruction.operands().len().saturating_sub(1);
    let numbers = is_number(instruction.value()) && instruction.operands().take(count).all(is_number);
    // SAFETY: as above.
    if is_pure && numbers && unsafe { host::polyHostLlvmIsDirect(instruction.raw()) } {
        return Action::Call;
    }
    Action::Other(if short.is_some() { "a call of an intrinsic" } else { "a call" })
}
