// A clone of a function, and what LLVM knows of it, for the queries of the Rust side.

#ifndef POLYRS_LLVM_ANALYSIS_H
#define POLYRS_LLVM_ANALYSIS_H

#include "convert.h"
#include "llvm.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <optional>

struct PolyLlvmAnalysis {
  llvm::Function *original;
  llvm::Function *clone;
  llvm::FunctionAnalysisManager *manager;

  // Of the clone, as it was before it changed. What is known of libraries never changes.
  llvm::LoopInfo *loops = nullptr;
  llvm::DominatorTree *dominators = nullptr;
  llvm::ScalarEvolution *evolution = nullptr;
  llvm::AAResults *aliases = nullptr;
  llvm::AssumptionCache *assumptions = nullptr;
  llvm::TargetLibraryInfo *library = nullptr;
  // Whether something in the clone may access `errno`, calls aside; nothing if nobody asked.
  std::optional<bool> accessesErrno = std::nullopt;

  // Asks for what is not known yet.
  void fetch();
};

namespace polyrs {

// The variable by which a branch decides between two versions of a loop (`plugin/host/versions.cpp`); null if it does not. It is
// of one bit, and nobody writes it: a program that has such a branch by itself is undefined there.
inline llvm::AllocaInst *versionOf(const llvm::BranchInst &branch) {
  auto *assumed = branch.isConditional()
                      ? llvm::dyn_cast<llvm::LoadInst>(branch.getCondition())
                      : nullptr;
  auto *version = assumed ? llvm::dyn_cast<llvm::AllocaInst>(assumed->getPointerOperand())
                          : nullptr;
  return version && version->getAllocatedType()->isIntegerTy(1) &&
                 version->hasOneUse() && assumed->hasOneUse()
             ? version
             : nullptr;
}

inline llvm::FunctionAnalysisManager *unwrap(PolyLlvmManager *manager) {
  return reinterpret_cast<llvm::FunctionAnalysisManager *>(manager);
}

} // namespace polyrs

#endif
