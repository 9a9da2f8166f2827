// The prefilter: whether any loops of a function may be affine, before the optimizer is loaded.
//
// Three filters, each behind what the one before lets through, each an over-approximation of what raising accepts:
//
// 1. On the function as it is. Canonicalisation removes, duplicates and merges blocks and edges, so a cycle of the
//    clone is a closed walk of the original, and what can neither be removed nor described stays on it. Regions are
//    made of cycles that have none of that, and of ways without any of that between them; their blocks are connected
//    in the original's graph without the blocks that have some. Every cycle has a back edge of a depth-first search.
// 2. On the clone before `indvars`, which is the most expensive pass by far and changes no edge: the form of the
//    loops, and what cannot be described.
// 3. On the clone in canonical form, which is the very function that regions are raised from: how often loops go on
//    and what addresses are, by the same scalar evolution that raising asks.
//
// What no filter can judge, it lets through. `test/llvm/random/loops.py` looks for functions where that is not so.

#include "canonical.h"
#include "failures.h"
#include "inline.h"
#include "plugin.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

// Longer chains of operations are not followed, as in `raise/affine/early_reject.rs`.
constexpr unsigned maxDepth = 16;
// How often a block is looked at on average, until the function is let through.
constexpr unsigned maxVisits = 16;

// The first filter: what the graph of the blocks without lasting instructions lets hope for.
class Graph {
public:
  Graph(Function &function, FunctionAnalysisManager &analyses)
      : components(function.getMaxBlockNumber()),
        states(function.getMaxBlockNumber(), New),
        library(analyses.getResult<TargetLibraryAnalysis>(function)),
        callees(analyses, &function) {
    for (BasicBlock &block : function)
      look(block);
    for (const BasicBlock &block : function)
      if (states[block.getNumber()] == New)
        search(block);
  }

  PolyOutlook outlook() {
    components.compress();
    SmallVector<unsigned, 16> counts(components.getNumClasses(), 0);
    for (unsigned block : backEdges)
      ++counts[components[block]];
    unsigned most = backEdges.empty() ? 0 : *max_element(counts);
    return most > 1 ? PolyNest : most == 1 ? PolySingle : PolyNothing;
  }

private:
  // Blocks with lasting instructions are done from the start, but joined to nothing.
  enum State : uint8_t { New, Open, Done, Closed };

  // Finds lasting instructions of a block, and loops that come in line. Those are cycles by themselves, whatever else is
  // in the block.
  void look(BasicBlock &block) {
    unsigned loops = 0;
    bool lasts = false;
    for (Instruction &instruction : block) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (const auto *body = call ? callees.find(*call) : nullptr)
        loops += body->loops;
      else
        lasts = lasts || polyrs::isLasting(instruction, library);
    }
    if (lasts && loops == 0)
      states[block.getNumber()] = Done;
    backEdges.append(loops, block.getNumber());
  }

  void search(const BasicBlock &root) {
    SmallVector<std::pair<const BasicBlock *, const_succ_iterator>, 16> way;
    auto open = [&](const BasicBlock *block) {
      states[block->getNumber()] = Open;
      way.emplace_back(block, succ_begin(block));
    };
    open(&root);
    while (!way.empty()) {
      auto &[block, next] = way.back();
      if (next == succ_end(block)) {
        states[block->getNumber()] = Closed;
        way.pop_back();
        continue;
      }
      const BasicBlock *to = *next++;
      unsigned number = to->getNumber();
      if (states[number] == Done)
        continue;
      components.join(block->getNumber(), number);
      if (states[number] == Open)
        backEdges.push_back(number);
      else if (states[number] == New)
        open(to);
    }
  }

  IntEqClasses components;
  SmallVector<State, 64> states;
  const TargetLibraryInfo &library;
  polyrs::Callees callees;
  // The blocks that they lead to.
  SmallVector<unsigned, 8> backEdges;
};

bool isNumber(const Type *type) {
  return type->isIntegerTy() || type->isFloatingPointTy();
}

// Calls that say something and do nothing.
bool isHint(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::donothing:
  case Intrinsic::experimental_noalias_scope_decl:
    return true;
  default:
    return isa<DbgInfoIntrinsic>(call);
  }
}

// A root that may set `errno`: see `polyHostLlvmSetsErrnoOnly`.
bool mayBeRoot(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && call.getMemoryEffects().onlyAccessesErrnoMem() &&
         (callee->getName() == "sqrt" || callee->getName() == "sqrtf");
}

// A pointer to what is accessed there, as to a row of a matrix.
bool isRow(const Instruction &instruction) {
  return isa<LoadInst>(instruction) && instruction.getType()->isPointerTy() &&
         any_of(instruction.users(), [&](const User *user) {
           return isa<GetElementPtrInst>(user) ||
                  getLoadStorePointerOperand(user) == &instruction;
         });
}

// Whether a region may have an instruction in it.
bool isPlain(const Instruction &instruction) {
  if (instruction.isTerminator())
    return isa<BranchInst>(instruction);
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    if (intrinsic && isHint(*intrinsic))
      return true;
    if (const auto *bulk = dyn_cast<MemIntrinsic>(call))
      return !bulk->isVolatile();
    return call->isLifetimeStartOrEnd() ||
           ((call->doesNotAccessMemory() || mayBeRoot(*call)) &&
            call->doesNotThrow() && call->willReturn());
  }
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() && (isNumber(load->getType()) || isRow(*load));
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple() && isNumber(store->getValueOperand()->getType());
  return !instruction.mayReadOrWriteMemory() && !isa<AllocaInst>(instruction);
}

bool isAccess(const Instruction &instruction) {
  return isa<LoadInst, StoreInst, MemIntrinsic>(instruction);
}

// A choice or a PHI may turn out to be affine, and a rest of a stride nothing.
bool isOpen(const Value *value) {
  const auto *shift = dyn_cast<BinaryOperator>(value);
  return isa<PHINode, SelectInst>(value) ||
         (shift && shift->getOpcode() == Instruction::AShr);
}

// Whether terms and addresses in a loop, with all that is in it, are affine in no case. As
// `raise/affine/early_reject.rs` has it, and asked of the same scalar evolution.
class Terms {
public:
  Terms(const Loop &root, const LoopInfo &loops, ScalarEvolution &evolution)
      : root(root), loops(loops), evolution(evolution) {}

  bool isHopelessBound(const Loop &loop) {
    const SCEV *count = evolution.getExitCount(&loop, loop.getLoopLatch());
    if (isa<SCEVCouldNotCompute>(count))
      return true;
    const auto *quotient = dyn_cast<SCEVUDivExpr>(count);
    return isHopeless(quotient ? quotient->getLHS() : count);
  }

  bool isHopelessAddress(Value *address, const BasicBlock &block) {
    address = unguarded(*address);
    const SCEV *whole =
        evolution.getSCEVAtScope(address, loops.getLoopFor(&block));
    const auto *base = dyn_cast<SCEVUnknown>(evolution.getPointerBase(whole));
    if (!base || (isInside(base->getValue()) && !isRowOf(*base->getValue())))
      return true;
    const SCEV *offset = evolution.getMinusSCEV(whole, base);
    if (isa<SCEVCouldNotCompute>(offset))
      return true;
    return isHopeless(offset) && isHopelessSum(*address, *base->getValue());
  }

private:
  // A row of a table of pointers that is there before the loops.
  bool isRowOf(Value &value) {
    auto *load = dyn_cast<LoadInst>(&value);
    if (!load || !isRow(*load))
      return false;
    const auto *table = dyn_cast<SCEVUnknown>(evolution.getPointerBase(
        evolution.getSCEVAtScope(unguarded(*load->getPointerOperand()),
                                 loops.getLoopFor(load->getParent()))));
    return table && !isInside(table->getValue());
  }

  // The address of a load that runs under a condition (see hoist.cpp).
  static Value *unguarded(Value &address) {
    auto *choice = dyn_cast<SelectInst>(&address);
    bool isGuarded = choice && isa<AllocaInst>(choice->getFalseValue());
    return isGuarded ? choice->getTrueValue() : &address;
  }

  bool isInside(const Value *value) const {
    const auto *instruction = dyn_cast<Instruction>(value);
    return instruction && root.contains(instruction);
  }

  bool isHopeless(const SCEV *term) {
    auto [place, isNew] = known.try_emplace(term, false);
    if (isNew)
      place->second = SCEVExprContains(term, [&](const SCEV *part) {
        // One that does not change in the loops may be computed before.
        if (isa<SCEVUDivExpr>(part))
          return !evolution.isLoopInvariant(part, &root);
        if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part))
          return !recurrence->isAffine() && !evolution.isLoopInvariant(part, &root);
        const auto *unknown = dyn_cast<SCEVUnknown>(part);
        return unknown && isInside(unknown->getValue()) &&
               !isOpen(unknown->getValue());
      });
    return known.lookup(term);
  }

  // The same for the indices that instructions add to a base.
  bool isHopelessSum(Value &address, const Value &base) {
    const Value *value = &address;
    bool isHopelessIndex = false;
    while (const auto *step = dyn_cast<GetElementPtrInst>(value)) {
      if (any_of(step->indices(), [&](Value *index) {
            return isHopelessOperand(index, 0);
          }))
        isHopelessIndex = true;
      value = step->getPointerOperand();
    }
    return isHopelessIndex || value != &base;
  }

  bool isHopelessOperand(Value *value, unsigned depth) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || isOpen(instruction) || budget == 0)
      return false;
    --budget;
    if (isExact(*instruction) && depth < maxDepth &&
        none_of(instruction->operand_values(), [&](Value *operand) {
          return isHopelessOperand(operand, depth + 1);
        }))
      return false;
    if (!evolution.isSCEVable(value->getType()))
      return isInside(value);
    return isHopeless(evolution.getSCEVAtScope(
        value, loops.getLoopFor(instruction->getParent())));
  }

  // Whether an operation computes on numbers what it does on bits, or nobody may ask for its value.
  static bool isExact(const Instruction &instruction) {
    if (isa<SExtInst>(instruction))
      return true;
    return isa<OverflowingBinaryOperator>(instruction) &&
           instruction.hasNoSignedWrap();
  }

  const Loop &root;
  const LoopInfo &loops;
  ScalarEvolution &evolution;
  DenseMap<const SCEV *, bool> known;
  // Operands that are still looked at before the rest are taken to be affine.
  unsigned budget = 4096;
};

// The forms of the clone that are looked at.
enum class Form { Structured, Canonical };

// The second and the third filter: all loops of a clone.
class Prefilter {
public:
  Prefilter(Function &clone, FunctionAnalysisManager &analyses, Form form)
      : form(form), loops(analyses.getResult<LoopAnalysis>(clone)),
        library(analyses.getResult<TargetLibraryAnalysis>(clone)),
        evolution(form == Form::Canonical
                      ? &analyses.getResult<ScalarEvolutionAnalysis>(clone)
                      : nullptr),
        visits(maxVisits * clone.size()), failures(polyrs::findFailures(clone)) {}

  PolyOutlook run() {
    SmallVector<Loop *, 4> all = loops.getLoopsInPreorder();
    for (const Loop *loop : reverse(all)) {
      bool accesses = false;
      if (!mayBeAffine(*loop, accesses))
        continue;
      auto isBusy = [&](const Loop *inner) { return busy.contains(inner); };
      if (visits == 0 || any_of(loop->getSubLoops(), isBusy))
        return PolyNest;
      hopeful.insert(loop);
      if (accesses)
        busy.insert(loop);
    }
    bool inRow =
        any_of(busy, [&](const Loop *loop) { return hasNext(*loop); });
    if (visits == 0)
      return PolyNest;
    if (inRow)
      return PolyRow;
    return busy.empty() ? PolyNothing : PolySingle;
  }

private:
  // Counts what is looked at; when that is too much, the function is let through.
  bool spend(unsigned amount) {
    visits -= std::min(visits, amount);
    return visits > 0;
  }

  // Whether a loop, with all that is in it, may be the outermost loop of a region; and whether anything is loaded or
  // stored in it.
  bool mayBeAffine(const Loop &loop, bool &accesses) {
    if (any_of(loop.getSubLoops(),
               [&](const Loop *inner) { return !hopeful.contains(inner); }))
      return false;
    if (!spend(loop.getNumBlocks()))
      return true;
    if (!isLeftAtLatch(loop))
      return false;
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instruction : *block) {
        if (!mayStand(instruction))
          return false;
        accesses |= isAccess(instruction);
      }
    return form == Form::Structured || hasAffineTerms(loop);
  }

  // Whether a region may have an instruction in it, or it may be gone by then.
  bool mayStand(const Instruction &instruction) const {
    return isPlain(instruction) ||
           (form == Form::Structured &&
            wouldInstructionBeTriviallyDead(&instruction, &library));
  }

  // Whether a loop is left to one block from its latch only, but for errors.
  bool isLeftAtLatch(const Loop &loop) const {
    const BasicBlock *latch = loop.getLoopLatch();
    if (!latch || !loop.getLoopPreheader())
      return false;
    const BasicBlock *exit = nullptr;
    for (const BasicBlock *block : loop.blocks())
      for (const BasicBlock *next : successors(block)) {
        if (loop.contains(next) ||
            (failures.contains(next) && !failures.contains(block)))
          continue;
        if (block != latch || (exit && exit != next))
          return false;
        exit = next;
      }
    return exit;
  }

  bool hasAffineTerms(const Loop &root) {
    Terms terms(root, loops, *evolution);
    for (const Loop *loop : root.getLoopsInPreorder())
      if (terms.isHopelessBound(*loop))
        return false;
    for (const BasicBlock *block : root.blocks())
      for (const Instruction &instruction : *block)
        if (const Value *address = getLoadStorePointerOperand(&instruction);
            address &&
            terms.isHopelessAddress(const_cast<Value *>(address), *block))
          return false;
    return true;
  }

  // Whether another loop with loads or stores comes behind a loop, with nothing but plain code and loops without
  // between.
  bool hasNext(const Loop &loop) {
    const Loop *around = loop.getParentLoop();
    SmallPtrSet<const BasicBlock *, 16> seen;
    SmallVector<const BasicBlock *, 16> work;
    auto reach = [&](const BasicBlock *block) {
      if (seen.insert(block).second)
        work.push_back(block);
    };
    auto leave = [&](const Loop &left) {
      SmallVector<BasicBlock *, 4> exits;
      left.getExitBlocks(exits);
      for_each(exits, reach);
    };
    leave(loop);
    while (!work.empty() && spend(1)) {
      const BasicBlock *block = work.pop_back_val();
      const Loop *within = loops.getLoopFor(block);
      if (within != around) {
        if (within && within->getParentLoop() == around &&
            within->getHeader() == block && within != &loop &&
            hopeful.contains(within)) {
          if (busy.contains(within))
            return true;
          leave(*within);
        }
        continue;
      }
      bool isLatch = around && is_contained(successors(block), around->getHeader());
      if (!isLatch && all_of(*block, [&](const Instruction &instruction) {
            return mayStand(instruction);
          }))
        for_each(successors(block), reach);
    }
    return visits == 0;
  }

  Form form;
  LoopInfo &loops;
  TargetLibraryInfo &library;
  ScalarEvolution *evolution;
  // What may still be looked at.
  unsigned visits;
  SmallPtrSet<const BasicBlock *, 8> failures;
  // The loops that may be raised, and those of them that load or store.
  SmallPtrSet<const Loop *, 8> hopeful, busy;
};

} // namespace

bool polyHostLlvmWantsRemarks(LLVMValueRef function, PolyText pass) {
  return OptimizationRemarkEmitter::allowExtraAnalysis(
      *unwrap<Function>(function), polyrs::toRef(pass));
}

PolyOutlook polyHostLlvmOutlook(LLVMValueRef function,
                                PolyLlvmManager *manager) {
  auto &original = *unwrap<Function>(function);
  return Graph(original, *polyrs::unwrap(manager)).outlook();
}

LLVMValueRef polyHostLlvmCanonicalClone(LLVMValueRef function,
                                        PolyLlvmManager *manager,
                                        PolyOutlook least,
                                        PolyOutlook *outlook) {
  FunctionAnalysisManager &analyses = *polyrs::unwrap(manager);
  auto &original = *unwrap<Function>(function);
  Function *clone = polyrs::clone(original);
  auto look = [&](Form form) {
    *outlook = std::min(*outlook, Prefilter(*clone, analyses, form).run());
    return *outlook >= least;
  };
  unsigned inlined = polyrs::inlineSmall(original, *clone, analyses);
  polyrs::dropLayouts(*clone);
  polyrs::structure(*clone, analyses, inlined > 0);
  if (look(Form::Structured)) {
    polyrs::canonicalize(*clone, analyses);
    if (look(Form::Canonical))
      return wrap(clone);
  }
  polyHostLlvmDiscard(wrap(clone), manager);
  return nullptr;
}

void polyHostLlvmDiscard(LLVMValueRef value, PolyLlvmManager *manager) {
  auto *clone = unwrap<Function>(value);
  polyrs::unwrap(manager)->clear(*clone, clone->getName());
  clone->eraseFromParent();
}
