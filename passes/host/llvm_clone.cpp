// Clones of functions: made, moved into the original's place, or deleted.

#include "llvm_analysis.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

void PolyLlvmAnalysis::refresh() {
  manager->invalidate(*clone, PreservedAnalyses::none());
  loops = &manager->getResult<LoopAnalysis>(*clone);
  dominators = &manager->getResult<DominatorTreeAnalysis>(*clone);
  evolution = &manager->getResult<ScalarEvolutionAnalysis>(*clone);
  aliases = &manager->getResult<AAManager>(*clone);
  assumptions = &manager->getResult<AssumptionAnalysis>(*clone);
  library = &manager->getResult<TargetLibraryAnalysis>(*clone);
}

// LLVM's own `CloneFunction` would also clone the debug information of the function. Here one of the two goes away, so
// everything above the function's instructions is shared.
PolyLlvmAnalysis *polyHostLlvmClone(LLVMValueRef function,
                                    PolyLlvmManager *manager) {
  auto &original = *unwrap<Function>(function);
  Function *clone = Function::Create(
      original.getFunctionType(), GlobalValue::InternalLinkage,
      original.getAddressSpace(), original.getName() + ".poly.clone",
      original.getParent());
  ValueToValueMapTy values;
  for (auto [from, to] : zip(original.args(), clone->args())) {
    to.setName(from.getName());
    values[&from] = &to;
  }
  clone->setAttributes(original.getAttributes());
  clone->setCallingConv(original.getCallingConv());
  if (original.hasGC())
    clone->setGC(original.getGC());
  if (original.hasPersonalityFn())
    clone->setPersonalityFn(original.getPersonalityFn());
  SmallVector<ReturnInst *, 8> returns;
  CloneFunctionBodyInto(*clone, original, values, RF_NoModuleLevelChanges,
                        returns);
  // But these tie instructions of one function to each other.
  DenseMap<DIAssignID *, DIAssignID *> assignments;
  for (Instruction &instruction : instructions(*clone))
    at::remapAssignID(assignments, instruction);
  clone->setSubprogram(original.getSubprogram());
  return new PolyLlvmAnalysis{&original, clone, polyrs::unwrap(manager)};
}

LLVMValueRef polyHostLlvmClonedFunction(PolyLlvmAnalysis *analysis) {
  return wrap(analysis->clone);
}

void polyHostLlvmRefresh(PolyLlvmAnalysis *analysis) { analysis->refresh(); }

// `Function::deleteBody` would also forget the linkage and the metadata.
static void removeBlocks(Function &function) {
  for (BasicBlock &block : function)
    block.dropAllReferences();
  while (!function.empty())
    function.begin()->eraseFromParent();
}

void polyHostLlvmFinish(PolyLlvmAnalysis *analysis, bool keep) {
  Function &original = *analysis->original;
  Function &clone = *analysis->clone;
  analysis->manager->clear(clone, clone.getName());
  if (keep) {
    analysis->manager->invalidate(original, PreservedAnalyses::none());
    removeBlocks(original);
    for (auto [from, to] : zip(clone.args(), original.args()))
      from.replaceAllUsesWith(&to);
    original.splice(original.end(), &clone);
  }
  clone.eraseFromParent();
  delete analysis;
}

void polyHostLlvmMark(LLVMValueRef value, PolyText mark) {
  auto &function = *unwrap<Function>(value);
  function.addFnAttr(polyrs::toRef(mark));
  for (Attribute::AttrKind kind :
       {Attribute::Memory, Attribute::NoCallback, Attribute::NoFree,
        Attribute::NoRecurse, Attribute::NoSync})
    function.removeFnAttr(kind);
  // Such as that the function does not use OpenMP.
  function.removeFnAttr("llvm.assume");
}
