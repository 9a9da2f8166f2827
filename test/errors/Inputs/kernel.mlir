func.func @product(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %c: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %0 = affine.load %a[%i, %k] : memref<64x64xf64>
        %1 = affine.load %b[%k, %j] : memref<64x64xf64>
        %2 = affine.load %c[%i, %j] : memref<64x64xf64>
        %3 = arith.mulf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        affine.store %4, %c[%i, %j] : memref<64x64xf64>
      }
    }
  }
  return
}
