// Blocks that only run when the program ends with an error, or throws.

#ifndef POLYRS_FAILURES_H
#define POLYRS_FAILURES_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/BasicBlock.h"

namespace polyrs {

// The blocks from which all ways lead to an error: to what is never reached, out of the function by an exception, or to
// where an exception goes on. Regions leave them to the original: `Code::find_failures` has the same.
llvm::SmallPtrSet<const llvm::BasicBlock *, 8>
findFailures(const llvm::Function &function);

// Whether a block is one of them, as far as a few blocks tell.
bool isFailure(const llvm::BasicBlock &block);

} // namespace polyrs

#endif
