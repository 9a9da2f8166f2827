// Loads of sizes and pointers out of loops. Which loads are moved is policy, as the rest of the canonical form.
//
// Bounds in global variables, in structures, or passed by reference are loaded in every iteration; what is counted or
// accessed is only known when they are loaded before, and what is computed from them in a way that scalar evolution does
// not follow, as a quotient or the greater of two, is a number like them. Factors that are passed by reference, as Fortran passes
// all of them, are numbers of the whole nest, and go before that or stay. Nothing else is moved: values of arrays stay where the
// program loads them.
//
// A load goes before the outermost loop in which nothing writes its place. It runs there if the first iteration runs
// it: always, or under conditions that do not change in the loop, as those of inner loops that have no iteration. Then it
// loads zeros elsewhere if they do not hold. Or it is known that the place can be read in any case.
//
// In a version of a loop of which it is assumed that its stores leave the places alone (`versions.cpp`), loads go before that
// loop in spite of them. Nobody knows yet whether the assumption holds, so what decides whether a load runs, and where, must
// not depend on it: nothing is stored before the load runs in the original for the first time, so that all that it depends on is
// loaded from memory as it is before the loop; or it depends on nothing that is loaded, but that loops end, as all have to. Others
// are taken from such a load of the same place.

#include "hoist.h"

#include "steps.h"
#include "ways.h"

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
using polyrs::Guard;
using polyrs::Guards;
using polyrs::Steps;
using polyrs::addressIn;
using polyrs::canBeNothing;
using polyrs::canComeBefore;
using polyrs::isOpaque;
using polyrs::moveBefore;
using polyrs::stepsIn;

namespace {

// Loops that write in more places are left as they are.
constexpr unsigned maxWriters = 256;
// So often it is asked whether a place is written.
constexpr unsigned maxQuestions = 20'000;

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
  // With a loop of which it is assumed that stores leave the places alone: only what is in that.
  Hoister(Function &function, FunctionAnalysisManager &analyses, Loop *assumed = nullptr)
      : function(function), analyses(analyses), assumed(assumed), loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        aliases(analyses.getResult<AAManager>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        library(analyses.getResult<TargetLibraryAnalysis>(function)), ways(function, analyses) {}

  // Whether there is anything to do. What a condition or an address is made of comes before it.
  bool run() {
    SmallVector<Instruction *, 16> candidates;
    ReversePostOrderTraversal<Function *> order(&function);
    for (BasicBlock *block : order)
      if (assumed ? assumed->contains(block) : loops.getLoopFor(block) != nullptr)
        for (Instruction &instruction : *block)
          if (isSize(instruction) || isOpaque(instruction) || isChoice(instruction) ||
              (!assumed && isFactor(instruction)))
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

  // Whether a load would go before the loop that something is assumed of.
  bool isWorthwhile() {
    return any_of(assumed->blocks(), [&](BasicBlock *block) {
      return any_of(*block, [&](Instruction &instruction) {
        if (!isSize(instruction))
          return false;
        std::optional<Target> target = targetOf(cast<LoadInst>(instruction));
        return target && target->loop == assumed;
      });
    });
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

  // A floating-point number that a pointer leads to which the function gets, or a variable of the module.
  static bool isFactor(const Instruction &instruction) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->isSimple() || !load->getType()->isFloatingPointTy())
      return false;
    const Value *pointer = load->getPointerOperand();
    const auto *variable = dyn_cast<GlobalVariable>(pointer);
    return isa<Argument>(pointer) || (variable && variable->getValueType() == load->getType());
  }

  static bool isChoice(const Instruction &instruction) {
    const auto *branch = dyn_cast<BranchInst>(&instruction);
    return branch && branch->isConditional();
  }

  // Moves a number, with what it is computed from, before the outermost loop in which nothing of it changes. Whether there
  // is one.
  bool moveNumber(Instruction &number, Loop *around) {
    Steps steps;
    Loop *target = nullptr;
    for (Loop *loop = around; loop; loop = loop->getParentLoop()) {
      Steps inside;
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
    if (assumed)
      return targetByAssumption(load);
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
    return found && !isSize(load) && found->loop->getParentLoop() ? std::nullopt : found;
  }

  // The same where stores are assumed to leave places alone: the loop of which that is assumed, or none. What is loaded is a
  // number of the original only if the assumption holds, and whether it is loaded must not depend on that.
  std::optional<Target> targetByAssumption(LoadInst &load) {
    Target target;
    Instruction *at = &load;
    bool isFirst = true;
    do {
      target.loop = target.loop ? target.loop->getParentLoop() : loops.getLoopFor(load.getParent());
      BasicBlock *before = target.loop->getLoopPreheader();
      if (!before || !addressIn(load, *target.loop) || isWritten(load, *target.loop))
        return std::nullopt;
      target.certain = target.certain && isReached(*at, *target.loop, target.guards) &&
                       all_of(target.guards, [&](Guard &guard) {
                         return isComputable(guard.condition, *target.loop);
                       });
      isFirst = isFirst && !isStoredBefore(*at, *target.loop);
      at = before->getTerminator();
    } while (target.loop != assumed);
    if (!target.certain)
      target.guards.clear();
    if (isSafeToSpeculativelyExecute(&load, at, &assumptions, &dominators, &library)) {
      target.certain = target.certain && target.guards.empty();
      target.guards.clear();
      return target;
    }
    bool isSame = isFirst || (target.guards.empty() && !isOfAssumed(load) && endsAnyway());
    if (target.certain && isSame && (target.guards.empty() || canBeNothing(load)))
      return target;
    // What is loaded already will do.
    return findLoaded(load, target) ? std::optional(target) : std::nullopt;
  }

  // A load before the loop of a target that loads the same, under conditions that hold wherever those of the target do.
  Hoisted *findLoaded(const LoadInst &load, const Target &target) {
    for (Hoisted &other : hoisted)
      if (other.loop == target.loop && isSamePlace(load, other) &&
          other.isImpliedBy(target.guards))
        return &other;
    return nullptr;
  }

  static bool isSamePlace(const LoadInst &load, const Hoisted &other) {
    auto [base, offset] = placeOf(load);
    return other.base == base && other.offset == offset &&
           other.load->getPointerOperandType() == load.getPointerOperandType() &&
           other.load->getType() == load.getType();
  }

  // Where a load loads from: a base and a number of bytes.
  static std::pair<const Value *, APInt> placeOf(const LoadInst &load) {
    const DataLayout &layout = load.getDataLayout();
    const Value *pointer = load.getPointerOperand();
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    const Value *base = pointer->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    return {base, offset};
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
      return !(assumed && mayBeApart(*writer, place)) &&
             isModSet(aliases.getModRefInfo(writer, place));
    });
  }

  // Whether what an instruction writes is compared with places when the program runs, and may turn out to be none of one.
  bool mayBeApart(const Instruction &writer, const MemoryLocation &place) {
    const auto *store = dyn_cast<StoreInst>(&writer);
    if (!store)
      return isa<MemIntrinsic>(writer);
    AliasResult known = aliases.alias(MemoryLocation::get(store), place);
    return known != AliasResult::MustAlias && known != AliasResult::PartialAlias;
  }

  // Whether anything may be stored in the first iteration of a loop before it comes to an instruction.
  bool isStoredBefore(const Instruction &at, const Loop &loop) const {
    SmallSetVector<const BasicBlock *, 16> way;
    way.insert(at.getParent());
    for (unsigned number = 0; number < way.size(); ++number) {
      const BasicBlock *block = way[number];
      auto end = number == 0 ? at.getIterator() : block->end();
      if (any_of(make_range(block->begin(), end), [](const Instruction &instruction) {
            return instruction.mayWriteToMemory();
          }))
        return true;
      if (block != loop.getHeader())
        way.insert_range(predecessors(block));
    }
    return false;
  }

  // Whether the address of a load is computed from what is loaded under the assumption. That is before its loop, or in it.
  bool isOfAssumed(LoadInst &load) const {
    auto isLate = [&](const Value *value) {
      const auto *instruction = dyn_cast<Instruction>(value);
      return instruction && (instruction->getParent() == assumed->getLoopPreheader() ||
                             assumed->contains(instruction));
    };
    std::optional<SmallVector<Instruction *, 4>> steps = addressIn(load, *assumed);
    return !steps ||
           isLate(steps->empty() ? load.getPointerOperand() : steps->back()->getOperand(0)) ||
           any_of(*steps, [&](const Instruction *step) {
             return any_of(drop_begin(step->operands()), isLate);
           });
  }

  // Whether the loops end in any case, or the program is undefined, however often they go on.
  bool endsAnyway() const {
    return all_of(assumed->getLoopsInPreorder(), isMustProgress);
  }

  // Whether the first iteration of a loop comes to an instruction in it, under conditions that are added.
  bool isReached(const Instruction &at, Loop &loop, Guards &guards) {
    if (factsOf(loop).safety.isGuaranteedToExecute(at, &dominators, &loop))
      return true;
    return ways.leadsTo(at, *loop.getHeader(), /*fromEnd=*/false, &loop, guards);
  }

  static bool isComputable(Value *condition, const Loop &loop) {
    Steps steps;
    return loop.isLoopInvariant(condition) ||
           stepsIn(*cast<Instruction>(condition), loop, steps);
  }

  void move(LoadInst &load, const Target &target) {
    Hoisted *known = findLoaded(load, target);
    for (Hoisted &other : hoisted)
      if (!known && other.loop == target.loop && isSamePlace(load, other) &&
          widen(other, load, target))
        known = &other;
    if (known) {
      MDNode *type = MDNode::getMostGenericTBAA(polyrs::typeOf(*known->load), polyrs::typeOf(load));
      bool isForUses = known->load->hasMetadata(polyrs::typeMark);
      combineMetadataForCSE(known->load, &load, /*DoesKMove=*/false);
      if (isForUses)
        known->load->setMetadata(polyrs::typeMark, type);
      load.replaceAllUsesWith(known->load);
      load.eraseFromParent();
      return;
    }
    Value *pointer = load.getPointerOperand();
    auto [base, offset] = placeOf(load);
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
                                                 address, polyrs::nothingIn(function));
      load.dropPoisonGeneratingMetadata();
    }
    load.setOperand(0, address);
    load.moveBefore(before->getIterator());
    // What the original loads there may be another number, if the assumption does not hold.
    if (assumed)
      load.dropPoisonGeneratingMetadata();
    MDNode *type = load.getMetadata(LLVMContext::MD_tbaa);
    if (!target.certain || !target.guards.empty() || assumed)
      load.dropUBImplyingAttrsAndMetadata();
    // It runs if and only if the original's first one does, or else in more cases.
    if (!assumed)
      load.setMetadata(target.certain ? "tbaa" : StringRef(polyrs::typeMark), type);
    hoisted.push_back({target.loop, &load, base, offset, {target.guards}});
  }

  // Lets a load that runs under conditions run where another one would as well. Whether that is possible.
  bool widen(Hoisted &other, const LoadInst &load, const Target &target) {
    auto *choice = dyn_cast<SelectInst>(other.load->getPointerOperand());
    if (!choice)
      return false;
    if (target.guards.empty()) {
      other.load->setAlignment(std::min(other.load->getAlign(), load.getAlign()));
      other.load->setOperand(0, choice->getTrueValue());
      if (!target.certain)
        polyrs::keepTypeForUses(*other.load);
      other.guards.emplace_back();
      return true;
    }
    Instruction *before = target.loop->getLoopPreheader()->getTerminator();
    Value *condition = conditionOf(target, before);
    Steps late;
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

  // All conditions of a target as one, with what they are computed from.
  static Value *conditionOf(const Target &target, Instruction *before) {
    for (const Guard &guard : target.guards) {
      Value *condition = guard.condition;
      Steps steps;
      if (!target.loop->isLoopInvariant(condition) &&
          stepsIn(*cast<Instruction>(condition), *target.loop, steps))
        moveBefore(*before, steps);
    }
    return polyrs::allOf(target.guards, *before);
  }

  Function &function;
  FunctionAnalysisManager &analyses;
  // Of whose stores something is assumed; null: of none.
  Loop *assumed;
  LoopInfo &loops;
  DominatorTree &dominators;
  AAResults &aliases;
  AssumptionCache &assumptions;
  TargetLibraryInfo &library;
  polyrs::Ways ways;
  DenseMap<const Loop *, std::unique_ptr<Facts>> facts;
  // What was looked at as a condition.
  SmallPtrSet<const Instruction *, 8> conditions;
  SmallVector<Hoisted, 8> hoisted;
  unsigned questions = maxQuestions;
};

} // namespace

bool polyrs::isWorthAssuming(Loop &loop, FunctionAnalysisManager &analyses) {
  return Hoister(*loop.getHeader()->getParent(), analyses, &loop).isWorthwhile();
}

void polyrs::hoistAssumed(Loop &loop, FunctionAnalysisManager &analyses) {
  Hoister(*loop.getHeader()->getParent(), analyses, &loop).run();
}

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
