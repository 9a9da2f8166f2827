// Loads of sizes and pointers out of loops. Which loads are moved is policy, as the rest of the canonical form.
//
// Bounds in global variables, in structures, or passed by reference are loaded in every iteration; what is counted or
// accessed is only known when they are loaded before, and what is computed from them in a way that scalar evolution does
// not follow, as a quotient or the greater of two, is a number like them. Nothing else is moved: values of arrays stay
// where the program loads them.
//
// A load goes before the outermost loop in which nothing writes its place. It runs there if the first iteration runs
// it: always, or under conditions that do not change in the loop, as those of inner loops that have no iteration. Then it
// loads zeros elsewhere if they do not hold. Or it is known that the place can be read in any case.

#include "hoist.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

// Loops that write in more places are left as they are.
constexpr unsigned maxWriters = 256;
// So often it is asked whether a place is written.
constexpr unsigned maxQuestions = 20'000;
// Blocks on the way to a load, and instructions of an address.
constexpr unsigned maxWay = 32;
// Conditions of a load.
constexpr unsigned maxGuards = 8;
// Of a load under conditions.
constexpr unsigned mostBytes = 16;
// What a number is computed from, one from the other.
constexpr unsigned maxSteps = 16;

// A condition, and whether it has to hold or not to.
struct Guard {
  // What it is replaced by, if it is.
  WeakTrackingVH condition;
  bool holds;

  // Whether another one asks for the same.
  bool operator==(const Guard &other) const {
    if (holds != other.holds)
      return false;
    if (&*condition == &*other.condition)
      return true;
    const auto *one = dyn_cast_or_null<ICmpInst>(&*condition);
    const auto *two = dyn_cast_or_null<ICmpInst>(&*other.condition);
    return one && two && one->isIdenticalTo(two);
  }
};

using Guards = SmallVector<Guard, 4>;

// A loop that a load goes before.
struct Target {
  Loop *loop = nullptr;
  // The first iteration runs the load under these conditions. Or else the place can be read in any case.
  bool certain = true;
  Guards guards;
};

// A load before a loop.
struct Hoisted {
  Loop *loop;
  LoadInst *load;
  const Value *base;
  APInt offset;
  // It runs where one of them holds; always, if there is one of no conditions.
  SmallVector<Guards, 2> guards;

  bool isImpliedBy(const Guards &others) const {
    return any_of(guards, [&](const Guards &one) {
      return one.size() <= others.size() &&
             std::equal(one.begin(), one.end(), others.begin());
    });
  }
};

class Hoister {
public:
  Hoister(Function &function, FunctionAnalysisManager &analyses)
      : function(function), analyses(analyses), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        aliases(analyses.getResult<AAManager>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        library(analyses.getResult<TargetLibraryAnalysis>(function)) {}

  // Whether there is anything to do. What a condition or an address is made of comes before it.
  bool run() {
    SmallVector<Instruction *, 16> candidates;
    ReversePostOrderTraversal<Function *> order(&function);
    for (BasicBlock *block : order)
      if (loops.getLoopFor(block))
        for (Instruction &instruction : *block)
          if (isSize(instruction) || isOpaque(instruction) || isChoice(instruction))
            candidates.push_back(&instruction);
    bool changed = false;
    for (Instruction *candidate : candidates) {
      auto *load = dyn_cast<LoadInst>(candidate);
      if (auto *branch = dyn_cast<BranchInst>(candidate)) {
        changed |= moveConditions(*branch->getCondition(), *loops.getLoopFor(branch->getParent()));
      } else if (!load) {
        changed |= moveNumber(*candidate, loops.getLoopFor(candidate->getParent()));
      } else if (std::optional<Target> target = targetOf(*load)) {
        move(*load, *target);
        changed = true;
      }
    }
    return changed;
  }

private:
  // What is known of a loop.
  struct Facts {
    SmallVector<Instruction *, 16> writers;
    SimpleLoopSafetyInfo safety;
  };

  static bool isSize(const Instruction &instruction) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    Type *type = instruction.getType();
    if (!load || !load->isSimple())
      return false;
    // What decides where the program goes counts as well.
    return type->isIntegerTy() || type->isPointerTy() ||
           (type->isFloatingPointTy() &&
            any_of(load->users(), [](const User *user) { return isa<FCmpInst>(user); }));
  }

  static bool isChoice(const Instruction &instruction) {
    const auto *branch = dyn_cast<BranchInst>(&instruction);
    return branch && branch->isConditional();
  }

  // A product, perhaps with more bits, that something is compared with.
  static bool isBound(const Instruction &product) {
    auto compares = [](const User *user) { return isa<ICmpInst>(user); };
    return !isa<Constant>(product.getOperand(1)) && any_of(product.users(), [&](const User *user) {
      return compares(user) || (isa<CastInst>(user) && any_of(user->users(), compares));
    });
  }

  // A number that scalar evolution does not follow.
  static bool isOpaque(const Instruction &instruction) {
    if (!instruction.getType()->isIntegerTy() || instruction.getType()->isIntegerTy(1))
      return false;
    switch (instruction.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::Select:
      return true;
    case Instruction::Mul:
      return isBound(instruction);
    case Instruction::Shl:
      return !isa<Constant>(instruction.getOperand(1));
    default:
      return isa<MinMaxIntrinsic>(instruction);
    }
  }

  // A step from some numbers to another, which may as well be done where it is not needed.
  static bool isStep(const Instruction &instruction) {
    return (isOpaque(instruction) || isa<CmpInst>(instruction) ||
            (instruction.getType()->isIntegerTy() &&
             isa<BinaryOperator, CastInst>(instruction))) &&
           isSafeToSpeculativelyExecute(&instruction);
  }

  // The steps in a loop that a number is made by, the first one first; whether all come from what does not change there.
  static bool stepsIn(Instruction &last, const Loop &loop,
                      SmallSetVector<Instruction *, 8> &steps) {
    unsigned visits = maxSteps;
    return stepsIn(last, loop, steps, visits);
  }

  static bool stepsIn(Instruction &last, const Loop &loop,
                      SmallSetVector<Instruction *, 8> &steps, unsigned &visits) {
    if (visits == 0 || !isStep(last))
      return false;
    --visits;
    for (Value *operand : last.operand_values())
      if (!loop.isLoopInvariant(operand) &&
          !steps.contains(cast<Instruction>(operand)) &&
          !stepsIn(*cast<Instruction>(operand), loop, steps, visits))
        return false;
    steps.insert(&last);
    return true;
  }

  // Moves a number, with what it is computed from, before the outermost loop in which nothing of it changes. Whether there
  // is one.
  bool moveNumber(Instruction &number, Loop *around) {
    SmallSetVector<Instruction *, 8> steps;
    Loop *target = nullptr;
    for (Loop *loop = around; loop; loop = loop->getParentLoop()) {
      SmallSetVector<Instruction *, 8> inside;
      if (!loop->getLoopPreheader() || !stepsIn(number, *loop, inside))
        break;
      steps = std::move(inside);
      target = loop;
    }
    if (!target)
      return false;
    moveBefore(*target->getLoopPreheader()->getTerminator(), steps);
    return true;
  }

  static void moveBefore(Instruction &place,
                         const SmallSetVector<Instruction *, 8> &steps) {
    for (Instruction *step : steps) {
      step->moveBefore(place.getIterator());
      step->dropUBImplyingAttrsAndMetadata();
    }
  }

  // Moves conditions on floating-point numbers and pointers, alone or as parts of others, before the outermost loop in
  // which they do not change.
  bool moveConditions(Value &condition, Loop &around) {
    auto *instruction = dyn_cast<Instruction>(&condition);
    if (!instruction || !around.contains(instruction) || !conditions.insert(instruction).second)
      return false;
    if (isa<BinaryOperator, SelectInst>(instruction)) {
      bool changed = false;
      for (Value *part : instruction->operand_values())
        if (part->getType()->isIntegerTy(1))
          changed |= moveConditions(*part, around);
      return changed;
    }
    return isa<CmpInst>(instruction) &&
           !instruction->getOperand(0)->getType()->isIntegerTy() &&
           moveNumber(*instruction, &around);
  }

  // Zeros can stand for what a load loads.
  static bool canBeNothing(const LoadInst &load) {
    const DataLayout &layout = load.getDataLayout();
    return load.getPointerAddressSpace() == layout.getAllocaAddrSpace() &&
           layout.getTypeStoreSize(load.getType()) <= mostBytes &&
           load.getAlign() <= mostBytes;
  }

  const Facts &factsOf(Loop &loop) {
    std::unique_ptr<Facts> &place = facts[&loop];
    if (!place) {
      place = std::make_unique<Facts>();
      for (BasicBlock *block : loop.blocks())
        for (Instruction &instruction : *block)
          if (instruction.mayWriteToMemory())
            place->writers.push_back(&instruction);
      place->safety.computeLoopSafetyInfo(&loop);
    }
    return *place;
  }

  std::optional<Target> targetOf(LoadInst &load) {
    std::optional<Target> found;
    Target next;
    Instruction *at = &load;
    for (Loop *loop = loops.getLoopFor(load.getParent()); loop;
         loop = loop->getParentLoop()) {
      BasicBlock *before = loop->getLoopPreheader();
      if (!before || !addressIn(load, *loop) || isWritten(load, *loop))
        break;
      next.loop = loop;
      next.certain = next.certain && isReached(*at, *loop, next.guards) &&
                     all_of(next.guards, [&](Guard &guard) {
                       return isComputable(guard.condition, *loop);
                     });
      bool isSafe = isSafeToSpeculativelyExecute(&load, before->getTerminator(),
                                                 &assumptions, &dominators,
                                                 &library);
      bool hasGuards = next.certain && !next.guards.empty();
      if (!isSafe && (!next.certain || (hasGuards && !canBeNothing(load))))
        break;
      found = next;
      // No condition is needed then.
      if (isSafe && !next.guards.empty()) {
        found->certain = false;
        found->guards.clear();
      }
      at = before->getTerminator();
    }
    return found;
  }

  // The instructions in a loop that a load's address is made of, the first one last; none if the address changes there.
  static std::optional<SmallVector<Instruction *, 4>>
  addressIn(LoadInst &load, const Loop &loop) {
    SmallVector<Instruction *, 4> steps;
    Value *pointer = load.getPointerOperand();
    while (!loop.isLoopInvariant(pointer)) {
      auto *step = dyn_cast<GetElementPtrInst>(pointer);
      if (!step || steps.size() == maxWay ||
          !all_of(step->indices(), [&](const Use &index) {
            return loop.isLoopInvariant(index);
          }))
        return std::nullopt;
      steps.push_back(step);
      pointer = step->getPointerOperand();
    }
    return steps;
  }

  bool isWritten(const LoadInst &load, Loop &loop) {
    MemoryLocation place = MemoryLocation::get(&load);
    // A scope that starts in the loop says nothing of several iterations.
    place.AATags.Scope = nullptr;
    place.AATags.NoAlias = nullptr;
    ArrayRef<Instruction *> writers = factsOf(loop).writers;
    if (writers.size() > maxWriters || questions < writers.size())
      return true;
    questions -= writers.size();
    return any_of(writers, [&](Instruction *writer) {
      return isModSet(aliases.getModRefInfo(writer, place));
    });
  }

  // Whether the first iteration of a loop comes to an instruction in it, under conditions that are added.
  bool isReached(const Instruction &at, Loop &loop, Guards &guards) {
    if (factsOf(loop).safety.isGuaranteedToExecute(at, &dominators, &loop))
      return true;
    const BasicBlock *block = at.getParent();
    if (!goesOn(block->begin(), at.getIterator()))
      return false;
    Guards added;
    for (unsigned steps = 0; block != loop.getHeader(); ++steps) {
      if (steps == maxWay)
        return false;
      const BasicBlock *before = block->getSinglePredecessor();
      if (!before || loops.getLoopFor(before) != &loop) {
        block = wayTo(*block, loop);
        if (!block)
          return false;
        continue;
      }
      if (!goesOn(before->begin(), before->end()))
        return false;
      const auto *branch = dyn_cast<BranchInst>(before->getTerminator());
      if (!branch)
        return false;
      if (branch->isConditional())
        added.push_back({branch->getCondition(), branch->getSuccessor(0) == block});
      block = before;
    }
    // The outermost one first.
    std::reverse(added.begin(), added.end());
    guards.insert(guards.begin(), added.begin(), added.end());
    return guards.size() <= maxGuards;
  }

  // The block of a loop itself from which all ways lead to another one, through other loops that end if there are some;
  // null if that is not known.
  const BasicBlock *wayTo(const BasicBlock &block, const Loop &loop) {
    const DomTreeNode *node = dominators.getNode(&block);
    do {
      node = node->getIDom();
    } while (node && loop.contains(node->getBlock()) &&
             loops.getLoopFor(node->getBlock()) != &loop);
    if (!node || !loop.contains(node->getBlock()))
      return nullptr;
    SmallSetVector<const BasicBlock *, 16> between;
    between.insert(node->getBlock());
    for (unsigned number = 0; number < between.size(); ++number) {
      const BasicBlock *one = between[number];
      if (between.size() > maxWay || !goesOn(one->begin(), one->end()) ||
          succ_empty(one))
        return nullptr;
      for (const BasicBlock *next : successors(one)) {
        if (next == loop.getHeader() || !loop.contains(next))
          return nullptr;
        if (next != &block)
          between.insert(next);
      }
    }
    // Nobody counts cycles that are no loops.
    if (mayContainIrreducibleControl(function, &loops))
      return nullptr;
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    bool allEnd = all_of(between, [&](const BasicBlock *one) {
      const Loop *inner = loops.getLoopFor(one);
      return inner == &loop || inner->getHeader() != one ||
             !isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(inner));
    });
    return allEnd ? node->getBlock() : nullptr;
  }

  static bool goesOn(BasicBlock::const_iterator from,
                     BasicBlock::const_iterator to) {
    return all_of(make_range(from, to), [](const Instruction &instruction) {
      return isa<BranchInst, SwitchInst>(instruction) ||
             isGuaranteedToTransferExecutionToSuccessor(&instruction);
    });
  }

  static bool isComputable(Value *condition, const Loop &loop) {
    SmallSetVector<Instruction *, 8> steps;
    return loop.isLoopInvariant(condition) ||
           stepsIn(*cast<Instruction>(condition), loop, steps);
  }

  void move(LoadInst &load, const Target &target) {
    const DataLayout &layout = load.getDataLayout();
    Value *pointer = load.getPointerOperand();
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    const Value *base = pointer->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    for (Hoisted &other : hoisted)
      if (other.loop == target.loop && other.base == base &&
          other.load->getPointerOperandType() == pointer->getType() &&
          other.load->getType() == load.getType() && other.offset == offset &&
          (other.isImpliedBy(target.guards) || widen(other, load, target))) {
        combineMetadataForCSE(other.load, &load, /*DoesKMove=*/false);
        load.replaceAllUsesWith(other.load);
        load.eraseFromParent();
        return;
      }
    SmallVector<Instruction *, 4> steps = *addressIn(load, *target.loop);
    Instruction *before = target.loop->getLoopPreheader()->getTerminator();
    // Other users of the address keep theirs.
    Value *address = steps.empty() ? pointer : steps.back()->getOperand(0);
    for (Instruction *step : reverse(steps)) {
      Instruction *copy = step->clone();
      copy->setOperand(0, address);
      copy->insertBefore(before->getIterator());
      address = copy;
    }
    if (!target.guards.empty()) {
      // No branch: what is known of the loop by the conditions before it stays known.
      address = IRBuilder<>(before).CreateSelect(conditionOf(target, before),
                                                 address, nothing());
      load.dropPoisonGeneratingMetadata();
    }
    load.setOperand(0, address);
    load.moveBefore(before->getIterator());
    if (!target.certain || !target.guards.empty())
      load.dropUBImplyingAttrsAndMetadata();
    hoisted.push_back({target.loop, &load, base, offset, {target.guards}});
  }

  // Lets a load that runs under conditions run where another one would as well. Whether that is possible.
  bool widen(Hoisted &other, const LoadInst &load, const Target &target) {
    auto *choice = dyn_cast<SelectInst>(other.load->getPointerOperand());
    if (!choice || target.guards.empty())
      return false;
    Instruction *before = target.loop->getLoopPreheader()->getTerminator();
    Value *condition = conditionOf(target, before);
    SmallSetVector<Instruction *, 8> late;
    if (!canComeBefore(*condition, *choice, late))
      return false;
    for (Instruction *step : late)
      step->moveBefore(choice->getIterator());
    // Where only the other one would run, nothing says more.
    other.load->setAlignment(std::min(other.load->getAlign(), load.getAlign()));
    choice->setCondition(IRBuilder<>(choice).CreateOr(choice->getCondition(), condition));
    other.guards.push_back(target.guards);
    return true;
  }

  // The instructions that a value needs which come behind another one in its block, the first one first; whether none of
  // them needs that one.
  static bool canComeBefore(Value &value, const Instruction &point,
                            SmallSetVector<Instruction *, 8> &late) {
    unsigned visits = 4 * maxSteps;
    return canComeBefore(value, point, late, visits);
  }

  static bool canComeBefore(Value &value, const Instruction &point,
                            SmallSetVector<Instruction *, 8> &late, unsigned &visits) {
    if (visits == 0)
      return false;
    --visits;
    auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction || instruction->getParent() != point.getParent() ||
        late.contains(instruction))
      return true;
    if (instruction == &point)
      return false;
    if (instruction->comesBefore(&point))
      return true;
    // Loads and numbers were moved here, and nothing that writes.
    if (instruction->mayHaveSideEffects())
      return false;
    for (Value *operand : instruction->operand_values())
      if (!canComeBefore(*operand, point, late, visits))
        return false;
    late.insert(instruction);
    return true;
  }

  // A place with zeros, which is loaded where the program loads nothing.
  Value *nothing() {
    if (!zeros) {
      IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      Type *type = ArrayType::get(builder.getInt64Ty(), mostBytes / 8);
      zeros = builder.CreateAlloca(type);
      zeros->setAlignment(Align(mostBytes));
      builder.CreateAlignedStore(Constant::getNullValue(type), zeros,
                                 Align(mostBytes));
    }
    return zeros;
  }

  // All conditions of a target as one. Those after one that does not hold may be poison.
  static Value *conditionOf(const Target &target, Instruction *before) {
    IRBuilder<> builder(before);
    Value *all = nullptr;
    for (const Guard &guard : target.guards) {
      Value *condition = guard.condition;
      SmallSetVector<Instruction *, 8> steps;
      if (!target.loop->isLoopInvariant(condition) &&
          stepsIn(*cast<Instruction>(condition), *target.loop, steps))
        moveBefore(*before, steps);
      if (!guard.holds)
        condition = builder.CreateNot(condition);
      all = all ? builder.CreateLogicalAnd(all, condition) : condition;
    }
    return all;
  }

  Function &function;
  FunctionAnalysisManager &analyses;
  LoopInfo &loops;
  DominatorTree &dominators;
  AAResults &aliases;
  AssumptionCache &assumptions;
  TargetLibraryInfo &library;
  DenseMap<const Loop *, std::unique_ptr<Facts>> facts;
  // What was looked at as a condition.
  SmallPtrSet<const Instruction *, 8> conditions;
  SmallVector<Hoisted, 8> hoisted;
  AllocaInst *zeros = nullptr;
  unsigned questions = maxQuestions;
};

} // namespace

PreservedAnalyses polyrs::HoistSizesPass::run(Function &function,
                                              FunctionAnalysisManager &analyses) {
  if (!Hoister(function, analyses).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  analyses.invalidate(function, preserved);
  // One load of each size.
  preserved.intersect(EarlyCSEPass(/*UseMemorySSA=*/true).run(function, analyses));
  return preserved;
}
