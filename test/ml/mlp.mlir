// mlp: a perceptron of two layers with biases, ReLU between them and a scaled tanh at the end,
// dynamic shapes

#all1 = affine_map<(d0) -> (d0)>
#all2 = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f32(f32)

func.func @kernel_mlp(%x: memref<?x?xf32>, %w1: memref<?x?xf32>, %b1: memref<?xf32>,
                      %w2: memref<?x?xf32>, %b2: memref<?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %eighth = arith.constant 0.125 : f32
  %batch = memref.dim %x, %c0 : memref<?x?xf32>
  %hidden = memref.dim %w1, %c1 : memref<?x?xf32>
  %layer = memref.alloc(%batch, %hidden) : memref<?x?xf32>
  linalg.generic {
    indexing_maps = [#column, #all2],
    iterator_types = ["parallel", "parallel"]
  } ins(%b1 : memref<?xf32>) outs(%layer : memref<?x?xf32>) {
  ^bb0(%b: f32, %old: f32):
    linalg.yield %b : f32
  }
  linalg.matmul ins(%x, %w1 : memref<?x?xf32>, memref<?x?xf32>) outs(%layer : memref<?x?xf32>)
  linalg.generic {
    indexing_maps = [#all2],
    iterator_types = ["parallel", "parallel"]
  } outs(%layer : memref<?x?xf32>) {
  ^bb0(%sum: f32):
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  }
  linalg.generic {
    indexing_maps = [#column, #all2],
    iterator_types = ["parallel", "parallel"]
  } ins(%b2 : memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%b: f32, %old: f32):
    linalg.yield %b : f32
  }
  linalg.matmul ins(%layer, %w2 : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  linalg.generic {
    indexing_maps = [#all2],
    iterator_types = ["parallel", "parallel"]
  } outs(%y : memref<?x?xf32>) {
  ^bb0(%sum: f32):
    %scaled = arith.mulf %sum, %eighth : f32
    %tanh = math.tanh %scaled : f32
    linalg.yield %tanh : f32
  }
  memref.dealloc %layer : memref<?x?xf32>
  return
}

// A number between -1 and 1 for every element; the seed tells arrays apart.
func.func private @init_1(%x: memref<?xf32>, %seed: index) {
  %c31 = arith.constant 31 : index
  %c1021 = arith.constant 1021 : index
  %middle = arith.constant 510.0 : f32
  linalg.generic {indexing_maps = [#all1], iterator_types = ["parallel"]}
      outs(%x : memref<?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %part_i = arith.muli %i, %c31 : index
    %sum_i = arith.addi %seed, %part_i : index
    %square = arith.muli %sum_i, %sum_i : index
    %rest = arith.remui %square, %c1021 : index
    %int = arith.index_cast %rest : index to i32
    %real = arith.sitofp %int : i32 to f32
    %shifted = arith.subf %real, %middle : f32
    %value = arith.divf %shifted, %middle : f32
    linalg.yield %value : f32
  }
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
  %batch_which = arith.constant 0 : i64
  %batch_large = arith.constant 250 : i64
  %batch_asked = call @bench_size(%batch_which, %batch_large) : (i64, i64) -> i64
  %batch = arith.index_cast %batch_asked : i64 to index
  %inputs_which = arith.constant 1 : i64
  %inputs_large = arith.constant 500 : i64
  %inputs_asked = call @bench_size(%inputs_which, %inputs_large) : (i64, i64) -> i64
  %inputs = arith.index_cast %inputs_asked : i64 to index
  %hidden_which = arith.constant 2 : i64
  %hidden_large = arith.constant 700 : i64
  %hidden_asked = call @bench_size(%hidden_which, %hidden_large) : (i64, i64) -> i64
  %hidden = arith.index_cast %hidden_asked : i64 to index
  %outputs_which = arith.constant 3 : i64
  %outputs_large = arith.constant 300 : i64
  %outputs_asked = call @bench_size(%outputs_which, %outputs_large) : (i64, i64) -> i64
  %outputs = arith.index_cast %outputs_asked : i64 to index
  %x = memref.alloc(%batch, %inputs) : memref<?x?xf32>
  %w1 = memref.alloc(%inputs, %hidden) : memref<?x?xf32>
  %b1 = memref.alloc(%hidden) : memref<?xf32>
  %w2 = memref.alloc(%hidden, %outputs) : memref<?x?xf32>
  %b2 = memref.alloc(%outputs) : memref<?xf32>
  %y = memref.alloc(%batch, %outputs) : memref<?x?xf32>
  %seed_x = arith.constant 1 : index
  %seed_w1 = arith.constant 6 : index
  %seed_b1 = arith.constant 11 : index
  %seed_w2 = arith.constant 16 : index
  %seed_b2 = arith.constant 21 : index
  %seed_y = arith.constant 26 : index
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %first to %repetitions step %step {
    func.call @init_2(%x, %seed_x) : (memref<?x?xf32>, index) -> ()
    func.call @init_2(%w1, %seed_w1) : (memref<?x?xf32>, index) -> ()
    func.call @init_1(%b1, %seed_b1) : (memref<?xf32>, index) -> ()
    func.call @init_2(%w2, %seed_w2) : (memref<?x?xf32>, index) -> ()
    func.call @init_1(%b2, %seed_b2) : (memref<?xf32>, index) -> ()
    func.call @init_2(%y, %seed_y) : (memref<?x?xf32>, index) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_mlp(%x, %w1, %b1, %w2, %b2, %y)
        : (memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>, memref<?xf32>,
           memref<?x?xf32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  %tag_y = arith.constant 0x79 : i64 // "y"
  call @bench_array(%tag_y) : (i64) -> ()
  call @print_2(%y) : (memref<?x?xf32>) -> ()
  memref.dealloc %x : memref<?x?xf32>
  memref.dealloc %w1 : memref<?x?xf32>
  memref.dealloc %b1 : memref<?xf32>
  memref.dealloc %w2 : memref<?x?xf32>
  memref.dealloc %b2 : memref<?xf32>
  memref.dealloc %y : memref<?x?xf32>
  return
}
