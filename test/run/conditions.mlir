// affine.if, with else and with results, and conditions that are not affine.
// RUN: %equal %s

#below = affine_set<(d0, d1) : (d1 - d0 >= 0)>
#diagonal = affine_set<(d0, d1) : (d0 - d1 == 0)>
#even = affine_set<(d0) : (d0 mod 2 == 0)>
#inside = affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 - 4 >= 0)>
#wide = affine_set<()[s0] : (s0 - 5 >= 0)>

// shape A: n, m
// EXPECT: tiled
func.func @triangle(%n: index, %m: index, %A: memref<?x?xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.if #below(%i, %j) {
        %a = affine.load %A[%i, %j] : memref<?x?xi64>
        %b = arith.muli %a, %c3 : i64
        affine.store %b, %A[%i, %j] : memref<?x?xi64>
      }
    }
  }
  return
}

// shape A: n, n
func.func @else(%n: index, %A: memref<?x?xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.if #diagonal(%i, %j) {
        affine.store %c3, %A[%i, %j] : memref<?x?xi64>
      } else {
        %a = affine.load %A[%i, %j] : memref<?x?xi64>
        %b = affine.load %A[%j, %i] : memref<?x?xi64>
        %c = arith.subi %a, %b : i64
        affine.store %c, %A[%i, %j] : memref<?x?xi64>
      }
    }
  }
  return
}

// shape A: n + 1
func.func @results(%n: index, %A: memref<?xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %r:2 = affine.if #even(%i) -> (i64, i64) {
      %b = affine.load %A[%i + 1] : memref<?xi64>
      affine.yield %b, %c3 : i64, i64
    } else {
      %b = arith.muli %a, %c3 : i64
      affine.yield %a, %b : i64, i64
    }
    %c = arith.subi %r#0, %r#1 : i64
    affine.store %c, %A[%i] : memref<?xi64>
  }
  return
}

// Conditions in conditions, and one on a size only.
// shape A: n, n
func.func @nested(%n: index, %A: memref<?x?xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %i = 0 to %n {
    affine.if #inside(%i)[%n] {
      affine.for %j = 0 to %n {
        affine.if #wide()[%n] {
          affine.if #diagonal(%i, %j) {
            affine.store %c3, %A[%i, %j] : memref<?x?xi64>
          } else {
            %a = affine.load %A[%i - 2, %j] : memref<?x?xi64>
            affine.store %a, %A[%i, %j] : memref<?x?xi64>
          }
        }
      }
    } else {
      affine.for %j = 0 to %n {
        %a = affine.load %A[%j, %i] : memref<?x?xi64>
        %b = arith.addi %a, %c3 : i64
        affine.store %b, %A[%i, %j] : memref<?x?xi64>
      }
    }
  }
  return
}

// Loops in the branches, with accumulators.
// shape A: n, n
func.func @accumulators(%n: index, %A: memref<?x?xi64>) {
  %c1 = arith.constant 1 : i64
  affine.for %i = 0 to %n {
    %r = affine.if #even(%i) -> i64 {
      %s = affine.for %j = 0 to %n iter_args(%t = %c1) -> i64 {
        %a = affine.load %A[%i, %j] : memref<?x?xi64>
        %u = arith.subi %a, %t : i64
        affine.yield %u : i64
      }
      affine.yield %s : i64
    } else {
      %a = affine.load %A[0, %i] : memref<?x?xi64>
      affine.yield %a : i64
    }
    affine.store %r, %A[%i, %i] : memref<?x?xi64>
  }
  return
}

// Both branches carry the accumulator on.
// shape A: n
func.func @carried(%n: index, %A: memref<?xi64>) -> i64 {
  %c1 = arith.constant 1 : i64
  %r = affine.for %i = 0 to %n iter_args(%s = %c1) -> i64 {
    %a = affine.load %A[%i] : memref<?xi64>
    %q = affine.if #even(%i) -> i64 {
      %t = arith.addi %s, %a : i64
      affine.yield %t : i64
    } else {
      %t = arith.muli %s, %a : i64
      affine.yield %t : i64
    }
    affine.yield %q : i64
  }
  return %r : i64
}

// The condition depends on the data.
// shape A: n, m
// shape B: n
func.func @data(%n: index, %m: index, %A: memref<?x?xi64>, %B: memref<?xi64>) {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %negative = arith.cmpi slt, %a, %c0 : i64
      scf.if %negative {
        %b = affine.load %B[%i] : memref<?xi64>
        %c = arith.subi %b, %a : i64
        affine.store %c, %B[%i] : memref<?xi64>
      } else {
        affine.store %c3, %A[%i, %j] : memref<?x?xi64>
      }
    }
  }
  return
}

// The values of a conditional that is not affine.
// shape A: n
func.func @data_results(%n: index, %A: memref<?xi64>) {
  %c0 = arith.constant 0 : i64
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %negative = arith.cmpi slt, %a, %c0 : i64
    %b = scf.if %negative -> i64 {
      %c = arith.subi %c0, %a : i64
      scf.yield %c : i64
    } else {
      %c = memref.load %A[%i] : memref<?xi64>
      %d = arith.addi %c, %a : i64
      scf.yield %d : i64
    }
    affine.store %b, %A[%i] : memref<?xi64>
  }
  return
}

// A comparison of loop counters in arith, and arith's logic.
// shape A: n, n
func.func @compared(%n: index, %A: memref<?x?xi64>) {
  %c3 = arith.constant 3 : i64
  %k2 = arith.constant 2 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %less = arith.cmpi slt, %i, %j : index
      %far = arith.cmpi sgt, %i, %k2 : index
      %both = arith.andi %less, %far : i1
      scf.if %both {
        %a = affine.load %A[%i, %j] : memref<?x?xi64>
        %b = arith.muli %a, %c3 : i64
        affine.store %b, %A[%j, %i] : memref<?x?xi64>
      }
    }
  }
  return
}

// A set that nothing is in, and one that everything is in.
// shape A: n
func.func @constant(%n: index, %A: memref<?xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0) : (-d0 - 1 >= 0)>(%i) {
      affine.store %c3, %A[%i] : memref<?xi64>
    }
    affine.if affine_set<(d0) : (d0 >= 0)>(%i) {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = arith.addi %a, %c3 : i64
      affine.store %b, %A[%i] : memref<?xi64>
    } else {
      affine.store %c3, %A[%i] : memref<?xi64>
    }
  }
  return
}
