// Ways to a block, and the conditions on them.

#ifndef POLYRS_WAYS_H
#define POLYRS_WAYS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

#include <optional>

namespace polyrs {

// Conditions of a load.
inline constexpr unsigned maxGuards = 8;

// A condition, and whether it has to hold or not to.
struct Guard {
  // What it is replaced by, if it is.
  llvm::WeakTrackingVH condition;
  bool holds;

  // Whether another one asks for the same.
  bool operator==(const Guard &other) const;
};

using Guards = llvm::SmallVector<Guard, 4>;

// Conditions that are known at a place as one, before it. Those after one that does not hold may be poison.
llvm::Value *allOf(const Guards &guards, llvm::Instruction &place);

class Ways {
public:
  Ways(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

  // Whether control comes from the end of a block, or from its begin, to an instruction that it dominates, under conditions
  // that are added, the outermost one first. Both are in the same loop, or in none, and in no loop in that.
  bool leadsTo(const llvm::Instruction &at, const llvm::BasicBlock &start, bool fromEnd, const llvm::Loop *loop,
               Guards &guards);

  // Whether there are cycles that are no loops: of these nobody knows where they begin, nor how often they run.
  bool mayBeIrreducible();

private:
  const llvm::BasicBlock *wayTo(const llvm::BasicBlock &block, const llvm::BasicBlock *started, const llvm::Loop *loop);

  llvm::Function &function;
  llvm::FunctionAnalysisManager &analyses;
  llvm::LoopInfo &loops;
  llvm::DominatorTree &dominators;
  // Once that was asked.
  std::optional<bool> isIrreducible;
};

// Metadata of a load that runs in more cases than the original's: the type that the original loads it as. What is loaded is used
// only where the original has loaded it so since.
inline constexpr llvm::StringLiteral typeMark("poly.type");

// The type that the original loads something as, for alias analysis; null if nothing is known.
llvm::MDNode *typeOf(const llvm::LoadInst &load);

// Makes the type of a load that of its uses.
void keepTypeForUses(llvm::LoadInst &load);

// Whether zeros can stand for what a load loads.
bool canBeNothing(const llvm::LoadInst &load);

// A place with zeros, which is loaded where the program loads nothing.
llvm::Value *nothingIn(llvm::Function &function);

} // namespace polyrs

#endif
