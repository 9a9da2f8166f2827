// A named pass pipeline whose options and text are given by a table of the Rust side.

#include "convert.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace polyrs;

namespace {

struct PipelineOptions : public mlir::detail::PassOptions {
  explicit PipelineOptions(const PolyPipeline *table)
      : list(*this, table->options, table->optionCount) {}

  OptionList<Option<std::string>> list;
};

mlir::LogicalResult
addToPipeline(const PolyPipeline *table, mlir::OpPassManager &manager,
              llvm::StringRef text,
              llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> report) {
  PipelineOptions options(table);
  std::string errors;
  llvm::raw_string_ostream errorStream(errors);
  if (failed(options.parseFromString(text, errorStream)))
    return report(toRef(table->argument) + ": " +
                  llvm::StringRef(errors).rtrim() + "; bad options '" + text +
                  "'; the options are " +
                  optionNames(table->options, table->optionCount));
  std::vector<PolyText> values = options.list.values();
  std::string pipeline;
  if (!table->expand(table, values.data(), values.size(), toSink(pipeline),
                     toSink(errors)))
    return report(toRef(table->argument) + ": " + errors);
  if (failed(mlir::parsePassPipeline(pipeline, manager, errorStream)))
    return report(toRef(table->argument) + ": " +
                  llvm::StringRef(errors).rtrim());
  return mlir::success();
}

} // namespace

void polyHostRegisterPipeline(const PolyPipeline *pipeline) {
  mlir::registerPassPipeline(
      toRef(pipeline->argument), toRef(pipeline->description),
      [pipeline](mlir::OpPassManager &manager, llvm::StringRef text,
                 llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>
                     report) {
        return addToPipeline(pipeline, manager, text, report);
      },
      [pipeline](
          llvm::function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(PipelineOptions(pipeline));
      });
}
