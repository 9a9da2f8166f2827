// Clones of functions: analysed, moved into the original's place, or deleted.

#include "llvm_analysis.h"

#include "llvm/IR/Module.h"

using namespace llvm;

void PolyLlvmAnalysis::fetch() {
  loops = &manager->getResult<LoopAnalysis>(*clone);
  dominators = &manager->getResult<DominatorTreeAnalysis>(*clone);
  evolution = &manager->getResult<ScalarEvolutionAnalysis>(*clone);
  aliases = &manager->getResult<AAManager>(*clone);
  assumptions = &manager->getResult<AssumptionAnalysis>(*clone);
  library = &manager->getResult<TargetLibraryAnalysis>(*clone);
}

PolyLlvmAnalysis *polyHostLlvmAnalyze(LLVMValueRef function, LLVMValueRef clone,
                                      PolyLlvmManager *manager) {
  auto *analysis =
      new PolyLlvmAnalysis{unwrap<Function>(function), unwrap<Function>(clone),
                           polyrs::unwrap(manager)};
  analysis->fetch();
  return analysis;
}

LLVMValueRef polyHostLlvmClonedFunction(PolyLlvmAnalysis *analysis) {
  return wrap(analysis->clone);
}

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
    // What comes in line has a say in how the function is compiled.
    if (clone.hasPersonalityFn())
      original.setPersonalityFn(clone.getPersonalityFn());
    LLVMContext &context = original.getContext();
    AttributeList attributes = original.getAttributes();
    original.setAttributes(attributes.removeFnAttributes(context).addFnAttributes(
        context, AttrBuilder(context, clone.getAttributes().getFnAttrs())));
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
