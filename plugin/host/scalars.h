// Steps of the canonical form: see the source.

#ifndef POLYRS_SCALARS_H
#define POLYRS_SCALARS_H

#include "llvm/IR/Function.h"

namespace polyrs {

// Loads and stores of structures become loads and stores of their members.
void splitStructures(llvm::Function &clone);

// What only puts structures together, or takes them apart, goes where nobody uses it.
void dropUnused(llvm::Function &clone);

// Variables on the stack that are written only go, with what is written.
void dropUnread(llvm::Function &clone);

// Saving and restoring the stack's end goes, where all variables are there for the whole function.
void dropStackMarks(llvm::Function &clone);

} // namespace polyrs

#endif
