// What a thread holds in registers: elements that all accesses reach by subscripts that are seen to be theirs.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off cpu-version=false" %s 2>/dev/null | FileCheck %s
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off cpu-version=false dump=ast" %s 2>&1 | FileCheck %s --check-prefix=AST
// RUN: %mlir-opt --poly-schedule="profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=CPU

// The core knows that `i mod 256` is `i`, but the access does not say so: it would go to memory, and the sum to a register.
// AST: #pragma promote arg2[
// CHECK-LABEL: func.func @by_remainder
// CHECK:         gpu.launch
// CHECK-NOT:     private(
// CPU-LABEL:   func.func @by_remainder
// CPU-NOT:       polyrs.promoted
func.func @by_remainder(%A: memref<256x256xf32>, %B: memref<256x256xf32>, %C: memref<256x256xf32>) {
  affine.for %i = 0 to 256 {
    affine.for %j = 0 to 256 {
      affine.for %k = 0 to 256 {
        %a = affine.load %A[%i, %k] : memref<256x256xf32>
        %b = affine.load %B[%k, %j] : memref<256x256xf32>
        %c = affine.load %C[%i mod 256, %j] : memref<256x256xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<256x256xf32>
      }
    }
  }
  return
}

// Beyond the footprint in all blocks: it is read from memory.
// AST: #pragma promote arg2[
// CHECK-LABEL: func.func @beside
// CHECK:         gpu.launch
// CHECK-SAME:    private(%[[SUMS:[a-z0-9]+]] : memref<{{.*}}xf32, #gpu.address_space<private>>)
// CHECK:         affine.store %{{.*}}, %[[SUMS]]
// CPU-LABEL:   func.func @beside
func.func @beside(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x2048xf32>) {
  affine.for %i = 0 to 1024 {
    affine.for %j = 0 to 1024 {
      affine.for %k = 0 to 1024 {
        %a = affine.load %A[%i, %k] : memref<1024x1024xf32>
        %b = affine.load %B[%k, %j] : memref<1024x1024xf32>
        %o = affine.load %C[%i, %j + 1024] : memref<1024x2048xf32>
        %c = affine.load %C[%i, %j] : memref<1024x2048xf32>
        %ab = arith.mulf %a, %b : f32
        %abo = arith.mulf %ab, %o : f32
        %s = arith.addf %c, %abo : f32
        affine.store %s, %C[%i, %j] : memref<1024x2048xf32>
      }
    }
  }
  return
}

// The same by a quotient, under a condition.
// CHECK-LABEL: func.func @by_quotient
// CHECK:         gpu.launch
// CHECK-NOT:     private(
// CPU-LABEL:   func.func @by_quotient
// CPU-NOT:       polyrs.promoted
func.func @by_quotient(%A: memref<256x256xf32>, %B: memref<256x256xf32>, %C: memref<256x256xf32>) {
  affine.for %i = 0 to 256 {
    affine.for %j = 0 to 256 {
      affine.for %k = 0 to 128 {
        affine.if affine_set<(d0) : (d0 - 64 >= 0)>(%k) {
          %a = affine.load %A[%i, %k] : memref<256x256xf32>
          %b = affine.load %B[%k, %j] : memref<256x256xf32>
          %c = affine.load %C[%i + %k floordiv 64 - 1, %j] : memref<256x256xf32>
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          affine.store %s, %C[%i, %j] : memref<256x256xf32>
        }
      }
    }
  }
  return
}

// The second statement is shifted against the first: threads at the start of a row have the first alone, and a block is
// whole where none of its threads is there.
// AST:      # ast of shifted
// AST:      #pragma promote
// CPU-LABEL:   func.func @shifted
// CHECK-LABEL: func.func @shifted
// CHECK:         gpu.launch
func.func @shifted(%n: index, %m: index, %C: memref<?x?xf64>, %D: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %d = affine.load %D[%j] : memref<?xf64>
      %e = arith.addf %c, %d : f64
      affine.store %e, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to 35 {
        %o = affine.load %C[%i, %j + 1] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %s = arith.addf %o, %b : f64
        affine.store %s, %C[%i, %j + 1] : memref<?x?xf64>
      }
    }
  }
  return
}
