// A loop holds what it updates in a buffer; a tile of the same array that is packed in it would be of what memory had
// before. Nothing is held there then.
// RUN: %equal --with="parallel=false load-schedule=%S/Inputs/packed-held.yaml" --sizes=64,64,64 %s
// RUN: %mlir-opt --poly-schedule="parallel=false load-schedule=%S/Inputs/packed-held.yaml" %s 2>&1 | FileCheck %s
// CHECK: remark: poly-schedule: scop: held:{{.*}} packed=
// CHECK-NOT: memref<4x16xf64>

// shape A: 64, 64
// shape B: 64, 64
// shape C: 64, 64
// shape D: 64, 64
func.func @held(%n: index, %m: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %l = 0 to 64 {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
        %c2 = affine.load %C[%i, %j] : memref<?x?xf64>
        %d = affine.load %D[%i, %j] : memref<?x?xf64>
        %q = arith.mulf %c2, %a : f64
        %t = arith.addf %d, %q : f64
        affine.store %t, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
