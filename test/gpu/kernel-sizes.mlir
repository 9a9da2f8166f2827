// Sizes of single kernels by their numbers: the others have those of all kernels, or a model's, and blocks are no larger than tiles unless users say so.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off dump=ast kernel-sizes=0:8,16:2,4:5,6+2:16" %s 2>&1 | FileCheck %s
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off dump=ast tile-sizes=8 kernel-sizes=1::3:7" %s 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %opt -poly-schedule="target=gpu;kernel-sizes=0:8,16:2,4" -passes=poly-schedule -disable-output %S/Inputs/empty.ll

// Tiles of 8 by 16, in blocks of 2 by 4 threads, at most 5 by 6 of them.
// CHECK:     kernel<<<c0 < min(floord(arg3 - 1, 8) + 1, 5), c1 < min(floord(arg3 - 1, 16) + 1, 6); c2 < 2, c3 < 4>>> {
// The second one has what kernels have.
// CHECK:     kernel<<<{{.*}} < floord(arg3 - 1, 32) + 1, {{.*}} < floord(arg3 - 1, 32) + 1; {{.*}} < 8, {{.*}} < 32>>> {
// Tiles of 16, and no more threads.
// CHECK:     kernel<<<{{c[0-9]+}} < floord(arg3 - 1, 16) + 1; {{c[0-9]+}} < 16>>> {
// CHECK-NOT: kernel<<<

// ALL: kernel<<<c0 < floord(arg3 - 1, 8) + 1, c1 < floord(arg3 - 1, 8) + 1; c2 < 8, c3 < 8>>> {
// ALL: kernel<<<{{c[0-9]+}} < min(floord(arg3 - 1, 8) + 1, 1), {{c[0-9]+}} < min(floord(arg3 - 1, 8) + 1, 7); {{c[0-9]+}} < 1, {{c[0-9]+}} < 3>>> {
// ALL: kernel<<<{{c[0-9]+}} < floord(arg3 - 1, 8) + 1; {{c[0-9]+}} < 8>>> {
func.func @three(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %x: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %a : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %b = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.mulf %a, %b : f64
      affine.store %s, %B[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %a = affine.load %B[%i, 0] : memref<?x?xf64>
    %b = affine.load %B[0, %i] : memref<?x?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %x[%i] : memref<?xf64>
  }
  return
}
