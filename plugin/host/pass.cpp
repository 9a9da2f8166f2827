// The module pass that `opt`, `clang` and `flang` see; what it does is given by a table of the Rust side.

#include "plugin.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using polyrs::toRef;

namespace {

// The option of the command line: `-mllvm -poly-schedule=...` of clang, `-poly-schedule=...` of opt. Null in tools that
// load the plugin for MLIR only, whose pass has a flag of the same name.
cl::opt<std::string> *commandLine = nullptr;

class LlvmPass : public PassInfoMixin<LlvmPass> {
public:
  LlvmPass(const PolyLlvmPass *table, StringRef text,
           OptimizationLevel level = OptimizationLevel::O3)
      : table(table), text(text.str()), level(level) {}

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    auto &functions =
        analyses.getResult<FunctionAnalysisManagerModuleProxy>(module)
            .getManager();
    std::string options;
    if (commandLine)
      options = commandLine->getValue();
    if (!text.empty())
      options += ";" + text;
    std::string error;
    PolyStatus status =
        table->run(table, wrap(&module),
                   reinterpret_cast<PolyLlvmManager *>(&functions),
                   polyrs::toText(options), level == OptimizationLevel::O3,
                   polyrs::toSink(error));
    if (status == PolyFailed)
      module.getContext().diagnose(DiagnosticInfoGeneric(
          toRef(table->argument) + ": " + error, DS_Error));
    return status == PolyChanged ? PreservedAnalyses::none()
                                 : PreservedAnalyses::all();
  }

private:
  const PolyLlvmPass *table;
  std::string text;
  OptimizationLevel level;
};

} // namespace

void polyHostLlvmDefineOption(const PolyLlvmPass *pass) {
  StringRef name = toRef(pass->argument);
  if (commandLine || cl::getRegisteredOptions().count(name))
    return;
  commandLine = new cl::opt<std::string>(
      name, cl::desc(toRef(pass->description)), cl::value_desc("options"),
      cl::ValueRequired);
}

void polyHostLlvmRegisterPass(void *passBuilder, const PolyLlvmPass *pass) {
  auto &builder = *static_cast<PassBuilder *>(passBuilder);
  builder.registerPipelineParsingCallback(
      [pass](StringRef name, ModulePassManager &manager,
             ArrayRef<PassBuilder::PipelineElement> inner) {
        if (!inner.empty() || !name.consume_front(toRef(pass->argument)))
          return false;
        if (!name.empty() && !(name.consume_front("<") && name.consume_back(">")))
          return false;
        manager.addPass(LlvmPass(pass, name));
        return true;
      });
  // The second half of thin LTO sees functions that went through here in the first.
  builder.registerPipelineEarlySimplificationEPCallback(
      [pass](ModulePassManager &manager, OptimizationLevel level,
             ThinOrFullLTOPhase phase) {
        if (level != OptimizationLevel::O0 &&
            phase != ThinOrFullLTOPhase::ThinLTOPostLink)
          manager.addPass(LlvmPass(pass, "", level));
      });
}
