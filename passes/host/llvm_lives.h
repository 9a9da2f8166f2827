// What is alive where, of the variables on the stack whose lives have marks.

#ifndef POLYRS_LLVM_LIVES_H
#define POLYRS_LLVM_LIVES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace polyrs {

class Lives {
public:
  // What a variable may be in some place, as bits; none of them where control never comes.
  enum State : uint8_t { Nowhere = 0, Dead = 1, Alive = 2, Either = 3 };

  explicit Lives(llvm::Function &function);

  // Whether a variable has marks.
  bool hasMarks(const llvm::AllocaInst *variable) const;

  // At the end of a block.
  State after(const llvm::AllocaInst *variable,
              const llvm::BasicBlock *block) const;

private:
  void propagate(const llvm::AllocaInst *variable);

  llvm::Function &function;
  // By variable: the last mark of each block that has one.
  llvm::MapVector<const llvm::AllocaInst *,
                  llvm::DenseMap<const llvm::BasicBlock *, State>>
      marks;
  llvm::DenseMap<const llvm::AllocaInst *,
                 llvm::DenseMap<const llvm::BasicBlock *, State>>
      states;
};

// The variable that a mark is of; null if the instruction is none.
llvm::AllocaInst *variableOfMark(const llvm::Instruction &instruction);

} // namespace polyrs

#endif
