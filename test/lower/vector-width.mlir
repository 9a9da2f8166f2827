// The width that LLVM is told to prefer: only when asked for, once, and on outlined bodies too.

// RUN: %mlir-opt --poly-prefer-vector-width %s | FileCheck %s
// RUN: %mlir-opt --poly-prefer-vector-width="bits=512" --poly-prefer-vector-width="bits=256" %s | FileCheck %s
// CHECK: func.func @loop({{.*}}passthrough = ["noinline", ["prefer-vector-width", "256"]]

// RUN: %mlir-opt --poly-lower-openmp="prefer-vector-width=512" %s | FileCheck %s --check-prefix=OPENMP
// OPENMP-DAG: llvm.func @loop({{.*}}"512"
// OPENMP-DAG: llvm.func internal @loop_parallel_0({{.*}}"512"

// RUN: %mlir-opt --poly-lower-x86 %s | FileCheck %s --check-prefix=DEFAULT
// DEFAULT-NOT: prefer-vector-width

// RUN: not %mlir-opt --poly-lower-x86="prefer-vector-width=100" %s 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: poly-lower-x86: option 'prefer-vector-width': '100' is not one of 128, 256, 512

func.func @loop(%a: memref<?xf64>, %n: index) attributes {passthrough = ["noinline"]} {
  %zero = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (%n) {
    affine.store %zero, %a[%i] : memref<?xf64>
  }
  return
}
