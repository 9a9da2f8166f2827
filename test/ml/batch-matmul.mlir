// batch-matmul: C = A B for every matrix of a batch, static shapes

#all3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f32(f32)

func.func @kernel_batch_matmul(%A: memref<3x19x29xf32>, %B: memref<3x29x23xf32>,
                               %C: memref<3x19x23xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<3x19x23xf32>)
  linalg.batch_matmul ins(%A, %B : memref<3x19x29xf32>, memref<3x29x23xf32>)
    outs(%C : memref<3x19x23xf32>)
  return
}

// A number between -1 and 1 for every element; the seed tells arrays apart.
func.func private @init_3(%x: memref<?x?x?xf32>, %seed: index) {
  %c31 = arith.constant 31 : index
  %c17 = arith.constant 17 : index
  %c7 = arith.constant 7 : index
  %c1021 = arith.constant 1021 : index
  %middle = arith.constant 510.0 : f32
  linalg.generic {indexing_maps = [#all3], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%x : memref<?x?x?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %part_i = arith.muli %i, %c31 : index
    %sum_i = arith.addi %seed, %part_i : index
    %part_j = arith.muli %j, %c17 : index
    %sum_j = arith.addi %sum_i, %part_j : index
    %part_k = arith.muli %k, %c7 : index
    %sum_k = arith.addi %sum_j, %part_k : index
    %square = arith.muli %sum_k, %sum_k : index
    %rest = arith.remui %square, %c1021 : index
    %int = arith.index_cast %rest : index to i32
    %real = arith.sitofp %int : i32 to f32
    %shifted = arith.subf %real, %middle : f32
    %value = arith.divf %shifted, %middle : f32
    linalg.yield %value : f32
  }
  return
}

func.func private @print_3(%x: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n0 = memref.dim %x, %c0 : memref<?x?x?xf32>
  %n1 = memref.dim %x, %c1 : memref<?x?x?xf32>
  %n2 = memref.dim %x, %c2 : memref<?x?x?xf32>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      affine.for %k = 0 to %n2 {
        %value = affine.load %x[%i, %j, %k] : memref<?x?x?xf32>
        func.call @bench_value_f32(%value) : (f32) -> ()
      }
    }
  }
  return
}

func.func @polybench_run() {
  %A = memref.alloc() : memref<3x19x29xf32>
  %B = memref.alloc() : memref<3x29x23xf32>
  %C = memref.alloc() : memref<3x19x23xf32>
  %A_any = memref.cast %A : memref<3x19x29xf32> to memref<?x?x?xf32>
  %B_any = memref.cast %B : memref<3x29x23xf32> to memref<?x?x?xf32>
  %C_any = memref.cast %C : memref<3x19x23xf32> to memref<?x?x?xf32>
  %seed_A = arith.constant 1 : index
  %seed_B = arith.constant 6 : index
  %seed_C = arith.constant 11 : index
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %first to %repetitions step %step {
    func.call @init_3(%A_any, %seed_A) : (memref<?x?x?xf32>, index) -> ()
    func.call @init_3(%B_any, %seed_B) : (memref<?x?x?xf32>, index) -> ()
    func.call @init_3(%C_any, %seed_C) : (memref<?x?x?xf32>, index) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_batch_matmul(%A, %B, %C)
        : (memref<3x19x29xf32>, memref<3x29x23xf32>, memref<3x19x23xf32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  %tag_C = arith.constant 0x43 : i64 // "C"
  call @bench_array(%tag_C) : (i64) -> ()
  call @print_3(%C_any) : (memref<?x?x?xf32>) -> ()
  memref.dealloc %A : memref<3x19x29xf32>
  memref.dealloc %B : memref<3x29x23xf32>
  memref.dealloc %C : memref<3x19x23xf32>
  return
}
