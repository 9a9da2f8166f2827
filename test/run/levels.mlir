// Tiles of tiles, of perfect and imperfect nests, and wavefronts of several degrees, across tiles and across points.
// RUN: %equal --with="parallel=true scheduler=pluto tile-sizes=6,4/3,2 wavefront=2" \
// RUN:   --with="parallel=true scheduler=ppcg tile-sizes=7/3,5,2/2 read-back=true" \
// RUN:   --with="parallel=false scheduler=isl tile-sizes=8,4/2" \
// RUN:   --with="parallel=true scheduler=pluto tile=false wavefront=2" --sizes=5,13 --sizes=9,4 --sizes=0,5 %s

// shape A: n + 2, n + 2
// EXPECT: parallel
func.func @gauss_seidel(%t: index, %n: index, %A: memref<?x?xf64>) {
  %nine = arith.constant 9.0 : f64
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
        %a = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %c = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %d = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %x1 = arith.addf %a, %b : f64
        %x2 = arith.addf %x1, %c : f64
        %x3 = arith.addf %x2, %d : f64
        %x4 = arith.divf %x3, %nine : f64
        affine.store %x4, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// The Pluto paper's Figure 3: two statements of a time loop, each in a loop of its own.
// shape A: n + 3
// shape B: n + 3
// EXPECT: parallel
func.func @jacobi(%t: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %three = arith.constant 3.0 : f64
  affine.for %s = 0 to %t {
    affine.for %i = 2 to affine_map<()[s0] -> (s0 + 2)>()[%n] {
      %a = affine.load %A[%i - 1] : memref<?xf64>
      %b = affine.load %A[%i] : memref<?xf64>
      %c = affine.load %A[%i + 1] : memref<?xf64>
      %x1 = arith.addf %a, %b : f64
      %x2 = arith.addf %x1, %c : f64
      %x3 = arith.divf %x2, %three : f64
      affine.store %x3, %B[%i] : memref<?xf64>
    }
    affine.for %j = 2 to affine_map<()[s0] -> (s0 + 2)>()[%n] {
      %b = affine.load %B[%j] : memref<?xf64>
      affine.store %b, %A[%j] : memref<?xf64>
    }
  }
  return
}

// shape A: n, t
// shape B: t, n
// shape C: n, n
// EXPECT: tiled
func.func @product(%t: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %zero, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %t {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
