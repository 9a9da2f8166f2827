// Where rows end depends on a loop over tiles: what a thread holds is not held over that loop.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off cpu-version=false tile-sizes=8,18,16 block-sizes=2,2,3 grid-sizes=2,3 dump=ast" %s 2>&1 | FileCheck %s

// CHECK-NOT:  refused
// CHECK:      for (c[[TILE:[0-9]+]] = {{.*}}floord(arg3 - 1, 16)
// CHECK:      #pragma promote arg1[{{.*}} < 5*c[[TILE]] + 5]
// CHECK-NOT:  refused
// CHECK:      gpu.launch
func.func @rows(%B: memref<?x200xf32>, %C: memref<?x200xf32>, %n: index, %p: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 36 {
      affine.for %k = 0 to %p {
        affine.if affine_set<(i, j, k)[n] : (5 * (k floordiv 16) + 4 - j >= 0, 20 - n + 8 * (i floordiv 8) - 5 * (k floordiv 16) + 18 * (j floordiv 18) >= 0)>(%i, %j, %k)[%n] {
          %b = affine.load %B[%k, %j] : memref<?x200xf32>
          %c = affine.load %C[%i, %j] : memref<?x200xf32>
          %y = arith.addf %c, %b : f32
          affine.store %y, %C[%i, %j] : memref<?x200xf32>
        }
      }
    }
  }
  return
}
