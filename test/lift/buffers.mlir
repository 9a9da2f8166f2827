// Buffers made by the function.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

// A buffer that nothing but the region uses is local: its content means nothing before or after.
// CHECK-LABEL: scop: "local
// CHECK: buffer0: { kind: local, element: f32, extent: [arg0, 7] }
// CHECK: S0:
// CHECK: kill {{.*}}S0[] -> buffer0[
// CHECK: live_out: "{ arg1[i0] }"
func.func @local(%n: index, %A: memref<?xf32>, %v: f32) {
  %buffer = memref.alloc(%n) : memref<?x7xf32>
  affine.for %i = 0 to %n {
    affine.store %v, %buffer[%i, 3] : memref<?x7xf32>
  }
  affine.for %i = 0 to %n {
    %b = affine.load %buffer[%i, 3] : memref<?x7xf32>
    affine.store %b, %A[%i] : memref<?xf32>
  }
  memref.dealloc %buffer : memref<?x7xf32>
  return
}

// One that is used elsewhere is not.
// CHECK-LABEL: scop: "returned
// CHECK: buffer0: { kind: memory
// CHECK: live_out: "{ buffer0[i0] }"
func.func @returned(%n: index, %v: f32) -> memref<?xf32> {
  %buffer = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %v, %buffer[%i] : memref<?xf32>
  }
  return %buffer : memref<?xf32>
}

// One that outlives the runs of a region is not.
// CHECK-LABEL: scop: "outlives
// CHECK: buffer0: { kind: memory
func.func @outlives(%n: index, %l: index, %u: index, %v: f32) {
  %one = arith.constant 1 : index
  %buffer = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %l to %u step %one {
    affine.for %i = 1 to %n {
      %b = affine.load %buffer[%i - 1] : memref<?xf32>
      affine.store %b, %buffer[%i] : memref<?xf32>
    }
  }
  memref.dealloc %buffer : memref<?xf32>
  return
}

// A buffer of each iteration.
// CHECK-LABEL: scop: "of_iteration
// CHECK: buffer0: { kind: local, element: f32, extent: [arg0] }
// CHECK: S0:
// CHECK: kill {{.*}}S0[i0] -> buffer0[o0] }"
// CHECK: must_write {{.*}}S1[i0, i1] -> buffer0[i1] }"
// CHECK: read {{.*}}S2[i0, i1] -> buffer0[i1] }"
func.func @of_iteration(%n: index, %A: memref<?x?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    %buffer = memref.alloc(%n) : memref<?xf32>
    affine.for %j = 0 to %n {
      affine.store %v, %buffer[%j] : memref<?xf32>
    }
    affine.for %j = 0 to %n {
      %b = affine.load %buffer[%j] : memref<?xf32>
      affine.store %b, %A[%i, %j] : memref<?x?xf32>
    }
    memref.dealloc %buffer : memref<?xf32>
  }
  return
}

// The loops around a buffer whose size changes stay; those inside are lifted.
// CHECK-LABEL: scop: "growing
// CHECK: remark: poly-schedule: refused: 'memref.alloc' makes a buffer whose size is not known before the loops
// CHECK: remark: poly-schedule: scop: {{.*}}: 1 statement
func.func @growing(%n: index, %v: f32) {
  affine.for %i = 0 to %n {
    %buffer = memref.alloc(%i) : memref<?xf32>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %v, %buffer[%j] : memref<?xf32>
    }
    memref.dealloc %buffer : memref<?xf32>
  }
  return
}

// CHECK: remark: poly-schedule: refused: 'memref.alloc' makes a buffer that is used by more than loads and stores of its loop
func.func @kept(%n: index, %All: memref<?xmemref<4xf32>>, %v: f32) {
  affine.for %i = 0 to %n {
    %buffer = memref.alloc() : memref<4xf32>
    affine.store %v, %buffer[0] : memref<4xf32>
    affine.store %buffer, %All[%i] : memref<?xmemref<4xf32>>
  }
  return
}
