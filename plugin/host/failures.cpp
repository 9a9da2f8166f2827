// Blocks that only run when the program ends with an error, or throws.

#include "failures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

// So many blocks are looked at for one.
constexpr unsigned maxBlocks = 32;

// Whether a block is one by itself: control never comes to its end, leaves the function as an exception, or comes there as
// one. What instruction throws is none that a region can have.
bool endsHere(const BasicBlock &block) {
  return isa<UnreachableInst, ResumeInst>(block.getTerminator()) ||
         block.isEHPad();
}

bool allFail(const BasicBlock &block,
             SmallPtrSetImpl<const BasicBlock *> &seen) {
  if (endsHere(block))
    return true;
  // What leads to itself is left open, as in the search over all blocks.
  if (succ_empty(&block) || seen.size() == maxBlocks ||
      !seen.insert(&block).second)
    return false;
  return all_of(successors(&block), [&](const BasicBlock *next) {
    return allFail(*next, seen);
  });
}

} // namespace

SmallPtrSet<const BasicBlock *, 8>
polyrs::findFailures(const Function &function) {
  SmallPtrSet<const BasicBlock *, 8> failures;
  SmallVector<const BasicBlock *, 8> work;
  for (const BasicBlock &block : function)
    if (endsHere(block))
      work.push_back(&block);
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (!failures.insert(block).second)
      continue;
    for (const BasicBlock *before : predecessors(block))
      if (all_of(successors(before), [&](const BasicBlock *next) {
            return failures.contains(next);
          }))
        work.push_back(before);
  }
  return failures;
}

bool polyrs::isFailure(const BasicBlock &block) {
  SmallPtrSet<const BasicBlock *, 8> seen;
  return allFail(block, seen);
}
