// Kernels of `target=gpu profitability=off` as the gpu dialect, what is copied around them, and that upstream's passes make PTX of them.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off cpu-version=false" %s 2>&1 | FileCheck %s
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off device-memory=true" %s | FileCheck %s --check-prefix=RESIDENT
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off tile-sizes=64 block-sizes=4,32 grid-sizes=16,16" %s 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off shared-memory=false" %s 2>/dev/null | FileCheck %s --check-prefix=ALONE
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off dump=ast" %s 2>&1 | FileCheck %s --check-prefix=AST
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off device-memory=true" %s | %mlir-opt --lower-affine --gpu-kernel-outlining \
// RUN:   --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx80 cubin-format=isa" | FileCheck %s --check-prefix=PTX

// The code of a thread is what one would write: its sums, the block's tiles, and its place.
// AST:      kernel<<<c0 < floord(arg0 - 1, 64) + 1, c1 < floord(arg1 - 1, 64) + 1; c2 < 16, c3 < 16>>> {
// AST-NEXT:   if (64*c1 + 64 <= arg1 && 64*c0 + 64 <= arg0) {
// AST-NEXT:     if (floord(arg2 - 1, 16) + 1 > 0) {
// AST-NEXT:       #pragma promote arg5[64*c0 + c2 : 4 : 16][64*c1 + c3 : 4 : 16]
// AST-NEXT:       for ([[T:c[0-9]+]] = 0; [[T]] < floord(arg2 - 1, 16) + 1; [[T]]++) {
// AST-NEXT:         #pragma shared arg3[64*c0 : 64][16*[[T]] : 16] where {{\[c[0-9]+\]\[c[0-9]+\]}} if arg2 >= {{c[0-9]+}} + 1
// AST-NEXT:         #pragma shared arg4[16*[[T]] : 16][64*c1 : 64] where
// AST-NEXT:         {
// AST-NEXT:           for ([[K:c[0-9]+]] = 16*[[T]]; [[K]] < min(arg2, 16*[[T]] + 16); [[K]]++) {
// AST-NEXT:             for ([[I:c[0-9]+]] = 0; [[I]] < 4; [[I]]++) {
// AST-NEXT:               for ([[J:c[0-9]+]] = 0; [[J]] < 4; [[J]]++) {
// AST-NEXT:                 S0(64*c0 + c2 + 16*[[I]], 64*c1 + c3 + 16*[[J]], [[K]]);
// At the end of the array it holds what exists.
// AST:        } else {
// AST:          #pragma promote arg5[64*c0 + c2 : 4 : 16 < arg0][64*c1 + c3 : 4 : 16 < arg1]
// AST:          #pragma shared arg3
// AST-NOT:      pragma promote

// ALONE-NOT: workgroup
// ALONE-NOT: gpu.barrier
// ALONE:     gpu.launch
// ALONE-NOT: workgroup
// ALONE-NOT: gpu.barrier

// CHECK: remark: poly-schedule: scop: product:{{.*}} kernels=1
// CHECK-NOT: tile-sizes=
// CHECK-LABEL: func.func @product
// CHECK-SAME:  %[[A:arg[0-9]+]]: memref<?x?xf64>, %[[B:arg[0-9]+]]: memref<?x?xf64>, %[[C:arg[0-9]+]]: memref<?x?xf64>)
// All that is read is copied in, what is written back.
// CHECK-DAG:   gpu.memcpy %[[DA:.*]], %[[A]]
// CHECK-DAG:   gpu.memcpy %[[DB:.*]], %[[B]]
// CHECK-DAG:   gpu.memcpy %[[DC:.*]], %[[C]]
// CHECK:       gpu.launch blocks
// CHECK-SAME:  threads
// CHECK-SAME:  workgroup(%[[TA:.*]] : memref<64x17xf64, #gpu.address_space<workgroup>>, %[[TB:.*]] : memref<16x65xf64, #gpu.address_space<workgroup>>)
// CHECK-SAME:  private(%[[SUMS:[a-z0-9]+]] : memref<4x4xf64, #gpu.address_space<private>>, %{{[a-z0-9]+}} : memref<4x4xf64, #gpu.address_space<private>>)
// Sums are loaded once, and stored once.
// CHECK-COUNT-16: affine.load %[[DC]]
// CHECK:       affine.for
// CHECK:         gpu.barrier
// CHECK:         affine.load %[[DA]]
// CHECK-NEXT:    affine.store %{{.*}}, %[[TA]]
// CHECK:         affine.load %[[DB]]
// CHECK-NEXT:    affine.store %{{.*}}, %[[TB]]
// CHECK:         gpu.barrier
// CHECK-NOT:     %[[DA]]
// CHECK-NOT:     %[[DB]]
// CHECK-NOT:     %[[DC]]
// CHECK:         affine.load %[[TA]]
// CHECK:         affine.load %[[TB]]
// CHECK:         affine.store %{{.*}}, %[[SUMS]]
// CHECK-COUNT-16: affine.store %{{.*}}, %[[DC]]
// CHECK:         gpu.terminator
// CHECK-DAG:   gpu.memcpy %[[C]], %[[DC]]
// CHECK-NOT:   gpu.memcpy
// CHECK:       return

// RESIDENT-LABEL: func.func @product
// RESIDENT-NOT:     gpu.alloc
// RESIDENT-NOT:     gpu.memcpy
// RESIDENT:         gpu.launch
// RESIDENT:           affine.store %{{.*}}, %arg5

// SIZES: kernels=1 tile-sizes=64
// SIZES: threads({{.*}}) in (%{{.*}} = %c32{{.*}}, %{{.*}} = %c4{{.*}}, %{{.*}} = %c1
// Blocks take every sixteenth tile.
// SIZES: affine.for {{.*}} step 16

// PTX: .visible .entry product_kernel
// PTX: fma.rn.f64
func.func @product(%n: index, %m: index, %l: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %l {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b fastmath<contract> : f64
        %sum = arith.addf %c, %ab fastmath<contract> : f64
        affine.store %sum, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
