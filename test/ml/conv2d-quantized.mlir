// conv2d-quantized: a convolution of i8 with zero points, sums in i32, scaled and cut to i8 again, static shapes

#all4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f32(f32)

func.func @kernel_conv2d_quantized(%image: memref<2x9x11x5xi8>, %weights: memref<3x3x5x7xi8>,
                                   %sum: memref<2x7x9x7xi32>, %out: memref<2x7x9x7xi8>) {
  %zero = arith.constant 0 : i32
  %image_zero = arith.constant 3 : i32
  %weights_zero = arith.constant -4 : i32
  %scale = arith.constant 0.001953125 : f32
  %least = arith.constant -128.0 : f32
  %greatest = arith.constant 127.0 : f32
  linalg.fill ins(%zero : i32) outs(%sum : memref<2x7x9x7xi32>)
  linalg.conv_2d_nhwc_hwcf_q
    ins(%image, %weights, %image_zero, %weights_zero : memref<2x9x11x5xi8>, memref<3x3x5x7xi8>, i32, i32)
    outs(%sum : memref<2x7x9x7xi32>)
  linalg.generic {
    indexing_maps = [#all4, #all4],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%sum : memref<2x7x9x7xi32>) outs(%out : memref<2x7x9x7xi8>) {
  ^bb0(%all: i32, %old: i8):
    %real = arith.sitofp %all : i32 to f32
    %scaled = arith.mulf %real, %scale : f32
    %above = arith.maximumf %scaled, %least : f32
    %within = arith.minimumf %above, %greatest : f32
    %small = arith.fptosi %within : f32 to i8
    linalg.yield %small : i8
  }
  return
}

// A number between -125 and 125 for every element; the seed tells arrays apart.
func.func private @init_4_i8(%x: memref<?x?x?x?xi8>, %seed: index) {
  %c31 = arith.constant 31 : index
  %c17 = arith.constant 17 : index
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c1021 = arith.constant 1021 : index
  %c251 = arith.constant 251 : index
  %middle = arith.constant 125 : i32
  linalg.generic {
    indexing_maps = [#all4],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } outs(%x : memref<?x?x?x?xi8>) {
  ^bb0(%old: i8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %part_i = arith.muli %i, %c31 : index
    %sum_i = arith.addi %seed, %part_i : index
    %part_j = arith.muli %j, %c17 : index
    %sum_j = arith.addi %sum_i, %part_j : index
    %part_k = arith.muli %k, %c7 : index
    %sum_k = arith.addi %sum_j, %part_k : index
    %part_l = arith.muli %l, %c3 : index
    %sum_l = arith.addi %sum_k, %part_l : index
    %square = arith.muli %sum_l, %sum_l : index
    %large = arith.remui %square, %c1021 : index
    %rest = arith.remui %large, %c251 : index
    %int = arith.index_cast %rest : index to i32
    %value = arith.subi %int, %middle : i32
    %short = arith.trunci %value : i32 to i8
    linalg.yield %short : i8
  }
  return
}

func.func private @init_4_i32(%x: memref<?x?x?x?xi32>, %seed: index) {
  %c31 = arith.constant 31 : index
  %c17 = arith.constant 17 : index
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c1021 = arith.constant 1021 : index
  %c251 = arith.constant 251 : index
  %middle = arith.constant 125 : i32
  linalg.generic {
    indexing_maps = [#all4],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } outs(%x : memref<?x?x?x?xi32>) {
  ^bb0(%old: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %part_i = arith.muli %i, %c31 : index
    %sum_i = arith.addi %seed, %part_i : index
    %part_j = arith.muli %j, %c17 : index
    %sum_j = arith.addi %sum_i, %part_j : index
    %part_k = arith.muli %k, %c7 : index
    %sum_k = arith.addi %sum_j, %part_k : index
    %part_l = arith.muli %l, %c3 : index
    %sum_l = arith.addi %sum_k, %part_l : index
    %square = arith.muli %sum_l, %sum_l : index
    %large = arith.remui %square, %c1021 : index
    %rest = arith.remui %large, %c251 : index
    %int = arith.index_cast %rest : index to i32
    %value = arith.subi %int, %middle : i32
    linalg.yield %value : i32
  }
  return
}

func.func private @print_4_i8(%x: memref<?x?x?x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n0 = memref.dim %x, %c0 : memref<?x?x?x?xi8>
  %n1 = memref.dim %x, %c1 : memref<?x?x?x?xi8>
  %n2 = memref.dim %x, %c2 : memref<?x?x?x?xi8>
  %n3 = memref.dim %x, %c3 : memref<?x?x?x?xi8>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      affine.for %k = 0 to %n2 {
        affine.for %l = 0 to %n3 {
          %value = affine.load %x[%i, %j, %k, %l] : memref<?x?x?x?xi8>
          %real = arith.sitofp %value : i8 to f32
          func.call @bench_value_f32(%real) : (f32) -> ()
        }
      }
    }
  }
  return
}

func.func private @print_4_i32(%x: memref<?x?x?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n0 = memref.dim %x, %c0 : memref<?x?x?x?xi32>
  %n1 = memref.dim %x, %c1 : memref<?x?x?x?xi32>
  %n2 = memref.dim %x, %c2 : memref<?x?x?x?xi32>
  %n3 = memref.dim %x, %c3 : memref<?x?x?x?xi32>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      affine.for %k = 0 to %n2 {
        affine.for %l = 0 to %n3 {
          %value = affine.load %x[%i, %j, %k, %l] : memref<?x?x?x?xi32>
          %real = arith.sitofp %value : i32 to f32
          func.call @bench_value_f32(%real) : (f32) -> ()
        }
      }
    }
  }
  return
}

func.func @polybench_run() {
  %image = memref.alloc() : memref<2x9x11x5xi8>
  %weights = memref.alloc() : memref<3x3x5x7xi8>
  %sum = memref.alloc() : memref<2x7x9x7xi32>
  %out = memref.alloc() : memref<2x7x9x7xi8>
  %image_any = memref.cast %image : memref<2x9x11x5xi8> to memref<?x?x?x?xi8>
  %weights_any = memref.cast %weights : memref<3x3x5x7xi8> to memref<?x?x?x?xi8>
  %sum_any = memref.cast %sum : memref<2x7x9x7xi32> to memref<?x?x?x?xi32>
  %out_any = memref.cast %out : memref<2x7x9x7xi8> to memref<?x?x?x?xi8>
  %seed_image = arith.constant 1 : index
  %seed_weights = arith.constant 6 : index
  %seed_sum = arith.constant 11 : index
  %seed_out = arith.constant 16 : index
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %first to %repetitions step %step {
    func.call @init_4_i8(%image_any, %seed_image) : (memref<?x?x?x?xi8>, index) -> ()
    func.call @init_4_i8(%weights_any, %seed_weights) : (memref<?x?x?x?xi8>, index) -> ()
    func.call @init_4_i32(%sum_any, %seed_sum) : (memref<?x?x?x?xi32>, index) -> ()
    func.call @init_4_i8(%out_any, %seed_out) : (memref<?x?x?x?xi8>, index) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_conv2d_quantized(%image, %weights, %sum, %out)
        : (memref<2x9x11x5xi8>, memref<3x3x5x7xi8>, memref<2x7x9x7xi32>, memref<2x7x9x7xi8>) -> ()
    func.call @bench_stop() : () -> ()
  }
  %tag_sum = arith.constant 0x73756d : i64 // "sum"
  call @bench_array(%tag_sum) : (i64) -> ()
  call @print_4_i32(%sum_any) : (memref<?x?x?x?xi32>) -> ()
  %tag_out = arith.constant 0x6f7574 : i64 // "out"
  call @bench_array(%tag_out) : (i64) -> ()
  call @print_4_i8(%out_any) : (memref<?x?x?x?xi8>) -> ()
  memref.dealloc %image : memref<2x9x11x5xi8>
  memref.dealloc %weights : memref<3x3x5x7xi8>
  memref.dealloc %sum : memref<2x7x9x7xi32>
  memref.dealloc %out : memref<2x7x9x7xi8>
  return
}
