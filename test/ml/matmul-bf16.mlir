// matmul-bf16: C = A B, operands in bf16, sums in f32, static shapes

#all2 = affine_map<(d0, d1) -> (d0, d1)>

func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f32(f32)

func.func @kernel_matmul_bf16(%A: memref<19x29xbf16>, %B: memref<29x23xbf16>, %C: memref<19x23xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<19x23xf32>)
  linalg.matmul ins(%A, %B : memref<19x29xbf16>, memref<29x23xbf16>) outs(%C : memref<19x23xf32>)
  return
}

// A number between -1 and 1 for every element; the seed tells arrays apart.
func.func private @init_2(%x: memref<?x?xf32>, %seed: index) {
  %c31 = arith.constant 31 : index
  %c17 = arith.constant 17 : index
  %c1021 = arith.constant 1021 : index
  %middle = arith.constant 510.0 : f32
  linalg.generic {indexing_maps = [#all2], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<?x?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %part_i = arith.muli %i, %c31 : index
    %sum_i = arith.addi %seed, %part_i : index
    %part_j = arith.muli %j, %c17 : index
    %sum_j = arith.addi %sum_i, %part_j : index
    %square = arith.muli %sum_j, %sum_j : index
    %rest = arith.remui %square, %c1021 : index
    %int = arith.index_cast %rest : index to i32
    %real = arith.sitofp %int : i32 to f32
    %shifted = arith.subf %real, %middle : f32
    %value = arith.divf %shifted, %middle : f32
    linalg.yield %value : f32
  }
  return
}

// The same in `bf16`, cut off: not every machine rounds to it.
func.func private @init_2_bf16(%x: memref<?x?xbf16>, %seed: index) {
  %c31 = arith.constant 31 : index
  %c17 = arith.constant 17 : index
  %c1021 = arith.constant 1021 : index
  %middle = arith.constant 510.0 : f32
  linalg.generic {indexing_maps = [#all2], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<?x?xbf16>) {
  ^bb0(%old: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %part_i = arith.muli %i, %c31 : index
    %sum_i = arith.addi %seed, %part_i : index
    %part_j = arith.muli %j, %c17 : index
    %sum_j = arith.addi %sum_i, %part_j : index
    %square = arith.muli %sum_j, %sum_j : index
    %rest = arith.remui %square, %c1021 : index
    %int = arith.index_cast %rest : index to i32
    %real = arith.sitofp %int : i32 to f32
    %shifted = arith.subf %real, %middle : f32
    %value = arith.divf %shifted, %middle : f32
    %bits = arith.bitcast %value : f32 to i32
    %sixteen = arith.constant 16 : i32
    %high = arith.shrui %bits, %sixteen : i32
    %cut = arith.trunci %high : i32 to i16
    %number = arith.bitcast %cut : i16 to bf16
    linalg.yield %number : bf16
  }
  return
}

func.func private @print_2(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = memref.dim %x, %c0 : memref<?x?xf32>
  %n1 = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      %value = affine.load %x[%i, %j] : memref<?x?xf32>
      func.call @bench_value_f32(%value) : (f32) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %A = memref.alloc() : memref<19x29xbf16>
  %B = memref.alloc() : memref<29x23xbf16>
  %C = memref.alloc() : memref<19x23xf32>
  %A_any = memref.cast %A : memref<19x29xbf16> to memref<?x?xbf16>
  %B_any = memref.cast %B : memref<29x23xbf16> to memref<?x?xbf16>
  %C_any = memref.cast %C : memref<19x23xf32> to memref<?x?xf32>
  %seed_A = arith.constant 1 : index
  %seed_B = arith.constant 6 : index
  %seed_C = arith.constant 11 : index
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %first to %repetitions step %step {
    func.call @init_2_bf16(%A_any, %seed_A) : (memref<?x?xbf16>, index) -> ()
    func.call @init_2_bf16(%B_any, %seed_B) : (memref<?x?xbf16>, index) -> ()
    func.call @init_2(%C_any, %seed_C) : (memref<?x?xf32>, index) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_matmul_bf16(%A, %B, %C)
        : (memref<19x29xbf16>, memref<29x23xbf16>, memref<19x23xf32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  %tag_C = arith.constant 0x43 : i64 // "C"
  call @bench_array(%tag_C) : (i64) -> ()
  call @print_2(%C_any) : (memref<?x?xf32>) -> ()
  memref.dealloc %A : memref<19x29xbf16>
  memref.dealloc %B : memref<29x23xbf16>
  memref.dealloc %C : memref<19x23xf32>
  return
}
