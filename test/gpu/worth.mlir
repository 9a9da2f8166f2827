// Kernels run where they are expected to be faster than the CPU, copies and launches included: known here, or when the program runs.

// RUN: %mlir-opt --poly-schedule="target=gpu" --split-input-file %s 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK: remark: poly-schedule: refused: the CPU is expected to take {{[0-9]+}} ns less than the GPU, copies included; profitability=off has kernels all the same
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     gpu.
func.func @few(%A: memref<100xf64>, %B: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    %a = affine.load %A[%i] : memref<100xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %B[%i] : memref<100xf64>
  }
  return
}

// -----

// REMARK: remark: poly-schedule: scop: many{{.*}} kernels=1
// CHECK-LABEL: func.func @many(
// CHECK-NOT:     arith.cmpf
// CHECK:         %[[BOTH:.*]] = arith.andi %true{{.*}}, %true{{.*}} {polyrs.worth}
// CHECK:         scf.if %[[BOTH]]
func.func @many(%A: memref<1000x1000xf64>, %B: memref<1000x1000xf64>, %C: memref<1000x1000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      affine.for %k = 0 to 1000 {
        %a = affine.load %A[%i, %k] : memref<1000x1000xf64>
        %b = affine.load %B[%k, %j] : memref<1000x1000xf64>
        %c = affine.load %C[%i, %j] : memref<1000x1000xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<1000x1000xf64>
      }
    }
  }
  return
}

// -----

// As many operations as the loops have, and the bytes of the arrays: 8 for an element of A, twice as many for one of B.
// REMARK: remark: poly-schedule: scop: some{{.*}} kernels=1
// CHECK-LABEL: func.func @some(
// CHECK:         arith.mulf
// CHECK:         %[[GAIN:.*]] = arith.subf
// CHECK:         %[[WORTH:.*]] = arith.cmpf oge, %[[GAIN]], %{{.*}} : f64
// CHECK:         %[[BOTH:.*]] = arith.andi %{{.*}}, %[[WORTH]] {polyrs.worth}
// CHECK:         scf.if %[[BOTH]]
func.func @some(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t = 0 to %n {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf64>
      %b = affine.load %B[%i] : memref<?xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %B[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// What cannot run in parallel, between two loops that can, runs in one thread of the device, so that nothing is copied in
// between; that thread takes longer than the CPU for all of it.
// REMARK: remark: poly-schedule: refused: the CPU is expected to take {{[0-9]+}} ns less than the GPU
// CHECK-LABEL: func.func @alone(
// CHECK-NOT:     gpu.
func.func @alone(%A: memref<1000x1000xf64>, %B: memref<1000x1000xf64>, %C: memref<1000x1000xf64>, %s: memref<1xf64>) {
  affine.for %t = 0 to 100 {
    affine.for %i = 0 to 1000 {
      affine.for %j = 0 to 1000 {
        %a = affine.load %A[%i, %j] : memref<1000x1000xf64>
        %b = affine.load %B[%i, %j] : memref<1000x1000xf64>
        %sum = arith.addf %a, %b : f64
        affine.store %sum, %B[%i, %j] : memref<1000x1000xf64>
      }
    }
  }
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %b = affine.load %B[%i, %j] : memref<1000x1000xf64>
      %old = affine.load %s[0] : memref<1xf64>
      %product = arith.mulf %old, %b : f64
      %new = arith.addf %product, %b : f64
      affine.store %new, %s[0] : memref<1xf64>
    }
  }
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %b = affine.load %B[%i, %j] : memref<1000x1000xf64>
      %last = affine.load %s[0] : memref<1xf64>
      %product = arith.mulf %last, %b : f64
      affine.store %product, %C[%i, %j] : memref<1000x1000xf64>
    }
  }
  return
}
