// What the plugin shows of a region, the command reads; both checkers accept what the optimizer makes of it.
// RUN: %mlir-opt --poly-schedule="dump=scop" %s -o /dev/null 2> %t
// RUN: sed -n '/^scop:/,/^live_out/p' %t > %t.scop
// RUN: polyrs cat %t.scop | FileCheck %s
// RUN: polyrs check %t.scop --optimize --tile-sizes=3,2 | FileCheck %s --check-prefix=CHECKED
// RUN: polyrs run %t.scop --optimize --tile-sizes=3,2 | FileCheck %s --check-prefix=RAN

// CHECK: scop: "smooth:{{[0-9]+}}"
// CHECK: statements:
// CHECK: read {{.*}}[-1 + {{i[0-9]*}}]
// CHECK: must_write
// CHECK: schedule:
// CHECK: live_out:

// CHECKED: legal

// RAN: tree: {{[1-9][0-9]*}} instances, {{[1-9][0-9]*}} elements compared, 0 undefined: same
// RAN: code: {{[1-9][0-9]*}} instances, {{[1-9][0-9]*}} elements compared, 0 undefined: same

func.func @smooth(%T: index, %N: index, %A: memref<?xf64>) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      %l = affine.load %A[%i - 1] : memref<?xf64>
      %r = affine.load %A[%i + 1] : memref<?xf64>
      %s = arith.addf %l, %r : f64
      affine.store %s, %A[%i] : memref<?xf64>
    }
  }
  return
}
