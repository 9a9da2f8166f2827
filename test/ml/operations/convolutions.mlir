// Convolutions of linalg at the sizes of known networks; see README.md.

// multiply-adds: 16384x15
func.func @conv_1d(%a: memref<16398xf32>, %b: memref<15xf32>, %c: memref<16384xf32>) {
  linalg.conv_1d ins(%a, %b : memref<16398xf32>, memref<15xf32>) outs(%c : memref<16384xf32>)
  return
}

// products: 1024x64x192
func.func @conv_1d_nwc(%a: memref<1x1026x64xf32>, %b: memref<3x64x64xf32>, %c: memref<1x1024x64xf32>) {
  linalg.conv_1d_nwc_wcf ins(%a, %b : memref<1x1026x64xf32>, memref<3x64x64xf32>) outs(%c : memref<1x1024x64xf32>)
  return
}

// products: 64x1024x192
func.func @conv_1d_ncw(%a: memref<1x64x1026xf32>, %b: memref<64x64x3xf32>, %c: memref<1x64x1024xf32>) {
  linalg.conv_1d_ncw_fcw ins(%a, %b : memref<1x64x1026xf32>, memref<64x64x3xf32>) outs(%c : memref<1x64x1024xf32>)
  return
}

// multiply-adds: 512x512x7x7
func.func @conv_2d(%a: memref<518x518xf32>, %b: memref<7x7xf32>, %c: memref<512x512xf32>) {
  linalg.conv_2d ins(%a, %b : memref<518x518xf32>, memref<7x7xf32>) outs(%c : memref<512x512xf32>)
  return
}

// products: 3136x64x576
func.func @conv_2d_nhwc(%a: memref<1x58x58x64xf32>, %b: memref<3x3x64x64xf32>, %c: memref<1x56x56x64xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x58x58x64xf32>, memref<3x3x64x64xf32>)
    outs(%c : memref<1x56x56x64xf32>)
  return
}

// products: 3136x64x576
// sizes: 1x58x58x64 3x3x64x64 1x56x56x64
func.func @conv_2d_nhwc_dynamic(%a: memref<?x?x?x?xf32>, %b: memref<?x?x?x?xf32>, %c: memref<?x?x?x?xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) outs(%c : memref<?x?x?x?xf32>)
  return
}

// products: 12544x64x147
func.func @conv_2d_nhwc_first(%a: memref<1x229x229x3xf32>, %b: memref<7x7x3x64xf32>, %c: memref<1x112x112x64xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x229x229x3xf32>, memref<7x7x3x64xf32>) outs(%c : memref<1x112x112x64xf32>)
  return
}

// products: 784x128x576
func.func @conv_2d_nhwc_strided(%a: memref<1x57x57x64xf32>, %b: memref<3x3x64x128xf32>, %c: memref<1x28x28x128xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x57x57x64xf32>, memref<3x3x64x128xf32>) outs(%c : memref<1x28x28x128xf32>)
  return
}

// products: 784x64x576
func.func @conv_2d_nhwc_dilated(%a: memref<1x32x32x64xf32>, %b: memref<3x3x64x64xf32>, %c: memref<1x28x28x64xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x32x32x64xf32>, memref<3x3x64x64xf32>) outs(%c : memref<1x28x28x64xf32>)
  return
}

// products: 196x512x256
func.func @conv_2d_nhwc_pointwise(%a: memref<1x14x14x256xf32>, %b: memref<1x1x256x512xf32>, %c: memref<1x14x14x512xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x14x14x256xf32>, memref<1x1x256x512xf32>)
    outs(%c : memref<1x14x14x512xf32>)
  return
}

// products: 49x512x4608
func.func @conv_2d_nhwc_late(%a: memref<1x9x9x512xf32>, %b: memref<3x3x512x512xf32>, %c: memref<1x7x7x512xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x9x9x512xf32>, memref<3x3x512x512xf32>)
    outs(%c : memref<1x7x7x512xf32>)
  return
}

// products: 784x64x576
func.func @conv_2d_nhwc_f64(%a: memref<1x30x30x64xf64>, %b: memref<3x3x64x64xf64>, %c: memref<1x28x28x64xf64>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x30x30x64xf64>, memref<3x3x64x64xf64>) outs(%c : memref<1x28x28x64xf64>)
  return
}

// products: 784x64x576
func.func @conv_2d_nhwc_bf16(%a: memref<1x30x30x64xbf16>, %b: memref<3x3x64x64xbf16>, %c: memref<1x28x28x64xf32>) {
  linalg.conv_2d_nhwc_hwcf
    ins(%a, %b : memref<1x30x30x64xbf16>, memref<3x3x64x64xbf16>) outs(%c : memref<1x28x28x64xf32>)
  return
}

// products: 784x64x576
func.func @conv_2d_nhwc_f16(%a: memref<1x30x30x64xf16>, %b: memref<3x3x64x64xf16>, %c: memref<1x28x28x64xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x30x30x64xf16>, memref<3x3x64x64xf16>) outs(%c : memref<1x28x28x64xf32>)
  return
}

// products: 784x64x576
func.func @conv_2d_nhwc_fhwc(%a: memref<1x30x30x64xf32>, %b: memref<64x3x3x64xf32>, %c: memref<1x28x28x64xf32>) {
  linalg.conv_2d_nhwc_fhwc ins(%a, %b : memref<1x30x30x64xf32>, memref<64x3x3x64xf32>) outs(%c : memref<1x28x28x64xf32>)
  return
}

// products: 3136x64x576
func.func @conv_2d_nhwc_i8(%a: memref<1x58x58x64xi8>, %b: memref<3x3x64x64xi8>, %c: memref<1x56x56x64xi32>) {
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x58x58x64xi8>, memref<3x3x64x64xi8>)
    outs(%c : memref<1x56x56x64xi32>)
  return
}

// products: 784x64x576
func.func @conv_2d_nhwc_quantized(%a: memref<1x30x30x64xi8>, %b: memref<3x3x64x64xi8>, %c: memref<1x28x28x64xi32>) {
  %za = arith.constant 3 : i32
  %zb = arith.constant -4 : i32
  linalg.conv_2d_nhwc_hwcf_q
    ins(%a, %b, %za, %zb : memref<1x30x30x64xi8>, memref<3x3x64x64xi8>, i32, i32) outs(%c : memref<1x28x28x64xi32>)
  return
}

// products: 64x3136x576
func.func @conv_2d_nchw(%a: memref<1x64x58x58xf32>, %b: memref<64x64x3x3xf32>, %c: memref<1x64x56x56xf32>) {
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<1x64x58x58xf32>, memref<64x64x3x3xf32>)
    outs(%c : memref<1x64x56x56xf32>)
  return
}

// products: 64x3136x576
// sizes: 1x64x58x58 64x64x3x3 1x64x56x56
func.func @conv_2d_nchw_dynamic(%a: memref<?x?x?x?xf32>, %b: memref<?x?x?x?xf32>, %c: memref<?x?x?x?xf32>) {
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) outs(%c : memref<?x?x?x?xf32>)
  return
}

// products: 64x12544x147
func.func @conv_2d_nchw_first(%a: memref<1x3x229x229xf32>, %b: memref<64x3x7x7xf32>, %c: memref<1x64x112x112xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x3x229x229xf32>, memref<64x3x7x7xf32>) outs(%c : memref<1x64x112x112xf32>)
  return
}

// products: 128x784x576
func.func @conv_2d_nchw_strided(%a: memref<1x64x57x57xf32>, %b: memref<128x64x3x3xf32>, %c: memref<1x128x28x28xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x64x57x57xf32>, memref<128x64x3x3xf32>) outs(%c : memref<1x128x28x28xf32>)
  return
}

// products: 64x784x576
func.func @conv_2d_nchw_dilated(%a: memref<1x64x32x32xf32>, %b: memref<64x64x3x3xf32>, %c: memref<1x64x28x28xf32>) {
  linalg.conv_2d_nchw_fchw {dilations = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x64x32x32xf32>, memref<64x64x3x3xf32>) outs(%c : memref<1x64x28x28xf32>)
  return
}

// products: 512x196x256
func.func @conv_2d_nchw_pointwise(%a: memref<1x256x14x14xf32>, %b: memref<512x256x1x1xf32>,
    %c: memref<1x512x14x14xf32>) {
  linalg.conv_2d_nchw_fchw
    ins(%a, %b : memref<1x256x14x14xf32>, memref<512x256x1x1xf32>) outs(%c : memref<1x512x14x14xf32>)
  return
}

// products: 256x196x2304
func.func @conv_2d_nchw_small(%a: memref<1x256x16x16xf32>, %b: memref<256x256x3x3xf32>, %c: memref<1x256x14x14xf32>) {
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<1x256x16x16xf32>, memref<256x256x3x3xf32>)
    outs(%c : memref<1x256x14x14xf32>)
  return
}

// products: 64x784x576
func.func @conv_2d_nchw_f64(%a: memref<1x64x30x30xf64>, %b: memref<64x64x3x3xf64>, %c: memref<1x64x28x28xf64>) {
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<1x64x30x30xf64>, memref<64x64x3x3xf64>) outs(%c : memref<1x64x28x28xf64>)
  return
}

// products: 64x784x576
func.func @conv_2d_nchw_i8(%a: memref<1x64x30x30xi8>, %b: memref<64x64x3x3xi8>, %c: memref<1x64x28x28xi32>) {
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<1x64x30x30xi8>, memref<64x64x3x3xi8>) outs(%c : memref<1x64x28x28xi32>)
  return
}

// products: 8x8x3136x72
func.func @conv_2d_ngchw(%a: memref<1x8x8x58x58xf32>, %b: memref<8x8x8x3x3xf32>, %c: memref<1x8x8x56x56xf32>) {
  linalg.conv_2d_ngchw_gfchw ins(%a, %b : memref<1x8x8x58x58xf32>, memref<8x8x8x3x3xf32>)
    outs(%c : memref<1x8x8x56x56xf32>)
  return
}

// products: 8x16x784x144
func.func @conv_2d_ngchw_strided(%a: memref<1x8x16x57x57xf32>, %b: memref<8x16x16x3x3xf32>,
    %c: memref<1x8x16x28x28xf32>) {
  linalg.conv_2d_ngchw_gfchw {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x8x16x57x57xf32>, memref<8x16x16x3x3xf32>) outs(%c : memref<1x8x16x28x28xf32>)
  return
}

// products: 8x784x16x144
func.func @conv_2d_nhwgc(%a: memref<1x30x30x8x16xf32>, %b: memref<8x16x3x3x16xf32>, %c: memref<1x28x28x8x16xf32>) {
  linalg.conv_2d_nhwgc_gfhwc
    ins(%a, %b : memref<1x30x30x8x16xf32>, memref<8x16x3x3x16xf32>) outs(%c : memref<1x28x28x8x16xf32>)
  return
}

// products: 6272x32x864
func.func @conv_3d_ndhwc(%a: memref<1x10x30x30x32xf32>, %b: memref<3x3x3x32x32xf32>, %c: memref<1x8x28x28x32xf32>) {
  linalg.conv_3d_ndhwc_dhwcf ins(%a, %b : memref<1x10x30x30x32xf32>, memref<3x3x3x32x32xf32>)
    outs(%c : memref<1x8x28x28x32xf32>)
  return
}

// products: 784x64x864
func.func @conv_3d_ndhwc_strided(%a: memref<1x9x29x29x32xf32>, %b: memref<3x3x3x32x64xf32>,
    %c: memref<1x4x14x14x64xf32>) {
  linalg.conv_3d_ndhwc_dhwcf {strides = dense<2> : tensor<3xi64>}
    ins(%a, %b : memref<1x9x29x29x32xf32>, memref<3x3x3x32x64xf32>) outs(%c : memref<1x4x14x14x64xf32>)
  return
}

// products: 32x6272x864
func.func @conv_3d_ncdhw(%a: memref<1x32x10x30x30xf32>, %b: memref<32x32x3x3x3xf32>, %c: memref<1x32x8x28x28xf32>) {
  linalg.conv_3d_ncdhw_fcdhw
    ins(%a, %b : memref<1x32x10x30x30xf32>, memref<32x32x3x3x3xf32>) outs(%c : memref<1x32x8x28x28xf32>)
  return
}

// multiply-adds: 112x112x64x3x3
func.func @depthwise_conv_2d(%a: memref<1x114x114x64xf32>, %b: memref<3x3x64xf32>, %c: memref<1x112x112x64xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %b : memref<1x114x114x64xf32>, memref<3x3x64xf32>)
    outs(%c : memref<1x112x112x64xf32>)
  return
}

// multiply-adds: 112x112x64x3x3
// sizes: 1x114x114x64 3x3x64 1x112x112x64
func.func @depthwise_conv_2d_dynamic(%a: memref<?x?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?x?xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %b : memref<?x?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?x?xf32>)
  return
}

// multiply-adds: 56x56x96x3x3
func.func @depthwise_conv_2d_strided(%a: memref<1x113x113x96xf32>, %b: memref<3x3x96xf32>, %c: memref<1x56x56x96xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x113x113x96xf32>, memref<3x3x96xf32>) outs(%c : memref<1x56x56x96xf32>)
  return
}

// multiply-adds: 56x56x96x7x7
func.func @depthwise_conv_2d_large(%a: memref<1x62x62x96xf32>, %b: memref<7x7x96xf32>, %c: memref<1x56x56x96xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc
    ins(%a, %b : memref<1x62x62x96xf32>, memref<7x7x96xf32>) outs(%c : memref<1x56x56x96xf32>)
  return
}

// multiply-adds: 112x112x64x3x3
func.func @depthwise_conv_2d_i8(%a: memref<1x114x114x64xi8>, %b: memref<3x3x64xi8>, %c: memref<1x112x112x64xi32>) {
  linalg.depthwise_conv_2d_nhwc_hwc
    ins(%a, %b : memref<1x114x114x64xi8>, memref<3x3x64xi8>) outs(%c : memref<1x112x112x64xi32>)
  return
}

// multiply-adds: 56x56x64x3x3
func.func @depthwise_conv_2d_quantized(%a: memref<1x58x58x64xi8>, %b: memref<3x3x64xi8>, %c: memref<1x56x56x64xi32>) {
  %za = arith.constant 3 : i32
  %zb = arith.constant -4 : i32
  linalg.depthwise_conv_2d_nhwc_hwc_q
    ins(%a, %b, %za, %zb : memref<1x58x58x64xi8>, memref<3x3x64xi8>, i32, i32) outs(%c : memref<1x56x56x64xi32>)
  return
}

// multiply-adds: 56x56x64x3x3
func.func @depthwise_conv_2d_bf16(%a: memref<1x58x58x64xbf16>, %b: memref<3x3x64xbf16>, %c: memref<1x56x56x64xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc
    ins(%a, %b : memref<1x58x58x64xbf16>, memref<3x3x64xbf16>) outs(%c : memref<1x56x56x64xf32>)
  return
}

// multiply-adds: 56x56x32x4x3x3
func.func @depthwise_conv_2d_multiplied(%a: memref<1x58x58x32xf32>, %b: memref<3x3x32x4xf32>,
    %c: memref<1x56x56x32x4xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwcm
    ins(%a, %b : memref<1x58x58x32xf32>, memref<3x3x32x4xf32>) outs(%c : memref<1x56x56x32x4xf32>)
  return
}

// multiply-adds: 112x112x64x3x3
func.func @depthwise_conv_2d_nchw(%a: memref<1x64x114x114xf32>, %b: memref<64x3x3xf32>, %c: memref<1x64x112x112xf32>) {
  linalg.depthwise_conv_2d_nchw_chw ins(%a, %b : memref<1x64x114x114xf32>, memref<64x3x3xf32>)
    outs(%c : memref<1x64x112x112xf32>)
  return
}

// multiply-adds: 1024x256x7
func.func @depthwise_conv_1d(%a: memref<1x1030x256xf32>, %b: memref<7x256xf32>, %c: memref<1x1024x256xf32>) {
  linalg.depthwise_conv_1d_nwc_wc
    ins(%a, %b : memref<1x1030x256xf32>, memref<7x256xf32>) outs(%c : memref<1x1024x256xf32>)
  return
}

// multiply-adds: 8x28x28x32x27
func.func @depthwise_conv_3d(%a: memref<1x10x30x30x32xf32>, %b: memref<3x3x3x32xf32>, %c: memref<1x8x28x28x32xf32>) {
  linalg.depthwise_conv_3d_ndhwc_dhwc
    ins(%a, %b : memref<1x10x30x30x32xf32>, memref<3x3x3x32xf32>) outs(%c : memref<1x8x28x28x32xf32>)
  return
}
