// affine.parallel as input.
// RUN: %equal %s

// shape A: n, m
// shape B: m, n
// EXPECT: tiled parallel
func.func @plain(%n: index, %m: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>) {
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) {
    %a = affine.load %A[%i, %j] : memref<?x?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %B[%j, %i] : memref<?x?xi64>
  }
  return
}

// shape A: n + 4, m + 7
func.func @steps(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.parallel (%i, %j) = (1, 0) to (symbol(%n), symbol(%m)) step (2, 3) {
    %a = affine.load %A[%i, %j] : memref<?x?xi64>
    affine.store %a, %A[%i - 1, %j + 1] : memref<?x?xi64>
  }
  return
}

// shape A: n + 1, m + 1
func.func @bounds(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.parallel (%i) = (max(0, symbol(%n) - 5)) to (min(symbol(%n), symbol(%m))) {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = arith.muli %a, %a : i64
      affine.store %b, %A[%i, %j + 1] : memref<?x?xi64>
    }
  }
  return
}

// A reduction: integers, so that any order gives the same.
// shape A: n, m
// shape B: 1
func.func @reduction(%n: index, %m: index, %A: memref<?x?xi64>, %B: memref<?xi64>) {
  %r = affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) reduce ("addi") -> (i64) {
    %a = affine.load %A[%i, %j] : memref<?x?xi64>
    affine.yield %a : i64
  }
  affine.store %r, %B[0] : memref<?xi64>
  return
}

// A parallel loop between sequential ones, with a local buffer.
// shape A: n, m
func.func @between(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %t = 0 to 3 {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      %s = memref.alloca() : memref<i64>
      affine.for %j = 0 to %m {
        %a = affine.load %A[%i, %j] : memref<?x?xi64>
        affine.store %a, %s[] : memref<i64>
        %b = affine.load %s[] : memref<i64>
        %c = arith.addi %b, %a : i64
        affine.store %c, %A[%i, %j] : memref<?x?xi64>
      }
    }
  }
  return
}
