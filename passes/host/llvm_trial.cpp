// A module in which a function and its rewritten clone can be run alone, on memory of somebody's choice.
//
// Both are called through functions that load their arguments. Global variables are symbols that can be found and
// filled. Functions of other modules are replaced by ones that note how they were called (`poly.trial.note`) and make
// up a result (`poly.trial.value`); where they do not return, the run is over (`poly.trial.stop`). That holds for
// exceptions as well: none is ever caught, since those that throw are functions of other modules, and what they throw
// ends the run. Mathematics, memory functions and OpenMP's library are called as they are.
//
// There is room around all variables. A third function is the original with more of it, and its variables full of
// something else at first, and is not optimized: where that makes a difference, the original leaves its variables,
// reads what it never wrote, or does something else that is undefined.

#include "llvm_analysis.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

// Bytes between two arguments.
constexpr unsigned slotBytes = 64;
// Elements of an array of variable length, at most.
constexpr uint64_t mostElements = 1 << 16;
// Bytes before and behind a variable, so that what leaves it finds neither another one nor the program that runs it.
constexpr uint64_t moat = 1 << 16;
// The same on the stack: around one variable, and around all of a function together.
constexpr uint64_t mostGap = 1 << 13, mostGaps = 1 << 20;
// What is in the variables of the original that has them elsewhere, before anything is stored.
constexpr uint8_t filling = 0x5a;
// Bytes of a variable that another module defines, at least.
constexpr uint64_t leastVariable = 1 << 16;

// What fills memory of a type: the one scalar that it is made of, `keep` where pointers are in it, else `bytes`.
std::string patternOf(const Type *type) {
  if (type->isPointerTy())
    return "keep";
  if (type->isDoubleTy())
    return "f64";
  if (type->isFloatTy())
    return "f32";
  if (type->isIntegerTy())
    return ("i" + Twine(divideCeil(type->getIntegerBitWidth(), 8) * 8)).str();
  if (const auto *array = dyn_cast<ArrayType>(type))
    return patternOf(array->getElementType());
  if (const auto *vector = dyn_cast<VectorType>(type))
    return patternOf(vector->getElementType());
  std::string common;
  if (const auto *structure = dyn_cast<StructType>(type))
    for (const Type *element : structure->elements()) {
      std::string pattern = patternOf(element);
      if (pattern == "keep")
        return pattern;
      common = common.empty() || common == pattern ? pattern : "bytes";
    }
  return common.empty() ? "bytes" : common;
}

// The same for what a pointer points to, as far as it is loaded or stored.
std::string patternBehind(const Value &pointer, unsigned depth = 0) {
  for (const User *user : pointer.users()) {
    if (const auto *load = dyn_cast<LoadInst>(user))
      return patternOf(load->getType());
    if (const auto *store = dyn_cast<StoreInst>(user);
        store && store->getPointerOperand() == &pointer)
      return patternOf(store->getValueOperand()->getType());
    if (isa<GetElementPtrInst, PHINode>(user) && depth < 4)
      if (std::string found = patternBehind(*user, depth + 1); !found.empty())
        return found;
  }
  return "";
}

class Trial {
public:
  Trial(PolyLlvmAnalysis &analysis, StringRef mark, raw_ostream &table)
      : library(*analysis.library), mark(mark), table(table) {
    ValueToValueMapTy values;
    module = CloneModule(*analysis.original->getParent(), values);
    original = cast<Function>(values[analysis.original]);
    rewritten = cast<Function>(values[analysis.clone]);
  }

  // Why the functions can't be run alone; null if they can. Then `module` is ready, and the table has a line for each
  // argument and variable.
  const char *prepare() {
    StripDebugInfo(*module);
    if (const char *reason = obstacle())
      return reason;
    for (Function &function : *module)
      if (!function.isDeclaration())
        catchNothing(function);
    for (Function &function : *module)
      if (&function != rewritten)
        boundArrays(function);
    declareHost();
    countCalls();
    for (StringRef name : {"llvm.global_ctors", "llvm.global_dtors"})
      if (GlobalVariable *variable = module->getNamedGlobal(name))
        variable->eraseFromParent();
    for (Function &function : make_early_inc_range(*module))
      if (function.isDeclaration())
        replace(function);
    for (Function &function : *module)
      if (!function.isDeclaration()) {
        function.setComdat(nullptr);
        function.setLinkage(GlobalValue::InternalLinkage);
        function.setVisibility(GlobalValue::DefaultVisibility);
      }
    SmallVector<GlobalVariable *, 16> given;
    for (GlobalVariable &variable : module->globals())
      given.push_back(&variable);
    for (GlobalVariable *variable : given)
      expose(*variable);
    wrap(*withRoom(*original, 1, 0).front(), "poly.trial.original");
    SmallVector<Function *, 8> moved = withRoom(*original, 2, filling);
    if (none_of(moved, mayRound))
      for_each(moved, takeLiterally);
    wrap(*moved.front(), "poly.trial.moved");
    wrap(*withRoom(*rewritten, 1, 0).front(), "poly.trial.rewritten");
    describe(*original);
    return nullptr;
  }

  std::unique_ptr<Module> module;

private:
  const char *obstacle() const {
    if (original->isVarArg())
      return "it takes any number of arguments";
    for (const Argument &argument : original->args())
      if (argument.getType()->isScalableTy() ||
          argument.hasSwiftErrorAttr() || argument.hasInAllocaAttr() ||
          argument.hasPreallocatedAttr() || argument.hasNestAttr() ||
          module->getDataLayout().getTypeAllocSize(argument.getType()) >
              slotBytes)
        return "it has an argument of an unusual kind";
    for (const GlobalVariable &variable : module->globals())
      if (variable.isThreadLocal())
        return "the module has thread-local variables";
      else if (variable.getAddressSpace() != 0)
        return "the module has variables in another address space";
      else if (variable.getAlign().valueOrOne() > moat)
        return "the module has a variable of an unusual alignment";
    for (const Function &function : *module)
      for (const Instruction &instruction : instructions(function))
        if (const auto *variable = dyn_cast<AllocaInst>(&instruction);
            variable && (variable->getAllocatedType()->isScalableTy() ||
                         variable->getAddressSpace() != 0 ||
                         variable->isUsedWithInAlloca()))
          return "it has a variable of an unusual kind";
    for (const Function *function : {original, rewritten})
      for (const Instruction &instruction : instructions(*function))
        if (const auto *call = dyn_cast<CallBase>(&instruction);
            call && call->isInlineAsm())
          return "it has inline assembly";
    return nullptr;
  }

  // Nothing comes back from a call but by its return.
  static void catchNothing(Function &function) {
    for (BasicBlock &block : function)
      if (auto *invoke = dyn_cast<InvokeInst>(block.getTerminator()))
        changeToCall(invoke);
    EliminateUnreachableBlocks(function);
    function.setPersonalityFn(nullptr);
  }

  // Where an array of variable length would be too large, as with a size below 0, the run does not count.
  static void boundArrays(Function &function) {
    SmallVector<AllocaInst *, 4> arrays;
    for (Instruction &instruction : instructions(function))
      if (auto *array = dyn_cast<AllocaInst>(&instruction))
        if (!isa<Constant>(array->getArraySize()))
          arrays.push_back(array);
    for (AllocaInst *array : arrays) {
      IRBuilder<> builder(array);
      Value *size = array->getArraySize();
      Value *isLarge = builder.CreateICmpUGT(
          size, ConstantInt::get(size->getType(), mostElements));
      Instruction *end =
          SplitBlockAndInsertIfThen(isLarge, array, /*Unreachable=*/true);
      IRBuilder<>(end).CreateIntrinsic(Intrinsic::trap, {});
    }
  }

  // Results may have other bits when it is compiled in another way.
  static bool mayRound(Function *function) {
    return any_of(instructions(*function), [](const Instruction &instruction) {
      return isa<FPMathOperator>(instruction) &&
             (instruction.hasAllowReassoc() || instruction.hasAllowContract() ||
              instruction.hasAllowReciprocal() || instruction.hasApproxFunc());
    });
  }

  // No pass makes anything of what is undefined in it.
  static void takeLiterally(Function *function) {
    for (Attribute::AttrKind kind :
         {Attribute::AlwaysInline, Attribute::OptimizeForSize,
          Attribute::MinSize})
      function->removeFnAttr(kind);
    function->addFnAttr(Attribute::NoInline);
    function->addFnAttr(Attribute::OptimizeNone);
  }

  // Copies of a function and, behind it, of those that it calls, with room around their variables, and full of
  // something.
  static SmallVector<Function *, 8> withRoom(Function &function, uint64_t times,
                                             uint8_t with) {
    DenseMap<Function *, Function *> copies;
    SmallVector<Function *, 8> made;
    auto copyOf = [&](Function *of) {
      Function *&copy = copies[of];
      if (!copy) {
        ValueToValueMapTy values;
        copy = CloneFunction(of, values);
        made.push_back(copy);
      }
      return copy;
    };
    copyOf(&function);
    for (size_t number = 0; number < made.size(); ++number) {
      moveVariables(*made[number], times, with);
      for (Instruction &instruction : instructions(*made[number]))
        if (auto *call = dyn_cast<CallBase>(&instruction))
          if (Function *callee = call->getCalledFunction();
              callee && !callee->isDeclaration() &&
              !callee->getName().starts_with("poly.trial."))
            call->setCalledFunction(copyOf(callee));
    }
    return made;
  }

  // Puts each variable into a larger one, which is full of something.
  static void moveVariables(Function &function, uint64_t times, uint8_t with) {
    SmallVector<AllocaInst *, 8> variables;
    for (Instruction &instruction : instructions(function))
      if (auto *variable = dyn_cast<AllocaInst>(&instruction);
          variable && !variable->isSwiftError())
        variables.push_back(variable);
    const DataLayout &layout = function.getDataLayout();
    uint64_t each = mostGaps / std::max<uint64_t>(variables.size(), 1);
    uint64_t gap =
        times * std::clamp<uint64_t>(bit_floor(each), slotBytes, mostGap);
    for (AllocaInst *variable : variables) {
      for (User *user : make_early_inc_range(variable->users()))
        if (auto *mark = dyn_cast<LifetimeIntrinsic>(user))
          mark->eraseFromParent();
      IRBuilder<> builder(variable);
      Value *count = builder.CreateZExtOrTrunc(variable->getArraySize(),
                                               builder.getInt64Ty());
      uint64_t size = layout.getTypeAllocSize(variable->getAllocatedType());
      uint64_t before = std::max(gap, variable->getAlign().value());
      Value *bytes = builder.CreateAdd(
          builder.CreateMul(count, builder.getInt64(size)),
          builder.getInt64(2 * before));
      AllocaInst *larger = builder.CreateAlloca(builder.getInt8Ty(), bytes);
      larger->setAlignment(std::max(variable->getAlign(), Align(slotBytes)));
      builder.CreateMemSet(larger, builder.getInt8(with), bytes,
                           larger->getAlign());
      variable->replaceAllUsesWith(
          builder.CreateConstGEP1_64(builder.getInt8Ty(), larger, before));
      variable->eraseFromParent();
    }
  }

  void declareHost() {
    LLVMContext &context = module->getContext();
    Type *nothing = Type::getVoidTy(context);
    Type *number = Type::getInt64Ty(context);
    note = module->getOrInsertFunction("poly.trial.note", nothing, number);
    value = module->getOrInsertFunction("poly.trial.value", number);
    stop = module->getOrInsertFunction("poly.trial.stop", nothing);
    reached = module->getOrInsertFunction("poly.trial.reached", nothing);
  }

  // Counts the calls of new code.
  void countCalls() {
    for (Instruction &instruction : instructions(*rewritten)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && callee->hasFnAttribute(mark) &&
          callee->getReturnType()->isVoidTy())
        IRBuilder<>(call).CreateCall(reached);
    }
  }

  // Whether a function of another module is called as it is.
  bool isCalled(const Function &function) const {
    static const StringSet<> memory = {"__errno_location", "bcmp", "calloc", "free",
                                       "malloc", "memcmp", "memcpy",
                                       "memmove", "memset", "strlen"};
    StringRef name = function.getName();
    if (function.isIntrinsic() || name.starts_with("poly.trial.") ||
        name.starts_with("__kmpc_") || name.starts_with("omp_") ||
        memory.contains(name))
      return true;
    LibFunc known;
    return library.getLibFunc(function, known) &&
           function.getReturnType()->isFloatingPointTy() &&
           all_of(function.args(), [](const Argument &argument) {
             return argument.getType()->isFloatingPointTy();
           });
  }

  // Gives a function of another module a body that notes the call.
  void replace(Function &function) {
    if (isCalled(function))
      return;
    bool silent = function.onlyReadsMemory();
    stopBehindCalls(function);
    if (!silent)
      noteArguments(function);
    bool ends = !function.doesNotReturn();
    function.setAttributes(AttributeList());
    function.addFnAttr(Attribute::NoInline);
    IRBuilder<> builder(
        BasicBlock::Create(function.getContext(), "entry", &function));
    if (!silent)
      builder.CreateCall(
          note, {builder.getInt64(xxh3_64bits(function.getName()))});
    if (!ends) {
      builder.CreateCall(stop);
      builder.CreateUnreachable();
      return;
    }
    Type *type = function.getReturnType();
    if (type->isVoidTy())
      builder.CreateRetVoid();
    else if (type->isPointerTy())
      builder.CreateRet(builder.CreatePointerBitCastOrAddrSpaceCast(
          builder.CreateConstGEP1_64(builder.getInt8Ty(), room(), moat), type));
    else if (silent || !(type->isIntegerTy() || type->isFloatingPointTy()))
      builder.CreateRet(Constant::getNullValue(type));
    else if (type->isIntegerTy())
      builder.CreateRet(
          builder.CreateZExtOrTrunc(builder.CreateCall(value), type));
    else
      builder.CreateRet(builder.CreateUIToFP(builder.CreateCall(value), type));
  }

  // Memory that functions of other modules return, such as that of an exception: stores there must not be undefined.
  GlobalVariable *room() {
    auto *type =
        ArrayType::get(Type::getInt8Ty(module->getContext()), 2 * moat);
    if (!returned) {
      returned = new GlobalVariable(
          *module, type, false, GlobalValue::InternalLinkage,
          Constant::getNullValue(type), "poly.trial.room");
      returned->setAlignment(Align(slotBytes));
    }
    return returned;
  }

  // The run is over where it is the call that says that it does not return.
  void stopBehindCalls(Function &function) {
    for (User *user : function.users()) {
      auto *call = dyn_cast<CallInst>(user);
      if (call && call->getCalledOperand() == &function &&
          call->doesNotReturn() && !call->isMustTailCall())
        IRBuilder<>(call->getNextNode()).CreateCall(stop);
    }
  }

  // Notes the numbers that a function is called with; pointers may be those of variables on the stack.
  void noteArguments(Function &function) {
    for (User *user : function.users()) {
      auto *call = dyn_cast<CallBase>(user);
      if (!call || call->getCalledOperand() != &function)
        continue;
      IRBuilder<> builder(call);
      for (Value *argument : call->args()) {
        Type *type = argument->getType();
        if (type->isFloatTy() || type->isDoubleTy())
          argument = builder.CreateBitCast(
              argument, builder.getIntNTy(type->getPrimitiveSizeInBits()));
        else if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64)
          continue;
        argument = builder.CreateZExtOrTrunc(argument, builder.getInt64Ty());
        builder.CreateCall(note, {argument});
      }
      call->setAttributes(AttributeList());
    }
  }

  // Makes a symbol of a variable that is not constant, and a definition where there is none, with moats around it.
  void expose(GlobalVariable &variable) {
    StringRef name = variable.getName();
    if (name.starts_with("llvm.") || name.starts_with("poly.trial.") ||
        variable.use_empty())
      return;
    if (variable.isConstant() && !variable.isDeclaration())
      return;
    LLVMContext &context = module->getContext();
    const DataLayout &layout = module->getDataLayout();
    Type *type = variable.getValueType();
    std::string pattern = patternOf(type);
    uint64_t size =
        type->isSized() ? layout.getTypeAllocSize(type).getFixedValue() : 0;
    Constant *value;
    if (variable.isDeclaration()) {
      size = std::max(size, leastVariable);
      type = ArrayType::get(Type::getInt8Ty(context), size);
      value = Constant::getNullValue(type);
    } else {
      value = variable.getInitializer();
    }
    auto *around = ArrayType::get(Type::getInt8Ty(context), moat);
    Constant *empty = Constant::getNullValue(around);
    auto *parts = StructType::get(context, {around, type, around});
    auto *shown = new GlobalVariable(
        *module, parts, false, GlobalValue::ExternalLinkage,
        ConstantStruct::get(parts, {empty, value, empty}),
        "poly.trial.variable." + Twine(variables++));
    shown->setAlignment(
        std::max(variable.getAlign().valueOrOne(), Align(slotBytes)));
    variable.replaceAllUsesWith(ConstantExpr::getInBoundsGetElementPtr(
        Type::getInt8Ty(context), shown,
        ConstantInt::get(Type::getInt64Ty(context), moat)));
    variable.eraseFromParent();
    table << "variable " << size << ' ' << pattern << '\n';
  }

  // A function that calls another one with arguments from memory, and stores what it returns.
  void wrap(Function &function, StringRef name) {
    LLVMContext &context = module->getContext();
    Type *pointer = PointerType::get(context, 0);
    auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer},
                                   false);
    auto *wrapper =
        Function::Create(type, GlobalValue::ExternalLinkage, name, *module);
    for (StringRef kind : {"target-cpu", "target-features", "tune-cpu"})
      if (Attribute attribute = function.getFnAttribute(kind);
          attribute.isValid())
        wrapper->addFnAttr(attribute);
    IRBuilder<> builder(BasicBlock::Create(context, "entry", wrapper));
    SmallVector<Value *, 16> arguments;
    for (Argument &argument : function.args()) {
      Value *slot = builder.CreateConstGEP1_64(
          builder.getInt8Ty(), wrapper->getArg(0),
          uint64_t(slotBytes) * argument.getArgNo());
      arguments.push_back(builder.CreateLoad(argument.getType(), slot));
    }
    CallInst *call = builder.CreateCall(&function, arguments);
    call->setCallingConv(function.getCallingConv());
    call->setAttributes(function.getAttributes().removeFnAttributes(context));
    if (!function.getReturnType()->isVoidTy())
      builder.CreateStore(call, wrapper->getArg(1));
    builder.CreateRetVoid();
  }

  void describe(const Function &function) {
    for (const Argument &argument : function.args()) {
      if (!argument.getType()->isPointerTy()) {
        table << "argument number " << patternOf(argument.getType()) << '\n';
        continue;
      }
      std::string pattern = patternBehind(argument);
      table << "argument memory "
            << (pattern.empty() || pattern == "keep" ? "bytes" : pattern)
            << '\n';
    }
  }

  TargetLibraryInfo &library;
  StringRef mark;
  raw_ostream &table;
  Function *original;
  Function *rewritten;
  FunctionCallee note, value, stop, reached;
  GlobalVariable *returned = nullptr;
  unsigned variables = 0;
};

} // namespace

LLVMMemoryBufferRef polyHostLlvmTrial(PolyLlvmAnalysis *analysis, PolyText mark,
                                      PolySink table, PolySink reason) {
  std::string lines;
  raw_string_ostream stream(lines);
  Trial trial(*analysis, polyrs::toRef(mark), stream);
  if (const char *found = trial.prepare()) {
    reason.write(reason.context, polyrs::toText(found));
    return nullptr;
  }
  table.write(table.context, polyrs::toText(lines));
  SmallString<0> code;
  raw_svector_ostream writer(code);
  WriteBitcodeToFile(*trial.module, writer);
  return wrap(MemoryBuffer::getMemBufferCopy(code).release());
}
