// Where regions begin and end. Dumps come from the last region of a function to the first, remarks in textual order.
// RUN: %mlir-opt --mlir-disable-threading --allow-unregistered-dialect --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

func.func private @f(memref<?xf32>)

// A call between loops may do anything to the array: two regions.
// CHECK: scop: "between:[[#@LINE+11]]"
// CHECK: scop: "between:[[#@LINE+6]]"
// CHECK: splits.mlir:[[#@LINE+5]]:{{.*}} remark: poly-schedule: scop: {{.*}}: 1 statement
// CHECK: splits.mlir:[[#@LINE+7]]:{{.*}} remark: poly-schedule: refused: 'func.call' may do more than read and write known memory; move it out of the loops, or inline what it calls
// CHECK: splits.mlir:[[#@LINE+7]]:{{.*}} remark: poly-schedule: scop: {{.*}}: 1 statement
// CHECK-NOT: refused
func.func @between(%n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  func.call @f(%A) : (memref<?xf32>) -> ()
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  return
}

// A call in a loop: the loops beside it are regions of their own, with the outer iterator as a parameter.
// CHECK: scop: "inside:[[#@LINE+6]]"
// CHECK: domain: "{ S0[i0] : 0 <= i0 < p{{[01]}} }"
// CHECK: splits.mlir:[[#@LINE+7]]:{{.*}} remark: poly-schedule: refused: 'func.call'
// CHECK-NOT: refused
func.func @inside(%n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %v, %A[%j] : memref<?xf32>
    }
    func.call @f(%A) : (memref<?xf32>) -> ()
  }
  return
}

// CHECK: splits.mlir:[[#@LINE+4]]:{{.*}} remark: poly-schedule: refused: 'gpu.barrier' may do more
func.func @barrier(%n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
    gpu.barrier
  }
  return
}

// CHECK: splits.mlir:[[#@LINE+3]]:{{.*}} remark: poly-schedule: refused: 'test.unknown' holds code that runs in a way that is not known; lower it to affine loops first
func.func @unknown(%n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    "test.unknown"() ({
      affine.store %v, %A[%i] : memref<?xf32>
    }) : () -> ()
  }
  return
}

// Regions are looked for in other loops and conditions too.
// CHECK-NOT: refused
// CHECK: scop: "structured
// CHECK-NOT: refused
// CHECK: scop: "structured
// CHECK-NOT: refused
func.func @structured(%n: index, %c: i1, %A: memref<?xf32>, %v: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %t = %zero to %n step %one {
    affine.for %i = 0 to %n {
      affine.store %v, %A[%i] : memref<?xf32>
    }
    func.call @f(%A) : (memref<?xf32>) -> ()
  }
  scf.if %c {
    affine.for %i = 0 to %n {
      affine.store %v, %A[%i] : memref<?xf32>
    }
  }
  return
}

// Not so if they keep two loops apart.
// CHECK-COUNT-3: scop: "apart
// CHECK: remark: poly-schedule: refused: 'scf.for' is control flow that is not affine; regions are looked for inside of it
// CHECK-NOT: refused
func.func @apart(%n: index, %A: memref<?xf32>, %v: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  scf.for %t = %zero to %n step %one {
    affine.for %i = 0 to %n {
      affine.store %v, %A[%i] : memref<?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  return
}

// A bound that was loaded in the region: a new region starts, which has it as a parameter.
// CHECK: scop: "loaded_bound
// CHECK: domain: "{ S0[i0] : 0 <= i0 < p0 }"
// CHECK: scop: "loaded_bound
// CHECK: S0:
// CHECK-NOT: S1:
// CHECK: schedule:
// CHECK-COUNT-2: remark: poly-schedule: scop: loaded_bound
func.func @loaded_bound(%n: index, %N: memref<1xindex>, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to 1 {
    affine.store %n, %N[%i] : memref<1xindex>
  }
  %m = affine.load %N[0] : memref<1xindex>
  affine.for %i = 0 to %m {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  return
}

// Code without loops is no region.
// CHECK-NOT: remark
func.func @straight(%A: memref<?xf32>, %v: f32) {
  affine.store %v, %A[0] : memref<?xf32>
  func.call @f(%A) : (memref<?xf32>) -> ()
  affine.store %v, %A[1] : memref<?xf32>
  return
}
