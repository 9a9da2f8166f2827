// Blocks for registers where something else happens at the ends of sums: it gets loops of its own, and the sums become vectors.
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=false" %s 2>/dev/null | FileCheck %s

// A quotient that is stored twice ties the ends of the sums together; the sums are rows of vectors in a buffer all the same, and what
// goes to the transposed place waits until they are back in theirs.
// CHECK-LABEL: func.func @mirrored
// CHECK:       %[[BUFFER:.*]] = memref.alloca() {polyrs.promoted} : memref<8x16xf64>
// CHECK:       affine.vector_load %arg1[%[[I:.*]], %[[J:.*]]] : memref<64x64xf64>, vector<16xf64>
// CHECK-NEXT:  affine.vector_store %{{.*}}, %[[BUFFER]][0, 0]
// CHECK:       affine.for %[[K:.*]] =
// CHECK-NEXT:    affine.vector_load %[[BUFFER]]
// CHECK-NOT:     arith.divf
// CHECK:         arith.addf %{{.*}}, %{{.*}} : vector<16xf64>
// CHECK:       affine.vector_load %[[BUFFER]][7, 0]
// CHECK-NEXT:  affine.vector_store %{{.*}}, %arg1[%[[I]] + 7, %[[J]]]
// CHECK:       arith.divf
func.func @mirrored(%A: memref<64x64xf64>, %C: memref<64x64xf64>, %n: f64) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 64 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 64 {
      affine.store %zero, %C[%i, %j] : memref<64x64xf64>
      affine.for %k = 0 to 64 {
        %a = affine.load %A[%k, %i] : memref<64x64xf64>
        %b = affine.load %A[%k, %j] : memref<64x64xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<64x64xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<64x64xf64>
      }
      %c = affine.load %C[%i, %j] : memref<64x64xf64>
      %q = arith.divf %c, %n : f64
      affine.store %q, %C[%i, %j] : memref<64x64xf64>
      affine.store %q, %C[%j, %i] : memref<64x64xf64>
    }
  }
  return
}
