// What was moved into the module that is compiled.

#pragma once

#include "llvm_analysis.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Module.h"

// What was added to the module, for those who change their mind: each with the name that it had in its own module. The
// module may have that name already, and what is added gets another one then.
struct PolyLlvmLinkedModule {
  llvm::Module &module;
  llvm::MapVector<llvm::GlobalValue *, std::string> added;

  llvm::GlobalValue *find(llvm::StringRef name) const {
    for (const auto &[value, own] : added)
      if (own == name)
        return value;
    return nullptr;
  }

  // A function of this name that was moved as a declaration; null if there is none.
  llvm::Function *findDeclaration(llvm::StringRef name) const {
    auto *function = llvm::dyn_cast_or_null<llvm::Function>(find(name));
    return function && function->isDeclaration() ? function : nullptr;
  }

  void erase(llvm::Function &function) {
    added.erase(&function);
    function.eraseFromParent();
  }
};
