// A checker of what was done to a clone: that whoever used a value uses the same one still.

#ifndef POLYRS_LLVM_SPLICE_CHECKER_H
#define POLYRS_LLVM_SPLICE_CHECKER_H

#include "llvm_splice.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/ValueHandle.h"

#include <optional>
#include <string>
#include <vector>

namespace polyrs {

// Takes a copy of all uses of a function before its regions are called, and compares with what there is then. It knows
// nothing of how uses are rewritten, and shares no code with that.
class SpliceChecker {
public:
  SpliceChecker(llvm::Function &function, llvm::ArrayRef<SplicedRegion> regions);

  // What is wrong; empty if nothing is.
  std::string examine();

private:
  // An instruction as it was.
  struct Record {
    llvm::Instruction *instruction;
    llvm::WeakVH handle;
    llvm::SmallVector<llvm::Value *, 4> operands;
    llvm::SmallVector<llvm::BasicBlock *, 4> incoming; // of a PHI
    // The region that it is in, as its number.
    std::optional<size_t> region;
    llvm::BasicBlock *block;
    bool isMark; // of a variable's life, which may go
  };

  // Where a value that is computed in a region is found at the end of blocks.
  using Places = llvm::DenseMap<llvm::BasicBlock *, llvm::Value *>;
  // Variables that are alive for certain, or dead for certain, before instructions that mark them or take their
  // addresses.
  struct Life {
    llvm::DenseSet<std::pair<const llvm::Value *, const llvm::Instruction *>>
        alive, dead;
    // Where regions end: for all variables, by their numbers, whether they are dead for certain.
    llvm::DenseMap<const llvm::AllocaInst *, unsigned> variables;
    llvm::DenseMap<const llvm::Instruction *, llvm::BitVector> deadAtEnd;

    bool isDeadAtEnd(const llvm::AllocaInst *variable,
                     const llvm::Instruction *end) const;
  };

  bool isReached(const llvm::BasicBlock *block) const;
  bool isNew(const llvm::Instruction *instruction) const;
  std::optional<size_t> regionOf(const llvm::Value *value) const;
  const Places &placesOf(llvm::Instruction *value);
  llvm::Value *within(llvm::Instruction *value, llvm::BasicBlock *block,
                      const Places &ends);
  bool isSame(llvm::Value *now, llvm::Value *was, llvm::BasicBlock *place,
              std::optional<size_t> user);
  bool isMerge(llvm::Value *now, llvm::Value *of) const;
  const char *examineRecord(const Record &record);
  const char *examinePhi(const Record &record, const llvm::PHINode &phi);
  bool belongs(const llvm::Instruction &instruction) const;
  const char *examineBlock(const llvm::BasicBlock &block) const;
  const char *examineCall(const SplicedRegion &region);
  const char *examineSlots(const SplicedRegion &region);
  const char *examineLives();
  const char *examineMarks(const SplicedRegion &region, const Life &now) const;
  Life livesOf() const;

  llvm::Function &function;
  llvm::ArrayRef<SplicedRegion> regions;
  std::vector<Record> records;
  llvm::DenseMap<const llvm::Instruction *, size_t> numbers;
  // The regions of blocks, as far as they are in one.
  llvm::DenseMap<const llvm::BasicBlock *, std::optional<size_t>> homes;
  Life before;
  // What can be reached, when all is done.
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> reached;
  std::vector<llvm::BasicBlock *> order; // each before its successors, but for loops
  llvm::DenseMap<llvm::Instruction *, Places> places;
};

// The variable whose life an instruction marks the start or the end of; null if it is none of these.
const llvm::AllocaInst *markedVariable(const llvm::Instruction &instruction);

} // namespace polyrs

#endif
