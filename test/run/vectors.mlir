// Vectors in the input.
// RUN: %equal %s

// shape A: 4 * n
// shape B: 4 * n
func.func @load_store(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.vector_load %A[4 * %i] : memref<?xf64>, vector<4xf64>
    %b = affine.vector_load %B[4 * %i] : memref<?xf64>, vector<4xf64>
    %c = arith.addf %a, %b : vector<4xf64>
    affine.vector_store %c, %B[4 * %i] : memref<?xf64>, vector<4xf64>
  }
  return
}

// Overlapping vectors: the second element of one is the first of the next.
// shape A: n + 5
func.func @overlapping(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %a = affine.vector_load %A[%i] : memref<?xi64>, vector<4xi64>
    %b = arith.muli %a, %a : vector<4xi64>
    affine.vector_store %b, %A[%i + 1] : memref<?xi64>, vector<4xi64>
  }
  return
}

// shape A: n, 8
// shape B: n
func.func @mixed(%n: index, %A: memref<?x?xi64>, %B: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 5 {
      %a = affine.vector_load %A[%i, %j] : memref<?x?xi64>, vector<4xi64>
      %x = vector.extract %a[3] : i64 from vector<4xi64>
      %b = affine.load %B[%i] : memref<?xi64>
      %c = arith.subi %x, %b : i64
      affine.store %c, %B[%i] : memref<?xi64>
      affine.store %c, %A[%i, %j + 1] : memref<?x?xi64>
    }
  }
  return
}

// A vector as accumulator.
// shape A: n, 4
// shape B: 4
func.func @accumulator(%n: index, %A: memref<?x?xf64>, %B: memref<?xf64>) {
  %zero = arith.constant dense<0.0> : vector<4xf64>
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> vector<4xf64> {
    %a = affine.vector_load %A[%i, 0] : memref<?x?xf64>, vector<4xf64>
    %t = arith.addf %s, %a : vector<4xf64>
    affine.yield %t : vector<4xf64>
  }
  affine.vector_store %r, %B[0] : memref<?xf64>, vector<4xf64>
  return
}
