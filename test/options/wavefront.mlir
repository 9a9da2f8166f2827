// Where no loop is parallel, tiles are run in wavefronts: wavefront=N sums N + 1 members, so that N of them are coincident
// after the sum (Pluto paper, Algorithm 2; the program is that of its section 7). There are at most two here.
//
// RUN: %mlir-opt --poly-schedule="scheduler=pluto tile-sizes=8 save-schedule=%t.one" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=WITH
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t.one
// RUN: %mlir-opt --poly-schedule="scheduler=pluto tile-sizes=8 wavefront=2 save-schedule=%t.two" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=WITH
// RUN: FileCheck %s --check-prefix=TWO --input-file=%t.two
// RUN: %mlir-opt --poly-schedule="scheduler=pluto tile-sizes=8 wavefront=9 save-schedule=%t.nine" %s 2>/dev/null -o /dev/null
// RUN: diff %t.two %t.nine
// RUN: %mlir-opt --poly-schedule="scheduler=pluto tile-sizes=8 wavefront=0 profitability=off" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=WITHOUT
//
// Of tiles of tiles, the outermost are skewed.
// RUN: %mlir-opt --poly-schedule="scheduler=pluto tile-sizes=24/8 wavefront=2 save-schedule=%t.levels" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=LEVELS-SAID
// RUN: FileCheck %s --check-prefix=LEVELS --input-file=%t.levels
//
// Points have wavefronts where that is asked for, and tiles are not wanted.
// RUN: %mlir-opt --poly-schedule="scheduler=pluto tile=false" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=WITHOUT
// RUN: %mlir-opt --poly-schedule="scheduler=pluto tile=false wavefront=2 save-schedule=%t.points" %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=WITH
// RUN: FileCheck %s --check-prefix=POINTS --input-file=%t.points
//
// RUN: not %mlir-opt --poly-schedule="wavefront=-1" %s 2>&1 | FileCheck %s --check-prefix=BAD

// WITH: remark: poly-schedule: scop: gauss_seidel:{{.*}} wavefronts=1 parallel=1
// WITHOUT: remark: poly-schedule: scop: gauss_seidel:{{.*}} wavefronts=0 parallel=0
// BAD: option 'wavefront': '-1' is not a whole number from 0 to

// ONE:      mark: "wavefront"
// ONE:      mark: "tile"
// ONE:      mark: "parallel"
// ONE:      coincident: [1, 0]
// ONE:      mark: "point"
// ONE-NEXT: child:
// ONE-NEXT: mark: "vector"
// ONE-NOT:  mark:

// TWO:      mark: "wavefront"
// TWO:      mark: "tile"
// TWO:      mark: "parallel"
// TWO:      coincident: [1, 1]
// TWO:      mark: "point"

// LEVELS-SAID: remark: poly-schedule: scop: gauss_seidel:{{.*}} tiled=1 wavefronts=1 parallel=1{{.*}} tile-sizes=24/8 tile-levels=2
// LEVELS:      mark: "wavefront"
// LEVELS:      mark: "tile 2"
// LEVELS:      mark: "parallel"
// LEVELS:      coincident: [1, 1]
// LEVELS:      mark: "tile"
// LEVELS-NOT:  coincident
// LEVELS:      mark: "point"

// POINTS-NOT:  mark: "tile"
// POINTS:      mark: "wavefront"
// POINTS:      mark: "parallel"
// POINTS:      coincident: [1, 1]
// POINTS-NOT:  mark: "point"

func.func @gauss_seidel(%t: index, %n: index, %A: memref<?x?xf64>) {
  %fifth = arith.constant 0.2 : f64
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %a = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %c = affine.load %A[%i, %j] : memref<?x?xf64>
        %d = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %e = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %0 = arith.addf %a, %b : f64
        %1 = arith.addf %0, %c : f64
        %2 = arith.addf %1, %d : f64
        %3 = arith.addf %2, %e : f64
        %4 = arith.mulf %3, %fifth : f64
        affine.store %4, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
