// Calls: nothing moves across one, and what is around them is still scheduled.
// RUN: %equal %s

func.func private @bench_value_i64(i64)

func.func private @negate(%A: memref<24xi64>) {
  %c0 = arith.constant 0 : i64
  affine.for %i = 0 to 24 {
    %a = affine.load %A[%i] : memref<24xi64>
    %b = arith.subi %c0, %a : i64
    affine.store %b, %A[%i] : memref<24xi64>
  }
  return
}

// Two regions of one function. Upstream's fusion joined such loops across the call.
// EXPECT: found
func.func @between_loops(%A: memref<24xi64>, %B: memref<24xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %i = 0 to 24 {
    %a = affine.load %A[%i] : memref<24xi64>
    %b = arith.muli %a, %c3 : i64
    %c = arith.addi %b, %c3 : i64
    affine.store %c, %A[%i] : memref<24xi64>
  }
  func.call @negate(%A) : (memref<24xi64>) -> ()
  affine.for %i = 0 to 24 {
    %a = affine.load %A[%i] : memref<24xi64>
    %b = affine.load %B[%i] : memref<24xi64>
    %c = arith.muli %a, %b : i64
    affine.store %c, %B[%i] : memref<24xi64>
  }
  return
}

func.func @inside_a_loop(%A: memref<24xi64>, %B: memref<24x24xi64>) {
  affine.for %t = 0 to 3 {
    affine.for %i = 0 to 24 {
      affine.for %j = 0 to 24 {
        %a = affine.load %A[%j] : memref<24xi64>
        %b = affine.load %B[%i, %j] : memref<24x24xi64>
        %c = arith.addi %a, %b : i64
        affine.store %c, %B[%i, %j] : memref<24x24xi64>
      }
    }
    func.call @negate(%A) : (memref<24xi64>) -> ()
    affine.for %i = 0 to 24 {
      %a = affine.load %A[%i] : memref<24xi64>
      %b = affine.load %B[%i, 3] : memref<24x24xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i] : memref<24xi64>
    }
  }
  return
}

// What is printed is printed in the same order.
// EXPECT: unchanged
func.func @printing(%A: memref<5x6xi64>) {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 6 {
      %a = affine.load %A[%i, %j] : memref<5x6xi64>
      func.call @bench_value_i64(%a) : (i64) -> ()
      %b = affine.load %A[4 - %i, 5 - %j] : memref<5x6xi64>
      %c = arith.addi %a, %b : i64
      affine.store %c, %A[%i, %j] : memref<5x6xi64>
    }
  }
  return
}

func.func private @first(%A: memref<24xi64>) -> i64 {
  %a = affine.load %A[0] : memref<24xi64>
  return %a : i64
}

// A call's result is used by the loop after it, and the loop before changes what it reads.
func.func @result(%A: memref<24xi64>) {
  affine.for %i = 0 to 24 {
    %a = affine.load %A[%i] : memref<24xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[%i] : memref<24xi64>
  }
  %f = func.call @first(%A) : (memref<24xi64>) -> i64
  affine.for %i = 0 to 24 {
    %a = affine.load %A[%i] : memref<24xi64>
    %b = arith.muli %a, %f : i64
    affine.store %b, %A[%i] : memref<24xi64>
  }
  return
}

func.func private @same(%A: memref<24xi64>) -> memref<24xi64> {
  return %A : memref<24xi64>
}

// A memref that a call returns may be any buffer.
// EXPECT: unchanged
func.func @returned_buffer(%A: memref<24xi64>) {
  %B = func.call @same(%A) : (memref<24xi64>) -> memref<24xi64>
  affine.for %i = 0 to 23 {
    %a = affine.load %A[%i] : memref<24xi64>
    %b = affine.load %B[%i + 1] : memref<24xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i + 1] : memref<24xi64>
  }
  return
}
