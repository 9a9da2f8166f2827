// What raising asks LLVM's analyses. Rust has it from this file.

#ifndef POLYRS_LLVM_RAISE_H
#define POLYRS_LLVM_RAISE_H

#include "llvm.h"

extern "C" {

// An `llvm::SCEV`.
struct PolyLlvmScev;

// A loop. The values may be null: there is none, or not one only.
struct PolyLlvmLoop {
  // The block that is reached again.
  LLVMBasicBlockRef header;
  // The header of the loop around.
  LLVMBasicBlockRef parent;
  // The block before it, which leads nowhere else.
  LLVMBasicBlockRef preheader;
  // The block that leads back to the header.
  LLVMBasicBlockRef latch;
  // The program may assume that it ends.
  bool ends;
};

// The kinds of `PolyLlvmScevRow`.
enum PolyLlvmScevKind : uint32_t {
  // None of those below.
  PolyScevOther = 0,
  // A constant.
  PolyScevConstant = 1,
  // A value of the program.
  PolyScevUnknown = 2,
  // A sum.
  PolyScevAdd = 3,
  // A product.
  PolyScevMul = 4,
  // An unsigned quotient.
  PolyScevDivide = 5,
  // A recurrence: start and step.
  PolyScevAddRec = 6,
  // The low bits.
  PolyScevTruncate = 7,
  // More bits, which are 0.
  PolyScevZeroExtend = 8,
  // More bits, which are the sign.
  PolyScevSignExtend = 9,
  // The maximum of signed numbers.
  PolyScevSMax = 10,
  // The minimum of signed numbers.
  PolyScevSMin = 11,
  // The maximum of unsigned numbers.
  PolyScevUMax = 12,
  // The minimum of unsigned numbers.
  PolyScevUMin = 13,
};

// One node of a SCEV.
struct PolyLlvmScevRow {
  // What it is.
  PolyLlvmScevKind kind;
  // The bits of its type; 0 for pointers.
  uint32_t bits;
  // How many operands it has.
  uint32_t operands;
  // It does not wrap around as a signed number.
  bool nsw;
  // The constant has at most 64 bits.
  bool fits;
  // The constant, sign-extended.
  int64_t constant;
  // The value of an unknown.
  LLVMValueRef value;
  // The header of a recurrence's loop.
  LLVMBasicBlockRef header;
};

// The innermost loop around a block; false if there is none.
bool polyHostLlvmLoopOf(PolyLlvmAnalysis *analysis, LLVMBasicBlockRef block,
                        PolyLlvmLoop *loop);

// How often a loop's header is reached again before the loop is left from a block, exactly, if it is left nowhere else;
// null if that is not known.
const PolyLlvmScev *polyHostLlvmExitCount(PolyLlvmAnalysis *analysis,
                                          LLVMBasicBlockRef header,
                                          LLVMBasicBlockRef exiting);

// The SCEV of a value as seen in a block; null if its type has none.
const PolyLlvmScev *polyHostLlvmScev(PolyLlvmAnalysis *analysis,
                                     LLVMValueRef value,
                                     LLVMBasicBlockRef block);

// What a SCEV is.
void polyHostLlvmScevRow(PolyLlvmAnalysis *analysis, const PolyLlvmScev *scev,
                         PolyLlvmScevRow *row);
// An operand of it.
const PolyLlvmScev *polyHostLlvmOperand(const PolyLlvmScev *scev,
                                        uint32_t number);

// How far a pointer is behind another one as seen in a block, in bytes; null if they do not start from one place.
const PolyLlvmScev *polyHostLlvmDistance(PolyLlvmAnalysis *analysis,
                                         LLVMValueRef left, LLVMValueRef right,
                                         LLVMBasicBlockRef block);

// Whether an instruction has the value of a SCEV of its type wherever a block runs, in all iterations of the innermost loop
// around that: it is computed before, and no poison where the SCEV is none.
bool polyHostLlvmStandsFor(PolyLlvmAnalysis *analysis, LLVMValueRef instruction,
                           const PolyLlvmScev *scev, LLVMBasicBlockRef block);

// The address of a load which was moved out of loops (plugin/host/hoist.cpp), where these have iterations, and the
// condition for that; null if a load is none of these.
LLVMValueRef polyHostLlvmGuarded(LLVMValueRef load, LLVMValueRef *condition);

// The value that a pointer is an offset from, with the offset in bytes; null if there is no such value. `inbounds`: the
// offset is added by instructions that keep within one object.
LLVMValueRef polyHostLlvmBase(PolyLlvmAnalysis *analysis, LLVMValueRef pointer,
                              LLVMBasicBlockRef block,
                              const PolyLlvmScev **offset, bool *inbounds);

// An address as its instructions compute it: a base, to which multiples of values are added, and a constant. Returns
// how many values there are; more than `capacity` if there is no such form.
uint32_t polyHostLlvmAddress(LLVMValueRef pointer, LLVMValueRef *values,
                             int64_t *scales, uint32_t capacity,
                             int64_t *constant, LLVMValueRef *base);

// The signed range of an integer value of at most 64 bits.
void polyHostLlvmRange(PolyLlvmAnalysis *analysis, LLVMValueRef value,
                       int64_t *least, int64_t *most);

// Whether the object that a pointer is into dies with a run of some accesses: it is made in the function, each time that
// `around` runs if the accesses are in a loop (its header, or null), no other instruction looks at it but to free it, and
// nobody else has its address.
bool polyHostLlvmDies(PolyLlvmAnalysis *analysis, LLVMValueRef pointer,
                      const LLVMValueRef *accesses, size_t count,
                      LLVMBasicBlockRef around);

// Whether a value is neither undef nor poison at the end of a block, or else the program is undefined anyway: so what
// LLVM knows of its range holds.
bool polyHostLlvmIsCertain(PolyLlvmAnalysis *analysis, LLVMValueRef value,
                           LLVMBasicBlockRef block);

// Whether anything that one base, and anything that another one points to is disjoint, as accessed by two instructions.
// `scoped`: the alias scopes of the instructions may be used.
bool polyHostLlvmDisjoint(PolyLlvmAnalysis *analysis, LLVMValueRef base,
                          LLVMValueRef instruction, LLVMValueRef otherBase,
                          LLVMValueRef otherInstruction, bool scoped);

// Whether an instruction neither touches memory nor does anything else than computing its value.
bool polyHostLlvmIsPure(LLVMValueRef instruction);

// Whether a call does nothing but compute a number and say in `errno` that there is none, in the same way as any other
// such call of the function, so that their order does not count: `errno` is none of what the function accesses. What it
// computes is stored in its block, so that code that stores the same makes the same calls.
bool polyHostLlvmSetsErrnoOnly(PolyLlvmAnalysis *analysis, LLVMValueRef call);

// What a call that cannot be described calls.
enum PolyLlvmCalled : uint32_t {
  // A pointer.
  PolyCallsPointer = 0,
  // Text in assembly language.
  PolyCallsAssembly = 1,
  // A function that this module does not define, and that does no more than say in `errno` whether there is a result.
  PolyCallsErrno = 2,
  // Another function that this module does not define.
  PolyCallsElsewhere = 3,
  // A function that this module defines.
  PolyCallsDefined = 4,
};

// Which of these it is.
PolyLlvmCalled polyHostLlvmCalled(LLVMValueRef call);

// Whether a call names a function of its own type, and takes no operand that must be a constant.
bool polyHostLlvmIsDirect(LLVMValueRef call);

// Whether a call sets memory to a byte, or copies it, in a plain way; `copies`: the latter, `moves`: of places that may
// overlap. The alignments of both places are known to be so many bytes.
bool polyHostLlvmTransfer(LLVMValueRef call, bool *copies, bool *moves,
                          uint64_t *to, uint64_t *from);

// Whether a branch is between the two versions of a loop of which the first one is not to be run: it only says what new
// code may do if nothing writes what is loaded in `before`, the block before it. Control is to go to `otherwise` else.
bool polyHostLlvmVersions(LLVMValueRef branch, LLVMBasicBlockRef *before,
                          LLVMBasicBlockRef *otherwise);

// Whether a memory access is neither volatile nor atomic, and aligned as its type asks for.
bool polyHostLlvmIsSimple(LLVMValueRef instruction);

// The bits of a floating-point constant of at most 64 bits; false if the value is none.
bool polyHostLlvmFloatBits(LLVMValueRef value, uint64_t *bits);

}

#endif
