// Blocks at the end of an array hold what exists of them.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off cpu-version=false kernel-sizes=0:32,32,16:8,16" %s 2>/dev/null | FileCheck %s
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off cpu-version=false kernel-sizes=0:32,32,16:8,16 dump=ast" %s 2>&1 | FileCheck %s --check-prefix=AST

// All that is computed stays in registers and shared memory, so nobody asks which points exist but the copies to
// registers and back.
// AST-LABEL:  # ast of product
// AST:        #pragma promote arg5[32*c0 + c2 : 4 : 8][32*c1 + c3 : 2 : 16]
// AST:        else
// AST:        #pragma promote arg5[32*c0 + c2 : 4 : 8 < arg0][32*c1 + c3 : 2 : 16 < arg1]
// AST:        if (32*c0 + c2 + 8*c{{[0-9]+}} < arg0)
// AST:        if (32*c1 + c3 + 16*c{{[0-9]+}} < arg1)
// CHECK-LABEL: func.func @product
// CHECK:         gpu.launch
// CHECK:         affine.if
// CHECK-COUNT-8: arith.mulf
// CHECK:         } else {
// CHECK:         affine.if #{{.*}}[%arg0]
// CHECK-NEXT:      affine.if #{{.*}}[%arg1]
// CHECK-NEXT:        affine.load %{{.*}} : memref<?x?xf32>
// CHECK-NEXT:        affine.store %{{.*}}, #gpu.address_space<private>>
// CHECK:         affine.for
// CHECK:         gpu.barrier
// CHECK:         gpu.barrier
// CHECK-NEXT:    affine.for
// CHECK-NOT:     affine.if
// CHECK-COUNT-8: arith.mulf
// CHECK:         affine.if #{{.*}}[%arg0]
// CHECK-NEXT:      affine.if #{{.*}}[%arg1]
// CHECK-NEXT:        affine.load %{{.*}}, #gpu.address_space<private>>
// CHECK-NEXT:        affine.store %{{.*}} : memref<?x?xf32>
func.func @product(%n: index, %m: index, %p: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %p {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%k, %j] : memref<?x?xf32>
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %ab = arith.mulf %a, %b : f32
        %s = arith.addf %c, %ab : f32
        affine.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// A quotient may trap where nothing was copied, so each point asks.
// CHECK-LABEL: func.func @quotients
// CHECK:         gpu.launch
// CHECK:         affine.if
// CHECK-COUNT-8: arith.divsi
// CHECK:         } else {
// CHECK:         gpu.barrier
// CHECK:         gpu.barrier
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      affine.if #{{.*}}[%arg0]
// CHECK-NEXT:        affine.if #{{.*}}[%arg1]
// CHECK:               arith.divsi
// CHECK:             affine.if #{{.*}}[%arg1]
// CHECK:               arith.divsi
// CHECK:           affine.if #{{.*}}[%arg0]
func.func @quotients(%n: index, %m: index, %p: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>, %C: memref<?x?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %p {
        %a = affine.load %A[%i, %k] : memref<?x?xi32>
        %b = affine.load %B[%k, %j] : memref<?x?xi32>
        %c = affine.load %C[%i, %j] : memref<?x?xi32>
        %ab = arith.divsi %a, %b : i32
        %s = arith.addi %c, %ab : i32
        affine.store %s, %C[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

// So it does where it reads from an array, which has no such element.
// CHECK-LABEL: func.func @from_memory
// CHECK:         gpu.launch
// CHECK:         affine.if
// CHECK-COUNT-8: arith.addf
// CHECK:         } else {
// CHECK:         affine.for
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      affine.if #{{.*}}[%arg0]
// CHECK-NEXT:        affine.if #{{.*}}[%arg1]
// CHECK:               arith.addf
func.func @from_memory(%n: index, %m: index, %p: index, %A: memref<?x?x?xf32>, %C: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %p {
        %a = affine.load %A[%k, %i, %j] : memref<?x?x?xf32>
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %s = arith.addf %c, %a : f32
        affine.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
