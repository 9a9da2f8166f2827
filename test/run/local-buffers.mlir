// Buffers that are made in the region, in and around loops.
// RUN: %equal %s

// A row of temporaries in each iteration: iterations are independent.
// shape A: n, m
// EXPECT: found
func.func @row(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    %row = memref.alloc(%m) : memref<?xi64>
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = arith.muli %a, %a : i64
      affine.store %b, %row[%j] : memref<?xi64>
    }
    affine.for %j = 0 to %m {
      %a = affine.load %row[-%j + symbol(%m) - 1] : memref<?xi64>
      affine.store %a, %A[%i, %j] : memref<?x?xi64>
    }
    memref.dealloc %row : memref<?xi64>
  }
  return
}

// shape A: n, n
func.func @alloca(%n: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    %s = memref.alloca() : memref<4xi64>
    affine.for %k = 0 to 4 {
      %ki = arith.index_cast %k : index to i64
      affine.store %ki, %s[%k] : memref<4xi64>
    }
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = affine.load %s[%j mod 4] : memref<4xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %s[%j mod 4] : memref<4xi64>
      affine.store %b, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// Between two nests, and freed behind them.
// shape A: n, m
// shape B: m, n
func.func @whole(%n: index, %m: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>) {
  %T = memref.alloc(%n, %m) : memref<?x?xi64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = arith.addi %a, %a : i64
      affine.store %b, %T[%i, %j] : memref<?x?xi64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %a = affine.load %T[%j, %i] : memref<?x?xi64>
      %b = affine.load %B[%i, %j] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %B[%i, %j] : memref<?x?xi64>
    }
  }
  memref.dealloc %T : memref<?x?xi64>
  return
}

// The size of the buffer is the extent of a triangle's row.
// shape A: n, n
// EXPECT-REFUSED: size is not known
func.func @triangular(%n: index, %A: memref<?x?xi64>) {
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %length = arith.addi %i, %c1 : index
    %row = memref.alloc(%length) : memref<?xi64>
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      affine.store %a, %row[%i - %j] : memref<?xi64>
    }
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a = affine.load %row[%j] : memref<?xi64>
      affine.store %a, %A[%j, %i] : memref<?x?xi64>
    }
    memref.dealloc %row : memref<?xi64>
  }
  return
}

// A view of a local buffer.
// shape A: 16
func.func @view(%A: memref<?xi64>) {
  %T = memref.alloc() : memref<4x4xi64>
  %flat = memref.collapse_shape %T [[0, 1]] : memref<4x4xi64> into memref<16xi64>
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<?xi64>
    affine.store %a, %flat[%i] : memref<16xi64>
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %a = affine.load %T[%j, %i] : memref<4x4xi64>
      affine.store %a, %A[4 * %i + %j] : memref<?xi64>
    }
  }
  memref.dealloc %T : memref<4x4xi64>
  return
}

// Copied by memref.copy and filled by linalg-free code.
// shape A: n
// shape B: n
func.func @copied(%n: index, %A: memref<?xi64>, %B: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  memref.copy %A, %B : memref<?xi64> to memref<?xi64>
  affine.for %i = 0 to %n {
    %a = affine.load %B[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[-%i + symbol(%n) - 1] : memref<?xi64>
  }
  return
}

// The buffer leaves: it is the result of nothing, but its content is read through a call.
func.func private @sum(%T: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : i64
  %r = affine.for %i = 0 to 8 iter_args(%s = %c0) -> i64 {
    %a = affine.load %T[%i] : memref<8xi64>
    %t = arith.subi %a, %s : i64
    affine.yield %t : i64
  }
  return %r : i64
}

func.func @escaping(%A: memref<8xi64>) -> i64 {
  %T = memref.alloca() : memref<8xi64>
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xi64>
    %b = arith.muli %a, %a : i64
    affine.store %b, %T[%i] : memref<8xi64>
  }
  %r = func.call @sum(%T) : (memref<8xi64>) -> i64
  return %r : i64
}

// Part of the buffer is written in each iteration, and the rest stays from the one before: it cannot be one per iteration.
// shape A: n
func.func @persistent(%n: index, %A: memref<?xi64>) {
  %c0 = arith.constant 0 : i64
  %T = memref.alloca() : memref<3xi64>
  affine.for %k = 0 to 3 {
    affine.store %c0, %T[%k] : memref<3xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    affine.store %a, %T[%i mod 3] : memref<3xi64>
    %x = affine.load %T[0] : memref<3xi64>
    %y = affine.load %T[1] : memref<3xi64>
    %z = affine.load %T[2] : memref<3xi64>
    %u = arith.subi %x, %y : i64
    %v = arith.addi %u, %z : i64
    affine.store %v, %A[%i] : memref<?xi64>
  }
  return
}
