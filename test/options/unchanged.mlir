// Where the code found is the original's, the IR is not touched: values stay in SSA, nothing is guarded.
//
// RUN: %mlir-opt --poly-schedule %s -o %t.out 2>%t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: %mlir-opt %s -o %t.original
// RUN: diff %t.original %t.out
//
// With other tiles or threads it is another code.
// RUN: %mlir-opt --poly-schedule="function=free" %S/parallel.mlir 2>&1 | FileCheck %s --check-prefix=CHANGED

// CHECK: remark: poly-schedule: scop: prefix_sum:{{.*}}; left as it is: the best code found is the original; {{.*}} (machine: generic)
// CHANGED: remark: poly-schedule: scop: free:
// CHANGED-NOT: left as it is
// CHANGED: affine.parallel

func.func @prefix_sum(%n: index, %A: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %A[%i] : memref<?xf64>
  }
  return
}
