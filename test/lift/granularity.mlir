// What becomes a statement, and which basic block it is in.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop granularity=op" %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop granularity=block" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not %mlir-opt --poly-schedule="granularity=word" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: 'granularity'
// WRONG-SAME: one of op, store, block

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
// BLOCK-LABEL: scop: "chain
// BLOCK:      S0:
// BLOCK-NOT:  S1:
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
// A block is one statement.
// BLOCK-LABEL: scop: "between
// BLOCK:      S0:
// BLOCK:        must_write {{.*}} -> arg2[i0]
// BLOCK:        must_write {{.*}} -> arg3[i0]
// BLOCK-NOT:    block:
// BLOCK:      S1:
// BLOCK:        must_write {{.*}} -> arg4[i0, i1]
// BLOCK:      S2:
// BLOCK:        must_write {{.*}} -> arg2[1 + i0]
// BLOCK:        must_write {{.*}} -> arg3[1 + i0]
// BLOCK:      S3:
// BLOCK-NOT:  S4:
// BLOCK:      schedule:
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

// A value that two stores need is handed on within the statement. What reads an element that was written before in the same
// iteration, or writes it again, is a statement of its own.
// BLOCK-LABEL: scop: "apart
// BLOCK:      S0:
// BLOCK:        read R{{[0-9]+}}: {{.*}} -> arg1[i0]
// BLOCK-NOT:    read
// BLOCK:        must_write {{.*}} -> arg2[i0]
// BLOCK:        must_write {{.*}} -> arg3[i0]
// BLOCK-NOT:    value
// BLOCK:      S1:
// BLOCK:        read R{{[0-9]+}}: {{.*}} -> arg2[i0]
// BLOCK:        must_write {{.*}} -> arg3[i0]
// BLOCK-NOT:  S2:
// BLOCK:      schedule:
func.func @apart(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %d = arith.divf %a, %a : f32
    %e = arith.divf %d, %a : f32
    affine.store %e, %B[%i] : memref<?xf32>
    affine.store %e, %C[%i] : memref<?xf32>
    %b = affine.load %B[%i] : memref<?xf32>
    affine.store %b, %C[%i] : memref<?xf32>
  }
  return
}
