// Loops in sequence that a scheduler would like to fuse.
// RUN: %equal %s

// Fused without a shift, the second loop would destroy what the first still reads.
// shape A: n + 1
// shape B: n + 1
// EXPECT: found
func.func @write_after_read(%n: index, %A: memref<?xi64>, %B: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 1] : memref<?xi64>
    affine.store %a, %B[%i] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.addi %b, %b : i64
    affine.store %c, %A[%i] : memref<?xi64>
  }
  return
}

// shape A: n + 2
// shape B: n + 2
func.func @reads_ahead(%n: index, %A: memref<?xi64>, %B: memref<?xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.muli %a, %c3 : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 2] : memref<?xi64>
    %b = affine.load %A[%i + 1] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.subi %b, %c3 : i64
    affine.store %c, %A[%i + 1] : memref<?xi64>
  }
  return
}

// The dependence (1, -1): tiling as it stands would run a tile before one that it needs.
// shape A: n + 1, m + 2
// EXPECT: tiled
func.func @distance_minus_one(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j + 2] : memref<?x?xi64>
      %b = affine.load %A[%i + 1, %j + 1] : memref<?x?xi64>
      %c = arith.subi %b, %a : i64
      affine.store %c, %A[%i + 1, %j + 1] : memref<?x?xi64>
    }
  }
  return
}

// The distance -1 in the innermost of three dimensions.
// shape A: n + 1, m + 1, m + 2
func.func @distance_minus_one_inner(%n: index, %m: index, %A: memref<?x?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %m {
        %a = affine.load %A[%i, %j + 1, %k + 2] : memref<?x?x?xi64>
        %b = affine.load %A[%i + 1, %j, %k + 1] : memref<?x?x?xi64>
        %c = arith.subi %a, %b : i64
        affine.store %c, %A[%i + 1, %j + 1, %k + 1] : memref<?x?x?xi64>
      }
    }
  }
  return
}

// The loops run in opposite directions.
// shape A: n
// shape B: n
func.func @reversed(%n: index, %A: memref<?xi64>, %B: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %B[-%i + symbol(%n) - 1] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xi64>
    %a = affine.load %A[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i] : memref<?xi64>
  }
  return
}

// Loops of different depth, and a statement between them.
// shape A: n
// shape B: n, m
func.func @different_depths(%n: index, %m: index, %A: memref<?xi64>, %B: memref<?x?xi64>) {
  %c1 = arith.constant 1 : i64
  affine.for %i = 0 to %n {
    affine.store %c1, %A[%i] : memref<?xi64>
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = affine.load %B[%i, %j] : memref<?x?xi64>
      %c = arith.addi %a, %b : i64
      %d = arith.addi %c, %a : i64
      affine.store %d, %A[%i] : memref<?xi64>
    }
    %a = affine.load %A[%i] : memref<?xi64>
    %s = arith.subi %a, %c1 : i64
    affine.store %s, %A[%i] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i] : memref<?xi64>
      affine.store %a, %B[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// A whole array is overwritten twice; only the second value counts, and it depends on the first.
// shape A: n, n
// shape B: n, n
// EXPECT: tiled
func.func @transposed(%n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j, %i] : memref<?x?xi64>
      affine.store %a, %B[%i, %j] : memref<?x?xi64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %b = affine.load %B[%i, %j] : memref<?x?xi64>
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %c = arith.subi %b, %a : i64
      affine.store %c, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return
}
