// Maps of a file or of a function's attribute; what is wrong with them is an error, what cannot be done a refusal that leaves the region as it is.

// RUN: split-file %s %t

// A buffer by columns, made where its sizes fit, and used where there is memory for it. Where not, the original runs.
// RUN: %mlir-opt --poly-schedule="layout-maps=%t/columns profitability=off tile=false scheduler=none parallel=false" %t/scale.mlir 2>&1 | FileCheck %s
// CHECK: remark: poly-schedule: scop: scale:2: 3 statements; {{.*}} layout=1
// CHECK: %[[FIT:.*]] = arith.select
// CHECK: %[[DONE:.*]] = scf.if %[[FIT]] -> (i1) {
// CHECK-NEXT: %[[BUFFER:.*]] = memref.alloc(%arg2, %arg1) {alignment = 64 : i64} : memref<?x?xf64>
// CHECK:      memref.extract_aligned_pointer_as_index %[[BUFFER]]
// CHECK:      %[[THERE:.*]] = arith.cmpi ne
// CHECK-NEXT: scf.if %[[THERE]] {
// CHECK:        affine.load %arg0[%[[I:.*]], %[[J:.*]]] : memref<?x?xf64>
// CHECK-NEXT:   affine.store %{{.*}}, %[[BUFFER]][%[[J]], %[[I]]] : memref<?x?xf64>
// CHECK:        affine.load %[[BUFFER]]
// CHECK:        affine.store %{{.*}}, %[[BUFFER]]
// CHECK:        affine.load %[[BUFFER]]
// CHECK-NEXT:   affine.store %{{.*}}, %arg0
// CHECK:      memref.dealloc %[[BUFFER]]
// CHECK-NEXT: scf.yield %[[THERE]] : i1
// CHECK:      arith.constant false
// CHECK:      scf.if %[[DONE]] {
// CHECK-NEXT: } else {
// CHECK:        affine.store %{{.*}}, %arg0

// A name with % is for regions that have a file.
// RUN: %mlir-opt --poly-schedule="layout-maps=%t/%%.maps profitability=off" %t/scale.mlir 2>&1 | FileCheck %s --check-prefix=NO-FILE
// NO-FILE-NOT: layout=1
// NO-FILE: func.func @scale

// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/nowhere" %t/scale.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: poly-schedule: option 'layout-maps': cannot read
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/wrong" %t/scale.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: poly-schedule: {{.*}}wrong:2:12: `arg0` is written and seen after the region, so it has to be copied out: `inout`

// A place that is not there.
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/place" %t/scale.mlir 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: poly-schedule: {{.*}}place:1:8: nothing comes before `S0`: at the region's beginning stand in, out, inout and none

// For a GPU, beside code for the CPU that has it, too.
// RUN: %mlir-opt --poly-schedule="layout-maps=%t/columns target=gpu profitability=off" %t/scale.mlir 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: remark: poly-schedule: scop: scale:2: 3 statements; {{.*}} kernels=3 layout=1
// GPU: remark: poly-schedule: for the CPU: scop: scale:2: 3 statements; {{.*}} layout=1

// What is accessed under conditions on data must not be copied without them.
// RUN: %mlir-opt --poly-schedule="profitability=off" %t/conditions.mlir 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: refused: {{.*}}an array with a layout may be accessed
// DATA-NOT: memref.alloc

// Sizes in bytes must fit the index type, with room for an alignment: 4096 * 4096 * 8 bytes do in 32 bits.
// RUN: %mlir-opt --poly-schedule="profitability=off" %t/narrow.mlir 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW:         %[[MOST:.*]] = arith.constant 4096 : index
// NARROW-NEXT:    arith.cmpi sle, %{{.*}}, %[[MOST]]

// Elements of the same size and another type.
// RUN: %mlir-opt --poly-schedule="profitability=off" %t/half.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// HALF-NOT: error:
// HALF: refused: {{.*}}only arrays of one type can be interleaved

// An attribute is for all regions of a function, each of which has the maps of its own arrays, and no redistribution, as any may have such a statement.
// RUN: %mlir-opt --poly-schedule="profitability=off" %t/regions.mlir 2>&1 | FileCheck %s --check-prefix=REGIONS
// REGIONS-NOT: error:
// REGIONS-COUNT-2: remark: {{.*}} layout=1
// It is followed once.
// REGIONS: func.func @regions({{.*}}index) {

//--- columns
map(inout: arg0(i, j) -> (j, i))
//--- wrong
// A comment.
  map( in: arg0(i, j) -> (j, i))
//--- place
before S0: map(redist: arg0(i, j) -> (j, i))
//--- scale.mlir
func.func @scale(%A: memref<?x?xf64>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.mulf %a, %a : f64
      affine.store %b, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
//--- conditions.mlir
func.func @conditions(%A: memref<?xf64>, %B: memref<?xf64>, %n: index)
    attributes {polyrs.layout = "map(in: arg0(i) -> (i/4, i%4))"} {
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xf64>
    %zero = arith.constant 0.0 : f64
    %c = arith.cmpf olt, %b, %zero : f64
    %v = scf.if %c -> f64 {
      %a = affine.load %A[%i] : memref<?xf64>
      scf.yield %a : f64
    } else {
      scf.yield %b : f64
    }
    affine.store %v, %B[%i] : memref<?xf64>
  }
  return
}
//--- narrow.mlir
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
func.func @narrow(%A: memref<?xf64>, %n: index) attributes {polyrs.layout = "map(inout: arg0(i) -> (i pad 65534, i pad 65534))"} {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %A[%i] : memref<?xf64>
  }
  return
}
}
//--- half.mlir
func.func @half_types(%A: memref<?xf16>, %B: memref<?xbf16>, %n: index)
    attributes {polyrs.layout = "map(inout: arg0(i) -> (i, 0)) map(inout: arg1(i) -> (i, 1))"} {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf16>
    %b = affine.load %B[%i] : memref<?xbf16>
    affine.store %a, %A[%i] : memref<?xf16>
    affine.store %b, %B[%i] : memref<?xbf16>
  }
  return
}
//--- regions.mlir
func.func @regions(%A: memref<?xf64>, %B: memref<8xf64>, %n: index)
    attributes {polyrs.layout = "map(inout: arg0(i) -> (0, arg2 - 1 - i)) map(inout: arg1(i) -> (1, i/2, i%2)) before S0: map(redist: arg1(i) -> (i))"} {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %A[%i] : memref<?xf64>
  }
  %x = func.call @other() : () -> f64
  affine.for %i = 0 to 8 {
    %b = affine.load %B[%i] : memref<8xf64>
    %c = arith.addf %b, %x : f64
    affine.store %c, %B[%i] : memref<8xf64>
  }
  return
}
func.func private @other() -> f64
