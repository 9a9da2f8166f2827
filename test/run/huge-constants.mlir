// Numbers near 2^63: the loops are left alone or run as they did, and nothing crashes.
// RUN: %equal --sizes=2 --sizes=1 --sizes=0 %s

// shape A: 4
func.func @no_iteration(%n: index, %A: memref<?xi64>) {
  %c1 = arith.constant 1 : i64
  affine.for %i = 9223372036854775000 to %n {
    affine.store %c1, %A[%i - 9223372036854775000] : memref<?xi64>
  }
  return
}

// shape A: 8
func.func @few_iterations(%A: memref<?xi64>) {
  affine.for %i = 9223372036854775000 to 9223372036854775005 {
    %a = affine.load %A[%i - 9223372036854775000] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[%i - 9223372036854774999] : memref<?xi64>
  }
  return
}

// shape A: n
func.func @huge_bound(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to min affine_map<()[s0] -> (s0, 9223372036854775807)>()[%n] {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  return
}

// shape A: n
func.func @huge_step(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n step 4611686018427387904 {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  return
}

// The coefficient makes the sum overflow for most counters, but only 0 is one.
// shape A: n + 1
func.func @huge_coefficient(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to min affine_map<(d0)[s0] -> (d0 * 4611686018427387903 + 1, s0)>(%i)[%n] {
      %a = affine.load %A[%j] : memref<?xi64>
      %b = arith.subi %a, %a : i64
      %c = arith.addi %b, %a : i64
      affine.store %c, %A[%i] : memref<?xi64>
    }
  }
  return
}

// shape A: n
func.func @huge_condition(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0) : (d0 - 9223372036854775807 >= 0)>(%i) {
      %c1 = arith.constant 1 : i64
      affine.store %c1, %A[%i] : memref<?xi64>
    } else {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = arith.addi %a, %a : i64
      affine.store %b, %A[%i] : memref<?xi64>
    }
  }
  return
}

// shape A: n + 1
func.func @huge_modulus(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i mod 9223372036854775807] : memref<?xi64>
    %b = arith.muli %a, %a : i64
    affine.store %b, %A[(%i floordiv 4611686018427387904) + 1] : memref<?xi64>
  }
  return
}
