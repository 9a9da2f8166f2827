// A buffer that is allocated in the region is the device's alone. What the host allocates for it may be freed once the
// runtime is done with the region, and not before.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=COPIES
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --poly-lower-nvptx %s 2>/dev/null | FileCheck %s

// COPIES-LABEL:   func.func @local
// COPIES-COUNT-2: gpu.alloc
// COPIES-NOT:     gpu.memcpy %alloc
// COPIES:         gpu.memcpy %{{.*}}, %arg0
// COPIES-NOT:     gpu.memcpy
// COPIES:         memref.dealloc

// CHECK-LABEL: llvm.func @local
// CHECK:         llvm.call @polyrs_gpu_begin_if
// CHECK-NOT:     llvm.call @free
// CHECK:         llvm.call @polyrs_gpu_end
// CHECK-NOT:     polyrs_gpu
// CHECK:         llvm.call @free
func.func @local(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %t = 0 to 1 {
    %T = memref.alloc() : memref<1000xf32>
    affine.for %i = 0 to 1000 {
      %x = affine.load %A[0] : memref<?xf32>
      affine.store %x, %T[%i] : memref<1000xf32>
    }
    affine.for %i = 1 to %n {
      %x = affine.load %C[%i - 1] : memref<?xf32>
      %b = affine.load %B[%i] : memref<?xf32>
      %y = arith.subf %b, %x : f32
      affine.store %y, %C[%i] : memref<?xf32>
    }
    memref.dealloc %T : memref<1000xf32>
  }
  return
}
