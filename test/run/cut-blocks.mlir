// Blocks at the ends of arrays, and on diagonals, as whole blocks of which only what exists is copied.
// RUN: %equal --with="parallel=false machine=%S/../emit/Inputs/wide.txt" --with="parallel=true machine=%S/../emit/Inputs/wide.txt pack-tiles=all" --with="parallel=false machine=%S/../machine.txt" --sizes=1,2,3 --sizes=33,40,70 --sizes=64,64,64 --sizes=70,65,31 --sizes=7,15,130 --sizes=50,200,3 --sizes=0,5,5 --sizes=9,9,0 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../emit/Inputs/wide.txt profitability=off" %s 2>/dev/null | FileCheck %s

// All of it packed: neither rows nor columns need exist. The loop along `l` asks nothing, and its accumulators are copied in loops.
// CHECK-LABEL: func.func @scaled
// CHECK:         affine.if
// CHECK:         } else {
// CHECK:           affine.vector_store %{{.*}}, %[[HELD:[a-z_0-9]*]][7, 0] : memref<8x16xf64>, vector<16xf64>
// CHECK-NEXT:      affine.for %[[R:.*]] = 0 to min
// CHECK-NEXT:        affine.for %[[C:.*]] = 0 to min
// CHECK-NEXT:          affine.load %arg6[
// CHECK-NEXT:          affine.store %{{.*}}, %[[HELD]][%[[R]], %[[C]]]
// CHECK:           affine.for
// CHECK-NOT:         affine.if
// CHECK:             affine.vector_store %{{.*}}, %[[HELD]][%c7{{[_0-9]*}}, %c0{{[_0-9]*}}] : memref<8x16xf64>, vector<16xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      affine.for %[[R:.*]] = 0 to min
// shape A: n, k
// shape B: k, m
// shape C: n, m
// EXPECT: packed
func.func @scaled(%n: index, %m: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to %m {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %x = arith.mulf %a, %alpha : f64
        %p = arith.mulf %x, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// `A` stays where it is: rows have to exist, columns need not.
// shape A: n, k
// shape B: k, m
// shape C: n, m
// EXPECT: packed
func.func @unscaled(%n: index, %m: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to %m {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// The end of a row depends on the row.
// shape A: n, k
// shape C: n, n
// EXPECT: packed
func.func @below_the_diagonal(%n: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %A[%j, %l] : memref<?x?xf64>
        %x = arith.mulf %a, %alpha : f64
        %p = arith.mulf %x, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// The first rows have no element at all.
// shape A: n, k
// shape C: n, n
// EXPECT: packed
func.func @far_below_the_diagonal(%n: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to affine_map<(d0) -> (d0 - 5)>(%i) {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %A[%j, %l] : memref<?x?xf64>
        %x = arith.mulf %a, %alpha : f64
        %p = arith.mulf %x, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// Rows begin at the diagonal and end at the end.
// shape A: n, k
// shape C: n, n
// EXPECT: packed
func.func @above_the_diagonal(%n: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %A[%j, %l] : memref<?x?xf64>
        %x = arith.mulf %a, %alpha : f64
        %p = arith.mulf %x, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// Each row ends one before the row above.
// shape A: n, k
// shape C: n, n
// EXPECT: found
func.func @antidiagonal(%n: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n] {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %A[%j, %l] : memref<?x?xf64>
        %x = arith.mulf %a, %alpha : f64
        %p = arith.mulf %x, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
  } } }
  return
}

// Nobody looks at what overflows beyond the end.
// shape A: n, k
// shape B: k, m
// shape C: n, m
// EXPECT: packed
func.func @integers(%n: index, %m: index, %k: index, %alpha: i32, %A: memref<?x?xi32>, %B: memref<?x?xi32>, %C: memref<?x?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to %m {
        %a = affine.load %A[%i, %l] : memref<?x?xi32>
        %b = affine.load %B[%l, %j] : memref<?x?xi32>
        %x = arith.muli %a, %alpha : i32
        %p = arith.muli %x, %b : i32
        %c = affine.load %C[%i, %j] : memref<?x?xi32>
        %s = arith.addi %c, %p : i32
        affine.store %s, %C[%i, %j] : memref<?x?xi32>
  } } }
  return
}

// Points that do not exist would divide by zero: blocks at the end stay as they are.
// shape A: n, k
// shape B: k, m
// shape C: n, m
// EXPECT: found
func.func @quotients(%n: index, %m: index, %k: index, %alpha: i32, %A: memref<?x?xi32>, %B: memref<?x?xi32>, %C: memref<?x?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to %m {
        %one = arith.constant 1 : i32
        %a = affine.load %A[%i, %l] : memref<?x?xi32>
        %b = affine.load %B[%l, %j] : memref<?x?xi32>
        %o = arith.ori %b, %one : i32
        %p = arith.divsi %a, %o : i32
        %c = affine.load %C[%i, %j] : memref<?x?xi32>
        %s = arith.addi %c, %p : i32
        affine.store %s, %C[%i, %j] : memref<?x?xi32>
  } } }
  return
}

// Arrays and loops begin somewhere else.
// shape A: n + 3, k + 2
// shape B: k + 1, m + 4
// shape C: n + 2, m + 5
// EXPECT: packed
func.func @from_within(%n: index, %m: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 2 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 3 to %m {
        %a = affine.load %A[%i + 1, %l + 2] : memref<?x?xf64>
        %b = affine.load %B[%l + 1, %j + 4] : memref<?x?xf64>
        %x = arith.mulf %a, %alpha : f64
        %p = arith.mulf %x, %b : f64
        %c = affine.load %C[%i + 1, %j + 5] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i + 1, %j + 5] : memref<?x?xf64>
  } } }
  return
}

// Every second row, and every second column.
// shape A: 2 * n, k
// shape B: k, m
// shape C: 2 * n, 2 * m
// EXPECT: found
func.func @second_row(%n: index, %m: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to %m {
        %a = affine.load %A[2 * %i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %x = arith.mulf %a, %alpha : f64
        %p = arith.mulf %x, %b : f64
        %c = affine.load %C[2 * %i, 2 * %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[2 * %i, 2 * %j] : memref<?x?xf64>
  } } }
  return
}

// Two arrays are updated in the same blocks.
// shape A: n, k
// shape B: k, m
// shape C: n, m
// shape D: n, m
// EXPECT: found
func.func @two_sums(%n: index, %m: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to %m {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %x = arith.mulf %a, %alpha : f64
        %p = arith.mulf %x, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
        %d = affine.load %D[%i, %j] : memref<?x?xf64>
        %t = arith.subf %d, %p : f64
        affine.store %t, %D[%i, %j] : memref<?x?xf64>
  } } }
  return
}
