// Loads of sizes and pointers out of loops. Which loads are moved is policy, as the rest of the canonical form.
//
// Bounds in global variables, in structures, or passed by reference are loaded in every iteration; what is counted or
// accessed is only known when they are loaded before. Nothing else is moved: values of arrays stay where the program
// loads them.

#include "hoist.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

using namespace llvm;

namespace {

// Loops that write in more places are left as they are.
constexpr unsigned maxWriters = 256;

class Hoister {
public:
  Hoister(Function &function, FunctionAnalysisManager &analyses)
      : loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        aliases(analyses.getResult<AAManager>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        library(analyses.getResult<TargetLibraryAnalysis>(function)) {}

  bool run() {
    bool changed = false;
    SmallVector<Loop *, 4> outerFirst = loops.getLoopsInPreorder();
    for (Loop *loop : reverse(outerFirst))
      changed |= runOn(*loop);
    return changed;
  }

private:
  bool runOn(Loop &loop) {
    BasicBlock *before = loop.getLoopPreheader();
    if (!before)
      return false;
    SmallVector<LoadInst *, 8> loads;
    SmallVector<Instruction *, 16> writers;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && isSize(*load))
          loads.push_back(load);
        if (instruction.mayWriteToMemory())
          writers.push_back(&instruction);
      }
    if (loads.empty() || writers.size() > maxWriters)
      return false;
    SimpleLoopSafetyInfo safety;
    safety.computeLoopSafetyInfo(&loop);
    bool changed = false;
    for (LoadInst *load : loads)
      changed |= hoist(*load, loop, before->getTerminator(), writers, safety);
    return changed;
  }

  static bool isSize(const LoadInst &load) {
    Type *type = load.getType();
    return load.isSimple() && (type->isIntegerTy() || type->isPointerTy());
  }

  bool hoist(LoadInst &load, Loop &loop, Instruction *before,
             ArrayRef<Instruction *> writers,
             const SimpleLoopSafetyInfo &safety) {
    auto *address = dyn_cast<GetElementPtrInst>(load.getPointerOperand());
    bool computed = address && loop.contains(address);
    if (computed ? !loop.hasLoopInvariantOperands(address)
                 : !loop.isLoopInvariant(load.getPointerOperand()))
      return false;
    MemoryLocation place = MemoryLocation::get(&load);
    // A scope that starts in the loop says nothing of several iterations.
    place.AATags.Scope = nullptr;
    place.AATags.NoAlias = nullptr;
    for (Instruction *writer : writers)
      if (isModSet(aliases.getModRefInfo(writer, place)))
        return false;
    bool certain = safety.isGuaranteedToExecute(load, &dominators, &loop);
    if (!certain &&
        !(!computed && isSafeToSpeculativelyExecute(&load, before, &assumptions,
                                                    &dominators, &library)))
      return false;
    if (computed)
      address->moveBefore(before->getIterator());
    load.moveBefore(before->getIterator());
    if (!certain)
      load.dropUBImplyingAttrsAndMetadata();
    return true;
  }

  LoopInfo &loops;
  DominatorTree &dominators;
  AAResults &aliases;
  AssumptionCache &assumptions;
  TargetLibraryInfo &library;
};

} // namespace

PreservedAnalyses polyrs::HoistSizesPass::run(Function &function,
                                              FunctionAnalysisManager &analyses) {
  if (!Hoister(function, analyses).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  analyses.invalidate(function, preserved);
  // One load of each size.
  preserved.intersect(EarlyCSEPass(/*UseMemorySSA=*/true).run(function, analyses));
  return preserved;
}
