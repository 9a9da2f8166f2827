// Operations of linalg at the sizes of known networks, for `cargo xtask bench ml`: each function is measured by itself.
// The line `sizes:` before a function has the shapes of its arguments where types do not. The last argument is the result.

func.func @matmul(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) {
  linalg.matmul ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
  return
}

// sizes: 384x768 768x3072 384x3072
func.func @matmul_dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

func.func @matmul_f64(%a: memref<500x400xf64>, %b: memref<400x600xf64>, %c: memref<500x600xf64>) {
  linalg.matmul ins(%a, %b : memref<500x400xf64>, memref<400x600xf64>) outs(%c : memref<500x600xf64>)
  return
}

func.func @matmul_transpose_a(%a: memref<768x384xf32>, %b: memref<768x512xf32>, %c: memref<384x512xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<768x384xf32>, memref<768x512xf32>) outs(%c : memref<384x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

func.func @matmul_transpose_b(%a: memref<384x768xf32>, %b: memref<512x768xf32>, %c: memref<384x512xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<384x768xf32>, memref<512x768xf32>) outs(%c : memref<384x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

func.func @matmul_i8(%a: memref<512x512xi8>, %b: memref<512x512xi8>, %c: memref<512x512xi32>) {
  linalg.matmul ins(%a, %b : memref<512x512xi8>, memref<512x512xi8>) outs(%c : memref<512x512xi32>)
  return
}

// sizes: 384x768 768x768 384x768
func.func @matmul_i8_dynamic(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>) {
  linalg.matmul ins(%a, %b : memref<?x?xi8>, memref<?x?xi8>) outs(%c : memref<?x?xi32>)
  return
}

func.func @quantized_matmul(%a: memref<512x512xi8>, %b: memref<512x512xi8>, %c: memref<512x512xi32>) {
  %za = arith.constant 3 : i32
  %zb = arith.constant -4 : i32
  linalg.quantized_matmul ins(%a, %b, %za, %zb : memref<512x512xi8>, memref<512x512xi8>, i32, i32)
    outs(%c : memref<512x512xi32>)
  return
}

func.func @batch_matmul(%a: memref<12x128x64xf32>, %b: memref<12x64x128xf32>, %c: memref<12x128x128xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<12x128x64xf32>, memref<12x64x128xf32>) outs(%c : memref<12x128x128xf32>)
  return
}

func.func @mmt4d(%a: memref<32x256x8x1xf32>, %b: memref<16x256x16x1xf32>, %c: memref<32x16x8x16xf32>) {
  linalg.mmt4d ins(%a, %b : memref<32x256x8x1xf32>, memref<16x256x16x1xf32>) outs(%c : memref<32x16x8x16xf32>)
  return
}

func.func @matvec(%a: memref<3072x768xf32>, %b: memref<768xf32>, %c: memref<3072xf32>) {
  linalg.matvec ins(%a, %b : memref<3072x768xf32>, memref<768xf32>) outs(%c : memref<3072xf32>)
  return
}

func.func @vecmat(%a: memref<768xf32>, %b: memref<768x3072xf32>, %c: memref<3072xf32>) {
  linalg.vecmat ins(%a, %b : memref<768xf32>, memref<768x3072xf32>) outs(%c : memref<3072xf32>)
  return
}

func.func @conv_1d_nwc(%a: memref<1x1026x64xf32>, %b: memref<3x64x64xf32>, %c: memref<1x1024x64xf32>) {
  linalg.conv_1d_nwc_wcf ins(%a, %b : memref<1x1026x64xf32>, memref<3x64x64xf32>) outs(%c : memref<1x1024x64xf32>)
  return
}

func.func @conv_2d_nhwc(%a: memref<1x58x58x64xf32>, %b: memref<3x3x64x64xf32>, %c: memref<1x56x56x64xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x58x58x64xf32>, memref<3x3x64x64xf32>)
    outs(%c : memref<1x56x56x64xf32>)
  return
}

// sizes: 1x58x58x64 3x3x64x64 1x56x56x64
func.func @conv_2d_nhwc_dynamic(%a: memref<?x?x?x?xf32>, %b: memref<?x?x?x?xf32>, %c: memref<?x?x?x?xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) outs(%c : memref<?x?x?x?xf32>)
  return
}

func.func @conv_2d_nhwc_first(%a: memref<1x229x229x3xf32>, %b: memref<7x7x3x64xf32>, %c: memref<1x112x112x64xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x229x229x3xf32>, memref<7x7x3x64xf32>) outs(%c : memref<1x112x112x64xf32>)
  return
}

func.func @conv_2d_nhwc_strided(%a: memref<1x57x57x64xf32>, %b: memref<3x3x64x128xf32>, %c: memref<1x28x28x128xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x57x57x64xf32>, memref<3x3x64x128xf32>) outs(%c : memref<1x28x28x128xf32>)
  return
}

func.func @conv_2d_nhwc_dilated(%a: memref<1x32x32x64xf32>, %b: memref<3x3x64x64xf32>, %c: memref<1x28x28x64xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x32x32x64xf32>, memref<3x3x64x64xf32>) outs(%c : memref<1x28x28x64xf32>)
  return
}

func.func @conv_2d_nhwc_pointwise(%a: memref<1x14x14x256xf32>, %b: memref<1x1x256x512xf32>, %c: memref<1x14x14x512xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x14x14x256xf32>, memref<1x1x256x512xf32>)
    outs(%c : memref<1x14x14x512xf32>)
  return
}

func.func @conv_2d_nhwc_late(%a: memref<1x9x9x512xf32>, %b: memref<3x3x512x512xf32>, %c: memref<1x7x7x512xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x9x9x512xf32>, memref<3x3x512x512xf32>)
    outs(%c : memref<1x7x7x512xf32>)
  return
}

func.func @conv_2d_nchw(%a: memref<1x64x58x58xf32>, %b: memref<64x64x3x3xf32>, %c: memref<1x64x56x56xf32>) {
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<1x64x58x58xf32>, memref<64x64x3x3xf32>)
    outs(%c : memref<1x64x56x56xf32>)
  return
}

func.func @conv_2d_nchw_small(%a: memref<1x256x16x16xf32>, %b: memref<256x256x3x3xf32>, %c: memref<1x256x14x14xf32>) {
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<1x256x16x16xf32>, memref<256x256x3x3xf32>)
    outs(%c : memref<1x256x14x14xf32>)
  return
}

func.func @conv_2d_ngchw(%a: memref<1x8x8x58x58xf32>, %b: memref<8x8x8x3x3xf32>, %c: memref<1x8x8x56x56xf32>) {
  linalg.conv_2d_ngchw_gfchw ins(%a, %b : memref<1x8x8x58x58xf32>, memref<8x8x8x3x3xf32>)
    outs(%c : memref<1x8x8x56x56xf32>)
  return
}

func.func @conv_3d_ndhwc(%a: memref<1x10x30x30x32xf32>, %b: memref<3x3x3x32x32xf32>, %c: memref<1x8x28x28x32xf32>) {
  linalg.conv_3d_ndhwc_dhwcf ins(%a, %b : memref<1x10x30x30x32xf32>, memref<3x3x3x32x32xf32>)
    outs(%c : memref<1x8x28x28x32xf32>)
  return
}

func.func @conv_2d_nhwc_i8(%a: memref<1x58x58x64xi8>, %b: memref<3x3x64x64xi8>, %c: memref<1x56x56x64xi32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x58x58x64xi8>, memref<3x3x64x64xi8>)
    outs(%c : memref<1x56x56x64xi32>)
  return
}

func.func @depthwise_conv_2d(%a: memref<1x114x114x64xf32>, %b: memref<3x3x64xf32>, %c: memref<1x112x112x64xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %b : memref<1x114x114x64xf32>, memref<3x3x64xf32>)
    outs(%c : memref<1x112x112x64xf32>)
  return
}

func.func @depthwise_conv_2d_nchw(%a: memref<1x64x114x114xf32>, %b: memref<64x3x3xf32>, %c: memref<1x64x112x112xf32>) {
  linalg.depthwise_conv_2d_nchw_chw ins(%a, %b : memref<1x64x114x114xf32>, memref<64x3x3xf32>)
    outs(%c : memref<1x64x112x112xf32>)
  return
}

func.func @pooling_max(%a: memref<1x114x114x64xf32>, %b: memref<3x3xf32>, %c: memref<1x56x56x64xf32>) {
  linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x114x114x64xf32>, memref<3x3xf32>) outs(%c : memref<1x56x56x64xf32>)
  return
}

func.func @pooling_sum(%a: memref<1x112x112x64xf32>, %b: memref<2x2xf32>, %c: memref<1x56x56x64xf32>) {
  linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x112x112x64xf32>, memref<2x2xf32>) outs(%c : memref<1x56x56x64xf32>)
  return
}

func.func @pooling_max_nchw(%a: memref<1x64x114x114xf32>, %b: memref<3x3xf32>, %c: memref<1x64x112x112xf32>) {
  linalg.pooling_nchw_max ins(%a, %b : memref<1x64x114x114xf32>, memref<3x3xf32>) outs(%c : memref<1x64x112x112xf32>)
  return
}

func.func @reduce_rows(%a: memref<2048x1024xf32>, %c: memref<2048xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<2048x1024xf32>) outs(%c : memref<2048xf32>) dimensions = [1]
  return
}

func.func @reduce_columns(%a: memref<2048x1024xf32>, %c: memref<1024xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<2048x1024xf32>) outs(%c : memref<1024xf32>) dimensions = [0]
  return
}

func.func @transpose(%a: memref<1024x1024xf32>, %c: memref<1024x1024xf32>) {
  linalg.transpose ins(%a : memref<1024x1024xf32>) outs(%c : memref<1024x1024xf32>) permutation = [1, 0]
  return
}
