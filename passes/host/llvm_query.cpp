// What is asked of a function before it is cloned.

#include "llvm_analysis.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/IntrinsicInst.h"

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

// Whether an instruction leaves hope for the loop that it is in.
static bool isPlain(const Instruction &instruction) {
  if (instruction.isVolatile() || instruction.isAtomic())
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return !call || isa<IntrinsicInst>(call) ||
         (call->doesNotAccessMemory() && call->doesNotThrow() &&
          call->willReturn());
}

bool polyHostLlvmHasPlainLoop(LLVMValueRef value, PolyLlvmManager *manager) {
  auto &function = *unwrap<Function>(value);
  auto &loops = polyrs::unwrap(manager)->getResult<LoopAnalysis>(function);
  // A loop that holds no plain one is not plain itself.
  return any_of(loops.getLoopsInPreorder(), [](Loop *loop) {
    return loop->isInnermost() &&
           all_of(loop->blocks(), [](const BasicBlock *block) {
             return all_of(*block, isPlain);
           });
  });
}

bool polyHostLlvmWantsRemarks(LLVMValueRef function, PolyText pass) {
  return OptimizationRemarkEmitter::allowExtraAnalysis(
      *unwrap<Function>(function), polyrs::toRef(pass));
}
