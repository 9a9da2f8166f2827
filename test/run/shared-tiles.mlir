// Threads share tiles of rows and columns together, where there are few along rows alone.
// RUN: %equal --with="parallel=true machine=%S/../many-cores.txt profitability=off" --with="parallel=true machine=%S/../many-cores.txt tile-sizes=12,5,4" --with="parallel=true machine=%S/../many-cores.txt tile-sizes=4,6,4 read-back=true" --with="parallel=true machine=%S/../many-cores.txt pack-tiles=all" --sizes=1,2,3 --sizes=33,40,70 --sizes=64,64,64 --sizes=70,65,31 --sizes=0,5,5 --sizes=9,9,0 %s
// RUN: %mlir-opt --poly-schedule="parallel=true machine=%S/../many-cores.txt tile-sizes=12,5,4" %s 2>/dev/null | FileCheck %s
// RUN: %mlir-opt --poly-schedule="parallel=true machine=generic tile-sizes=12,5,4" %s 2>/dev/null | FileCheck %s --check-prefix=FEW-CORES

// CHECK-LABEL: func.func @product
// CHECK:         affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (symbol(%arg0), symbol(%arg1)) step (12, 5) {
// FEW-CORES-LABEL: func.func @product
// FEW-CORES:         affine.parallel (%{{[a-z0-9_]+}}) = (0) to (symbol(%arg0)) step (12) {
// shape A: n, k
// shape B: k, m
// shape C: n, m
// EXPECT: tiled parallel
func.func @product(%n: index, %m: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// Of a box around a triangle a condition says which tiles there are.
// CHECK-LABEL: func.func @lower
// CHECK:         affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to ({{.*}}) step (12, 5) {
// CHECK-NOT:       affine.for
// CHECK:           affine.if
// CHECK:             affine.for
// shape A: n, k
// shape C: n, n
// EXPECT: tiled parallel
func.func @lower(%n: index, %m: index, %k: index, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %A[%j, %l] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// Above the diagonal tiles of columns begin at the last one before the row's.
// CHECK-LABEL: func.func @upper
// CHECK:         affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to ({{.*}}) step (12, 5) {
// CHECK-NOT:       affine.for
// CHECK:           affine.if
// shape A: k, n
// shape C: n, n
// EXPECT: tiled parallel
func.func @upper(%n: index, %m: index, %k: index, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%l, %i] : memref<?x?xf64>
        %b = affine.load %A[%l, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
