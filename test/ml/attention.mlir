// attention: causal self-attention with three heads, an output projection and a
// residual (a transformer's attention block), static shapes: 21 positions, 33 features

#all2 = affine_map<(d0, d1) -> (d0, d1)>
#all3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#projection_x = affine_map<(head, position, e, feature) -> (position, feature)>
#projection_w = affine_map<(head, position, e, feature) -> (feature, head, e)>
#projection_y = affine_map<(head, position, e, feature) -> (head, position, e)>
#head_left = affine_map<(head, row, column, e) -> (head, row, e)>
#head_right_transposed = affine_map<(head, row, column, e) -> (head, column, e)>
#head_out = affine_map<(head, row, column, e) -> (head, row, column)>
#merge_mixed = affine_map<(position, feature, head, e) -> (head, position, e)>
#merge_w = affine_map<(position, feature, head, e) -> (head, e, feature)>
#merge_y = affine_map<(position, feature, head, e) -> (position, feature)>

func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f32(f32)

func.func @kernel_attention(%x: memref<21x33xf32>, %wq: memref<33x3x11xf32>,
                            %wk: memref<33x3x11xf32>, %wv: memref<33x3x11xf32>,
                            %wo: memref<3x11x33xf32>, %y: memref<21x33xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32 // minus infinity
  %scale = arith.constant 0.301511347 : f32 // 1 / sqrt(11)
  %q = memref.alloc() : memref<3x21x11xf32>
  %k = memref.alloc() : memref<3x21x11xf32>
  %v = memref.alloc() : memref<3x21x11xf32>
  linalg.fill ins(%zero : f32) outs(%q : memref<3x21x11xf32>)
  linalg.generic {
    indexing_maps = [#projection_x, #projection_w, #projection_y],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%x, %wq : memref<21x33xf32>, memref<33x3x11xf32>) outs(%q : memref<3x21x11xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  linalg.fill ins(%zero : f32) outs(%k : memref<3x21x11xf32>)
  linalg.generic {
    indexing_maps = [#projection_x, #projection_w, #projection_y],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%x, %wk : memref<21x33xf32>, memref<33x3x11xf32>) outs(%k : memref<3x21x11xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  linalg.fill ins(%zero : f32) outs(%v : memref<3x21x11xf32>)
  linalg.generic {
    indexing_maps = [#projection_x, #projection_w, #projection_y],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%x, %wv : memref<21x33xf32>, memref<33x3x11xf32>) outs(%v : memref<3x21x11xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }

  // scores = q k^T for every head; a position sees no later one.
  %scores = memref.alloc() : memref<3x21x21xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<3x21x21xf32>)
  linalg.batch_matmul
    indexing_maps = [#head_left, #head_right_transposed, #head_out]
    ins(%q, %k : memref<3x21x11xf32>, memref<3x21x11xf32>)
    outs(%scores : memref<3x21x21xf32>)
  linalg.generic {
    indexing_maps = [#all3],
    iterator_types = ["parallel", "parallel", "parallel"]
  } outs(%scores : memref<3x21x21xf32>) {
  ^bb0(%score: f32):
    %at = linalg.index 1 : index
    %seen = linalg.index 2 : index
    %scaled = arith.mulf %score, %scale : f32
    %visible = arith.cmpi sle, %seen, %at : index
    %masked = arith.select %visible, %scaled, %lowest : f32
    linalg.yield %masked : f32
  }

  %greatest = memref.alloc() : memref<3x21xf32>
  %total = memref.alloc() : memref<3x21xf32>
  %weights = memref.alloc() : memref<3x21x21xf32>
  linalg.fill ins(%lowest : f32) outs(%greatest : memref<3x21xf32>)
  linalg.generic {
    indexing_maps = [#all3, #row3],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%scores : memref<3x21x21xf32>) outs(%greatest : memref<3x21xf32>) {
  ^bb0(%element: f32, %so_far: f32):
    %greater = arith.maximumf %so_far, %element : f32
    linalg.yield %greater : f32
  }
  linalg.generic {
    indexing_maps = [#all3, #row3, #all3],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%scores, %greatest : memref<3x21x21xf32>, memref<3x21xf32>)
    outs(%weights : memref<3x21x21xf32>) {
  ^bb0(%element: f32, %top: f32, %old: f32):
    %difference = arith.subf %element, %top : f32
    %exponential = math.exp %difference : f32
    linalg.yield %exponential : f32
  }
  linalg.fill ins(%zero : f32) outs(%total : memref<3x21xf32>)
  linalg.generic {
    indexing_maps = [#all3, #row3],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%weights : memref<3x21x21xf32>) outs(%total : memref<3x21xf32>) {
  ^bb0(%element: f32, %so_far: f32):
    %sum = arith.addf %so_far, %element : f32
    linalg.yield %sum : f32
  }
  linalg.generic {
    indexing_maps = [#row3, #all3],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%total : memref<3x21xf32>) outs(%weights : memref<3x21x21xf32>) {
  ^bb0(%all: f32, %element: f32):
    %share = arith.divf %element, %all : f32
    linalg.yield %share : f32
  }

  %mixed = memref.alloc() : memref<3x21x11xf32>
  linalg.fill ins(%zero : f32) outs(%mixed : memref<3x21x11xf32>)
  linalg.batch_matmul
    ins(%weights, %v : memref<3x21x21xf32>, memref<3x21x11xf32>)
    outs(%mixed : memref<3x21x11xf32>)
  linalg.copy ins(%x : memref<21x33xf32>) outs(%y : memref<21x33xf32>)
  linalg.generic {
    indexing_maps = [#merge_mixed, #merge_w, #merge_y],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  } ins(%mixed, %wo : memref<3x21x11xf32>, memref<3x11x33xf32>) outs(%y : memref<21x33xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }

  memref.dealloc %q : memref<3x21x11xf32>
  memref.dealloc %k : memref<3x21x11xf32>
  memref.dealloc %v : memref<3x21x11xf32>
  memref.dealloc %scores : memref<3x21x21xf32>
  memref.dealloc %greatest : memref<3x21xf32>
  memref.dealloc %total : memref<3x21xf32>
  memref.dealloc %weights : memref<3x21x21xf32>
  memref.dealloc %mixed : memref<3x21x11xf32>
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
  %x = memref.alloc() : memref<21x33xf32>
  %wq = memref.alloc() : memref<33x3x11xf32>
  %wk = memref.alloc() : memref<33x3x11xf32>
  %wv = memref.alloc() : memref<33x3x11xf32>
  %wo = memref.alloc() : memref<3x11x33xf32>
  %y = memref.alloc() : memref<21x33xf32>
  %x_any = memref.cast %x : memref<21x33xf32> to memref<?x?xf32>
  %wq_any = memref.cast %wq : memref<33x3x11xf32> to memref<?x?x?xf32>
  %wk_any = memref.cast %wk : memref<33x3x11xf32> to memref<?x?x?xf32>
  %wv_any = memref.cast %wv : memref<33x3x11xf32> to memref<?x?x?xf32>
  %wo_any = memref.cast %wo : memref<3x11x33xf32> to memref<?x?x?xf32>
  %y_any = memref.cast %y : memref<21x33xf32> to memref<?x?xf32>
  %seed_x = arith.constant 1 : index
  %seed_wq = arith.constant 6 : index
  %seed_wk = arith.constant 11 : index
  %seed_wv = arith.constant 16 : index
  %seed_wo = arith.constant 21 : index
  %seed_y = arith.constant 26 : index
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %first to %repetitions step %step {
    func.call @init_2(%x_any, %seed_x) : (memref<?x?xf32>, index) -> ()
    func.call @init_3(%wq_any, %seed_wq) : (memref<?x?x?xf32>, index) -> ()
    func.call @init_3(%wk_any, %seed_wk) : (memref<?x?x?xf32>, index) -> ()
    func.call @init_3(%wv_any, %seed_wv) : (memref<?x?x?xf32>, index) -> ()
    func.call @init_3(%wo_any, %seed_wo) : (memref<?x?x?xf32>, index) -> ()
    func.call @init_2(%y_any, %seed_y) : (memref<?x?xf32>, index) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_attention(%x, %wq, %wk, %wv, %wo, %y)
        : (memref<21x33xf32>, memref<33x3x11xf32>, memref<33x3x11xf32>, memref<33x3x11xf32>,
           memref<3x11x33xf32>, memref<21x33xf32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  %tag_y = arith.constant 0x79 : i64 // "y"
  call @bench_array(%tag_y) : (i64) -> ()
  call @print_2(%y_any) : (memref<?x?xf32>) -> ()
  memref.dealloc %x : memref<21x33xf32>
  memref.dealloc %wq : memref<33x3x11xf32>
  memref.dealloc %wk : memref<33x3x11xf32>
  memref.dealloc %wv : memref<33x3x11xf32>
  memref.dealloc %wo : memref<3x11x33xf32>
  memref.dealloc %y : memref<21x33xf32>
  return
}
