// What stays on the host, or is refused for a GPU: the code is as it was, and a remark says why.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --split-input-file %s | FileCheck %s

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

// -----

// A kernel would know the buffer under a name that is still the host's.
// REMARK: remark: poly-schedule: refused: the new code does not fit: a kernel accesses a buffer through a view of it, or under another name
// CHECK-LABEL: func.func @view
// CHECK-NOT: gpu.
// CHECK: return
func.func @view(%A: memref<16xi64>) {
  %c1 = arith.constant 1 : i64
  %B = memref.cast %A : memref<16xi64> to memref<?xi64>
  affine.for %i = 0 to 8 {
    affine.store %c1, %B[%i] : memref<?xi64>
  }
  return
}

// -----

// REMARK: remark: poly-schedule: refused: the new code does not fit: a kernel accesses a buffer through a view of it, or under another name
// CHECK-LABEL: func.func @two_names
// CHECK-NOT: gpu.
// CHECK: return
memref.global @g : memref<16xi64> = uninitialized
func.func @two_names() {
  %A = memref.get_global @g : memref<16xi64>
  %B = memref.get_global @g : memref<16xi64>
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<16xi64>
    affine.store %a, %B[%i + 8] : memref<16xi64>
  }
  return
}

// -----

// REMARK: remark: poly-schedule: refused: the new code does not fit: a kernel calls a function, copies a buffer, or uses memory of its own
// CHECK-LABEL: func.func @global_inside
// CHECK-NOT: gpu.
// CHECK: return
memref.global @h : memref<16xi64> = uninitialized
func.func @global_inside(%A: memref<16xi64>) {
  affine.for %i = 0 to 16 {
    %B = memref.get_global @h : memref<16xi64>
    %a = affine.load %A[%i] : memref<16xi64>
    affine.store %a, %B[%i] : memref<16xi64>
  }
  return
}

// -----

// Other iterations would copy other states of the same array back.
// REMARK: remark: poly-schedule: refused: the new code does not fit: kernels are in a parallel loop
// CHECK-LABEL: func.func @in_parallel
// CHECK-NOT: gpu.
// CHECK: return
func.func private @ext()
func.func @in_parallel(%n: index, %A: memref<?x64xi64>) {
  %c1 = arith.constant 1 : i64
  affine.parallel (%p) = (0) to (%n) {
    func.call @ext() : () -> ()
    affine.for %i = 0 to 64 {
      %a = affine.load %A[%p, %i] : memref<?x64xi64>
      %b = arith.addi %a, %c1 : i64
      affine.store %b, %A[%p, %i] : memref<?x64xi64>
    }
  }
  return
}
