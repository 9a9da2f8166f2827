// Two names of one buffer: what is written through one is seen through the other.
// RUN: %equal %s

// shape A: n + 1, n
// EXPECT: tiled
func.func @cast(%n: index, %A: memref<?x?xi64>) {
  %C = memref.cast %A : memref<?x?xi64> to memref<?x?xi64, strided<[?, ?], offset: ?>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = arith.addi %a, %a : i64
      affine.store %b, %C[%i + 1, %j] : memref<?x?xi64, strided<[?, ?], offset: ?>>
    }
  }
  return
}

// The rank is lost on the way.
// shape A: n + 1
func.func @cast_to_unranked(%n: index, %A: memref<?xi64>) {
  %B = memref.cast %A : memref<?xi64> to memref<*xi64>
  %C = memref.cast %B : memref<*xi64> to memref<?xi64>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %C[%i + 1] : memref<?xi64>
  }
  return
}

// The static shape of the cast says nothing new about the buffer.
func.func @cast_to_static(%A: memref<24xi64>) {
  %B = memref.cast %A : memref<24xi64> to memref<?xi64>
  affine.for %i = 0 to 23 {
    %a = affine.load %A[%i + 1] : memref<24xi64>
    %c3 = arith.constant 3 : i64
    %b = arith.muli %a, %c3 : i64
    affine.store %b, %B[%i] : memref<?xi64>
  }
  affine.for %i = 0 to 24 {
    %a = affine.load %B[%i] : memref<?xi64>
    %b = affine.load %A[23 - %i] : memref<24xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i] : memref<24xi64>
  }
  return
}

// Upstream's affine-loop-fusion takes the two for different buffers.
func.func @subview_constant(%A: memref<32x32xi64>) {
  %B = memref.subview %A[4, 2] [20, 20] [1, 1] : memref<32x32xi64> to memref<20x20xi64, strided<[32, 1], offset: 130>>
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 20 {
      %a = affine.load %A[%i + 3, %j + 3] : memref<32x32xi64>
      %b = affine.load %B[%i, %j] : memref<20x20xi64, strided<[32, 1], offset: 130>>
      %c7 = arith.constant 7 : i64
      %c = arith.muli %a, %c7 : i64
      %d = arith.subi %c, %b : i64
      affine.store %d, %B[%i, %j] : memref<20x20xi64, strided<[32, 1], offset: 130>>
    }
  }
  return
}

func.func @subview_stride(%A: memref<40xi64>) {
  %B = memref.subview %A[1] [12] [3] : memref<40xi64> to memref<12xi64, strided<[3], offset: 1>>
  affine.for %i = 0 to 11 {
    %a = affine.load %A[3 * %i + 1] : memref<40xi64>
    %b = affine.load %B[%i + 1] : memref<12xi64, strided<[3], offset: 1>>
    %c = arith.subi %b, %a : i64
    affine.store %c, %B[%i + 1] : memref<12xi64, strided<[3], offset: 1>>
  }
  return
}

// shape A: n + 4
func.func @subview_symbolic(%n: index, %A: memref<?xi64>) {
  %c2 = arith.constant 2 : index
  %B = memref.subview %A[%c2] [%n] [1] : memref<?xi64> to memref<?xi64, strided<[1], offset: ?>>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 1] : memref<?xi64>
    %c5 = arith.constant 5 : i64
    %b = arith.muli %a, %c5 : i64
    affine.store %b, %B[%i] : memref<?xi64, strided<[1], offset: ?>>
  }
  return
}

// A row of a matrix, and the matrix.
func.func @rank_reducing(%A: memref<16x16xi64>) {
  %row = memref.subview %A[5, 0] [1, 16] [1, 1] : memref<16x16xi64> to memref<16xi64, strided<[1], offset: 80>>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      %a = affine.load %row[%j] : memref<16xi64, strided<[1], offset: 80>>
      %b = affine.load %A[%i, %j] : memref<16x16xi64>
      %c3 = arith.constant 3 : i64
      %c = arith.muli %b, %c3 : i64
      %d = arith.addi %a, %c : i64
      affine.store %d, %A[%i, %j] : memref<16x16xi64>
    }
  }
  return
}

func.func @collapsed(%A: memref<8x12xi64>) {
  %B = memref.collapse_shape %A [[0, 1]] : memref<8x12xi64> into memref<96xi64>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 11 {
      %a = affine.load %A[%i, %j] : memref<8x12xi64>
      %b = affine.load %B[12 * %i + %j + 1] : memref<96xi64>
      %c = arith.subi %b, %a : i64
      affine.store %c, %B[12 * %i + %j + 1] : memref<96xi64>
    }
  }
  return
}

func.func @expanded(%A: memref<96xi64>) {
  %B = memref.expand_shape %A [[0, 1]] output_shape [8, 12] : memref<96xi64> into memref<8x12xi64>
  affine.for %i = 0 to 7 {
    affine.for %j = 0 to 12 {
      %a = affine.load %B[%i, %j] : memref<8x12xi64>
      %b = affine.load %A[12 * %i + %j + 12] : memref<96xi64>
      %c3 = arith.constant 3 : i64
      %c = arith.muli %a, %c3 : i64
      %d = arith.addi %b, %c : i64
      affine.store %d, %A[12 * %i + %j + 12] : memref<96xi64>
    }
  }
  return
}

func.func @reinterpreted(%A: memref<100xi64>) {
  %B = memref.reinterpret_cast %A to offset: [3], sizes: [9, 9], strides: [10, 1]
      : memref<100xi64> to memref<9x9xi64, strided<[10, 1], offset: 3>>
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 9 {
      %a = affine.load %A[10 * %i + %j] : memref<100xi64>
      %b = affine.load %B[%i, %j] : memref<9x9xi64, strided<[10, 1], offset: 3>>
      %c3 = arith.constant 3 : i64
      %c = arith.muli %a, %c3 : i64
      %d = arith.subi %b, %c : i64
      affine.store %d, %B[%i, %j] : memref<9x9xi64, strided<[10, 1], offset: 3>>
    }
  }
  return
}

memref.global "private" @state : memref<24xi64> = dense<5>

func.func @global_twice(%A: memref<24xi64>) {
  %g = memref.get_global @state : memref<24xi64>
  %h = memref.get_global @state : memref<24xi64>
  affine.for %i = 0 to 24 {
    %a = affine.load %A[%i] : memref<24xi64>
    affine.store %a, %g[%i] : memref<24xi64>
  }
  affine.for %i = 1 to 24 {
    %a = affine.load %g[%i] : memref<24xi64>
    %b = affine.load %h[%i - 1] : memref<24xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %h[%i] : memref<24xi64>
  }
  affine.for %i = 0 to 24 {
    %a = affine.load %g[23 - %i] : memref<24xi64>
    affine.store %a, %A[%i] : memref<24xi64>
  }
  return
}

// A buffer chosen at run time may be either of the two.
// EXPECT: unchanged
// EXPECT-REFUSED: unknown origin
func.func @selected(%A: memref<24xi64>, %B: memref<24xi64>, %which: i1) {
  %C = arith.select %which, %A, %B : memref<24xi64>
  affine.for %i = 0 to 23 {
    %a = affine.load %A[%i] : memref<24xi64>
    %b = affine.load %B[%i] : memref<24xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %C[%i + 1] : memref<24xi64>
  }
  return
}
