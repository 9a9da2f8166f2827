// Ways to a block, and the conditions on them.

#include "ways.h"

#include "steps.h"
#include "text.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using polyrs::Guards;
using polyrs::Ways;

// Blocks on the way to a load.
static constexpr unsigned maxWay = 32;
// Of a load under conditions.
static constexpr unsigned mostBytes = 16;

static bool goesOn(BasicBlock::const_iterator from, BasicBlock::const_iterator to) {
  return all_of(make_range(from, to), [](const Instruction &instruction) {
    return isa<BranchInst, SwitchInst>(instruction) ||
           isGuaranteedToTransferExecutionToSuccessor(&instruction);
  });
}

bool polyrs::Guard::operator==(const Guard &other) const {
  return holds == other.holds && condition && other.condition &&
         polyrs::isSame(*condition, *other.condition);
}

Value *polyrs::allOf(const Guards &guards, Instruction &place) {
  IRBuilder<> builder(&place);
  Value *all = nullptr;
  for (const Guard &guard : guards) {
    Value *condition = guard.condition;
    if (!guard.holds)
      condition = builder.CreateNot(condition);
    all = all ? builder.CreateLogicalAnd(all, condition) : condition;
  }
  return all;
}

Ways::Ways(Function &function, FunctionAnalysisManager &analyses)
    : function(function), analyses(analyses), loops(analyses.getResult<LoopAnalysis>(function)),
      dominators(analyses.getResult<DominatorTreeAnalysis>(function)) {}

bool Ways::mayBeIrreducible() {
  if (!isIrreducible)
    isIrreducible = mayContainIrreducibleControl(function, &loops);
  return *isIrreducible;
}

bool Ways::leadsTo(const Instruction &at, const BasicBlock &start, bool fromEnd, const Loop *loop, Guards &guards) {
  const BasicBlock *started = fromEnd ? &start : nullptr;
  const BasicBlock *block = at.getParent();
  if (block == started || !goesOn(block->begin(), at.getIterator()))
    return false;
  Guards added;
  for (unsigned steps = 0; block != &start; ++steps) {
    if (steps == maxWay)
      return false;
    const BasicBlock *before = block->getSinglePredecessor();
    if (!before || loops.getLoopFor(before) != loop) {
      block = wayTo(*block, started, loop);
      if (!block)
        return false;
      continue;
    }
    if (before != started && !goesOn(before->begin(), before->end()))
      return false;
    const auto *branch = dyn_cast<BranchInst>(before->getTerminator());
    if (!branch)
      return false;
    if (branch->isConditional())
      added.push_back({branch->getCondition(), branch->getSuccessor(0) == block});
    block = before;
  }
  std::reverse(added.begin(), added.end());
  guards.insert(guards.begin(), added.begin(), added.end());
  return guards.size() <= maxGuards;
}

// The block of a loop itself from which all ways lead to another one, through other loops that end if there are some;
// null if that is not known. Of `started` only the end counts.
const BasicBlock *Ways::wayTo(const BasicBlock &block, const BasicBlock *started, const Loop *loop) {
  auto isLeft = [&](const BasicBlock *one) { return loop && !loop->contains(one); };
  const DomTreeNode *node = dominators.getNode(&block);
  do {
    node = node->getIDom();
  } while (node && !isLeft(node->getBlock()) &&
           loops.getLoopFor(node->getBlock()) != loop);
  if (!node || isLeft(node->getBlock()))
    return nullptr;
  SmallSetVector<const BasicBlock *, 16> between;
  between.insert(node->getBlock());
  for (unsigned number = 0; number < between.size(); ++number) {
    const BasicBlock *one = between[number];
    auto from = one == started ? one->getTerminator()->getIterator() : one->begin();
    if (between.size() > maxWay || !goesOn(from, one->end()) || succ_empty(one))
      return nullptr;
    for (const BasicBlock *next : successors(one)) {
      if (isLeft(next) || (loop && next == loop->getHeader()))
        return nullptr;
      if (next != &block)
        between.insert(next);
    }
  }
  if (mayBeIrreducible())
    return nullptr;
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool allEnd = all_of(between, [&](const BasicBlock *one) {
    const Loop *inner = loops.getLoopFor(one);
    return inner == loop || inner->getHeader() != one ||
           !isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(inner));
  });
  return allEnd ? node->getBlock() : nullptr;
}

MDNode *polyrs::typeOf(const LoadInst &load) {
  MDNode *type = load.getMetadata(LLVMContext::MD_tbaa);
  return type ? type : load.getMetadata(typeMark);
}

void polyrs::keepTypeForUses(LoadInst &load) {
  MDNode *type = typeOf(load);
  load.setMetadata(LLVMContext::MD_tbaa, nullptr);
  load.setMetadata(typeMark, type);
}

bool polyrs::canBeNothing(const LoadInst &load) {
  const DataLayout &layout = load.getDataLayout();
  return load.getPointerAddressSpace() == layout.getAllocaAddrSpace() &&
         layout.getTypeStoreSize(load.getType()) <= mostBytes &&
         load.getAlign() <= mostBytes;
}

Value *polyrs::nothingIn(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  for (Instruction &instruction : entry)
    if (isa<AllocaInst>(instruction) && instruction.hasMetadata(zerosMark))
      return &instruction;
  IRBuilder<> builder(&*entry.getFirstNonPHIOrDbgOrAlloca());
  Type *type = ArrayType::get(builder.getInt64Ty(), mostBytes / 8);
  AllocaInst *zeros = builder.CreateAlloca(type);
  zeros->setAlignment(Align(mostBytes));
  zeros->setMetadata(zerosMark, MDNode::get(function.getContext(), {}));
  builder.CreateAlignedStore(Constant::getNullValue(type), zeros, Align(mostBytes));
  return zeros;
}
