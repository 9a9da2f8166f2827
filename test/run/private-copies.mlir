// Scalars of which each iteration of a parallel loop has its own copy.
// RUN: %equal --sizes=7 --sizes=4 --sizes=1 --sizes=0 %s

// Each iteration uses what the one before it yields, a constant: the first uses the initial value, from before the loop.
func.func @yields_a_constant(%A: memref<3xi64>) {
  %c5 = arith.constant 5 : i64
  %r = affine.for %i = -3 to 0 iter_args(%s = %c5) -> i64 {
    %d = arith.subi %c5, %s : i64
    affine.store %d, %A[%i + 3] : memref<3xi64>
    affine.yield %c5 : i64
  }
  return
}

// The same with a value from memory, and a number of iterations that is not known.
// shape A: n
// shape B: n + 1
func.func @yields_an_element(%n: index, %A: memref<?xi64>, %B: memref<?xi64>, %first: i64) {
  %r = affine.for %i = 0 to %n iter_args(%s = %first) -> i64 {
    %b = affine.load %B[%i] : memref<?xi64>
    %d = arith.muli %b, %s : i64
    affine.store %d, %A[%i] : memref<?xi64>
    affine.yield %b : i64
  }
  return
}

// What the last iteration leaves behind is used after the loop.
// shape A: n
// shape B: n
func.func @last_value(%n: index, %A: memref<?xi64>, %B: memref<?xi64>, %first: i64) -> i64 {
  %r = affine.for %i = 0 to %n iter_args(%s = %first) -> i64 {
    %b = affine.load %B[%i] : memref<?xi64>
    %d = arith.muli %b, %b : i64
    affine.store %d, %A[%i] : memref<?xi64>
    affine.yield %d : i64
  }
  return %r : i64
}

// A row of temporaries, and a scalar next to it.
// shape A: n, n
func.func @row_and_scalar(%n: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    %s = memref.alloca() : memref<i64>
    %row = memref.alloc(%n) : memref<?xi64>
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = arith.muli %a, %a : i64
      affine.store %b, %row[%j] : memref<?xi64>
      affine.store %a, %s[] : memref<i64>
    }
    affine.for %j = 0 to %n {
      %a = affine.load %row[-%j + symbol(%n) - 1] : memref<?xi64>
      %b = affine.load %s[] : memref<i64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i, %j] : memref<?x?xi64>
    }
    memref.dealloc %row : memref<?xi64>
  }
  return
}
