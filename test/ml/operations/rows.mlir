// Reductions, transposition, softmax and normalisation at the sizes of known networks; see README.md.

func.func @reduce_rows(%a: memref<2048x1024xf32>, %c: memref<2048xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<2048x1024xf32>) outs(%c : memref<2048xf32>) dimensions = [1]
  return
}

// sizes: 1000x768 1000
func.func @reduce_rows_dynamic(%a: memref<?x?xf32>, %c: memref<?xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<?x?xf32>) outs(%c : memref<?xf32>) dimensions = [1]
  return
}

func.func @reduce_rows_max(%a: memref<1000x768xf32>, %c: memref<1000xf32>) {
  linalg.reduce { arith.maximumf } ins(%a : memref<1000x768xf32>) outs(%c : memref<1000xf32>) dimensions = [1]
  return
}

func.func @reduce_rows_f64(%a: memref<1000x768xf64>, %c: memref<1000xf64>) {
  linalg.reduce { arith.addf } ins(%a : memref<1000x768xf64>) outs(%c : memref<1000xf64>) dimensions = [1]
  return
}

func.func @reduce_rows_i32(%a: memref<1000x768xi32>, %c: memref<1000xi32>) {
  linalg.reduce { arith.addi } ins(%a : memref<1000x768xi32>) outs(%c : memref<1000xi32>) dimensions = [1]
  return
}

func.func @reduce_columns(%a: memref<2048x1024xf32>, %c: memref<1024xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<2048x1024xf32>) outs(%c : memref<1024xf32>) dimensions = [0]
  return
}

// sizes: 1000x768 768
func.func @reduce_columns_dynamic(%a: memref<?x?xf32>, %c: memref<?xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<?x?xf32>) outs(%c : memref<?xf32>) dimensions = [0]
  return
}

func.func @reduce_columns_max(%a: memref<1000x768xf32>, %c: memref<768xf32>) {
  linalg.reduce { arith.maximumf } ins(%a : memref<1000x768xf32>) outs(%c : memref<768xf32>) dimensions = [0]
  return
}

func.func @reduce_pixels(%a: memref<8x49x512xf32>, %c: memref<8x512xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<8x49x512xf32>) outs(%c : memref<8x512xf32>) dimensions = [1]
  return
}

func.func @reduce_batch_nchw(%a: memref<8x64x28x28xf32>, %c: memref<64xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<8x64x28x28xf32>) outs(%c : memref<64xf32>) dimensions = [0, 2, 3]
  return
}

func.func @transpose(%a: memref<1024x1024xf32>, %c: memref<1024x1024xf32>) {
  linalg.transpose ins(%a : memref<1024x1024xf32>) outs(%c : memref<1024x1024xf32>) permutation = [1, 0]
  return
}

func.func @transpose_to_nchw(%a: memref<56x56x64xf32>, %c: memref<64x56x56xf32>) {
  linalg.transpose ins(%a : memref<56x56x64xf32>) outs(%c : memref<64x56x56xf32>) permutation = [2, 0, 1]
  return
}

func.func @transpose_heads(%a: memref<128x12x64xf32>, %c: memref<12x128x64xf32>) {
  linalg.transpose ins(%a : memref<128x12x64xf32>) outs(%c : memref<12x128x64xf32>) permutation = [1, 0, 2]
  return
}

func.func @softmax(%a: memref<128x1000xf32>, %top: memref<128xf32>, %total: memref<128xf32>, %c: memref<128x1000xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  linalg.fill ins(%lowest : f32) outs(%top : memref<128xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<128x1000xf32>) outs(%top : memref<128xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %g = arith.maximumf %so_far, %x : f32
    linalg.yield %g : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %top : memref<128x1000xf32>, memref<128xf32>) outs(%c : memref<128x1000xf32>) {
  ^bb0(%x: f32, %t: f32, %old: f32):
    %d = arith.subf %x, %t : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.fill ins(%zero : f32) outs(%total : memref<128xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%c : memref<128x1000xf32>) outs(%total : memref<128xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %s = arith.addf %so_far, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%total : memref<128xf32>) outs(%c : memref<128x1000xf32>) {
  ^bb0(%t: f32, %x: f32):
    %q = arith.divf %x, %t : f32
    linalg.yield %q : f32
  }
  return
}

// sizes: 128x1000 128 128 128x1000
func.func @softmax_dynamic(%a: memref<?x?xf32>, %top: memref<?xf32>, %total: memref<?xf32>, %c: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  linalg.fill ins(%lowest : f32) outs(%top : memref<?xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<?x?xf32>) outs(%top : memref<?xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %g = arith.maximumf %so_far, %x : f32
    linalg.yield %g : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %top : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32, %t: f32, %old: f32):
    %d = arith.subf %x, %t : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.fill ins(%zero : f32) outs(%total : memref<?xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%c : memref<?x?xf32>) outs(%total : memref<?xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %s = arith.addf %so_far, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%total : memref<?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%t: f32, %x: f32):
    %q = arith.divf %x, %t : f32
    linalg.yield %q : f32
  }
  return
}

func.func @softmax_heads(%a: memref<12x128x128xf32>, %top: memref<12x128xf32>, %total: memref<12x128xf32>,
    %c: memref<12x128x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  linalg.fill ins(%lowest : f32) outs(%top : memref<12x128xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a : memref<12x128x128xf32>) outs(%top : memref<12x128xf32>) {
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
  } ins(%a, %top : memref<12x128x128xf32>, memref<12x128xf32>) outs(%c : memref<12x128x128xf32>) {
  ^bb0(%x: f32, %t: f32, %old: f32):
    %d = arith.subf %x, %t : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.fill ins(%zero : f32) outs(%total : memref<12x128xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%c : memref<12x128x128xf32>) outs(%total : memref<12x128xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %s = arith.addf %so_far, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(n, i, j) -> (n, i)>, affine_map<(n, i, j) -> (n, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%total : memref<12x128xf32>) outs(%c : memref<12x128x128xf32>) {
  ^bb0(%t: f32, %x: f32):
    %q = arith.divf %x, %t : f32
    linalg.yield %q : f32
  }
  return
}

func.func @softmax_f64(%a: memref<128x512xf64>, %top: memref<128xf64>, %total: memref<128xf64>,
    %c: memref<128x512xf64>) {
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  linalg.fill ins(%lowest : f64) outs(%top : memref<128xf64>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<128x512xf64>) outs(%top : memref<128xf64>) {
  ^bb0(%x: f64, %so_far: f64):
    %g = arith.maximumf %so_far, %x : f64
    linalg.yield %g : f64
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %top : memref<128x512xf64>, memref<128xf64>) outs(%c : memref<128x512xf64>) {
  ^bb0(%x: f64, %t: f64, %old: f64):
    %d = arith.subf %x, %t : f64
    %e = math.exp %d : f64
    linalg.yield %e : f64
  }
  linalg.fill ins(%zero : f64) outs(%total : memref<128xf64>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%c : memref<128x512xf64>) outs(%total : memref<128xf64>) {
  ^bb0(%x: f64, %so_far: f64):
    %s = arith.addf %so_far, %x : f64
    linalg.yield %s : f64
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%total : memref<128xf64>) outs(%c : memref<128x512xf64>) {
  ^bb0(%t: f64, %x: f64):
    %q = arith.divf %x, %t : f64
    linalg.yield %q : f64
  }
  return
}

func.func @layer_norm(%a: memref<384x768xf32>, %mean: memref<384xf32>, %variance: memref<384xf32>,
    %scale: memref<768xf32>, %shift: memref<768xf32>, %c: memref<384x768xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 768.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  linalg.fill ins(%zero : f32) outs(%mean : memref<384xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<384x768xf32>) outs(%mean : memref<384xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %s = arith.addf %so_far, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } outs(%mean : memref<384xf32>) {
  ^bb0(%x: f32):
    %q = arith.divf %x, %count : f32
    linalg.yield %q : f32
  }
  linalg.fill ins(%zero : f32) outs(%variance : memref<384xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a, %mean : memref<384x768xf32>, memref<384xf32>) outs(%variance : memref<384xf32>) {
  ^bb0(%x: f32, %m: f32, %so_far: f32):
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %so_far, %q : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [
      affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>
    ],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %mean, %variance, %scale, %shift
    : memref<384x768xf32>, memref<384xf32>, memref<384xf32>, memref<768xf32>, memref<768xf32>)
    outs(%c : memref<384x768xf32>) {
  ^bb0(%x: f32, %m: f32, %v: f32, %g: f32, %h: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    %u = arith.divf %v, %count : f32
    %w = arith.addf %u, %epsilon : f32
    %r = math.rsqrt %w : f32
    %n = arith.mulf %d, %r : f32
    %s = arith.mulf %n, %g : f32
    %o = arith.addf %s, %h : f32
    linalg.yield %o : f32
  }
  return
}

// sizes: 384x768 384 384 768 768 384x768
func.func @layer_norm_dynamic(%a: memref<?x?xf32>, %mean: memref<?xf32>, %variance: memref<?xf32>,
    %scale: memref<?xf32>, %shift: memref<?xf32>, %c: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 768.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  linalg.fill ins(%zero : f32) outs(%mean : memref<?xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<?x?xf32>) outs(%mean : memref<?xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %s = arith.addf %so_far, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } outs(%mean : memref<?xf32>) {
  ^bb0(%x: f32):
    %q = arith.divf %x, %count : f32
    linalg.yield %q : f32
  }
  linalg.fill ins(%zero : f32) outs(%variance : memref<?xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a, %mean : memref<?x?xf32>, memref<?xf32>) outs(%variance : memref<?xf32>) {
  ^bb0(%x: f32, %m: f32, %so_far: f32):
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %so_far, %q : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [
      affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>
    ],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %mean, %variance, %scale, %shift
    : memref<?x?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>)
    outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32, %m: f32, %v: f32, %g: f32, %h: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    %u = arith.divf %v, %count : f32
    %w = arith.addf %u, %epsilon : f32
    %r = math.rsqrt %w : f32
    %n = arith.mulf %d, %r : f32
    %s = arith.mulf %n, %g : f32
    %o = arith.addf %s, %h : f32
    linalg.yield %o : f32
  }
  return
}

func.func @layer_norm_f64(%a: memref<128x768xf64>, %mean: memref<128xf64>, %variance: memref<128xf64>,
    %scale: memref<768xf64>, %shift: memref<768xf64>, %c: memref<128x768xf64>) {
  %zero = arith.constant 0.0 : f64
  %count = arith.constant 768.0 : f64
  %epsilon = arith.constant 1.0e-5 : f64
  linalg.fill ins(%zero : f64) outs(%mean : memref<128xf64>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<128x768xf64>) outs(%mean : memref<128xf64>) {
  ^bb0(%x: f64, %so_far: f64):
    %s = arith.addf %so_far, %x : f64
    linalg.yield %s : f64
  }
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } outs(%mean : memref<128xf64>) {
  ^bb0(%x: f64):
    %q = arith.divf %x, %count : f64
    linalg.yield %q : f64
  }
  linalg.fill ins(%zero : f64) outs(%variance : memref<128xf64>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a, %mean : memref<128x768xf64>, memref<128xf64>) outs(%variance : memref<128xf64>) {
  ^bb0(%x: f64, %m: f64, %so_far: f64):
    %d = arith.subf %x, %m : f64
    %q = arith.mulf %d, %d : f64
    %s = arith.addf %so_far, %q : f64
    linalg.yield %s : f64
  }
  linalg.generic {
    indexing_maps = [
      affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>
    ],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %mean, %variance, %scale, %shift
    : memref<128x768xf64>, memref<128xf64>, memref<128xf64>, memref<768xf64>, memref<768xf64>)
    outs(%c : memref<128x768xf64>) {
  ^bb0(%x: f64, %m: f64, %v: f64, %g: f64, %h: f64, %old: f64):
    %d = arith.subf %x, %m : f64
    %u = arith.divf %v, %count : f64
    %w = arith.addf %u, %epsilon : f64
    %r = math.rsqrt %w : f64
    %n = arith.mulf %d, %r : f64
    %s = arith.mulf %n, %g : f64
    %o = arith.addf %s, %h : f64
    linalg.yield %o : f64
  }
  return
}

func.func @rms_norm(%a: memref<128x2048xf32>, %squares: memref<128xf32>, %scale: memref<2048xf32>,
    %c: memref<128x2048xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 2048.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  linalg.fill ins(%zero : f32) outs(%squares : memref<128xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<128x2048xf32>) outs(%squares : memref<128xf32>) {
  ^bb0(%x: f32, %so_far: f32):
    %q = arith.mulf %x, %x : f32
    %s = arith.addf %so_far, %q : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [
      affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>
    ],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %squares, %scale : memref<128x2048xf32>, memref<128xf32>, memref<2048xf32>)
    outs(%c : memref<128x2048xf32>) {
  ^bb0(%x: f32, %v: f32, %g: f32, %old: f32):
    %u = arith.divf %v, %count : f32
    %w = arith.addf %u, %epsilon : f32
    %r = math.rsqrt %w : f32
    %n = arith.mulf %x, %r : f32
    %s = arith.mulf %n, %g : f32
    linalg.yield %s : f32
  }
  return
}
