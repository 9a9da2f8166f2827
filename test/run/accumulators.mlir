// Values carried by iter_args: their forms, and where they end.
// RUN: %equal %s

// Ends in an element: expanded into it.
// shape A: n, m
// shape B: n
// EXPECT: tiled
func.func @into_element(%n: index, %m: index, %A: memref<?x?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %first = affine.load %B[%i] : memref<?xf64>
    %sum = affine.for %j = 0 to %m iter_args(%s = %first) -> f64 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.addf %s, %a : f64
      affine.yield %t : f64
    }
    affine.store %sum, %B[%i] : memref<?xf64>
  }
  return
}

// A matrix product with an accumulator that starts from a constant.
// shape A: n, m
// shape B: m, n
// shape C: n, n
// EXPECT: tiled parallel
func.func @product(%n: index, %m: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %sum = affine.for %k = 0 to %m iter_args(%s = %zero) -> f64 {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %t = arith.addf %s, %p : f64
        affine.yield %t : f64
      }
      affine.store %sum, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The loop reads the very element in which its accumulator ends.
// shape B: n
func.func @reads_its_element(%n: index, %B: memref<?xf64>) {
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    %sum = affine.for %j = 0 to %n iter_args(%s = %one) -> f64 {
      %b = affine.load %B[%j] : memref<?xf64>
      %t = arith.subf %b, %s : f64
      affine.yield %t : f64
    }
    affine.store %sum, %B[%i] : memref<?xf64>
  }
  return
}

// The loop writes the element in which its accumulator ends, before it ends there.
// shape B: n
func.func @writes_its_element(%n: index, %B: memref<?xf64>) {
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    %sum = affine.for %j = 0 to %n iter_args(%s = %one) -> f64 {
      %b = affine.load %B[%j] : memref<?xf64>
      %t = arith.subf %b, %s : f64
      affine.store %t, %B[%i] : memref<?xf64>
      %u = arith.addf %t, %s : f64
      affine.yield %u : f64
    }
    affine.store %sum, %B[%i] : memref<?xf64>
  }
  return
}

// The accumulator ends in two elements, and after an operation in a third.
// shape A: n + 1, n + 1
func.func @ends_thrice(%n: index, %A: memref<?x?xf64>) {
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    %sum = affine.for %j = 0 to %n iter_args(%s = %one) -> f64 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.subf %a, %s : f64
      affine.yield %t : f64
    }
    affine.store %sum, %A[%i, %i] : memref<?x?xf64>
    affine.store %sum, %A[%i + 1, 0] : memref<?x?xf64>
    %half = arith.divf %one, %sum : f64
    affine.store %half, %A[0, %i + 1] : memref<?x?xf64>
  }
  return
}

// shape A: n
// shape B: n
func.func @two(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    %r:2 = affine.for %j = 0 to %n iter_args(%s = %zero, %t = %one) -> (f64, f64) {
      %a = affine.load %A[%j] : memref<?xf64>
      %u = arith.addf %s, %a : f64
      %v = arith.mulf %t, %u : f64
      %w = arith.subf %v, %a : f64
      affine.yield %u, %w : f64, f64
    }
    affine.store %r#0, %A[%i] : memref<?xf64>
    affine.store %r#1, %B[%i] : memref<?xf64>
  }
  return
}

// A Fibonacci step: the yields are swapped.
// shape A: n
func.func @swapped(%n: index, %A: memref<?xi64>) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:3 = affine.for %i = 0 to %n iter_args(%s = %zero, %t = %one, %u = %zero) -> (i64, i64, i64) {
    %a = affine.load %A[%i] : memref<?xi64>
    %v = arith.addi %s, %t : i64
    affine.store %v, %A[%i] : memref<?xi64>
    affine.yield %t, %u, %a : i64, i64, i64
  }
  %x = arith.subi %r#0, %r#1 : i64
  return %x : i64
}

// The value of one loop is where the next begins.
// shape A: n, m
func.func @from_another_loop(%n: index, %m: index, %A: memref<?x?xi64>) -> (i64, i64) {
  %one = arith.constant 1 : i64
  %r = affine.for %i = 0 to %n iter_args(%s = %one) -> i64 {
    %a = affine.load %A[%i, 0] : memref<?x?xi64>
    %t = arith.muli %s, %a : i64
    affine.yield %t : i64
  }
  %q = affine.for %i = 0 to %m iter_args(%s = %r) -> i64 {
    %a = affine.load %A[0, %i] : memref<?x?xi64>
    %t = arith.subi %a, %s : i64
    affine.yield %t : i64
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = arith.muli %a, %q : i64
      %c = arith.addi %b, %r : i64
      affine.store %c, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return %r, %q : i64, i64
}

// The accumulator goes through the inner loop.
// shape A: n, m
// shape B: 1
func.func @nested(%n: index, %m: index, %A: memref<?x?xi64>, %B: memref<?xi64>) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r = affine.for %i = 0 to %n iter_args(%s = %one) -> i64 {
    %b = arith.addi %s, %two : i64
    %q = affine.for %j = 0 to %m iter_args(%t = %b) -> i64 {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %u = arith.muli %t, %two : i64
      %v = arith.addi %u, %a : i64
      affine.yield %v : i64
    }
    %c = arith.subi %q, %s : i64
    affine.yield %c : i64
  }
  affine.store %r, %B[0] : memref<?xi64>
  return
}

// Nobody uses the result, or the loop just hands its value through.
// shape A: n
func.func @unused(%n: index, %A: memref<?xi64>) -> i64 {
  %one = arith.constant 1 : i64
  %r:2 = affine.for %i = 0 to %n iter_args(%s = %one, %t = %one) -> (i64, i64) {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %s : i64
    affine.store %b, %A[%i] : memref<?xi64>
    affine.yield %b, %t : i64, i64
  }
  return %r#1 : i64
}

// The accumulator is stored at every iteration.
// shape A: n
// shape B: n
func.func @prefix_sums(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> f64 {
    %a = affine.load %A[%i] : memref<?xf64>
    %t = arith.addf %s, %a : f64
    affine.store %t, %B[%i] : memref<?xf64>
    affine.yield %t : f64
  }
  return
}

// The order of floating-point additions is kept, whatever would be faster.
// shape A: n, n
// shape B: 1
func.func @over_two_loops(%n: index, %A: memref<?x?xf64>, %B: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> f64 {
    %q = affine.for %j = 0 to %n iter_args(%t = %s) -> f64 {
      %a = affine.load %A[%j, %i] : memref<?x?xf64>
      %u = arith.addf %t, %a : f64
      affine.yield %u : f64
    }
    affine.yield %q : f64
  }
  affine.store %r, %B[0] : memref<?xf64>
  return
}

// The accumulator is an index and, as such, a subscript afterwards.
// shape A: n + 1
func.func @index_accumulator(%n: index, %A: memref<?xi64>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = affine.for %i = 0 to %n iter_args(%s = %zero) -> index {
    %a = affine.load %A[%i] : memref<?xi64>
    %limit = arith.constant 3 : i64
    %small = arith.cmpi slt, %a, %limit : i64
    %t = arith.addi %s, %one : index
    %u = arith.select %small, %t, %s : index
    affine.yield %u : index
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = affine.load %A[%i + 1] : memref<?xi64>
    %k = arith.index_cast %count : index to i64
    %c = arith.addi %a, %k : i64
    %d = arith.subi %c, %b : i64
    affine.store %d, %A[%i] : memref<?xi64>
  }
  %x = memref.load %A[%count] : memref<?xi64>
  %y = arith.constant 9 : i64
  memref.store %y, %A[%count] : memref<?xi64>
  return %count : index
}

// Three sums that end in elements of one array, which are not in each other's way.
// EXPECT: tiled parallel
// shape A: m, n, 3
// shape r: m, 3
func.func @three_sums(%m: index, %n: index, %A: memref<?x?x3xi64>, %r: memref<?x3xi64>) {
  %c0 = arith.constant 0 : i64
  affine.for %j = 0 to %m {
    %x:3 = affine.for %i = 0 to %n iter_args(%a0 = %c0, %a1 = %c0, %a2 = %c0) -> (i64, i64, i64) {
      %l0 = affine.load %A[%j, %i, 0] : memref<?x?x3xi64>
      %l1 = affine.load %A[%j, %i, 1] : memref<?x?x3xi64>
      %l2 = affine.load %A[%j, %i, 2] : memref<?x?x3xi64>
      %b0 = arith.addi %a0, %l0 : i64
      %b1 = arith.addi %a1, %l1 : i64
      %b2 = arith.addi %a2, %l2 : i64
      affine.yield %b0, %b1, %b2 : i64, i64, i64
    }
    affine.store %x#0, %r[%j, 0] : memref<?x3xi64>
    affine.store %x#1, %r[%j, 1] : memref<?x3xi64>
    affine.store %x#2, %r[%j, 2] : memref<?x3xi64>
  }
  return
}

// Three that go round, two of which end in elements that are the same for some sizes.
// EXPECT: found
// shape A: m, n
// shape B: m, n
// shape r: m, n + m + 3
func.func @rotation(%m: index, %n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>, %r: memref<?x?xi64>) {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  affine.for %j = 0 to %m {
    %x:3 = affine.for %i = 0 to %n iter_args(%a = %c1, %b = %c2, %c = %c3) -> (i64, i64, i64) {
      %l = affine.load %A[%j, %i] : memref<?x?xi64>
      %ab = arith.muli %a, %l : i64
      %bc = arith.subi %ab, %b : i64
      affine.store %bc, %B[%j, %i] : memref<?x?xi64>
      %d = arith.addi %c, %l : i64
      affine.yield %b, %d, %a : i64, i64, i64
    }
    affine.store %x#0, %r[%j, %n] : memref<?x?xi64>
    affine.store %x#1, %r[%j, %m] : memref<?x?xi64>
    affine.store %x#2, %r[%j, %m + 1] : memref<?x?xi64>
  }
  return
}
