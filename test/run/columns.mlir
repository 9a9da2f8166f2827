// Rows that are added up several at a time: as many columns as a line of memory has are loaded as parts of rows, and transposed.

// RUN: %equal --with="parallel=false machine=%S/../machine.txt" --with="parallel=true machine=%S/../machine.txt" --sizes=5 --sizes=31 --sizes=32 --sizes=33 --sizes=64 --sizes=79 --sizes=0 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt" %s 2>/dev/null | FileCheck %s

// CHECK-LABEL: @product
// CHECK:         affine.for %[[COLUMN:.*]] = 0 to {{.*}} step 16
// CHECK-NEXT:      affine.if
// CHECK:             affine.vector_load %{{.*}}[{{.*}}, %[[COLUMN]]] : memref<?x?xf32>, vector<16xf32>
// CHECK:             vector.shuffle
// CHECK:           else
// CHECK-NEXT:        affine.for %{{.*}} = #{{.*}}(%[[COLUMN]]) to
// EXPECT: tiled
// shape A: n, m
// shape x: m
// shape y: n
func.func @product(%n: index, %m: index, %A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[%i, %j] : memref<?x?xf32>
    %b = affine.load %x[%j] : memref<?xf32>
    %c = affine.load %y[%i] : memref<?xf32>
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    affine.store %s, %y[%i] : memref<?xf32>
  } }
  return
}

// Two arrays, one of them from its second column on, and a triangle: where rows begin is another column for each block.
// CHECK-LABEL: @triangle
// EXPECT: found
// shape A: n, n
// shape B: n, n + 1
// shape y: n
func.func @triangle(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n { affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
    %a = affine.load %A[%i, %j] : memref<?x?xf64>
    %b = affine.load %B[%i, %j + 1] : memref<?x?xf64>
    %c = affine.load %y[%i] : memref<?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.subf %c, %p : f64
    affine.store %s, %y[%i] : memref<?xf64>
  } }
  return
}
