// Small functions in line, in clones. Which calls are replaced is policy, as the rest of the canonical form.
//
// Accessors, `operator()`, lambdas, iterators and `std::max` are calls where regions are raised, before anything is
// inlined. The module's functions stay as they are: a body comes into the clone only, through LLVM's own inliner. Only
// functions come in line of which nothing can be in the way of a region then (an error aside): other ones would
// make the clone longer for nothing.

#include "inline.h"

#include "canonical.h"
#include "failures.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

// The instructions of a function that is small, with what comes in line in it.
constexpr unsigned maxBody = 300;
// By how many instructions a clone may grow.
constexpr unsigned maxGrowth = 4000;
// Calls in calls; also the stack of this.
constexpr unsigned maxDepth = 16;
// The bytes of variables that a call may bring: they are there for the whole function then, each time that it calls
// itself.
constexpr uint64_t maxStack = 1024;
// And all calls together.
constexpr uint64_t maxStackGrowth = 4096;

// Attributes of functions that must stay as they are, which a body would bring along. What sanitizers make
// is compared by LLVM itself.
bool isOfItsOwn(const Function &callee) {
  constexpr Attribute::AttrKind kinds[] = {
      Attribute::Naked,
      // The optimizer makes its options by the original.
      Attribute::NoImplicitFloat,
      Attribute::Convergent,
      Attribute::StrictFP,
      Attribute::PresplitCoroutine,
      Attribute::ReturnsTwice,
      Attribute::SanitizeAllocToken,
      Attribute::SanitizeNumericalStability,
      Attribute::SanitizeType,
      Attribute::SanitizeRealtime,
      Attribute::SanitizeRealtimeBlocking,
  };
  return callee.hasGC() || any_of(kinds, [&](Attribute::AttrKind kind) {
           return callee.hasFnAttribute(kind);
         });
}

// Whether an argument is a copy of a global variable, whose alignment LLVM would raise.
bool copiesGlobal(const CallBase &call) {
  return any_of(call.args(), [&](const Use &argument) {
    return call.isByValArgument(call.getArgOperandNo(&argument)) &&
           isa<GlobalValue>(argument->stripPointerCasts());
  });
}

// What a function calls by name.
SmallPtrSet<const Function *, 8> calledBy(const Function &function) {
  SmallPtrSet<const Function *, 8> called;
  for (const Instruction &instruction : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      called.insert(call->getCalledFunction());
  return called;
}

// Instructions that are no code.
bool isFree(const Instruction &instruction) {
  return isa<DbgInfoIntrinsic, PseudoProbeInst>(instruction) ||
         instruction.isLifetimeStartOrEnd();
}

} // namespace

bool polyrs::isLasting(const Instruction &instruction,
                       const TargetLibraryInfo &library) {
  if (isa<FenceInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction))
    return true;
  if (isa<LoadInst, StoreInst>(instruction))
    return instruction.isVolatile();
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return false;
  // What is called may become known, or a constant.
  const Function *callee = call->getCalledFunction();
  return callee && !callee->isIntrinsic() && !call->onlyReadsMemory() &&
         !canConstantFoldCallTo(call, callee) &&
         !getFreedOperand(call, &library) &&
         !wouldInstructionBeTriviallyDead(call, &library);
}

bool polyrs::knowsVariable(const CallBase &call) {
  return any_of(call.args(), [](const Use &argument) {
    return argument->getType()->isPointerTy() &&
           isa<AllocaInst>(getUnderlyingObject(argument));
  });
}

const polyrs::Callees::Body *polyrs::Callees::find(CallBase &call) {
  Function *callee = call.getCalledFunction();
  // Nobody waits for an error.
  if (!callee || call.isMustTailCall() || call.isNoInline() ||
      call.hasOperandBundles() || isFailure(*call.getParent()) ||
      copiesGlobal(call))
    return nullptr;
  const Body *body = bodyOf(*callee, 0);
  if (!body || body->stack > call.getCaller()->getFnAttributeAsParsedInteger(
                                 "inline-max-stacksize", maxStack))
    return nullptr;
  auto libraryOf = [&](Function &function) -> const TargetLibraryInfo & {
    return analyses.getResult<TargetLibraryAnalysis>(function);
  };
  std::optional<InlineResult> decision = getAttributeBasedInliningDecision(
      call, callee, analyses.getResult<TargetIRAnalysis>(*callee), libraryOf);
  return !decision || decision->isSuccess() ? body : nullptr;
}

const polyrs::Callees::Body *polyrs::Callees::bodyOf(Function &callee,
                                                     unsigned depth) {
  auto [place, isNew] = known.try_emplace(&callee, std::nullopt);
  if (isNew) {
    open.insert(&callee);
    Body body;
    if (look(callee, depth, body))
      known[&callee] = body;
    open.erase(&callee);
  }
  const std::optional<Body> &found = known[&callee];
  return found ? &*found : nullptr;
}

bool polyrs::Callees::look(Function &callee, unsigned depth, Body &body) {
  if (depth == maxDepth || &callee == original || callee.isDeclaration() ||
      callee.isInterposable() || callee.isVarArg() ||
      callee.hasFnAttribute(Attribute::NoInline) ||
      callee.hasFnAttribute(Attribute::OptimizeNone) || isOfItsOwn(callee))
    return false;
  const auto &library = analyses.getResult<TargetLibraryAnalysis>(callee);
  const auto failures = findFailures(callee);
  for (BasicBlock &block : callee) {
    for (Instruction &instruction : block) {
      if (isFree(instruction))
        continue;
      if (++body.instructions > maxBody)
        return false;
      if (const auto *place = dyn_cast<AllocaInst>(&instruction)) {
        std::optional<TypeSize> size =
            place->getAllocationSize(callee.getDataLayout());
        if (!place->isStaticAlloca() || !size || size->isScalable())
          return false;
        body.stack += size->getFixedValue();
      }
      if (failures.contains(&block))
        continue;
      auto *call = dyn_cast<CallBase>(&instruction);
      Function *inner = call ? call->getCalledFunction() : nullptr;
      // It calls itself.
      if (inner && open.contains(inner))
        return false;
      const Body *within =
          inner && !inner->isDeclaration() ? bodyOf(*inner, depth + 1) : nullptr;
      if (within) {
        body.instructions += within->instructions;
        body.loops += within->loops;
        body.stack += within->stack;
      } else if (isLasting(instruction, library)) {
        return false;
      }
    }
  }
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> edges;
  FindFunctionBackedges(callee, edges);
  body.loops += edges.size();
  return body.instructions <= maxBody && body.stack <= maxStack &&
         isInlineViable(callee).isSuccess();
}

unsigned polyrs::inlineSmall(const Function &original, Function &clone,
                             FunctionAnalysisManager &analyses) {
  Callees callees(analyses, &original);
  SmallVector<CallBase *, 16> calls;
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(clone);
  for (Instruction &instruction : instructions(clone)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Callees::Body *body = call ? callees.find(*call) : nullptr;
    // Functions with loops are looked at by themselves.
    if (body && (loops.getLoopFor(call->getParent()) || knowsVariable(*call)))
      calls.push_back(call);
  }
  auto assumptions = [&](Function &function) -> AssumptionCache & {
    return analyses.getResult<AssumptionAnalysis>(function);
  };
  unsigned grown = 0, count = 0;
  uint64_t stack = 0;
  for (unsigned next = 0; next < calls.size(); ++next) {
    const Callees::Body *body = callees.find(*calls[next]);
    if (!body || grown + body->instructions > maxGrowth ||
        stack + body->stack > maxStackGrowth)
      continue;
    // What is counted of a function has its calls in line; they are counted again.
    grown += body->instructions;
    stack += body->stack;
    // What becomes known by the call alone has not been foreseen.
    SmallPtrSet<const Function *, 8> foreseen =
        calledBy(*calls[next]->getCalledFunction());
    InlineFunctionInfo info(assumptions, nullptr, nullptr, nullptr,
                            /*UpdateProfile=*/false);
    if (!InlineFunction(*calls[next], info, /*MergeAttributes=*/true)
             .isSuccess())
      continue;
    ++count;
    for (CallBase *inner : info.InlinedCallSites)
      if (inner->getCalledFunction() &&
          foreseen.contains(inner->getCalledFunction()))
        calls.push_back(inner);
  }
  if (count > 0)
    analyses.invalidate(clone, PreservedAnalyses::none());
  return count;
}
