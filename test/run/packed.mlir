// What tiles read, in buffers of their own: their layouts, their edges, and what is computed once for each element.
// RUN: %equal --with="parallel=true machine=%S/../emit/Inputs/wide.txt" --with="parallel=false machine=%S/../emit/Inputs/wide.txt pack-tiles=all" --with="parallel=true tile-sizes=3,4,5 pack-tiles=all" --with="parallel=false scheduler=none tile-sizes=4,2,3 pack-tiles=all" --with="parallel=true post-tile=false scheduler=ppcg tile-sizes=8,16,16 pack-tiles=all" --sizes=1,2,3 --sizes=33,40,70 --sizes=64,64,64 --sizes=70,65,31 %s

// Columns of B in vectors along j.
// shape A: n, k
// shape B: m, k
// shape C: n, m
// EXPECT: packed
func.func @second_transposed(%n: index, %m: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%j, %l] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Both operands are of one array, and of a triangle; each element of the column is multiplied once.
// shape A: n, k
// shape C: n, n
// EXPECT: packed
func.func @triangle(%n: index, %k: index, %alpha: f64, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %l = 0 to %k {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %A[%j, %l] : memref<?x?xf64>
        %x = arith.mulf %b, %alpha : f64
        %p = arith.mulf %a, %x : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Single precision: squares of 16 rows.
// shape A: n, k
// shape B: m, k
// shape C: n, m
// EXPECT: packed
func.func @single(%n: index, %m: index, %k: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf32>
        %b = affine.load %B[%j, %l] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// Whole numbers, and two arrays that are read across rows; a division stays where it is.
// shape A: n, k
// shape B: m, k
// shape D: m, k
// shape C: n, m
// EXPECT: packed
func.func @integers(%n: index, %m: index, %k: index, %d: i32, %A: memref<?x?xi32>, %B: memref<?x?xi32>, %D: memref<?x?xi32>, %C: memref<?x?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xi32>
        %b = affine.load %B[%j, %l] : memref<?x?xi32>
        %e = affine.load %D[%j, %l] : memref<?x?xi32>
        %x = arith.xori %b, %d : i32
        %p = arith.muli %a, %x : i32
        %q = arith.addi %p, %e : i32
        %c = affine.load %C[%i, %j] : memref<?x?xi32>
        %s = arith.addi %c, %q : i32
        affine.store %s, %C[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

// Neighbours in one tile, and what is written in the same nest is left where it is.
// shape A: n + 2, m + 2
// shape C: n, m
func.func @neighbours(%n: index, %m: index, %A: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %A[%i + 1, %j + 2] : memref<?x?xf64>
      %p = arith.addf %a, %b : f64
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %s = arith.addf %c, %p : f64
      affine.store %s, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Iterations two apart, and three dimensions.
// shape A: m, 2 * k, n
// shape C: n, m
func.func @strided(%n: index, %m: index, %k: index, %A: memref<?x?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%j, 2 * %l, %i] : memref<?x?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %a : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Truth values: a vector of them has bits where memory has bytes.
// shape A: n, k
// shape B: m, k
// shape D: k, m
// shape C: n, m
func.func @bits(%n: index, %m: index, %k: index, %u: f32, %A: memref<?x?xf32>, %B: memref<?x?xi1>, %D: memref<?x?xi1>, %C: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf32>
        %b = affine.load %B[%j, %l] : memref<?x?xi1>
        %d = affine.load %D[%l, %j] : memref<?x?xi1>
        %e = arith.xori %b, %d : i1
        %x = arith.select %e, %u, %a : f32
        %p = arith.mulf %a, %x : f32
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// One tile: no loop over tiles is left, nor anything around the blocks.
// EXPECT: found
func.func @one_tile(%A: memref<30x30xf64>, %B: memref<30x30xf64>, %C: memref<30x30xf64>) {
  affine.for %i = 0 to 30 {
    affine.for %j = 0 to 30 {
      affine.for %l = 0 to 30 {
        %a = affine.load %A[%i, %l] : memref<30x30xf64>
        %b = affine.load %B[%j, %l] : memref<30x30xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<30x30xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<30x30xf64>
      }
    }
  }
  return
}

// One element.
func.func @one_element(%A: memref<1x1xf64>, %C: memref<1x1xf64>) {
  affine.for %i = 0 to 1 {
    affine.for %j = 0 to 1 {
      %a = affine.load %A[%j, %i] : memref<1x1xf64>
      %c = affine.load %C[%i, %j] : memref<1x1xf64>
      %s = arith.addf %c, %a : f64
      affine.store %s, %C[%i, %j] : memref<1x1xf64>
    }
  }
  return
}
