// A step of the canonical form: see the source.

#ifndef POLYRS_STRIDES_H
#define POLYRS_STRIDES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"

namespace polyrs {

// Products with strides that are shifted become products with quotients.
void divideStrides(llvm::Function &clone);

// Numbers of iterations that are none where they would be negative are numbers of their own.
void freezeCounts(llvm::Function &clone, const llvm::LoopInfo &loops);

// Lower bounds of arrays with descriptors become one and a rest.
void splitLowerBounds(llvm::Function &clone);

} // namespace polyrs

#endif
