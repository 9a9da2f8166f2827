// What is asked of a function before it is cloned.

#include "llvm_analysis.h"

#include "llvm/IR/BasicBlock.h"

using namespace llvm;

uint32_t polyHostLlvmCountInstructions(LLVMValueRef function) {
  return unwrap<Function>(function)->getInstructionCount();
}

bool polyHostLlvmHasAddressedBlock(LLVMValueRef function) {
  return any_of(*unwrap<Function>(function), [](const BasicBlock &block) {
    return block.hasAddressTaken();
  });
}

bool polyHostLlvmCallsReturnsTwice(LLVMValueRef function) {
  return unwrap<Function>(function)->callsFunctionThatReturnsTwice();
}
