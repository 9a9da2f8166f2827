// An array of which kernels write everything before they read it is only copied back.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off cpu-version=false" --split-input-file %s 2>/dev/null | FileCheck %s

// The sum starts from zero, which the device puts there.
// CHECK-LABEL: func.func @product
// CHECK-SAME:  (%[[A:arg[0-9]+]]: memref<40x40xf64>, %[[B:arg[0-9]+]]: memref<40x40xf64>, %[[C:arg[0-9]+]]: memref<40x40xf64>)
// CHECK-DAG:     gpu.memcpy %{{.*}}, %[[A]] :
// CHECK-DAG:     gpu.memcpy %{{.*}}, %[[B]] :
// CHECK-NOT:     gpu.memcpy
// CHECK:         gpu.launch
// CHECK:         gpu.memcpy %[[C]], %{{.*}} {polyrs.all_written}
// CHECK-NOT:     gpu.memcpy
// CHECK:         return
func.func @product(%A: memref<40x40xf64>, %B: memref<40x40xf64>, %C: memref<40x40xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 40 {
    affine.for %j = 0 to 40 {
      affine.store %zero, %C[%i, %j] : memref<40x40xf64>
      affine.for %k = 0 to 40 {
        %a = affine.load %A[%i, %k] : memref<40x40xf64>
        %b = affine.load %B[%k, %j] : memref<40x40xf64>
        %c = affine.load %C[%i, %j] : memref<40x40xf64>
        %ab = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %ab : f64
        affine.store %sum, %C[%i, %j] : memref<40x40xf64>
      }
    }
  }
  return
}

// -----

// What is read first is there before.
// CHECK-LABEL: func.func @updated
// CHECK-SAME:  (%[[A:arg[0-9]+]]: memref<1000xf64>)
// CHECK:         gpu.memcpy %{{.*}}, %[[A]] :
// CHECK:         gpu.launch
// CHECK:         gpu.memcpy %[[A]], %{{.*}} {polyrs.all_written}
func.func @updated(%A: memref<1000xf64>) {
  affine.for %i = 0 to 1000 {
    %a = affine.load %A[%i] : memref<1000xf64>
    %twice = arith.addf %a, %a : f64
    affine.store %twice, %A[%i] : memref<1000xf64>
  }
  return
}

// -----

// So is what is not written.
// CHECK-LABEL: func.func @half
// CHECK-SAME:  (%[[A:arg[0-9]+]]: memref<1000xf64>, %[[B:arg[0-9]+]]: memref<1000xf64>)
// CHECK-DAG:     gpu.memcpy %{{.*}}, %[[A]] :
// CHECK-DAG:     gpu.memcpy %{{.*}}, %[[B]] :
// CHECK:         gpu.launch
// CHECK:         gpu.memcpy %[[B]], %
// CHECK-NOT:     all_written
// CHECK:         return
func.func @half(%A: memref<1000xf64>, %B: memref<1000xf64>) {
  affine.for %i = 0 to 500 {
    %a = affine.load %A[%i] : memref<1000xf64>
    affine.store %a, %B[2 * %i] : memref<1000xf64>
  }
  return
}

// -----

// And what the host writes before.
// CHECK-LABEL: func.func @host_before
// CHECK-SAME:  (%[[A:arg[0-9]+]]: memref<1000xf64>, %[[B:arg[0-9]+]]: memref<1000x1000xf64>)
// CHECK:         affine.store %{{.*}}, %[[A]]
// CHECK:         gpu.memcpy %{{.*}}, %[[A]] :
// CHECK-NOT:     gpu.memcpy %{{.*}}, %[[B]] :
// CHECK:         gpu.launch
// CHECK:         gpu.memcpy %[[B]], %{{.*}} {polyrs.all_written}
func.func @host_before(%A: memref<1000xf64>, %B: memref<1000x1000xf64>) {
  %one = arith.constant 1.0 : f64
  affine.store %one, %A[0] : memref<1000xf64>
  affine.for %i = 1 to 1000 {
    %a = affine.load %A[%i - 1] : memref<1000xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %A[%i] : memref<1000xf64>
  }
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %a = affine.load %A[%i] : memref<1000xf64>
      affine.store %a, %B[%i, %j] : memref<1000x1000xf64>
    }
  }
  return
}
