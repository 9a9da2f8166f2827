// The canonical form of functions that regions are raised from.
//
// Loops are rotated and their induction variables wide; memory is accessed where the program says so: nothing is promoted
// to registers over loops (no licm; only sizes are loaded before loops), and no subscript is simplified into one that cannot be taken apart (no instcombine, no
// reassociation).

#include "llvm_analysis.h"
#include "llvm_hoist.h"

#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

void polyHostLlvmCanonicalize(PolyLlvmAnalysis *analysis) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  passes.addPass(polyrs::HoistSizesPass());
  passes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  PreservedAnalyses preserved =
      passes.run(*analysis->clone, *analysis->manager);
  analysis->manager->invalidate(*analysis->clone, preserved);
  analysis->refresh();
}
