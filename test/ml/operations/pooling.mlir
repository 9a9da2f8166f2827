// Pooling of linalg at the sizes of known networks; see README.md.

func.func @pooling_max(%a: memref<1x114x114x64xf32>, %b: memref<3x3xf32>, %c: memref<1x56x56x64xf32>) {
  linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x114x114x64xf32>, memref<3x3xf32>) outs(%c : memref<1x56x56x64xf32>)
  return
}

// sizes: 1x114x114x64 3x3 1x112x112x64
func.func @pooling_max_dynamic(%a: memref<?x?x?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?x?x?xf32>) {
  linalg.pooling_nhwc_max ins(%a, %b : memref<?x?x?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?x?x?xf32>)
  return
}

func.func @pooling_max_i8(%a: memref<1x114x114x64xi8>, %b: memref<3x3xi8>, %c: memref<1x56x56x64xi8>) {
  linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x114x114x64xi8>, memref<3x3xi8>) outs(%c : memref<1x56x56x64xi8>)
  return
}

func.func @pooling_max_bf16(%a: memref<1x58x58x64xbf16>, %b: memref<3x3xbf16>, %c: memref<1x56x56x64xbf16>) {
  linalg.pooling_nhwc_max ins(%a, %b : memref<1x58x58x64xbf16>, memref<3x3xbf16>) outs(%c : memref<1x56x56x64xbf16>)
  return
}

func.func @pooling_min(%a: memref<1x114x114x64xf32>, %b: memref<3x3xf32>, %c: memref<1x56x56x64xf32>) {
  linalg.pooling_nhwc_min {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x114x114x64xf32>, memref<3x3xf32>) outs(%c : memref<1x56x56x64xf32>)
  return
}

func.func @pooling_min_f64(%a: memref<1x58x58x64xf64>, %b: memref<3x3xf64>, %c: memref<1x56x56x64xf64>) {
  linalg.pooling_nhwc_min ins(%a, %b : memref<1x58x58x64xf64>, memref<3x3xf64>) outs(%c : memref<1x56x56x64xf64>)
  return
}

func.func @pooling_sum(%a: memref<1x112x112x64xf32>, %b: memref<2x2xf32>, %c: memref<1x56x56x64xf32>) {
  linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x112x112x64xf32>, memref<2x2xf32>) outs(%c : memref<1x56x56x64xf32>)
  return
}

// sizes: 1x58x58x64 3x3 1x56x56x64
func.func @pooling_sum_dynamic(%a: memref<?x?x?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?x?x?xf32>) {
  linalg.pooling_nhwc_sum ins(%a, %b : memref<?x?x?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?x?x?xf32>)
  return
}

func.func @pooling_sum_global(%a: memref<1x7x7x2048xf32>, %b: memref<7x7xf32>, %c: memref<1x1x1x2048xf32>) {
  linalg.pooling_nhwc_sum ins(%a, %b : memref<1x7x7x2048xf32>, memref<7x7xf32>) outs(%c : memref<1x1x1x2048xf32>)
  return
}

func.func @pooling_sum_i8(%a: memref<1x58x58x64xi8>, %b: memref<3x3xi8>, %c: memref<1x56x56x64xi32>) {
  linalg.pooling_nhwc_sum ins(%a, %b : memref<1x58x58x64xi8>, memref<3x3xi8>) outs(%c : memref<1x56x56x64xi32>)
  return
}

func.func @pooling_max_nchw(%a: memref<1x64x114x114xf32>, %b: memref<3x3xf32>, %c: memref<1x64x112x112xf32>) {
  linalg.pooling_nchw_max ins(%a, %b : memref<1x64x114x114xf32>, memref<3x3xf32>) outs(%c : memref<1x64x112x112xf32>)
  return
}

func.func @pooling_max_nchw_strided(%a: memref<1x64x113x113xf32>, %b: memref<3x3xf32>, %c: memref<1x64x56x56xf32>) {
  linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x64x113x113xf32>, memref<3x3xf32>) outs(%c : memref<1x64x56x56xf32>)
  return
}

func.func @pooling_sum_nchw(%a: memref<1x64x58x58xf32>, %b: memref<3x3xf32>, %c: memref<1x64x56x56xf32>) {
  linalg.pooling_nchw_sum ins(%a, %b : memref<1x64x58x58xf32>, memref<3x3xf32>) outs(%c : memref<1x64x56x56xf32>)
  return
}

func.func @pooling_sum_nchw_global(%a: memref<1x2048x7x7xf32>, %b: memref<7x7xf32>, %c: memref<1x2048x1x1xf32>) {
  linalg.pooling_nchw_sum ins(%a, %b : memref<1x2048x7x7xf32>, memref<7x7xf32>) outs(%c : memref<1x2048x1x1xf32>)
  return
}

func.func @pooling_max_1d(%a: memref<1x1026x64xf32>, %b: memref<3xf32>, %c: memref<1x1024x64xf32>) {
  linalg.pooling_nwc_max ins(%a, %b : memref<1x1026x64xf32>, memref<3xf32>) outs(%c : memref<1x1024x64xf32>)
  return
}

func.func @pooling_max_3d(%a: memref<1x10x30x30x32xf32>, %b: memref<3x3x3xf32>, %c: memref<1x8x28x28x32xf32>) {
  linalg.pooling_ndhwc_max
    ins(%a, %b : memref<1x10x30x30x32xf32>, memref<3x3x3xf32>) outs(%c : memref<1x8x28x28x32xf32>)
  return
}

func.func @pooling_sum_3d(%a: memref<1x10x30x30x32xf32>, %b: memref<3x3x3xf32>, %c: memref<1x8x28x28x32xf32>) {
  linalg.pooling_ndhwc_sum
    ins(%a, %b : memref<1x10x30x30x32xf32>, memref<3x3x3xf32>) outs(%c : memref<1x8x28x28x32xf32>)
  return
}
