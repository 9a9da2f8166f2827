// Arguments that overlap, which `assume-noalias=false` has to expect.
// RUN: %equal --with="assume-noalias=false parallel=true tile-sizes=3,4" --with="assume-noalias=false parallel=false" %s

// shape A: n
// alias B: A
func.func @same(%n: index, %A: memref<?xi64>, %B: memref<?xi64>) {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xi64>
    %b = affine.load %B[-%i + symbol(%n)] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i] : memref<?xi64>
  }
  return
}

// shape A: n, n
// alias B: A
func.func @transposed(%n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j, %i] : memref<?x?xi64>
      %b = arith.addi %a, %a : i64
      affine.store %b, %B[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// Only read, so that overlap does no harm.
// shape A: n, n
// alias B: A
func.func @only_read(%n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>) -> i64 {
  %c0 = arith.constant 0 : i64
  %r = affine.for %i = 0 to %n iter_args(%s = %c0) -> i64 {
    %q = affine.for %j = 0 to %n iter_args(%t = %s) -> i64 {
      %a = affine.load %A[%j, %i] : memref<?x?xi64>
      %b = affine.load %B[%i, %j] : memref<?x?xi64>
      %c = arith.muli %a, %b : i64
      %u = arith.subi %c, %t : i64
      affine.yield %u : i64
    }
    affine.yield %q : i64
  }
  return %r : i64
}
