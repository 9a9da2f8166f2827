// Loops that run no iteration, for some sizes or always.
// RUN: %equal --sizes=7,5 --sizes=0,5 --sizes=5,0 --sizes=0,0 --sizes=-1,4 --sizes=4,-3 --sizes=-2,-2 --sizes=1,1 %s

// shape A: 8
func.func @extent(%n: index, %m: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = affine.load %A[%j] : memref<?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i] : memref<?xi64>
    }
  }
  return
}

// Never, whatever the sizes.
// shape A: 8
func.func @never(%A: memref<?xi64>) {
  %c1 = arith.constant 1 : i64
  affine.for %i = 5 to 5 {
    affine.store %c1, %A[%i] : memref<?xi64>
  }
  affine.for %i = 7 to 2 {
    affine.store %c1, %A[%i] : memref<?xi64>
  }
  return
}

// The accumulator of a loop that does not run is its initial value.
// shape A: 8
// shape B: 8
func.func @accumulator(%n: index, %m: index, %A: memref<?xi64>, %B: memref<?xi64>) {
  affine.for %i = 0 to 6 {
    %first = affine.load %A[%i] : memref<?xi64>
    %sum = affine.for %j = 0 to %m iter_args(%s = %first) -> i64 {
      %b = affine.load %B[%j] : memref<?xi64>
      %t = arith.addi %s, %s : i64
      %u = arith.addi %t, %b : i64
      affine.yield %u : i64
    }
    affine.store %sum, %A[%i] : memref<?xi64>
  }
  return
}

// The results are used after the region.
// shape A: 8
func.func @result(%n: index, %A: memref<?xi64>, %start: i64) -> (i64, i64) {
  %c3 = arith.constant 3 : i64
  %r:2 = affine.for %i = 0 to %n iter_args(%s = %start, %t = %c3) -> (i64, i64) {
    %a = affine.load %A[%i] : memref<?xi64>
    %u = arith.addi %t, %a : i64
    affine.yield %u, %s : i64, i64
  }
  return %r#0, %r#1 : i64, i64
}

// A triangle whose first rows are empty.
// shape A: 8, 8
func.func @triangle(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = affine.load %A[%j, %i] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%j, %i] : memref<?x?xi64>
    }
  }
  return
}

// What is stored around an inner loop that does not run is still stored.
// shape A: 8
func.func @around(%n: index, %m: index, %A: memref<?xi64>) {
  %c7 = arith.constant 7 : i64
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.muli %a, %c7 : i64
    affine.store %b, %A[%i] : memref<?xi64>
    affine.for %j = 0 to %m {
      %c = affine.load %A[%j] : memref<?xi64>
      %d = arith.addi %c, %b : i64
      affine.store %d, %A[%j] : memref<?xi64>
    }
    %e = affine.load %A[%i] : memref<?xi64>
    %f = arith.subi %e, %c7 : i64
    affine.store %f, %A[%i] : memref<?xi64>
  }
  return
}
