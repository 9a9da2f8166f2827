// Conditions.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

#inside = affine_set<(d0)[s0] : (d0 - 1 >= 0, s0 - d0 - 2 >= 0)>
#even = affine_set<(d0) : (d0 mod 2 == 0)>

// Both branches are statements, each where it runs.
// CHECK-LABEL: scop: "branches
// CHECK: domain: "{ S0[i0] : 0 < i0 <= -2 + arg0 }"
// CHECK: domain: "{ S1[0] : arg0 > 0; S1[-1 + arg0] : arg0 >= 2 }"
func.func @branches(%n: index, %A: memref<?xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to %n {
    affine.if #inside(%i)[%n] {
      affine.store %v, %A[%i] : memref<?xf32>
    } else {
      affine.store %w, %A[%i] : memref<?xf32>
    }
  }
  return
}

// The result of a condition is set in each branch.
// CHECK-LABEL: scop: "result
// CHECK: choice0: { kind: scalar
// CHECK: domain: "{ S0[i0] : (i0) mod 2 = 0 and 0 <= i0 < arg0 }"
// CHECK: must_write {{.*}} -> choice0[] }"
// CHECK: domain: "{ S1[i0] :
// CHECK: must_write {{.*}} -> choice0[] }"
// CHECK: domain: "{ S2[i0] : 0 <= i0 < arg0 }"
// CHECK: read {{.*}} -> choice0[] }"
func.func @result(%n: index, %A: memref<?xf32>, %w: f32) {
  affine.for %i = 0 to %n {
    %r = affine.if #even(%i) -> f32 {
      %a = affine.load %A[%i + 1] : memref<?xf32>
      affine.yield %a : f32
    } else {
      affine.yield %w : f32
    }
    affine.store %r, %A[%i] : memref<?xf32>
  }
  return
}

// A condition on data: one statement that may do what is in it.
// CHECK-LABEL: scop: "data
// CHECK: S0:
// CHECK-NEXT: text: "scf.if
// CHECK: read {{.*}} -> arg1[i0] }"
// CHECK-NEXT: read {{.*}} -> arg2[i0] }"
// CHECK-NEXT: may_write {{.*}} -> arg1[i0] }"
// CHECK-NEXT: may_write {{.*}} -> arg2[1 + i0] }"
// CHECK-NEXT: must_write {{.*}} -> value0[] }"
// CHECK-NEXT: block: 0
// CHECK-NEXT: S1:
// CHECK: read {{.*}} -> value0[] }"
func.func @data(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %test = arith.cmpf olt, %a, %v : f32
    %r = scf.if %test -> f32 {
      %b = affine.load %B[%i] : memref<?xf32>
      affine.store %b, %A[%i] : memref<?xf32>
      scf.yield %b : f32
    } else {
      affine.store %v, %B[%i + 1] : memref<?xf32>
      scf.yield %v : f32
    }
    affine.store %r, %C[%i] : memref<?xf32>
  }
  return
}

// A loop of unknown length within an iteration, with a buffer of its own.
// CHECK-LABEL: scop: "inner_loop
// CHECK: arrays:
// CHECK-NEXT: arg2: { kind: memory
// CHECK-NEXT: arg1: { kind: memory
// CHECK-NEXT: statements:
// CHECK: read {{.*}}S0[i0] -> arg2[i0] }"
// CHECK: may_write {{.*}}S0[i0] -> arg1[o0] }"
// CHECK-NOT: S1:
// CHECK: schedule:
func.func @inner_loop(%n: index, %A: memref<?xf32>, %L: memref<?xindex>, %v: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %l = affine.load %L[%i] : memref<?xindex>
    scf.for %k = %zero to %l step %one {
      %own = memref.alloca() : memref<f32>
      memref.store %v, %own[] : memref<f32>
      %x = memref.load %own[] : memref<f32>
      memref.store %x, %A[%k] : memref<?xf32>
    }
  }
  return
}
