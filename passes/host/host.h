// What the C++ glue and the Rust side of the plugin say to each other.
//
// The tables are mirrored by `passes/host/src/lib.rs`, which has the functions from this file. The glue holds no
// policy: every name, text, default and decision comes from the Rust side through these tables, which live as long as
// the program does.

#ifndef POLYRS_HOST_H
#define POLYRS_HOST_H

#include "text.h"

#include "mlir-c/IR.h"

#include <cstddef>
#include <cstdint>

extern "C" {

// One option of a pass or of a pipeline. All options are texts here; the Rust side gives them types.
struct PolyOption {
  PolyText name;
  PolyText metavar;
  PolyText initial;
  PolyText help;
};

// A pass over one kind of operation.
struct PolyPass {
  PolyText argument;
  PolyText description;
  PolyText operation;
  const PolyOption *options;
  size_t optionCount;
  // Registers the dialects whose operations the pass may create.
  void (*dialects)(const PolyPass *self, MlirDialectRegistry registry);
  // Whether the option values are good; if not, an error text was written.
  bool (*check)(const PolyPass *self, const PolyText *values, size_t count,
                PolySink error);
  // Runs on one operation, possibly on several threads at once.
  PolyStatus (*run)(const PolyPass *self, MlirOperation operation,
                    const PolyText *values, size_t count);
};

// A named pipeline: the option values choose a textual pipeline, which upstream parses.
struct PolyPipeline {
  PolyText argument;
  PolyText description;
  const PolyOption *options;
  size_t optionCount;
  // Whether the option values are good. Writes the pipeline if so, else an error.
  bool (*expand)(const PolyPipeline *self, const PolyText *values, size_t count,
                 PolySink pipeline, PolySink error);
};

// The severities of `polyHostEmit`.
enum PolySeverity : uint32_t {
  // The tool will fail.
  PolyError = 0,
  // Something that the user should look at.
  PolyWarning = 1,
  // A text: the things that were done, or why something was not.
  PolyRemark = 2,
};

// Registers a pass with MLIR's registry.
void polyHostRegisterPass(const PolyPass *pass);

// Registers a pipeline.
void polyHostRegisterPipeline(const PolyPipeline *pipeline);

// Makes a registered pass or pipeline reachable as `--argument` of a tool whose command line was set
// up before the plugin was loaded. Returns false if the tool has no such command line.
bool polyHostAddFlag(PolyText argument);

// Reports a text at a location through the context's diagnostics engine.
void polyHostEmit(MlirLocation location, PolySeverity severity, PolyText text);

// Whether the operation and what is nested in it has no effect on memory. False if it does not say.
bool polyHostIsMemoryEffectFree(MlirOperation operation);

// Whether the operation may run where the original program would not have run it.
bool polyHostIsSpeculatable(MlirOperation operation);

// The flags about wrapping around of an address or integer operation of the LLVM dialect, as its bits; 0 for others.
uint32_t polyHostWrapFlags(MlirOperation operation);

// Sets them.
void polyHostSetWrapFlags(MlirOperation operation, uint32_t flags);

// The width of the index type by the data layout around an operation.
uint64_t polyHostIndexBits(MlirOperation operation);
}

#endif
