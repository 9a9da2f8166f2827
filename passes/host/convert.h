// Texts and option lists, as both passes and pipelines need them.

#ifndef POLYRS_CONVERT_H
#define POLYRS_CONVERT_H

#include "host.h"

#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace polyrs {

// The options of a table, made as members of `owner` (a pass or an option struct). Upstream parses,
// prints and lists them; their addresses stay the same while the owner lives.
template <typename Option> class OptionList {
public:
  template <typename Owner>
  OptionList(Owner &owner, const PolyOption *table, size_t count) {
    for (size_t i = 0; i < count; ++i)
      options.push_back(std::make_unique<Option>(
          owner, toRef(table[i].name),
          llvm::cl::desc(toRef(table[i].help)),
          llvm::cl::value_desc(toRef(table[i].metavar)),
          llvm::cl::init(toRef(table[i].initial).str())));
  }

  // The values, in the table's order. They live as long as the options keep them.
  std::vector<PolyText> values() const {
    std::vector<PolyText> result;
    for (const auto &option : options)
      result.push_back(toText(option->getValue()));
    return result;
  }

private:
  std::vector<std::unique_ptr<Option>> options;
};

// A list such as "tile, parallel" of the names in a table, for error messages.
std::string optionNames(const PolyOption *table, size_t count);

} // namespace polyrs

#endif
