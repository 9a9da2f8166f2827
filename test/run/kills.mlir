// A buffer of the function that begins a new life between the statements of a block.
// RUN: %equal --sizes=7,5 --sizes=9,12 --sizes=1,2 --sizes=0,3 --with="cluster=basic-block parallel=true tile-sizes=3,4" --with="cluster=basic-block parallel=false tile=false" --with="cluster=basic-block parallel=false tile=false check=false" --with="granularity=block parallel=true tile-sizes=3,4" --with="granularity=block parallel=false scheduler=ppcg read-back=true" --with="granularity=op cluster=basic-block parallel=true tile-sizes=3" %s

// EXPECT: found
// shape A: n
// shape B: n
// shape D: m, n
func.func @between(%n: index, %m: index, %A: memref<?xf32>, %B: memref<?xf32>, %D: memref<?x?xf32>) {
  %x = arith.constant 3.0 : f32
  affine.for %i = 0 to %n {
    affine.store %x, %B[%i] : memref<?xf32>
    %T = memref.alloca() : memref<2xf32>
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %T[0] : memref<2xf32>
    affine.store %x, %T[1] : memref<2xf32>
    affine.for %j = 0 to %m {
      %0 = affine.load %T[0] : memref<2xf32>
      %1 = affine.load %T[1] : memref<2xf32>
      %2 = arith.mulf %0, %1 : f32
      affine.store %2, %D[%j, %i] : memref<?x?xf32>
    }
  }
  return
}
