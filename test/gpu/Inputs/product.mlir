func.func @product(%A: memref<1000x1000xf64>, %B: memref<1000x1000xf64>, %C: memref<1000x1000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      affine.for %k = 0 to 1000 {
        %a = affine.load %A[%i, %k] : memref<1000x1000xf64>
        %b = affine.load %B[%k, %j] : memref<1000x1000xf64>
        %c = affine.load %C[%i, %j] : memref<1000x1000xf64>
        %ab = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %ab : f64
        affine.store %sum, %C[%i, %j] : memref<1000x1000xf64>
      }
    }
  }
  return
}
