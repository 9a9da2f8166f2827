// A parallel loop with little work runs sequentially; the size decides at run time.

// RUN: %mlir-opt --poly-parallel-threshold="parallel-threshold=1000" %s | FileCheck %s
// RUN: %mlir-opt --poly-parallel-threshold="parallel-threshold=0" %s | FileCheck %s --check-prefix=ALWAYS
// RUN: %mlir-opt --poly-lower-openmp="parallel-threshold=1000" %s | FileCheck %s --check-prefix=OPENMP
// RUN: printf 'cores: 2\nvector-bits: 256\nparallel-start: 125\n' > %t.machine
// RUN: printf 'parallel-start: 0\n' > %t.quick
// RUN: %mlir-opt --poly-parallel-threshold="machine=%t.machine" %s | FileCheck %s
// RUN: %mlir-opt --poly-parallel-threshold="machine=%t.quick" %s | FileCheck %s --check-prefix=ALWAYS
// RUN: %mlir-opt --poly-lower-openmp="machine=%t.machine" %s | FileCheck %s --check-prefix=OPENMP
// RUN: not %mlir-opt --poly-lower-openmp="machine=/nowhere" %s 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: option 'machine': cannot read /nowhere
// RUN: not %mlir-opt --poly-parallel-threshold="parallel-threshold=few" %s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: option 'parallel-threshold': 'few' is not

// ALWAYS-NOT: scf.if

// Three operations, n * (0 + n - 1) / 2 times or so.
// CHECK-LABEL: func.func @triangle
// CHECK:         %[[ENOUGH:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} : f64
// CHECK-NEXT:    scf.if %[[ENOUGH]] {
// CHECK-NEXT:      affine.parallel (%[[I:.*]]) = (0) to (%{{.*}}) {
// CHECK-NEXT:        affine.for %{{.*}} = 0 to #{{.*}}(%[[I]]) {
// CHECK:         } else {
// CHECK-NEXT:      affine.for %[[J:.*]] = 0 to #{{.*}}(%{{.*}}) {
// CHECK-NEXT:        affine.for %{{.*}} = 0 to #{{.*}}(%[[J]]) {
// CHECK-NOT:     affine.parallel
// CHECK:         return
// OPENMP-LABEL: llvm.func @triangle
// OPENMP:         llvm.fcmp "oge"
// OPENMP:         llvm.cond_br
// OPENMP:         omp.parallel
func.func @triangle(%a: memref<?x?xf64>, %n: index) {
  affine.parallel (%i) = (0) to (%n) {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %v = affine.load %a[%i, %j] : memref<?x?xf64>
      %w = arith.addf %v, %v : f64
      affine.store %w, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Sizes that are known decide here.
// CHECK-LABEL: func.func @known
// CHECK:         affine.for %{{.*}} = 0 to 10 {
// CHECK-NEXT:      affine.for %{{.*}} = 0 to 20 step 2 {
// CHECK:         affine.parallel (%{{.*}}) = (0) to (1000)
// CHECK-NOT:     arith.cmpf
// CHECK:         return
func.func @known(%a: memref<?x?xf64>) {
  %c = arith.constant 1.0 : f64
  affine.parallel (%i, %j) = (0, 0) to (10, 20) step (1, 2) {
    affine.store %c, %a[%i, %j] : memref<?x?xf64>
  }
  affine.parallel (%i) = (0) to (1000) {
    affine.store %c, %a[%i, 0] : memref<?x?xf64>
  }
  return
}

// The work of what is not affine is unknown, and loops that are parallel inside of parallel ones are not looked at.
// CHECK-LABEL: func.func @unknown
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    affine.parallel
// CHECK-NEXT:      scf.while
// CHECK:         affine.parallel (%{{.*}}) = (0) to (100000)
// CHECK-NEXT:      affine.parallel (%{{.*}}) = (0) to (2)
// CHECK:         return
func.func @unknown(%a: memref<?x?xf64>, %condition: i1) {
  %c = arith.constant 1.0 : f64
  affine.parallel (%i) = (0) to (10) {
    scf.while : () -> () {
      scf.condition(%condition)
    } do {
      scf.yield
    }
  }
  affine.parallel (%i) = (0) to (100000) {
    affine.parallel (%j) = (0) to (2) {
      affine.store %c, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Of two branches the longer counts, a bound may be computed before the loop, and a buffer in the sequential version is made
// once, in the parallel one once for each thread's share.
// CHECK-LABEL: func.func @branches
// CHECK:         scf.if
// CHECK:           affine.parallel
// CHECK:           affine.for %{{.*}} = 0 to #{{.*}}(%{{.*}}) {
// CHECK-NEXT:        affine.apply
// OPENMP-LABEL: llvm.func @branches
// OPENMP:         llvm.alloca
// OPENMP:         llvm.fcmp "oge"
func.func @branches(%a: memref<?xf64>, %n: index) {
  affine.parallel (%i) = (0) to (%n) {
    %m = affine.apply affine_map<(d0) -> (d0 + 8)>(%i)
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {
      affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0)[s0] -> (d0, s0)>(%m)[%n] {
        %local = memref.alloca() : memref<f64>
        %v = affine.load %a[%i] : memref<?xf64>
        affine.store %v, %local[] : memref<f64>
        %w = affine.load %local[] : memref<f64>
        affine.store %w, %a[%j] : memref<?xf64>
      }
    } else {
      %v = affine.load %a[%i mod 7] : memref<?xf64>
      affine.store %v, %a[%i floordiv 3] : memref<?xf64>
    }
  }
  return
}
