// Wrong splices, for the tests of the checker: a module with its analyses, as the plugin would hand it over, and ways
// to spoil a clone after its regions were placed. Only tests refer to this, so the linker leaves it out of the plugin.

#include "llvm_splice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace polyrs;

namespace {

// Listens to all remarks.
class Listener : public DiagnosticHandler {
public:
  explicit Listener(std::string &heard) : heard(heard) {}
  bool isAnyRemarkEnabled() const override { return true; }
  bool isPassedOptRemarkEnabled(StringRef) const override { return true; }
  bool isMissedOptRemarkEnabled(StringRef) const override { return true; }
  bool isAnalysisRemarkEnabled(StringRef) const override { return true; }
  bool handleDiagnostics(const DiagnosticInfo &said) override {
    raw_string_ostream stream(heard);
    DiagnosticPrinterRawOStream printer(stream);
    said.print(printer);
    stream << '\n';
    return true;
  }

private:
  std::string &heard;
};

} // namespace

// A module and the analyses of its functions.
struct PolyFaultModule {
  std::string heard;
  LLVMContext context;
  std::unique_ptr<Module> module;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;

  explicit PolyFaultModule(StringRef text) {
    context.setDiagnosticHandler(std::make_unique<Listener>(heard));
    SMDiagnostic error;
    auto buffer = MemoryBuffer::getMemBufferCopy(text);
    module = parseAssembly(buffer->getMemBufferRef(), error, context);
    PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

namespace {

using Regions = MutableArrayRef<SplicedRegion>;

// A way to spoil what was placed. The first of the regions is one that is called. False where there is no place for it.
struct Fault {
  StringLiteral name;
  bool (*apply)(Function &, Regions);
};

LoadInst *loadOf(const SplicedRegion &region, size_t result) {
  for (User *user : region.results[result].slot->users())
    if (auto *load = dyn_cast<LoadInst>(user))
      return load;
  return nullptr;
}

// A mark of a variable in a block; null for any variable.
Instruction *markIn(BasicBlock *block, Intrinsic::ID kind,
                    const AllocaInst *variable = nullptr) {
  for (Instruction &instruction : *block)
    if (auto *mark = dyn_cast<LifetimeIntrinsic>(&instruction))
      if (mark->getIntrinsicID() == kind &&
          (!variable || mark->getArgOperand(0) == variable))
        return mark;
  return nullptr;
}

BasicBlock *around(const SplicedRegion &region) {
  return region.call->getParent();
}

// Calls of a region's holder have arguments of one type that are different.
bool swapArguments(CallInst &call) {
  for (Use &one : call.args())
    for (Use &other : call.args())
      if (one->getType() == other->getType() && one != other) {
        Value *value = one;
        one.set(other);
        other.set(value);
        return true;
      }
  return false;
}

bool callAnother(CallInst &call) {
  FunctionCallee other = call.getModule()->getOrInsertFunction(
      "another", call.getFunctionType());
  call.setCalledFunction(other);
  return true;
}

bool addFence(Instruction *before) {
  IRBuilder<>(before).CreateFence(AtomicOrdering::SequentiallyConsistent);
  return true;
}

bool isMissing(const Instruction *instruction) { return !instruction; }

const Fault faults[] = {
    {"nothing", [](Function &, Regions) { return true; }},
    // What is used behind a region.
    {"use: poison",
     [](Function &, Regions regions) {
       PHINode *merged = regions[0].results[0].merged;
       merged->replaceAllUsesWith(PoisonValue::get(merged->getType()));
       return true;
     }},
    {"use: another result",
     [](Function &, Regions regions) {
       auto &results = regions[0].results;
       results[0].merged->replaceAllUsesWith(results[1].merged);
       return true;
     }},
    {"use: what the region computes",
     [](Function &, Regions regions) {
       auto &result = regions[0].results[0];
       result.merged->replaceAllUsesWith(result.value);
       return true;
     }},
    {"loads: swapped",
     [](Function &, Regions regions) {
       LoadInst *one = loadOf(regions[0], 0), *other = loadOf(regions[0], 1);
       one->setOperand(0, regions[0].results[1].slot);
       other->setOperand(0, regions[0].results[0].slot);
       return true;
     }},
    {"load: before the call",
     [](Function &, Regions regions) {
       loadOf(regions[0], 0)->moveBefore(regions[0].call->getIterator());
       return true;
     }},
    {"merge: values swapped",
     [](Function &, Regions regions) {
       auto &results = regions[0].results;
       for (size_t i : {0, 1})
         results[i].merged->setIncomingValueForBlock(around(regions[0]),
                                                     loadOf(regions[0], 1 - i));
       return true;
     }},
    {"merge: a way is missing",
     [](Function &, Regions regions) {
       regions[0].results[0].merged->removeIncomingValue(around(regions[0]),
                                                         false);
       return true;
     }},
    // PHIs where a region starts.
    {"PHI: a way is missing",
     [](Function &, Regions regions) {
       regions[0].first->phis().begin()->removeIncomingValue(
           regions[0].checkCall->getParent(), false);
       return true;
     }},
    {"PHI: another value",
     [](Function &, Regions regions) {
       PHINode &phi = *regions[0].first->phis().begin();
       phi.setIncomingValueForBlock(regions[0].checkCall->getParent(),
                                    PoisonValue::get(phi.getType()));
       return true;
     }},
    {"PHI: a way too many",
     [](Function &, Regions regions) {
       PHINode &phi = *regions[0].first->phis().begin();
       phi.addIncoming(PoisonValue::get(phi.getType()), around(regions[0]));
       return true;
     }},
    // Slots.
    {"slot: not stored",
     [](Function &, Regions regions) {
       bool found = false;
       for (Instruction &instruction :
            make_early_inc_range(instructions(regions[0].callee)))
         if (isa<StoreInst>(instruction)) {
           instruction.eraseFromParent();
           found = true;
         }
       return found;
     }},
    {"slot: used elsewhere",
     [](Function &, Regions regions) {
       const Result &result = regions[0].results[0];
       IRBuilder<>(regions[0].exit->getTerminator())
           .CreateStore(PoisonValue::get(result.value->getType()), result.slot);
       return true;
     }},
    // Calls.
    {"call: arguments swapped",
     [](Function &, Regions regions) { return swapArguments(*regions[0].call); }},
    {"call: another function",
     [](Function &, Regions regions) { return callAnother(*regions[0].call); }},
    {"check: arguments swapped",
     [](Function &, Regions regions) {
       return swapArguments(*regions[0].checkCall);
     }},
    {"check: another function",
     [](Function &, Regions regions) {
       return callAnother(*regions[0].checkCall);
     }},
    {"check: inverted",
     [](Function &, Regions regions) {
       cast<BranchInst>(regions[0].checkCall->getParent()->getTerminator())
           ->swapSuccessors();
       return true;
     }},
    {"check: not frozen",
     [](Function &, Regions regions) {
       cast<BranchInst>(regions[0].checkCall->getParent()->getTerminator())
           ->setCondition(regions[0].checkCall);
       return true;
     }},
    {"check: left out",
     [](Function &, Regions regions) {
       BasicBlock *into = regions[0].checkCall->getParent();
       regions[0].entry->getTerminator()->replaceSuccessorWith(
           into, around(regions[0]));
       return true;
     }},
    // Control.
    {"control: not to the call",
     [](Function &, Regions regions) {
       regions[0].entry->getTerminator()->replaceSuccessorWith(
           around(regions[0]), regions[0].exit);
       return true;
     }},
    {"control: not behind the region",
     [](Function &, Regions regions) {
       around(regions[0])->getTerminator()->setSuccessor(0, regions[0].first);
       return true;
     }},
    {"control: from within the region",
     [](Function &, Regions regions) {
       for (BasicBlock *block : regions[0].blocks) {
         auto *branch = dyn_cast<BranchInst>(block->getTerminator());
         if (block != regions[0].last && branch && branch->isConditional()) {
           branch->setSuccessor(1, regions[0].exit);
           return true;
         }
       }
       return false;
     }},
    // Instructions that have nothing to do with it.
    {"instruction: gone",
     [](Function &, Regions regions) {
       for (Instruction &instruction : *regions[0].exit)
         if (!isa<PHINode>(instruction) && instruction.use_empty()) {
           instruction.eraseFromParent();
           return true;
         }
       return false;
     }},
    {"instruction: in another block",
     [](Function &, Regions regions) {
       Instruction *there = &*regions[0].exit->getFirstNonPHIOrDbg();
       there->moveBefore(regions[0].entry->getTerminator()->getIterator());
       return true;
     }},
    {"instruction: later in its block",
     [](Function &, Regions regions) {
       Instruction *there = &*regions[0].exit->getFirstNonPHIOrDbg();
       there->moveAfter(there->getNextNode());
       return true;
     }},
    {"instruction: new",
     [](Function &, Regions regions) {
       return addFence(regions[0].exit->getTerminator());
     }},
    {"instruction: new beside the call",
     [](Function &, Regions regions) {
       return addFence(regions[0].call);
     }},
    {"instruction: new beside the check",
     [](Function &, Regions regions) {
       return addFence(regions[0].checkCall);
     }},
    {"instruction: another operand",
     [](Function &function, Regions) {
       for (Instruction &instruction : instructions(function))
         if (auto *end = dyn_cast<ReturnInst>(&instruction)) {
           Value *value = end->getReturnValue();
           end->setOperand(0, PoisonValue::get(value->getType()));
           return true;
         }
       return false;
     }},
    {"instruction: another operand more",
     [](Function &function, Regions) {
       for (Instruction &instruction : instructions(function))
         if (auto *choice = dyn_cast<SwitchInst>(&instruction)) {
           auto *type = cast<IntegerType>(choice->getCondition()->getType());
           choice->addCase(ConstantInt::get(type, 77), choice->getSuccessor(1));
           return true;
         }
       return false;
     }},
    // Lives.
    {"life: a slot does not start",
     [](Function &, Regions regions) {
       Instruction *mark = markIn(around(regions[0]), Intrinsic::lifetime_start);
       if (isMissing(mark))
         return false;
       mark->eraseFromParent();
       return true;
     }},
    {"life: a slot starts twice",
     [](Function &, Regions regions) {
       IRBuilder<>(regions[0].call)
           .CreateLifetimeStart(regions[0].results[0].slot);
       return true;
     }},
    {"life: a slot ends before it is loaded",
     [](Function &, Regions regions) {
       Instruction *mark = markIn(around(regions[0]), Intrinsic::lifetime_end);
       if (isMissing(mark))
         return false;
       mark->moveAfter(regions[0].call);
       return true;
     }},
    {"life: a slot has no marks",
     [](Function &, Regions regions) {
       for (auto kind : {Intrinsic::lifetime_start, Intrinsic::lifetime_end}) {
         Instruction *mark =
             markIn(around(regions[0]), kind, regions[0].results[0].slot);
         if (isMissing(mark))
           return false;
         mark->eraseFromParent();
       }
       return true;
     }},
    {"life: a variable does not start",
     [](Function &, Regions regions) {
       Instruction *mark = markIn(regions[0].entry, Intrinsic::lifetime_start);
       if (isMissing(mark))
         return false;
       mark->eraseFromParent();
       return true;
     }},
    {"life: a variable ends during the call",
     [](Function &, Regions regions) {
       auto *mark = dyn_cast_or_null<LifetimeIntrinsic>(
           markIn(around(regions[0]), Intrinsic::lifetime_start));
       if (isMissing(mark))
         return false;
       IRBuilder<>(around(regions[0])->getTerminator())
           .CreateLifetimeEnd(mark->getArgOperand(0));
       return true;
     }},
};

thread_local const Fault *chosen = nullptr;
thread_local bool isApplied = false;

void spoil(Function &function, Regions regions) {
  while (!regions.empty() && !regions.front().call)
    regions = regions.drop_front();
  isApplied = !regions.empty() && chosen->apply(function, regions);
}

} // namespace

extern "C" {

// A module in its text; null if that is wrong.
PolyFaultModule *polyFaultOpen(PolyText text) {
  auto opened = std::make_unique<PolyFaultModule>(polyrs::toRef(text));
  return opened->module ? opened.release() : nullptr;
}

LLVMModuleRef polyFaultModule(PolyFaultModule *opened) {
  return wrap(opened->module.get());
}

void *polyFaultManager(PolyFaultModule *opened) { return &opened->functions; }

// A clone of a function, which is in canonical form already.
LLVMValueRef polyFaultClone(LLVMValueRef function) {
  ValueToValueMapTy values;
  return wrap(CloneFunction(unwrap<Function>(function), values));
}

// What was said.
void polyFaultHeard(PolyFaultModule *opened, PolySink sink) {
  sink.write(sink.context, polyrs::toText(opened->heard));
}

void polyFaultClose(PolyFaultModule *opened) { delete opened; }

// From now on, what this thread places is spoilt. False if there is no such fault.
bool polyFaultChoose(PolyText name) {
  chosen = find_if(faults, [&](const Fault &fault) {
    return fault.name == polyrs::toRef(name);
  });
  isApplied = false;
  tamper = chosen == std::end(faults) ? nullptr : spoil;
  return tamper;
}

// Whether there was a place for the fault.
bool polyFaultIsApplied() { return isApplied; }
}
