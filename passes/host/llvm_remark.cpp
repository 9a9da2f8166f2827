// LLVM's optimization remarks, which clang shows with -Rpass, -Rpass-missed and -Rpass-analysis, and writes to records.

#include "llvm_analysis.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

// Puts the pieces into a remark.
static void addPieces(DiagnosticInfoOptimizationBase &target, const PolyRemarkRow &remark) {
  using Base = DiagnosticInfoOptimizationBase;
  for (size_t place = 0; place < remark.count; ++place) {
    if (place == remark.shown)
      target.insert(Base::setExtraArgs());
    const PolyPiece &piece = remark.pieces[place];
    if (piece.key.size == 0)
      target.insert(polyrs::toRef(piece.value));
    else
      target.insert(Base::Argument(polyrs::toRef(piece.key), polyrs::toRef(piece.value)));
  }
}

template <typename Remark>
static void emit(Function &function, const DiagnosticLocation &location,
                 const PolyRemarkRow &remark) {
  // Remarks keep the pointer to the pass's name.
  std::string passName = polyrs::toRef(remark.pass).str();
  OptimizationRemarkEmitter emitter(&function);
  emitter.emit([&] {
    Remark built(passName.c_str(), polyrs::toRef(remark.name), location,
                 &function.getEntryBlock());
    addPieces(built, remark);
    return built;
  });
}

void polyHostLlvmRemark(const PolyRemarkRow *remark, LLVMValueRef value,
                        LLVMMetadataRef metadata) {
  auto &function = *unwrap<Function>(value);
  DiagnosticLocation location;
  if (auto *found = dyn_cast_or_null<DILocation>(unwrap(metadata)))
    location = DiagnosticLocation(DebugLoc(found));
  else if (const DISubprogram *subprogram = function.getSubprogram())
    location = DiagnosticLocation(subprogram);
  switch (remark->kind) {
  case PolyPassed:
    return emit<OptimizationRemark>(function, location, *remark);
  case PolyMissed:
    return emit<OptimizationRemarkMissed>(function, location, *remark);
  case PolyAnalysed:
    return emit<OptimizationRemarkAnalysis>(function, location, *remark);
  case PolyWarned: {
    // A warning, whether or not somebody listens to remarks.
    std::string passName = polyrs::toRef(remark->pass).str();
    OptimizationRemarkEmitter emitter(&function);
    DiagnosticInfoOptimizationFailure failure(
        passName.c_str(), polyrs::toRef(remark->name), location, &function.getEntryBlock());
    addPieces(failure, *remark);
    return emitter.emit(failure);
  }
  }
}
