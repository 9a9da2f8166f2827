// Timers around regions.
//
// A region's time counts whoever it is that runs it: threads that run it at the same time add theirs, and that of a
// region in another one counts for both. What leaves a region without getting to its end is not counted. The C library
// is all that is called, which is linked anyway.

#include "llvm_timers.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace polyrs;

namespace {

// Behind the destructors of the program, which may run loops.
constexpr int LAST = 0;

// CLOCK_MONOTONIC, and O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC of Linux.
constexpr int CLOCK = 1;
constexpr int FLAGS = 01 | 0100 | 02000 | 02000000;

constexpr uint64_t NANOSECONDS = 1000000000;

// The functions of the C library that timers call.
struct Library {
  FunctionCallee clock, environment, open, print, close;

  // False if the module has something of its own by one of the names.
  bool find(Module &module) {
    LLVMContext &context = module.getContext();
    Type *number = Type::getInt32Ty(context);
    Type *pointer = PointerType::getUnqual(context);
    auto get = [&](FunctionCallee &callee, StringRef name, Type *result,
                   ArrayRef<Type *> arguments, bool isVariadic) {
      auto *type = FunctionType::get(result, arguments, isVariadic);
      if (GlobalValue *known = module.getNamedValue(name)) {
        auto *function = dyn_cast<Function>(known);
        if (!function || !function->isDeclaration() ||
            function->getFunctionType() != type)
          return false;
      }
      callee = module.getOrInsertFunction(name, type);
      return true;
    };
    return get(clock, "clock_gettime", number, {number, pointer}, false) &&
           get(environment, "getenv", pointer, {pointer}, false) &&
           get(open, "open", number, {pointer, number}, true) &&
           get(print, "dprintf", number, {number, pointer}, true) &&
           get(close, "close", number, {number}, false);
  }
};

Function *createFunction(Module &module, Type *result, StringRef name) {
  auto *type = FunctionType::get(result, false);
  auto *function =
      Function::Create(type, GlobalValue::PrivateLinkage, name, module);
  // Nothing of it is raised.
  function->addFnAttr("poly-schedule");
  function->addFnAttr(Attribute::NoUnwind);
  return function;
}

// The function that tells the time in nanoseconds.
Function *createClock(Module &module, const Library &library) {
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context);
  Function *clock = createFunction(module, word, "poly.clock");
  clock->addFnAttr(Attribute::NoInline);
  IRBuilder<> builder(BasicBlock::Create(context, "", clock));
  auto *parts = ArrayType::get(word, 2);
  Value *time = builder.CreateAlloca(parts);
  builder.CreateCall(library.clock, {builder.getInt32(CLOCK), time});
  Value *seconds = builder.CreateLoad(word, time);
  Value *rest = builder.CreateLoad(
      word, builder.CreateConstInBoundsGEP2_64(parts, time, 0, 1));
  builder.CreateRet(builder.CreateAdd(
      builder.CreateMul(seconds, builder.getInt64(NANOSECONDS)), rest));
  return clock;
}

// The function that writes what was measured.
void createReport(Module &module, const Library &library, GlobalVariable *sums,
                  StringRef label) {
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context);
  Function *report =
      createFunction(module, Type::getVoidTy(context), "poly.times");
  auto block = [&] { return BasicBlock::Create(context, "", report); };
  BasicBlock *start = block(), *open = block(), *write = block(), *end = block();
  IRBuilder<> builder(start);
  Value *file = builder.CreateCall(
      library.environment, {builder.CreateGlobalString("POLYRS_TUNE_TIMES")});
  builder.CreateCondBr(builder.CreateIsNull(file), end, open);
  builder.SetInsertPoint(open);
  Value *opened = builder.CreateCall(
      library.open, {file, builder.getInt32(FLAGS), builder.getInt32(0644)});
  builder.CreateCondBr(builder.CreateICmpSLT(opened, builder.getInt32(0)), end,
                       write);
  builder.SetInsertPoint(write);
  Value *count = builder.CreateLoad(
      word, builder.CreateConstInBoundsGEP2_64(sums->getValueType(), sums, 0, 1));
  builder.CreateCall(library.print,
                     {opened, builder.CreateGlobalString("%llu %llu %s\n"),
                      builder.CreateLoad(word, sums), count,
                      builder.CreateGlobalString(label)});
  builder.CreateCall(library.close, {opened});
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  appendToGlobalDtors(module, report, LAST);
}

} // namespace

bool polyrs::hasTimerPlaces(const SplicedRegion &region) {
  if (!region.first || !region.exit || region.blocks.empty() ||
      region.exit->getSinglePredecessor() != region.last ||
      region.blocks.count(region.entry) || !region.blocks.count(region.first))
    return false;
  for (const BasicBlock *block : region.blocks)
    for (const BasicBlock *from : predecessors(block))
      if (!region.blocks.count(from) &&
          !(block == region.first && from == region.entry))
        return false;
  return true;
}

void polyrs::addTimer(const SplicedRegion &region) {
  Module &module = *region.entry->getModule();
  Library library;
  if (!library.find(module))
    return;
  Function *clock = nullptr;
  for (Function &function : module)
    if (function.hasPrivateLinkage() && function.getName() == "poly.clock")
      clock = &function;
  if (!clock)
    clock = createClock(module, library);
  Type *word = Type::getInt64Ty(module.getContext());
  auto *type = ArrayType::get(word, 2);
  auto *sums = new GlobalVariable(module, type, /*isConstant=*/false,
                                  GlobalValue::PrivateLinkage,
                                  Constant::getNullValue(type), "poly.sums");
  // What finds rows for new code is a part of it.
  Instruction *start = region.entry->getTerminator();
  if (region.callee && !region.rows.empty())
    start = region.rows.front();
  IRBuilder<> builder(start);
  builder.SetCurrentDebugLocation(region.location);
  Value *before = builder.CreateCall(clock);
  builder.SetInsertPoint(region.exit, region.exit->getFirstInsertionPt());
  builder.SetCurrentDebugLocation(region.location);
  Value *took = builder.CreateSub(builder.CreateCall(clock), before);
  auto add = [&](Value *place, Value *value) {
    builder.CreateAtomicRMW(AtomicRMWInst::Add, place, value, MaybeAlign(),
                            AtomicOrdering::Monotonic);
  };
  add(sums, took);
  add(builder.CreateConstInBoundsGEP2_64(type, sums, 0, 1), builder.getInt64(1));
  createReport(module, library, sums, region.timer);
}
