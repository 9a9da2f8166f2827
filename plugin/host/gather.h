// A step of the canonical form: see the source.

#ifndef POLYRS_GATHER_H
#define POLYRS_GATHER_H

#include "llvm/IR/PassManager.h"

namespace polyrs {

// Moves sizes and pointers, and what they are computed from, from between loops in a row to before the first of them.
class GatherPass : public llvm::PassInfoMixin<GatherPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Moves what is only computed, and nothing that is loaded. Whether there was any.
bool gatherNumbers(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace polyrs

#endif
