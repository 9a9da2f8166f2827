// The flag exists only after the plugin was loaded; without the plugin there is none at all.

// RUN: not mlir-opt --poly-schedule --load-pass-plugin=%plugin %s 2>&1 | FileCheck %s
// RUN: not mlir-opt --poly-schedule %s 2>&1 | FileCheck %s
// CHECK: Unknown command line argument '--poly-schedule{{[^ ]*}}'

// A pipeline is parsed when the whole command line is known, so there the order does not matter.
// RUN: mlir-opt --pass-pipeline="builtin.module(func.func(poly-schedule))" --load-pass-plugin=%plugin %s
