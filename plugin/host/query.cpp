// What is asked of a function before it is cloned.

#include "canonical.h"
#include "inline.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/RuntimeLibcalls.h"

using namespace llvm;

size_t polyHostLlvmFunctionsWithLoops(LLVMModuleRef module,
                                      PolyLlvmManager *manager,
                                      LLVMValueRef *found, size_t capacity) {
  FunctionAnalysisManager &analyses = *polyrs::unwrap(manager);
  polyrs::Callees callees(analyses);
  size_t count = 0;
  for (Function &function : *unwrap(module)) {
    if (function.isDeclaration() || count == capacity)
      continue;
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> edges;
    FindFunctionBackedges(function, edges);
    if (!edges.empty() || any_of(instructions(function), [&](Instruction &instruction) {
          auto *call = dyn_cast<CallBase>(&instruction);
          const auto *body = call ? callees.find(*call) : nullptr;
          return body && body->loops > 0 && polyrs::knowsVariable(*call);
        }))
      found[count++] = wrap(&function);
  }
  return count;
}

namespace {

// Whether nobody can call a function but functions that nobody can call. Those that are looked at count as such.
bool isDead(const Function &function, SmallPtrSetImpl<const Function *> &seen) {
  if (!function.isDiscardableIfUnused() || seen.size() == 64)
    return false;
  if (!seen.insert(&function).second)
    return true;
  return all_of(function.users(), [&](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    return instruction && isDead(*instruction->getFunction(), seen);
  });
}

} // namespace

bool polyHostLlvmIsDead(LLVMValueRef function) {
  SmallPtrSet<const Function *, 8> seen;
  return isDead(*unwrap<Function>(function), seen);
}

uint32_t polyHostLlvmCountInstructions(LLVMValueRef function) {
  return unwrap<Function>(function)->getInstructionCount();
}

void polyHostLlvmForgetDeclarations(LLVMValueRef last) {
  auto &function = *unwrap<Function>(last);
  auto after = make_range(std::next(function.getIterator()),
                          function.getParent()->end());
  for (Function &other : make_early_inc_range(after))
    if (other.isIntrinsic() && other.isDeclaration() && other.use_empty())
      other.eraseFromParent();
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
