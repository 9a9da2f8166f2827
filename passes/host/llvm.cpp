// The function pass that `opt` and `clang` see. It changes nothing yet and says so.

#include "convert.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

using namespace polyrs;

namespace {

class NoticePass : public llvm::PassInfoMixin<NoticePass> {
public:
  NoticePass(PolyText argument, PolyText text, bool byName)
      : argument(argument), text(text), byName(byName) {}

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses) {
    if (byName)
      function.getContext().diagnose(llvm::DiagnosticInfoGeneric(
          toRef(argument) + ": function '" + function.getName() + "': " +
              toRef(text),
          llvm::DS_Warning));
    else if (!function.isDeclaration())
      remark(function, analyses);
    return llvm::PreservedAnalyses::all();
  }

private:
  void remark(llvm::Function &function,
              llvm::FunctionAnalysisManager &analyses) {
    auto &emitter =
        analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function);
    std::string passName = toRef(argument).str();
    emitter.emit([&] {
      return llvm::OptimizationRemarkAnalysis(
                 passName.c_str(), "Unsupported", function.getSubprogram(),
                 &function.getEntryBlock())
             << toRef(text);
    });
  }

  PolyText argument;
  PolyText text;
  bool byName;
};

} // namespace

void polyHostRegisterLlvm(void *passBuilder, PolyText argument, PolyText text) {
  auto &builder = *static_cast<llvm::PassBuilder *>(passBuilder);
  builder.registerPipelineParsingCallback(
      [=](llvm::StringRef name, llvm::FunctionPassManager &manager,
          llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name != toRef(argument))
          return false;
        manager.addPass(NoticePass(argument, text, /*byName=*/true));
        return true;
      });
  builder.registerVectorizerStartEPCallback(
      [=](llvm::FunctionPassManager &manager, llvm::OptimizationLevel) {
        manager.addPass(NoticePass(argument, text, /*byName=*/false));
      });
}
