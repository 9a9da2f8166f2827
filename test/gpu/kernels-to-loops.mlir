// Kernels as loops over blocks and threads, in both orders.

// RUN: %mlir-opt --lower-affine --poly-kernels-to-loops --split-input-file %s | FileCheck %s
// RUN: %mlir-opt --lower-affine --poly-kernels-to-loops=threads=backward --split-input-file %s | FileCheck %s --check-prefix=BACKWARD
// RUN: not %mlir-opt --poly-kernels-to-loops=threads=sideways %s 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER: option 'threads': 'sideways' is not one of forward, backward

// CHECK-LABEL: func.func @fill
// CHECK-NOT:   gpu.
// CHECK:       %[[D:.*]] = memref.alloc(%arg0)
// CHECK:       memref.copy %arg1, %[[D]]
// CHECK-COUNT-6: scf.for
// CHECK:       memref.store %{{.*}}, %[[D]]
// CHECK:       memref.copy %[[D]], %arg1
// CHECK:       memref.dealloc %[[D]]

// BACKWARD-COUNT-3: scf.for
// BACKWARD: arith.subi %arg0, %{{.*}}
func.func @fill(%n: index, %A: memref<?xindex>) {
  %one = arith.constant 1 : index
  %D = gpu.alloc (%n) : memref<?xindex>
  gpu.memcpy %D, %A : memref<?xindex>, memref<?xindex>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %one, %gz = %one)
      threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    memref.store %gx, %D[%bx] : memref<?xindex>
    gpu.terminator
  }
  gpu.memcpy %A, %D : memref<?xindex>, memref<?xindex>
  gpu.dealloc %D : memref<?xindex>
  return
}
