// Kernels with barriers that are no loops over blocks and threads, and what threads share that no device has.

// RUN: not %mlir-opt --lower-affine --poly-kernels-to-loops --split-input-file %s 2>&1 | FileCheck %s
// RUN: not %mlir-opt --poly-kernels-to-loops %S/Inputs/affine-barrier.mlir 2>&1 | FileCheck %s --check-prefix=AFFINE
// RUN: %mlir-opt --poly-lower-nvptx %S/Inputs/shared-sizes.mlir 2>&1 | FileCheck %s --check-prefix=SIZES

// AFFINE: error: poly-kernels-to-loops: a barrier in 'affine.for' cannot run on the CPU

// 128 * 48 elements are all that there is, and one more is too much.
// SIZES-DAG:   remark: poly-lower-nvptx: left to the CPU: a kernel has 49160 bytes of shared memory, and a block 49152 at most
// SIZES-DAG:   remark: poly-lower-nvptx: left to the CPU: shared memory of type memref<4x4xf64, strided<[1, 4]>, #gpu.address_space<workgroup>> is not lowered to PTX
// SIZES-LABEL: llvm.func @most
// SIZES:         polyrs_gpu_begin_if
// SIZES-LABEL: llvm.func @too_many
// SIZES-NOT:     polyrs_gpu
// SIZES-LABEL: llvm.func @strided
// SIZES-NOT:     polyrs_gpu
// SIZES:       @most_kernels_ptx

// Threads go through the loop as often as their numbers say.
// CHECK: error: poly-kernels-to-loops: a barrier in 'scf.for' that not all threads go through alike cannot run on the CPU
func.func @apart(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%x, %y, %z) in (%sx = %n, %sy = %n, %sz = %n) {
    affine.for %i = 0 to affine_map<(d0) -> (d0 + 1)>(%x) {
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// -----

// In a loop over a thread's own elements.
// CHECK: error: poly-kernels-to-loops: a barrier in 'scf.for' that not all threads go through alike cannot run on the CPU
func.func @own(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%x, %y, %z) in (%sx = %n, %sy = %n, %sz = %n) {
    affine.for %i = affine_map<(d0) -> (d0)>(%x) to %n step 16 {
      affine.for %j = 0 to %n {
        gpu.barrier
      }
    }
    gpu.terminator
  }
  return
}

// -----

// CHECK: error: poly-kernels-to-loops: a barrier in 'scf.if' that not all threads go through alike cannot run on the CPU
func.func @some(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%x, %y, %z) in (%sx = %n, %sy = %n, %sz = %n) {
    affine.if affine_set<(d0) : (7 - d0 >= 0)>(%x) {
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// -----

// CHECK: error: poly-kernels-to-loops: a barrier in 'scf.for' that depends on what 'memref.load' gives cannot run on the CPU
func.func @unknown(%n: index, %A: memref<index>) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%x, %y, %z) in (%sx = %n, %sy = %n, %sz = %n) {
    %m = memref.load %A[] : memref<index>
    scf.for %i = %bx to %m step %n {
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// -----

// CHECK: error: poly-kernels-to-loops: a barrier in 'scf.for' with results cannot run on the CPU
func.func @carried(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%x, %y, %z) in (%sx = %n, %sy = %n, %sz = %n) {
    %sum = affine.for %i = 0 to %n iter_args(%s = %x) -> index {
      gpu.barrier
      affine.yield %s : index
    }
    gpu.terminator
  }
  return
}

// -----

// CHECK: error: poly-kernels-to-loops: what 'memref.load' gives is used behind a barrier, which cannot run on the CPU
func.func @kept(%n: index, %A: memref<?xf64>) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%x, %y, %z) in (%sx = %n, %sy = %n, %sz = %n) {
    %a = memref.load %A[%x] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    gpu.barrier
    memref.store %b, %A[%x] : memref<?xf64>
    gpu.terminator
  }
  return
}

// -----

// CHECK: error: poly-kernels-to-loops: private memory without sizes cannot run on the CPU
func.func @private(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%x, %y, %z) in (%sx = %n, %sy = %n, %sz = %n) private(%p: memref<?xf64, #gpu.address_space<private>>) {
    gpu.barrier
    gpu.terminator
  }
  return
}

// -----

// CHECK: error: poly-kernels-to-loops: shared memory without sizes cannot run on the CPU
func.func @sizes(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%x, %y, %z) in (%sx = %n, %sy = %n, %sz = %n) workgroup(%s: memref<?xf64, #gpu.address_space<workgroup>>) {
    gpu.terminator
  }
  return
}
