// Points of tiles in blocks for registers: whole blocks in a buffer of their own while the loop along the updates runs.
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=false pack-tiles=none read-back=true" %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.err
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=true function=product" %s 2>/dev/null | FileCheck %s --check-prefix=THREADS
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=false register-tiles=false" %s 2>/dev/null | FileCheck %s --check-prefix=OFF

// Blocks fit the machine's registers.
// RUN: %mlir-opt --poly-schedule="parallel=false function=product" %s 2>/dev/null | FileCheck %s --check-prefix=GENERIC
// GENERIC: memref.alloca() {polyrs.promoted} : memref<4x8xf64>

// The read is of the code as it is before elements are held.
// SAID: remark: poly-schedule: scop: product:{{.*}} read-back=1

// OFF-NOT: memref.alloca
// OFF-NOT: vector.

// CHECK-LABEL: func.func @product
// CHECK:       %[[BUFFER:.*]] = memref.alloca() {polyrs.promoted} : memref<8x16xf64>
// All rows are in one tile.
// CHECK:       affine.for %{{.*}} = 0 to 64 step 32
// CHECK:       affine.for %{{.*}} = 0 to 64 step 32
// CHECK:       affine.for %[[I:.*]] = 0 to 64 step 8
// CHECK:       affine.for %[[J:.*]] = {{.*}} step 16
// CHECK:       affine.vector_load %arg2[%[[I]], %[[J]]] : memref<64x64xf64>, vector<16xf64>
// CHECK-NEXT:  affine.vector_store %{{.*}}, %[[BUFFER]][0, 0] : memref<8x16xf64>, vector<16xf64>
// CHECK:       affine.vector_load %arg2[%[[I]] + 7, %[[J]]]
// CHECK:       affine.for %[[K:.*]] =
// CHECK-NEXT:    affine.vector_load %[[BUFFER]]
// CHECK-NEXT:    affine.load %arg0[%[[I]] + %{{.*}}, %[[K]]]
// CHECK-NEXT:    affine.vector_load %arg1[%[[K]], %[[J]] + %{{.*}}] : memref<64x64xf64>, vector<16xf64>
// CHECK-NEXT:    vector.broadcast
// CHECK-NEXT:    arith.mulf %{{.*}}, %{{.*}} : vector<16xf64>
// CHECK-NEXT:    arith.addf %{{.*}}, %{{.*}} : vector<16xf64>
// CHECK-NEXT:    affine.vector_store %{{.*}}, %[[BUFFER]]
// CHECK-NOT:     affine.for
// CHECK:       affine.vector_load %[[BUFFER]][7, 0]
// CHECK-NEXT:  affine.vector_store %{{.*}}, %arg2[%[[I]] + 7, %[[J]]]

// Each thread has its own.
// THREADS-LABEL: func.func @product
// THREADS-NOT:   memref.alloca
// THREADS:       affine.parallel
// THREADS-NEXT:    memref.alloca() {polyrs.promoted} : memref<8x16xf64>
func.func @product(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %a = affine.load %A[%i, %k] : memref<64x64xf64>
        %b = affine.load %B[%k, %j] : memref<64x64xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<64x64xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<64x64xf64>
      }
    }
  }
  return
}

// Elements that are no neighbours are loaded one by one; rows of 32-bit numbers are twice as long.
// CHECK-LABEL: func.func @transposed
// CHECK:       memref.alloca() {polyrs.promoted} : memref<8x32xf32>
// CHECK:       vector.from_elements {{.*}} : vector<32xf32>
func.func @transposed(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %a = affine.load %A[%i, %k] : memref<64x64xf32>
        %b = affine.load %B[%j, %k] : memref<64x64xf32>
        %p = arith.mulf %a, %b : f32
        %c = affine.load %C[%i, %j] : memref<64x64xf32>
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<64x64xf32>
      }
    }
  }
  return
}

// A number made of the index is computed in loops as they are.
// CHECK-LABEL: func.func @counted
// CHECK:       memref.alloca() {polyrs.promoted} : memref<8x16xf64>
// CHECK:       affine.for %{{.*}} = 0 to 8 {
// CHECK-NEXT:    affine.for %{{.*}} = 0 to 16 {
// CHECK-NOT:   vector
// CHECK:       return
func.func @counted(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %a = affine.load %A[%i, %k] : memref<64x64xf64>
        %b = affine.load %B[%k, %j] : memref<64x64xf64>
        %p = arith.mulf %a, %b : f64
        %n = arith.index_cast %j : index to i64
        %f = arith.sitofp %n : i64 to f64
        %q = arith.mulf %p, %f : f64
        %c = affine.load %C[%i, %j] : memref<64x64xf64>
        %s = arith.addf %c, %q : f64
        affine.store %s, %C[%i, %j] : memref<64x64xf64>
      }
    }
  }
  return
}
