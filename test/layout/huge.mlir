// An array beyond 2^32 elements: the bound from below that its subscripts put on a size is what its layout needs.
// RUN: %mlir-opt --poly-schedule %s 2>&1 | FileCheck %s
// CHECK: remark: poly-schedule: scop: huge:{{.*}} layout=1
func.func @huge(%A: memref<6000000000xf32>, %B: memref<100x100xf32>, %n: index)
    attributes {polyrs.layout = "map(in: arg0(i) -> (0, i))"} {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %x = affine.load %A[%i - %j + symbol(%n) - 3000000000] : memref<6000000000xf32>
      affine.store %x, %B[%j, %i] : memref<100x100xf32>
    }
  }
  return
}
