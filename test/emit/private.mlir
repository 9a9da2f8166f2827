// A private copy serves the whole of an iteration: what sets it in the first one is not run before the loop.
// RUN: %mlir-opt --poly-schedule="profitability=off parallel=true" %s | FileCheck %s
// RUN: %mlir-opt --poly-schedule="profitability=off parallel=true remove-dead=true" %s | FileCheck %s

// CHECK-LABEL: func.func @carried
// CHECK-NOT:   affine.store
// CHECK:       affine.parallel
// CHECK-NEXT:    %[[COPY:.*]] = memref.alloca() : memref<i64>
// CHECK:           affine.store %{{.*}}, %[[COPY]][]
// CHECK:           affine.store %{{.*}}, %[[COPY]][]
// CHECK:         affine.load %[[COPY]][]
// CHECK:         affine.store %{{.*}}, %arg0
func.func @carried(%A: memref<?xi64>) {
  %five = arith.constant 5 : i64
  %first = arith.constant -4 : i64
  %last = affine.for %i = 1 to 5 iter_args(%x = %first) -> (i64) {
    %y = arith.muli %x, %five : i64
    affine.store %y, %A[%i * 2 - 2] : memref<?xi64>
    affine.yield %five : i64
  }
  return
}
