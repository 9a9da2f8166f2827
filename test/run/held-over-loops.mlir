// Sums that stay in registers over all loops that leave them in place, rows of blocks of any length, and elements that are a few
// apart.

// RUN: %equal --with="parallel=false machine=%S/../machine.txt" --with="parallel=true machine=%S/../machine.txt" --sizes=3 --sizes=37 --sizes=0 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt" %s 2>/dev/null | FileCheck %s

// Every second element of a row of 28: what is between is loaded as well.
// CHECK-LABEL: @strided
// CHECK:         memref.alloca() {polyrs.padded, polyrs.promoted} : memref<1x[[ROWS:[0-9]+]]x1x32xf32>
// CHECK:         affine.vector_store {{.*}} : memref<1x[[ROWS]]x1x32xf32>, vector<16xf32>
// CHECK:         affine.for %{{.*}} = 0 to 8 {
// CHECK-NEXT:      affine.for %{{.*}} = 0 to 3 {
// CHECK-NEXT:        affine.for %{{.*}} = 0 to 3 {
// CHECK-NOT:     memref<1x16x28x28xf32>
// CHECK:         affine.vector_load {{.*}} : memref<1x8x57x57xf32>, vector<16xf32>
// CHECK-NEXT:    affine.vector_load {{.*}} + {{.*}} : memref<1x8x57x57xf32>, vector<16xf32>
// CHECK-NEXT:    vector.shuffle
// EXPECT: tiled
func.func @strided(%in: memref<1x8x57x57xf32>, %w: memref<16x8x3x3xf32>, %out: memref<1x16x28x28xf32>) {
  affine.for %f = 0 to 16 { affine.for %h = 0 to 28 { affine.for %x = 0 to 28 {
    affine.for %c = 0 to 8 { affine.for %i = 0 to 3 { affine.for %j = 0 to 3 {
      %a = affine.load %in[0, %c, 2 * %h + %i, 2 * %x + %j] : memref<1x8x57x57xf32>
      %b = affine.load %w[%f, %c, %i, %j] : memref<16x8x3x3xf32>
      %o = affine.load %out[0, %f, %h, %x] : memref<1x16x28x28xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      affine.store %s, %out[0, %f, %h, %x] : memref<1x16x28x28xf32>
    } } }
  } } }
  return
}

// Every third one, from the last to the first, in a row of 13; the loops inside may not run at all.
// CHECK-LABEL: @backwards
// CHECK:         polyrs.promoted
// EXPECT: tiled
// shape in: n, n + 4, 48
// shape w: 16, n, m
// shape out: 16, n, 13
func.func @backwards(%n: index, %m: index, %in: memref<?x?x48xf64>, %w: memref<16x?x?xf64>, %out: memref<16x?x13xf64>) {
  affine.for %f = 0 to 16 { affine.for %h = 0 to %n { affine.for %x = 0 to 13 {
    affine.for %c = 0 to %n { affine.for %i = 0 to min affine_map<()[m] -> (m, 4)>()[%m] {
      %a = affine.load %in[%c, %h + %i, -3 * %x + 40] : memref<?x?x48xf64>
      %b = affine.load %w[%f, %c, %i] : memref<16x?x?xf64>
      %o = affine.load %out[%f, %h, %x] : memref<16x?x13xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %o, %p : f64
      affine.store %s, %out[%f, %h, %x] : memref<16x?x13xf64>
    } }
  } } }
  return
}

// Integers of a row of 23, four apart, in three loops.
// CHECK-LABEL: @bytes
// EXPECT: found
func.func @bytes(%in: memref<6x9x9x96xi8>, %w: memref<20x6x3x2xi8>, %out: memref<20x7x8x23xi32>) {
  affine.for %f = 0 to 20 { affine.for %d = 0 to 7 { affine.for %h = 0 to 8 { affine.for %x = 0 to 23 {
    affine.for %c = 0 to 6 { affine.for %k = 0 to 3 { affine.for %i = 0 to 2 {
      %a = affine.load %in[%c, %d + %k, %h + %i, 4 * %x + %i] : memref<6x9x9x96xi8>
      %b = affine.load %w[%f, %c, %k, %i] : memref<20x6x3x2xi8>
      %o = affine.load %out[%f, %d, %h, %x] : memref<20x7x8x23xi32>
      %l = arith.extsi %a : i8 to i32
      %r = arith.extsi %b : i8 to i32
      %p = arith.muli %l, %r : i32
      %s = arith.addi %o, %p : i32
      affine.store %s, %out[%f, %d, %h, %x] : memref<20x7x8x23xi32>
    } } }
  } } } }
  return
}
