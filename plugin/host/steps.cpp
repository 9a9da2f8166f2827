// Numbers, and what they are computed from, step by step.

#include "steps.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using polyrs::Steps;

namespace {

// What a number is computed from, one from the other.
constexpr unsigned maxSteps = 16;
// And what an address is.
constexpr unsigned maxAddress = 32;

// A product, perhaps with more bits, that something is compared with.
bool isBound(const Instruction &product) {
  auto compares = [](const User *user) { return isa<ICmpInst>(user); };
  return !isa<Constant>(product.getOperand(1)) && any_of(product.users(), [&](const User *user) {
    return compares(user) || (isa<CastInst>(user) && any_of(user->users(), compares));
  });
}

// A step from some numbers to another, which may as well be done where it is not needed.
bool isStep(const Instruction &instruction) {
  return (polyrs::isOpaque(instruction) || isa<CmpInst>(instruction) ||
          (instruction.getType()->isIntegerTy() &&
           isa<BinaryOperator, CastInst>(instruction))) &&
         isSafeToSpeculativelyExecute(&instruction);
}

bool findSteps(Instruction &last, const Loop &loop, Steps &steps,
               unsigned &visits) {
  if (visits == 0 || !isStep(last))
    return false;
  --visits;
  for (Value *operand : last.operand_values())
    if (!loop.isLoopInvariant(operand) &&
        !steps.contains(cast<Instruction>(operand)) &&
        !findSteps(*cast<Instruction>(operand), loop, steps, visits))
      return false;
  steps.insert(&last);
  return true;
}

bool areSame(const Value &one, const Value &other, unsigned &visits) {
  if (&one == &other)
    return true;
  const auto *left = dyn_cast<Instruction>(&one);
  const auto *right = dyn_cast<Instruction>(&other);
  if (visits == 0 || !left || !right || !isStep(*left) || !left->isSameOperationAs(right))
    return false;
  --visits;
  return all_of(zip(left->operand_values(), right->operand_values()), [&](auto pair) {
    return areSame(*std::get<0>(pair), *std::get<1>(pair), visits);
  });
}

bool findLate(Value &value, const Instruction &point, Steps &late,
              unsigned &visits) {
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
    if (!findLate(*operand, point, late, visits))
      return false;
  late.insert(instruction);
  return true;
}

} // namespace

bool polyrs::isOpaque(const Instruction &instruction) {
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
  // What is one number in all iterations is one of those that it may be in each.
  case Instruction::Freeze:
    return true;
  case Instruction::Mul:
    return isBound(instruction);
  case Instruction::Sub:
    return isa<PtrToIntInst>(instruction.getOperand(0));
  case Instruction::Shl:
    return !isa<Constant>(instruction.getOperand(1));
  default:
    return isa<MinMaxIntrinsic>(instruction);
  }
}

bool polyrs::stepsIn(Instruction &last, const Loop &loop, Steps &steps) {
  unsigned visits = maxSteps;
  return findSteps(last, loop, steps, visits);
}

std::optional<SmallVector<Instruction *, 4>>
polyrs::addressIn(const LoadInst &load, const Loop &loop) {
  SmallVector<Instruction *, 4> steps;
  const Value *pointer = load.getPointerOperand();
  while (!loop.isLoopInvariant(pointer)) {
    const auto *step = dyn_cast<GetElementPtrInst>(pointer);
    if (!step || steps.size() == maxAddress ||
        !all_of(step->indices(), [&](const Use &index) {
          return loop.isLoopInvariant(index);
        }))
      return std::nullopt;
    steps.push_back(const_cast<GetElementPtrInst *>(step));
    pointer = step->getPointerOperand();
  }
  return steps;
}

bool polyrs::isSame(const Value &one, const Value &other) {
  unsigned visits = maxSteps;
  return areSame(one, other, visits);
}

void polyrs::moveBefore(Instruction &place, const Steps &steps) {
  for (Instruction *step : steps) {
    step->moveBefore(place.getIterator());
    step->dropUBImplyingAttrsAndMetadata();
  }
}

bool polyrs::canComeBefore(Value &value, const Instruction &point,
                           Steps &late) {
  unsigned visits = 4 * maxSteps;
  return findLate(value, point, late, visits);
}
