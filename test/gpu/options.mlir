// Options about kernels that cannot be are errors that say what can.

// RUN: not %mlir-opt --poly-schedule="target=gpu block-sizes=64,32" %s 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: option 'block-sizes': '64,32' is not at most 1024 threads in a block, 64 of them along z

// RUN: not %mlir-opt --poly-schedule="target=gpu block-sizes=0" %s 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: option 'block-sizes': '0' is not one to three positive numbers, x last

// RUN: not %mlir-opt --poly-schedule="target=gpu grid-sizes=70000,1" %s 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: option 'grid-sizes': '70000,1' is not at most 65535 blocks along y

// RUN: not %mlir-opt --poly-schedule="target=gpu kernel-sizes=0:8,8:64,32" %s 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: option 'kernel-sizes': '0:8,8:64,32' is not at most 1024 threads in a block, 64 of them along z (block of kernel 0)

// RUN: not %mlir-opt --poly-schedule="target=gpu device-memory=maybe" %s 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: option 'device-memory': 'maybe' is not

// From LLVM IR there is always code for the CPU, since a program may run without a device.
// RUN: not %opt -passes="poly-schedule<target=gpu;cpu-version=false>" -disable-output %S/Inputs/empty.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LLVM
// LLVM: option 'cpu-version': 'false' is not available yet; available: true

func.func @empty() {
  return
}
