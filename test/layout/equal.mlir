// Functions whose arrays have other layouts while they run compute the same, also in parallel, with the loops of their copies among those that are scheduled.

// RUN: %equal %s
// RUN: %mlir-opt --poly-schedule="profitability=off read-back=true parallel=false" %s 2>&1 >/dev/null | FileCheck %s --check-prefix=BACK
// BACK-COUNT-9: layout=1 {{.*}}read-back=1

// The same as kernels, in blocks that divide nothing, run thread by thread. Where there is no memory for a buffer the code for the CPU beside them runs.
// RUN: sed "s/EXPECT: .*/EXPECT: kernels/" %s > %t.mlir
// RUN: %equal --with="target=gpu parallel=false tile-sizes=4,3 block-sizes=2,2 then lower-affine poly-kernels-to-loops=threads=backward" --with="target=gpu parallel=false device-memory=true then lower-affine poly-kernels-to-loops=threads=backward" %t.mlir

// By columns.
// shape A: n, k
// shape B: k, m
// shape C: n, m
// EXPECT: found tiled parallel
func.func @product(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index, %m: index, %k: index)
    attributes {polyrs.layout = "map(in: arg0(i, l) -> (0, l, i)) map(in: arg1(l, j) -> (1, j, l))"} {
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

// In tiles, padded, two arrays in one field.
// shape A: n, m
// shape B: n, m
// EXPECT: found parallel
func.func @tiles(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %n: index, %m: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (0, i/4, j/3, i%4, j%3 pad 1)) map(in: arg1(i, j) -> (1, i, j))"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %B[%i, %j] : memref<?x?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// An array of structures made of three arrays; what is read of one of them is written later.
// shape x: n
// shape y: n
// shape z: n
// EXPECT: found
func.func @structures(%x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf64>, %n: index, %t: index)
    attributes {polyrs.layout = "map(inout: arg0(i) -> (i, 0)) map(inout: arg1(i) -> (i, 1)) map(inout: arg2(i) -> (i, 2))"} {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %a = affine.load %x[%i] : memref<?xf64>
      %b = affine.load %y[%i] : memref<?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %z[%i] : memref<?xf64>
      %d = arith.mulf %c, %a : f64
      affine.store %d, %x[%i] : memref<?xf64>
    }
  }
  return
}

// Skewed, in place, over time; of a constant size.
// EXPECT: found
func.func @skewed(%A: memref<9x8xf64>, %t: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (i + j, j))"} {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to 8 {
      affine.for %j = 1 to 7 {
        %a = affine.load %A[%i - 1, %j] : memref<9x8xf64>
        %b = affine.load %A[%i, %j - 1] : memref<9x8xf64>
        %c = affine.load %A[%i + 1, %j + 1] : memref<9x8xf64>
        %d = arith.addf %a, %b : f64
        %e = arith.mulf %d, %c : f64
        affine.store %e, %A[%i, %j] : memref<9x8xf64>
      }
    }
  }
  return
}

// A buffer that is made in the region; sums through values.
// shape A: n, m
// shape B: n, m
// EXPECT: found
func.func @buffer(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "map(none: buffer0(j) -> (0, j%2, j/2)) map(out: arg1(i, j) -> (1, j, i))"} {
  affine.for %i = 0 to %n {
    %T = memref.alloc(%m) : memref<?xf64>
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.mulf %a, %a : f64
      affine.store %b, %T[%j] : memref<?xf64>
    }
    affine.for %j = 0 to %m {
      %zero = arith.constant 0.0 : f64
      %sum = affine.for %l = 0 to %m iter_args(%so_far = %zero) -> f64 {
        %a = affine.load %T[%l] : memref<?xf64>
        %b = affine.load %A[%i, %l] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %so_far, %p : f64
        affine.yield %s : f64
      }
      affine.store %sum, %B[%i, %j] : memref<?x?xf64>
    }
    memref.dealloc %T : memref<?xf64>
  }
  return
}

// What is written in a triangle is not all of the array: the rest stays what it is.
// shape A: n, n
// shape x: n
// EXPECT: found
func.func @triangle(%A: memref<?x?xf64>, %x: memref<?xf64>, %n: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (0, j, i pad 3)) map(in: arg1(i) -> (1, i/4, i%4))"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%j] : memref<?xf64>
      %s = arith.mulf %a, %b : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// There is no memory for it, or there is and little of it is used: the original runs, or the new code.
// shape A: n, m
// EXPECT: found
func.func @too_large(%A: memref<?x?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (j pad 1000000, i pad 1000000))"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %a : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The same with a constant size.
// EXPECT: found
func.func @too_large_for_sure(%A: memref<5x6xf64>)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (j pad 1000000, i pad 1000000, 0))"} {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 6 {
      %a = affine.load %A[%i, %j] : memref<5x6xf64>
      %s = arith.mulf %a, %a : f64
      affine.store %s, %A[%i, %j] : memref<5x6xf64>
    }
  }
  return
}

// Two fields of other types, the second one said first.
// shape A: n
// shape B: n
// EXPECT: found
func.func @types(%A: memref<?xf32>, %B: memref<?xf64>, %n: index)
    attributes {polyrs.layout = "map(inout: arg1(i) -> (1, i/4, i%4)) map(inout: arg0(i) -> (0, i%4, i/4))"} {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = affine.load %B[%i] : memref<?xf64>
    %c = arith.extf %a : f32 to f64
    %d = arith.addf %b, %c : f64
    %e = arith.addf %a, %a : f32
    affine.store %d, %B[%i] : memref<?xf64>
    affine.store %e, %A[%i] : memref<?xf32>
  }
  return
}
