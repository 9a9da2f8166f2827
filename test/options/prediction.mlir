// The remark about rewritten code says how much faster the cost model takes it to be; about code that stays, and about
// a schedule from a file, it says nothing.
//
// RUN: %mlir-opt --poly-schedule="parallel=false save-schedule=%t.%%.yaml" %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %mlir-opt --poly-schedule="parallel=false load-schedule=%t.%%.yaml" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOADED

// CHECK: scop: product:{{.*}} predicted={{([2-9]|[1-9][0-9]+)}}.{{[0-9]}}x
// CHECK: scop: copy:
// CHECK-NOT: predicted
// CHECK-SAME: left as it is
// LOADED: scop: product:
// LOADED-NOT: predicted

func.func @product(%A: memref<500x500xf64>, %B: memref<500x500xf64>, %C: memref<500x500xf64>) {
  affine.for %i = 0 to 500 {
    affine.for %j = 0 to 500 {
      affine.for %k = 0 to 500 {
        %a = affine.load %A[%i, %k] : memref<500x500xf64>
        %b = affine.load %B[%k, %j] : memref<500x500xf64>
        %c = affine.load %C[%i, %j] : memref<500x500xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<500x500xf64>
      }
    }
  }
  return
}

func.func @copy(%A: memref<500xf64>, %B: memref<500xf64>) {
  affine.for %i = 0 to 500 {
    %a = affine.load %A[%i] : memref<500xf64>
    affine.store %a, %B[%i] : memref<500xf64>
  }
  return
}
