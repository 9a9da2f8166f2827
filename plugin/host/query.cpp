// What is asked of a function before it is cloned.

#include "canonical.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/RuntimeLibcalls.h"

using namespace llvm;

bool polyHostLlvmHasLoop(LLVMValueRef function) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> edges;
  FindFunctionBackedges(*unwrap<Function>(function), edges);
  return !edges.empty();
}

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

bool polyHostLlvmIsLibraryFunction(LLVMValueRef value,
                                   PolyLlvmManager *manager) {
  auto &function = *unwrap<Function>(value);
  StringRef name = function.getName();
  // Loops become calls of these, and operations of those of the support library, whatever the
  // function that has their name takes; of the others (`read`, `index`) the type is looked at as well.
  if (is_contained({"bcmp", "memcmp", "memcpy", "memmove", "memset", "strlen",
                    "wcslen", "wmemset"},
                   name))
    return true;
  LibFunc found;
  // The table of names is made once for all functions of a target.
  const auto &library =
      polyrs::unwrap(manager)->getResult<TargetLibraryAnalysis>(function);
  return library.getLibFunc(function, found) ||
         (name.starts_with("__") &&
          !RTLIB::RuntimeLibcallsInfo::lookupLibcallImplName(name).empty());
}
