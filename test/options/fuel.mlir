// POLYRS_FUEL=N: the first N regions that have better code get it, the others stay, and remarks number them. Within a function
// the last region comes first.
//
// RUN: env POLYRS_FUEL=2 %mlir-opt --allow-unregistered-dialect --mlir-disable-threading --poly-schedule %s -o %t.2 2>%t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: FileCheck %s --input-file=%t.2 --check-prefix=CODE
// CHECK: remark: poly-schedule: scop: next:{{.*}}fuel=1
// CHECK: remark: poly-schedule: scop: both:{{.*}}left as it is: POLYRS_FUEL is used up
// CHECK: remark: poly-schedule: scop: both:{{.*}}fuel=2
// CHECK: remark: poly-schedule: scop: last:{{.*}}left as it is: POLYRS_FUEL is used up
// CODE-LABEL: func.func @next
// CODE: affine.parallel
// CODE-LABEL: func.func @both
// CODE: affine.for
// CODE: "test.between"
// CODE: affine.parallel
// CODE-LABEL: func.func @last
// CODE-NOT: affine.parallel
//
// Without fuel nothing changes; with enough it is as if there were no such variable.
//
// RUN: env POLYRS_FUEL=0 %mlir-opt --allow-unregistered-dialect --mlir-disable-threading --poly-schedule %s -o %t.0 2>/dev/null
// RUN: %mlir-opt --allow-unregistered-dialect %s -o %t.original
// RUN: diff %t.original %t.0
// RUN: env POLYRS_FUEL=100 %mlir-opt --allow-unregistered-dialect --mlir-disable-threading --poly-schedule %s -o %t.100 2>/dev/null
// RUN: %mlir-opt --allow-unregistered-dialect --poly-schedule %s -o %t.all 2>/dev/null
// RUN: diff %t.all %t.100
//
// RUN: not env POLYRS_FUEL=some %mlir-opt --allow-unregistered-dialect --mlir-disable-threading --poly-schedule %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: poly-schedule: environment variable POLYRS_FUEL: 'some' is not a whole number

func.func @next(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}

func.func @both(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  "test.between"() : () -> ()
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}

func.func @last(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}
