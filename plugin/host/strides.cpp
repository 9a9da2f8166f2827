// Strides in bytes that are divided by the size of an element. flang computes subscripts of arrays of assumed shape as
// `(stride * i) >> 3`, in loops that run if the first stride is 8. No polynomial is that, but with
// `stride = 8 * quotient + rest` it is `quotient * i + ((rest * i) >> 3)`, whose second part is nothing if the rest is: a
// region assumes that (`passes/src/llvm/raise/affine/no_wrap.rs`).
//
// Lower bounds of allocatable arrays and pointers are numbers of their descriptors. Nearly all are one, and then subscripts are
// what they are in other arrays. So a bound becomes `1 + rest`, and a region assumes that there is no rest. It is frozen:
// scalar evolution would see through it.
//
// So is the number of elements of a section, `m > 0 ? m : 0`, that a loop counts down: of such a number it is known that it is
// greater than zero where the loop runs, of `m` scalar evolution does not know it any more.

#include "strides.h"

#include "steps.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using polyrs::Steps;
using polyrs::stepsIn;

namespace {

// Longer sums are left as they are.
constexpr unsigned longestSum = 8;

// Whether nobody sees the highest bits of a value: all it does is to be a part of an address, multiplied by the size of
// elements. The two forms differ in these bits where products wrap around.
bool scales(const Value &value, unsigned bits, unsigned depth) {
  return depth < longestSum && all_of(value.users(), [&](const User *user) {
    if (const auto *sum = dyn_cast<BinaryOperator>(user))
      return (sum->getOpcode() == Instruction::Add ||
              sum->getOpcode() == Instruction::Sub) &&
             !sum->hasNoSignedWrap() && !sum->hasNoUnsignedWrap() &&
             scales(*sum, bits, depth + 1);
    const auto *address = dyn_cast<GetElementPtrInst>(user);
    if (!address || address->getPointerOperand() == &value ||
        address->getNumIndices() != 1 || address->getNoWrapFlags() != GEPNoWrapFlags::none())
      return false;
    TypeSize size = address->getDataLayout().getTypeAllocSize(address->getSourceElementType());
    return !size.isScalable() && size.getFixedValue() % (uint64_t(1) << bits) == 0;
  });
}

// Whether something is loaded from a descriptor of flang's, as its type for alias analysis says.
bool isOfDescriptor(const LoadInst &load) {
  const MDNode *tag = load.getMetadata(LLVMContext::MD_tbaa);
  if (!tag || tag->getNumOperands() < 2)
    return false;
  const auto *type = dyn_cast<MDNode>(tag->getOperand(1));
  const auto *name = type && type->getNumOperands() > 0 ? dyn_cast<MDString>(type->getOperand(0)) : nullptr;
  return name && name->getString() == "descriptor member";
}

// Whether a number goes down by one in each iteration.
bool isCountedDown(const PHINode &phi) {
  return any_of(phi.incoming_values(), [&](const Use &next) {
    return match(next.get(), m_Sub(m_Specific(&phi), m_One())) ||
           match(next.get(), m_Add(m_Specific(&phi), m_AllOnes()));
  });
}

// Whether a number is subtracted from subscripts, and no more.
bool isSubtracted(const Value &number) {
  return !number.use_empty() && all_of(number.uses(), [](const Use &use) {
    const auto *sum = dyn_cast<BinaryOperator>(use.getUser());
    return sum && sum->getOpcode() == Instruction::Sub && use.getOperandNo() == 1;
  });
}

} // namespace

void polyrs::freezeCounts(Function &clone, const LoopInfo &loops) {
  for (BasicBlock &block : clone) {
    const Loop *loop = loops.getLoopFor(&block);
    if (!loop)
      continue;
    for (PHINode &phi : block.phis())
      for (Use &start : phi.incoming_values()) {
        auto *choice = dyn_cast<SelectInst>(start);
        if (!choice || !phi.getType()->isIntegerTy(64) || !match(choice->getFalseValue(), m_Zero()) ||
            !isCountedDown(phi))
          continue;
        // In triangles the number changes, and has to be seen through.
        Steps steps;
        const Loop *outermost = loop->getOutermostLoop();
        if (!outermost->isLoopInvariant(choice) && !stepsIn(*choice, *outermost, steps))
          continue;
        IRBuilder<> builder(choice->getNextNode());
        start.set(builder.CreateFreeze(choice));
      }
  }
}

void polyrs::splitLowerBounds(Function &clone) {
  SmallVector<LoadInst *, 8> bounds;
  for (Instruction &instruction : instructions(clone)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() && load->getType()->isIntegerTy(64) &&
        isOfDescriptor(*load) && isSubtracted(*load))
      bounds.push_back(load);
  }
  for (LoadInst *bound : bounds) {
    IRBuilder<> builder(bound->getNextNode());
    Value *less = builder.CreateSub(bound, builder.getInt64(1));
    Value *whole = builder.CreateAdd(builder.CreateFreeze(less), builder.getInt64(1));
    bound->replaceUsesWithIf(whole, [&](const Use &use) { return use.getUser() != less; });
  }
}

void polyrs::divideStrides(Function &clone) {
  for (Instruction &shift : make_early_inc_range(instructions(clone))) {
    Value *left, *right;
    uint64_t bits;
    if (!shift.getType()->isIntegerTy(64) ||
        !match(&shift, m_AShr(m_Mul(m_Value(left), m_Value(right)), m_ConstantInt(bits))) ||
        bits == 0 || bits > 6 || shift.isExact() || !scales(shift, bits, 0))
      continue;
    if (!isa<LoadInst, Argument>(left))
      std::swap(left, right);
    if (!isa<LoadInst, Argument>(left))
      continue;
    IRBuilder<> builder(&shift);
    Value *quotient = builder.CreateAShr(left, bits);
    Value *rest = builder.CreateAnd(left, (uint64_t(1) << bits) - 1);
    Value *more = builder.CreateAShr(builder.CreateMul(rest, right), bits);
    shift.replaceAllUsesWith(builder.CreateAdd(builder.CreateMul(quotient, right), more));
    shift.eraseFromParent();
  }
}
