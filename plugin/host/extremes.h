// A step of the canonical form: see the source.

#ifndef POLYRS_EXTREMES_H
#define POLYRS_EXTREMES_H

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace polyrs {

// Stores the lesser or the greater of two integers always, where that is stored if it is another one than before; whether there were
// any. Analyses that are cached are true afterwards.
bool storeExtremes(llvm::Function &clone,
                   llvm::FunctionAnalysisManager &analyses);

} // namespace polyrs

#endif
