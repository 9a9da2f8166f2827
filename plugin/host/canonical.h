// Clones of functions, and the canonical form that regions are raised from.

#ifndef POLYRS_CANONICAL_H
#define POLYRS_CANONICAL_H

#include "plugin.h"

#include "llvm/IR/PassManager.h"

namespace polyrs {

inline llvm::FunctionAnalysisManager *unwrap(PolyLlvmManager *manager) {
  return reinterpret_cast<llvm::FunctionAnalysisManager *>(manager);
}

// A clone in the same module. Debug information is shared with the original, so only one of them may stay.
llvm::Function *clone(llvm::Function &original);

// Removes what says of variables which layout they should have: it keeps parameters out of registers, and is read in the
// original.
void dropLayouts(llvm::Function &clone);

// Gives the loops of a clone, which may have functions in line, their form: what is done afterwards changes no edge between
// blocks.
void structure(llvm::Function &clone, llvm::FunctionAnalysisManager &analyses,
               bool hasInlined);

// The rest of the canonical form. No analysis of the clone is cached afterwards.
void canonicalize(llvm::Function &clone,
                  llvm::FunctionAnalysisManager &analyses);

} // namespace polyrs

#endif
