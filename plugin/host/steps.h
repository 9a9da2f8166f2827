// Numbers, and what they are computed from, step by step.

#ifndef POLYRS_STEPS_H
#define POLYRS_STEPS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace polyrs {

// Instructions that only compute numbers, each behind those that it needs.
using Steps = llvm::SmallSetVector<llvm::Instruction *, 8>;

// Whether a number is one that scalar evolution does not follow.
bool isOpaque(const llvm::Instruction &instruction);

// Adds the steps in a loop that a number is made by; whether all come from what does not change there, and may as well be
// done where they are not needed.
bool stepsIn(llvm::Instruction &last, const llvm::Loop &loop, Steps &steps);

// The instructions in a loop that a load's address is made of, the first one last; none if the address changes there.
std::optional<llvm::SmallVector<llvm::Instruction *, 4>>
addressIn(const llvm::LoadInst &load, const llvm::Loop &loop);

// Whether two numbers are computed from the same ones in the same way.
bool isSame(const llvm::Value &one, const llvm::Value &other);

// Moves steps before an instruction.
void moveBefore(llvm::Instruction &place, const Steps &steps);

// Adds the instructions that a value needs which come behind another one in its block; whether none of them needs that one.
bool canComeBefore(llvm::Value &value, const llvm::Instruction &point, Steps &late);

} // namespace polyrs

#endif
