// An MLIR pass whose name, options and work are given by a table of the Rust side.

#include "convert.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace polyrs;

std::string polyrs::optionNames(const PolyOption *table, size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    names += i == 0 ? "" : ", ";
    names += toRef(table[i].name);
  }
  return count == 0 ? "(none)" : names;
}

namespace {

class TablePass : public mlir::Pass {
public:
  // The table's address is unique to the pass and lives for ever, so it serves as the pass's TypeID.
  explicit TablePass(const PolyPass *table)
      : Pass(mlir::TypeID::getFromOpaquePointer(table),
             toRef(table->operation)),
        table(table), options(*this, table->options, table->optionCount) {}

  llvm::StringRef getName() const override { return toRef(table->argument); }

  llvm::StringRef getArgument() const override {
    return toRef(table->argument);
  }

  llvm::StringRef getDescription() const override {
    return toRef(table->description);
  }

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    table->dialects(table, MlirDialectRegistry{&registry});
  }

  bool canScheduleOn(mlir::RegisteredOperationName name) const override {
    return name.getStringRef() == toRef(table->operation);
  }

  mlir::LogicalResult initializeOptions(
      llvm::StringRef text,
      llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> report)
      override {
    if (failed(Pass::initializeOptions(text, report)))
      return report(toRef(table->argument) + ": bad options '" + text +
                    "'; the options are " +
                    optionNames(table->options, table->optionCount));
    std::vector<PolyText> values = options.values();
    std::string error;
    if (!table->check(table, values.data(), values.size(), toSink(error)))
      return report(toRef(table->argument) + ": " + error);
    return mlir::success();
  }

  void runOnOperation() override {
    std::vector<PolyText> values = options.values();
    switch (
        table->run(table, wrap(getOperation()), values.data(), values.size())) {
    case PolyUnchanged:
      return markAllAnalysesPreserved();
    case PolyChanged:
      return;
    case PolyFailed:
      return signalPassFailure();
    }
  }

  // Option values are copied by the caller, `Pass::clone`.
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<TablePass>(table);
  }

private:
  const PolyPass *table;
  OptionList<Option<std::string>> options;
};

} // namespace

void polyHostRegisterPass(const PolyPass *pass) {
  mlir::registerPass([pass] { return std::make_unique<TablePass>(pass); });
}
