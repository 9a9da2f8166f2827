// A developer's check: read-back=true reads the new code back and compares it with its schedule. The remark says what came
// of it, and the code that comes out is the same. In a guard it is the new branch that is read. (What wrong code is told
// is tested where code can be wrong, in passes/src/mlir/emit/tests/translation_validation.rs.)
//
// RUN: %mlir-opt --poly-schedule="read-back=true profitability=off tile-sizes=8" %s -o %t.checked 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %mlir-opt --poly-schedule="profitability=off tile-sizes=8" %s -o %t.plain 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: diff %t.checked %t.plain
// RUN: FileCheck %s --input-file=%t.checked --implicit-check-not=polyrs.instance

// SAID: 2 statements; {{.*}} guard=1 read-back=1
// SAID: 3 statements; {{.*}} read-back=1
// SAID: read-back=0; not read back: {{.+}}
// SAID: read-back=1
// SILENT-NOT: read-back=
// SILENT-NOT: not read back

// CHECK-LABEL: func.func @guarded
// CHECK: scf.if
func.func @guarded(%l: index, %u: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = %l to %u {
    affine.for %j = %l to %u {
      %0 = affine.load %B[%j, %i] : memref<?x?xf64>
      %1 = arith.addf %0, %0 : f64
      affine.store %1, %A[%i - symbol(%l), %j - symbol(%l)] : memref<?x?xf64>
    }
    affine.for %j = 1 to %u {
      %2 = affine.load %A[%i - symbol(%l), %j - 1] : memref<?x?xf64>
      affine.store %2, %A[%i - symbol(%l), %j] : memref<?x?xf64>
    }
  }
  return
}

// A value is used after the loops.
// CHECK-LABEL: func.func @live_out
func.func @live_out(%A: memref<100xf64>, %B: memref<100xf64>, %init: f64) -> f64 {
  affine.for %i = 0 to 100 {
    %0 = affine.load %A[%i] : memref<100xf64>
    %1 = arith.mulf %0, %0 : f64
    affine.store %1, %B[%i] : memref<100xf64>
  }
  %sum = affine.for %i = 0 to 100 iter_args(%acc = %init) -> f64 {
    %0 = affine.load %B[%i] : memref<100xf64>
    %1 = arith.addf %acc, %0 : f64
    affine.yield %1 : f64
  }
  return %sum : f64
}

// Conditions that only the scf dialect can say are not read.
// CHECK-LABEL: func.func @either
func.func @either(%l: index, %u: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = max affine_map<(d0) -> (d0, 5)>(%l) to %u step 3 {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}

// The subscript might wrap around for all that is known of the old loop's bounds; the new one's tell more.
// CHECK-LABEL: func.func @subscript_known_later
func.func @subscript_known_later(%n: index, %m: index, %A: memref<?xi64>, %x: i64) {
  %c5 = arith.constant 5 : index
  affine.for %i = affine_map<()[s0] -> (s0 - 3)>()[%n] to 2 {
    affine.if affine_set<()[s0] : (-s0 - 1 >= 0)>()[%n] {
      %p = affine.min affine_map<(d0)[s0] -> (d0, d0 + s0)>(%i)[%m]
      %q = arith.addi %p, %c5 : index
      memref.store %x, %A[%q] : memref<?xi64>
      %B = memref.alloc() : memref<6xi64>
      affine.for %j = 0 to 6 {
        affine.store %x, %B[%j] : memref<6xi64>
      }
      %y = affine.load %B[%i + 4] : memref<6xi64>
      memref.dealloc %B : memref<6xi64>
    }
  }
  return
}
