// Layers of several operations at the sizes of known networks; see README.md.

// products: 128x768x768
func.func @matmul_bias_relu(%a: memref<128x768xf32>, %b: memref<768x768xf32>, %bias: memref<768xf32>,
    %c: memref<128x768xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<128x768xf32>)
  linalg.matmul ins(%a, %b : memref<128x768xf32>, memref<768x768xf32>) outs(%c : memref<128x768xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%bias : memref<768xf32>) outs(%c : memref<128x768xf32>) {
  ^bb0(%y: f32, %x: f32):
    %s = arith.addf %x, %y : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  return
}

// products: 128x768x768
// sizes: 128x768 768x768 768 128x768
func.func @matmul_bias_relu_dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %bias: memref<?xf32>,
    %c: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%bias : memref<?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%y: f32, %x: f32):
    %s = arith.addf %x, %y : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  return
}

// products: 128x3072x768
func.func @matmul_bias_gelu(%a: memref<128x768xf32>, %b: memref<768x3072xf32>, %bias: memref<3072xf32>,
    %sum: memref<128x3072xf32>, %c: memref<128x3072xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %cubic = arith.constant 0.044715 : f32
  %root = arith.constant 0.797884583 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<128x3072xf32>)
  linalg.matmul ins(%a, %b : memref<128x768xf32>, memref<768x3072xf32>) outs(%sum : memref<128x3072xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%sum, %bias : memref<128x3072xf32>, memref<3072xf32>) outs(%c : memref<128x3072xf32>) {
  ^bb0(%before: f32, %y: f32, %old: f32):
    %x = arith.addf %before, %y : f32
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

// products: 384x512x512
func.func @matmul_i8_requantized(%a: memref<384x512xi8>, %b: memref<512x512xi8>, %scale: memref<512xf32>,
    %sum: memref<384x512xi32>, %c: memref<384x512xi8>) {
  %zero = arith.constant 0 : i32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  linalg.fill ins(%zero : i32) outs(%sum : memref<384x512xi32>)
  linalg.matmul ins(%a, %b : memref<384x512xi8>, memref<512x512xi8>) outs(%sum : memref<384x512xi32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%sum, %scale : memref<384x512xi32>, memref<512xf32>) outs(%c : memref<384x512xi8>) {
  ^bb0(%x: i32, %y: f32, %old: i8):
    %f = arith.sitofp %x : i32 to f32
    %s = arith.mulf %f, %y : f32
    %l = arith.maximumf %s, %low : f32
    %h = arith.minimumf %l, %high : f32
    %i = arith.fptosi %h : f32 to i8
    linalg.yield %i : i8
  }
  return
}

// products: 128x3072x768 128x768x3072
func.func @feed_forward(%a: memref<128x768xf32>, %b: memref<768x3072xf32>, %hidden: memref<128x3072xf32>,
    %d: memref<3072x768xf32>, %c: memref<128x768xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %cubic = arith.constant 0.044715 : f32
  %root = arith.constant 0.797884583 : f32
  linalg.fill ins(%zero : f32) outs(%hidden : memref<128x3072xf32>)
  linalg.matmul ins(%a, %b : memref<128x768xf32>, memref<768x3072xf32>) outs(%hidden : memref<128x3072xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%hidden : memref<128x3072xf32>) {
  ^bb0(%x: f32):
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
  linalg.fill ins(%zero : f32) outs(%c : memref<128x768xf32>)
  linalg.matmul ins(%hidden, %d : memref<128x3072xf32>, memref<3072x768xf32>) outs(%c : memref<128x768xf32>)
  return
}

// products: 784x64x576
func.func @conv_2d_bias_relu(%a: memref<1x30x30x64xf32>, %b: memref<3x3x64x64xf32>, %bias: memref<64xf32>,
    %c: memref<1x28x28x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, f) -> (f)>, affine_map<(n, h, w, f) -> (n, h, w, f)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%bias : memref<64xf32>) outs(%c : memref<1x28x28x64xf32>) {
  ^bb0(%y: f32, %old: f32):
    linalg.yield %y : f32
  }
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x30x30x64xf32>, memref<3x3x64x64xf32>)
    outs(%c : memref<1x28x28x64xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, f) -> (n, h, w, f)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } outs(%c : memref<1x28x28x64xf32>) {
  ^bb0(%x: f32):
    %r = arith.maximumf %x, %zero : f32
    linalg.yield %r : f32
  }
  return
}

// products: 64x784x576
func.func @conv_2d_batch_norm_relu(%a: memref<1x64x30x30xf32>, %b: memref<64x64x3x3xf32>, %scale: memref<64xf32>,
    %shift: memref<64xf32>, %sum: memref<1x64x28x28xf32>, %c: memref<1x64x28x28xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<1x64x28x28xf32>)
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<1x64x30x30xf32>, memref<64x64x3x3xf32>)
    outs(%sum : memref<1x64x28x28xf32>)
  linalg.generic {
    indexing_maps = [
      affine_map<(n, f, h, w) -> (n, f, h, w)>,
      affine_map<(n, f, h, w) -> (f)>,
      affine_map<(n, f, h, w) -> (f)>,
      affine_map<(n, f, h, w) -> (n, f, h, w)>
    ],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%sum, %scale, %shift : memref<1x64x28x28xf32>, memref<64xf32>, memref<64xf32>)
    outs(%c : memref<1x64x28x28xf32>) {
  ^bb0(%x: f32, %g: f32, %h: f32, %old: f32):
    %s = arith.mulf %x, %g : f32
    %o = arith.addf %s, %h : f32
    %r = arith.maximumf %o, %zero : f32
    linalg.yield %r : f32
  }
  return
}

// products: 12x128x128x64 12x128x64x128
func.func @attention_128(%queries: memref<12x128x64xf32>, %keys: memref<12x128x64xf32>, %values: memref<12x128x64xf32>,
    %scores: memref<12x128x128xf32>, %top: memref<12x128xf32>, %total: memref<12x128xf32>,
    %weights: memref<12x128x128xf32>, %c: memref<12x128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  linalg.fill ins(%zero : f32) outs(%scores : memref<12x128x128xf32>)
  linalg.batch_matmul
    indexing_maps = [
      affine_map<(n, i, j, k) -> (n, i, k)>,
      affine_map<(n, i, j, k) -> (n, j, k)>,
      affine_map<(n, i, j, k) -> (n, i, j)>
    ]
    ins(%queries, %keys : memref<12x128x64xf32>, memref<12x128x64xf32>) outs(%scores : memref<12x128x128xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } outs(%scores : memref<12x128x128xf32>) {
  ^bb0(%x: f32):
    %s = arith.mulf %x, %scale : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%lowest : f32) outs(%top : memref<12x128xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%scores : memref<12x128x128xf32>) outs(%top : memref<12x128xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %g = arith.maximumf %so_far, %x : f32
    linalg.yield %g : f32
  }
  linalg.generic {
    indexing_maps = [
      affine_map<(n, i, j) -> (n, i, j)>,
      affine_map<(n, i, j) -> (n, i)>,
      affine_map<(n, i, j) -> (n, i, j)>
    ],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%scores, %top : memref<12x128x128xf32>, memref<12x128xf32>) outs(%weights : memref<12x128x128xf32>) {
  ^bb0(%x: f32, %t: f32, %old: f32):
    %d = arith.subf %x, %t : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.fill ins(%zero : f32) outs(%total : memref<12x128xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%weights : memref<12x128x128xf32>) outs(%total : memref<12x128xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %s = arith.addf %so_far, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i)>, affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%total : memref<12x128xf32>) outs(%weights : memref<12x128x128xf32>) {
  ^bb0(%t: f32, %x: f32):
    %q = arith.divf %x, %t : f32
    linalg.yield %q : f32
  }
  linalg.fill ins(%zero : f32) outs(%c : memref<12x128x64xf32>)
  linalg.batch_matmul ins(%weights, %values : memref<12x128x128xf32>, memref<12x128x64xf32>)
    outs(%c : memref<12x128x64xf32>)
  return
}

// products: 12x384x384x64 12x384x64x384
func.func @attention_384(%queries: memref<12x384x64xf32>, %keys: memref<12x384x64xf32>, %values: memref<12x384x64xf32>,
    %scores: memref<12x384x384xf32>, %top: memref<12x384xf32>, %total: memref<12x384xf32>,
    %weights: memref<12x384x384xf32>, %c: memref<12x384x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  linalg.fill ins(%zero : f32) outs(%scores : memref<12x384x384xf32>)
  linalg.batch_matmul
    indexing_maps = [
      affine_map<(n, i, j, k) -> (n, i, k)>,
      affine_map<(n, i, j, k) -> (n, j, k)>,
      affine_map<(n, i, j, k) -> (n, i, j)>
    ]
    ins(%queries, %keys : memref<12x384x64xf32>, memref<12x384x64xf32>) outs(%scores : memref<12x384x384xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } outs(%scores : memref<12x384x384xf32>) {
  ^bb0(%x: f32):
    %s = arith.mulf %x, %scale : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%lowest : f32) outs(%top : memref<12x384xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%scores : memref<12x384x384xf32>) outs(%top : memref<12x384xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %g = arith.maximumf %so_far, %x : f32
    linalg.yield %g : f32
  }
  linalg.generic {
    indexing_maps = [
      affine_map<(n, i, j) -> (n, i, j)>,
      affine_map<(n, i, j) -> (n, i)>,
      affine_map<(n, i, j) -> (n, i, j)>
    ],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%scores, %top : memref<12x384x384xf32>, memref<12x384xf32>) outs(%weights : memref<12x384x384xf32>) {
  ^bb0(%x: f32, %t: f32, %old: f32):
    %d = arith.subf %x, %t : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.fill ins(%zero : f32) outs(%total : memref<12x384xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%weights : memref<12x384x384xf32>) outs(%total : memref<12x384xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %s = arith.addf %so_far, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i)>, affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%total : memref<12x384xf32>) outs(%weights : memref<12x384x384xf32>) {
  ^bb0(%t: f32, %x: f32):
    %q = arith.divf %x, %t : f32
    linalg.yield %q : f32
  }
  linalg.fill ins(%zero : f32) outs(%c : memref<12x384x64xf32>)
  linalg.batch_matmul ins(%weights, %values : memref<12x384x384xf32>, memref<12x384x64xf32>)
    outs(%c : memref<12x384x64xf32>)
  return
}

// products: 12x128x128x64 12x128x64x128
// sizes: 12x128x64 12x128x64 12x128x64 12x128x128 12x128 12x128 12x128x128 12x128x64
func.func @attention_dynamic(%queries: memref<?x?x?xf32>, %keys: memref<?x?x?xf32>, %values: memref<?x?x?xf32>,
    %scores: memref<?x?x?xf32>, %top: memref<?x?xf32>, %total: memref<?x?xf32>, %weights: memref<?x?x?xf32>,
    %c: memref<?x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  linalg.fill ins(%zero : f32) outs(%scores : memref<?x?x?xf32>)
  linalg.batch_matmul
    indexing_maps = [
      affine_map<(n, i, j, k) -> (n, i, k)>,
      affine_map<(n, i, j, k) -> (n, j, k)>,
      affine_map<(n, i, j, k) -> (n, i, j)>
    ]
    ins(%queries, %keys : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%scores : memref<?x?x?xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } outs(%scores : memref<?x?x?xf32>) {
  ^bb0(%x: f32):
    %s = arith.mulf %x, %scale : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%lowest : f32) outs(%top : memref<?x?xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%scores : memref<?x?x?xf32>) outs(%top : memref<?x?xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %g = arith.maximumf %so_far, %x : f32
    linalg.yield %g : f32
  }
  linalg.generic {
    indexing_maps = [
      affine_map<(n, i, j) -> (n, i, j)>,
      affine_map<(n, i, j) -> (n, i)>,
      affine_map<(n, i, j) -> (n, i, j)>
    ],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%scores, %top : memref<?x?x?xf32>, memref<?x?xf32>) outs(%weights : memref<?x?x?xf32>) {
  ^bb0(%x: f32, %t: f32, %old: f32):
    %d = arith.subf %x, %t : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.fill ins(%zero : f32) outs(%total : memref<?x?xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%weights : memref<?x?x?xf32>) outs(%total : memref<?x?xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %s = arith.addf %so_far, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i)>, affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%total : memref<?x?xf32>) outs(%weights : memref<?x?x?xf32>) {
  ^bb0(%t: f32, %x: f32):
    %q = arith.divf %x, %t : f32
    linalg.yield %q : f32
  }
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?x?xf32>)
  linalg.batch_matmul ins(%weights, %values : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>)
  return
}

// products: 12x64x64x64 12x64x64x64
func.func @attention_f64(%queries: memref<12x64x64xf64>, %keys: memref<12x64x64xf64>, %values: memref<12x64x64xf64>,
    %scores: memref<12x64x64xf64>, %top: memref<12x64xf64>, %total: memref<12x64xf64>, %weights: memref<12x64x64xf64>,
    %c: memref<12x64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant 0.125 : f64
  linalg.fill ins(%zero : f64) outs(%scores : memref<12x64x64xf64>)
  linalg.batch_matmul
    indexing_maps = [
      affine_map<(n, i, j, k) -> (n, i, k)>,
      affine_map<(n, i, j, k) -> (n, j, k)>,
      affine_map<(n, i, j, k) -> (n, i, j)>
    ]
    ins(%queries, %keys : memref<12x64x64xf64>, memref<12x64x64xf64>) outs(%scores : memref<12x64x64xf64>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } outs(%scores : memref<12x64x64xf64>) {
  ^bb0(%x: f64):
    %s = arith.mulf %x, %scale : f64
    linalg.yield %s : f64
  }
  linalg.fill ins(%lowest : f64) outs(%top : memref<12x64xf64>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%scores : memref<12x64x64xf64>) outs(%top : memref<12x64xf64>) {
  ^bb0(%x: f64, %so_far: f64):
    %g = arith.maximumf %so_far, %x : f64
    linalg.yield %g : f64
  }
  linalg.generic {
    indexing_maps = [
      affine_map<(n, i, j) -> (n, i, j)>,
      affine_map<(n, i, j) -> (n, i)>,
      affine_map<(n, i, j) -> (n, i, j)>
    ],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%scores, %top : memref<12x64x64xf64>, memref<12x64xf64>) outs(%weights : memref<12x64x64xf64>) {
  ^bb0(%x: f64, %t: f64, %old: f64):
    %d = arith.subf %x, %t : f64
    %e = math.exp %d : f64
    linalg.yield %e : f64
  }
  linalg.fill ins(%zero : f64) outs(%total : memref<12x64xf64>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%weights : memref<12x64x64xf64>) outs(%total : memref<12x64xf64>) {
  ^bb0(%x: f64, %so_far: f64):
    %s = arith.addf %so_far, %x : f64
    linalg.yield %s : f64
  }
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i)>, affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%total : memref<12x64xf64>) outs(%weights : memref<12x64x64xf64>) {
  ^bb0(%t: f64, %x: f64):
    %q = arith.divf %x, %t : f64
    linalg.yield %q : f64
  }
  linalg.fill ins(%zero : f64) outs(%c : memref<12x64x64xf64>)
  linalg.batch_matmul ins(%weights, %values : memref<12x64x64xf64>, memref<12x64x64xf64>)
    outs(%c : memref<12x64x64xf64>)
  return
}
