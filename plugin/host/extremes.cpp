// Least and greatest values that are stored if they are new.
//
// `if (q < m[i][j]) m[i][j] = q;` is how most people write `m[i][j] = min(m[i][j], q)`. A store under a condition on data is
// one that may happen or not, to an analysis of dependences, and a branch to vectors. It becomes a store of what is the
// lesser, in a place that is stored to before in any case, in the same iterations of a nest in which threads cannot meet: where
// nobody else may look at it meanwhile, and where memory may be written. `m[i][j] = INT_MAX;` in front of the
// loop is such a store.

#include "extremes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

// So many instructions behind a load are looked at for one that writes.
constexpr unsigned maxBetween = 64;

class Extremes {
public:
  Extremes(Function &clone, FunctionAnalysisManager &analyses)
      : clone(clone), loops(analyses.getResult<LoopAnalysis>(clone)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(clone)) {}

  bool run() {
    SmallVector<StoreInst *, 4> chosen;
    for (BasicBlock &block : clone)
      if (StoreInst *store = storeOfExtreme(block))
        chosen.push_back(store);
    for (StoreInst *store : chosen)
      storeAlways(*store);
    return !chosen.empty();
  }

private:
  // The only store of a block that runs if its value is less, or greater, than what is there; null if it is none.
  StoreInst *storeOfExtreme(BasicBlock &block) {
    auto *store = dyn_cast<StoreInst>(&block.front());
    auto *end = dyn_cast<BranchInst>(block.getTerminator());
    BasicBlock *before = block.getSinglePredecessor();
    if (!store || !store->isSimple() || !store->getValueOperand()->getType()->isIntegerTy() ||
        store->getNextNode() != end || !end->isUnconditional() || !before)
      return nullptr;
    auto *branch = dyn_cast<BranchInst>(before->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
        !is_contained(branch->successors(), end->getSuccessor(0)))
      return nullptr;
    LoadInst *load = comparedLoad(*branch, *store);
    return load && isUnchanged(*load, *before) && isStoredBefore(*store, *before) ? store : nullptr;
  }

  // The load of the place that the value is compared with.
  static LoadInst *comparedLoad(const BranchInst &branch, const StoreInst &store) {
    auto *compare = dyn_cast<ICmpInst>(branch.getCondition());
    if (!compare || compare->isEquality())
      return nullptr;
    Value *first = compare->getOperand(0), *second = compare->getOperand(1);
    if (first != store.getValueOperand())
      std::swap(first, second);
    auto *load = dyn_cast<LoadInst>(second);
    bool isSame = load && load->isSimple() && load->getPointerOperand() == store.getPointerOperand() &&
                  load->getType() == store.getValueOperand()->getType();
    return first == store.getValueOperand() && isSame ? load : nullptr;
  }

  // Whether nothing is written from a load to the end of its block, which is this one.
  static bool isUnchanged(const LoadInst &load, const BasicBlock &block) {
    if (load.getParent() != &block)
      return false;
    unsigned left = maxBetween;
    for (const Instruction *next = load.getNextNode(); next; next = next->getNextNode())
      if (next->mayWriteToMemory() || left-- == 0)
        return false;
    return true;
  }

  // Whether the place was stored to in the same iterations of an outermost loop in which threads cannot meet.
  bool isStoredBefore(const StoreInst &store, const BasicBlock &block) {
    const Loop *outermost = loops.getLoopFor(&block);
    if (!outermost)
      return false;
    outermost = outermost->getOutermostLoop();
    return mayNotMeet(*outermost) && any_of(store.getPointerOperand()->users(), [&](const User *user) {
             auto *other = dyn_cast<StoreInst>(user);
             return other && other != &store && other->isSimple() &&
                    other->getPointerOperand() == store.getPointerOperand() &&
                    other->getValueOperand()->getType() == store.getValueOperand()->getType() &&
                    outermost->contains(other) && other->getParent() != store.getParent() &&
                    dominators.dominates(other->getParent(), &block);
           });
  }

  // Whether nothing in a loop waits for other threads, or frees memory.
  bool mayNotMeet(const Loop &loop) {
    auto [known, isNew] = silent.try_emplace(&loop, true);
    if (isNew)
      known->second = all_of(loop.blocks(), [](const BasicBlock *block) {
        return all_of(*block, [](const Instruction &instruction) {
          // The end of an object's life is its memory's.
          if (instruction.isLifetimeStartOrEnd())
            return false;
          if (auto *known = dyn_cast<IntrinsicInst>(&instruction); known && known->isAssumeLikeIntrinsic())
            return true;
          if (auto *call = dyn_cast<CallBase>(&instruction))
            return call->doesNotAccessMemory() && !call->isConvergent();
          return !instruction.isAtomic() && !instruction.isVolatile() && !instruction.mayThrow();
        });
      });
    return known->second;
  }

  static void storeAlways(StoreInst &store) {
    auto *branch = cast<BranchInst>(store.getParent()->getSinglePredecessor()->getTerminator());
    LoadInst *load = comparedLoad(*branch, store);
    IRBuilder<> builder(branch);
    builder.SetCurrentDebugLocation(store.getDebugLoc());
    bool isThen = branch->getSuccessor(0) == store.getParent();
    Value *value = store.getValueOperand();
    Value *extreme = isThen ? builder.CreateSelect(branch->getCondition(), value, load)
                            : builder.CreateSelect(branch->getCondition(), load, value);
    StoreInst *always = builder.CreateAlignedStore(extreme, store.getPointerOperand(),
                                                   std::min(store.getAlign(), load->getAlign()));
    always->setAAMetadata(store.getAAMetadata());
    store.eraseFromParent();
  }

  Function &clone;
  LoopInfo &loops;
  DominatorTree &dominators;
  DenseMap<const Loop *, bool> silent;
};

} // namespace

bool polyrs::storeExtremes(Function &clone, FunctionAnalysisManager &analyses) {
  if (!Extremes(clone, analyses).run())
    return false;
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  analyses.invalidate(clone, preserved);
  return true;
}
