// Kernels whose threads share memory and wait for each other: as loops on the CPU, in both orders, and as PTX.
// The launches are those of poly-schedule with target=gpu, with memory and barriers put in by hand.

// RUN: %mlir-opt --lower-affine --poly-kernels-to-loops %s | FileCheck %s --check-prefix=LOOPS
// RUN: %mlir-opt --lower-affine --poly-kernels-to-loops %s | %mlir-opt --poly-lower-x86 \
// RUN:   | mlir-translate --mlir-to-llvmir | clang -Wno-override-module -x ir - -lm -o %t.forward && %t.forward
// RUN: %mlir-opt --lower-affine --poly-kernels-to-loops=threads=backward %s | %mlir-opt --poly-lower-x86 \
// RUN:   | mlir-translate --mlir-to-llvmir | clang -Wno-override-module -x ir - -lm -o %t.backward && %t.backward
// Without a GPU the CPU's code runs.
// RUN: %mlir-opt --poly-lower-nvptx=dump=kernels %s 2>%t.kernels > %t.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.mlir -o %t.ll
// RUN: FileCheck %s --check-prefix=KERNELS < %t.kernels
// RUN: FileCheck %s --check-prefix=PTX < %t.mlir

// Blocks have the same memory one after the other. Loops with barriers are around those over threads.
// LOOPS-LABEL: func.func @product_by_tiles
// LOOPS:         %[[A:.*]] = memref.alloc() : memref<8x9xf64>
// LOOPS:         %[[B:.*]] = memref.alloc() : memref<8x8xf64>
// LOOPS-COUNT-3: scf.for
// LOOPS:         scf.for %{{.*}} = %{{.*}} to %c6
// LOOPS-COUNT-3: scf.for
// LOOPS:         memref.store %{{.*}}, %[[A]]
// LOOPS:         memref.store %{{.*}}, %[[B]]
// LOOPS-COUNT-3: scf.for
// LOOPS:         memref.load %[[A]]
// LOOPS:         memref.load %[[B]]
// LOOPS:         memref.dealloc %[[A]]
// LOOPS:         memref.dealloc %[[B]]
// LOOPS-LABEL: func.func @transposed_by_tiles
// LOOPS-NOT:   gpu.

// KERNELS-COUNT-2: llvm.mlir.global internal @__wg_product_by_tiles_1_{{[01]}}() {addr_space = 3 : i32}
// KERNELS:         llvm.func @product_by_tiles
// KERNELS:         nvvm.barrier0
// KERNELS:         nvvm.barrier0

// PTX:      .entry product_by_tiles_1(
// PTX-SAME: .shared
// PTX-SAME: bar.sync
// PTX-SAME: st.shared.b64
// PTX-SAME: bar.sync
// PTX-SAME: ld.shared.b64
// PTX:      .entry transposed_by_tiles_1(
// PTX-SAME: .shared
// PTX-SAME: bar.sync
// PTX:      .entry rotated_by_steps_1(
// PTX-SAME: .shared
// PTX-SAME: bar.sync

// Tiles of 8 that no size is a multiple of.
func.func @product_by_tiles(%A: memref<37x41xf64>, %B: memref<41x29xf64>, %C: memref<37x29xf64>) {
  %true = arith.constant true
  %done = scf.if %true -> (i1) {
    %DA = gpu.alloc () : memref<37x41xf64>
    gpu.memcpy %DA, %A : memref<37x41xf64>, memref<37x41xf64>
    %DB = gpu.alloc () : memref<41x29xf64>
    gpu.memcpy %DB, %B : memref<41x29xf64>, memref<41x29xf64>
    %DC = gpu.alloc () : memref<37x29xf64>
    gpu.memcpy %DC, %C : memref<37x29xf64>, memref<37x29xf64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %most = arith.constant 65535 : index
    scf.for %first = %c0 to %c4 step %most {
      %left = arith.subi %c4, %first : index
      %part = arith.minsi %left, %most : index
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %part, %gy = %c5, %gz = %c1)
          threads(%x, %y, %z) in (%sx = %c8, %sy = %c8, %sz = %c1)
          workgroup(%SA: memref<8x9xf64, #gpu.address_space<workgroup>>, %SB: memref<8x8xf64, #gpu.address_space<workgroup>>) {
        %j = arith.addi %first, %bx : index
        affine.for %k = 0 to 6 {
          gpu.barrier
          affine.if affine_set<(d0, d1, d2, d3) : (d0 * -8 - d1 + 36 >= 0, d2 * -8 - d3 + 40 >= 0)>(%by, %y, %k, %x) {
            %a = affine.load %DA[%by * 8 + %y, %k * 8 + %x] : memref<37x41xf64>
            affine.store %a, %SA[%y, %x] : memref<8x9xf64, #gpu.address_space<workgroup>>
          }
          affine.if affine_set<(d0, d1, d2, d3) : (d0 * -8 - d1 + 40 >= 0, d2 * -8 - d3 + 28 >= 0)>(%k, %y, %j, %x) {
            %b = affine.load %DB[%k * 8 + %y, %j * 8 + %x] : memref<41x29xf64>
            affine.store %b, %SB[%y, %x] : memref<8x8xf64, #gpu.address_space<workgroup>>
          }
          gpu.barrier
          affine.if affine_set<(d0, d1, d2, d3) : (d0 * -8 - d1 + 36 >= 0, d2 * -8 - d3 + 28 >= 0)>(%by, %y, %j, %x) {
            affine.for %l = 0 to min affine_map<(d0) -> (8, d0 * -8 + 41)>(%k) {
              %a = affine.load %SA[%y, %l] : memref<8x9xf64, #gpu.address_space<workgroup>>
              %b = affine.load %SB[%l, %x] : memref<8x8xf64, #gpu.address_space<workgroup>>
              %c = affine.load %DC[%by * 8 + %y, %j * 8 + %x] : memref<37x29xf64>
              %ab = arith.mulf %a, %b : f64
              %sum = arith.addf %c, %ab : f64
              affine.store %sum, %DC[%by * 8 + %y, %j * 8 + %x] : memref<37x29xf64>
            }
          }
        }
        gpu.terminator
      }
    }
    gpu.memcpy %C, %DC : memref<37x29xf64>, memref<37x29xf64>
    gpu.dealloc %DA : memref<37x41xf64>
    gpu.dealloc %DB : memref<41x29xf64>
    gpu.dealloc %DC : memref<37x29xf64>
    scf.yield %true : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  } {polyrs.kernels = "copied"}
  scf.if %done {
  } else {
    func.call @product(%A, %B, %C) : (memref<37x41xf64>, memref<41x29xf64>, memref<37x29xf64>) -> ()
  }
  return
}
func.func @product(%A: memref<37x41xf64>, %B: memref<41x29xf64>, %C: memref<37x29xf64>) {
  affine.for %i = 0 to 37 {
    affine.for %j = 0 to 29 {
      affine.for %k = 0 to 41 {
        %a = affine.load %A[%i, %k] : memref<37x41xf64>
        %b = affine.load %B[%k, %j] : memref<41x29xf64>
        %c = affine.load %C[%i, %j] : memref<37x29xf64>
        %ab = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %ab : f64
        affine.store %sum, %C[%i, %j] : memref<37x29xf64>
      }
    }
  }
  return
}

// Fewer threads than elements; a barrier right in the kernel; blocks that have nothing to do.
func.func @transposed_by_tiles(%n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %true = arith.constant true
  %done = scf.if %true -> (i1) {
    %DA = gpu.alloc (%n, %n) : memref<?x?xf32>
    gpu.memcpy %DA, %A : memref<?x?xf32>, memref<?x?xf32>
    %DB = gpu.alloc (%n, %n) : memref<?x?xf32>
    gpu.memcpy %DB, %B : memref<?x?xf32>, memref<?x?xf32>
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c16 = arith.constant 16 : index
    %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 16)>()[%n]
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c5, %gy = %c5, %gz = %c1)
        threads(%x, %y, %z) in (%sx = %c16, %sy = %c4, %sz = %c1) workgroup(%S: memref<16x17xf32, #gpu.address_space<workgroup>>) {
      // These are needed behind the barrier.
      %i = arith.muli %by, %c16 : index
      %column = arith.addi %i, %x : index
      affine.for %r = affine_map<(d0) -> (d0)>(%y) to 16 step 4 {
        affine.if affine_set<(d0, d1, d2, d3)[s0] : (s0 - d0 * 16 - d1 - 1 >= 0, s0 - d2 * 16 - d3 - 1 >= 0)>(%by, %r, %bx, %x)[%n] {
          %a = affine.load %DA[%by * 16 + %r, %bx * 16 + %x] : memref<?x?xf32>
          memref.store %a, %S[%r, %x] : memref<16x17xf32, #gpu.address_space<workgroup>>
        }
      }
      gpu.barrier
      %in = arith.cmpi slt, %column, %n : index
      scf.if %in {
        affine.for %r = affine_map<(d0) -> (d0)>(%y) to 16 step 4 {
          affine.if affine_set<(d0, d1)[s0] : (s0 - d0 * 16 - d1 - 1 >= 0)>(%bx, %r)[%n] {
            %a = memref.load %S[%x, %r] : memref<16x17xf32, #gpu.address_space<workgroup>>
            %row = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%bx, %r)
            memref.store %a, %DB[%row, %column] : memref<?x?xf32>
          }
        }
      }
      gpu.terminator
    }
    gpu.memcpy %B, %DB : memref<?x?xf32>, memref<?x?xf32>
    gpu.dealloc %DA : memref<?x?xf32>
    gpu.dealloc %DB : memref<?x?xf32>
    scf.yield %true : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  } {polyrs.kernels = "copied"}
  scf.if %done {
  } else {
    func.call @transposed(%n, %A, %B) : (index, memref<?x?xf32>, memref<?x?xf32>) -> ()
  }
  return
}
func.func @transposed(%n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%j, %i] : memref<?x?xf32>
      affine.store %a, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Each row moves by one in every third step, and there and back in the others; blocks have as many steps as their
// number says: barriers in loops and conditions.
func.func @rotated_by_steps(%A: memref<20x32xf32>) {
  %true = arith.constant true
  %done = scf.if %true -> (i1) {
    %D = gpu.alloc () : memref<20x32xf32>
    gpu.memcpy %D, %A : memref<20x32xf32>, memref<20x32xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c20 = arith.constant 20 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    gpu.launch blocks(%b, %by, %bz) in (%gx = %c20, %gy = %c1, %gz = %c1)
        threads(%x, %y, %z) in (%sx = %c32, %sy = %c1, %sz = %c1) workgroup(%S: memref<32xf32, #gpu.address_space<workgroup>>) {
      %next = arith.addi %x, %c1 : index
      %right = arith.remsi %next, %c32 : index
      %last = arith.addi %x, %c31 : index
      %left = arith.remsi %last, %c32 : index
      %mine = memref.load %D[%b, %x] : memref<20x32xf32>
      memref.store %mine, %S[%x] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      affine.for %t = 0 to affine_map<(d0) -> (d0)>(%b) {
        %own = memref.load %S[%right] : memref<32xf32, #gpu.address_space<workgroup>>
        memref.store %own, %D[%b, %x] : memref<20x32xf32>
        gpu.barrier
        %new = memref.load %D[%b, %x] : memref<20x32xf32>
        memref.store %new, %S[%x] : memref<32xf32, #gpu.address_space<workgroup>>
        gpu.barrier
        affine.if affine_set<(d0) : (d0 mod 3 - 1 >= 0)>(%t) {
          %back = memref.load %S[%left] : memref<32xf32, #gpu.address_space<workgroup>>
          memref.store %back, %D[%b, %x] : memref<20x32xf32>
          gpu.barrier
          %old = memref.load %D[%b, %x] : memref<20x32xf32>
          memref.store %old, %S[%x] : memref<32xf32, #gpu.address_space<workgroup>>
          gpu.barrier
        }
      }
      gpu.terminator
    }
    gpu.memcpy %A, %D : memref<20x32xf32>, memref<20x32xf32>
    gpu.dealloc %D : memref<20x32xf32>
    scf.yield %true : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  } {polyrs.kernels = "copied"}
  scf.if %done {
  } else {
    func.call @rotated(%A) : (memref<20x32xf32>) -> ()
  }
  return
}
func.func @rotated(%A: memref<20x32xf32>) {
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  affine.for %b = 0 to 20 {
    %T = memref.alloca() : memref<32xf32>
    affine.for %x = 0 to 32 {
      %a = affine.load %A[%b, %x] : memref<20x32xf32>
      affine.store %a, %T[%x] : memref<32xf32>
    }
    %more = arith.addi %b, %c2 : index
    %by = arith.divsi %more, %c3 : index
    affine.for %x = 0 to 32 {
      %from = arith.addi %x, %by : index
      %place = arith.remsi %from, %c32 : index
      %a = memref.load %T[%place] : memref<32xf32>
      affine.store %a, %A[%b, %x] : memref<20x32xf32>
    }
  }
  return
}

// How many elements differ.
func.func @main() -> i32 {
  %n = arith.constant 70 : index
  %A = memref.alloc() : memref<37x41xf64>
  %B = memref.alloc() : memref<41x29xf64>
  %C = memref.alloc() : memref<37x29xf64>
  %D = memref.alloc() : memref<37x29xf64>
  %E = memref.alloc(%n, %n) : memref<?x?xf32>
  %F = memref.alloc(%n, %n) : memref<?x?xf32>
  %G = memref.alloc(%n, %n) : memref<?x?xf32>
  %R = memref.alloc() : memref<20x32xf32>
  %S = memref.alloc() : memref<20x32xf32>
  affine.for %i = 0 to 70 {
    affine.for %j = 0 to 70 {
      %number = affine.apply affine_map<(d0, d1) -> (d0 * 73 + d1 * 31 + (d0 * 5 + d1 * 3) mod 17)>(%i, %j)
      %word = arith.index_cast %number : index to i32
      %float = arith.sitofp %word : i32 to f32
      %double = arith.extf %float : f32 to f64
      %root = math.sqrt %double : f64
      affine.store %float, %E[%i, %j] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (36 - d0 >= 0, 40 - d1 >= 0)>(%i, %j) {
        affine.store %root, %A[%i, %j] : memref<37x41xf64>
      }
      affine.if affine_set<(d0, d1) : (40 - d0 >= 0, 28 - d1 >= 0)>(%i, %j) {
        affine.store %root, %B[%i, %j] : memref<41x29xf64>
      }
      affine.if affine_set<(d0, d1) : (36 - d0 >= 0, 28 - d1 >= 0)>(%i, %j) {
        affine.store %double, %C[%i, %j] : memref<37x29xf64>
        affine.store %double, %D[%i, %j] : memref<37x29xf64>
      }
      affine.if affine_set<(d0, d1) : (19 - d0 >= 0, 31 - d1 >= 0)>(%i, %j) {
        affine.store %float, %R[%i, %j] : memref<20x32xf32>
        affine.store %float, %S[%i, %j] : memref<20x32xf32>
      }
    }
  }
  func.call @product_by_tiles(%A, %B, %C) : (memref<37x41xf64>, memref<41x29xf64>, memref<37x29xf64>) -> ()
  func.call @product(%A, %B, %D) : (memref<37x41xf64>, memref<41x29xf64>, memref<37x29xf64>) -> ()
  func.call @transposed_by_tiles(%n, %E, %F) : (index, memref<?x?xf32>, memref<?x?xf32>) -> ()
  func.call @transposed(%n, %E, %G) : (index, memref<?x?xf32>, memref<?x?xf32>) -> ()
  func.call @rotated_by_steps(%R) : (memref<20x32xf32>) -> ()
  func.call @rotated(%S) : (memref<20x32xf32>) -> ()
  %none = arith.constant 0 : i32
  %products = affine.for %i = 0 to 37 iter_args(%outer = %none) -> i32 {
    %all = affine.for %j = 0 to 29 iter_args(%count = %outer) -> i32 {
      %left = affine.load %C[%i, %j] : memref<37x29xf64>
      %right = affine.load %D[%i, %j] : memref<37x29xf64>
      %differ = arith.cmpf une, %left, %right : f64
      %one = arith.extui %differ : i1 to i32
      %more = arith.addi %count, %one : i32
      affine.yield %more : i32
    }
    affine.yield %all : i32
  }
  %transposed = affine.for %i = 0 to 70 iter_args(%outer = %products) -> i32 {
    %all = affine.for %j = 0 to 70 iter_args(%count = %outer) -> i32 {
      %left = affine.load %F[%i, %j] : memref<?x?xf32>
      %right = affine.load %G[%i, %j] : memref<?x?xf32>
      %differ = arith.cmpf une, %left, %right : f32
      %one = arith.extui %differ : i1 to i32
      %more = arith.addi %count, %one : i32
      affine.yield %more : i32
    }
    affine.yield %all : i32
  }
  %rotated = affine.for %i = 0 to 20 iter_args(%outer = %transposed) -> i32 {
    %all = affine.for %j = 0 to 32 iter_args(%count = %outer) -> i32 {
      %left = affine.load %R[%i, %j] : memref<20x32xf32>
      %right = affine.load %S[%i, %j] : memref<20x32xf32>
      %differ = arith.cmpf une, %left, %right : f32
      %one = arith.extui %differ : i1 to i32
      %more = arith.addi %count, %one : i32
      affine.yield %more : i32
    }
    affine.yield %all : i32
  }
  // An exit status has 8 bits.
  %c1 = arith.constant 1 : i32
  %status = arith.minsi %rotated, %c1 : i32
  return %status : i32
}
