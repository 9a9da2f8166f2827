// LLVM's optimization remarks, which clang shows with -Rpass, -Rpass-missed and -Rpass-analysis.

#include "llvm_analysis.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

template <typename Remark>
static void emit(Function &function, const DiagnosticLocation &location,
                 PolyText pass, StringRef name, PolyText text) {
  // Remarks keep the pointer to the pass's name.
  std::string passName = polyrs::toRef(pass).str();
  OptimizationRemarkEmitter emitter(&function);
  emitter.emit([&] {
    return Remark(passName.c_str(), name, location, &function.getEntryBlock())
           << polyrs::toRef(text);
  });
}

void polyHostLlvmRemark(PolyText pass, PolyRemarkKind kind,
                        LLVMValueRef value, LLVMMetadataRef metadata,
                        PolyText text) {
  auto &function = *unwrap<Function>(value);
  DiagnosticLocation location;
  if (auto *found = dyn_cast_or_null<DILocation>(unwrap(metadata)))
    location = DiagnosticLocation(DebugLoc(found));
  else if (const DISubprogram *subprogram = function.getSubprogram())
    location = DiagnosticLocation(subprogram);
  switch (kind) {
  case PolyPassed:
    return emit<OptimizationRemark>(function, location, pass, "Scheduled",
                                    text);
  case PolyMissed:
    return emit<OptimizationRemarkMissed>(function, location, pass, "Left",
                                          text);
  case PolyAnalysed:
    return emit<OptimizationRemarkAnalysis>(function, location, pass, "Detail",
                                            text);
  case PolyWarned: {
    // A warning, whether or not somebody listens to remarks.
    std::string passName = polyrs::toRef(pass).str();
    OptimizationRemarkEmitter emitter(&function);
    DiagnosticInfoOptimizationFailure failure(
        passName.c_str(), "Failed", location, &function.getEntryBlock());
    failure << polyrs::toRef(text);
    return emitter.emit(failure);
  }
  }
}
