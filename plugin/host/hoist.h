// A pass of the canonical form: see the source.

#ifndef POLYRS_HOIST_H
#define POLYRS_HOIST_H

#include "llvm/IR/PassManager.h"

namespace polyrs {

class HoistSizesPass : public llvm::PassInfoMixin<HoistSizesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace polyrs

#endif
