// Layouts of arguments: the maps of several of them, and of the function, are one layout; results are the same.

// RUN: %equal %s
// RUN: %mlir-opt --poly-schedule="profitability=off read-back=true parallel=false" %s 2>&1 | FileCheck %s
// CHECK-COUNT-4: layout=1 {{.*}}read-back=1
// The attributes go with the old code, others stay.
// CHECK: func.func @product(%arg0: memref<?x?xf64> {some.attribute}, %arg1: memref<?x?xf64>, %arg2: memref<?x?xf64>, %arg3: index, %arg4: index, %arg5: index) {
// CHECK: func.func @pairs(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: index) {

// shape A: n, k
// shape B: k, m
// shape C: n, m
// EXPECT: found tiled parallel
func.func @product(%A: memref<?x?xf64> {polyrs.layout = "map(in: (i, l) -> (0, l, i))", some.attribute},
                   %B: memref<?x?xf64> {polyrs.layout = "map(in: (l, j) -> (1, j, l))"},
                   %C: memref<?x?xf64>, %n: index, %m: index, %k: index)
    attributes {polyrs.layout = "map(inout: arg2(i, j) -> (2, j, i))"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// An array of structures, made of two arguments, and a parameter in an address.
// shape x: n
// shape y: n
// EXPECT: found
func.func @pairs(%x: memref<?xf32> {polyrs.layout = "map(inout: (i) -> (arg2 - 1 - i, 0))"},
                 %y: memref<?xf32> {polyrs.layout = "map(in: (i) -> (i, 1))"}, %n: index) {
  affine.for %t = 0 to 3 {
    affine.for %i = 0 to %n {
      %a = affine.load %x[%i] : memref<?xf32>
      %b = affine.load %y[%i] : memref<?xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %x[%i] : memref<?xf32>
    }
  }
  return
}

// All regions that access the argument have it, and others are not disturbed.
// shape x: n
// shape y: n
// EXPECT: found
func.func @regions(%x: memref<?xf32> {polyrs.layout = "map(inout: (i) -> (i/4, i%4))"}, %y: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    %b = arith.mulf %a, %a : f32
    affine.store %b, %x[%i] : memref<?xf32>
  }
  %zero = func.call @nothing() : () -> f32
  affine.for %i = 0 to %n {
    %a = affine.load %y[%i] : memref<?xf32>
    %b = arith.addf %a, %zero : f32
    affine.store %b, %y[%i] : memref<?xf32>
  }
  return
}

// A place for each iteration of a loop: the argument is the array, so it is not named.
// shape A: n
// shape out: m
// EXPECT: found
func.func @own_places(%A: memref<?xf64> {polyrs.layout = "expand(1)"}, %out: memref<?xf64>, %n: index, %m: index) {
  affine.for %i = 0 to %m {
    %zero = arith.constant 0.0 : f64
    affine.for %j = 0 to %n {
      affine.store %zero, %A[%j] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j] : memref<?xf64>
      %b = affine.load %out[%i] : memref<?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %out[%i] : memref<?xf64>
    }
  }
  return
}

func.func @nothing() -> f32 {
  %zero = arith.constant 0.0 : f32
  return %zero : f32
}
