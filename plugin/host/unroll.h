// A step of the canonical form: see the source.

#ifndef POLYRS_UNROLL_H
#define POLYRS_UNROLL_H

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace polyrs {

// Writes the short loops in bodies of stencils out; whether there were any. Analyses that are cached are true afterwards.
bool unrollStencils(llvm::Function &clone,
                    llvm::FunctionAnalysisManager &analyses);

} // namespace polyrs

#endif
