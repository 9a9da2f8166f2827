// What the C++ glue of `libpolyrs.so` and its Rust side say to each other.
//
// The table is mirrored by `plugin/host/src/lib.rs`, which has the functions from this file. The glue holds no policy
// but for the prefilter (`prefilter.cpp`) and the canonical form (`canonical.cpp`).

#ifndef POLYRS_PLUGIN_H
#define POLYRS_PLUGIN_H

#include "text.h"

#include "llvm-c/Types.h"

extern "C" {

// The analyses of the functions of a module: an `llvm::FunctionAnalysisManager`.
struct PolyLlvmManager;

// A pass over modules.
struct PolyLlvmPass {
  // The name in opt's pipelines, of clang's option and in remarks.
  PolyText argument;
  PolyText description;
  // Runs on a module. The options are those of the command line, followed by those of the pipeline. `thorough` says
  // whether that is the pipeline of -O3, or one that names the pass. `error` takes what makes the tool fail.
  PolyStatus (*run)(const PolyLlvmPass *self, LLVMModuleRef module,
                    PolyLlvmManager *manager, PolyText options, bool thorough,
                    PolySink error);
};

// Defines the option `-argument=TEXT`. Called when the plugin is loaded, perhaps more than once.
void polyHostLlvmDefineOption(const PolyLlvmPass *pass);

// Teaches an `llvm::PassBuilder` the pass: by name for opt, and in the default pipelines of -O1 and up.
void polyHostLlvmRegisterPass(void *passBuilder, const PolyLlvmPass *pass);

// Finds the functions with a loop of any kind, be it in a function that comes in line; as many as there is room for.
size_t polyHostLlvmFunctionsWithLoops(LLVMModuleRef module,
                                      PolyLlvmManager *manager,
                                      LLVMValueRef *found, size_t capacity);

// Whether nobody can call a function any more.
bool polyHostLlvmIsDead(LLVMValueRef function);

// Whether anybody listens to remarks of the pass.
bool polyHostLlvmWantsRemarks(LLVMValueRef function, PolyText pass);

// Records of a compilation that are being written.
struct PolyLlvmRecords;

// Has all remarks of the pass about a module written to a file in the folder. Null if the compiler writes records itself,
// or, with an error, where that cannot be.
PolyLlvmRecords *polyHostLlvmOpenRecords(LLVMModuleRef module, PolyText pass,
                                         PolyText folder, PolySink error);

// Ends that.
void polyHostLlvmCloseRecords(PolyLlvmRecords *records);

// How many instructions a function has.
uint32_t polyHostLlvmCountInstructions(LLVMValueRef function);

// Whether the address of a block of the function is taken.
bool polyHostLlvmHasAddressedBlock(LLVMValueRef function);

// Whether the function calls one that may return twice.
bool polyHostLlvmCallsReturnsTwice(LLVMValueRef function);

// Whether the function has the name of one that compilers call by themselves or know: of the C library, or of their own
// support library.
bool polyHostLlvmIsLibraryFunction(LLVMValueRef function,
                                   PolyLlvmManager *manager);

// What can be raised of a function at most; see `prefilter.cpp`.
enum PolyOutlook : uint32_t {
  PolyNothing = 0, // no loop
  PolySingle = 1,  // single loops, with no other loop in them or beside them
  PolyRow = 2,     // loops in a row, with no other loop in them
  PolyNest = 3,    // loops with others in them
};

// The outlook of a function as it is, at little cost.
PolyOutlook polyHostLlvmOutlook(LLVMValueRef function, PolyLlvmManager *manager);

// Lowers the outlook to that of the function in canonical form. If it is `least` or better then, the result is a clone
// of the function in this form, which belongs to the caller; null otherwise.
LLVMValueRef polyHostLlvmCanonicalClone(LLVMValueRef function,
                                        PolyLlvmManager *manager,
                                        PolyOutlook least,
                                        PolyOutlook *outlook);

// Deletes such a clone.
void polyHostLlvmDiscard(LLVMValueRef clone, PolyLlvmManager *manager);

// Deletes declarations of intrinsics that nobody uses, as clones leave them behind: those after a function of the module.
void polyHostLlvmForgetDeclarations(LLVMValueRef last);
}

#endif
