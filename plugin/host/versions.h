// A step of the canonical form: see the source.

#ifndef POLYRS_VERSIONS_H
#define POLYRS_VERSIONS_H

#include "llvm/IR/PassManager.h"

namespace polyrs {

// Gives nests of a clone a version that takes sizes and pointers to stay as they are. Whether there are such nests.
bool makeVersions(llvm::Function &clone, llvm::FunctionAnalysisManager &analyses);

} // namespace polyrs

#endif
