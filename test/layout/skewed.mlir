// Where points of tiles are skewed so that they do not wait for each other, no row of the array is along a wavefront. With the
// array skewed as well, one is: points of a wavefront are vectors (objective (5) of the unified report, asked of the array's map).
//
// RUN: %mlir-opt --poly-schedule="layout=auto parallel=false machine=%S/../machine.txt save-schedule=%t.tree" %s 2>&1 -o /dev/null | FileCheck %s
// RUN: %equal --with="layout=auto profitability=on parallel=false machine=%S/../machine.txt" --with="layout=auto profitability=on parallel=true machine=%S/../machine.txt" --sizes=40,70 --sizes=3,5 --sizes=0,2 %s
//
// CHECK: remark: poly-schedule: scop: nine_points:{{[0-9]+}}: 3 statements; {{.*}} layout=1 predicted={{.*}} layout: {{[0-9.]+}}x with map(inout: arg2(e0, e1) -> (0, (2*e0) + e1, e0 align 8))

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
