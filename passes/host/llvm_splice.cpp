// Calls of new code in the place of regions of blocks, or beside them under a check.
//
// All regions of a function are marked before anything else changes, so that no order of them counts: a mark that holds
// the arguments as operands stands where a region starts, and values of one region that another takes are rewritten
// there as everywhere else.

#include "llvm_splice.h"
#include "llvm_splice_checker.h"
#include "llvm_lives.h"
#include "llvm_timers.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace polyrs;

namespace {

// A call that calls nothing: a place, values that are used there, and what is to be found there.
CallInst *createMark(ArrayRef<Value *> operands, Type *result,
                     InsertPosition where) {
  SmallVector<Type *, 16> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = FunctionType::get(result, types, false);
  auto *nothing = ConstantPointerNull::get(
      PointerType::getUnqual(result->getContext()));
  return CallInst::Create(type, nothing, operands, "", where);
}

// The blocks from which control gets from `first` to `last`, these included.
void findBlocks(SplicedRegion &region) {
  df_iterator_default_set<BasicBlock *, 16> reached;
  reached.insert(region.exit);
  for (BasicBlock *block : depth_first_ext(region.first, reached))
    (void)block;
  SmallVector<BasicBlock *, 16> work;
  auto add = [&](BasicBlock *block) {
    if (block != region.exit && reached.count(block) &&
        region.blocks.insert(block).second)
      work.push_back(block);
  };
  add(region.last);
  while (!work.empty())
    for (BasicBlock *block : predecessors(work.pop_back_val()))
      add(block);
}

bool takes(const Function &callee, const CallInst &holder) {
  return callee.getFunctionType() == holder.getFunctionType();
}

// What is wrong with a region; null if nothing is.
const char *examine(const SplicedRegion &region) {
  if (!region.first || !region.exit ||
      region.exit->getSinglePredecessor() != region.last)
    return "the region has no edge to start or to end with";
  if (region.blocks.count(region.entry) || !region.blocks.count(region.first))
    return "the region is entered from within";
  for (const BasicBlock *block : region.blocks)
    for (const BasicBlock *from : predecessors(block))
      if (!region.blocks.count(from) &&
          !(block == region.first && from == region.entry))
        return "the region is entered by another edge";
  if (region.otherwise && (!region.check || isa<PHINode>(region.otherwise->front())))
    return "the region has no other version";
  if (!takes(*region.callee, *region.holder) ||
      (region.check && region.check->arg_size() != region.holder->arg_size()))
    return "the arguments do not fit the new function";
  for (auto [parameter, argument] :
       zip(region.callee->args(), region.holder->args()))
    if (region.check &&
        region.check->getArg(parameter.getArgNo())->getType() !=
            argument->getType())
      return "the arguments do not fit the check";
  return nullptr;
}

// A variable may not live on both sides of a call in the same way; what is to be marked around it.
struct Marks {
  SmallVector<AllocaInst *, 4> starts;
  SmallVector<AllocaInst *, 4> ends;
};

class Rewriter {
public:
  explicit Rewriter(PolyLlvmSplice &splice)
      : function(*splice.analysis->clone), regions(splice.regions) {}

  void run() {
    planMarks();
    for (SplicedRegion &region : regions)
      if (region.callee)
        for (Result &result : region.results)
          hand(region, result);
    for (auto [region, around] : zip(regions, marks))
      if (region.callee)
        call(region, around);
    eraseMarks();
  }

private:
  // Which variables start and end to live in regions. What is dead before starts before the call; what is dead behind
  // the region ends behind it. Where neither is known, the variable lives as long as the function.
  void planMarks() {
    Lives lives(function);
    for (SplicedRegion &region : regions) {
      Marks &around = marks.emplace_back();
      if (!region.callee)
        continue;
      SmallSetVector<AllocaInst *, 4> variables;
      for (BasicBlock &block : function)
        if (region.blocks.count(&block))
          for (Instruction &instruction : block)
            if (AllocaInst *variable = variableOfMark(instruction))
              variables.insert(variable);
      // What the new code gets must be alive there, whatever the original does before it gets there.
      for (const Use &argument : region.holder->args())
        if (argument->getType()->isPointerTy())
          if (auto *variable =
                  dyn_cast<AllocaInst>(getUnderlyingObject(argument));
              variable && lives.hasMarks(variable) &&
              !variables.contains(variable) &&
              lives.after(variable, region.entry) != Lives::Alive)
            prolonged.insert(variable);
      for (AllocaInst *variable : variables) {
        Lives::State before = lives.after(variable, region.entry);
        if (before == Lives::Dead)
          around.starts.push_back(variable);
        else if (before != Lives::Alive)
          prolonged.insert(variable);
        if (lives.after(variable, region.last) == Lives::Dead)
          around.ends.push_back(variable);
      }
    }
  }

  // A value that is used behind a region is, there, what came over the edge from the region, or from the call.
  void hand(const SplicedRegion &region, Result &result) {
    Instruction *value = result.value;
    PHINode *merged =
        PHINode::Create(value->getType(), 2, value->getName() + ".out",
                        region.exit->begin());
    result.merged = merged;
    merged->addIncoming(value, region.last);
    if (const DebugLoc &location = value->getDebugLoc())
      merged->setDebugLoc(location);
    SSAUpdater updater;
    updater.Initialize(value->getType(), value->getName());
    updater.AddAvailableValue(value->getParent(), value);
    updater.AddAvailableValue(region.exit, merged);
    for (Use &use : make_early_inc_range(value->uses())) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      BasicBlock *place = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (user == merged || region.blocks.count(place))
        continue;
      if (place == region.exit)
        use.set(merged);
      else
        updater.RewriteUse(use);
    }
  }

  void call(SplicedRegion &region, const Marks &around) {
    // By itself it is optimized best: with its own attributes, and none of its caller's values around.
    region.callee->addFnAttr(Attribute::NoInline);
    LLVMContext &context = function.getContext();
    auto *block =
        BasicBlock::Create(context, "poly.new", &function, region.first);
    IRBuilder<> builder(block);
    builder.SetCurrentDebugLocation(region.location);
    auto isMarked = [&](AllocaInst *it) { return !prolonged.contains(it); };
    for (AllocaInst *variable : make_filter_range(around.starts, isMarked))
      builder.CreateLifetimeStart(variable);
    for (const Result &result : region.results)
      builder.CreateLifetimeStart(result.slot);
    SmallVector<Value *, 16> arguments(region.holder->args());
    region.call = builder.CreateCall(region.callee, arguments);
    for (const Result &result : region.results)
      result.merged->addIncoming(
          builder.CreateLoad(result.value->getType(), result.slot), block);
    for (const Result &result : region.results)
      builder.CreateLifetimeEnd(result.slot);
    for (AllocaInst *variable : make_filter_range(around.ends, isMarked))
      builder.CreateLifetimeEnd(variable);
    builder.CreateBr(region.exit);
    enter(region, block, arguments);
  }

  // Leads control from the block before a region to the call.
  void enter(SplicedRegion &region, BasicBlock *call,
             ArrayRef<Value *> arguments) {
    BasicBlock *into = call;
    if (region.check) {
      LLVMContext &context = function.getContext();
      into = BasicBlock::Create(context, "poly.check", &function, call);
      IRBuilder<> builder(into);
      builder.SetCurrentDebugLocation(region.location);
      region.checkCall = builder.CreateCall(region.check, arguments);
      // What pointers are compared may be poison.
      builder.CreateCondBr(builder.CreateFreeze(region.checkCall), call,
                           region.otherwise ? region.otherwise : region.first,
                           MDBuilder(context).createLikelyBranchWeights());
      if (region.otherwise)
        region.first->removePredecessor(region.entry, /*KeepOneInputPHIs=*/true);
      else
        region.first->replacePhiUsesWith(region.entry, into);
    } else {
      region.first->removePredecessor(region.entry, /*KeepOneInputPHIs=*/true);
    }
    region.entry->getTerminator()->replaceSuccessorWith(region.first, into);
  }

  void eraseMarks() {
    for (AllocaInst *variable : prolonged)
      for (User *user : make_early_inc_range(variable->users()))
        if (auto *mark = dyn_cast<LifetimeIntrinsic>(user))
          mark->eraseFromParent();
  }

  Function &function;
  MutableArrayRef<SplicedRegion> regions;
  SmallVector<Marks, 4> marks;
  SmallSetVector<AllocaInst *, 4> prolonged;
};

// The steps that splicing and checking may take: for each edge and variable with marks a few bits (16 bytes where a
// region has such a mark), for each edge and region or value that is used behind one a look at the edge.
constexpr uint64_t MOST_BITS = uint64_t(1) << 25;
constexpr uint64_t MOST_LOOKS = uint64_t(1) << 23;

// Nothing finds rows of a region that stays as it is, and nobody asks.
void dropRows(const SplicedRegion &region) {
  for (CallInst *rows : region.rows) {
    rows->replaceAllUsesWith(PoisonValue::get(rows->getType()));
    rows->eraseFromParent();
  }
}

// Decides between the versions of loops: the first one is the way to new code, or none.
void chooseVersions(Function &function, ArrayRef<SplicedRegion> regions) {
  for (BasicBlock &block : function) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    AllocaInst *version = branch ? versionOf(*branch) : nullptr;
    if (!version)
      continue;
    bool isUsed = any_of(regions, [&](const SplicedRegion &region) {
      return region.call && region.otherwise == branch->getSuccessor(1);
    });
    auto *assumed = cast<LoadInst>(branch->getCondition());
    branch->getSuccessor(isUsed ? 1 : 0)->removePredecessor(&block);
    BranchInst::Create(branch->getSuccessor(isUsed ? 0 : 1), branch->getIterator())
        ->setDebugLoc(branch->getDebugLoc());
    branch->eraseFromParent();
    assumed->eraseFromParent();
    version->eraseFromParent();
  }
}

// Nothing of the marks stays.
void removeMarks(PolyLlvmSplice &splice) {
  for (SplicedRegion &region : splice.regions) {
    region.holder->eraseFromParent();
    region.end->eraseFromParent();
    for (const Result &result : region.results)
      if (result.slot->use_empty())
        result.slot->eraseFromParent();
  }
}

bool fail(PolySink error, StringRef text) {
  error.write(error.context, polyrs::toText(text));
  return false;
}

} // namespace

PolyLlvmSplice *polyHostLlvmNewSplice(PolyLlvmAnalysis *analysis) {
  return new PolyLlvmSplice{analysis, {}, {}};
}

LLVMValueRef polyHostLlvmSlot(PolyLlvmSplice *splice,
                              LLVMValueRef value) {
  auto *defined = unwrap<Instruction>(value);
  BasicBlock &entry = splice->analysis->clone->getEntryBlock();
  IRBuilder<> atStart(&*entry.getFirstInsertionPt());
  return wrap(atStart.CreateAlloca(defined->getType(), nullptr,
                                   defined->getName() + ".slot"));
}

LLVMValueRef polyHostLlvmMarkRows(PolyLlvmSplice *splice, LLVMValueRef start,
                                  const LLVMValueRef *arguments, size_t count) {
  auto *before = unwrap<Instruction>(start);
  SmallVector<Value *, 16> operands;
  for (size_t i = 0; i < count; ++i)
    operands.push_back(unwrap(arguments[i]));
  Type *number = Type::getInt64Ty(before->getContext());
  Type *both = StructType::get(number, number);
  splice->rows.push_back(createMark(operands, both, before->getIterator()));
  return wrap(splice->rows.back());
}

size_t polyHostLlvmMarkRegion(PolyLlvmSplice *splice, LLVMValueRef start,
                              LLVMValueRef last, LLVMBasicBlockRef end,
                              const LLVMValueRef *arguments, size_t count,
                              const LLVMValueRef *values,
                              const LLVMValueRef *slots, size_t results,
                              LLVMMetadataRef location) {
  auto *before = unwrap<Instruction>(start);
  LLVMContext &context = before->getContext();
  SplicedRegion &region = splice->regions.emplace_back();
  SmallVector<Value *, 16> operands;
  for (size_t i = 0; i < count; ++i)
    operands.push_back(unwrap(arguments[i]));
  Type *nothing = Type::getVoidTy(context);
  region.holder = createMark(operands, nothing, before->getIterator());
  auto behind = last ? std::next(unwrap<Instruction>(last)->getIterator())
                     : unwrap(end)->getFirstInsertionPt();
  region.end = createMark({}, nothing, behind);
  region.rows = std::exchange(splice->rows, {});
  for (size_t i = 0; i < results; ++i)
    region.results.push_back(
        {unwrap<Instruction>(values[i]), unwrap<AllocaInst>(slots[i])});
  if (auto *found = dyn_cast_or_null<DILocation>(unwrap(location)))
    region.location = DebugLoc(found);
  else if (DISubprogram *subprogram = before->getFunction()->getSubprogram())
    region.location = DILocation::get(context, 0, 0, subprogram);
  return splice->regions.size() - 1;
}

void polyHostLlvmSplitRegions(PolyLlvmSplice *splice) {
  for (SplicedRegion &region : splice->regions) {
    Instruction *start = region.holder->getNextNode();
    auto *jump = dyn_cast<BranchInst>(start);
    if (!jump || jump->isConditional())
      SplitBlock(start->getParent(), start->getIterator(),
                 static_cast<DominatorTree *>(nullptr));
    Instruction *behind = region.end->getNextNode();
    SplitBlock(behind->getParent(), behind->getIterator(),
               static_cast<DominatorTree *>(nullptr));
  }
  for (SplicedRegion &region : splice->regions) {
    region.entry = region.holder->getParent();
    region.first = region.entry->getSingleSuccessor();
    region.last = region.end->getParent();
    region.exit = region.last->getSingleSuccessor();
    if (region.first && region.exit)
      findBlocks(region);
  }
}

bool polyHostLlvmIsSmall(PolyLlvmSplice *splice) {
  const Function &function = *splice->analysis->clone;
  SmallPtrSet<const AllocaInst *, 16> variables;
  uint64_t edges = 0;
  for (const BasicBlock &block : function) {
    edges += 1 + pred_size(&block);
    for (const Instruction &instruction : block)
      if (const AllocaInst *variable = variableOfMark(instruction))
        variables.insert(variable);
  }
  uint64_t looks = 0;
  for (const SplicedRegion &region : splice->regions)
    looks += 1 + region.results.size();
  return variables.size() * edges <= MOST_BITS && looks * edges <= MOST_LOOKS;
}

bool polyHostLlvmCallRegion(PolyLlvmSplice *splice, size_t number,
                            LLVMValueRef newVersion, LLVMValueRef check,
                            LLVMBasicBlockRef otherwise,
                            const LLVMValueRef *rows, size_t count,
                            PolySink error) {
  SplicedRegion &region = splice->regions[number];
  region.callee = unwrap<Function>(newVersion);
  region.check = cast_or_null<Function>(unwrap(check));
  region.otherwise = unwrap(otherwise);
  const char *problem = examine(region);
  for (const SplicedRegion &other : splice->regions)
    if (&other != &region && other.callee)
      for (const BasicBlock *block : region.blocks)
        if (other.blocks.count(block))
          problem = "the region is a part of another one";
  if (count != region.rows.size())
    problem = "the rows are not all found";
  for (size_t i = 0; !problem && i < count; ++i)
    if (!takes(*unwrap<Function>(rows[i]), *region.rows[i]))
      problem = "the arguments do not fit what finds rows";
  if (!problem) {
    for (size_t i = 0; i < count; ++i) {
      auto *finder = unwrap<Function>(rows[i]);
      // Rows may be objects of their own; the start is a pointer to all of them.
      finder->addFnAttr(Attribute::NoInline);
      region.rows[i]->setCalledFunction(finder);
      region.rows[i]->setDebugLoc(region.location);
    }
    return true;
  }
  region.callee = region.check = nullptr;
  return fail(error, problem);
}

void polyHostLlvmTimeRegion(PolyLlvmSplice *splice, size_t number,
                            PolyText label) {
  SplicedRegion &region = splice->regions[number];
  if (hasTimerPlaces(region))
    region.timer = polyrs::toRef(label);
}

thread_local Tamper polyrs::tamper = nullptr;

bool polyHostLlvmCommitSplice(PolyLlvmSplice *splice, PolySink error) {
  Function &clone = *splice->analysis->clone;
  for (const SplicedRegion &region : splice->regions)
    if (!region.callee)
      dropRows(region);
  SpliceChecker checker(clone, splice->regions);
  Rewriter(*splice).run();
  if (tamper)
    tamper(clone, splice->regions);
  std::string text = checker.examine();
  if (!text.empty())
    return fail(error, text);
  for (const SplicedRegion &region : splice->regions)
    if (!region.timer.empty())
      addTimer(region);
  removeMarks(*splice);
  chooseVersions(clone, splice->regions);
  EliminateUnreachableBlocks(clone);
  raw_string_ostream stream(text);
  verifyFunction(clone, &stream);
  return text.empty() || fail(error, text);
}

void polyHostLlvmFreeSplice(PolyLlvmSplice *splice) {
  delete splice;
}
