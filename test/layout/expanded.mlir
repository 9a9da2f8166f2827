// Functions whose arrays and values have a place for each iteration while they run compute the same.

// RUN: %equal %s
// RUN: %mlir-opt --poly-schedule="profitability=off read-back=true parallel=false" %s 2>&1 >/dev/null | FileCheck %s --check-prefix=BACK
// BACK-COUNT-6: layout=1 {{.*}}read-back=1

// The same as kernels, in blocks that divide nothing, run thread by thread. There is code for the CPU beside them, or none; or memory of the device's.
// RUN: sed "s/EXPECT: .*/EXPECT: kernels/" %s > %t.mlir
// RUN: %equal --with="target=gpu parallel=false tile-sizes=4,3 block-sizes=2,2 then lower-affine poly-kernels-to-loops=threads=backward" --with="target=gpu parallel=false cpu-version=false tile-sizes=8,18,16 block-sizes=2,2,3 grid-sizes=2,3 then lower-affine poly-kernels-to-loops" --with="target=gpu parallel=false device-memory=true then lower-affine poly-kernels-to-loops=threads=backward" %t.mlir

// A row of sums, seen afterwards: that of the last iteration.
// shape A: n, m
// shape S: m
// EXPECT: found parallel
func.func @sums(%A: memref<?x?xf64>, %S: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "expand(arg1, 1)"} {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %zero, %S[%j] : memref<?xf64>
      affine.for %k = 0 to %m {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %s = affine.load %S[%j] : memref<?xf64>
        %t = arith.addf %a, %s : f64
        affine.store %t, %S[%j] : memref<?xf64>
      }
    }
    affine.for %j = 0 to %m {
      %s = affine.load %S[%j] : memref<?xf64>
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A triangle: the last iteration that writes an element depends on it.
// shape A: n, n
// shape S: n
// EXPECT: found
func.func @triangle(%A: memref<?x?xf64>, %S: memref<?xf64>, %n: index)
    attributes {polyrs.layout = "expand(arg1, 1)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i)[n] -> (n - i)>(%i)[%n] {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.mulf %a, %a : f64
      affine.store %t, %S[%j] : memref<?xf64>
      %s = affine.load %S[%j] : memref<?xf64>
      affine.store %s, %A[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

// Loops that begin later; every third element is seen.
// shape A: n, m
// shape S: 3 * m
// EXPECT: found
func.func @offsets(%A: memref<?x?xf64>, %S: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "expand(arg1, 1)"} {
  affine.for %i = 3 to %n {
    affine.for %j = 1 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %S[3 * %j - 3] : memref<?xf64>
      %s = affine.load %S[3 * %j - 3] : memref<?xf64>
      %t = arith.addf %s, %a : f64
      affine.store %t, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A sum that a loop carries, with a place for each of the outer iterations.
// shape A: n, m
// shape B: n
// EXPECT: found parallel
func.func @carried(%A: memref<?x?xf64>, %B: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "expand(acc0, 1)"} {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %sum = affine.for %j = 0 to %m iter_args(%s = %zero) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.addf %s, %a : f64
      affine.yield %t : f64
    }
    %b = affine.load %B[%i] : memref<?xf64>
    %p = arith.mulf %b, %sum : f64
    affine.store %p, %B[%i] : memref<?xf64>
    affine.store %sum, %A[%i, 0] : memref<?x?xf64>
  }
  return
}

// A buffer of the region, expanded; another array of it by columns.
// shape A: n, m
// EXPECT: found
func.func @local(%A: memref<?x?xf32>, %n: index, %m: index)
    attributes {polyrs.layout = "expand(buffer0, 1) map(inout: arg0(i, j) -> (j, i))"} {
  %T = memref.alloc(%m) : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      affine.store %a, %T[%j] : memref<?xf32>
    }
    affine.for %j = 0 to %m {
      %t = affine.load %T[%m - %j - 1] : memref<?xf32>
      affine.store %t, %A[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %T : memref<?xf32>
  return
}

// Two nests use one row anew, with loops of other lengths.
// shape A: n, m
// shape B: m, n
// EXPECT: found
func.func @twice(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "expand(buffer0, 1)"} {
  %S = memref.alloc(%n, %m) : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %S[0, %j] : memref<?x?xf64>
      %s = affine.load %S[0, %j] : memref<?x?xf64>
      %t = arith.addf %s, %s : f64
      affine.store %t, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %j = 0 to %m {
    affine.for %i = 0 to %n {
      %b = affine.load %B[%j, %i] : memref<?x?xf64>
      affine.store %b, %S[%i, 0] : memref<?x?xf64>
      %s = affine.load %S[%i, 0] : memref<?x?xf64>
      %t = arith.mulf %s, %s : f64
      affine.store %t, %B[%j, %i] : memref<?x?xf64>
    }
  }
  memref.dealloc %S : memref<?x?xf64>
  return
}
