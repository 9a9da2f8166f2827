// A pass of the canonical form: see the source.

#ifndef POLYRS_HOIST_H
#define POLYRS_HOIST_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace polyrs {

// Whether any load would go before a loop if stores in it left its place alone.
bool isWorthAssuming(llvm::Loop &loop, llvm::FunctionAnalysisManager &analyses);

// Moves such loads there, into the block before the loop, in which no other loads are.
void hoistAssumed(llvm::Loop &loop, llvm::FunctionAnalysisManager &analyses);

class HoistSizesPass : public llvm::PassInfoMixin<HoistSizesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace polyrs

#endif
