// What is asked of a function before it is cloned.

#include "llvm_analysis.h"

#include "llvm/Analysis/CFG.h"

using namespace llvm;

bool polyHostLlvmHasLoop(LLVMValueRef function) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> edges;
  FindFunctionBackedges(*unwrap<Function>(function), edges);
  return !edges.empty();
}

bool polyHostLlvmHasAddressedBlock(LLVMValueRef function) {
  return any_of(*unwrap<Function>(function), [](const BasicBlock &block) {
    return block.hasAddressTaken();
  });
}

bool polyHostLlvmCallsReturnsTwice(LLVMValueRef function) {
  return unwrap<Function>(function)->callsFunctionThatReturnsTwice();
}
