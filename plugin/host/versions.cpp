// Versions of loops in which sizes and pointers are taken to stay as they are. Which loops get one is policy, as the rest of
// the canonical form.
//
// For all that LLVM knows, a store to an array may write the size or the pointer that is loaded for each element: `this->n`
// where types tell nothing, as of bytes and in functions in line, or where they are the same. So such loops get a second version, in
// which what is loaded is loaded once, before (`hoist.cpp`):
//
//     head:     %assumed = load i1, ptr %version
//               br i1 %assumed, label %before, label %otherwise
//     before:   loads of what is assumed not to change, and of nothing else
//               br label %version of the loop
//     otherwise: br label %loop
//
// Nothing decides between the two. The first version is never run: it only says what is raised. Where it is raised as a
// whole, and new code is better, control goes to `before`, and from there to the new code if the check says that no byte
// that is loaded in `before` is written by the region, else to `otherwise`. Where it is not, control goes to `otherwise`
// (`passes/host/llvm_splice.cpp`). In both cases the first version is gone.

#include "versions.h"

#include "failures.h"
#include "hoist.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {

// The instructions of a loop that gets a version.
constexpr unsigned maxNest = 1000;
// Of all of a function.
constexpr unsigned maxCopied = 4000;
// How many loops get one.
constexpr unsigned maxVersions = 16;

// Whether a region may have an instruction in it, or it may be gone by then, and what it writes is known.
bool mayBeCopied(const Instruction &instruction) {
  if (instruction.isTerminator())
    return isa<BranchInst>(instruction);
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    if (const auto *bulk = dyn_cast<MemIntrinsic>(call))
      return !bulk->isVolatile();
    const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    return (intrinsic && intrinsic->isAssumeLikeIntrinsic()) ||
           (call->doesNotAccessMemory() && call->doesNotThrow() && call->willReturn());
  }
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple();
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple();
  return !instruction.mayReadOrWriteMemory() && !isa<AllocaInst>(instruction);
}

class Versions {
public:
  Versions(Function &function, FunctionAnalysisManager &analyses)
      : function(function), analyses(analyses) {}

  bool run() {
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
    if (loops.empty() || mayContainIrreducibleControl(function, &loops))
      return false;
    failures = polyrs::findFailures(function);
    SmallVector<Loop *, 4> open(loops.rbegin(), loops.rend());
    SmallVector<Loop *, 4> found;
    while (!open.empty() && found.size() < maxVersions) {
      Loop *loop = open.pop_back_val();
      if (!mayBeRaised(*loop)) {
        open.append(loop->rbegin(), loop->rend());
        continue;
      }
      unsigned size = sizeOf(*loop);
      if (size <= maxNest && grown + size <= maxCopied &&
          loop->isRecursivelyLCSSAForm(dominators, loops) &&
          polyrs::isWorthAssuming(*loop, analyses)) {
        grown += size;
        found.push_back(loop);
      }
    }
    if (found.empty())
      return false;
    SmallVector<BasicBlock *, 4> headers;
    for (Loop *loop : found)
      headers.push_back(makeVersion(*loop));
    analyses.invalidate(function, PreservedAnalyses::none());
    FunctionPassManager passes;
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
    passes.run(function, analyses);
    analyses.invalidate(function, PreservedAnalyses::none());
    for (BasicBlock *header : headers)
      polyrs::hoistAssumed(*analyses.getResult<LoopAnalysis>(function).getLoopFor(header),
                           analyses);
    analyses.invalidate(function, PreservedAnalyses::none());
    return true;
  }

private:
  // Whether a nest has the form that regions have. Single loops are not worth it.
  bool mayBeRaised(const Loop &loop) const {
    if (loop.isInnermost())
      return false;
    for (const Loop *one : loop.getLoopsInPreorder())
      if (!one->isLoopSimplifyForm() || !isLeftAtLatch(*one))
        return false;
    return all_of(loop.blocks(), [](const BasicBlock *block) {
      return all_of(*block, mayBeCopied);
    });
  }

  bool isLeftAtLatch(const Loop &loop) const {
    return all_of(loop.blocks(), [&](const BasicBlock *block) {
      return block == loop.getLoopLatch() || all_of(successors(block), [&](const BasicBlock *next) {
               return loop.contains(next) || failures.contains(next);
             });
    });
  }

  static unsigned sizeOf(const Loop &loop) {
    unsigned size = 0;
    for (const BasicBlock *block : loop.blocks())
      size += block->size();
    return size;
  }

  // Makes the version of a loop; its header.
  BasicBlock *makeVersion(Loop &loop) {
    BasicBlock *head = loop.getLoopPreheader();
    BasicBlock *otherwise = SplitBlock(head, head->getTerminator());
    ValueToValueMapTy values;
    auto *before = BasicBlock::Create(function.getContext(), "", &function, otherwise);
    values[otherwise] = before;
    SmallVector<BasicBlock *, 16> blocks;
    for (BasicBlock *block : loop.blocks()) {
      BasicBlock *copy = CloneBasicBlock(block, values, "", &function);
      copy->moveBefore(otherwise);
      values[block] = copy;
      blocks.push_back(copy);
    }
    remapInstructionsInBlocks(blocks, values);
    auto *header = cast<BasicBlock>(values[loop.getHeader()]);
    BranchInst::Create(header, before)->setDebugLoc(otherwise->getTerminator()->getDebugLoc());
    joinExits(loop, values);
    choose(*head, before, otherwise);
    return header;
  }

  // What is used behind the loop comes from either of them.
  static void joinExits(const Loop &loop, ValueToValueMapTy &values) {
    SmallVector<BasicBlock *, 8> exits;
    loop.getUniqueExitBlocks(exits);
    for (BasicBlock *exit : exits)
      for (PHINode &phi : exit->phis())
        for (unsigned number = 0, end = phi.getNumIncomingValues(); number < end; ++number) {
          BasicBlock *from = phi.getIncomingBlock(number);
          if (!loop.contains(from))
            continue;
          Value *value = phi.getIncomingValue(number);
          auto copy = values.find(value);
          phi.addIncoming(copy == values.end() ? value : static_cast<Value *>(copy->second),
                          cast<BasicBlock>(values[from]));
        }
  }

  // The variable that nobody writes is what others know the branch by.
  void choose(BasicBlock &head, BasicBlock *before, BasicBlock *otherwise) {
    Instruction *last = head.getTerminator();
    BasicBlock &entry = function.getEntryBlock();
    IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    AllocaInst *version = builder.CreateAlloca(builder.getInt1Ty(), nullptr, "poly.version");
    builder.SetInsertPoint(last);
    LoadInst *assumed = builder.CreateLoad(builder.getInt1Ty(), version, "poly.assumed");
    builder.CreateCondBr(assumed, before, otherwise);
    last->eraseFromParent();
  }

  Function &function;
  FunctionAnalysisManager &analyses;
  SmallPtrSet<const BasicBlock *, 8> failures;
  unsigned grown = 0;
};

} // namespace

bool polyrs::makeVersions(Function &clone, FunctionAnalysisManager &analyses) {
  return Versions(clone, analyses).run();
}
