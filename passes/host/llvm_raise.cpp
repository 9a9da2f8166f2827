// Thin queries for raising: loops, scalar evolution, aliases.

#include "llvm_raise.h"
#include "llvm_analysis.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace polyrs;

namespace {

const SCEV *scev(const PolyLlvmScev *opaque) {
  return reinterpret_cast<const SCEV *>(opaque);
}

const PolyLlvmScev *opaque(const SCEV *known) {
  return reinterpret_cast<const PolyLlvmScev *>(known);
}

PolyLlvmScevKind kindOf(const SCEV *node) {
  switch (node->getSCEVType()) {
  case scConstant:
    return PolyScevConstant;
  case scUnknown:
    return PolyScevUnknown;
  case scAddExpr:
    return PolyScevAdd;
  case scMulExpr:
    return PolyScevMul;
  case scUDivExpr:
    return PolyScevDivide;
  case scAddRecExpr:
    return PolyScevAddRec;
  case scTruncate:
    return PolyScevTruncate;
  case scZeroExtend:
    return PolyScevZeroExtend;
  case scSignExtend:
    return PolyScevSignExtend;
  case scSMaxExpr:
    return PolyScevSMax;
  case scSMinExpr:
    return PolyScevSMin;
  case scUMaxExpr:
    return PolyScevUMax;
  case scUMinExpr:
    return PolyScevUMin;
  default:
    return PolyScevOther;
  }
}

// What an access touches at its base or anywhere around it, with what its instruction says.
MemoryLocation around(const Value *base, const Instruction *access,
                      bool scoped) {
  AAMDNodes tags = access->getAAMetadata();
  // These tell of one offset from the base only.
  tags.TBAAStruct = nullptr;
  // Memory may be loaded as one type and stored as another afterwards (C11 6.5p6), and the new code may turn that
  // around.
  tags.TBAA = nullptr;
  if (!scoped) {
    tags.Scope = nullptr;
    tags.NoAlias = nullptr;
  }
  return MemoryLocation::getBeforeOrAfter(base, tags);
}

// Whether the variable of a loop is certain since it starts so, and its steps wrap around nowhere: the flags of a SCEV,
// unlike those of instructions, hold for all values that the variable has.
bool isCertainVariable(PolyLlvmAnalysis &analysis, const PHINode &phi) {
  const Loop *loop = analysis.loops->getLoopFor(phi.getParent());
  if (!loop || loop->getHeader() != phi.getParent() ||
      !loop->getLoopPreheader() || !loop->getLoopLatch() ||
      !phi.getType()->isIntegerTy())
    return false;
  const auto *known = dyn_cast<SCEVAddRecExpr>(
      analysis.evolution->getSCEV(const_cast<PHINode *>(&phi)));
  const auto *step = dyn_cast<BinaryOperator>(
      phi.getIncomingValueForBlock(loop->getLoopLatch()));
  if (!known || known->getLoop() != loop || !step ||
      step->getOpcode() != Instruction::Add || step->getOperand(0) != &phi ||
      !isa<ConstantInt>(step->getOperand(1)))
    return false;
  BasicBlock *before = loop->getLoopPreheader();
  return (!step->hasNoSignedWrap() || known->hasNoSignedWrap()) &&
         (!step->hasNoUnsignedWrap() || known->hasNoUnsignedWrap()) &&
         isGuaranteedNotToBeUndefOrPoison(
             phi.getIncomingValueForBlock(before), analysis.assumptions,
             before->getTerminator(), analysis.dominators);
}

} // namespace

bool polyHostLlvmLoopOf(PolyLlvmAnalysis *analysis, LLVMBasicBlockRef block,
                        PolyLlvmLoop *found) {
  const Loop *loop = analysis->loops->getLoopFor(unwrap(block));
  if (!loop)
    return false;
  const Loop *parent = loop->getParentLoop();
  found->header = wrap(loop->getHeader());
  found->parent = wrap(parent ? parent->getHeader() : nullptr);
  found->preheader = wrap(loop->getLoopPreheader());
  found->latch = wrap(loop->getLoopLatch());
  found->ends = isMustProgress(loop);
  return true;
}

const PolyLlvmScev *polyHostLlvmExitCount(PolyLlvmAnalysis *analysis,
                                          LLVMBasicBlockRef header,
                                          LLVMBasicBlockRef exiting) {
  const Loop *loop = analysis->loops->getLoopFor(unwrap(header));
  const SCEV *count = analysis->evolution->getExitCount(loop, unwrap(exiting));
  return isa<SCEVCouldNotCompute>(count) ? nullptr : opaque(count);
}

const PolyLlvmScev *polyHostLlvmScev(PolyLlvmAnalysis *analysis,
                                     LLVMValueRef value,
                                     LLVMBasicBlockRef block) {
  Value *known = unwrap(value);
  ScalarEvolution &evolution = *analysis->evolution;
  if (!evolution.isSCEVable(known->getType()))
    return nullptr;
  const Loop *scope = analysis->loops->getLoopFor(unwrap(block));
  return opaque(evolution.getSCEVAtScope(known, scope));
}

void polyHostLlvmScevRow(PolyLlvmAnalysis *analysis, const PolyLlvmScev *asked,
                         PolyLlvmScevRow *found) {
  const SCEV *node = scev(asked);
  *found = PolyLlvmScevRow{};
  found->kind = kindOf(node);
  Type *type = node->getType();
  found->bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
  found->operands = node->operands().size();
  if (const auto *constant = dyn_cast<SCEVConstant>(node)) {
    const APInt &number = constant->getAPInt();
    found->fits = number.getBitWidth() <= 64;
    found->constant = found->fits ? number.getSExtValue() : 0;
  }
  if (const auto *unknown = dyn_cast<SCEVUnknown>(node))
    found->value = wrap(unknown->getValue());
  if (const auto *several = dyn_cast<SCEVNAryExpr>(node))
    found->nsw = several->hasNoSignedWrap();
  if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(node))
    found->header = wrap(recurrence->getLoop()->getHeader());
}

const PolyLlvmScev *polyHostLlvmOperand(const PolyLlvmScev *asked,
                                        uint32_t number) {
  return opaque(scev(asked)->operands()[number]);
}

const PolyLlvmScev *polyHostLlvmDistance(PolyLlvmAnalysis *analysis,
                                         LLVMValueRef left, LLVMValueRef right,
                                         LLVMBasicBlockRef block) {
  ScalarEvolution &evolution = *analysis->evolution;
  const Loop *scope = analysis->loops->getLoopFor(unwrap(block));
  const SCEV *distance = evolution.getMinusSCEV(
      evolution.getSCEVAtScope(unwrap(left), scope),
      evolution.getSCEVAtScope(unwrap(right), scope));
  return isa<SCEVCouldNotCompute>(distance) || distance->getType()->isPointerTy() ? nullptr : opaque(distance);
}

bool polyHostLlvmStandsFor(PolyLlvmAnalysis *analysis, LLVMValueRef instruction,
                           const PolyLlvmScev *asked, LLVMBasicBlockRef block) {
  auto *computed = cast<Instruction>(unwrap(instruction));
  const SCEV *node = scev(asked);
  const BasicBlock *user = unwrap(block);
  const Loop *around = analysis->loops->getLoopFor(user);
  // The flags of instructions would have to go where others compute the same without them.
  SmallVector<Instruction *> flagged;
  return computed->getType() == node->getType() &&
         !(around && around->contains(computed)) &&
         analysis->dominators->dominates(computed, user) &&
         analysis->evolution->canReuseInstruction(node, computed, flagged) &&
         flagged.empty();
}

LLVMValueRef polyHostLlvmGuarded(LLVMValueRef value, LLVMValueRef *condition) {
  const auto *load = dyn_cast<LoadInst>(unwrap(value));
  const auto *choice =
      load ? dyn_cast<SelectInst>(load->getPointerOperand()) : nullptr;
  const auto *zeros =
      choice ? dyn_cast<AllocaInst>(choice->getFalseValue()) : nullptr;
  // A program may choose between a place and a variable of its own as well.
  if (!zeros || !zeros->hasMetadata(polyrs::zerosMark))
    return nullptr;
  *condition = wrap(choice->getCondition());
  return wrap(choice->getTrueValue());
}

LLVMValueRef polyHostLlvmBase(PolyLlvmAnalysis *analysis, LLVMValueRef pointer,
                              LLVMBasicBlockRef block,
                              const PolyLlvmScev **offset, bool *inbounds) {
  ScalarEvolution &evolution = *analysis->evolution;
  Value *value = unwrap(pointer);
  const Loop *scope = analysis->loops->getLoopFor(unwrap(block));
  const SCEV *whole = evolution.getSCEVAtScope(value, scope);
  const SCEV *base = evolution.getPointerBase(whole);
  const auto *unknown = dyn_cast<SCEVUnknown>(base);
  if (!unknown)
    return nullptr;
  const SCEV *distance = evolution.getMinusSCEV(whole, base);
  if (isa<SCEVCouldNotCompute>(distance))
    return nullptr;
  *offset = opaque(distance);
  *inbounds = true;
  while (value != unknown->getValue()) {
    auto *address = dyn_cast<GEPOperator>(value);
    if (!address || !address->isInBounds()) {
      *inbounds = false;
      break;
    }
    value = address->getPointerOperand();
  }
  return wrap(unknown->getValue());
}

uint32_t polyHostLlvmAddress(LLVMValueRef pointer, LLVMValueRef *values,
                             int64_t *scales, uint32_t capacity,
                             int64_t *constant, LLVMValueRef *base) {
  Value *value = unwrap(pointer);
  uint32_t count = 0;
  *constant = 0;
  while (auto *address = dyn_cast<GetElementPtrInst>(value)) {
    const DataLayout &layout = address->getDataLayout();
    unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
    SmallMapVector<Value *, APInt, 4> variable;
    APInt fixed(bits, 0);
    if (bits != 64 || address->getType()->isVectorTy() ||
        !address->collectOffset(layout, bits, variable, fixed))
      return capacity + 1;
    // Modulo 2^64, as everything here.
    *constant = static_cast<int64_t>(static_cast<uint64_t>(*constant) +
                                     fixed.getZExtValue());
    for (const auto &[index, scale] : variable) {
      if (count == capacity)
        return capacity + 1;
      values[count] = wrap(index);
      scales[count++] = scale.getSExtValue();
    }
    value = address->getPointerOperand();
  }
  *base = wrap(value);
  return count;
}

void polyHostLlvmRange(PolyLlvmAnalysis *analysis, LLVMValueRef value,
                       int64_t *least, int64_t *most) {
  ScalarEvolution &evolution = *analysis->evolution;
  ConstantRange range = evolution.getSignedRange(evolution.getSCEV(unwrap(value)));
  *least = range.getSignedMin().getSExtValue();
  *most = range.getSignedMax().getSExtValue();
}

bool polyHostLlvmIsCertain(PolyLlvmAnalysis *analysis, LLVMValueRef value,
                           LLVMBasicBlockRef block) {
  const Value *known = unwrap(value);
  if (isGuaranteedNotToBeUndefOrPoison(known, analysis->assumptions,
                                       unwrap(block)->getTerminator(),
                                       analysis->dominators))
    return true;
  const auto *phi = dyn_cast<PHINode>(known);
  return phi && isCertainVariable(*analysis, *phi);
}

bool polyHostLlvmDies(PolyLlvmAnalysis *analysis, LLVMValueRef pointer,
                      const LLVMValueRef *accesses, size_t count,
                      LLVMBasicBlockRef around) {
  const auto *object = dyn_cast<Instruction>(getUnderlyingObject(unwrap(pointer)));
  if (!object || (!isa<AllocaInst>(object) &&
                  !(isNoAliasCall(object) && isAllocationFn(object, analysis->library))))
    return false;
  const Loop *made = analysis->loops->getLoopFor(object->getParent());
  if ((made ? made->getHeader() : nullptr) != (around ? unwrap(around) : nullptr))
    return false;
  // Loops that LoopInfo does not know may run the accesses again, on what is left of the run before. Functions that may
  // return twice are not raised.
  if (mayContainIrreducibleControl(*analysis->clone, analysis->loops))
    return false;
  SmallPtrSet<const Value *, 32> known;
  for (size_t number = 0; number < count; ++number)
    known.insert(unwrap(accesses[number]));
  SmallVector<const Value *, 8> pointers = {object};
  SmallPtrSet<const Value *, 8> seen = {object};
  while (!pointers.empty()) {
    const Value *value = pointers.pop_back_val();
    for (const Use &use : value->uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      if (isa<GetElementPtrInst>(user)) {
        // An index is no pointer, and vectors of pointers are for gathers.
        if (!user->getType()->isPointerTy())
          return false;
        if (seen.insert(user).second)
          pointers.push_back(user);
      } else if (const auto *store = dyn_cast<StoreInst>(user)) {
        if (store->getValueOperand() == value || !known.contains(store))
          return false;
      } else if (const auto *call = dyn_cast<CallBase>(user)) {
        // A pointer in an operand bundle is seen by others.
        bool isSet = known.contains(call) && isa<MemIntrinsic>(call) &&
                     call->isArgOperand(&use);
        bool isFreed = getFreedOperand(call, analysis->library) == value &&
                       call->isArgOperand(&use);
        if (!isSet && !isFreed && !call->isLifetimeStartOrEnd() &&
            !user->isDroppable())
          return false;
      } else if (!isa<ICmpInst>(user) &&
                 !(isa<LoadInst>(user) && known.contains(user))) {
        return false;
      }
    }
  }
  return true;
}

bool polyHostLlvmDisjoint(PolyLlvmAnalysis *analysis, LLVMValueRef base,
                          LLVMValueRef instruction, LLVMValueRef otherBase,
                          LLVMValueRef otherInstruction, bool scoped) {
  MemoryLocation one =
      around(unwrap(base), unwrap<Instruction>(instruction), scoped);
  MemoryLocation other =
      around(unwrap(otherBase), unwrap<Instruction>(otherInstruction), scoped);
  return analysis->aliases->isNoAlias(one, other);
}

bool polyHostLlvmIsPure(LLVMValueRef value) {
  const auto *instruction = unwrap<Instruction>(value);
  if (const auto *call = dyn_cast<CallBase>(instruction))
    return call->doesNotAccessMemory() && call->hasFnAttr(Attribute::WillReturn) &&
           call->doesNotThrow() && !call->isConvergent() && !call->cannotDuplicate() &&
           !call->hasFnAttr(Attribute::StrictFP) && !call->isMustTailCall() &&
           !call->hasOperandBundles();
  return !instruction->mayHaveSideEffects() && !instruction->mayReadFromMemory();
}

// Whether something may access `errno`, a call aside that is no part of what is raised.
static bool mayAccessErrno(AAResults &aliases, const Instruction &instruction) {
  const Module *module = instruction.getModule();
  auto isErrno = [&](const MemoryLocation &location) {
    return aliases.aliasErrno(location, module) != AliasResult::NoAlias;
  };
  if (const auto *transfer = dyn_cast<AnyMemIntrinsic>(&instruction)) {
    const auto *copy = dyn_cast<AnyMemTransferInst>(transfer);
    return isErrno(MemoryLocation::getForDest(transfer)) ||
           (copy && isErrno(MemoryLocation::getForSource(copy)));
  }
  std::optional<MemoryLocation> location =
      isa<CallBase>(instruction) ? std::nullopt
                                 : MemoryLocation::getOrNone(&instruction);
  return location && isErrno(*location);
}

// Whether what is computed from a value in its block is stored there; in few steps.
static bool isStoredInBlock(const Instruction &value) {
  SmallVector<const Instruction *, 8> open = {&value};
  SmallPtrSet<const Instruction *, 16> known;
  while (!open.empty() && known.size() < 64) {
    const Instruction *next = open.pop_back_val();
    for (const User *user : next->users()) {
      const auto *use = cast<Instruction>(user);
      if (use->getParent() != value.getParent() || isa<PHINode>(use))
        continue;
      if (const auto *store = dyn_cast<StoreInst>(use)) {
        if (store->getValueOperand() == next)
          return true;
      } else if (!use->mayReadOrWriteMemory() &&
                 known.insert(use).second) {
        open.push_back(use);
      }
    }
  }
  return false;
}

bool polyHostLlvmSetsErrnoOnly(PolyLlvmAnalysis *analysis, LLVMValueRef value) {
  const auto *call = dyn_cast<CallInst>(unwrap<Instruction>(value));
  LibFunc function;
  if (!call || !analysis->library->getLibFunc(*call, function))
    return false;
  // There is one error for these.
  if (function != LibFunc_sqrt && function != LibFunc_sqrtf)
    return false;
  if (!call->getMemoryEffects().onlyAccessesErrnoMem() ||
      !call->hasFnAttr(Attribute::WillReturn) || !call->doesNotThrow() ||
      call->isConvergent() || call->hasFnAttr(Attribute::StrictFP) ||
      call->isMustTailCall() || call->hasOperandBundles())
    return false;
  if (!isStoredInBlock(*call))
    return false;
  if (!analysis->accessesErrno)
    analysis->accessesErrno =
        any_of(instructions(*call->getFunction()),
               [&](const Instruction &instruction) {
                 return mayAccessErrno(*analysis->aliases, instruction);
               });
  return !*analysis->accessesErrno;
}

PolyLlvmCalled polyHostLlvmCalled(LLVMValueRef value) {
  const auto *call = unwrap<CallBase>(value);
  if (call->isInlineAsm())
    return PolyCallsAssembly;
  const Function *callee = call->getCalledFunction();
  if (!callee)
    return PolyCallsPointer;
  if (!callee->isDeclaration())
    return PolyCallsDefined;
  return call->getMemoryEffects().onlyAccessesErrnoMem() ? PolyCallsErrno
                                                         : PolyCallsElsewhere;
}

bool polyHostLlvmIsDirect(LLVMValueRef value) {
  const auto *call = unwrap<CallBase>(value);
  const Function *callee = call->getCalledFunction();
  if (!isa<CallInst>(call) || !callee || callee->isVarArg())
    return false;
  return none_of(call->args(), [&](const Use &argument) {
    return call->paramHasAttr(call->getArgOperandNo(&argument),
                              Attribute::ImmArg);
  });
}

bool polyHostLlvmTransfer(LLVMValueRef value, bool *copies, bool *moves,
                          uint64_t *to, uint64_t *from) {
  const auto *call = dyn_cast<MemIntrinsic>(unwrap<Instruction>(value));
  if (!call || call->isVolatile())
    return false;
  // Others are never to become calls of a library.
  Intrinsic::ID kind = call->getIntrinsicID();
  if (kind != Intrinsic::memset && kind != Intrinsic::memcpy &&
      kind != Intrinsic::memmove)
    return false;
  const auto *transfer = dyn_cast<MemTransferInst>(call);
  *copies = transfer;
  *moves = kind == Intrinsic::memmove;
  *to = call->getDestAlign().valueOrOne().value();
  *from = transfer ? transfer->getSourceAlign().valueOrOne().value() : 1;
  return true;
}

bool polyHostLlvmVersions(LLVMValueRef value, LLVMBasicBlockRef *before,
                          LLVMBasicBlockRef *otherwise) {
  const auto *branch = dyn_cast<BranchInst>(unwrap(value));
  if (!branch || !versionOf(*branch))
    return false;
  *before = wrap(branch->getSuccessor(0));
  *otherwise = wrap(branch->getSuccessor(1));
  return true;
}

bool polyHostLlvmIsSimple(LLVMValueRef value) {
  const auto *instruction = unwrap<Instruction>(value);
  const DataLayout &layout = instruction->getDataLayout();
  if (const auto *load = dyn_cast<LoadInst>(instruction))
    return load->isSimple() &&
           load->getAlign() >= layout.getABITypeAlign(load->getType());
  if (const auto *store = dyn_cast<StoreInst>(instruction))
    return store->isSimple() &&
           store->getAlign() >=
               layout.getABITypeAlign(store->getValueOperand()->getType());
  return false;
}

bool polyHostLlvmFloatBits(LLVMValueRef value, uint64_t *bits) {
  const auto *constant = dyn_cast<ConstantFP>(unwrap(value));
  if (!constant || constant->getType()->getPrimitiveSizeInBits() > 64)
    return false;
  *bits = constant->getValueAPF().bitcastToAPInt().getZExtValue();
  return true;
}
