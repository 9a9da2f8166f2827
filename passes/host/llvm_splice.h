// Regions of a clone on their way to calls.

#ifndef POLYRS_LLVM_SPLICE_H
#define POLYRS_LLVM_SPLICE_H

#include "llvm_analysis.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Instructions.h"

#include <string>

namespace polyrs {

// A value that is used behind a region, and where the new function stores it.
struct Result {
  llvm::Instruction *value;
  llvm::AllocaInst *slot;
  // What it is behind the region, whichever way control came.
  llvm::PHINode *merged = nullptr;
};

struct SplicedRegion {
  // Stands where the region starts, and has the arguments as operands: whoever rewrites uses of values finds them
  // there.
  llvm::CallInst *holder = nullptr;
  // Stands where it ends.
  llvm::CallInst *end = nullptr;
  llvm::SmallVector<Result, 4> results;
  // What finds rows behind pointers, before the region. It calls nothing until there is new code.
  llvm::SmallVector<llvm::CallInst *, 2> rows;
  // Control comes from `entry` to `first`, and from `last` to `exit`, which has no PHIs.
  llvm::BasicBlock *entry = nullptr;
  llvm::BasicBlock *first = nullptr;
  llvm::BasicBlock *last = nullptr;
  llvm::BasicBlock *exit = nullptr;
  // The blocks between.
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> blocks;
  // The new code; none if the region stays as it is.
  llvm::Function *callee = nullptr;
  llvm::Function *check = nullptr;
  // Where control goes if the check does not hold; null: to `first`.
  llvm::BasicBlock *otherwise = nullptr;
  llvm::DebugLoc location;
  // What its times are called that the program writes; empty where nobody measures.
  std::string timer;
  // What was made of it.
  llvm::CallInst *call = nullptr;
  llvm::CallInst *checkCall = nullptr;
};

// What a test does to a clone between splicing and checking (`llvm_fault.cpp`); nothing outside of tests.
using Tamper = void (*)(llvm::Function &, llvm::MutableArrayRef<SplicedRegion>);
extern thread_local Tamper tamper;

} // namespace polyrs

struct PolyLlvmSplice {
  PolyLlvmAnalysis *analysis;
  llvm::SmallVector<polyrs::SplicedRegion, 4> regions;
  // What finds rows for the region that is marked next.
  llvm::SmallVector<llvm::CallInst *, 2> rows;
};

#endif
