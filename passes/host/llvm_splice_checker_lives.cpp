// What the checker of splicing knows of lives: which variables are alive or dead, before and behind the rewriting.
//
// Forward data flow over blocks, for all variables at once: two bits for each variable at the end of each block.

#include "llvm_splice_checker.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace polyrs;

const AllocaInst *polyrs::markedVariable(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || !call->isLifetimeStartOrEnd())
    return nullptr;
  return dyn_cast<AllocaInst>(call->getArgOperand(0));
}

namespace {

// What variables may be, by their numbers.
struct State {
  BitVector alive, dead;

  explicit State(unsigned count) : alive(count), dead(count) {}

  bool operator==(const State &other) const {
    return alive == other.alive && dead == other.dead;
  }

  void join(const State &other) {
    alive |= other.alive;
    dead |= other.dead;
  }

  void mark(unsigned variable, bool starts) {
    alive[variable] = starts;
    dead[variable] = !starts;
  }
};

bool starts(const Instruction &mark) {
  return cast<IntrinsicInst>(mark).getIntrinsicID() ==
         Intrinsic::lifetime_start;
}

// The variables' states where blocks start.
class Flow {
public:
  Flow(const Function &function,
       const DenseMap<const AllocaInst *, unsigned> &variables)
      : count(variables.size()) {
    ReversePostOrderTraversal<const Function *> traversal(&function);
    order.assign(traversal.begin(), traversal.end());
    for (const BasicBlock *block : order)
      for (const Instruction &instruction : *block)
        if (const AllocaInst *variable = markedVariable(instruction))
          marks[block].push_back(
              {variables.lookup(variable), starts(instruction)});
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock *block : order) {
        State state = before(*block);
        for (auto [variable, starts] : marks.lookup(block))
          state.mark(variable, starts);
        auto [end, isNew] = ends.try_emplace(block, count);
        changed |= isNew || !(end->second == state);
        end->second = std::move(state);
      }
    }
  }

  // The blocks that control can come to.
  ArrayRef<const BasicBlock *> blocks() const { return order; }

  State before(const BasicBlock &block) const {
    State state(count);
    if (block.isEntryBlock())
      state.dead.set();
    for (const BasicBlock *from : predecessors(&block))
      if (auto end = ends.find(from); end != ends.end())
        state.join(end->second);
    return state;
  }

private:
  unsigned count;
  std::vector<const BasicBlock *> order;
  DenseMap<const BasicBlock *, SmallVector<std::pair<unsigned, bool>, 2>> marks;
  DenseMap<const BasicBlock *, State> ends;
};

// The variables with marks that an instruction marks or takes the addresses of.
SmallVector<std::pair<const AllocaInst *, unsigned>, 2>
used(const Instruction &instruction,
     const DenseMap<const AllocaInst *, unsigned> &variables) {
  SmallVector<std::pair<const AllocaInst *, unsigned>, 2> found;
  for (const Use &operand : instruction.operands())
    if (operand->getType()->isPointerTy())
      if (const auto *variable =
              dyn_cast<AllocaInst>(getUnderlyingObject(operand)))
        if (auto number = variables.find(variable); number != variables.end())
          found.push_back(*number);
  return found;
}

} // namespace

bool SpliceChecker::Life::isDeadAtEnd(const AllocaInst *variable,
                              const Instruction *end) const {
  auto number = variables.find(variable);
  auto dead = deadAtEnd.find(end);
  return number != variables.end() && dead != deadAtEnd.end() &&
         dead->second[number->second];
}

SpliceChecker::Life SpliceChecker::livesOf() const {
  Life life;
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      if (const AllocaInst *variable = markedVariable(instruction))
        life.variables.try_emplace(variable, life.variables.size());
  SmallPtrSet<const Instruction *, 8> regionEnds;
  for (const SplicedRegion &region : regions)
    regionEnds.insert(region.end);
  Flow flow(function, life.variables);
  for (const BasicBlock *block : flow.blocks()) {
    State state = flow.before(*block);
    for (const Instruction &instruction : *block) {
      for (auto [variable, number] : used(instruction, life.variables)) {
        if (!state.dead[number])
          life.alive.insert({variable, &instruction});
        if (!state.alive[number])
          life.dead.insert({variable, &instruction});
      }
      if (regionEnds.contains(&instruction)) {
        BitVector dead = state.alive;
        dead.flip();
        life.deadAtEnd[&instruction] = std::move(dead);
      }
      if (const AllocaInst *variable = markedVariable(instruction))
        state.mark(life.variables.lookup(variable), starts(instruction));
    }
  }
  return life;
}
