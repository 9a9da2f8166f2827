// Rows whose elements are no neighbours in memory are no vectors of it: of what a block reads, what it holds, and of tiles that are packed.
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=false" --poly-lower-x86 %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.err

// SAID: scop: read:{{.*}} tiled=1
// SAID: scop: held:{{.*}} tiled=1
// SAID: scop: packed:{{.*}} tiled=1{{.*}} packed=1

#rows = strided<[?, 2], offset: ?>

// CHECK-LABEL: llvm.func @read
// CHECK:         llvm.fmul %{{.*}} : vector<16xf64>
func.func @read(%n: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64, #rows>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64, #rows>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// CHECK-LABEL: llvm.func @held
func.func @held(%n: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64, #rows>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64, #rows>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64, #rows>
      }
    }
  }
  return
}

// CHECK-LABEL: llvm.func @packed
// CHECK-NOT:     llvm.shufflevector
// CHECK:         llvm.alloca {{.*}} {alignment = 64
func.func @packed(%n: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64, #rows>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%j, %l] : memref<?x?xf64, #rows>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
