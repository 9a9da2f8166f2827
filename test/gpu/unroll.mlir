// A thread that goes through a column or a row by itself loads 16 elements ahead: LLVM is told to unroll its loop.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off shared-memory=false" --poly-lower-nvptx=dump=kernels --split-input-file %s 2>&1 >%t | FileCheck %s

// CHECK-LABEL: llvm.func @columns_1(
// CHECK:         llvm.loop_annotation = #llvm.loop_annotation<unroll = <count = 16 : i32>>
func.func @columns(%A: memref<?x?xf64>, %x: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %s = affine.load %x[%i] : memref<?xf64>
      %new = arith.addf %s, %a : f64
      affine.store %new, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// One that stores in each iteration would not get its loads past the stores.
// CHECK-LABEL: llvm.func @recurrence_1(
// CHECK-NOT:     llvm.loop_annotation
// CHECK:         llvm.return
func.func @recurrence(%A: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to %n {
      %a = affine.load %A[%j - 1, %i] : memref<?x?xf64>
      %b = affine.load %A[%j, %i] : memref<?x?xf64>
      %new = arith.addf %a, %b : f64
      affine.store %new, %A[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

// -----

// A loop of known length is LLVM's to unroll.
// CHECK-LABEL: llvm.func @short_1(
// CHECK-NOT:     llvm.loop_annotation
// CHECK:         llvm.return
func.func @short(%A: memref<?x?xf64>, %x: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 7 {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %s = affine.load %x[%i] : memref<?xf64>
      %new = arith.addf %s, %a : f64
      affine.store %new, %x[%i] : memref<?xf64>
    }
  }
  return
}
