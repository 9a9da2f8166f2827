// What becomes a statement, and which basic block it is in.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop granularity=op" %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not %mlir-opt --poly-schedule="granularity=word" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: 'granularity'
// WRONG-SAME: one of op, store

// Each operation hands its result on in a scalar; loads and subscripts belong to what uses them.
// CHECK-LABEL: scop: "chain
// CHECK:      S0:
// CHECK:        read R0: {{.*}} -> arg1[i0]
// CHECK-NEXT:   must_write R1: "{ S0[i0] -> value0[]
// CHECK:        block: 0
// CHECK:      S1:
// CHECK:        read R2: "{ S1[i0] -> value0[]
// CHECK:        must_write {{.*}} -> value1[]
// CHECK:        block: 0
// CHECK:      S2:
// CHECK:        must_write {{.*}} -> arg2[
// CHECK:        block: 0
// CHECK-NOT:  S3:
// STORE-LABEL: scop: "chain
// STORE:      S0:
// STORE:        must_write {{.*}} -> arg2[
// STORE-NOT:    block:
// STORE-NOT:  S1:
func.func @chain(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %1, %a : f32
    %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    affine.store %2, %B[%k] : memref<?xf32>
  }
  return
}

// A loop or a condition between two statements ends a block.
// CHECK-LABEL: scop: "between
// STORE-LABEL: scop: "between
// STORE:      S0:
// STORE:        block: 0
// STORE:      S1:
// STORE:        block: 0
// STORE:      S2:
// STORE-NOT:    block:
// STORE:      S3:
// STORE:        block: 1
// STORE:      S4:
// STORE:        block: 1
// STORE:      S5:
// STORE-NOT:    block:
// STORE:      schedule:
func.func @between(%n: index, %a: f32, %A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.store %a, %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
    affine.for %j = 0 to %n {
      affine.store %a, %C[%i, %j] : memref<?x?xf32>
    }
    affine.store %a, %A[%i + 1] : memref<?xf32>
    affine.store %a, %B[%i + 1] : memref<?xf32>
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      affine.store %a, %A[%i] : memref<?xf32>
    }
  }
  return
}
