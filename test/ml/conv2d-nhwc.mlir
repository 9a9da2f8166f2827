// conv2d-nhwc: convolution of images in channels-last layout, with a bias and a ReLU, static
// shapes

#all1 = affine_map<(d0) -> (d0)>
#all4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d3)>

func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f32(f32)

func.func @kernel_conv2d_nhwc(%image: memref<2x15x13x5xf32>, %filter: memref<3x3x5x7xf32>,
                              %bias: memref<7xf32>, %out: memref<2x13x11x7xf32>) {
  linalg.generic {
    indexing_maps = [#channel, #all4],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%bias : memref<7xf32>) outs(%out : memref<2x13x11x7xf32>) {
  ^bb0(%b: f32, %old: f32):
    linalg.yield %b : f32
  }
  linalg.conv_2d_nhwc_hwcf {
    dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>
  } ins(%image, %filter : memref<2x15x13x5xf32>, memref<3x3x5x7xf32>)
    outs(%out : memref<2x13x11x7xf32>)
  %zero = arith.constant 0.0 : f32
  linalg.generic {
    indexing_maps = [#all4],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } outs(%out : memref<2x13x11x7xf32>) {
  ^bb0(%x: f32):
    %relu = arith.maximumf %x, %zero : f32
    linalg.yield %relu : f32
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
func.func private @init_4(%x: memref<?x?x?x?xf32>, %seed: index) {
  %c31 = arith.constant 31 : index
  %c17 = arith.constant 17 : index
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c1021 = arith.constant 1021 : index
  %middle = arith.constant 510.0 : f32
  linalg.generic {
    indexing_maps = [#all4],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } outs(%x : memref<?x?x?x?xf32>) {
  ^bb0(%old: f32):
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
    %rest = arith.remui %square, %c1021 : index
    %int = arith.index_cast %rest : index to i32
    %real = arith.sitofp %int : i32 to f32
    %shifted = arith.subf %real, %middle : f32
    %value = arith.divf %shifted, %middle : f32
    linalg.yield %value : f32
  }
  return
}

func.func private @print_4(%x: memref<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n0 = memref.dim %x, %c0 : memref<?x?x?x?xf32>
  %n1 = memref.dim %x, %c1 : memref<?x?x?x?xf32>
  %n2 = memref.dim %x, %c2 : memref<?x?x?x?xf32>
  %n3 = memref.dim %x, %c3 : memref<?x?x?x?xf32>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      affine.for %k = 0 to %n2 {
        affine.for %l = 0 to %n3 {
          %value = affine.load %x[%i, %j, %k, %l] : memref<?x?x?x?xf32>
          func.call @bench_value_f32(%value) : (f32) -> ()
        }
      }
    }
  }
  return
}

func.func @polybench_run() {
  %image = memref.alloc() : memref<2x15x13x5xf32>
  %filter = memref.alloc() : memref<3x3x5x7xf32>
  %bias = memref.alloc() : memref<7xf32>
  %out = memref.alloc() : memref<2x13x11x7xf32>
  %image_any = memref.cast %image : memref<2x15x13x5xf32> to memref<?x?x?x?xf32>
  %filter_any = memref.cast %filter : memref<3x3x5x7xf32> to memref<?x?x?x?xf32>
  %bias_any = memref.cast %bias : memref<7xf32> to memref<?xf32>
  %out_any = memref.cast %out : memref<2x13x11x7xf32> to memref<?x?x?x?xf32>
  %seed_image = arith.constant 1 : index
  %seed_filter = arith.constant 6 : index
  %seed_bias = arith.constant 11 : index
  %seed_out = arith.constant 16 : index
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %first to %repetitions step %step {
    func.call @init_4(%image_any, %seed_image) : (memref<?x?x?x?xf32>, index) -> ()
    func.call @init_4(%filter_any, %seed_filter) : (memref<?x?x?x?xf32>, index) -> ()
    func.call @init_1(%bias_any, %seed_bias) : (memref<?xf32>, index) -> ()
    func.call @init_4(%out_any, %seed_out) : (memref<?x?x?x?xf32>, index) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_conv2d_nhwc(%image, %filter, %bias, %out)
        : (memref<2x15x13x5xf32>, memref<3x3x5x7xf32>, memref<7xf32>, memref<2x13x11x7xf32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  %tag_out = arith.constant 0x6f7574 : i64 // "out"
  call @bench_array(%tag_out) : (i64) -> ()
  call @print_4(%out_any) : (memref<?x?x?x?xf32>) -> ()
  memref.dealloc %image : memref<2x15x13x5xf32>
  memref.dealloc %filter : memref<3x3x5x7xf32>
  memref.dealloc %bias : memref<7xf32>
  memref.dealloc %out : memref<2x13x11x7xf32>
  return
}
