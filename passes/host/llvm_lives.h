// What is alive where, of the variables on the stack whose lives have marks.

#ifndef POLYRS_LLVM_LIVES_H
#define POLYRS_LLVM_LIVES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <vector>

namespace polyrs {

class Lives {
public:
  // What a variable may be in some place, as bits; none of them where control never comes.
  enum State : uint8_t { Nowhere = 0, Dead = 1, Alive = 2, Either = 3 };

  // `function` must not change while this is asked.
  explicit Lives(llvm::Function &function);

  // Whether a variable has marks.
  bool hasMarks(const llvm::AllocaInst *variable) const;

  // At the end of a block. The first question about a variable takes time for each block.
  State after(const llvm::AllocaInst *variable, const llvm::BasicBlock *block);

private:
  using States = llvm::DenseMap<const llvm::BasicBlock *, State>;

  States propagate(const llvm::AllocaInst *variable) const;

  std::vector<llvm::BasicBlock *> order; // each before its successors, but for loops
  // By variable: the last mark of each block that has one.
  llvm::DenseMap<const llvm::AllocaInst *, States> marks;
  llvm::DenseMap<const llvm::AllocaInst *, States> states;
};

// The variable that a mark is of; null if the instruction is none.
llvm::AllocaInst *variableOfMark(const llvm::Instruction &instruction);

} // namespace polyrs

#endif
