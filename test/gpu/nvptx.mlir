// From affine loops to a program with PTX in it: the code around a region, and what cannot be lowered.

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --poly-lower-nvptx %s 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --poly-lower-nvptx=chip=sm_90 %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off device-memory=true" --poly-lower-nvptx %s 2>&1 | FileCheck %s --check-prefix=RESIDENT
// RUN: not grep "has no kernels" %t
// It is LLVM IR that LLVM accepts.
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --poly-lower-nvptx %s 2>/dev/null | mlir-translate --mlir-to-llvmir | %opt -passes=verify -disable-output

// The CPU's loops on threads.
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --poly-lower-nvptx="openmp=true parallel-threshold=0" %S/Inputs/product.mlir 2>/dev/null \
// RUN:   | mlir-translate --mlir-to-llvmir | opt -passes=verify -S | FileCheck %s --check-prefix=THREADS
// THREADS: call ptr @polyrs_gpu_begin_if(
// THREADS: call {{.*}} @__kmpc_fork_call(

// RUN: not %mlir-opt --poly-lower-nvptx=chip=sm_60 %s 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: option 'chip': 'sm_60' is not one of sm_70, sm_72, sm_75, sm_80,
// RUN: not %mlir-opt --poly-lower-nvptx='libdevice={lib.bc O=0}' %s 2>&1 | FileCheck %s --check-prefix=PATH
// PATH: option 'libdevice': 'lib.bc O=0' is not a path without blanks, commas, quotes and braces
// RUN: not %mlir-opt --poly-schedule="target=gpu profitability=off cpu-version=false" --poly-lower-nvptx %s 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: poly-name-kernels: 'gpu.launch' has no code for the CPU beside it

// CHIP: .version 7.8\0A.target sm_90\0A

// Buffers are asked for once, before the first launch; nothing is copied.
// RESIDENT: llvm.func @scaled
// RESIDENT: %[[FLAGS:.*]] = llvm.mlir.constant(4 : i32)
// RESIDENT: llvm.call @polyrs_gpu_buffer(%{{.*}}, %{{.*}}, %{{.*}}, %[[FLAGS]])

// CHECK-LABEL: llvm.func @scaled
// CHECK-DAG:     %[[IN:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG:     %[[INOUT:.*]] = llvm.mlir.constant(11 : i32)
// Of what is written only changes go back (8): the loops need not write all.
// Without a run there is nothing between.
// CHECK:         llvm.call @polyrs_gpu_begin_if(
// CHECK:         %[[RUN_OR_NOT:.*]] = llvm.icmp "ne" %[[STARTED:.*]], %{{.*}} : !llvm.ptr
// CHECK-NEXT:    llvm.cond_br %[[RUN_OR_NOT]]
// CHECK-DAG:     llvm.call @polyrs_gpu_buffer(%[[STARTED]], %{{.*}}, %{{.*}}, %[[IN]])
// CHECK-DAG:     llvm.call @polyrs_gpu_buffer(%[[STARTED]], %{{.*}}, %{{.*}}, %[[INOUT]])
// CHECK:         llvm.call @polyrs_gpu_launch(%[[STARTED]],
// CHECK:         %[[END:.*]] = llvm.call @polyrs_gpu_end(%[[STARTED]])
// CHECK:         %[[DONE:.*]] = llvm.trunc %[[END]] : i32 to i1
// CHECK:         llvm.cond_br
func.func @scaled(%n: index, %m: index, %s: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %root = math.sqrt %a : f64
      %c = arith.mulf %root, %s : f64
      %d = arith.addf %b, %c : f64
      affine.store %d, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// libdevice is not there.
// REMARK-DAG: remark: poly-lower-nvptx: left to the CPU: its kernels call '__nv_exp', which is in NVIDIA's libdevice; the option libdevice=FILE of poly-lower-nvptx links that
// CHECK-LABEL: llvm.func @library
// CHECK-NOT:     polyrs_gpu
// CHECK:         llvm.intr.exp
// CHECK:         llvm.return
func.func @library(%A: memref<100x100xf64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %a = affine.load %A[%i, %j] : memref<100x100xf64>
      %b = math.exp %a : f64
      affine.store %b, %A[%i, %j] : memref<100x100xf64>
    }
  }
  return
}

// Devices have no such numbers.
// REMARK-DAG: remark: poly-lower-nvptx: left to the CPU: values of type f128 are not lowered to PTX
// CHECK-LABEL: llvm.func @wide
// CHECK-NOT:     polyrs_gpu
// CHECK:         llvm.return
func.func @wide(%A: memref<100x100xf128>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %a = affine.load %A[%i, %j] : memref<100x100xf128>
      %b = arith.addf %a, %a : f128
      affine.store %b, %A[%i, %j] : memref<100x100xf128>
    }
  }
  return
}

// Names of PTX are narrower, and those of kernels are taken once.
// CHECK-LABEL: llvm.func @"a b.1"
// CHECK:         llvm.call @polyrs_gpu_begin_if(
func.func @"a b.1"(%A: memref<100x100xf32>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %a = affine.load %A[%i, %j] : memref<100x100xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %A[%i, %j] : memref<100x100xf32>
    }
  }
  return
}
func.func private @a_b_1_kernels()

// Tiles of what is not written go to shared memory, between two barriers; 4 sums stay in registers over all tiles, and
// each iteration loads 2 elements of both factors.
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off" --poly-lower-nvptx %S/Inputs/product.mlir 2>/dev/null | FileCheck %s --check-prefix=SUM
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off shared-memory=false" --poly-lower-nvptx=assume-noalias=false %S/Inputs/product.mlir 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=ALIAS
// SUM:        .entry product_1(
// SUM-NOT:    .local
// SUM-SAME:   ld.global.b64
// SUM-SAME:   bar.sync
// SUM-SAME:   ld.global.nc.b64 \09%[[ELEMENT:rd[0-9]+]], {{[^;]*}};\0A\09st.shared.b64 \09{{[^;]*}}, %[[ELEMENT]];
// SUM-SAME:   bar.sync
// SUM-SAME:   ld.shared.b64 {{(([^;]*;.0A.09(ld.shared.b64|mul.rn.f64|add.rn.f64)){11})}}
// ALIAS:      .entry product_1(
// ALIAS-SAME: st.global.b64{{.*}}st.global.b64
// ALIAS-NOT:  ld.global.nc

// Sums and products are rounded one by one, since the loops do not allow otherwise, and roots are correctly rounded.
// CHECK:     @scaled_kernels_ptx("
// CHECK-SAME:  .version 6.0\0A.target sm_70\0A
// CHECK-SAME:  .entry scaled_1(
// CHECK-SAME:  sqrt.rn.f64
// CHECK-SAME:  mul.rn.f64
// CHECK-SAME:  add.rn.f64
// CHECK-SAME:  \00")
// CHECK:     @a_b_1_kernels_1_ptx("
// CHECK-SAME:  .entry a_b_1(
// CHECK-NOT: gpu.binary
