// The canonical form of functions that regions are raised from. Which passes make it is policy: what they do decides
// what can be raised.
//
// Loops are rotated and their induction variables wide; memory is accessed where the program says so: nothing is
// promoted to registers over loops (no licm; only sizes are loaded before loops), and no subscript is simplified into
// one that cannot be taken apart (no instcombine, no reassociation).

#include "canonical.h"
#include "extremes.h"
#include "gather.h"
#include "hoist.h"
#include "scalars.h"
#include "strides.h"
#include "unroll.h"
#include "versions.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

// Whether an instruction says of a variable which layout its array should have (`passes/src/llvm/annotation.rs`).
static bool isLayout(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  StringRef name;
  return call && call->getIntrinsicID() == Intrinsic::var_annotation &&
         getConstantStringInfo(call->getArgOperand(1), name) &&
         name.starts_with("polyrs.layout");
}

// LLVM's own `CloneFunction` would also clone the debug information of the function. Here one of the two goes away, so
// everything above the function's instructions is shared.
Function *polyrs::clone(Function &original) {
  Function *clone = Function::Create(
      original.getFunctionType(), GlobalValue::InternalLinkage,
      original.getAddressSpace(), original.getName() + ".poly.clone",
      original.getParent());
  ValueToValueMapTy values;
  for (auto [from, to] : zip(original.args(), clone->args())) {
    to.setName(from.getName());
    values[&from] = &to;
  }
  clone->setAttributes(original.getAttributes());
  clone->setCallingConv(original.getCallingConv());
  // New code lies there, too.
  clone->setSection(original.getSection());
  if (original.hasGC())
    clone->setGC(original.getGC());
  if (original.hasPersonalityFn())
    clone->setPersonalityFn(original.getPersonalityFn());
  SmallVector<ReturnInst *, 8> returns;
  CloneFunctionBodyInto(*clone, original, values, RF_NoModuleLevelChanges,
                        returns);
  // But these tie instructions of one function to each other.
  DenseMap<DIAssignID *, DIAssignID *> assignments;
  for (Instruction &instruction : instructions(*clone)) {
    at::remapAssignID(assignments, instruction);
    // Only what is marked from here on is meant.
    if (isa<AllocaInst>(instruction))
      instruction.setMetadata(zerosMark, nullptr);
  }
  clone->setSubprogram(original.getSubprogram());
  return clone;
}

void polyrs::dropLayouts(Function &clone) {
  for (Instruction &instruction : make_early_inc_range(instructions(clone)))
    if (isLayout(instruction))
      instruction.eraseFromParent();
}

static void run(FunctionPassManager passes, Function &clone,
                FunctionAnalysisManager &analyses) {
  PreservedAnalyses preserved = passes.run(clone, analyses);
  analyses.invalidate(clone, preserved);
}

// Branches on what does not hold become branches on what does, the other way round: loops are counted by comparisons, and
// since C++20 `p != end` is the opposite of `p == end`.
static void turnNegated(Function &clone) {
  for (BasicBlock &block : clone) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    Value *condition;
    while (branch && branch->isConditional() &&
           match(branch->getCondition(), m_Not(m_Value(condition)))) {
      auto *negated = dyn_cast<Instruction>(branch->getCondition());
      branch->setCondition(condition);
      branch->swapSuccessors();
      if (negated && negated->use_empty())
        negated->eraseFromParent();
    }
  }
}

// Values that are the same whichever way control comes are that value, so that a loop's variable which goes up by a sum that
// inner loops use as well is still seen to do so. What comes out of a loop stays a PHI behind it.
static void joinEqual(Function &clone, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(clone);
  SmallVector<WeakTrackingVH, 16> work;
  for (BasicBlock &block : clone)
    for (PHINode &phi : block.phis())
      work.push_back(&phi);
  bool changed = false;
  while (!work.empty()) {
    auto *phi = dyn_cast_or_null<PHINode>(&*work.pop_back_val());
    Value *value = phi ? phi->hasConstantValue() : nullptr;
    if (!value || value == phi || isa<UndefValue>(value) ||
        !loops.replacementPreservesLCSSAForm(phi, value))
      continue;
    for (User *user : phi->users())
      if (isa<PHINode>(user) && user != phi)
        work.push_back(user);
    phi->replaceAllUsesWith(value);
    phi->eraseFromParent();
    changed = true;
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  if (changed)
    analyses.invalidate(clone, preserved);
}

void polyrs::structure(Function &clone, FunctionAnalysisManager &analyses,
                       bool hasInlined) {
  // In dead code a structure may be made of itself.
  EliminateUnreachableBlocks(clone);
  dropStackMarks(clone);
  splitStructures(clone);
  FunctionPassManager first;
  first.addPass(SROAPass(SROAOptions::ModifyCFG));
  run(std::move(first), clone, analyses);
  dropUnread(clone);
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  // What functions in line choose by address, as `std::clamp` does, are values by now.
  if (hasInlined) {
    passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    passes.addPass(EarlyCSEPass());
  }
  run(std::move(passes), clone, analyses);
  // Structures that came back from functions in line are members by now.
  dropUnused(clone);
  if (storeExtremes(clone, analyses)) {
    passes = FunctionPassManager();
    passes.addPass(SimplifyCFGPass());
    run(std::move(passes), clone, analyses);
  }
  turnNegated(clone);
  divideStrides(clone);
  splitLowerBounds(clone);
  freezeCounts(clone, analyses.getResult<LoopAnalysis>(clone));
  passes = FunctionPassManager();
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  run(std::move(passes), clone, analyses);
  joinEqual(clone, analyses);
  passes = FunctionPassManager();
  passes.addPass(HoistSizesPass());
  passes.addPass(GatherPass());
  // What the next loop pass would begin with.
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  run(std::move(passes), clone, analyses);
  if (makeVersions(clone, analyses)) {
    passes = FunctionPassManager();
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
    run(std::move(passes), clone, analyses);
  }
}

// Computes how often loops that walk along pointers go on before the outermost loop in which that does not change:
// regions take it from there.
static void expandCounts(Function &clone, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(clone);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(clone);
  SCEVExpander expander(evolution, "count");
  for (Loop *loop : loops.getLoopsInPreorder()) {
    BasicBlock *latch = loop->getLoopLatch();
    const SCEV *count = latch ? evolution.getExitCount(loop, latch) : nullptr;
    if (!count || !SCEVExprContains(count, [](const SCEV *part) {
          return isa<SCEVPtrToIntExpr>(part);
        }))
      continue;
    Instruction *before = nullptr;
    for (Loop *around = loop; around && around->getLoopPreheader() &&
                              evolution.isLoopInvariant(count, around);
         around = around->getParentLoop())
      before = around->getLoopPreheader()->getTerminator();
    if (before && expander.isSafeToExpandAt(count, before))
      expander.expandCodeFor(count, count->getType(), before);
  }
}

// Makes values of what short loops were, and the form of loops again. Subscripts of tables of weights are numbers now.
static void tidyUnrolled(Function &clone, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  // Loads that run under conditions, as hoisting makes them, stay as they are.
  if (none_of(instructions(clone), [](const Instruction &instruction) {
        return isa<AllocaInst>(instruction) && instruction.hasMetadata(polyrs::zerosMark);
      }))
    passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  run(std::move(passes), clone, analyses);
}

void polyrs::canonicalize(Function &clone, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  run(std::move(passes), clone, analyses);
  if (unrollStencils(clone, analyses))
    tidyUnrolled(clone, analyses);
  expandCounts(clone, analyses);
  // What is loaded stays where versions have it.
  gatherNumbers(clone, analyses);
  analyses.invalidate(clone, PreservedAnalyses::none());
}
