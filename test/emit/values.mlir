// Values that cross statements, and buffers of the region.
// RUN: %mlir-opt --poly-schedule="profitability=off scheduler=none tile-sizes=8 parallel=false" %s | FileCheck %s
// RUN: %mlir-opt --poly-schedule="profitability=off scheduler=none tile-sizes=8" %s | FileCheck %s --check-prefix=PAR

// A value that is read before its place is written again stays in SSA.
// CHECK-LABEL: func.func @exchange
// CHECK-NOT:   memref.alloca
// CHECK:       affine.for %{{.*}} = 0 to 100 step 8
// CHECK:         affine.for %{{.*}} = 0 to 8 {
// CHECK-DAG:       %[[X:.*]] = affine.load %arg0
// CHECK-DAG:       %[[Y:.*]] = affine.load %arg1
// CHECK-DAG:       affine.store %[[X]], %arg1
// CHECK-DAG:       affine.store %[[Y]], %arg0
// CHECK-NEXT:    }
// CHECK:       return
// PAR-LABEL: func.func @exchange
// PAR:         affine.parallel
// PAR-NOT:     memref.alloca
// PAR:         return
func.func @exchange(%A: memref<100x100xf32>, %B: memref<100x100xf32>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %x = affine.load %A[%i, %j] : memref<100x100xf32>
      %y = affine.load %B[%i, %j] : memref<100x100xf32>
      affine.store %x, %B[%i, %j] : memref<100x100xf32>
      affine.store %y, %A[%i, %j] : memref<100x100xf32>
    }
  }
  return
}

// A buffer allocated in the loop: one in each iteration of the parallel loop.
// PAR-LABEL: func.func @local
// PAR-NEXT:  affine.parallel
// PAR:         %[[L:.*]] = memref.alloc() : memref<16xf32>
// PAR:         memref.dealloc %[[L]]
// PAR-NEXT:  }
// PAR-NEXT:  return
func.func @local(%A: memref<64x16xf32>) {
  affine.for %i = 0 to 64 {
    %L = memref.alloc() : memref<16xf32>
    affine.for %j = 0 to 16 {
      %x = affine.load %A[%i, %j] : memref<64x16xf32>
      affine.store %x, %L[%j] : memref<16xf32>
    }
    affine.for %j = 0 to 16 {
      %x = affine.load %L[15 - %j] : memref<16xf32>
      affine.store %x, %A[%i, %j] : memref<64x16xf32>
    }
    memref.dealloc %L : memref<16xf32>
  }
  return
}
