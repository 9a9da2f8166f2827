// Globals that loops hold in registers, with the blocks that are chosen for them.
// RUN: %equal --with="profitability=on parallel=false" --with="profitability=on parallel=true" %s

// A global under two names: its elements cannot be held under one of them while the other one writes.
memref.global "private" @sums : memref<100xf32> = dense<1.0>
// shape A: 200
// shape B: 100
// EXPECT: tiled found
func.func @global_under_two_names(%A: memref<?xf32>, %B: memref<?xf32>) {
  %read = memref.get_global @sums : memref<100xf32>
  %written = memref.get_global @sums : memref<100xf32>
  affine.for %i = 0 to 100 {
    affine.for %k = 0 to 200 {
      %a = affine.load %A[%k] : memref<?xf32>
      %s = affine.load %read[%i] : memref<100xf32>
      %t = arith.addf %a, %s : f32
      affine.store %t, %written[%i] : memref<100xf32>
    }
  }
  affine.for %i = 0 to 100 {
    %s = affine.load %read[%i] : memref<100xf32>
    affine.store %s, %B[%i] : memref<?xf32>
  }
  return
}
