// Every stage can be shown on standard error, as text that the command reads back.
//
// RUN: %mlir-opt --poly-schedule="dump=scop,dependences,constraints,schedule,ast" %s 2>%t.err -o %t.out
// RUN: FileCheck %s < %t.err
// RUN: %mlir-opt --poly-schedule="dump=scop" %s 2>%t.scop -o /dev/null
// RUN: grep -v remark %t.scop | sed -n '/^scop:/,/^live_out:/p' > %t.text.scop
// RUN: polyrs cat %t.text.scop | FileCheck %s --check-prefix=CAT
// RUN: polyrs run %t.text.scop --optimize -p arg0=9 -p arg1=11
//
// Nothing is shown that is not asked for.
// RUN: %mlir-opt --poly-schedule %s 2>&1 -o /dev/null | FileCheck %s --check-prefix=QUIET

// CHECK: # scop of scale
// CHECK: domain: "{ S0[i0, i1] :
// CHECK: # dependences of scale
// CHECK: flow:
// CHECK: # constraints of scale
// CHECK: validity:
// CHECK: # schedule of scale
// CHECK: mark: "tile"
// CHECK: mark: "parallel"
// CHECK: # ast of scale
// CHECK: #pragma parallel
// CHECK: S0(
// CHECK: remark: poly-schedule: scop: scale:{{[0-9]+}}: 1 statement; bands=1 members=2 coincident=1 tiled=1

// CAT: S0
// QUIET-NOT: # scop
// QUIET-NOT: # schedule

func.func @scale(%n: index, %m: index, %f: f64, %A: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %1 = arith.mulf %0, %f : f64
      affine.store %1, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
