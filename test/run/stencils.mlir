// Nests that need skewing or a wavefront, and triangles.
// RUN: %equal --sizes=5,11 --sizes=8,4 --sizes=1,9 --sizes=0,5 %s

// shape A: n + 2, n + 2
// EXPECT: tiled
func.func @seidel(%t: index, %n: index, %A: memref<?x?xf64>) {
  %nine = arith.constant 9.0 : f64
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
        %a = affine.load %A[%i - 1, %j - 1] : memref<?x?xf64>
        %b = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %c = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
        %d = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %e = affine.load %A[%i, %j] : memref<?x?xf64>
        %f = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %g = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %x1 = arith.addf %a, %b : f64
        %x2 = arith.addf %x1, %c : f64
        %x3 = arith.addf %x2, %d : f64
        %x4 = arith.addf %x3, %e : f64
        %x5 = arith.addf %x4, %f : f64
        %x6 = arith.addf %x5, %g : f64
        %x7 = arith.divf %x6, %nine : f64
        affine.store %x7, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// shape A: n + 2
// EXPECT: parallel
func.func @gauss_seidel(%t: index, %n: index, %A: memref<?xf64>) {
  %three = arith.constant 3.0 : f64
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      %a = affine.load %A[%i - 1] : memref<?xf64>
      %b = affine.load %A[%i] : memref<?xf64>
      %c = affine.load %A[%i + 1] : memref<?xf64>
      %x = arith.addf %a, %b : f64
      %y = arith.addf %x, %c : f64
      %z = arith.divf %y, %three : f64
      affine.store %z, %A[%i] : memref<?xf64>
    }
  }
  return
}

// Two arrays in turn.
// shape A: n + 2
// shape B: n + 2
// EXPECT: parallel
func.func @jacobi(%t: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      %a = affine.load %A[%i - 1] : memref<?xf64>
      %b = affine.load %A[%i + 1] : memref<?xf64>
      %c = arith.subf %a, %b : f64
      affine.store %c, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      %a = affine.load %B[%i - 1] : memref<?xf64>
      %b = affine.load %B[%i] : memref<?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %A[%i] : memref<?xf64>
    }
  }
  return
}

// Time in the subscript: three generations.
// shape A: t + 3, n + 2
func.func @wave(%t: index, %n: index, %A: memref<?x?xi64>) {
  affine.for %s = 2 to affine_map<()[s0] -> (s0 + 2)>()[%t] {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      %a = affine.load %A[%s - 1, %i - 1] : memref<?x?xi64>
      %b = affine.load %A[%s - 1, %i + 1] : memref<?x?xi64>
      %c = affine.load %A[%s - 2, %i] : memref<?x?xi64>
      %d = arith.addi %a, %b : i64
      %e = arith.subi %d, %c : i64
      affine.store %e, %A[%s, %i] : memref<?x?xi64>
    }
  }
  return
}

// The same memory for each generation, modulo 2.
// shape A: 2, n + 2
func.func @modulo(%t: index, %n: index, %A: memref<?x?xi64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      %a = affine.load %A[%s mod 2, %i - 1] : memref<?x?xi64>
      %b = affine.load %A[%s mod 2, %i + 1] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[(%s + 1) mod 2, %i] : memref<?x?xi64>
    }
  }
  return
}

// Triangular solves: the bound of the inner loop is the outer counter, ascending and reversed.
// shape L: n, n
// shape x: n
func.func @triangular_solves(%t: index, %n: index, %L: memref<?x?xf64>, %x: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %x[%i] : memref<?xf64>
      %b = affine.load %L[%i, %j] : memref<?x?xf64>
      %c = affine.load %x[%j] : memref<?xf64>
      %d = arith.mulf %b, %c : f64
      %e = arith.subf %a, %d : f64
      affine.store %e, %x[%i] : memref<?xf64>
    }
    %a = affine.load %x[%i] : memref<?xf64>
    %b = affine.load %L[%i, %i] : memref<?x?xf64>
    %c = arith.divf %a, %b : f64
    affine.store %c, %x[%i] : memref<?xf64>
  }
  affine.for %r = 0 to %n {
    affine.for %j = affine_map<(d0)[s0] -> (s0 - d0)>(%r)[%n] to %n {
      %a = affine.load %x[-%r + symbol(%n) - 1] : memref<?xf64>
      %b = affine.load %L[%j, -%r + symbol(%n) - 1] : memref<?x?xf64>
      %c = affine.load %x[%j] : memref<?xf64>
      %d = arith.mulf %b, %c : f64
      %e = arith.subf %a, %d : f64
      affine.store %e, %x[-%r + symbol(%n) - 1] : memref<?xf64>
    }
  }
  return
}

// LU decomposition without pivoting.
// shape A: n, n
func.func @lu(%t: index, %n: index, %A: memref<?x?xf64>) {
  affine.for %k = 0 to %n {
    affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %b = affine.load %A[%k, %k] : memref<?x?xf64>
      %c = arith.divf %a, %b : f64
      affine.store %c, %A[%i, %k] : memref<?x?xf64>
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
        %d = affine.load %A[%i, %j] : memref<?x?xf64>
        %e = affine.load %A[%k, %j] : memref<?x?xf64>
        %f = arith.mulf %c, %e : f64
        %g = arith.subf %d, %f : f64
        affine.store %g, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// A scalar carried from one point to the next, forwards and backwards (recursive filters).
// shape A: t, n
// shape B: t, n
func.func @filters(%t: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  %k = arith.constant 0.25 : f64
  affine.for %i = 0 to %t {
    %r:2 = affine.for %j = 0 to %n iter_args(%y1 = %zero, %y2 = %zero) -> (f64, f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %p = arith.mulf %y1, %k : f64
      %q = arith.addf %p, %a : f64
      %y = arith.subf %q, %y2 : f64
      affine.store %y, %B[%i, %j] : memref<?x?xf64>
      affine.yield %y, %y1 : f64, f64
    }
    %x = memref.alloca() : memref<f64>
    affine.store %zero, %x[] : memref<f64>
    affine.for %j = 0 to %n {
      %c = affine.load %x[] : memref<f64>
      %b = affine.load %B[%i, -%j + symbol(%n) - 1] : memref<?x?xf64>
      %d = arith.mulf %c, %k : f64
      %e = arith.addf %d, %b : f64
      affine.store %e, %x[] : memref<f64>
      affine.store %e, %A[%i, -%j + symbol(%n) - 1] : memref<?x?xf64>
    }
  }
  affine.for %j = 0 to %n {
    %r = affine.for %i = 0 to %t iter_args(%y = %zero) -> f64 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.mulf %y, %k : f64
      %c = arith.addf %a, %b : f64
      affine.store %c, %B[%i, %j] : memref<?x?xf64>
      affine.yield %c : f64
    }
  }
  return
}
