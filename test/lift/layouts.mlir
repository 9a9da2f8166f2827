// Layouts that may show an element twice: what is written has to have one that does not.
// RUN: %mlir-opt --mlir-disable-threading --split-input-file --poly-schedule="profitability=off" %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %mlir-opt --mlir-disable-threading --split-input-file --poly-schedule="profitability=off assume-noalias=false" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=DOUBT

// The counter-diagonals of a matrix are one element each.
// CHECK: 'affine.store' writes to a buffer whose layout may show an element twice
// CHECK-NOT: scop:
// DOUBT: 'affine.store' writes to a buffer whose layout may show an element twice
func.func @hankel(%A: memref<?xf64>, %n: index, %h: f64) {
  %v = memref.reinterpret_cast %A to offset: [0], sizes: [%n, %n], strides: [1, 1] : memref<?xf64> to memref<?x?xf64, strided<[1, 1]>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %v[%j, %i] : memref<?x?xf64, strided<[1, 1]>>
      %b = arith.mulf %a, %h : f64
      affine.store %b, %v[%j, %i] : memref<?x?xf64, strided<[1, 1]>>
    }
  }
  return
}

// -----

// Of a function's argument the type is enough.
// CHECK: 'affine.store' writes to a buffer whose layout may show an element twice
// CHECK-NOT: scop:
// DOUBT: 'affine.store' writes to a buffer whose layout may show an element twice
func.func @argument(%v: memref<?x?xf64, strided<[1, 1]>>, %n: index, %h: f64) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %v[%j, %i] : memref<?x?xf64, strided<[1, 1]>>
      %b = arith.mulf %a, %h : f64
      affine.store %b, %v[%j, %i] : memref<?x?xf64, strided<[1, 1]>>
    }
  }
  return
}

// -----

// Sizes that do not fit into the strides.
// CHECK: 'affine.store' writes to a buffer whose layout may show an element twice
// CHECK-NOT: scop:
// DOUBT: 'affine.store' writes to a buffer whose layout may show an element twice
func.func @sizes(%v: memref<8x9xf64, strided<[8, 1]>>, %h: f64) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 9 {
      %a = affine.load %v[%i, %j] : memref<8x9xf64, strided<[8, 1]>>
      %b = arith.mulf %a, %h : f64
      affine.store %b, %v[%i, %j] : memref<8x9xf64, strided<[8, 1]>>
    }
  }
  return
}

// -----

// Strides that do not fit into each other, but show nothing twice: 0 2 4 6, 1 3 5 7.
// CHECK-NOT: twice
// CHECK: scop:
// DOUBT-NOT: twice
// DOUBT: scop:
func.func @columns(%v: memref<2x4xf64, strided<[1, 2]>>, %h: f64) {
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 4 {
      %a = affine.load %v[%i, %j] : memref<2x4xf64, strided<[1, 2]>>
      %b = arith.mulf %a, %h : f64
      affine.store %b, %v[%i, %j] : memref<2x4xf64, strided<[1, 2]>>
    }
  }
  return
}

// -----

// The rows are as long as the stride says; and the same under a name for the product.
// CHECK-NOT: twice
// CHECK: scop:
// DOUBT-NOT: twice
// DOUBT: scop:
func.func @rows(%A: memref<?xf64>, %n: index, %m: index, %l: index, %h: f64) {
  %ml = arith.muli %m, %l : index
  %v = memref.reinterpret_cast %A to offset: [0], sizes: [%n, %m, %l], strides: [%ml, %l, 1] : memref<?xf64> to memref<?x?x?xf64, strided<[?, ?, 1]>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %l {
        affine.store %h, %v[%i, %j, %k] : memref<?x?x?xf64, strided<[?, ?, 1]>>
      }
    }
  }
  return
}

// -----

// Nobody knows what these strides are.
// CHECK: 'affine.store' writes to a buffer whose layout may show an element twice
// CHECK-NOT: scop:
// DOUBT: 'affine.store' writes to a buffer whose layout may show an element twice
func.func @unknown(%A: memref<?xf64>, %n: index, %m: index, %h: f64) {
  %v = memref.reinterpret_cast %A to offset: [0], sizes: [%n, %n], strides: [%m, 1] : memref<?xf64> to memref<?x?xf64, strided<[?, 1]>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %h, %v[%i, %j] : memref<?x?xf64, strided<[?, 1]>>
    }
  }
  return
}

// -----

// Of an argument it is taken to be right, unless nothing is to be taken for granted.
// CHECK-NOT: twice
// CHECK: scop:
// DOUBT: 'affine.store' writes to a buffer whose layout may show an element twice
func.func @promised(%v: memref<?x?xf64, strided<[?, 1], offset: ?>>, %n: index, %h: f64) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %h, %v[%i, %j] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    }
  }
  return
}

// -----

// What is only read may show elements as often as it likes.
// CHECK-NOT: twice
// CHECK: scop:
func.func @read(%A: memref<?xf64>, %B: memref<?x?xf64>, %n: index) {
  %v = memref.reinterpret_cast %A to offset: [0], sizes: [%n, %n], strides: [1, 1] : memref<?xf64> to memref<?x?xf64, strided<[1, 1]>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %v[%j, %i] : memref<?x?xf64, strided<[1, 1]>>
      affine.store %a, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// The metadata of a memref that shows nothing twice, also through shapes and rows of it.
// CHECK-NOT: twice
// CHECK: scop:
func.func @metadata(%A: memref<?x?xf64>, %n: index, %h: f64) {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A : memref<?x?xf64> -> memref<f64>, index, index, index, index, index
  %v = memref.reinterpret_cast %base to offset: [%offset], sizes: [%sizes#0, %sizes#1], strides: [%strides#0, 1] : memref<f64> to memref<?x?xf64, strided<[?, 1], offset: ?>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %h, %v[%i, %j] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    }
  }
  return
}

// -----

// A view of a view that shows elements twice does so as well.
// CHECK: 'affine.store' writes to a buffer whose layout may show an element twice
// CHECK-NOT: scop:
// DOUBT: 'affine.store' writes to a buffer whose layout may show an element twice
func.func @chain(%A: memref<64xf64>, %h: f64) {
  %v = memref.reinterpret_cast %A to offset: [0], sizes: [8, 8], strides: [1, 1] : memref<64xf64> to memref<8x8xf64, strided<[1, 1]>>
  %w = memref.subview %v[0, 0] [4, 4] [2, 1] : memref<8x8xf64, strided<[1, 1]>> to memref<4x4xf64, strided<[2, 1]>>
  %x = memref.transpose %w (i, j) -> (j, i) : memref<4x4xf64, strided<[2, 1]>> to memref<4x4xf64, strided<[1, 2]>>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      affine.store %h, %x[%i, %j] : memref<4x4xf64, strided<[1, 2]>>
    }
  }
  return
}
