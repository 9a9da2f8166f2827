// What new code on several threads leaves in `errno`, which each thread has of its own. OpenMP's library sets it when it
// starts: the thread that runs a region keeps what was there. What calls say in it: a flag on the stack of that thread
// notes for all of them whether there was an error, and that thread says so in the end.

#include "llvm_link.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

// The calls of a declaration; nothing if it is used in other ways.
std::optional<SmallVector<CallInst *>> callsOf(const Function &callee) {
  SmallVector<CallInst *> calls;
  for (const Use &use : callee.uses()) {
    auto *call = dyn_cast<CallInst>(use.getUser());
    if (!call || !call->isCallee(&use))
      return std::nullopt;
    calls.push_back(call);
  }
  return calls;
}

// A branch that is hardly ever taken, before an instruction; the end of its block.
Instruction *unlikely(Value *condition, Instruction *before) {
  MDNode *weights = MDBuilder(before->getContext()).createUnlikelyBranchWeights();
  return SplitBlockAndInsertIfThen(condition, before->getIterator(), false, weights);
}

// Where glibc and musl have `errno`: the name of a function without parameters.
constexpr StringRef LOCATION = "__errno_location";

// The address of `errno` of the thread that is there.
Value *addressOf(PolyLlvmLinkedModule &linked, IRBuilder<> &builder) {
  auto *type = FunctionType::get(builder.getPtrTy(), {}, false);
  Function *function = linked.findDeclaration(LOCATION);
  if (!function) {
    function = Function::Create(type, GlobalValue::ExternalLinkage, LOCATION);
    function->setDoesNotThrow();
    // The module may have one, which this becomes; until then it gets another name.
    linked.module.getFunctionList().push_back(function);
    linked.added.insert({function, LOCATION.str()});
  }
  return builder.CreateCall(function, {});
}

bool startsThreads(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName().starts_with("__kmpc_fork_call");
  });
}

// The square root without `errno`.
CallInst *rootOf(PolyLlvmLinkedModule &linked, const CallInst &like,
                 IRBuilder<> &builder, Value *number) {
  Type *type = number->getType();
  bool isKnown = Intrinsic::getDeclarationIfExists(&linked.module, Intrinsic::sqrt, {type});
  Function *function = Intrinsic::getOrInsertDeclaration(&linked.module, Intrinsic::sqrt, {type});
  if (!isKnown)
    linked.added.insert({function, function->getName().str()});
  CallInst *root = builder.CreateCall(function, {number});
  root->copyFastMathFlags(&like);
  root->setMetadata(LLVMContext::MD_fpmath, like.getMetadata(LLVMContext::MD_fpmath));
  return root;
}

} // namespace

bool polyHostLlvmNoteErrno(PolyLlvmLinkedModule *linked, PolyText name,
                           LLVMValueRef value) {
  const auto &like = *cast<CallInst>(unwrap(value));
  Function *placeholder = linked->findDeclaration(polyrs::toRef(name));
  Type *type = like.getType();
  if (!placeholder || !type->isFloatingPointTy() || like.arg_size() != 1 ||
      like.getArgOperand(0)->getType() != type)
    return false;
  Type *word = Type::getInt64Ty(linked->module.getContext());
  if (placeholder->getFunctionType() != FunctionType::get(type, {type, word}, false))
    return false;
  auto calls = callsOf(*placeholder);
  if (!calls)
    return false;
  for (CallInst *call : *calls) {
    IRBuilder<> builder(call);
    Value *number = call->getArgOperand(0), *flag = call->getArgOperand(1);
    call->replaceAllUsesWith(rootOf(*linked, like, builder, number));
    // Of zeros, NaNs and what is poison no error is noted.
    Value *isBad = builder.CreateFCmpOLT(builder.CreateFreeze(number),
                                         ConstantFP::getZero(type));
    IRBuilder<> noting(unlikely(isBad, call));
    StoreInst *store = noting.CreateAlignedStore(
        noting.getInt8(1), noting.CreateIntToPtr(flag, noting.getPtrTy()), Align(1));
    store->setOrdering(AtomicOrdering::Monotonic);
    call->eraseFromParent();
  }
  linked->erase(*placeholder);
  return true;
}

void polyHostLlvmKeepErrno(PolyLlvmLinkedModule *linked, PolyText end) {
  const Triple &target = linked->module.getTargetTriple();
  if (!target.isOSLinux() || target.isAndroid())
    return;
  SmallVector<Function *> functions;
  for (const auto &[value, _] : linked->added)
    if (auto *function = dyn_cast<Function>(value);
        function && !function->isDeclaration() && startsThreads(*function))
      functions.push_back(function);
  for (Function *function : functions) {
    IRBuilder<> entry(&*function->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Type *word = entry.getInt32Ty();
    Value *before = entry.CreateLoad(word, addressOf(*linked, entry));
    SmallVector<Instruction *> ends;
    for (Instruction &instruction : instructions(*function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (isa<ReturnInst>(instruction) ||
          (callee && callee == linked->findDeclaration(polyrs::toRef(end))))
        ends.push_back(&instruction);
    }
    // What is said of errors comes behind, and there is nothing to restore any more.
    bool says = any_of(ends, [](Instruction *one) { return isa<CallInst>(one); });
    for (Instruction *one : ends) {
      if (says && isa<ReturnInst>(one))
        continue;
      IRBuilder<> builder(one);
      builder.CreateStore(before, addressOf(*linked, builder));
    }
  }
}

bool polyHostLlvmSayErrno(PolyLlvmLinkedModule *linked, PolyText begin,
                          PolyText end, LLVMValueRef value) {
  const auto &like = *cast<CallInst>(unwrap(value));
  Function *opens = linked->findDeclaration(polyrs::toRef(begin));
  Function *closes = linked->findDeclaration(polyrs::toRef(end));
  LLVMContext &context = linked->module.getContext();
  Type *word = Type::getInt64Ty(context);
  if (!opens || !closes ||
      opens->getFunctionType() != FunctionType::get(word, {}, false) ||
      closes->getFunctionType() != FunctionType::get(Type::getVoidTy(context), {word}, false))
    return false;
  auto opening = callsOf(*opens), closing = callsOf(*closes);
  if (!opening || !closing)
    return false;
  for (CallInst *call : *opening) {
    IRBuilder<> entry(&*call->getFunction()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    AllocaInst *flag = entry.CreateAlloca(entry.getInt8Ty(), nullptr, "errno");
    IRBuilder<> builder(call);
    builder.CreateStore(builder.getInt8(0), flag);
    call->replaceAllUsesWith(builder.CreatePtrToInt(flag, word));
    call->eraseFromParent();
  }
  for (CallInst *call : *closing) {
    IRBuilder<> builder(call);
    Value *flag = builder.CreateIntToPtr(call->getArgOperand(0), builder.getPtrTy());
    Value *isSet = builder.CreateIsNotNull(builder.CreateLoad(builder.getInt8Ty(), flag));
    IRBuilder<> saying(unlikely(isSet, call));
    // There is no root of it, whatever else is known of what the original's call is given.
    CallInst *error = saying.CreateCall(like.getFunctionType(), like.getCalledOperand(),
                                        {ConstantFP::get(like.getType(), -1.0)});
    error->setCallingConv(like.getCallingConv());
    error->setAttributes(like.getAttributes());
    call->eraseFromParent();
  }
  linked->erase(*opens);
  linked->erase(*closes);
  return true;
}
