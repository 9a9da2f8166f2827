// Steps other than 1, and the tails they leave.
// RUN: %equal --sizes=16,9 --sizes=17,10 --sizes=15,4 --sizes=1,2 --sizes=0,0 %s

// shape A: n + 3
func.func @step_two(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n step 2 {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = affine.load %A[%i + 3] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i + 1] : memref<?xi64>
  }
  return
}

// The first iteration depends on a size.
// shape A: 2 * n + 40
func.func @from_a_size(%n: index, %m: index, %A: memref<?xi64>) {
  affine.for %i = %m to affine_map<()[s0] -> (2 * s0 + 5)>()[%n] step 3 {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.index_cast %i : index to i64
    %c = arith.addi %a, %b : i64
    affine.store %c, %A[%i + 3] : memref<?xi64>
  }
  return
}

// shape A: n, m + 4
// EXPECT: tiled
func.func @two_loops(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = 1 to %n step 3 {
    affine.for %j = 0 to %m step 5 {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = affine.load %A[%i - 1, %j + 1] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// The inner loop starts where the outer one is, with another step.
// shape A: n + 8, n + 8
func.func @inner_from_outer(%n: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n step 2 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n step 3 {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = affine.load %A[%j + 1, %i] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i + 1, %j + 2] : memref<?x?xi64>
    }
  }
  return
}

// Tiles made by hand: an outer loop with a step, and an inner one with a minimum.
// shape A: n
func.func @tiled_by_hand(%n: index, %A: memref<?xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %ii = 0 to %n step 4 {
    affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%ii)[%n] {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = arith.muli %a, %c3 : i64
      affine.store %b, %A[%i] : memref<?xi64>
    }
  }
  return
}

// A step longer than the loop.
// shape A: n + 1
func.func @long_step(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n step 100 {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j] : memref<?xi64>
      %b = affine.load %A[%i] : memref<?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%j + 1] : memref<?xi64>
    }
  }
  return
}

// The constraint on the step of the second loop comes twice to what isl optimizes for.
// shape A: n + m + 12, 5 * n + 5 * m + 20
// shape B: m + 2
func.func @one_step_twice(%n: index, %m: index, %A: memref<?x?xi32>, %B: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %o = memref.dim %B, %c0 : memref<?xi32>
  affine.for %i = 0 to %m {
    affine.for %j = 1 to affine_map<()[s0, s1] -> (s0 + s1)>()[%n, %o] step 2 {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %j + symbol(%o)] : memref<?x?xi32>
        affine.store %a, %A[%j, %j * 4 + %k] : memref<?x?xi32>
      }
    }
  }
  return
}

// Lower bounds that are the same modulo the step: whichever is greatest, the iterations are those of any of them.
// shape A: 3 * n + 3 * m + 12, 4
func.func @same_remainder(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = max affine_map<()[s0, s1] -> (0, s0 * 3 - 9, s1 * 6 - 12)>()[%n, %m]
          to affine_map<()[s0, s1] -> (s0 * 3 + s1 * 3)>()[%n, %m] step 3 {
    affine.for %j = 0 to 3 {
      %a = affine.load %A[%i + 1, %j] : memref<?x?xi64>
      %b = affine.load %A[%i + 2, %j + 1] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i + 4, %j] : memref<?x?xi64>
    }
  }
  return
}

// Some of them are not, and which is greatest depends on the loop around.
// shape A: n + m + 12, n + m + 12
func.func @other_remainder(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = max affine_map<(d0)[s0] -> (1, d0 - 2, 7 - d0)>(%i)[%m] to affine_map<(d0)[s0] -> (d0 + s0 + 3)>(%i)[%m] step 3 {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = affine.load %A[%i + 1, %j + 1] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i + 2, %j + 2] : memref<?x?xi64>
    }
  }
  return
}

// The lower bounds of tiles are the same modulo the step only because the loops around have one, too.
// shape A: n + 12, m + 12
func.func @remainder_of_the_loop_around(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %t = 0 to %n step 4 {
    affine.for %i = max affine_map<(d0)[s0] -> (d0, s0 - s0 mod 4 - 8)>(%t)[%m] to min affine_map<(d0)[s0] -> (d0 + 9, s0)>(%t)[%m] step 2 {
      %a = affine.load %A[%t, %i] : memref<?x?xi64>
      %b = affine.load %A[%t + 1, %i + 1] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%t + 3, %i + 2] : memref<?x?xi64>
    }
  }
  return
}
