// What vectors would read across rows is packed before the blocks of a tile, and what is computed of each element of it
// with it.
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=false read-back=true" %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.err
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=true" %s 2>/dev/null | FileCheck %s --check-prefix=THREADS
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=false pack-tiles=none" %s 2>&1 | FileCheck %s --check-prefix=OFF

// SAID: remark: poly-schedule: scop: scaled:{{.*}} packed=1 {{.*}} read-back=1

// OFF-NOT: packed=
// OFF-NOT: vector.shuffle

// CHECK-LABEL: func.func @scaled
// CHECK:       %[[TILE:.*]] = memref.alloca() {alignment = 64 : i64, polyrs.promoted} : memref<128x192xf64>
// CHECK:       affine.for %{{.*}} step 256
// CHECK:       affine.for %[[J0:.*]] = {{.*}} step 192
// CHECK:       affine.for %[[K0:.*]] = {{.*}} step 128
// Zeros behind the last row, which cut blocks compute with.
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      affine.for
// CHECK-NEXT:        arith.constant 0.0
// CHECK-NEXT:        affine.store
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %[[J:.*]] = {{.*}} step 8
// CHECK-NEXT:      affine.for %[[K:.*]] = {{.*}} step 8
// CHECK-NEXT:        affine.if
// CHECK-NEXT:          %[[ROW:.*]] = affine.vector_load %arg4[%[[J]], %[[K]]] : memref<?x?xf64>, vector<8xf64>
// CHECK:               arith.mulf %{{.*}}, %[[ROW]] {{.*}}: vector<8xf64>
// CHECK:               affine.vector_load %arg4[%[[J]] + 7, %[[K]]]
// CHECK-COUNT-24:      vector.shuffle
// CHECK-NEXT:          affine.vector_store %{{.*}}, %[[TILE]][-%[[K0]] + %[[K]], {{.*}}] : memref<128x192xf64>, vector<8xf64>
// CHECK:               affine.vector_store %{{.*}}, %[[TILE]][-%[[K0]] + %[[K]] + 7,
// CHECK:             } else {
// CHECK-NEXT:          affine.for %{{.*}} = #{{.*}}(%[[J]]) to min
// CHECK-NEXT:            affine.for %{{.*}} = #{{.*}}(%[[K]]) to min
// CHECK-NEXT:              affine.load %arg4
// CHECK-NEXT:        arith.mulf
// CHECK-NEXT:        affine.store %{{.*}}, %[[TILE]]
// CHECK:       affine.for %{{.*}} step 8
// CHECK-NEXT:    affine.for %{{.*}} step 16
// CHECK-NOT:         affine.load %arg4
// CHECK-NOT:         affine.vector_load %arg4
// CHECK:             affine.store %{{.*}}, %arg5

// A thread has a buffer of its own.
// THREADS-LABEL: func.func @scaled
// THREADS-NOT:   memref.alloca
// THREADS:       affine.parallel
// THREADS-DAG:     memref.alloca() {polyrs.promoted} : memref<8x16xf64>
// THREADS-DAG:     memref.alloca() {alignment = 64 : i64, polyrs.promoted} : memref<128x192xf64>
func.func @scaled(%n: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%j, %l] : memref<?x?xf64>
        %x = arith.mulf %alpha, %b : f64
        %p = arith.mulf %a, %x : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
