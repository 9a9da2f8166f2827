// Sizes for which arrays are accessed outside of their extents are left to the original. Bounds on sizes are such that the region
// does something for those that are left: it is not `n >= 32` that excludes `n = 31, m >= 31` where `n <= 31` excludes others.
//
// RUN: %mlir-opt --poly-schedule="profitability=off parallel=false" %s 2>&1 | FileCheck %s
// RUN: %equal --with="parallel=false" --sizes=7,5 --sizes=20,29 --sizes=0,3 %s
//
// CHECK: remark: poly-schedule: scop: two_bounds:{{.*}} bands=2 {{.*}} layout=1
// CHECK: memref<{{.*}}xf32>
// CHECK: arith.cmpi sle

// EXPECT: found
func.func @two_bounds(%A: memref<30xf32>, %n: index, %m: index)
    attributes {polyrs.layout = "map(inout: arg0(i) -> (i, 0))"} {
  %v = arith.constant 1.0 : f32
  affine.for %i = 1 to min affine_map<()[s0,s1] -> (s0,s1)>()[%n,%m] {
    affine.store %v, %A[%i] : memref<30xf32>
  }
  affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
    affine.store %v, %A[%i] : memref<30xf32>
  }
  return
}
