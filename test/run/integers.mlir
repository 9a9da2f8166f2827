// Integer arithmetic: what may trap is done exactly when it was done before.
// RUN: %equal %s
// RUN: %equal --with="remove-dead=true parallel=false" --with="remove-dead=true scheduler=none" %s

// Elements are set to one and more before anyone divides by them.
// shape A: n
// shape B: n
func.func @divided(%n: index, %A: memref<?xi64>, %B: memref<?xi64>) {
  %c1 = arith.constant 1 : i64
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.ori %b, %c1 : i64
    affine.store %c, %B[%i] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = affine.load %B[-%i + symbol(%n) - 1] : memref<?xi64>
    %q = arith.divsi %a, %b : i64
    %r = arith.remsi %a, %b : i64
    %s = arith.muli %q, %r : i64
    affine.store %s, %A[%i] : memref<?xi64>
  }
  return
}

// The divisor is zero where the condition does not hold.
// shape A: n, n
func.func @guarded(%n: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%i, %j) {
        %d = arith.subi %i, %j : index
        %k = arith.index_cast %d : index to i64
        %a = affine.load %A[%i, %j] : memref<?x?xi64>
        %q = arith.divsi %a, %k : i64
        affine.store %q, %A[%j, %i] : memref<?x?xi64>
      }
    }
  }
  return
}

// The divisor is an extent: the loop that divides runs only where it is not zero.
// shape A: n
func.func @hoistable(%n: index, %A: memref<?xi64>) {
  %k = arith.index_cast %n : index to i64
  %c100 = arith.constant 100 : i64
  affine.for %i = 0 to %n {
    %q = arith.divsi %c100, %k : i64
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.subi %q, %a : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  return
}

// Bits, shifts, comparisons, and both kinds of minimum.
// shape A: n
func.func @bits(%n: index, %A: memref<?xi32>) {
  %c3 = arith.constant 3 : i32
  %c31 = arith.constant 31 : i32
  affine.for %t = 0 to 4 {
    affine.for %i = 1 to %n {
      %a = affine.load %A[%i] : memref<?xi32>
      %b = affine.load %A[%i - 1] : memref<?xi32>
      %s = arith.andi %b, %c31 : i32
      %c = arith.shli %a, %s : i32
      %d = arith.shrui %b, %c3 : i32
      %e = arith.xori %c, %d : i32
      %f = arith.maxsi %e, %a : i32
      %g = arith.minui %f, %c : i32
      %h = arith.cmpi ult, %g, %b : i32
      %r = arith.select %h, %e, %g : i32
      affine.store %r, %A[%i] : memref<?xi32>
    }
  }
  return
}

// Every value is overwritten by the last iteration.
// shape A: n
// shape B: n, n
func.func @overwritten(%n: index, %A: memref<?xi64>, %B: memref<?x?xi64>) {
  affine.for %t = 0 to %n {
    affine.for %i = 0 to %n {
      %b = affine.load %B[%t, %i] : memref<?x?xi64>
      %c = arith.muli %b, %b : i64
      affine.store %c, %A[%i] : memref<?xi64>
    }
  }
  return
}

// Minimum, maximum, product, and reductions of floating point in order.
// shape A: n, n
// shape B: n
func.func @reductions(%n: index, %A: memref<?x?xf64>, %B: memref<?xf64>) {
  %large = arith.constant 1.0e30 : f64
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    %m = affine.for %j = 0 to %n iter_args(%s = %large) -> f64 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.minimumf %s, %a : f64
      affine.yield %t : f64
    }
    %p = affine.for %j = 0 to %n iter_args(%s = %one) -> f64 {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %d = arith.subf %a, %m : f64
      %t = arith.mulf %s, %d : f64
      affine.yield %t : f64
    }
    affine.store %p, %B[%i] : memref<?xf64>
  }
  return
}
