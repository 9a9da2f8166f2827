// LLVM vectorizes the inner loop without a run-time check of overlap, in the function itself and in the body that
// OpenMP outlines; without the assumption it checks, or leaves the loop scalar.

// RUN: %mlir-opt --poly-lower-x86 %s | mlir-translate --mlir-to-llvmir | opt -O3 -discard-value-names=false -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -S \
// RUN:   | FileCheck %s
// RUN: %mlir-opt --poly-lower-openmp %s | mlir-translate --mlir-to-llvmir | opt -O3 -discard-value-names=false -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -S \
// RUN:   | FileCheck %s
// RUN: %mlir-opt --poly-lower-x86="assume-noalias=false" %s | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O3 -discard-value-names=false -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -S | FileCheck %s --check-prefix=CHECKED
// RUN: %mlir-opt --poly-lower-openmp="assume-noalias=false" %s | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O3 -discard-value-names=false -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -S | FileCheck %s --check-prefix=CHECKED

// CHECK-NOT: found.conflict
// CHECK: store <4 x double>
// CHECK-NOT: found.conflict
// CHECKED: found.conflict
func.func @rows(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?xf64>, %n: index, %m: index) {
  affine.parallel (%i) = (0) to (%n) {
    affine.for %j = 0 to %m {
      %v = affine.load %b[%i, %j] : memref<?x?xf64>
      %w = affine.load %c[%j] : memref<?xf64>
      %s = arith.addf %v, %w : f64
      affine.store %s, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
