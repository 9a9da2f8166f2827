// A call in the place of a region of blocks, or beside it under a check.

#include "llvm_analysis.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

using Blocks = df_iterator_default_set<BasicBlock *, 16>;

// The blocks between `first` and `exit`, which is among them. Where the program ends with an error, it does not get to
// `exit`.
Blocks between(BasicBlock *first, BasicBlock *exit) {
  Blocks behind;
  behind.insert(exit);
  for (BasicBlock *block : depth_first_ext(first, behind))
    (void)block;
  Blocks found;
  found.insert(exit);
  SmallVector<BasicBlock *, 16> work{exit};
  while (!work.empty())
    for (BasicBlock *block : predecessors(work.pop_back_val()))
      if (behind.count(block) && found.insert(block).second)
        work.push_back(block);
  return found;
}

// The variables whose life starts or ends in blocks other than `exit` live as long as the function.
void prolongLives(const Blocks &region, const BasicBlock *exit) {
  SmallSetVector<AllocaInst *, 4> variables;
  for (BasicBlock *block : region)
    for (Instruction &instruction : *block)
      if (block != exit && instruction.isLifetimeStartOrEnd())
        for (Value *operand : instruction.operands())
          if (auto *variable = dyn_cast<AllocaInst>(operand))
            variables.insert(variable);
  for (AllocaInst *variable : variables)
    for (User *user : make_early_inc_range(variable->users()))
      if (auto *mark = cast<Instruction>(user); mark->isLifetimeStartOrEnd())
        mark->eraseFromParent();
}

bool takes(const Function &callee, ArrayRef<Value *> arguments) {
  FunctionType *type = callee.getFunctionType();
  return type->getNumParams() == arguments.size() &&
         all_of(enumerate(arguments), [&](auto argument) {
           return type->getParamType(argument.index()) ==
                  argument.value()->getType();
         });
}

// The one edge by which the region is left, as the block that it starts from; null if there are others.
BasicBlock *findLast(BasicBlock *exit, const Blocks &region) {
  BasicBlock *last = nullptr;
  for (BasicBlock *block : predecessors(exit)) {
    if (block == exit || !region.count(block))
      continue;
    if (last)
      return nullptr;
    last = block;
  }
  return last;
}

// What is wrong with a region; null if nothing is.
const char *examine(BasicBlock *entry, BasicBlock *first, BasicBlock *exit,
                    const Blocks &region, BasicBlock *last) {
  if (!last)
    return "the region is not left by one edge";
  if (region.count(entry))
    return "the region is entered from within";
  if (count(successors(entry), first) != 1)
    return "the region is not entered by one edge";
  for (BasicBlock *block : region) {
    if (block == exit)
      continue;
    for (BasicBlock *from : predecessors(block))
      if ((from == exit || !region.count(from)) &&
          !(block == first && from == entry))
        return "the region is entered by another edge";
  }
  for (PHINode &phi : exit->phis()) {
    auto *value = dyn_cast<Instruction>(phi.getIncomingValueForBlock(last));
    if (value && value->getParent() != exit && region.count(value->getParent()))
      return "a value of the region is used after it";
  }
  return nullptr;
}

} // namespace

bool polyHostLlvmCallInstead(LLVMBasicBlockRef entryBlock,
                             LLVMBasicBlockRef firstBlock,
                             LLVMBasicBlockRef exitBlock, LLVMValueRef newVersion,
                             LLVMValueRef checkFunction,
                             const LLVMValueRef *argumentList, size_t count,
                             LLVMMetadataRef location, PolySink error) {
  BasicBlock *entry = unwrap(entryBlock), *first = unwrap(firstBlock),
             *exit = unwrap(exitBlock);
  auto *callee = unwrap<Function>(newVersion);
  auto *check = cast_or_null<Function>(unwrap(checkFunction));
  SmallVector<Value *, 16> arguments;
  for (size_t i = 0; i < count; ++i)
    arguments.push_back(unwrap(argumentList[i]));
  Blocks region = between(first, exit);
  BasicBlock *last = findLast(exit, region);
  const char *problem = examine(entry, first, exit, region, last);
  if (!problem && (!takes(*callee, arguments) ||
                   (check && !takes(*check, arguments))))
    problem = "the arguments do not fit the new function";
  if (problem) {
    error.write(error.context, polyrs::toText(problem));
    return false;
  }

  Function *function = entry->getParent();
  DebugLoc here;
  if (auto *found = dyn_cast_or_null<DILocation>(unwrap(location)))
    here = DebugLoc(found);
  else if (DISubprogram *subprogram = function->getSubprogram())
    here = DILocation::get(function->getContext(), 0, 0, subprogram);

  prolongLives(region, exit);
  // By itself it is optimized best: with its own attributes, and none of its caller's values around.
  callee->addFnAttr(Attribute::NoInline);
  LLVMContext &context = function->getContext();
  auto *call = BasicBlock::Create(context, "poly.new", function, first);
  IRBuilder<> builder(call);
  builder.SetCurrentDebugLocation(here);
  builder.CreateCall(callee, arguments);
  builder.CreateBr(exit);
  for (PHINode &phi : exit->phis())
    phi.addIncoming(phi.getIncomingValueForBlock(last), call);

  BasicBlock *into = call;
  if (check) {
    into = BasicBlock::Create(context, "poly.check", function, call);
    builder.SetInsertPoint(into);
    // What pointers are compared may be poison.
    Value *holds = builder.CreateFreeze(builder.CreateCall(check, arguments));
    builder.CreateCondBr(holds, call, first,
                         MDBuilder(context).createLikelyBranchWeights());
    first->replacePhiUsesWith(entry, into);
  } else {
    first->removePredecessor(entry, /*KeepOneInputPHIs=*/true);
  }
  entry->getTerminator()->replaceSuccessorWith(first, into);
  return true;
}

bool polyHostLlvmTidy(PolyLlvmAnalysis *analysis, PolySink error) {
  EliminateUnreachableBlocks(*analysis->clone);
  std::string text;
  raw_string_ostream stream(text);
  if (!verifyFunction(*analysis->clone, &stream))
    return true;
  error.write(error.context, polyrs::toText(text));
  return false;
}
