// Blocks for registers below the loops that follow a band, and blocks whose sums are handed on in values: what they hold is
// a vector for each row, and they compute what the loops did.

// RUN: %equal --with="parallel=false machine=%S/../machine.txt" --with="parallel=true machine=%S/../machine.txt" --sizes=5 --sizes=6 --sizes=30 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt" %s | FileCheck %s

// The sums run along three loops, of which the first is in the band of the pixels.
// CHECK-LABEL: @convolution
// CHECK:         memref.alloca() {polyrs.promoted} : memref<1x1x[[ROWS:[0-9]+]]x[[COLUMNS:[0-9]+]]xf32>
// CHECK:         affine.vector_load {{.*}} : memref<3x3x5x32xf32>, vector<[[COLUMNS]]xf32>
// EXPECT: tiled
func.func @convolution(%I: memref<1x42x42x5xf32>, %K: memref<3x3x5x32xf32>, %O: memref<1x40x40x32xf32>) {
  affine.for %n = 0 to 1 { affine.for %y = 0 to 40 { affine.for %x = 0 to 40 { affine.for %f = 0 to 32 {
    affine.for %v = 0 to 3 { affine.for %u = 0 to 3 { affine.for %c = 0 to 5 {
      %i = affine.load %I[%n, %y + %v, %x + %u, %c] : memref<1x42x42x5xf32>
      %k = affine.load %K[%v, %u, %c, %f] : memref<3x3x5x32xf32>
      %s = affine.load %O[%n, %y, %x, %f] : memref<1x40x40x32xf32>
      %p = arith.mulf %i, %k : f32
      %q = arith.addf %s, %p : f32
      affine.store %q, %O[%n, %y, %x, %f] : memref<1x40x40x32xf32>
    } } }
  } } } }
  return
}

// Nothing is in memory before the sum is known.
// CHECK-LABEL: @sum_in_a_value
// CHECK:         memref.alloca() {polyrs.promoted} : memref<[[ROWS:[0-9]+]]x[[COLUMNS:[0-9]+]]xi32>
// CHECK:         arith.extsi {{.*}} : vector<[[COLUMNS]]xi8> to vector<[[COLUMNS]]xi32>
// EXPECT: tiled
func.func @sum_in_a_value(%A: memref<40x48xi8>, %B: memref<48x64xi8>, %C: memref<40x64xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 40 { affine.for %j = 0 to 64 {
    %sum = affine.for %k = 0 to 48 iter_args(%s = %zero) -> (i32) {
      %a = affine.load %A[%i, %k] : memref<40x48xi8>
      %b = affine.load %B[%k, %j] : memref<48x64xi8>
      %x = arith.extsi %a : i8 to i32
      %y = arith.extsi %b : i8 to i32
      %p = arith.muli %x, %y : i32
      %q = arith.addi %s, %p : i32
      affine.yield %q : i32
    }
    affine.store %sum, %C[%i, %j] : memref<40x64xi32>
  } }
  return
}

// Two nests in sequence, of which the second reads results of other pixels before they are there.
// EXPECT: found
func.func @two_windows(%I: memref<40x40x5xf32>, %K: memref<3x3x5x64xf32>, %O: memref<40x40x64xf32>) {
  affine.for %y = 0 to 38 { affine.for %x = 0 to 38 { affine.for %f = 0 to 64 {
    affine.for %c = 0 to 5 { affine.for %u = 0 to 3 {
      %i = affine.load %I[%y + %u, %x, %c] : memref<40x40x5xf32>
      %k = affine.load %K[%u, 0, %c, %f] : memref<3x3x5x64xf32>
      %s = affine.load %O[%y, %x, %f] : memref<40x40x64xf32>
      %p = arith.mulf %i, %k : f32
      %q = arith.addf %s, %p : f32
      affine.store %q, %O[%y, %x, %f] : memref<40x40x64xf32>
    } }
    affine.for %c = 0 to 5 {
      %s = affine.load %O[%y, %x, %f] : memref<40x40x64xf32>
      %n = affine.load %O[%y + 2, %x + 2, %f] : memref<40x40x64xf32>
      %k = affine.load %K[1, 1, %c, %f] : memref<3x3x5x64xf32>
      %p = arith.mulf %n, %k : f32
      %q = arith.subf %s, %p : f32
      affine.store %q, %O[%y, %x, %f] : memref<40x40x64xf32>
    }
  } } }
  return
}

// Numbers that are wider than what is held.
// CHECK-LABEL: @wide_sums
// CHECK:         arith.shrsi {{.*}} : vector<{{[0-9]+}}xi128>
// EXPECT: tiled
func.func @wide_sums(%A: memref<40x24xi64>, %B: memref<24x3x40xi64>, %C: memref<40x40xi64>) {
  affine.for %i = 0 to 40 { affine.for %j = 0 to 40 {
    affine.for %k = 0 to 24 { affine.for %l = 0 to 3 {
      %a = affine.load %A[%i, %k] : memref<40x24xi64>
      %b = affine.load %B[%k, %l, %j] : memref<24x3x40xi64>
      %ae = arith.extsi %a : i64 to i128
      %be = arith.extsi %b : i64 to i128
      %p = arith.muli %ae, %be : i128
      %s8 = arith.constant 3 : i128
      %h = arith.shrsi %p, %s8 : i128
      %t = arith.trunci %h : i128 to i64
      %c = affine.load %C[%i, %j] : memref<40x40xi64>
      %q = arith.addi %c, %t : i64
      affine.store %q, %C[%i, %j] : memref<40x40xi64>
    } }
  } }
  return
}

// For some sizes, and in every third iteration, there is nothing to add.
// CHECK-LABEL: @nothing_to_add
// CHECK:         memref.alloca() {polyrs.promoted}
// EXPECT: tiled
func.func @nothing_to_add(%n: index, %A: memref<40x40xf32>, %B: memref<40x3x40xf32>, %C: memref<40x40xf32>) {
  affine.for %i = 0 to 40 { affine.for %j = 0 to 40 {
    affine.for %k = 5 to affine_map<()[s0] -> (s0)>()[%n] { affine.for %l = 0 to affine_map<(d0) -> (d0 mod 3)>(%k) {
      %a = affine.load %A[%i, %k] : memref<40x40xf32>
      %b = affine.load %B[%k, %l, %j] : memref<40x3x40xf32>
      %p = arith.mulf %a, %b : f32
      %c = affine.load %C[%i, %j] : memref<40x40xf32>
      %q = arith.addf %c, %p : f32
      affine.store %q, %C[%i, %j] : memref<40x40xf32>
    } }
  } }
  return
}
