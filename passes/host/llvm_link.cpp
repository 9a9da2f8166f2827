// Functions of another module of the same context become private functions of the module that is compiled.

#include "llvm_link.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace {

void copyAttributes(const Function &original, Function &function,
                    PolyLlvmIsPassedOn isPassedOn, StringRef tuning) {
  for (Attribute attribute : original.getAttributes().getFnAttrs()) {
    bool isText = attribute.isStringAttribute();
    StringRef name =
        isText ? attribute.getKindAsString()
               : Attribute::getNameFromAttrKind(attribute.getKindAsEnum());
    if (isPassedOn(polyrs::toText(name), isText) &&
        !(isText && function.hasFnAttribute(name)))
      function.addFnAttr(attribute);
  }
  // Code may have to lie where the original's does: in memory that is there already, or still.
  function.setSection(original.getSection());
  if (!tuning.empty()) {
    StringRef features =
        function.getFnAttribute("target-features").getValueAsString();
    function.addFnAttr("target-features",
                       (features + (features.empty() ? "" : ",") + tuning).str());
  }
  // What is raised does not throw, nor does OpenMP's library.
  function.setDoesNotThrow();
}

// Debug information of code that MLIR wrote, in terms of the function that it was made from.
class Scopes {
public:
  Scopes(const Function &original, Function &function)
      : context(function.getContext()), parent(original.getSubprogram()),
        subprogram(DISubprogram::getDistinct(
            context, parent->getFile(), function.getName(), StringRef(),
            parent->getFile(), parent->getLine(),
            DISubroutineType::get(context, DINode::FlagZero, 0, nullptr),
            parent->getScopeLine(), nullptr, 0, 0, DINode::FlagArtificial,
            DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit |
                DISubprogram::SPFlagOptimized,
            parent->getUnit())) {}

  void apply(Function &function) {
    function.setSubprogram(subprogram);
    for (Instruction &instruction : instructions(function)) {
      if (DILocation *location = instruction.getDebugLoc())
        instruction.setDebugLoc(translate(location));
      else if (isa<CallBase>(instruction))
        instruction.setDebugLoc(DILocation::get(context, 0, 0, subprogram));
      updateLoopMetadataDebugLocations(
          instruction, [&](Metadata *node) -> Metadata * {
            auto *location = dyn_cast_or_null<DILocation>(node);
            return location ? translate(location) : node;
          });
    }
  }

private:
  // What has no location of its own got one in the text that was parsed, whose name is "-": it comes from no line.
  DILocation *translate(DILocation *location) {
    if (location->getFile()->getFilename() == "-")
      return DILocation::get(context, 0, 0, subprogram);
    return DILocation::get(context, location->getLine(), location->getColumn(),
                           scopeOf(location->getFile()));
  }

  DILocalScope *scopeOf(DIFile *file) {
    SmallString<128> path(file->getDirectory());
    sys::path::append(path, file->getFilename());
    StringRef known = parent->getFile()->getFilename();
    if (path == known || file->getFilename() == known)
      return subprogram;
    DIFile *other = DIFile::get(context, path, parent->getFile()->getDirectory());
    return DILexicalBlockFile::get(context, subprogram, other, 0);
  }

  LLVMContext &context;
  DISubprogram *parent;
  DISubprogram *subprogram;
};

// What a declaration says of the memory that a function leaves alone is true of the new code's calls, which need no
// errno. The module, or another one that it is linked with, may call the same function and read errno behind.
void sayAtCalls(Function &declaration) {
  MemoryEffects effects = declaration.getMemoryEffects();
  for (User *user : declaration.users())
    if (auto *call = dyn_cast<CallBase>(user);
        call && call->getCalledOperand() == &declaration)
      call->setMemoryEffects(call->getMemoryEffects() & effects);
  declaration.removeFnAttr(Attribute::Memory);
}

// Moves a function or variable over.
template <typename Global, typename Insert>
void move(Global &global, PolyLlvmLinkedModule &linked, Insert insert) {
  std::string name = global.getName().str();
  global.removeFromParent();
  insert(&global);
  if (!global.isDeclaration()) {
    if (!global.hasPrivateLinkage())
      global.setLinkage(GlobalValue::InternalLinkage);
    global.setDSOLocal(true);
  }
  linked.added.insert({&global, std::move(name)});
}

// Whether what a module has under a name may be what another module means by it, if that has this type.
bool isKnownElsewhere(const GlobalValue &present, const Type *type) {
  return !present.hasLocalLinkage() && !present.hasExternalWeakLinkage() &&
         present.getValueType() == type;
}

// Whether what a module has is what a declaration of its name in another module means.
bool isMeant(const GlobalValue &present, const GlobalValue &declaration) {
  if (!isKnownElsewhere(present, declaration.getValueType()))
    return false;
  const auto *function = dyn_cast<Function>(&present);
  const auto *meant = dyn_cast<Function>(&declaration);
  if (!function || !meant)
    return !function && !meant && isa<GlobalVariable>(present);
  return function->getCallingConv() == meant->getCallingConv();
}

} // namespace

PolyLlvmLinkedModule *polyHostLlvmLink(LLVMModuleRef target, LLVMModuleRef source,
                                   LLVMValueRef value, PolyText mark,
                                   PolyLlvmIsPassedOn isPassedOn,
                                   PolyText tuning) {
  Module &module = *unwrap(target);
  std::unique_ptr<Module> from(unwrap(source));
  const Function &original = *unwrap<Function>(value);
  auto *linked = new PolyLlvmLinkedModule{module, {}};
  for (GlobalVariable &variable : make_early_inc_range(from->globals()))
    move(variable, *linked, [&](GlobalVariable *moved) {
      module.insertGlobalVariable(moved);
    });
  for (Function &function : make_early_inc_range(*from)) {
    if (!function.isDeclaration()) {
      copyAttributes(original, function, isPassedOn, polyrs::toRef(tuning));
      function.addFnAttr(polyrs::toRef(mark));
      if (original.getSubprogram())
        Scopes(original, function).apply(function);
    }
    // An intrinsic has its meaning from its name.
    if (Function *present = module.getFunction(function.getName());
        present && function.isIntrinsic()) {
      function.replaceAllUsesWith(present);
      function.eraseFromParent();
      continue;
    }
    if (function.isDeclaration() && !function.isIntrinsic())
      sayAtCalls(function);
    move(function, *linked, [&](Function *moved) {
      module.getFunctionList().push_back(moved);
    });
  }
  return linked;
}

LLVMValueRef polyHostLlvmLinkedFunction(PolyLlvmLinkedModule *linked,
                                         PolyText name) {
  GlobalValue *found = linked->find(polyrs::toRef(name));
  return found && isa<Function>(found) && !found->isDeclaration() ? wrap(found)
                                                                  : nullptr;
}

bool polyHostLlvmHasHeap(LLVMModuleRef value) {
  const Module &module = *unwrap(value);
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context);
  Type *size = module.getDataLayout().getIntPtrType(context);
  const std::pair<StringRef, const Type *> heap[] = {
      {"malloc", FunctionType::get(pointer, {size}, false)},
      {"free", FunctionType::get(Type::getVoidTy(context), {pointer}, false)}};
  return all_of(heap, [&](const auto &entry) {
    const GlobalValue *present = module.getNamedValue(entry.first);
    const auto *function = dyn_cast_or_null<Function>(present);
    return !present ||
           (function && function->isDeclaration() &&
            function->getCallingConv() == CallingConv::C &&
            isKnownElsewhere(*function, entry.second));
  });
}

bool polyHostLlvmMerge(PolyLlvmLinkedModule *linked, PolySink error) {
  SmallVector<std::pair<GlobalValue *, GlobalValue *>> merged;
  for (const auto &[value, name] : linked->added) {
    GlobalValue *present = linked->module.getNamedValue(name);
    if (!value->isDeclaration() || present == value)
      continue;
    if (!present || !isMeant(*present, *value)) {
      std::string text = "the function needs @" + name +
                         " of OpenMP, of polyrs or of the C library, and the module has another one";
      error.write(error.context, polyrs::toText(text));
      return false;
    }
    merged.push_back({value, present});
  }
  for (auto [value, present] : merged) {
    value->replaceAllUsesWith(present);
    linked->added.erase(value);
    value->eraseFromParent();
  }
  return true;
}

bool polyHostLlvmCallAs(PolyLlvmLinkedModule *linked, PolyText name,
                        LLVMValueRef value) {
  const auto *like = unwrap<CallInst>(value);
  Function *placeholder = linked->findDeclaration(polyrs::toRef(name));
  if (!placeholder ||
      placeholder->getFunctionType() != like->getFunctionType())
    return false;
  for (User *user : make_early_inc_range(placeholder->users())) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledOperand() != placeholder)
      return false;
    call->setCalledOperand(like->getCalledOperand());
    call->setAttributes(like->getAttributes());
    call->setCallingConv(like->getCallingConv());
    if (like->isNoTailCall())
      call->setTailCallKind(CallInst::TCK_NoTail);
    if (isa<FPMathOperator>(call))
      call->copyFastMathFlags(like);
    call->setMetadata(LLVMContext::MD_fpmath,
                      like->getMetadata(LLVMContext::MD_fpmath));
  }
  linked->erase(*placeholder);
  return true;
}

// The attributes of something, each as a line.
static void list(raw_ostream &out, const Twine &place, AttributeSet attributes,
                 AttributeSet known = {}) {
  for (Attribute attribute : attributes) {
    bool isKnown = attribute.isStringAttribute()
                       ? known.getAttribute(attribute.getKindAsString()) ==
                             attribute
                       : known.getAttribute(attribute.getKindAsEnum()) ==
                             attribute;
    if (isKnown)
      out << "original";
    else
      out << place;
    out << '\t' << attribute.getAsString() << '\n';
  }
}

void polyHostLlvmListFacts(PolyLlvmLinkedModule *linked, LLVMValueRef original,
                           PolySink sink) {
  AttributeSet known = unwrap<Function>(original)->getAttributes().getFnAttrs();
  std::string text;
  raw_string_ostream out(text);
  for (const auto &[global, _] : linked->added) {
    out << "global " << global->getName() << '\n';
    if (global->isDSOLocal())
      out << "function\tdso_local\n";
    if (const auto *variable = dyn_cast<GlobalVariable>(global))
      if (variable->isConstant())
        out << "function\tconstant\n";
    const auto *function = dyn_cast<Function>(global);
    if (!function)
      continue;
    const AttributeList attributes = function->getAttributes();
    list(out, "function", attributes.getFnAttrs(),
         function->isDeclaration() ? AttributeSet() : known);
    list(out, "result", attributes.getRetAttrs());
    for (const Argument &argument : function->args())
      list(out, "argument " + Twine(argument.getArgNo()),
           attributes.getParamAttrs(argument.getArgNo()));
    for (const Instruction &instruction : instructions(function))
      if (const auto *call = dyn_cast<CallBase>(&instruction))
        for (unsigned index : call->getAttributes().indexes())
          list(out, "call " + call->getCalledOperand()->getName(),
               call->getAttributes().getAttributes(index));
  }
  sink.write(sink.context, polyrs::toText(text));
}

void polyHostLlvmCommitLink(PolyLlvmLinkedModule *linked) { delete linked; }

void polyHostLlvmRollbackLink(PolyLlvmLinkedModule *linked) {
  for (const auto &[value, _] : linked->added)
    if (auto *function = dyn_cast<Function>(value))
      function->dropAllReferences();
  for (const auto &[value, _] : linked->added)
    value->eraseFromParent();
  delete linked;
}
