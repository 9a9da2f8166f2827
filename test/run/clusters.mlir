// RUN: %equal --sizes=7,5 --sizes=9,12 --sizes=1,2 --sizes=0,3 --with="cluster=basic-block parallel=true tile-sizes=3,4" --with="granularity=block parallel=true tile-sizes=3,4" --with="granularity=block parallel=false scheduler=ppcg read-back=true" --with="granularity=op cluster=basic-block parallel=true tile-sizes=3,4" --with="granularity=op cluster=basic-block parallel=false tile-sizes=2" --with="granularity=op cluster=scc parallel=true tile-sizes=5" --with="granularity=op cluster=chains parallel=true scheduler=ppcg tile-sizes=4,3" --with="granularity=op cluster=auto parallel=true tile-sizes=2,3 read-back=true" --with="granularity=op cluster=none parallel=true tile-sizes=3" %s

// Statements of a block through scalars: what they hand on is each thread's own.
// EXPECT: tiled parallel
// shape A: n, m
// shape B: n, m
// shape C: n, m
// shape D: n, m
func.func @temporaries(%n: index, %m: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %1 = arith.mulf %a, %b : f64
      affine.store %1, %C[%i, %j] : memref<?x?xf64>
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %2 = arith.mulf %a, %c : f64
      %3 = arith.addf %2, %1 : f64
      affine.store %3, %D[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A statement that reads what another one of its block wrote in an iteration before.
// EXPECT: found
// shape A: n, m
// shape B: n, m
// shape D: n, m
func.func @distributed(%n: index, %m: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>, %D: memref<?x?xi32>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %m {
      %b = affine.load %B[%i, %j] : memref<?x?xi32>
      %1 = arith.addi %b, %b : i32
      affine.store %1, %A[%i, %j] : memref<?x?xi32>
      %a = affine.load %A[%i - 1, %j - 1] : memref<?x?xi32>
      %2 = arith.muli %a, %b : i32
      affine.store %2, %D[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// Two blocks in one loop, with a loop between them; an element that is written twice in an iteration.
// EXPECT: found
// shape A: n, m
// shape x: n
func.func @around(%n: index, %m: index, %A: memref<?x?xi64>, %x: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xi64>
    %1 = arith.muli %0, %0 : i64
    affine.store %1, %x[%i] : memref<?xi64>
    %2 = arith.addi %1, %0 : i64
    affine.store %2, %x[%i] : memref<?xi64>
    affine.for %j = 0 to %m {
      %3 = affine.load %A[%i, %j] : memref<?x?xi64>
      %4 = affine.load %x[%i] : memref<?xi64>
      %5 = arith.muli %3, %4 : i64
      affine.store %5, %A[%i, %j] : memref<?x?xi64>
      %6 = arith.addi %5, %4 : i64
      affine.store %6, %A[%i, %j] : memref<?x?xi64>
    }
    %7 = affine.load %x[%i] : memref<?xi64>
    %8 = arith.addi %7, %2 : i64
    affine.store %8, %x[%i] : memref<?xi64>
    %9 = arith.muli %8, %7 : i64
    affine.store %9, %x[%i] : memref<?xi64>
  }
  return
}

// Elements that are the same for some iterations and sizes only, and a value loaded before one of them is written.
// EXPECT: found
// shape A: 2 * n + 3, n
// shape B: n + 1, n
func.func @meeting(%n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      %old = affine.load %A[%n - %i, %j] : memref<?x?xi64>
      %b = affine.load %B[%i, %j] : memref<?x?xi64>
      affine.store %b, %A[%i, %j] : memref<?x?xi64>
      %m = arith.muli %old, %b : i64
      affine.store %m, %A[%n - %i, %j] : memref<?x?xi64>
      %new = affine.load %A[%i + 1, %j] : memref<?x?xi64>
      %k = arith.subi %new, %old : i64
      affine.store %k, %B[%i, %j] : memref<?x?xi64>
      affine.store %old, %B[%i + 1, %j] : memref<?x?xi64>
    }
  }
  return
}

// A store under a condition on data, then reads of its element and of its neighbour, and of what a later one writes.
// EXPECT: found
// shape A: n + 8, n
// shape B: n + 8, n
func.func @maybe(%n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  %z = arith.constant 7 : i32
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %c = arith.cmpi slt, %a, %z : i32
      scf.if %c {
        affine.store %z, %B[%i, %j] : memref<?x?xi32>
      }
      %b = affine.load %B[%i, %j] : memref<?x?xi32>
      %d = affine.load %B[%i + 1, %j] : memref<?x?xi32>
      %s = arith.addi %b, %d : i32
      affine.store %s, %A[%i + 1, %j] : memref<?x?xi32>
      %e = affine.load %B[%i + 6, %j] : memref<?x?xi32>
      affine.store %e, %B[%i + 7, %j] : memref<?x?xi32>
    }
  }
  return
}

// A vector over four elements, of which scalars access some, in the same iteration and in later ones.
// EXPECT: found
// shape A: n, n + 8
// shape B: n, n + 8
func.func @vectors(%n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      %v = affine.vector_load %A[%i, %j + 4] : memref<?x?xi32>, vector<4xi32>
      %w = arith.addi %v, %v : vector<4xi32>
      affine.vector_store %w, %B[%i, %j + 3] : memref<?x?xi32>, vector<4xi32>
      %e = affine.load %B[%i, %j + 6] : memref<?x?xi32>
      affine.store %e, %B[%i, %j + 7] : memref<?x?xi32>
      %f = affine.load %B[%i, %j + 2] : memref<?x?xi32>
      affine.store %f, %A[%i, %j + 3] : memref<?x?xi32>
    }
  }
  return
}
