// `mlir-opt --load-pass-plugin=… --poly-schedule`: a flag for a pass that was registered late.
//
// mlir-opt makes one command line flag for each pass before it loads plugins, so a plugin's pass
// would only be reachable through `--pass-pipeline`. The flags belong to one list option. Its
// elements and its parser have private types in MLIR's PassRegistry.cpp, so types of the same shape
// are declared here, and one more literal is added to the parser. Before anything is written, what is
// found is compared with what is known to be there: the option must be the nameless list under the
// name of a pass that every tool has, and that pass's literal must lead to its registry entry.

#include "convert.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

using namespace polyrs;

namespace {

// The shape of PassRegistry.cpp's `PassArgData`.
struct PassChoice {
  PassChoice() = default;
  PassChoice(const mlir::PassRegistryEntry *entry) : entry(entry) {}

  const mlir::PassRegistryEntry *entry = nullptr;
  llvm::StringRef options;
};

} // namespace

template <>
struct llvm::cl::OptionValue<PassChoice> final
    : llvm::cl::OptionValueBase<PassChoice, /*isClass=*/true> {
  OptionValue(const PassChoice &choice) : value(choice) {}
  OptionValue() = default;
  void anchor() override {}

  bool hasValue() const { return true; }
  const PassChoice &getValue() const { return value; }
  void setValue(const PassChoice &choice) { value = choice; }

  PassChoice value;
};

namespace {

// The shape of PassRegistry.cpp's `PassNameParser`.
struct PassParser : llvm::cl::parser<PassChoice> {
  using parser::parser;
  bool passNamesOnly = false;

  const PassChoice &choice(unsigned index) const {
    return Values[index].V.getValue();
  }
};

using PassList = llvm::cl::list<PassChoice, bool, PassParser>;

// The pass that every MLIR tool with pass flags has.
constexpr llvm::StringLiteral knownPass = "canonicalize";

// The parser of the tool's pass flags, or null if the tool has none of the known shape.
PassParser *findPassParser() {
#if LLVM_VERSION_MAJOR != 22
  return nullptr;
#endif
  const mlir::PassInfo *known = mlir::PassInfo::lookup(knownPass);
  auto &all = llvm::cl::getRegisteredOptions();
  auto found = all.find(knownPass);
  if (!known || found == all.end() || found->second->hasArgStr() ||
      found->second->getValueExpectedFlag() != llvm::cl::ValueOptional)
    return nullptr;
  PassParser &parser = static_cast<PassList *>(found->second)->getParser();
  unsigned index = parser.findOption(knownPass);
  if (index >= parser.getNumOptions() || parser.choice(index).entry != known)
    return nullptr;
  return &parser;
}

} // namespace

bool polyHostAddFlag(PolyText argument) {
  llvm::StringRef name = toRef(argument);
  const mlir::PassRegistryEntry *entry = mlir::PassInfo::lookup(name);
  if (!entry)
    entry = mlir::PassPipelineInfo::lookup(name);
  if (!entry || llvm::cl::getRegisteredOptions().count(name))
    return false;
  PassParser *parser = findPassParser();
  if (!parser)
    return false;
  parser->addLiteralOption(entry->getPassArgument(), entry,
                           entry->getPassDescription());
  return true;
}
