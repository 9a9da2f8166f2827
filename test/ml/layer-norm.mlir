// layer-norm: every row less its mean, by its deviation, scaled and shifted, dynamic shapes

#all1 = affine_map<(d0) -> (d0)>
#all2 = affine_map<(d0, d1) -> (d0, d1)>
#row2 = affine_map<(d0, d1) -> (d0)>
#column2 = affine_map<(d0, d1) -> (d1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f32(f32)

func.func @kernel_layer_norm(%x: memref<?x?xf32>, %mean: memref<?xf32>, %variance: memref<?xf32>,
                             %scale: memref<?xf32>, %shift: memref<?xf32>, %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %c1 = arith.constant 1 : index
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  %columns_int = arith.index_cast %columns : index to i32
  %count = arith.sitofp %columns_int : i32 to f32
  linalg.fill ins(%zero : f32) outs(%mean : memref<?xf32>)
  linalg.generic {
    indexing_maps = [#all2, #row2],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<?x?xf32>) outs(%mean : memref<?xf32>) {
  ^bb0(%element: f32, %so_far: f32):
    %sum = arith.addf %so_far, %element : f32
    linalg.yield %sum : f32
  }
  linalg.generic {
    indexing_maps = [#all1],
    iterator_types = ["parallel"]
  } outs(%mean : memref<?xf32>) {
  ^bb0(%all: f32):
    %share = arith.divf %all, %count : f32
    linalg.yield %share : f32
  }
  linalg.fill ins(%zero : f32) outs(%variance : memref<?xf32>)
  linalg.generic {
    indexing_maps = [#all2, #row2, #row2],
    iterator_types = ["parallel", "reduction"]
  } ins(%x, %mean : memref<?x?xf32>, memref<?xf32>) outs(%variance : memref<?xf32>) {
  ^bb0(%element: f32, %middle: f32, %so_far: f32):
    %difference = arith.subf %element, %middle : f32
    %square = arith.mulf %difference, %difference : f32
    %sum = arith.addf %so_far, %square : f32
    linalg.yield %sum : f32
  }
  linalg.generic {
    indexing_maps = [#all2, #row2, #row2, #column2, #column2, #all2],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %mean, %variance, %scale, %shift : memref<?x?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>)
    outs(%y : memref<?x?xf32>) {
  ^bb0(%element: f32, %middle: f32, %squares: f32, %factor: f32, %offset: f32, %old: f32):
    %difference = arith.subf %element, %middle : f32
    %spread = arith.divf %squares, %count : f32
    %positive = arith.addf %spread, %epsilon : f32
    %root = math.rsqrt %positive : f32
    %normal = arith.mulf %difference, %root : f32
    %scaled = arith.mulf %normal, %factor : f32
    %shifted = arith.addf %scaled, %offset : f32
    linalg.yield %shifted : f32
  }
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

func.func private @print_1(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n0 = memref.dim %x, %c0 : memref<?xf32>
  affine.for %i = 0 to %n0 {
    %value = affine.load %x[%i] : memref<?xf32>
    func.call @bench_value_f32(%value) : (f32) -> ()
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
  %rows_which = arith.constant 0 : i64
  %rows_large = arith.constant 384 : i64
  %rows_asked = call @bench_size(%rows_which, %rows_large) : (i64, i64) -> i64
  %rows = arith.index_cast %rows_asked : i64 to index
  %columns_which = arith.constant 1 : i64
  %columns_large = arith.constant 768 : i64
  %columns_asked = call @bench_size(%columns_which, %columns_large) : (i64, i64) -> i64
  %columns = arith.index_cast %columns_asked : i64 to index
  %x = memref.alloc(%rows, %columns) : memref<?x?xf32>
  %mean = memref.alloc(%rows) : memref<?xf32>
  %variance = memref.alloc(%rows) : memref<?xf32>
  %scale = memref.alloc(%columns) : memref<?xf32>
  %shift = memref.alloc(%columns) : memref<?xf32>
  %y = memref.alloc(%rows, %columns) : memref<?x?xf32>
  %seed_x = arith.constant 1 : index
  %seed_mean = arith.constant 6 : index
  %seed_variance = arith.constant 11 : index
  %seed_scale = arith.constant 16 : index
  %seed_shift = arith.constant 21 : index
  %seed_y = arith.constant 26 : index
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %first to %repetitions step %step {
    func.call @init_2(%x, %seed_x) : (memref<?x?xf32>, index) -> ()
    func.call @init_1(%mean, %seed_mean) : (memref<?xf32>, index) -> ()
    func.call @init_1(%variance, %seed_variance) : (memref<?xf32>, index) -> ()
    func.call @init_1(%scale, %seed_scale) : (memref<?xf32>, index) -> ()
    func.call @init_1(%shift, %seed_shift) : (memref<?xf32>, index) -> ()
    func.call @init_2(%y, %seed_y) : (memref<?x?xf32>, index) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_layer_norm(%x, %mean, %variance, %scale, %shift, %y)
        : (memref<?x?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?x?xf32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  %tag_mean = arith.constant 0x6d65616e : i64 // "mean"
  call @bench_array(%tag_mean) : (i64) -> ()
  call @print_1(%mean) : (memref<?xf32>) -> ()
  %tag_variance = arith.constant 0x76617269616e6365 : i64 // "variance"
  call @bench_array(%tag_variance) : (i64) -> ()
  call @print_1(%variance) : (memref<?xf32>) -> ()
  %tag_y = arith.constant 0x79 : i64 // "y"
  call @bench_array(%tag_y) : (i64) -> ()
  call @print_2(%y) : (memref<?x?xf32>) -> ()
  memref.dealloc %x : memref<?x?xf32>
  memref.dealloc %mean : memref<?xf32>
  memref.dealloc %variance : memref<?xf32>
  memref.dealloc %scale : memref<?xf32>
  memref.dealloc %shift : memref<?xf32>
  memref.dealloc %y : memref<?x?xf32>
  return
}
