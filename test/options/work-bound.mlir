// A region that isl schedules for seconds, inside of one call: eliminating the Farkas multipliers of one dependence makes tableaus of
// thousands of rows with numbers of hundreds of digits. The quota counts that work: it ends, with isl's schedule or
// without.
//
// RUN: timeout 100 %mlir-opt --poly-schedule="scheduler=isl profitability=off time-budget-ms=30000" %s -o %t.out 2>%t.err
// RUN: FileCheck %s --check-prefix=ENDS --input-file=%t.err
// ENDS: remark: poly-schedule: {{refused: .*: the quota of counted operations ran out|scop: many_multipliers}}
//
// Our own scheduler needs no time worth mentioning, because it finds no multipliers.
// RUN: %mlir-opt --poly-schedule="scheduler=ppcg profitability=off time-budget-ms=100000" %s -o %t.out 2>%t.err
// RUN: FileCheck %s --check-prefix=OURS --input-file=%t.err
// OURS: remark: poly-schedule: scop: many_multipliers
//
// With little time the clock stops isl inside of the call, and the region stays as it was.
// RUN: %mlir-opt %s -o %t.original
// RUN: timeout 100 %mlir-opt --poly-schedule="scheduler=isl profitability=off time-budget-ms=700" %s -o %t.out 2>%t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: diff %t.original %t.out

// CHECK: remark: poly-schedule: refused: {{.*}}: {{the quota of counted operations|the time budget}} ran out
// CHECK-NOT: remark: poly-schedule: scop

func.func @many_multipliers(%n: index, %m: index, %A: memref<?x?xi64>) {
  %value = arith.constant 5 : i64
  affine.for %i = -5 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
    affine.for %j = affine_map<()[s0] -> (s0 - 4)>()[%m] to affine_map<()[s0] -> (s0)>()[%n] {
      affine.for %k = affine_map<()[s0] -> ((s0 - 3) floordiv 3)>()[%m] to affine_map<(d0) -> (d0)>(%i) {
        affine.for %l = 0 to min affine_map<(d0) -> (d0 mod 4, 2)>(%j) {
          %0 = affine.load %A[%l - %j + 8, %l + 12] : memref<?x?xi64>
          %1 = arith.addi %value, %0 : i64
          affine.store %1, %A[%l + 6, 12 - %k * 2] : memref<?x?xi64>
        }
      }
    }
  }
  affine.for %i = -5 to affine_map<()[s0] -> (s0)>()[%n] {
    affine.store %value, %A[%i + 5, %i * -2 + 12] : memref<?x?xi64>
  }
  return
}
