// Products of linalg at the sizes of known networks; see README.md.

// products: 512x512x512
func.func @matmul(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) {
  linalg.matmul ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
  return
}

// products: 384x3072x768
// sizes: 384x768 768x3072 384x3072
func.func @matmul_dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// products: 500x600x400
func.func @matmul_f64(%a: memref<500x400xf64>, %b: memref<400x600xf64>, %c: memref<500x600xf64>) {
  linalg.matmul ins(%a, %b : memref<500x400xf64>, memref<400x600xf64>) outs(%c : memref<500x600xf64>)
  return
}

// products: 256x256x512
// sizes: 256x512 512x256 256x256
func.func @matmul_f64_dynamic(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  linalg.matmul ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%c : memref<?x?xf64>)
  return
}

// products: 384x512x768
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

// products: 384x512x768
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

// products: 128x768x768
// sizes: 128x768 768x768 128x768
func.func @matmul_transpose_b_dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul
    indexing_maps = [
      affine_map<(i, j, k) -> (i, k)>,
      affine_map<(i, j, k) -> (j, k)>,
      affine_map<(i, j, k) -> (i, j)>
    ]
    ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// products: 8x1024x1024
func.func @matmul_few_rows(%a: memref<8x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<8x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<8x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<8x1024xf32>)
  return
}

// products: 1024x10x1024
func.func @matmul_few_columns(%a: memref<1024x1024xf32>, %b: memref<1024x10xf32>, %c: memref<1024x10xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x1024xf32>, memref<1024x10xf32>) outs(%c : memref<1024x10xf32>)
  return
}

// products: 384x512x512
func.func @matmul_bf16(%a: memref<384x512xbf16>, %b: memref<512x512xbf16>, %c: memref<384x512xf32>) {
  linalg.matmul ins(%a, %b : memref<384x512xbf16>, memref<512x512xbf16>) outs(%c : memref<384x512xf32>)
  return
}

// products: 384x512x512
// sizes: 384x512 512x512 384x512
func.func @matmul_bf16_dynamic(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%c : memref<?x?xf32>)
  return
}

// products: 256x256x256
func.func @matmul_bf16_only(%a: memref<256x256xbf16>, %b: memref<256x256xbf16>, %c: memref<256x256xbf16>) {
  linalg.matmul ins(%a, %b : memref<256x256xbf16>, memref<256x256xbf16>) outs(%c : memref<256x256xbf16>)
  return
}

// products: 384x512x512
func.func @matmul_f16(%a: memref<384x512xf16>, %b: memref<512x512xf16>, %c: memref<384x512xf32>) {
  linalg.matmul ins(%a, %b : memref<384x512xf16>, memref<512x512xf16>) outs(%c : memref<384x512xf32>)
  return
}

// products: 384x512x512
func.func @matmul_i16(%a: memref<384x512xi16>, %b: memref<512x512xi16>, %c: memref<384x512xi32>) {
  linalg.matmul ins(%a, %b : memref<384x512xi16>, memref<512x512xi16>) outs(%c : memref<384x512xi32>)
  return
}

// products: 512x512x512
func.func @matmul_i8(%a: memref<512x512xi8>, %b: memref<512x512xi8>, %c: memref<512x512xi32>) {
  linalg.matmul ins(%a, %b : memref<512x512xi8>, memref<512x512xi8>) outs(%c : memref<512x512xi32>)
  return
}

// products: 384x768x768
// sizes: 384x768 768x768 384x768
func.func @matmul_i8_dynamic(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>) {
  linalg.matmul ins(%a, %b : memref<?x?xi8>, memref<?x?xi8>) outs(%c : memref<?x?xi32>)
  return
}

// products: 512x512x512
func.func @quantized_matmul(%a: memref<512x512xi8>, %b: memref<512x512xi8>, %c: memref<512x512xi32>) {
  %za = arith.constant 3 : i32
  %zb = arith.constant -4 : i32
  linalg.quantized_matmul ins(%a, %b, %za, %zb : memref<512x512xi8>, memref<512x512xi8>, i32, i32)
    outs(%c : memref<512x512xi32>)
  return
}

// products: 12x128x128x64
func.func @batch_matmul(%a: memref<12x128x64xf32>, %b: memref<12x64x128xf32>, %c: memref<12x128x128xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<12x128x64xf32>, memref<12x64x128xf32>) outs(%c : memref<12x128x128xf32>)
  return
}

// products: 12x128x128x64
// sizes: 12x128x64 12x64x128 12x128x128
func.func @batch_matmul_dynamic(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>)
  return
}

// products: 12x128x128x64
func.func @batch_matmul_transpose_a(%a: memref<12x64x128xf32>, %b: memref<12x64x128xf32>, %c: memref<12x128x128xf32>) {
  linalg.batch_matmul
    indexing_maps = [
      affine_map<(n, i, j, k) -> (n, k, i)>,
      affine_map<(n, i, j, k) -> (n, k, j)>,
      affine_map<(n, i, j, k) -> (n, i, j)>
    ]
    ins(%a, %b : memref<12x64x128xf32>, memref<12x64x128xf32>) outs(%c : memref<12x128x128xf32>)
  return
}

// products: 12x128x128x64
func.func @batch_matmul_transpose_b(%a: memref<12x128x64xf32>, %b: memref<12x128x64xf32>, %c: memref<12x128x128xf32>) {
  linalg.batch_matmul
    indexing_maps = [
      affine_map<(n, i, j, k) -> (n, i, k)>,
      affine_map<(n, i, j, k) -> (n, j, k)>,
      affine_map<(n, i, j, k) -> (n, i, j)>
    ]
    ins(%a, %b : memref<12x128x64xf32>, memref<12x128x64xf32>) outs(%c : memref<12x128x128xf32>)
  return
}

// products: 12x64x64x64
func.func @batch_matmul_f64(%a: memref<12x64x64xf64>, %b: memref<12x64x64xf64>, %c: memref<12x64x64xf64>) {
  linalg.batch_matmul ins(%a, %b : memref<12x64x64xf64>, memref<12x64x64xf64>) outs(%c : memref<12x64x64xf64>)
  return
}

// products: 12x128x128x64
func.func @quantized_batch_matmul(%a: memref<12x128x64xi8>, %b: memref<12x64x128xi8>, %c: memref<12x128x128xi32>) {
  %za = arith.constant 3 : i32
  %zb = arith.constant -4 : i32
  linalg.quantized_batch_matmul
    ins(%a, %b, %za, %zb : memref<12x128x64xi8>, memref<12x64x128xi8>, i32, i32) outs(%c : memref<12x128x128xi32>)
  return
}

// products: 8x128x128x64
func.func @batch_reduce_matmul(%a: memref<8x128x64xf32>, %b: memref<8x64x128xf32>, %c: memref<128x128xf32>) {
  linalg.batch_reduce_matmul ins(%a, %b : memref<8x128x64xf32>, memref<8x64x128xf32>) outs(%c : memref<128x128xf32>)
  return
}

// products: 256x256x256
func.func @mmt4d(%a: memref<32x256x8x1xf32>, %b: memref<16x256x16x1xf32>, %c: memref<32x16x8x16xf32>) {
  linalg.mmt4d ins(%a, %b : memref<32x256x8x1xf32>, memref<16x256x16x1xf32>) outs(%c : memref<32x16x8x16xf32>)
  return
}

// products: 256x256x256
func.func @mmt4d_i8(%a: memref<32x128x8x2xi8>, %b: memref<16x128x16x2xi8>, %c: memref<32x16x8x16xi32>) {
  linalg.mmt4d ins(%a, %b : memref<32x128x8x2xi8>, memref<16x128x16x2xi8>) outs(%c : memref<32x16x8x16xi32>)
  return
}

// products: 12x128x128x64
func.func @batch_mmt4d(%a: memref<12x16x64x8x1xf32>, %b: memref<12x8x64x16x1xf32>, %c: memref<12x16x8x8x16xf32>) {
  linalg.batch_mmt4d
    ins(%a, %b : memref<12x16x64x8x1xf32>, memref<12x8x64x16x1xf32>) outs(%c : memref<12x16x8x8x16xf32>)
  return
}

// products: 3072x1x768
func.func @matvec(%a: memref<3072x768xf32>, %b: memref<768xf32>, %c: memref<3072xf32>) {
  linalg.matvec ins(%a, %b : memref<3072x768xf32>, memref<768xf32>) outs(%c : memref<3072xf32>)
  return
}

// products: 1000x1x2048
// sizes: 1000x2048 2048 1000
func.func @matvec_dynamic(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  linalg.matvec ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
  return
}

// products: 1000x1x1024
func.func @matvec_f64(%a: memref<1000x1024xf64>, %b: memref<1024xf64>, %c: memref<1000xf64>) {
  linalg.matvec ins(%a, %b : memref<1000x1024xf64>, memref<1024xf64>) outs(%c : memref<1000xf64>)
  return
}

// products: 3072x1x768
func.func @matvec_bf16(%a: memref<3072x768xbf16>, %b: memref<768xbf16>, %c: memref<3072xf32>) {
  linalg.matvec ins(%a, %b : memref<3072x768xbf16>, memref<768xbf16>) outs(%c : memref<3072xf32>)
  return
}

// products: 3072x1x768
func.func @matvec_i8(%a: memref<3072x768xi8>, %b: memref<768xi8>, %c: memref<3072xi32>) {
  linalg.matvec ins(%a, %b : memref<3072x768xi8>, memref<768xi8>) outs(%c : memref<3072xi32>)
  return
}

// products: 12x128x1x64
func.func @batch_matvec(%a: memref<12x128x64xf32>, %b: memref<12x64xf32>, %c: memref<12x128xf32>) {
  linalg.batch_matvec ins(%a, %b : memref<12x128x64xf32>, memref<12x64xf32>) outs(%c : memref<12x128xf32>)
  return
}

// products: 1x3072x768
func.func @vecmat(%a: memref<768xf32>, %b: memref<768x3072xf32>, %c: memref<3072xf32>) {
  linalg.vecmat ins(%a, %b : memref<768xf32>, memref<768x3072xf32>) outs(%c : memref<3072xf32>)
  return
}

// products: 1x1000x2048
// sizes: 2048 2048x1000 1000
func.func @vecmat_dynamic(%a: memref<?xf32>, %b: memref<?x?xf32>, %c: memref<?xf32>) {
  linalg.vecmat ins(%a, %b : memref<?xf32>, memref<?x?xf32>) outs(%c : memref<?xf32>)
  return
}

// products: 1x3072x768
func.func @vecmat_i8(%a: memref<768xi8>, %b: memref<768x3072xi8>, %c: memref<3072xi32>) {
  linalg.vecmat ins(%a, %b : memref<768xi8>, memref<768x3072xi8>) outs(%c : memref<3072xi32>)
  return
}

// products: 12x1x128x64
func.func @batch_vecmat(%a: memref<12x64xf32>, %b: memref<12x64x128xf32>, %c: memref<12x128xf32>) {
  linalg.batch_vecmat ins(%a, %b : memref<12x64xf32>, memref<12x64x128xf32>) outs(%c : memref<12x128xf32>)
  return
}

// products: 1x1x65536
func.func @dot(%a: memref<65536xf32>, %b: memref<65536xf32>, %c: memref<f32>) {
  linalg.dot ins(%a, %b : memref<65536xf32>, memref<65536xf32>) outs(%c : memref<f32>)
  return
}
