// Arrays with a place for each iteration of loops: what they are, how large they may be, and what is wrong with them.

// RUN: split-file %s %t

// The values that are seen afterwards are copied from the last iteration.
// RUN: %mlir-opt --poly-schedule="layout-maps=%t/maps profitability=off tile=false scheduler=none parallel=false" %t/sums.mlir 2>&1 | FileCheck %s
// CHECK: remark: poly-schedule: scop: sums:3: 3 statements; {{.*}} layout=1
// CHECK: arith.cmpf oge
// CHECK: memref.alloc(%arg2, %arg3) {alignment = 64 : i64} : memref<?x?xf64>
// CHECK: affine.for %[[I:.*]] =
// CHECK:   affine.for %[[J:.*]] =
// CHECK:     affine.store %{{.*}}, %[[ALL:.*]][%[[I]], %[[J]]]
// CHECK:     affine.load %[[ALL]][%[[I]], %[[J]]]
// CHECK: affine.for %[[E:.*]] =
// CHECK:   affine.load %[[ALL]][symbol(%arg2) - 1, %[[E]]]
// CHECK:   affine.store %{{.*}}, %arg1[%[[E]]]

// The search finds it, and parallel loops with it; without it there are none.
// RUN: %mlir-opt --poly-schedule="layout=auto machine=generic" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=FOUND
// FOUND: remark: poly-schedule: scop: rows:3: {{.*}}parallel={{[1-9]}} {{.*}}layout=1 {{.*}}layout: {{[0-9.]+}}x with expand(arg2, 2)
// FOUND: remark: poly-schedule: where the layout is not used: scop: rows:3: {{.*}}parallel=0

// Its memory is bounded. Sizes that are known decide at once, and the remark says so.
// RUN: sed -e 's/?x?xf64/400x400xf64/g; s/?xf64/400xf64/g; s/to %%[nm]/to 400/g' %t/rows.mlir > %t/known.mlir
// RUN: %mlir-opt --poly-schedule="layout=auto machine=generic expansion-bytes=511999999" %t/known.mlir 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: remark: poly-schedule: scop: rows:3: {{.*}}; more than expansion-bytes=511999999: expand(arg2, 2)
// BOUND-NOT: memref.alloc(
// RUN: %mlir-opt --poly-schedule="layout=auto machine=generic expansion-bytes=512000000" %t/known.mlir 2>&1 | FileCheck %s --check-prefix=FITS
// FITS: remark: poly-schedule: scop: rows:3: {{.*}}layout=1 {{.*}} with expand(arg2, 2)
// FITS: memref.alloc() {{.*}} : memref<400x400x400xf64>
// RUN: %mlir-opt --poly-schedule="layout-maps=%t/rows expansion-bytes=511999999" %t/known.mlir 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: refused: no other layout: arrays that expand(...) makes take 512000000 bytes, more than expansion-bytes=511999999
// GIVEN-NOT: memref.alloc(

// Errors have a place.
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/outside" %t/sums.mlir 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: outside:1:8: `arg0` is read before it is written
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/deep" %t/sums.mlir 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: deep:1:8: `arg1` has accesses within 2 loops, not 3
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/twice" %t/sums.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: twice:2:8: `arg1` has another place already
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/number" %t/sums.mlir 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: number:1:14: expected a number of loops, from 1

//--- maps
expand(arg1, 1)
//--- rows
expand(arg2, 2)
//--- outside
expand(arg0, 1)
//--- deep
expand(arg1, 3)
//--- twice
map(out: arg1(i) -> (i))
expand(arg1, 1)
//--- number
expand(arg1, 0)
//--- sums.mlir
// A row that each iteration writes and reads.
func.func @sums(%A: memref<?x?xf64>, %S: memref<?xf64>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %S[%j] : memref<?xf64>
      %s = affine.load %S[%j] : memref<?xf64>
      %t = arith.addf %s, %s : f64
      affine.store %t, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
//--- rows.mlir
// Sums of a matrix and rows, that need a row of their own.
func.func @rows(%A: memref<?x?x?xf64>, %C: memref<?x?xf64>, %S: memref<?xf64>, %n: index, %m: index) {
  affine.for %r = 0 to %n {
    affine.for %q = 0 to %n {
      affine.for %p = 0 to %m {
        %zero = arith.constant 0.0 : f64
        affine.store %zero, %S[%p] : memref<?xf64>
        affine.for %s = 0 to %m {
          %a = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %c = affine.load %C[%s, %p] : memref<?x?xf64>
          %x = affine.load %S[%p] : memref<?xf64>
          %y = arith.mulf %a, %c : f64
          %z = arith.addf %x, %y : f64
          affine.store %z, %S[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %m {
        %x = affine.load %S[%p] : memref<?xf64>
        affine.store %x, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}
