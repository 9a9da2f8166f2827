// When the time is up the region stays as it was, and the remark says what would help.
//
// RUN: %mlir-opt --poly-schedule="time-budget-ms=1" %s -o %t.out 2>%t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: %mlir-opt %s -o %t.original
// RUN: diff %t.original %t.out

// CHECK: remark: poly-schedule: refused: {{.*}}time

func.func @kernel_2mm(%ni: index, %nj: index, %nk: index, %nl: index, %alpha: f64, %beta: f64,
                      %tmp: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>,
                      %C: memref<?x?xf64>, %D: memref<?x?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      affine.store %f0, %tmp[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nk {
        %tmp_v = affine.load %tmp[%i, %j] : memref<?x?xf64>
        %a_v = affine.load %A[%i, %k] : memref<?x?xf64>
        %prod = arith.mulf %alpha, %a_v : f64
        %b_v = affine.load %B[%k, %j] : memref<?x?xf64>
        %prod1 = arith.mulf %prod, %b_v : f64
        %sum = arith.addf %tmp_v, %prod1 : f64
        affine.store %sum, %tmp[%i, %j] : memref<?x?xf64>
      }
    }
  }
