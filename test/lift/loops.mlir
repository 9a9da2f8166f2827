// Loops as they are: steps, bounds of several results, symbols in any order, empty and parallel loops.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

// A step counts from the lower bound, the greatest of several.
// CHECK-LABEL: scop: "step
// CHECK: domain: "{ S0[i0] : i0 < arg1 and (((1 + i0) mod 3 = 0 and arg0 <= 4 and i0 >= 5) or ((-arg0 + i0) mod 3 = 0 and arg0 >= 5 and i0 >= arg0)) }"
func.func @step(%l: index, %u: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = max affine_map<(d0) -> (d0, 5)>(%l) to %u step 3 {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  return
}

// The upper bound is the least of several.
// CHECK-LABEL: scop: "least
// CHECK: domain: "{ S0[i0] : 0 <= i0 <= 99 and i0 < 2arg1 and i0 < arg0 }"
func.func @least(%m: index, %n: index, %A: memref<100xf32>, %v: f32) {
  affine.for %i = 0 to min affine_map<(d0)[s0] -> (d0, 100, s0 * 2)>(%m)[%n] {
    affine.store %v, %A[%i] : memref<100xf32>
  }
  return
}

// Symbols are what they are passed, whatever the order.
// CHECK-LABEL: scop: "symbols
// CHECK: domain: "{ S0[i0] : 2arg1 <= i0 < arg0 }"
// CHECK: must_write R0: "{ S0[i0] -> arg2[arg0 - arg1 + i0] }"
func.func @symbols(%a: index, %b: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = affine_map<()[s0, s1] -> (s1 * 2)>()[%a, %b] to affine_map<()[s0, s1] -> (s1)>()[%b, %a] {
    affine.store %v, %A[%i + symbol(%a) - symbol(%b)] : memref<?xf32>
  }
  return
}

// Imperfect nests and loops in sequence keep their order.
// CHECK-LABEL: scop: "nest
// CHECK: schedule:
// CHECK: sequence:
// CHECK: schedule: "[{ S2[i0] -> [(i0)]; S0[i0] -> [(i0)]; S1[i0, i1] -> [(i0)] }]"
// CHECK: sequence:
// CHECK-NEXT: filter: "{ S0[i0] }"
// CHECK-NEXT: filter: "{ S1[i0, i1] }"
// CHECK: filter: "{ S2[i0] }"
// CHECK-NEXT: filter: "{ S3[i0] }"
func.func @nest(%n: index, %A: memref<?xf32>, %B: memref<?x?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
      %b = affine.load %B[%i, %j] : memref<?x?xf32>
      affine.store %b, %B[%j, %i] : memref<?x?xf32>
    }
    %b = affine.load %B[%i, %i] : memref<?x?xf32>
    affine.store %b, %A[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    affine.store %v, %B[0, %i] : memref<?x?xf32>
  }
  return
}

// Loops that never run, because their bounds are equal or cross.
// CHECK-LABEL: scop: "empty
// CHECK: domain: "{ S0[i0] : false }"
// CHECK: domain: "{ S1[i0] : false }"
func.func @empty(%A: memref<?xf32>, %v: f32) {
  affine.for %i = 4 to 4 {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  affine.for %i = 7 to -3 {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  return
}

// A loop that does nothing is a region without statements.
// CHECK-LABEL: scop: "nothing
// CHECK: statements: {}
// CHECK: remark: poly-schedule: scop: {{.*}}: 0 statements
func.func @nothing(%n: index) {
  affine.for %i = 0 to %n {
  }
  return
}

// CHECK-LABEL: scop: "parallel
// CHECK: domain: "{ S0[i0, i1] :
// CHECK: schedule: "[{ S0[i0, i1] -> [(i0)] }]"
// CHECK: schedule: "[{ S0[i0, i1] -> [(i1)] }]"
func.func @parallel(%m: index, %n: index, %A: memref<?x?xf32>, %v: f32) {
  affine.parallel (%i, %j) = (0, max(2, %m)) to (%n, min(%n, 10)) step (1, 2) {
    affine.store %v, %A[%i, %j] : memref<?x?xf32>
  }
  return
}

// Constants at the ends of 64 bits.
// CHECK-LABEL: scop: "wide
// CHECK: domain: "{ S0[i0] : 9223372036854775806 <= i0 < arg0 }"
// CHECK: must_write R0: "{ S0[i0] -> arg1[-9223372036854775806 + i0] }"
func.func @wide(%n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 9223372036854775806 to %n {
    affine.store %v, %A[%i - 9223372036854775806] : memref<?xf32>
  }
  return
}
