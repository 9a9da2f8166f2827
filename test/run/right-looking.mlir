// A loop whose iterations wait for each other, and update all of a matrix each, goes in strips: pivots first, the rest as blocks.

// RUN: %equal --with="parallel=false machine=%S/../machine.txt layout-maps=%S/right-looking.maps candidate=order=scheduled+tiles=right-looking:1+register-tiles=true" --with="parallel=false profitability=off layout-maps=%S/right-looking.maps" --sizes=5 --sizes=31 --sizes=64 --sizes=79 --sizes=0 --sizes=1 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt layout-maps=%S/right-looking.maps candidate=order=scheduled+tiles=right-looking:1+register-tiles=true" %s 2>&1 | FileCheck %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt" %s 2>&1 | FileCheck %s --check-prefix=BY-ITSELF
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt right-looking=false" %s 2>&1 | FileCheck %s --check-prefix=OFF

// Floyd and Warshall's method: step k reads row and column k before and after it has changed them.
// BY-ITSELF:      12 statements
// BY-ITSELF-SAME: with keep(arg1, 64)
// OFF-NOT:        keep(arg1
// CHECK-LABEL:    @paths
// CHECK:          affine.for %[[STRIP:.*]] = 0 to {{.*}} step 2 {
// CHECK-NEXT:       affine.for %{{.*}} = #{{.*}}(%[[STRIP]]) to min #{{.*}}(%[[STRIP]])
// EXPECT: tiled
// shape p: n, n
func.func @paths(%n: index, %p: memref<?x?xi32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %direct = affine.load %p[%i, %j] : memref<?x?xi32>
        %to = affine.load %p[%i, %k] : memref<?x?xi32>
        %from = affine.load %p[%k, %j] : memref<?x?xi32>
        %over = arith.addi %to, %from : i32
        %least = arith.minsi %direct, %over : i32
        affine.store %least, %p[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
