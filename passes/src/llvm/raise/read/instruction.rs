//! The actions of LLVM's instructions.

use llvm_sys::core::{
    LLVMCanValueUseFastMathFlags, LLVMCountIncoming, LLVMGetCalledValue, LLVMGetFCmpPredicate, LLVMGetFastMathFlags,
    LLVMGetICmpPredicate, LLVMGetIncomingBlock, LLVMGetNSW, LLVMGetNUW, LLVMGetNumSuccessors,
    LLVMGetPointerAddressSpace,
};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind};

use crate::llvm::ir::{Instruction, Value};
use crate::llvm::raise::code::function::{Action, FROZEN, Type};
use crate::llvm::raise::code::operation::{
    CastOp, FastFlag, FastMath, FloatOp, FloatPredicate, IntOp, Intrinsic, Predicate, Wrapping,
};
use polyrs_host::raw::{self as host, PolyLlvmCalled as Called};

/// The intrinsics that say something and do nothing. A variable whose life starts or ends in a region lives during the
/// call of new code, with marks of its own there.
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

/// Whether an exception comes there, or goes on from there.
pub fn is_of_exceptions(instruction: Instruction<'_>) -> bool {
    use LLVMOpcode as Op;
    matches!(
        instruction.opcode(),
        Op::LLVMLandingPad | Op::LLVMResume | Op::LLVMCatchSwitch | Op::LLVMCatchPad | Op::LLVMCleanupPad
    )
}

/// The action of an instruction that is no PHI.
pub fn of(instruction: Instruction<'_>) -> Action {
    use LLVMOpcode as Op;
    let raw = instruction.raw();
    let float = |operation| Action::Float(operation, fast_math(raw));
    let wrapping = |operation| Action::Int(operation, wrapping(raw));
    let plain = |operation| Action::Int(operation, Wrapping::default());
    match instruction.opcode() {
        Op::LLVMFAdd => float(FloatOp::Add),
        Op::LLVMFSub => float(FloatOp::Sub),
        Op::LLVMFMul => float(FloatOp::Mul),
        Op::LLVMFDiv => float(FloatOp::Div),
        Op::LLVMFRem => float(FloatOp::Rem),
        Op::LLVMFNeg => float(FloatOp::Neg),
        Op::LLVMAdd => wrapping(IntOp::Add),
        Op::LLVMSub => wrapping(IntOp::Sub),
        Op::LLVMMul => wrapping(IntOp::Mul),
        Op::LLVMShl => wrapping(IntOp::Shl),
        Op::LLVMAnd => plain(IntOp::And),
        Op::LLVMOr => plain(IntOp::Or),
        Op::LLVMXor => plain(IntOp::Xor),
        Op::LLVMLShr => plain(IntOp::LShr),
        Op::LLVMAShr => plain(IntOp::AShr),
        Op::LLVMSDiv => plain(IntOp::SDiv),
        Op::LLVMUDiv => plain(IntOp::UDiv),
        Op::LLVMSRem => plain(IntOp::SRem),
        Op::LLVMURem => plain(IntOp::URem),
        Op::LLVMTrunc => Action::Cast(CastOp::Trunc),
        Op::LLVMZExt => Action::Cast(CastOp::ZExt),
        Op::LLVMSExt => Action::Cast(CastOp::SExt),
        Op::LLVMFPToSI => Action::Cast(CastOp::FloatToSigned),
        Op::LLVMFPToUI => Action::Cast(CastOp::FloatToUnsigned),
        Op::LLVMSIToFP => Action::Cast(CastOp::SignedToFloat),
        Op::LLVMUIToFP => Action::Cast(CastOp::UnsignedToFloat),
        Op::LLVMFPExt => Action::Cast(CastOp::FloatExt),
        Op::LLVMFPTrunc => Action::Cast(CastOp::FloatTrunc),
        Op::LLVMBitCast => Action::Cast(CastOp::Bits),
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
        Op::LLVMCall => call(instruction),
        other => Action::Other(in_words(other)),
    }
}

/// An instruction that cannot be described, in words.
fn in_words(opcode: LLVMOpcode) -> &'static str {
    use LLVMOpcode as Op;
    match opcode {
        Op::LLVMSwitch => "a switch",
        Op::LLVMInvoke => "a call that may throw",
        Op::LLVMLandingPad => "an exception that is caught",
        Op::LLVMFence | Op::LLVMAtomicCmpXchg | Op::LLVMAtomicRMW => "an atomic access",
        Op::LLVMAlloca => "an allocation on the stack",
        Op::LLVMFreeze => FROZEN,
        Op::LLVMPtrToInt | Op::LLVMIntToPtr => "a pointer as an integer",
        Op::LLVMExtractElement | Op::LLVMInsertElement | Op::LLVMShuffleVector => "a vector",
        _ => "an instruction of this kind",
    }
}

fn wrapping(raw: LLVMValueRef) -> Wrapping {
    // SAFETY: an addition, subtraction, multiplication or left shift.
    unsafe { Wrapping { nsw: LLVMGetNSW(raw) != 0, nuw: LLVMGetNUW(raw) != 0 } }
}

/// The flags of a floating-point operation.
fn fast_math(raw: LLVMValueRef) -> FastMath {
    use llvm_sys::{
        LLVMFastMathAllowContract, LLVMFastMathAllowReassoc, LLVMFastMathAllowReciprocal, LLVMFastMathApproxFunc,
        LLVMFastMathNoInfs, LLVMFastMathNoNaNs, LLVMFastMathNoSignedZeros,
    };
    // SAFETY: the value is alive, and asked for flags only if it can have them.
    let bits = unsafe {
        if LLVMCanValueUseFastMathFlags(raw) == 0 {
            return FastMath::default();
        }
        LLVMGetFastMathFlags(raw)
    };
    let bit = |flag: FastFlag| match flag {
        FastFlag::Reassoc => LLVMFastMathAllowReassoc,
        FastFlag::NoNaNs => LLVMFastMathNoNaNs,
        FastFlag::NoInfs => LLVMFastMathNoInfs,
        FastFlag::NoSignedZeros => LLVMFastMathNoSignedZeros,
        FastFlag::AllowReciprocal => LLVMFastMathAllowReciprocal,
        FastFlag::AllowContract => LLVMFastMathAllowContract,
        FastFlag::ApproxFunc => LLVMFastMathApproxFunc,
    };
    FastMath(FastFlag::ALL.iter().copied().filter(|flag| bits & bit(*flag) != 0).collect())
}

fn compare(instruction: Instruction<'_>) -> Action {
    let kind = type_of(instruction.operand(0).ty());
    // SAFETY: a comparison of integers or pointers.
    let predicate = match unsafe { LLVMGetICmpPredicate(instruction.raw()) } {
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
    };
    match kind {
        Type::Int(_) => Action::Compare(predicate),
        Type::Pointer => Action::ComparePointers(predicate),
        _ => Action::Other("a comparison of vectors"),
    }
}

fn compare_float(raw: LLVMValueRef) -> Action {
    use LLVMRealPredicate as Real;
    // SAFETY: a comparison of floating-point numbers.
    let predicate = match unsafe { LLVMGetFCmpPredicate(raw) } {
        Real::LLVMRealOEQ => FloatPredicate::Oeq,
        Real::LLVMRealOGT => FloatPredicate::Ogt,
        Real::LLVMRealOGE => FloatPredicate::Oge,
        Real::LLVMRealOLT => FloatPredicate::Olt,
        Real::LLVMRealOLE => FloatPredicate::Ole,
        Real::LLVMRealONE => FloatPredicate::One,
        Real::LLVMRealORD => FloatPredicate::Ord,
        Real::LLVMRealUNO => FloatPredicate::Uno,
        Real::LLVMRealUEQ => FloatPredicate::Ueq,
        Real::LLVMRealUGT => FloatPredicate::Ugt,
        Real::LLVMRealUGE => FloatPredicate::Uge,
        Real::LLVMRealULT => FloatPredicate::Ult,
        Real::LLVMRealULE => FloatPredicate::Ule,
        Real::LLVMRealUNE => FloatPredicate::Une,
        Real::LLVMRealPredicateFalse => FloatPredicate::False,
        Real::LLVMRealPredicateTrue => FloatPredicate::True,
    };
    Action::CompareFloat(predicate, fast_math(raw))
}

/// A call that sets or copies memory.
fn bulk(raw: LLVMValueRef) -> Option<Action> {
    let (mut copies, mut moves, mut to, mut from) = (false, false, 1, 1);
    // SAFETY: a call.
    let known = unsafe { host::polyHostLlvmTransfer(raw, &raw mut copies, &raw mut moves, &raw mut to, &raw mut from) };
    known.then_some(if copies { Action::Copy { to, from, moves } } else { Action::Fill(to) })
}

/// A call computes a number from numbers, as far as its operands tell, and says what it calls.
pub fn is_of_numbers(call: Instruction<'_>) -> bool {
    let is_number = |value: Value<'_>| matches!(type_of(value.ty()), Type::Int(_) | Type::Float(_) | Type::BFloat);
    let count = call.operands().len().saturating_sub(1);
    // SAFETY: a call.
    is_number(call.value())
        && call.operands().take(count).all(is_number)
        && unsafe { host::polyHostLlvmIsDirect(call.raw()) }
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
    if let Some(intrinsic) = short.and_then(Intrinsic::of).filter(|_| is_pure) {
        return Action::Intrinsic(intrinsic, fast_math(instruction.raw()));
    }
    if is_pure && is_of_numbers(instruction) {
        return Action::Call;
    }
    if short.is_some() {
        return Action::Other("a call of an intrinsic");
    }
    // SAFETY: a call.
    Action::Other(match unsafe { host::polyHostLlvmCalled(instruction.raw()) } {
        Called::CallsAssembly => "inline assembly",
        Called::CallsPointer => "a call through a pointer",
        Called::CallsErrno => "a call that may set errno (if nobody asks for that: -fno-math-errno)",
        Called::CallsElsewhere => {
            "a call of a function that is defined elsewhere (link-time optimization shows it, if it is of the program)"
        }
        Called::CallsDefined => {
            "a call of a function that does not come in line, as it is large, calls others, or has effects,"
        }
    })
}
