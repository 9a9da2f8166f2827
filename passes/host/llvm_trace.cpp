// A count of how often a check at run time held, for developers.

#include "llvm.h"

#include "convert.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

// Behind the destructors of the program, which may run loops.
static constexpr int LAST = 0;

void polyHostLlvmTraceCheck(LLVMValueRef checkFunction, PolyText name) {
  auto *check = unwrap<Function>(checkFunction);
  Module &module = *check->getParent();
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context);
  auto *type = ArrayType::get(word, 2);
  auto *counts =
      new GlobalVariable(module, type, /*isConstant=*/false,
                         GlobalValue::PrivateLinkage,
                         Constant::getNullValue(type), "poly.counts");
  for (BasicBlock &block : *check)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      IRBuilder<> builder(end);
      Value *which = builder.CreateZExt(
          builder.CreateFreeze(end->getReturnValue()), word);
      Value *count = builder.CreateInBoundsGEP(word, counts, which);
      builder.CreateAtomicRMW(AtomicRMWInst::Add, count, builder.getInt64(1),
                              MaybeAlign(), AtomicOrdering::Monotonic);
    }
  check->setMemoryEffects(MemoryEffects::unknown());

  auto *nothing = FunctionType::get(Type::getVoidTy(context), false);
  auto *report = Function::Create(nothing, GlobalValue::PrivateLinkage,
                                  "poly.report", module);
  report->addFnAttr("poly-schedule");
  IRBuilder<> builder(BasicBlock::Create(context, "", report));
  auto *print = FunctionType::get(
      builder.getInt32Ty(), {builder.getInt32Ty(), builder.getPtrTy()}, true);
  Value *text = builder.CreateGlobalString(
      "poly-schedule: check of %s: held %llu times, failed %llu times\n");
  Value *names = builder.CreateGlobalString(polyrs::toRef(name));
  Value *held = builder.CreateLoad(
      word, builder.CreateConstInBoundsGEP2_64(type, counts, 0, 1));
  Value *failed = builder.CreateLoad(word, counts);
  builder.CreateCall(module.getOrInsertFunction("dprintf", print),
                     {builder.getInt32(2), text, names, held, failed});
  builder.CreateRetVoid();
  appendToGlobalDtors(module, report, LAST);
}
