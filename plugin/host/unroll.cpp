// Short loops in bodies of stencils, written out.
//
// Stencils of many points are sums over loops from -1 to 1 or from 1 to 4. As loops these are a reduction: its scalar
// is a dependence in each iteration of the loops over points, and nothing else than the order of the program is cheap.
// Written out, the sum is a chain of values in one statement, and loops over points and time may be tiled. The chain
// has the operations of the loop in the order of the loop.
//
// What makes a stencil is what gains by that: a loop of time around, which writes the array that the short loops read,
// at places that are the same at each time, and reads that move along the short loop as they do along a loop over
// points. Sums that are none of that stay loops: those of convolutions, filters and products of small matrices are the
// loops that blocks for registers are made of.

#include "unroll.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#include <optional>

using namespace llvm;

namespace {

// Iterations of a body that are written out: cubes of 27 points, and two of 16. Of cubes of 64 points the
// cost model expects nothing.
constexpr unsigned maxCopies = 32;
// Instructions that one nest of short loops becomes, their counters included: 32 each.
constexpr unsigned maxWritten = 1024;
// And all short loops of a function: four cubes of 27 points, as dependences between more of them are too many to look at.
constexpr unsigned maxAllWritten = 2000;
// Conditions of more parts in each other are not looked at.
constexpr unsigned maxDepthOfConditions = 4;
// How many points one iteration of a short loop goes on.
constexpr int maxDilation = 4;

// What a short nest of loops becomes.
struct Written {
  unsigned copies;
  unsigned instructions;
};

// An address: how far each loop moves it, and all that it is made of.
struct Address {
  const SCEV *whole;
  const Value *base;
  SmallDenseMap<const Loop *, const SCEV *, 8> steps;

  // Whether it is the same in all iterations of a loop, but for loops in that.
  bool staysIn(const Loop &loop) const {
    return !SCEVExprContains(whole, [&](const SCEV *part) {
      if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part))
        return recurrence->getLoop() == &loop;
      const auto *unknown = dyn_cast<SCEVUnknown>(part);
      const auto *value = unknown ? dyn_cast<Instruction>(unknown->getValue()) : nullptr;
      return value && loop.contains(value);
    });
  }
};

class Stencils {
public:
  Stencils(Function &clone, FunctionAnalysisManager &analyses)
      : clone(clone), loops(analyses.getResult<LoopAnalysis>(clone)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(clone)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(clone)),
        assumptions(analyses.getResult<AssumptionAnalysis>(clone)),
        target(analyses.getResult<TargetIRAnalysis>(clone)) {}

  bool run() {
    SmallVector<Loop *, 8> chosen;
    SmallPtrSet<const Loop *, 8> inChosen;
    unsigned growth = 0;
    for (Loop *loop : loops.getLoopsInPreorder()) {
      if (inChosen.contains(loop->getParentLoop())) {
        inChosen.insert(loop);
        continue;
      }
      // Without a loop over points and one of time there is nothing that looks at addresses.
      if (loop->getLoopDepth() < 3)
        continue;
      std::optional<Written> written = writtenOut(*loop, *loop);
      if (!written || growth + written->instructions > maxAllWritten || !isInStencil(*loop))
        continue;
      growth += written->instructions;
      chosen.push_back(loop);
      inChosen.insert(loop);
    }
    for (Loop *loop : chosen)
      unroll(*loop);
    return !chosen.empty();
  }

private:
  // What a loop of a nest becomes with all that is in it; none if that is too much, or not all loops of known numbers of
  // iterations that compute values, with no choice but by counters of the nest.
  std::optional<Written> writtenOut(const Loop &loop, const Loop &nest) {
    unsigned trips = evolution.getSmallConstantTripCount(&loop);
    if (trips == 0 || trips > maxCopies || !loop.isLoopSimplifyForm() || !loop.isSafeToClone() ||
        loop.getExitingBlock() != loop.getLoopLatch() || (hasUnrollTransformation(&loop) & TM_Disable))
      return std::nullopt;
    uint64_t copies = 0, instructions = 0;
    for (const Loop *inner : loop) {
      std::optional<Written> written = writtenOut(*inner, nest);
      if (!written)
        return std::nullopt;
      copies += written->copies;
      instructions += written->instructions;
    }
    for (const BasicBlock *block : loop.blocks())
      if (loops.getLoopFor(block) == &loop) {
        if (!computesOnly(*block, loop, nest))
          return std::nullopt;
        instructions += block->sizeWithoutDebug();
      }
    copies = std::max<uint64_t>(copies, 1) * trips;
    instructions *= trips;
    if (copies > maxCopies || instructions > maxWritten)
      return std::nullopt;
    return Written{unsigned(copies), unsigned(instructions)};
  }

  bool computesOnly(const BasicBlock &block, const Loop &loop, const Loop &nest) {
    for (const Instruction &instruction : block)
      if (instruction.mayHaveSideEffects() || isa<AllocaInst>(instruction))
        return false;
    const auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    return branch && (branch->isUnconditional() || loop.isLoopLatch(&block) || isCounted(*branch->getCondition(), nest));
  }

  // Whether a condition is known when a nest of short loops is written out: it is made of comparisons of their counters.
  bool isCounted(const Value &condition, const Loop &nest, unsigned depth = 0) {
    if (isa<ConstantInt>(condition))
      return true;
    const auto *instruction = dyn_cast<Instruction>(&condition);
    if (!instruction || depth == maxDepthOfConditions)
      return false;
    if (isa<SelectInst, BinaryOperator>(instruction))
      return all_of(instruction->operands(), [&](const Use &part) { return isCounted(*part, nest, depth + 1); });
    return isa<ICmpInst>(instruction) && all_of(instruction->operands(), [&](const Use &number) {
      return evolution.isSCEVable(number->getType()) &&
             !SCEVExprContains(evolution.getSCEV(number), [&](const SCEV *part) {
               const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);
               return isa<SCEVUnknown>(part) || (recurrence && !nest.contains(recurrence->getLoop()));
             });
    });
  }

  Address addressOf(const Instruction &access) {
    auto *pointer = const_cast<Value *>(getLoadStorePointerOperand(&access));
    const SCEV *whole = evolution.getSCEVAtScope(pointer, loops.getLoopFor(access.getParent()));
    const auto *base = dyn_cast<SCEVUnknown>(evolution.getPointerBase(whole));
    Address address{whole, base ? base->getValue() : nullptr, decltype(Address::steps)()};
    const SCEV *rest = whole;
    while (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(rest)) {
      if (!recurrence->isAffine())
        break;
      address.steps[recurrence->getLoop()] = recurrence->getStepRecurrence(evolution);
      rest = recurrence->getStart();
    }
    return address;
  }

  bool isInStencil(const Loop &loop) {
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instruction : *block)
        if (isa<LoadInst>(instruction) && isPointOfStencil(addressOf(instruction), loop))
          return true;
    return false;
  }

  // Whether the places that are read in a short loop are those around a point, and were written at another time.
  bool isPointOfStencil(const Address &read, const Loop &loop) {
    if (!read.base)
      return false;
    const Loop *points = loop.getParentLoop();
    while (points && !any_of(read.steps, [&](const auto &step) {
             return loop.contains(step.first) && isAlong(step.second, read.steps.lookup(points));
           }))
      points = points->getParentLoop();
    if (!points)
      return false;
    for (const Loop *time = points->getParentLoop(); time; time = time->getParentLoop())
      if (read.staysIn(*time) && isWrittenIn(*time, *read.base))
        return true;
    return false;
  }

  // Whether a step of a short loop is one or a few of a loop over points, forward or backward.
  bool isAlong(const SCEV *step, const SCEV *point) {
    if (!point)
      return false;
    for (int times = 1; times <= maxDilation; ++times) {
      const SCEV *several = evolution.getMulExpr(evolution.getConstant(point->getType(), times), point);
      if (step == several || step == evolution.getNegativeSCEV(several))
        return true;
    }
    return false;
  }

  // Whether a loop of time writes to an array, at the same places each time, in loops over points.
  bool isWrittenIn(const Loop &time, const Value &base) {
    for (const BasicBlock *block : time.blocks())
      for (const Instruction &instruction : *block)
        if (isa<StoreInst>(instruction)) {
          Address written = addressOf(instruction);
          if (written.base == &base && written.staysIn(time) && !written.steps.empty())
            return true;
        }
    return false;
  }

  // Writes a loop out, and first those in it.
  void unroll(Loop &loop) {
    SmallVector<Loop *, 4> inner(loop.begin(), loop.end());
    for (Loop *one : inner)
      unroll(*one);
    UnrollLoopOptions options{};
    options.Count = evolution.getSmallConstantTripCount(&loop);
    options.Force = true;
    options.ForgetAllSCEV = true;
    UnrollLoop(&loop, options, &loops, &evolution, &dominators, &assumptions, &target, nullptr,
               /*PreserveLCSSA=*/true);
  }

  Function &clone;
  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;
  AssumptionCache &assumptions;
  const TargetTransformInfo &target;
};

} // namespace

bool polyrs::unrollStencils(Function &clone, FunctionAnalysisManager &analyses) {
  if (!Stencils(clone, analyses).run())
    return false;
  // Conditions on counters are known now. What holds always leaves one way.
  for (BasicBlock &block : clone)
    ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
  EliminateUnreachableBlocks(clone);
  analyses.invalidate(clone, PreservedAnalyses::none());
  return true;
}
