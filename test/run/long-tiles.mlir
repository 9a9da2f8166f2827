// Tiles that are long along the rows of blocks, operands that are packed scaled, blocks as wide as a short loop, and rows that
// are counted down: what they hold, and that they compute what the loops did.

// RUN: %equal --with="parallel=false machine=%S/../machine.txt" --with="parallel=true machine=%S/../machine.txt" --sizes=5 --sizes=40 --sizes=300 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt" %s 2>/dev/null | FileCheck %s

// The buffer holds products.
// CHECK-LABEL: @scaled
// CHECK:         affine.for {{.*}} step 224
// CHECK-NEXT:      affine.for {{.*}} step 336
// CHECK:             affine.for {{.*}} step 56
// CHECK:               [[SCALED:%.*]] = arith.mulf
// CHECK-NEXT:          affine.store [[SCALED]], {{.*}} : memref<56x70xf64>
// EXPECT: tiled
// shape A: n, 70
// shape B: 70, m
// shape C: n, m
func.func @scaled(%n: index, %m: index, %alpha: f64, %A: memref<?x70xf64>, %B: memref<70x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n { affine.for %k = 0 to 70 { affine.for %j = 0 to %m {
    %a = affine.load %A[%i, %k] : memref<?x70xf64>
    %b = affine.load %B[%k, %j] : memref<70x?xf64>
    %c = affine.load %C[%i, %j] : memref<?x?xf64>
    %x = arith.mulf %alpha, %a : f64
    %p = arith.mulf %x, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// All of a row is one block.
// CHECK-LABEL: @short
// CHECK:         memref.alloca() {polyrs.padded, polyrs.promoted} : memref<[[ROWS:[0-9]+]]x16xf32>
// CHECK:         affine.vector_load {{.*}} + 6] : memref<70x14xf32>, vector<8xf32>
// EXPECT: tiled
// shape A: n, 70
// shape C: n, 14
func.func @short(%n: index, %A: memref<?x70xf32>, %B: memref<70x14xf32>, %C: memref<?x14xf32>) {
  affine.for %i = 0 to %n { affine.for %k = 0 to 70 { affine.for %j = 0 to 14 {
    %a = affine.load %A[%i, %k] : memref<?x70xf32>
    %b = affine.load %B[%k, %j] : memref<70x14xf32>
    %c = affine.load %C[%i, %j] : memref<?x14xf32>
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    affine.store %s, %C[%i, %j] : memref<?x14xf32>
  } } }
  return
}

// What goes down is held as well.
// CHECK-LABEL: @down
// CHECK:         memref.alloca() {polyrs.promoted} : memref<[[ROWS:[0-9]+]]x[[COLUMNS:[0-9]+]]xf64>
// CHECK:         affine.vector_load {{.*}} : memref<70x64xf64>, vector<[[COLUMNS]]xf64>
// EXPECT: tiled
// shape A: n, 70
// shape C: n, 64
func.func @down(%n: index, %A: memref<?x70xf64>, %B: memref<70x64xf64>, %C: memref<?x64xf64>) {
  affine.for %i = 0 to %n { affine.for %k = 0 to 70 { affine.for %j = 0 to 64 {
    %a = affine.load %A[-%i + symbol(%n) - 1, -%k + 69] : memref<?x70xf64>
    %b = affine.load %B[-%k + 69, %j] : memref<70x64xf64>
    %c = affine.load %C[-%i + symbol(%n) - 1, %j] : memref<?x64xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %C[-%i + symbol(%n) - 1, %j] : memref<?x64xf64>
  } } }
  return
}
