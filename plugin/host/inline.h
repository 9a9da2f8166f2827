// Calls of small functions, which clones have in line.

#ifndef POLYRS_INLINE_H
#define POLYRS_INLINE_H

#include "plugin.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace polyrs {

// Whether an instruction is there in canonical form too if its block is, and cannot be described. A call that may come
// in line counts.
bool isLasting(const llvm::Instruction &instruction,
               const llvm::TargetLibraryInfo &library);

// Whether a call is told where a variable is, which may be in registers if the call comes in line: what a lambda captures,
// or an object.
bool knowsVariable(const llvm::CallBase &call);

// Which calls are replaced by the bodies of what they call.
class Callees {
public:
  // Of calls in a function, or in its clone, or in any function.
  explicit Callees(llvm::FunctionAnalysisManager &analyses,
                   const llvm::Function *original = nullptr)
      : original(original), analyses(analyses) {}

  // What is known of a function that may come in line.
  struct Body {
    // With all that comes in line in it.
    unsigned instructions = 0;
    unsigned loops = 0;
    // The bytes of its variables.
    uint64_t stack = 0;
  };

  // What a call brings; null: it stays.
  const Body *find(llvm::CallBase &call);

private:
  // Whether a function may come in line, wherever it is called.
  const Body *bodyOf(llvm::Function &callee, unsigned depth);
  bool look(llvm::Function &callee, unsigned depth, Body &body);

  const llvm::Function *original;
  llvm::FunctionAnalysisManager &analyses;
  // No body: the function stays by itself.
  llvm::DenseMap<const llvm::Function *, std::optional<Body>> known;
  // Those that are being looked at.
  llvm::SmallPtrSet<const llvm::Function *, 16> open;
};

// Brings small functions in line in a clone that are called in loops, or know of variables. Returns how many calls are
// replaced.
unsigned inlineSmall(const llvm::Function &original, llvm::Function &clone,
                     llvm::FunctionAnalysisManager &analyses);

} // namespace polyrs

#endif
