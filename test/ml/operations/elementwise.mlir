// Activations, normalisation with known means, and quantization at the sizes of known networks; see README.md.

func.func @residual_add(%a: memref<1x56x56x256xf32>, %b: memref<1x56x56x256xf32>, %c: memref<1x56x56x256xf32>) {
  linalg.add ins(%a, %b : memref<1x56x56x256xf32>, memref<1x56x56x256xf32>) outs(%c : memref<1x56x56x256xf32>)
  return
}

func.func @bias_relu(%a: memref<3136x256xf32>, %bias: memref<256xf32>, %c: memref<3136x256xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %bias : memref<3136x256xf32>, memref<256xf32>) outs(%c : memref<3136x256xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  return
}

func.func @gelu(%a: memref<128x3072xf32>, %c: memref<128x3072xf32>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %cubic = arith.constant 0.044715 : f32
  %root = arith.constant 0.797884583 : f32
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a : memref<128x3072xf32>) outs(%c : memref<128x3072xf32>) {
  ^bb0(%x: f32, %old: f32):
    %half_x = arith.mulf %x, %half : f32
    %square = arith.mulf %x, %x : f32
    %cube = arith.mulf %square, %x : f32
    %small = arith.mulf %cube, %cubic : f32
    %inner = arith.addf %x, %small : f32
    %scaled = arith.mulf %inner, %root : f32
    %tanh = math.tanh %scaled : f32
    %more = arith.addf %tanh, %one : f32
    %g = arith.mulf %half_x, %more : f32
    linalg.yield %g : f32
  }
  return
}

func.func @gelu_erf(%a: memref<128x768xf32>, %c: memref<128x768xf32>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.707106769 : f32
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a : memref<128x768xf32>) outs(%c : memref<128x768xf32>) {
  ^bb0(%x: f32, %old: f32):
    %half_x = arith.mulf %x, %half : f32
    %scaled = arith.mulf %x, %root : f32
    %erf = math.erf %scaled : f32
    %more = arith.addf %erf, %one : f32
    %g = arith.mulf %half_x, %more : f32
    linalg.yield %g : f32
  }
  return
}

func.func @batch_norm_nhwc(%a: memref<3136x256xf32>, %mean: memref<256xf32>, %variance: memref<256xf32>,
    %scale: memref<256xf32>, %shift: memref<256xf32>, %c: memref<3136x256xf32>) {
  %epsilon = arith.constant 1.0e-5 : f32
  linalg.generic {
    indexing_maps = [
      affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>
    ],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %mean, %variance, %scale, %shift
    : memref<3136x256xf32>, memref<256xf32>, memref<256xf32>, memref<256xf32>, memref<256xf32>)
    outs(%c : memref<3136x256xf32>) {
  ^bb0(%x: f32, %m: f32, %v: f32, %g: f32, %h: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %v, %v : f32
    %w = arith.addf %q, %epsilon : f32
    %r = math.rsqrt %w : f32
    %n = arith.mulf %d, %r : f32
    %s = arith.mulf %n, %g : f32
    %o = arith.addf %s, %h : f32
    linalg.yield %o : f32
  }
  return
}

func.func @batch_norm_nchw(%a: memref<64x3136xf32>, %mean: memref<64xf32>, %variance: memref<64xf32>,
    %scale: memref<64xf32>, %shift: memref<64xf32>, %c: memref<64x3136xf32>) {
  %epsilon = arith.constant 1.0e-5 : f32
  linalg.generic {
    indexing_maps = [
      affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i, j)>
    ],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %mean, %variance, %scale, %shift
    : memref<64x3136xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>)
    outs(%c : memref<64x3136xf32>) {
  ^bb0(%x: f32, %m: f32, %v: f32, %g: f32, %h: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %v, %v : f32
    %w = arith.addf %q, %epsilon : f32
    %r = math.rsqrt %w : f32
    %n = arith.mulf %d, %r : f32
    %s = arith.mulf %n, %g : f32
    %o = arith.addf %s, %h : f32
    linalg.yield %o : f32
  }
  return
}

func.func @dequantize(%a: memref<512x512xi32>, %scale: memref<512xf32>, %c: memref<512x512xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %scale : memref<512x512xi32>, memref<512xf32>) outs(%c : memref<512x512xf32>) {
  ^bb0(%x: i32, %y: f32, %old: f32):
    %f = arith.sitofp %x : i32 to f32
    %s = arith.mulf %f, %y : f32
    linalg.yield %s : f32
  }
  return
}

func.func @quantize(%a: memref<512x512xf32>, %c: memref<512x512xi8>) {
  %scale = arith.constant 32.0 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a : memref<512x512xf32>) outs(%c : memref<512x512xi8>) {
  ^bb0(%x: f32, %old: i8):
    %s = arith.mulf %x, %scale : f32
    %l = arith.maximumf %s, %low : f32
    %h = arith.minimumf %l, %high : f32
    %i = arith.fptosi %h : f32 to i8
    linalg.yield %i : i8
  }
  return
}
