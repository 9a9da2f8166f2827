// Where iterations of an innermost loop read what the one before has written, they wait for each other. A candidate has the
// points of tiles in an order in which they do not: another member innermost, or, where all of them wait, a wavefront.
//
// RUN: %mlir-opt --poly-schedule="machine=%S/../machine.txt parallel=false layout=none save-schedule=%t.tree function=nine_points" %s 2>&1 -o /dev/null | FileCheck %s
// RUN: FileCheck %s --check-prefix=WAVEFRONT --input-file=%t.tree
// RUN: %mlir-opt --poly-schedule="machine=%S/../machine.txt parallel=false layout=none save-schedule=%t.tree function=rows" %s 2>/dev/null -o /dev/null
// RUN: FileCheck %s --check-prefix=ACROSS --input-file=%t.tree
// RUN: %mlir-opt --poly-schedule="candidate=order=original+tiles=8+points=skewed function=no_neighbours" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: %mlir-opt --poly-schedule="scheduler=none tile=false dump=scop function=rows" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=DELAY
//
// RUN: %mlir-opt --poly-schedule="machine=%S/../machine.txt parallel=false layout=none function=narrow" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=NARROW
//
// RUN: %equal --with="candidate=order=scheduled+tiles=3,4,5+points=skewed parallel=true" \
// RUN:        --with="candidate=order=original+tiles=4,3+points=skewed read-back=true" \
// RUN:        --with="candidate=order=scheduled+tiles=5,2,3+wavefront=1+points=skewed+parallel=true parallel=true read-back=true" \
// RUN:        --with="candidate=order=outer-coincidence+tiles=2,7+points=skewed+register-tiles=true" --sizes=3,9,11 --sizes=2,3,4 --sizes=7,1,2 --sizes=1,0,1 %s

// CHECK: remark: poly-schedule: scop: nine_points:{{.*}} tiled=1{{.*}} vector=1

// WAVEFRONT:      mark: "point"
// WAVEFRONT:      [(i0)] }, {{.*}} [({{[23]}}i0 + 2i1 + i2)
// WAVEFRONT:      mark: "point"
// WAVEFRONT-NEXT: child:
// WAVEFRONT-NEXT: mark: "vector"

// ACROSS: mark: "point"
// ACROSS: [(i1)]{{.*}}[(i0)]

// NONE: refused: nothing to do as 'order=original+tiles=8{{.*}}points=skewed{{.*}}' says

// DELAY: read R{{[0-9]+}} delay 6 scaled: "{ S0[i0, i1] -> {{[a-z0-9]+}}[i0, -1 + i1] }"

// EXPECT: found tiled
// shape A: n, n
func.func @nine_points(%t: index, %n: index, %A: memref<?x?xf64>) {
  %ninth = arith.constant 9.0 : f64
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %a = affine.load %A[%i - 1, %j - 1] : memref<?x?xf64>
        %b = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %c = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
        %d = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %e = affine.load %A[%i, %j] : memref<?x?xf64>
        %f = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %g = affine.load %A[%i + 1, %j - 1] : memref<?x?xf64>
        %h = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %k = affine.load %A[%i + 1, %j + 1] : memref<?x?xf64>
        %0 = arith.addf %a, %b : f64
        %1 = arith.addf %0, %c : f64
        %2 = arith.addf %1, %d : f64
        %3 = arith.addf %2, %e : f64
        %4 = arith.addf %3, %f : f64
        %5 = arith.addf %4, %g : f64
        %6 = arith.addf %5, %h : f64
        %7 = arith.addf %6, %k : f64
        %8 = arith.divf %7, %ninth : f64
        affine.store %8, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Longest common subsequences: each element waits for three neighbours.
// EXPECT: found tiled
// shape L: m, n
// shape W: m, n
func.func @subsequences(%m: index, %n: index, %L: memref<?x?xi64>, %W: memref<?x?xi64>) {
  affine.for %i = 1 to %m {
    affine.for %j = 1 to %n {
      %w = affine.load %W[%i, %j] : memref<?x?xi64>
      %a = affine.load %L[%i - 1, %j - 1] : memref<?x?xi64>
      %b = affine.load %L[%i - 1, %j] : memref<?x?xi64>
      %c = affine.load %L[%i, %j - 1] : memref<?x?xi64>
      %0 = arith.addi %a, %w : i64
      %1 = arith.maxsi %b, %c : i64
      %2 = arith.maxsi %0, %1 : i64
      affine.store %2, %L[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// A recurrence along each row, with a division; rows do not wait for each other.
// EXPECT: found tiled
// shape P: m, n
// shape Q: m, n
func.func @rows(%m: index, %n: index, %P: memref<?x?xf64>, %Q: memref<?x?xf64>) {
  %a = arith.constant 0.25 : f64
  %b = arith.constant 3.5 : f64
  affine.for %i = 0 to %m {
    affine.for %j = 1 to %n {
      %p = affine.load %P[%i, %j - 1] : memref<?x?xf64>
      %q = affine.load %Q[%i, %j] : memref<?x?xf64>
      %0 = arith.mulf %p, %a : f64
      %1 = arith.addf %0, %b : f64
      %2 = arith.divf %q, %1 : f64
      affine.store %2, %P[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Integers wait for each other for one cycle at a time: other representations of numbers, comparisons and what they choose
// between count for one operation at most. That is too little for a wavefront of points; rows that are an iteration apart gain, if they
// are long.
// NARROW: tile-sizes=64,512 {{.*}}; where {{.*}} >= 96
// EXPECT: found tiled
// shape L: m, n
// shape W: m, n
func.func @narrow(%m: index, %n: index, %L: memref<?x?xi16>, %W: memref<?x?xi16>) {
  affine.for %i = 1 to %m {
    affine.for %j = 1 to %n {
      %w = affine.load %W[%i, %j] : memref<?x?xi16>
      %a = affine.load %L[%i - 1, %j - 1] : memref<?x?xi16>
      %b = affine.load %L[%i - 1, %j] : memref<?x?xi16>
      %c = affine.load %L[%i, %j - 1] : memref<?x?xi16>
      %a32 = arith.extsi %a : i16 to i32
      %w32 = arith.extsi %w : i16 to i32
      %s = arith.addi %a32, %w32 : i32
      %s16 = arith.trunci %s : i32 to i16
      %b32 = arith.extsi %b : i16 to i32
      %c32 = arith.extsi %c : i16 to i32
      %0 = arith.cmpi sgt, %c32, %b32 : i32
      %1 = arith.select %0, %c, %b : i16
      %2 = arith.cmpi sgt, %s16, %1 : i16
      %3 = arith.select %2, %s16, %1 : i16
      affine.store %3, %L[%i, %j] : memref<?x?xi16>
    }
  }
  return
}

// EXPECT: unchanged
// shape P: m, n
// shape Q: n, m
func.func @no_neighbours(%m: index, %n: index, %P: memref<?x?xf64>, %Q: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %q = affine.load %Q[%j, %i] : memref<?x?xf64>
      affine.store %q, %P[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
