// Functions that LLVM has an intrinsic for are no calls, on one thread and on several.

// RUN: %mlir-opt --poly-lower-x86 %s | FileCheck %s
// RUN: %mlir-opt --poly-lower-openmp %s | FileCheck %s

// CHECK-LABEL: llvm.func @functions
// CHECK-NOT:     llvm.call @
// CHECK:         llvm.intr.abs
// CHECK-NOT:     llvm.call @
// CHECK:         llvm.intr.sqrt({{.*}}) : (vector<8xf32>) -> vector<8xf32>
// CHECK-NOT:     llvm.call @
func.func @functions(%a: memref<64xi32>, %v: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xi32>
    %1 = math.absi %0 : i32
    affine.store %1, %a[%i] : memref<64xi32>
  }
  affine.for %i = 0 to 64 step 8 {
    %0 = affine.vector_load %v[%i] : memref<64xf32>, vector<8xf32>
    %1 = math.sqrt %0 : vector<8xf32>
    affine.vector_store %1, %v[%i] : memref<64xf32>, vector<8xf32>
  }
  return
}
