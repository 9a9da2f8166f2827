// layout=auto: the layout is chosen together with the schedule, and used where it pays.

// RUN: split-file %s %t

// Sums of products of rows: by columns they are walked along. What the copy costs is compared with what is saved when the program runs; the other branch is scheduled, too, and nothing is left of the attribute that finds it.
// RUN: %mlir-opt --poly-schedule="layout=auto pack-tiles=none parallel=false machine=generic" %t/rows.mlir 2>&1 | FileCheck %s
// Tiles that are packed do the same for less.
// RUN: %mlir-opt --poly-schedule="layout=auto parallel=false machine=generic" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=PACKED
// PACKED: remark: poly-schedule: scop: rows:2: 1 statement; {{.*}} packed=2
// CHECK: remark: poly-schedule: scop: rows:2: 3 statements; {{.*}} layout=1 predicted={{[0-9.]+}}x guard=1; layout: 1.{{[5-9]}}x with map(in: arg0(e0, e1) -> (0, e1, e0 align 8)) map(in: arg1(e0, e1) -> (1, e1, e0 align 8))
// CHECK: remark: poly-schedule: where the layout is not used: scop: rows:2: 1 statement; {{.*}}tiled=1{{.*}}predicted=
// CHECK:      %[[GAIN:.*]] = arith.addf
// CHECK:      %[[PAYS:.*]] = arith.cmpf oge
// CHECK:      %[[FEW:.*]] = arith.cmpf oge
// CHECK:      %[[BOTH:.*]] = arith.andi %[[PAYS]], %[[FEW]] : i1
// CHECK:      %[[FIT:.*]] = arith.select {{.*}}, %[[BOTH]],
// CHECK:      %[[DONE:.*]] = scf.if %[[FIT]] -> (i1) {
// CHECK:        memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x?xf64>
// CHECK:      } {polyrs.relaid}
// CHECK:      scf.if %[[DONE]] {
// CHECK-NEXT: } else {
// CHECK:        affine.for
// CHECK-NOT:  polyrs.without_layout

// New arrays together are bounded. Sizes that are known decide at once, others when the program runs.
// RUN: sed -e 's/?x?xf64/1000x1000xf64/g; s/to %%n/to 1000/g' %t/rows.mlir > %t/known.mlir
// RUN: %mlir-opt --poly-schedule="layout-bytes=15999999 pack-tiles=none parallel=false machine=generic" %t/known.mlir 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: remark: poly-schedule: scop: rows:2: {{.*}} refused: its arrays take too much memory)
// BYTES-NOT: memref.alloc(
// RUN: %mlir-opt --poly-schedule="layout-bytes=16000000 pack-tiles=none parallel=false machine=generic" %t/known.mlir 2>&1 | FileCheck %s --check-prefix=KNOWN
// KNOWN: remark: poly-schedule: scop: rows:2: {{.*}} layout=1
// RUN: %mlir-opt --poly-schedule="layout-bytes=1000000 pack-tiles=none parallel=false machine=generic" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: %[[MOST:.*]] = arith.constant -1.000000e+06 : f64
// OPEN: arith.cmpf oge, %{{.*}}, %[[MOST]] : f64

// What was done is not done again.
// RUN: %mlir-opt --poly-schedule="layout=auto pack-tiles=none parallel=false machine=generic" --poly-schedule="layout=auto pack-tiles=none parallel=false machine=generic" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN-COUNT-1: layout=1
// AGAIN-NOT: layout=1

// Structures: members that are walked along are apart.
// RUN: %mlir-opt --poly-schedule="layout=auto pack-tiles=none parallel=false machine=generic" %t/structures.mlir 2>&1 | FileCheck %s --check-prefix=STRUCTURES
// STRUCTURES: layout: {{[0-9.]+}}x with map(inout: arg0(e0, e1) -> (0, e1, e0 align 8))

// Files are about the region with its layout, and not about what runs where that does not pay.
// RUN: rm -rf %t/files && %mlir-opt --poly-schedule="layout=auto pack-tiles=none parallel=false machine=generic save-schedule=%t/files/tree report=%t/files" %t/structures.mlir -o /dev/null
// RUN: FileCheck %s --check-prefix=FILE < %t/files/tree
// RUN: FileCheck %s --check-prefix=FILE < %t/files/structures_2.md
// FILE: copy_in_arg0

// Sizes that are known, and small: not worth it, and nothing is decided when the program runs.
// RUN: sed -e 's/memref<?x?xf64>/memref<6x6xf64>/g; s/to %%n/to 6/' %t/rows.mlir > %t/small.mlir
// RUN: %mlir-opt --poly-schedule="layout=auto pack-tiles=none parallel=false machine=generic" %t/small.mlir 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL-NOT: layout=1
// SMALL: remark: poly-schedule: scop: rows:2
// SMALL-NOT: memref.alloc(
// SMALL-NOT: arith.cmpf

// An order of loops does as well: there is nothing to choose.
// RUN: %mlir-opt --poly-schedule="layout=auto pack-tiles=none parallel=false machine=generic" %t/columns.mlir 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: remark: poly-schedule: scop: columns:2
// ORDER-NOT: layout
// ORDER: func.func @columns

// Maps that a user gives are followed, and not asked whether they pay.
// RUN: echo 'map(in: arg1(i, j) -> (i, j pad 8))' > %t/maps
// RUN: %mlir-opt --poly-schedule="layout=auto pack-tiles=none layout-maps=%t/maps parallel=false machine=generic" %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: remark: poly-schedule: scop: rows:2: 2 statements; {{.*}} layout=1 guard=1{{$}}
// GIVEN-NOT: where the layout
// GIVEN-NOT: arith.cmpf

// What cannot be redirected stays where it is.
// RUN: %mlir-opt --poly-schedule="layout=any pack-tiles=none profitability=off parallel=false machine=generic" %t/views.mlir 2>&1 | FileCheck %s --check-prefix=VIEWS
// VIEWS: remark: poly-schedule: scop: views:3
// VIEWS-NOT: layout=1

// Without profitability any layout is taken, whatever the sizes.
// RUN: %mlir-opt --poly-schedule="layout=any pack-tiles=none profitability=off parallel=false machine=generic" %t/small.mlir 2>&1 | FileCheck %s --check-prefix=ANY
// ANY: remark: poly-schedule: scop: rows:2: {{.*}} layout=1
// ANY-NOT: arith.cmpf

//--- rows.mlir
func.func @rows(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%j, %k] : memref<?x?xf64>
        %a2 = affine.load %A[%j, %k] : memref<?x?xf64>
        %b2 = affine.load %B[%i, %k] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %q = arith.mulf %a2, %b2 : f64
        %r = arith.addf %p, %q : f64
        %s = arith.addf %c, %r : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

//--- structures.mlir
func.func @structures(%P: memref<?x8xf64>, %n: index, %steps: index, %dt: f64) {
  affine.for %t = 0 to %steps {
    affine.for %i = 0 to %n {
      %x = affine.load %P[%i, 0] : memref<?x8xf64>
      %v = affine.load %P[%i, 3] : memref<?x8xf64>
      %d = arith.mulf %v, %dt : f64
      %s = arith.addf %x, %d : f64
      affine.store %s, %P[%i, 0] : memref<?x8xf64>
    }
  }
  return
}

//--- columns.mlir
func.func @columns(%A: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %a = affine.load %A[%j, %i] : memref<?x?xf64>
        %s = arith.addf %a, %a : f64
        affine.store %s, %A[%j, %i] : memref<?x?xf64>
      }
    }
  }
  return
}

//--- views.mlir
func.func @views(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  %b = memref.cast %B : memref<64x64xf64> to memref<?x?xf64>
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %x = affine.load %A[%i, %k] : memref<64x64xf64>
        %y = affine.load %b[%j, %k] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<64x64xf64>
        %p = arith.mulf %x, %y : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<64x64xf64>
      }
    }
  }
  return
}
