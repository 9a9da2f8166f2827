// What is alive where.

#include "llvm_lives.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace polyrs;

AllocaInst *polyrs::variableOfMark(const Instruction &instruction) {
  const auto *mark = dyn_cast<LifetimeIntrinsic>(&instruction);
  return mark ? dyn_cast<AllocaInst>(mark->getArgOperand(0)) : nullptr;
}

Lives::Lives(Function &function) {
  ReversePostOrderTraversal<Function *> traversal(&function);
  order.assign(traversal.begin(), traversal.end());
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      if (const AllocaInst *variable = variableOfMark(instruction))
        marks[variable][&block] =
            cast<LifetimeIntrinsic>(instruction).getIntrinsicID() ==
                    Intrinsic::lifetime_start
                ? Alive
                : Dead;
}

Lives::States Lives::propagate(const AllocaInst *variable) const {
  const States &last = marks.find(variable)->second;
  States ends;
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock *block : order) {
      uint8_t state = block->isEntryBlock() ? Dead : Nowhere;
      for (const BasicBlock *before : predecessors(block))
        state |= ends.lookup_or(before, Nowhere);
      if (auto mark = last.find(block); mark != last.end())
        state = mark->second;
      State &known = ends.try_emplace(block, Nowhere).first->second;
      changed |= known != state;
      known = static_cast<State>(state);
    }
  }
  return ends;
}

bool Lives::hasMarks(const AllocaInst *variable) const {
  return marks.contains(variable);
}

Lives::State Lives::after(const AllocaInst *variable,
                          const BasicBlock *block) {
  if (!hasMarks(variable))
    return Nowhere;
  auto [found, isFirst] = states.try_emplace(variable);
  if (isFirst)
    found->second = propagate(variable);
  return found->second.lookup_or(block, Nowhere);
}
