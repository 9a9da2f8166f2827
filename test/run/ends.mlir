// Blocks of threads at the end of an array, with tiles in shared memory: what exists is held, and points beyond it are computed as well, from
// whatever is there.
// RUN: %equal %s --sizes=17,19 --sizes=9,35 --sizes=16,32 --sizes=1,1 --sizes=0,5 --sizes=33,7 \
// RUN:   --with="target=gpu profitability=off parallel=false cpu-version=false tile-sizes=8,16,16 block-sizes=2,4 then lower-affine poly-kernels-to-loops=threads=backward" \
// RUN:   --with="target=gpu profitability=off parallel=false cpu-version=true tile-sizes=8,18,5 block-sizes=2,3 grid-sizes=2,2 then lower-affine poly-kernels-to-loops=threads=forward"

// Narrow numbers that may wrap, and a choice.
// shape A: n, n
// shape B: n, m
// shape C: n, m
func.func @narrow(%n: index, %m: index, %A: memref<?x?xi8>, %B: memref<?x?xi8>, %C: memref<?x?xi8>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xi8>
        %b = affine.load %B[%k, %j] : memref<?x?xi8>
        %c = affine.load %C[%i, %j] : memref<?x?xi8>
        %less = arith.cmpi slt, %a, %b : i8
        %x = arith.select %less, %a, %c : i8
        %y = arith.muli %x, %b : i8
        %z = arith.xori %y, %c : i8
        affine.store %z, %C[%i, %j] : memref<?x?xi8>
      }
    }
  }
  return
}

// Every other row, from the second, and an end that is the least of two.
// shape A: 2 * n + 2, n
// shape B: n, m
// shape C: 2 * n + 2, m
func.func @strided(%n: index, %m: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to min affine_map<()[s0, s1] -> (s0, s1 + 3)>()[%m, %n] {
      affine.for %k = 0 to %n {
        %a = affine.load %A[2 * %i + 1, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[2 * %i + 1, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %s = arith.addf %c, %ab : f64
        affine.store %s, %C[2 * %i + 1, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Columns that are walked against their order, and a quotient by what tiles hold, which is zero nowhere in the array.
// shape A: n, n
// shape B: n, m
// shape C: n, m
func.func @backward(%n: index, %m: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>, %C: memref<?x?xi64>) {
  %one = arith.constant 1 : i64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, symbol(%n) - 1 - %k] : memref<?x?xi64>
        %b = affine.load %B[symbol(%n) - 1 - %k, %j] : memref<?x?xi64>
        %c = affine.load %C[symbol(%n) - 1 - %i, symbol(%m) - 1 - %j] : memref<?x?xi64>
        %odd = arith.ori %b, %one : i64
        %q = arith.divsi %a, %odd : i64
        %s = arith.addi %c, %q : i64
        affine.store %s, %C[symbol(%n) - 1 - %i, symbol(%m) - 1 - %j] : memref<?x?xi64>
      }
    }
  }
  return
}
