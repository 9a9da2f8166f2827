// Functions whose reductions have partial results while they run compute the same, where the order of the operation does not
// count.

// RUN: %equal --sizes=7,5 --sizes=4,9 --sizes=1,1 --sizes=0,3 --sizes=3,0 --sizes=40,37 --with="parallel=true tile-sizes=3,4,5" --with="parallel=false tile-sizes=4,2,3" --with="parallel=true scheduler=none tile-sizes=2,3" --with="parallel=true tile=false" --with="parallel=true scheduler=ppcg tile-sizes=4,3 pack-tiles=all" --with="parallel=false machine=%S/../emit/Inputs/wide.txt" %s
// RUN: %mlir-opt --poly-schedule="profitability=off read-back=true parallel=true tile-sizes=3,4" %s 2>&1 >/dev/null | FileCheck %s --check-prefix=BACK
// BACK-COUNT-12: layout=1 {{.*}}read-back=1

// The search finds them, where it takes what is possible.
// RUN: sed 's/attributes {polyrs.layout = ".*"} {/{/' %s > %t.mlir
// RUN: %equal --sizes=7,5 --sizes=4,9 --sizes=0,3 --sizes=40,37 --with="parallel=true layout=any tile-sizes=3,4" --with="parallel=true layout=any machine=generic read-back=true" --with="parallel=true layout=any reorder-reductions=true tile=false" %t.mlir
// RUN: %mlir-opt --poly-schedule="layout=any profitability=off parallel=true machine=generic" %t.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=AUTO
// AUTO-COUNT-4: reduce(

// Each partial result is a sum of rows.
// shape A: n, m
// shape S: m
// EXPECT: found parallel
func.func @columns(%A: memref<?x?xi32>, %S: memref<?xi32>, %n: index, %m: index)
    attributes {polyrs.layout = "reduce(arg1, 4)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %s = affine.load %S[%j] : memref<?xi32>
      %t = arith.addi %s, %a overflow<nsw> : i32
      affine.store %t, %S[%j] : memref<?xi32>
    }
  }
  return
}

// Figure 11: all of the product is gathered, behind what comes first in the same loops.
// shape A: n, m
// shape B: m, n
// shape C: n, n
// EXPECT: found parallel
func.func @product(%A: memref<?x?xi64>, %B: memref<?x?xi64>, %C: memref<?x?xi64>, %n: index, %m: index)
    attributes {polyrs.layout = "reduce(arg2, 3) map(in: arg0(i, k) -> (k, i))"} {
  %two = arith.constant 2 : i64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %c = affine.load %C[%i, %j] : memref<?x?xi64>
      %d = arith.muli %c, %two : i64
      affine.store %d, %C[%i, %j] : memref<?x?xi64>
      affine.for %k = 0 to %m {
        %a = affine.load %A[%i, %k] : memref<?x?xi64>
        %b = affine.load %B[%k, %j] : memref<?x?xi64>
        %p = arith.muli %a, %b : i64
        %o = affine.load %C[%i, %j] : memref<?x?xi64>
        %r = arith.addi %o, %p : i64
        affine.store %r, %C[%i, %j] : memref<?x?xi64>
      }
    }
  }
  return
}

// A loop around uses what was gathered, and begins anew.
// shape A: n, m
// shape S: n
// shape T: m
// EXPECT: found
func.func @rows(%A: memref<?x?xi32>, %S: memref<?xi32>, %T: memref<?xi32>, %n: index, %m: index)
    attributes {polyrs.layout = "reduce(arg2, 2, block 3)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %m {
        %a = affine.load %A[%i, %k] : memref<?x?xi32>
        %t = affine.load %T[%j] : memref<?xi32>
        %r = arith.xori %t, %a : i32
        affine.store %r, %T[%j] : memref<?xi32>
      }
    }
    affine.for %j = 0 to %m {
      %t = affine.load %T[%j] : memref<?xi32>
      %s = affine.load %S[%i] : memref<?xi32>
      %u = arith.muli %s, %t : i32
      affine.store %u, %S[%i] : memref<?xi32>
      affine.store %u, %T[%j] : memref<?xi32>
    }
  }
  return
}

// Blocks that do not divide the loop, which goes by fours and begins below zero.
// shape A: n + 5
// shape S: 1
// EXPECT: found parallel
func.func @blocks(%A: memref<?xi32>, %S: memref<?xi32>, %n: index)
    attributes {polyrs.layout = "reduce(arg1, 5, block 4)"} {
  affine.for %i = -5 to %n step 4 {
    %a = affine.load %A[%i + 5] : memref<?xi32>
    %s = affine.load %S[0] : memref<?xi32>
    %t = arith.maxsi %s, %a : i32
    affine.store %t, %S[0] : memref<?xi32>
  }
  return
}

// A triangle; the inner loop is shared out.
// shape A: n, n
// shape S: n
// EXPECT: found
func.func @triangle(%A: memref<?x?xi32>, %S: memref<?xi32>, %n: index)
    attributes {polyrs.layout = "reduce(arg1, 3, loop 2)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %s = affine.load %S[%i] : memref<?xi32>
      %t = arith.minui %s, %a : i32
      affine.store %t, %S[%i] : memref<?xi32>
    }
  }
  return
}

// A loop carries the sum.
// shape A: n
// shape S: 1
// EXPECT: found
func.func @carried(%A: memref<?xi64>, %S: memref<?xi64>, %n: index)
    attributes {polyrs.layout = "reduce(acc0, 4, block 2)"} {
  %zero = arith.constant 0 : i64
  %t = affine.for %i = 0 to %n iter_args(%s = %zero) -> i64 {
    %a = affine.load %A[%i] : memref<?xi64>
    %u = arith.addi %s, %a : i64
    affine.yield %u : i64
  }
  %o = arith.muli %t, %t : i64
  affine.store %o, %S[0] : memref<?xi64>
  return
}

// Least and greatest numbers are the same in any order.
// shape A: n, m
// shape S: m
// EXPECT: found parallel
func.func @greatest(%A: memref<?x?xf64>, %S: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "reduce(arg1, 4)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = affine.load %S[%j] : memref<?xf64>
      %t = arith.maximumf %s, %a fastmath<reassoc> : f64
      affine.store %t, %S[%j] : memref<?xf64>
    }
  }
  return
}

// Several in one region, each with sums of its own, and one array expanded besides.
// shape A: n, m
// shape S: m
// shape T: n
// EXPECT: found
func.func @several(%A: memref<?x?xi32>, %S: memref<?xi32>, %T: memref<?xi32>, %n: index, %m: index)
    attributes {polyrs.layout = "reduce(arg1, 4) reduce(arg2, 2, block 2)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %s = affine.load %S[%j] : memref<?xi32>
      %t = arith.addi %s, %a : i32
      affine.store %t, %S[%j] : memref<?xi32>
      %v = affine.load %T[%i] : memref<?xi32>
      %w = arith.ori %v, %a : i32
      affine.store %w, %T[%i] : memref<?xi32>
    }
  }
  return
}

// Two statements gather in one array, at different places.
// shape A: n, m
// shape S: m
// EXPECT: found
func.func @twice(%A: memref<?x?xi32>, %S: memref<?xi32>, %n: index, %m: index)
    attributes {polyrs.layout = "reduce(arg1, 3)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %s = affine.load %S[%j] : memref<?xi32>
      %t = arith.addi %s, %a : i32
      affine.store %t, %S[%j] : memref<?xi32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %s = affine.load %S[%j] : memref<?xi32>
      %t = arith.muli %s, %a : i32
      affine.store %t, %S[%j] : memref<?xi32>
    }
  }
  return
}

// The sum is of values that have a place for each iteration: that of the iteration, whatever it became.
// shape A: n
// shape S: 1
// EXPECT: found
func.func @of_expanded(%A: memref<?xi32>, %S: memref<?xi32>, %n: index)
    attributes {polyrs.layout = "expand(buffer0, 1) reduce(arg1, 2)"} {
  %T = memref.alloc() : memref<i32>
  affine.for %j = 0 to %n {
    %a0 = affine.load %A[%j] : memref<?xi32>
    affine.store %a0, %T[] : memref<i32>
    %a = affine.load %T[] : memref<i32>
    %s = affine.load %S[0] : memref<?xi32>
    %b = arith.addi %a, %s : i32
    affine.store %b, %S[0] : memref<?xi32>
  }
  memref.dealloc %T : memref<i32>
  return
}

// Sums of sums, of which one that a loop carries is private to threads.
// shape A: n, n
// shape S: n
// EXPECT: found
func.func @of_carried(%A: memref<?x?xi32>, %S: memref<?xi32>, %n: index)
    attributes {polyrs.layout = "reduce(acc0, 4, block 2)"} {
  %z = arith.constant 5 : i32
  affine.for %i = 0 to %n {
    %w = affine.for %j = 0 to %n iter_args(%y = %z) -> (i32) {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %u = arith.addi %y, %a : i32
      affine.yield %u : i32
    }
    %s = affine.load %S[%i] : memref<?xi32>
    %p = arith.muli %w, %s : i32
    affine.store %p, %S[%i] : memref<?xi32>
  }
  return
}

// What is gathered is gathered again; each has results of its own.
// shape A: n, m
// shape S: 1
// EXPECT: found
func.func @again(%A: memref<?x?xi32>, %S: memref<?xi32>, %n: index, %m: index)
    attributes {polyrs.layout = "reduce(arg0, 4, block 2) reduce(arg1, 2)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %m {
        %o = affine.load %S[0] : memref<?xi32>
        %a = affine.load %A[%i, %j] : memref<?x?xi32>
        %t = arith.addi %a, %o : i32
        affine.store %t, %A[%i, %j] : memref<?x?xi32>
      }
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %s = affine.load %S[0] : memref<?xi32>
      %t = arith.muli %s, %a : i32
      affine.store %t, %S[0] : memref<?xi32>
    }
  }
  return
}
