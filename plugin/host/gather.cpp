// Sizes and pointers from between loops to before them. What is moved is policy, as the rest of the canonical form.
//
// Loops in a row are one region if all that lies between them can be in it. Pointers cannot: the address of the next
// vector's data, loaded from a structure, is known where the region begins or not at all. So where control may go from one
// loop to another one of the same level, what is loaded or computed on the way to them goes to the end of the last block
// that all of them have to come through, before the first one:
//
//     if (n > 0) { a = v->a; loop }           n, a, b (if n > 0)
//     if (n > 0) { b = v->b; loop }    ->     if (n > 0) loop
//                                             if (n > 0) loop
//
// A number goes there if what it is computed from is there, and it may as well be computed where it is not needed. A load
// goes there if its address is there, nothing that may run between that place and the load may write what it loads, and
// either the place may be read in any case, or control is certain to come to the load: always, or under conditions that are
// known there. Then zeros are loaded elsewhere if they do not hold, as in `hoist.cpp`. Control is certain to come where all
// ways lead, through loops that end, past nothing that throws, ends the program or waits (`ways.cpp`). What a region writes
// is asked of alias analysis only: what is assumed of stores (`versions.cpp`) is assumed of single loops, later.

#include "gather.h"

#include "inline.h"
#include "steps.h"
#include "ways.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

using namespace llvm;
using polyrs::Guard;
using polyrs::Guards;

namespace {

// Loops of one level that are looked at.
constexpr unsigned maxSiblings = 64;
// How often a block is looked at on average.
constexpr unsigned maxLooks = 16;
// What is moved before one row of loops.
constexpr unsigned maxGathered = 256;
// So often it is asked whether a place is written.
constexpr unsigned maxAsked = 20'000;

class Gatherer {
public:
  // `loads`: they are moved as well.
  Gatherer(Function &function, FunctionAnalysisManager &analyses, bool loads)
      : function(function), analyses(analyses), loads(loads), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        library(analyses.getResult<TargetLibraryAnalysis>(function)), ways(function, analyses),
        looks(maxLooks * function.size()) {}

  // Whether anything was moved.
  bool run() {
    auto isRow = [](ArrayRef<Loop *> siblings) { return siblings.size() > 1; };
    SmallVector<Loop *, 4> top(loops.begin(), loops.end());
    SmallVector<Loop *, 4> all = loops.getLoopsInPreorder();
    if (!isRow(top) && none_of(all, [&](Loop *loop) { return isRow(loop->getSubLoops()); }))
      return false;
    if (ways.mayBeIrreducible())
      return false;
    bool changed = gather(top, nullptr);
    for (Loop *loop : all)
      changed |= gather(loop->getSubLoops(), loop);
    return changed;
  }

private:
  using Blocks = SmallSetVector<BasicBlock *, 16>;

  // Counts what is looked at.
  bool look() {
    looks -= looks > 0;
    return looks > 0;
  }

  // What lies on the way to loops of one level, for each row of them.
  bool gather(ArrayRef<Loop *> siblings, Loop *around) {
    if (siblings.size() < 2 || siblings.size() > maxSiblings)
      return false;
    EquivalenceClasses<Loop *> rows;
    for (Loop *loop : siblings) {
      if (!loop->getLoopPreheader())
        return false;
      rows.insert(loop);
    }
    for (Loop *loop : siblings)
      joinNext(*loop, around, rows);
    if (looks == 0)
      return false;
    bool changed = false;
    for (Loop *first : siblings) {
      if (rows.getLeaderValue(first) != first)
        continue;
      SmallVector<Loop *, 4> row;
      for (Loop *loop : siblings)
        if (rows.isEquivalent(first, loop))
          row.push_back(loop);
      changed |= row.size() > 1 && gatherRow(row, around);
    }
    return changed;
  }

  // Joins a loop with those of its level that control may come to next, with nothing between that ends a region.
  void joinNext(Loop &loop, Loop *around, EquivalenceClasses<Loop *> &rows) {
    SmallVector<BasicBlock *, 4> exits;
    loop.getUniqueExitBlocks(exits);
    Blocks work(exits.begin(), exits.end());
    for (unsigned number = 0; number < work.size() && look(); ++number) {
      BasicBlock *block = work[number];
      Loop *within = loops.getLoopFor(block);
      if (within == around) {
        if ((!around || block != around->getHeader()) && none_of(*block, [&](const Instruction &instruction) {
              return polyrs::isLasting(instruction, library);
            }))
          work.insert_range(successors(block));
      } else if (within && within->getParentLoop() == around && within->getHeader() == block) {
        rows.unionSets(&loop, within);
      }
    }
  }

  bool gatherRow(ArrayRef<Loop *> row, Loop *around) {
    BasicBlock *common = row[0]->getLoopPreheader();
    for (Loop *loop : drop_begin(row))
      common = dominators.findNearestCommonDominator(common, loop->getLoopPreheader());
    while (common && loops.getLoopFor(common) != around)
      common = idom(*common);
    // What an invoke does, it does behind what is before it.
    if (!common || !isa<BranchInst, SwitchInst>(common->getTerminator()))
      return false;
    Blocks between;
    for (Loop *loop : row)
      addBetween(*loop->getLoopPreheader(), *common, between);
    Instruction *place = common->getTerminator();
    bool changed = false;
    unsigned moved = 0;
    for (BasicBlock *block : order()) {
      if (!between.contains(block) || loops.getLoopFor(block) != around)
        continue;
      for (Instruction &instruction : make_early_inc_range(*block))
        if (moved < maxGathered && moveTo(instruction, *place, around)) {
          changed = true;
          ++moved;
        }
    }
    return changed;
  }

  BasicBlock *idom(const BasicBlock &block) {
    const DomTreeNode *node = dominators.getNode(&block)->getIDom();
    return node ? node->getBlock() : nullptr;
  }

  ArrayRef<BasicBlock *> order() {
    if (ordered.empty())
      for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
        ordered.push_back(block);
    return ordered;
  }

  // Adds the blocks from behind one block to another one that it dominates.
  static void addBetween(BasicBlock &last, const BasicBlock &before, Blocks &between) {
    if (&last == &before)
      return;
    SmallVector<BasicBlock *, 16> work;
    auto reach = [&](BasicBlock *block) {
      if (block != &before && between.insert(block))
        work.push_back(block);
    };
    reach(&last);
    while (!work.empty())
      for (BasicBlock *next : predecessors(work.pop_back_val()))
        reach(next);
  }

  bool moveTo(Instruction &instruction, Instruction &place, Loop *around) {
    Type *type = instruction.getType();
    if ((!type->isIntegerTy() && !type->isPointerTy()) ||
        !all_of(instruction.operands(), [&](const Use &operand) { return isThere(operand, place); }))
      return false;
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      return loads && load->isSimple() && moveLoad(*load, place, around);
    if (!isNumber(instruction))
      return false;
    instruction.moveBefore(place.getIterator());
    // A region is where its first loop is, and not where a number was before.
    instruction.updateLocationAfterHoist();
    instruction.dropUBImplyingAttrsAndMetadata();
    return true;
  }

  bool isThere(const Value *value, const Instruction &place) const {
    const auto *instruction = dyn_cast<Instruction>(value);
    return !instruction || dominators.dominates(instruction, &place);
  }

  static bool isNumber(const Instruction &instruction) {
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      if (!isTriviallyVectorizable(call->getIntrinsicID()))
        return false;
    return !instruction.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&instruction);
  }

  bool moveLoad(LoadInst &load, Instruction &place, Loop *around) {
    if (isWrittenSince(load, *place.getParent()))
      return false;
    auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
    bool isSafe = isSafeToSpeculativelyExecute(&load, &place, &assumptions, &dominators, &library);
    Guards guards;
    if (!isSafe && !ways.leadsTo(load, *place.getParent(), /*fromEnd=*/true, around, guards))
      return false;
    if (!guards.empty()) {
      // Rows of tables that loops go along are described where they are.
      if (!polyrs::canBeNothing(load) || (around && !polyrs::addressIn(load, *around)) ||
          !all_of(guards, [&](const Guard &guard) { return isThere(guard.condition, place); }))
        return false;
      load.setOperand(0, IRBuilder<>(&place).CreateSelect(polyrs::allOf(guards, place), load.getPointerOperand(),
                                                          polyrs::nothingIn(function)));
    }
    load.moveBefore(place.getIterator());
    load.updateLocationAfterHoist();
    if (isSafe || !guards.empty()) {
      MDNode *type = polyrs::typeOf(load);
      load.dropPoisonGeneratingMetadata();
      load.dropUBImplyingAttrsAndMetadata();
      load.setMetadata(isSafe ? StringRef(polyrs::typeMark) : "tbaa", type);
    }
    return true;
  }

  // Whether what a load loads may be written between the end of a block that dominates it and the load.
  bool isWrittenSince(LoadInst &load, const BasicBlock &before) {
    MemoryLocation place = MemoryLocation::get(&load);
    // As in `hoist.cpp`.
    place.AATags.Scope = nullptr;
    place.AATags.NoAlias = nullptr;
    // If it is written as another type, what is loaded is not used.
    place.AATags.TBAA = polyrs::typeOf(load);
    AAResults &aliases = analyses.getResult<AAManager>(function);
    auto writes = [&](const Instruction &writer) {
      if (!writer.mayWriteToMemory())
        return false;
      asked -= asked > 0;
      return asked == 0 || isModSet(aliases.getModRefInfo(&writer, place));
    };
    BasicBlock &block = *load.getParent();
    if (any_of(make_range(block.begin(), load.getIterator()), writes))
      return true;
    auto &known = since[{&block, &before}];
    if (!known) {
      known = std::make_unique<SmallVector<const Instruction *, 16>>();
      Blocks between;
      for (BasicBlock *one : predecessors(&block))
        addBetween(*one, before, between);
      for (const BasicBlock *one : between)
        for (const Instruction &instruction : *one)
          if (instruction.mayWriteToMemory())
            known->push_back(&instruction);
    }
    return any_of(*known, [&](const Instruction *writer) { return writes(*writer); });
  }

  Function &function;
  FunctionAnalysisManager &analyses;
  bool loads;
  LoopInfo &loops;
  DominatorTree &dominators;
  TargetLibraryInfo &library;
  polyrs::Ways ways;
  SmallVector<BasicBlock *, 16> ordered;
  // What may write between two blocks, the first block and the begin of the second one left out.
  DenseMap<std::pair<const BasicBlock *, const BasicBlock *>, std::unique_ptr<SmallVector<const Instruction *, 16>>>
      since;
  unsigned looks;
  unsigned asked = maxAsked;
};

} // namespace

bool polyrs::gatherNumbers(Function &function, FunctionAnalysisManager &analyses) {
  return Gatherer(function, analyses, /*loads=*/false).run();
}

PreservedAnalyses polyrs::GatherPass::run(Function &function, FunctionAnalysisManager &analyses) {
  bool changed = Gatherer(function, analyses, /*loads=*/true).run();
  for (Instruction &instruction : instructions(function))
    instruction.setMetadata(typeMark, nullptr);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  analyses.invalidate(function, preserved);
  // One load of each size, and one condition. What loops load is not looked for in stores before them: a value that passes from one
  // loop to another is a statement of its own.
  preserved.intersect(EarlyCSEPass().run(function, analyses));
  return preserved;
}
