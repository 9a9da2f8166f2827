// Tiled loops: whole tiles apart from cut ones, subscripts composed, nothing left to canonicalize.
// RUN: %mlir-opt --poly-schedule="profitability=off parallel=false" %s | FileCheck %s
// RUN: %mlir-opt --poly-schedule="profitability=off parallel=false" --canonicalize --cse %s | FileCheck %s --check-prefix=CANON

// The innermost loop has a constant trip count and starts at zero where the tile is whole.
// CHECK-DAG: #[[END:.*]] = affine_map<(d0) -> (100, d0 + 32)>
// CHECK-DAG: #[[WHOLE:.*]] = affine_set<(d0) : (-d0 + 68 >= 0)>
// CHECK-LABEL: func.func @cut
// CHECK:      affine.for %[[TI:.*]] = 0 to 100 step 32 {
// CHECK-NEXT:   affine.for %[[TJ:.*]] = 0 to 100 step 32 {
// CHECK-NEXT:     affine.if #[[WHOLE]](%[[TJ]]) {
// CHECK-NEXT:       affine.for %[[I:.*]] = #{{.*}}(%[[TI]]) to min #[[END]](%[[TI]]) {
// CHECK-NEXT:         affine.for %[[P:.*]] = 0 to 32 {
// CHECK-NEXT:           affine.load %arg0[%[[I]], %[[TJ]] + %[[P]] + 1]
// CHECK-NEXT:           affine.store %{{.*}}, %arg1[%[[I]], %[[TJ]] + %[[P]]]
// CHECK:          } else {
// CHECK-NEXT:       affine.for %[[I:.*]] = #{{.*}}(%[[TI]]) to min #[[END]](%[[TI]]) {
// CHECK-NEXT:         affine.for %[[J:.*]] = #{{.*}}(%[[TJ]]) to min #[[END]](%[[TJ]]) {
// CHECK-NEXT:           affine.load %arg0[%[[I]], %[[J]] + 1]
func.func @cut(%A: memref<100x101xf32>, %B: memref<100x100xf32>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %k = affine.apply affine_map<(d0) -> (d0 + 1)>(%j)
      %v = affine.load %A[%i, %k] : memref<100x101xf32>
      affine.store %v, %B[%i, %j] : memref<100x100xf32>
    }
  }
  return
}

// No tile is cut: one version.
// CHECK-LABEL: func.func @whole
// CHECK-NOT:   affine.if
// CHECK:       affine.for %{{.*}} = 0 to 32 {
// CHECK-NOT:   affine.if
// CHECK:       return
func.func @whole(%A: memref<128x64xf32>, %B: memref<128x64xf32>) {
  affine.for %i = 0 to 128 {
    affine.for %j = 0 to 64 {
      %v = affine.load %A[%i, %j] : memref<128x64xf32>
      affine.store %v, %B[%i, %j] : memref<128x64xf32>
    }
  }
  return
}

// An index as a number is made where arithmetic needs it, and only there.
// CANON-LABEL: func.func @index_as_number
// CANON:       affine.apply
// CANON-NEXT:  arith.index_cast
// CANON-NOT:   affine.apply
// CANON:       } else {
// CANON-NOT:   affine.apply
// CANON:       arith.index_cast
// CANON:       return
func.func @index_as_number(%A: memref<100x100xi64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %v = arith.index_cast %j : index to i64
      affine.store %v, %A[%i, %j] : memref<100x100xi64>
    }
  }
  return
}
