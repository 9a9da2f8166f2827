// Stack buffers in loops that run sequentially are made once.

// RUN: %mlir-opt --poly-hoist-stack-buffers %s | FileCheck %s
// RUN: %mlir-opt --poly-hoist-stack-buffers="threads=true" %s | FileCheck %s --check-prefix=THREADS
// RUN: %mlir-opt --poly-lower-x86 %s | FileCheck %s --check-prefix=X86

// CHECK-LABEL: func.func @in_loops
// CHECK-NEXT:    memref.alloca() : memref<4xf64>
// CHECK-NEXT:    affine.parallel
// CHECK-NOT:     memref.alloca
// CHECK:         return
// Each iteration of a parallel loop that runs on threads needs its own.
// THREADS-LABEL: func.func @in_loops
// THREADS-NEXT:    affine.parallel
// THREADS-NEXT:      memref.alloca() : memref<4xf64>
// THREADS-NEXT:      affine.for
// X86-LABEL: llvm.func @in_loops
// X86:         llvm.alloca
// X86:         llvm.br
// X86-NOT:     llvm.alloca
// X86:         llvm.return
func.func @in_loops(%a: memref<?xf64>, %n: index) {
  affine.parallel (%i) = (0) to (%n) {
    affine.for %j = 0 to %n {
      affine.if affine_set<(d0, d1) : (d0 - d1 >= 0)>(%i, %j) {
        %local = memref.alloca() : memref<4xf64>
        %v = affine.load %a[%i] : memref<?xf64>
        affine.store %v, %local[1] : memref<4xf64>
        %w = affine.load %local[1] : memref<4xf64>
        affine.store %w, %a[%j] : memref<?xf64>
      }
    }
  }
  return
}

// A size that is computed in the loop stays there; so does what an unknown operation may run in parallel or often.
// CHECK-LABEL: func.func @stays
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      memref.alloca(%
// CHECK:           memref.alloca_scope
// CHECK-NEXT:        memref.alloca() : memref<f64>
func.func @stays(%a: memref<?xf64>, %lb: index, %ub: index, %step: index, %v: f64) {
  scf.for %i = %lb to %ub step %step {
    %sized = memref.alloca(%i) : memref<?xf64>
    memref.store %v, %sized[%lb] : memref<?xf64>
    memref.alloca_scope {
      %inner = memref.alloca() : memref<f64>
      memref.store %v, %inner[] : memref<f64>
    }
  }
  return
}
