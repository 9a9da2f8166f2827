// Functions whose buffers have windows compute the same: in the order that they have, in one that is found, in tiles and in parallel.

// RUN: %equal --sizes=7,5 --sizes=4,9 --sizes=1,2 --sizes=0,3 --sizes=12,11 --with="layout=any parallel=false tile-sizes=3" --with="layout=any parallel=true tile-sizes=4,3" --with="layout=any parallel=true scheduler=ppcg tile-sizes=2" --with="layout=any parallel=false tile=false scheduler=none" --with="layout=any parallel=false read-back=true" --with="layout=any parallel=true scheduler=isl tile-sizes=3 then again" %s
// RUN: %mlir-opt --poly-schedule="layout=auto parallel=false machine=generic read-back=true" %s 2>&1 >/dev/null | FileCheck %s
// CHECK: scop: stages{{.*}} layout=1 {{.*}}read-back=1; layout: {{.*}}contract(none: buffer0(e0, e1) -> ({{[0-9]+}}, e0%3, e1))
// CHECK: scop: three{{.*}} layout=1 {{.*}}read-back=1; layout: {{.*}}contract(none: buffer0(e0, e1) -> ({{[0-9]+}}, e0%5, e1)) contract(none: buffer1(e0, e1)
// CHECK: scop: steps{{.*}} layout=1 {{.*}}read-back=1; layout: {{.*}}contract(none: buffer0(e0, e1) -> ({{[0-9]+}}, e0%2, e1))

// Maps of a user. In the order that is there the first buffer has no window; the second has the window that is asked for.
// RUN: sed -e 's/func.func @stages(\(.*\)) {/func.func @stages(\1) attributes {polyrs.layout = "contract(buffer0)"} {/; s/func.func @steps(\(.*\)) {/func.func @steps(\1) attributes {polyrs.layout = "contract(none: buffer0(t, i) -> (t%4, i))"} {/' %s > %t.mlir
// RUN: %mlir-opt --poly-schedule="profitability=off parallel=false" %t.mlir 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<3x?xf64>
// GIVEN: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<4x?xf64>
// RUN: %equal --sizes=7,5 --sizes=4,9 --sizes=2,2 --with="parallel=false" --with="parallel=true tile-sizes=3" %t.mlir

// As kernels. The code for the CPU beside them cannot tell that the buffer is the region's own, and has none.
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" %t.mlir 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: scop: stages{{.*}} kernels=1 layout=1
// GPU: for the CPU: scop: stages{{.*}}; without the layout that is asked for: polyrs.layout:1:10: `buffer0` has no window in this order: {{.*}} seen after the region
// GPU: scop: steps{{.*}} kernels=3 layout=1
// GPU: gpu.alloc (%{{.*}}) : memref<3x?xf64>
// GPU: gpu.alloc (%{{.*}}) : memref<4x?xf64>
// RUN: sed "s/EXPECT: .*/EXPECT: kernels/" %t.mlir > %t.gpu.mlir
// RUN: %equal --sizes=7,5 --sizes=4,9 --sizes=2,2 --sizes=0,3 --with="target=gpu parallel=false tile-sizes=4,3 block-sizes=2,2 then lower-affine poly-kernels-to-loops=threads=backward" --with="target=gpu parallel=false cpu-version=false tile-sizes=3 block-sizes=2 grid-sizes=2 then lower-affine poly-kernels-to-loops" %t.gpu.mlir

// Two stages: fused with a shift, three rows are enough.
// shape A: n, m
// shape B: n, m
// EXPECT: found
func.func @stages(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index, %m: index) {
  %T = memref.alloc(%n, %m) : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<()[m] -> (m - 1)>()[%m] {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %A[%i, %j + 1] : memref<?x?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %T[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
    affine.for %j = 0 to affine_map<()[m] -> (m - 1)>()[%m] {
      %a = affine.load %T[%i - 1, %j] : memref<?x?xf64>
      %b = affine.load %T[%i + 1, %j] : memref<?x?xf64>
      %c = arith.mulf %a, %b : f64
      affine.store %c, %B[%i, %j] : memref<?x?xf64>
    }
  }
  memref.dealloc %T : memref<?x?xf64>
  return
}

// Three of them.
// shape A: n, m
// shape B: n, m
// EXPECT: found
func.func @three(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %n: index, %m: index) {
  %T = memref.alloc(%n, %m) : memref<?x?xf32>
  %U = memref.alloc(%n, %m) : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = arith.mulf %a, %a : f32
      affine.store %b, %T[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 2 to affine_map<()[n] -> (n - 2)>()[%n] {
    affine.for %j = 0 to %m {
      %a = affine.load %T[%i - 2, %j] : memref<?x?xf32>
      %b = affine.load %T[%i + 2, %j] : memref<?x?xf32>
      %c = arith.subf %a, %b : f32
      affine.store %c, %U[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 2 to affine_map<()[n] -> (n - 2)>()[%n] {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %U[%i, %j] : memref<?x?xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %B[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %T : memref<?x?xf32>
  memref.dealloc %U : memref<?x?xf32>
  return
}

// A row for each step, of which two are enough. Where n is 0, the last row has no number: that is left to the original.
// shape X: m
// EXPECT: found
func.func @steps(%X: memref<?xf64>, %n: index, %m: index) {
  %S = memref.alloc(%n, %m) : memref<?x?xf64>
  affine.if affine_set<()[n] : (n - 1 >= 0)>()[%n] {
    affine.for %i = 0 to %m {
      %x = affine.load %X[%i] : memref<?xf64>
      affine.store %x, %S[0, %i] : memref<?x?xf64>
    }
    affine.for %t = 1 to %n {
      affine.for %i = 0 to %m {
        %a = affine.load %S[%t - 1, %i] : memref<?x?xf64>
        %b = affine.load %S[%t - 1, -%i + symbol(%m) - 1] : memref<?x?xf64>
        %c = arith.subf %a, %b : f64
        affine.store %c, %S[%t, %i] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to %m {
      %x = affine.load %S[symbol(%n) - 1, %i] : memref<?x?xf64>
      affine.store %x, %X[%i] : memref<?xf64>
    }
  }
  memref.dealloc %S : memref<?x?xf64>
  return
}
