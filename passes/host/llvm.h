// What the C++ glue and the Rust side say to each other about LLVM IR.
//
// Rust has the functions from this file. As in `host.h`, the glue decides nothing, but for three
// things: what is certain of a value (`polyHostLlvmIsCertain`), which accesses and calls are plain, and how splices are
// checked. What LLVM's own C interface offers is not repeated here.

#ifndef POLYRS_HOST_LLVM_H
#define POLYRS_HOST_LLVM_H

#include "host.h"

#include "llvm-c/Types.h"

extern "C" {

// The clone of a function in canonical form, with what is known of it; see `llvm_analysis.h`.
struct PolyLlvmAnalysis;

// The analyses of the functions of a module: an `llvm::FunctionAnalysisManager`.
struct PolyLlvmManager;

// Takes the clone of a function, as the plugin made it.
PolyLlvmAnalysis *polyHostLlvmAnalyze(LLVMValueRef function, LLVMValueRef clone,
                                      PolyLlvmManager *manager);

// The clone.
LLVMValueRef polyHostLlvmClonedFunction(PolyLlvmAnalysis *analysis);

// Ends with the clone's body in the original (`keep`), or with the original as it was and the clone deleted.
void polyHostLlvmFinish(PolyLlvmAnalysis *analysis, bool keep);

// Marks the function as one whose loops are the optimizer's already. Says also that it may call what the original did
// not: no attribute says the contrary any more.
void polyHostLlvmMark(LLVMValueRef function, PolyText mark);

// Registers with MLIR the passes that the lowering pipelines are made of and MLIR's C interface lacks.
void polyHostRegisterLoweringPasses();

// Says how the dialects that the lowering pipelines go through are lowered and translated.
void polyHostRegisterLowering(MlirDialectRegistry registry);

// Translates a `builtin.module` of the LLVM dialect into the context and for the target of the module `like`. Null if
// that fails.
LLVMModuleRef polyHostLlvmTranslate(MlirOperation module, LLVMModuleRef like);

// What was moved into a module.
struct PolyLlvmLinkedModule;

// Whether new functions get an attribute of their original, by its name; `text` where LLVM knows it as a text only.
typedef bool (*PolyLlvmIsPassedOn)(PolyText name, bool text);

// Moves what is in `source` into `target`, as private functions with the mark that are compiled as `original` is, but
// for further features of the target, and lie in its section. Deletes `source`.
PolyLlvmLinkedModule *polyHostLlvmLink(LLVMModuleRef target, LLVMModuleRef source,
                                   LLVMValueRef original, PolyText mark,
                                   PolyLlvmIsPassedOn isPassedOn,
                                   PolyText tuning);

// The function that had a name in its own module; null if there is none.
LLVMValueRef polyHostLlvmLinkedFunction(PolyLlvmLinkedModule *linked,
                                         PolyText name);

// Whether `malloc` and `free` in the module, if it has them, are the C library's, so that code which is moved there may
// call them: not functions of its own, aliases, variables or functions of other types.
bool polyHostLlvmHasHeap(LLVMModuleRef module);

// What was moved as a declaration and is in the module already becomes one with that. False and a reason, with nothing
// changed, where the module means something else by the name.
bool polyHostLlvmMerge(PolyLlvmLinkedModule *linked, PolySink error);

// Calls of a declaration that was moved become such as a call of the module is: of its callee, with its attributes,
// calling convention, flags and promises. The declaration goes. False if there is none of that name and type.
bool polyHostLlvmCallAs(PolyLlvmLinkedModule *linked, PolyText name,
                        LLVMValueRef call);

// Calls of a declaration that was moved, with a number and the address of a flag as an integer of 64 bits, become the square
// root that a call of the module computes, which says nothing in `errno`: instead the flag is set where the number has
// none. The declaration goes. False if there is none of that name and type.
bool polyHostLlvmNoteErrno(PolyLlvmLinkedModule *linked, PolyText name,
                           LLVMValueRef call);

// Functions that were moved and start threads keep what `errno` is before: OpenMP's library sets it. It is restored before
// calls of the declaration `end`, or else where they return. Where nothing is known of `errno`, nothing is done.
void polyHostLlvmKeepErrno(PolyLlvmLinkedModule *linked, PolyText end);

// Calls of two declarations that were moved become a flag on the stack that is not set, as its address, and where that is
// handed over, what a call of the module says in `errno` if the flag is set. The declarations go. False if there are
// none of these names and types.
bool polyHostLlvmSayErrno(PolyLlvmLinkedModule *linked, PolyText begin,
                          PolyText end, LLVMValueRef call);

// Writes what the module says of functions and variables that were moved into it, beyond their code: lines `global
// NAME`, each followed by lines `PLACE<tab>FACT`. A place is `function`, `original` (the same is said of the original),
// `argument N`, `result` or `call NAME`.
void polyHostLlvmListFacts(PolyLlvmLinkedModule *linked, LLVMValueRef original,
                           PolySink sink);

// Ends with what was moved staying there,
void polyHostLlvmCommitLink(PolyLlvmLinkedModule *linked);

// or deleted.
void polyHostLlvmRollbackLink(PolyLlvmLinkedModule *linked);

// Regions of a clone on their way to calls of new code.
struct PolyLlvmSplice;

// Begins to work on a clone.
PolyLlvmSplice *polyHostLlvmNewSplice(PolyLlvmAnalysis *analysis);

// A place on the stack for a value that is used behind a region.
LLVMValueRef polyHostLlvmSlot(PolyLlvmSplice *splice, LLVMValueRef value);

// Marks where rows behind pointers are found for the region that is marked next, before the instruction `start`: a call
// with these arguments, which gives two integers of 64 bits.
LLVMValueRef polyHostLlvmMarkRows(PolyLlvmSplice *splice, LLVMValueRef start,
                                  const LLVMValueRef *arguments, size_t count);

// Marks where a region starts and ends; its number. It starts with the instruction `start`, or behind it if that is the
// jump to a loop. It ends behind the instruction `last`, or if that is null, behind the PHIs of the block `end`. What
// is used behind it are `values`, which the new function stores to `slots`. Nothing else changes.
size_t polyHostLlvmMarkRegion(PolyLlvmSplice *splice, LLVMValueRef start,
                              LLVMValueRef last, LLVMBasicBlockRef end,
                              const LLVMValueRef *arguments, size_t count,
                              const LLVMValueRef *values,
                              const LLVMValueRef *slots, size_t results,
                              LLVMMetadataRef location);

// Gives all regions that are marked blocks of their own.
void polyHostLlvmSplitRegions(PolyLlvmSplice *splice);

// Whether the function is small enough for all that is left to do, whose work is a product of its blocks and what is
// used there.
bool polyHostLlvmIsSmall(PolyLlvmSplice *splice);

// `newVersion` is to be called in place of a region; if there is a check, only where that gives true. If it does not, control
// goes to `otherwise`, or to the region if that is null. `rows` are what finds rows, in the order in which that was marked.
// False and an error if the region is not entered and left by one edge, or the functions do not fit: it stays as it is then.
bool polyHostLlvmCallRegion(PolyLlvmSplice *splice, size_t number,
                            LLVMValueRef newVersion, LLVMValueRef check,
                            LLVMBasicBlockRef otherwise,
                            const LLVMValueRef *rows, size_t count,
                            PolySink error);

// The program measures how long a region takes, new code or not, and writes that in the end with a label, to the file that
// POLYRS_TUNE_TIMES names (`polyrs tune`).
void polyHostLlvmTimeRegion(PolyLlvmSplice *splice, size_t number,
                            PolyText label);

// Calls what is to be called, and removes all marks. Whether the clone is right; if not, an error is written, and the
// clone is of no use.
bool polyHostLlvmCommitSplice(PolyLlvmSplice *splice, PolySink error);

// Ends that; the clone is as it is.
void polyHostLlvmFreeSplice(PolyLlvmSplice *splice);

// Counts how often a check gives true and how often false, and prints that when the program ends, as the check of
// `name`.
void polyHostLlvmTraceCheck(LLVMValueRef check, PolyText name);

// A module in bitcode in which the original (`poly.trial.original`) and the clone (`poly.trial.rewritten`) can be run
// alone, and a table of what can be filled: see `llvm_trial.cpp`. `mark` is the attribute of new code. Null and a
// reason if they can't.
LLVMMemoryBufferRef polyHostLlvmTrial(PolyLlvmAnalysis *analysis, PolyText mark,
                                      PolySink table, PolySink reason);

// The kinds of remarks, by the option that shows them.
enum PolyRemarkKind : uint32_t {
  // `-Rpass`: something was transformed.
  PolyPassed = 0,
  // `-Rpass-missed`: something was left as it is.
  PolyMissed = 1,
  // `-Rpass-analysis`: details.
  PolyAnalysed = 2,
  // `-Wpass-failed`: something that the user asked for was not done.
  PolyWarned = 3,
};

// A piece of a remark: a text, whose key is empty, or an argument.
struct PolyPiece {
  PolyText key;
  PolyText value;
};

// A remark. Its text is the first `shown` pieces; only records have the rest. The names of the pass and of what it is about
// live as long as the program.
struct PolyRemarkRow {
  PolyRemarkKind kind;
  PolyText pass;
  PolyText name;
  const PolyPiece *pieces;
  size_t count;
  size_t shown;
};

// Emits an optimization remark about a function, at a location (may be null: the function's own).
void polyHostLlvmRemark(const PolyRemarkRow *remark, LLVMValueRef function,
                        LLVMMetadataRef location);

// Hands a remark about a function of MLIR's to the engine of its context, if that has one that wants it. All threads may.
void polyHostRemark(const PolyRemarkRow *remark, MlirOperation function,
                    MlirLocation location);
}

#endif
