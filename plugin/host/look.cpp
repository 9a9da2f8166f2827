// A look at the loops of a function before anything is cloned or loaded: can any of them be raised at all?
//
// Whoever is sent away here is not raised later either; whoever is let through may still be refused. So this only looks
// for what no later step can mend: a call in the loop, an exit or an address that depends on what the loop loads. There is no
// scalar evolution in it, and each instruction is visited a few times at most.

#include "plugin.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {

// Longer ways from an induction variable to its next value are not followed.
constexpr unsigned maxSteps = 16;
// Longer ways to the end of a program are not followed.
constexpr unsigned maxErrorBlocks = 4;
// Loops that write in more places may hoist what they load.
constexpr unsigned maxWriters = 64;
// How often a block is looked at on average, until the function is let through.
constexpr unsigned maxVisits = 16;

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

// Whether an instruction leaves hope for the region that it is in.
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
           (call->doesNotAccessMemory() && call->doesNotThrow() &&
            call->willReturn());
  }
  if (isa<LoadInst, StoreInst>(instruction))
    return !instruction.isVolatile() && !instruction.isAtomic();
  return !instruction.mayReadOrWriteMemory() && !isa<AllocaInst>(instruction);
}

// Whether what begins here ends with an error, as behind a failed assertion.
bool fails(const BasicBlock &block, unsigned depth = 0) {
  if (isa<UnreachableInst>(block.getTerminator()))
    return true;
  return depth < maxErrorBlocks && !succ_empty(&block) &&
         all_of(successors(&block), [&](const BasicBlock *next) {
           return next != &block && fails(*next, depth + 1);
         });
}

bool isNumber(const Type *type) {
  return type->isIntegerTy() || type->isFloatingPointTy();
}

// One loop, with all that is in it, as the outermost loop of a region.
class Root {
public:
  Root(const Loop &root, const LoopInfo &loops,
       FunctionAnalysisManager &analyses)
      : root(root), loops(loops), analyses(analyses) {}

  // Whether it may be raised; and whether anything is loaded or stored in it.
  bool isHopeful(bool &accesses) {
    accesses = false;
    if (!isLeftOnce(root))
      return false;
    for (const BasicBlock *block : root.blocks())
      for (const Instruction &instruction : *block) {
        if (!isPlain(instruction))
          return false;
        if (instruction.mayWriteToMemory())
          writers.push_back(&instruction);
      }
    for (const BasicBlock *block : root.blocks()) {
      if (!endsWell(*block))
        return false;
      for (const Instruction &instruction : *block) {
        if (!isa<LoadInst, StoreInst, MemIntrinsic>(instruction))
          continue;
        accesses = true;
        if (!isAccessKnown(instruction))
          return false;
      }
    }
    return true;
  }

private:
  // Whether a loop may be left in one place only, once what is never taken is gone: that can be told of exits that depend on
  // the same variables, and exits to the same place can be joined.
  bool isLeftOnce(const Loop &loop) {
    SmallVector<BasicBlock *, 4> exiting;
    loop.getExitingBlocks(exiting);
    // Errors are assumed not to happen.
    erase_if(exiting, [&](const BasicBlock *block) {
      return all_of(successors(block), [&](const BasicBlock *next) {
        return loop.contains(next) || fails(*next);
      });
    });
    if (exiting.size() <= 1 || loop.getUniqueExitBlock())
      return !exiting.empty();
    SmallPtrSet<const Value *, 4> common;
    for (const BasicBlock *block : exiting) {
      SmallPtrSet<const Value *, 4> variables = variablesOf(*block, loop);
      if (variables.empty())
        continue;
      if (common.empty())
        common = variables;
      else if (none_of(variables, [&](const Value *variable) {
                 return common.contains(variable);
               }))
        return false;
    }
    return true;
  }

  // The variables of a loop that the condition at the end of a block depends on.
  static SmallPtrSet<const Value *, 4> variablesOf(const BasicBlock &block,
                                                   const Loop &loop) {
    SmallPtrSet<const Value *, 4> found;
    SmallPtrSet<const Value *, 16> seen;
    SmallVector<const Value *, 8> work(block.getTerminator()->value_op_begin(),
                                       block.getTerminator()->value_op_end());
    while (!work.empty()) {
      const auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
      if (!instruction || !loop.contains(instruction) ||
          !seen.insert(instruction).second)
        continue;
      if (isa<PHINode>(instruction) &&
          instruction->getParent() == loop.getHeader())
        found.insert(instruction);
      else
        work.append(instruction->value_op_begin(), instruction->value_op_end());
    }
    return found;
  }

  // Whether it may be known how often the loop goes on that a block may leave.
  bool endsWell(const BasicBlock &block) {
    const auto *branch = cast<BranchInst>(block.getTerminator());
    const Loop *loop = loops.getLoopFor(&block);
    bool leaves = any_of(successors(&block), [&](const BasicBlock *next) {
      return !loop->contains(next);
    });
    return !leaves || (branch->isConditional() ? isKnown(branch->getCondition())
                                               : false);
  }

  bool isAccessKnown(const Instruction &access) {
    // To or from an array; how much is a matter of the bounds of loops.
    if (const auto *bulk = dyn_cast<MemIntrinsic>(&access)) {
      const auto *copy = dyn_cast<MemTransferInst>(bulk);
      return isKnown(bulk->getRawDest()) && isKnown(bulk->getLength()) &&
             (!copy || isKnown(copy->getRawSource()));
    }
    const Value *address = getLoadStorePointerOperand(&access);
    if (isNumber(getLoadStoreType(&access)))
      return isKnown(address);
    // Pointers are loaded before the loop, or not at all.
    return isa<LoadInst>(access) && isFixed(&access);
  }

  bool isOutside(const Value *value) const {
    const auto *instruction = dyn_cast<Instruction>(value);
    return !instruction || !root.contains(instruction);
  }

  // Whether a value may be affine in the variables of loops and in what is known before the root.
  bool isKnown(const Value *value) {
    SmallVector<const Value *, 16> work{value};
    while (!work.empty()) {
      const Value *next = work.pop_back_val();
      if (isOutside(next) || !known.insert(next).second)
        continue;
      if (!expand(*cast<Instruction>(next), work))
        return false;
    }
    return true;
  }

  // What an instruction's value depends on; false if it is not affine whatever that is.
  bool expand(const Instruction &instruction,
              SmallVectorImpl<const Value *> &work) {
    if (const auto *phi = dyn_cast<PHINode>(&instruction))
      return expandPhi(*phi, work);
    if (isa<LoadInst>(instruction))
      return isFixed(&instruction);
    if (const auto *call = dyn_cast<CallBase>(&instruction)) {
      work.append(call->arg_begin(), call->arg_end());
      return isa<MinMaxIntrinsic>(call) ||
             call->getIntrinsicID() == Intrinsic::abs;
    }
    switch (instruction.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::BitCast:
    case Instruction::GetElementPtr:
    case Instruction::ICmp:
    case Instruction::Select:
    case Instruction::Freeze:
      break;
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      if (instruction.getType()->isIntegerTy(1))
        break;
      [[fallthrough]];
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      if (none_of(instruction.operand_values(),
                  [&](const Value *operand) { return isFixed(operand); }))
        return false;
      break;
    default:
      return false;
    }
    work.append(instruction.value_op_begin(), instruction.value_op_end());
    return true;
  }

  bool expandPhi(const PHINode &phi, SmallVectorImpl<const Value *> &work) {
    const Loop *loop = loops.getLoopFor(phi.getParent());
    bool atHeader = loop->getHeader() == phi.getParent();
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      const Value *value = phi.getIncomingValue(i);
      if (!atHeader || !loop->contains(phi.getIncomingBlock(i)))
        work.push_back(value);
      else if (!isStep(value, *loop))
        return false;
    }
    return true;
  }

  // Whether a value is a variable of a loop and something that is fixed.
  bool isStep(const Value *value, const Loop &loop) {
    for (unsigned steps = 0; steps < maxSteps; ++steps) {
      const auto *instruction = dyn_cast<Instruction>(value);
      if (!instruction || !loop.contains(instruction))
        return false;
      auto stays = [&](const Value *operand) {
        const auto *inside = dyn_cast<Instruction>(operand);
        return !inside || !loop.contains(inside) || isa<LoadInst>(inside);
      };
      if (const auto *phi = dyn_cast<PHINode>(instruction)) {
        if (phi->getParent() == loop.getHeader())
          return true;
        if (!phi->hasConstantValue())
          return false;
        value = phi->hasConstantValue();
      } else if (isa<CastInst, FreezeInst>(instruction)) {
        value = instruction->getOperand(0);
      } else if (const auto *address =
                     dyn_cast<GetElementPtrInst>(instruction)) {
        if (!all_of(address->indices(), stays))
          return false;
        value = address->getPointerOperand();
      } else if (instruction->getOpcode() == Instruction::Add ||
                 instruction->getOpcode() == Instruction::Sub ||
                 instruction->getOpcode() == Instruction::Or) {
        bool first = stays(instruction->getOperand(1));
        if (!first && !stays(instruction->getOperand(0)))
          return false;
        value = instruction->getOperand(first ? 0 : 1);
      } else {
        return false;
      }
    }
    return true;
  }

  // Whether a value is the same in all iterations of the root, if what can be loaded before it is loaded there.
  bool isFixed(const Value *value, unsigned depth = 0) {
    if (isOutside(value) || depth > maxSteps)
      return true;
    auto [place, isNew] = fixed.try_emplace(value, false);
    if (!isNew)
      return place->second;
    const auto &instruction = *cast<Instruction>(value);
    bool same = isa<LoadInst, GetElementPtrInst, CastInst>(instruction) &&
                all_of(instruction.operand_values(),
                       [&](const Value *operand) {
                         return isFixed(operand, depth + 1);
                       }) &&
                (!isa<LoadInst>(instruction) ||
                 !isWritten(cast<LoadInst>(instruction)));
    fixed[value] = same;
    return same;
  }

  bool isWritten(const LoadInst &load) {
    if (writers.empty() || writers.size() > maxWriters)
      return false;
    auto &aliases = analyses.getResult<AAManager>(
        *root.getHeader()->getParent());
    MemoryLocation place = MemoryLocation::get(&load);
    // A scope that starts in the loop says nothing of several iterations.
    place.AATags.Scope = nullptr;
    place.AATags.NoAlias = nullptr;
    return any_of(writers, [&](const Instruction *writer) {
      return isModSet(aliases.getModRefInfo(writer, place));
    });
  }

  const Loop &root;
  const LoopInfo &loops;
  FunctionAnalysisManager &analyses;
  SmallVector<const Instruction *, 16> writers;
  SmallPtrSet<const Value *, 32> known;
  DenseMap<const Value *, bool> fixed;
};

// All loops of a function.
class Look {
public:
  Look(Function &function, FunctionAnalysisManager &analyses)
      : function(function), analyses(analyses),
        loops(analyses.getResult<LoopAnalysis>(function)),
        visits(maxVisits * function.size()) {}

  PolyOutlook run() {
    SmallVector<Loop *, 4> all = loops.getLoopsInPreorder();
    if (all.empty())
      return PolyNothing;
    // What can be promoted has not been: this is not code as the compilers' pipelines have it here.
    if (any_of(function.getEntryBlock(), [](const Instruction &instruction) {
          const auto *variable = dyn_cast<AllocaInst>(&instruction);
          return variable && isAllocaPromotable(variable);
        }))
      return PolySeveral;
    for (Loop *loop : reverse(all)) {
      bool accesses = false;
      if (!isHopeful(*loop, accesses))
        continue;
      auto isBusy = [&](const Loop *inner) { return busy.contains(inner); };
      if (visits == 0 || any_of(loop->getSubLoops(), isBusy))
        return PolySeveral;
      hopeful.insert(loop);
      if (accesses)
        busy.insert(loop);
    }
    if (any_of(busy, [&](const Loop *loop) { return hasNext(*loop); }) ||
        visits == 0)
      return PolySeveral;
    return busy.empty() ? PolyNothing : PolySingle;
  }

private:
  // Counts what is looked at; when that is too much, the function is let through.
  bool spend(unsigned amount) {
    visits -= std::min(visits, amount);
    return visits > 0;
  }

  bool isHopeful(const Loop &loop, bool &accesses) {
    if (any_of(loop.getSubLoops(),
               [&](const Loop *inner) { return !hopeful.contains(inner); }))
      return false;
    if (!spend(loop.getNumBlocks()))
      return true;
    return Root(loop, loops, analyses).isHopeful(accesses);
  }

  // Whether an instruction may stand between two loops of one region. Pointers are not loaded there, but before, unless they
  // were loaded from there already.
  static bool isBetween(const Instruction &instruction) {
    if (isa<StoreInst>(instruction) &&
        !isNumber(instruction.getOperand(0)->getType()))
      return false;
    const auto *load = dyn_cast<LoadInst>(&instruction);
    return isPlain(instruction) &&
           (!load || isNumber(load->getType()) ||
            any_of(load->getPointerOperand()->users(), [&](const User *user) {
              return user != load && isa<LoadInst>(user) &&
                     cast<Instruction>(user)->getFunction() ==
                         load->getFunction();
            }));
  }

  // Whether another loop with loads or stores comes behind a loop, with nothing but plain code and loops without between.
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
      if (!isLatch && all_of(*block, isBetween))
        for_each(successors(block), reach);
    }
    return visits == 0;
  }

  Function &function;
  FunctionAnalysisManager &analyses;
  LoopInfo &loops;
  // What may still be looked at.
  unsigned visits;
  // The loops that may be raised, and those of them that load or store.
  SmallPtrSet<const Loop *, 8> hopeful, busy;
};

} // namespace

bool polyHostLlvmHasLoop(LLVMValueRef function) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> edges;
  FindFunctionBackedges(*unwrap<Function>(function), edges);
  return !edges.empty();
}

bool polyHostLlvmWantsRemarks(LLVMValueRef function, PolyText pass) {
  return OptimizationRemarkEmitter::allowExtraAnalysis(
      *unwrap<Function>(function), polyrs::toRef(pass));
}

PolyOutlook polyHostLlvmLook(LLVMValueRef function, PolyLlvmManager *manager) {
  return Look(*unwrap<Function>(function),
              *reinterpret_cast<FunctionAnalysisManager *>(manager))
      .run();
}
