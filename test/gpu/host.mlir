// What stays on the host, or is refused for a GPU: the code is as it was, and a remark says why.

// RUN: %mlir-opt --poly-schedule="target=gpu" --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: %mlir-opt --poly-schedule="target=gpu" --split-input-file %s | FileCheck %s

// Each element needs the one before.
// REMARK: remark: poly-schedule: refused: none of its loops can run in parallel on a GPU
// CHECK-LABEL: func.func @chain
// CHECK-NOT: gpu.
// CHECK: return
func.func @chain(%n: index, %A: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %A[%i] : memref<?xf64>
  }
  return
}

// -----

// Copies of a buffer with strides would need a layout of their own.
// REMARK: remark: poly-schedule: refused: the new code does not fit: a buffer with strides, or in a memory space, cannot be copied to a device
// CHECK-LABEL: func.func @strided
// CHECK-NOT: gpu.
// CHECK: return
func.func @strided(%n: index, %A: memref<?xf64, strided<[2]>>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64, strided<[2]>>
    %b = arith.addf %a, %a : f64
    affine.store %b, %A[%i] : memref<?xf64, strided<[2]>>
  }
  return
}

// -----

// What comes before the first kernel runs on the host, before anything is copied.
// CHECK-LABEL: func.func @first_on_the_host
// CHECK:       affine.for
// CHECK:         affine.store %{{.*}}, %[[A:arg[0-9]+]][
// CHECK:       gpu.memcpy %[[D:.*]], %[[A]]
// CHECK:       gpu.launch
// CHECK:         affine.load %[[D]]
func.func @first_on_the_host(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %A[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  return
}
