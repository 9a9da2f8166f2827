// Reads of what is overwritten that are the same elements in other words: code tells them apart by their subscripts, so nothing is kept.

// RUN: %equal --with="parallel=false machine=%S/../machine.txt layout=any" --with="parallel=false machine=%S/../machine.txt layout=any tile-sizes=8" --sizes=0 --sizes=1 --sizes=17 --sizes=130 %s
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%S/../machine.txt layout=any" %s 2>&1 | FileCheck %s

// CHECK-NOT:   keep(
// CHECK-LABEL: @twice
// CHECK-NOT:   keep(
// shape p: n, n
func.func @twice(%n: index, %p: memref<?x?xi32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %direct = affine.load %p[%i, %j] : memref<?x?xi32>
        %to = affine.load %p[%i, %k] : memref<?x?xi32>
        %same = affine.load %p[%i, (%k * 3 + %i mod 2) floordiv 3] : memref<?x?xi32>
        %from = affine.load %p[%k, %j] : memref<?x?xi32>
        %over = arith.addi %to, %from : i32
        %mixed = arith.xori %over, %same : i32
        %least = arith.minsi %direct, %mixed : i32
        affine.store %least, %p[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
