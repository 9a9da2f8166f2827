// Regions inside of other control flow, several in one function, none at all.
// RUN: %equal --sizes=13 --sizes=8 --sizes=5 --sizes=6 %s

func.func private @bench_value_i64(i64)

// EXPECT: unchanged
func.func @empty() {
  return
}

// EXPECT: unchanged
func.func @no_loop(%n: index, %x: i64) -> i64 {
  %a = arith.index_cast %n : index to i64
  %b = arith.addi %a, %x : i64
  return %b : i64
}

// shape A: n
func.func @empty_loops(%n: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n {
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
    }
  }
  return
}

// A store under no loop.
// shape A: n + 1
func.func @straight_line(%n: index, %A: memref<?xi64>) {
  %a = affine.load %A[symbol(%n)] : memref<?xi64>
  %b = arith.addi %a, %a : i64
  affine.store %b, %A[0] : memref<?xi64>
  return
}

// shape A: n, n
func.func @in_scf_for(%n: index, %A: memref<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %a = affine.load %A[%i, %j] : memref<?x?xi64>
        %b = affine.load %A[%j, %i] : memref<?x?xi64>
        %k = arith.index_cast %t : index to i64
        %c = arith.muli %a, %k : i64
        %d = arith.subi %c, %b : i64
        affine.store %d, %A[%i, %j] : memref<?x?xi64>
      }
    }
  }
  return
}

// shape A: n
func.func @in_scf_if(%n: index, %A: memref<?xi64>) {
  %c7 = arith.constant 7 : index
  %many = arith.cmpi sgt, %n, %c7 : index
  scf.if %many {
    affine.for %i = 1 to %n {
      %a = affine.load %A[%i - 1] : memref<?xi64>
      %b = arith.addi %a, %a : i64
      affine.store %b, %A[%i] : memref<?xi64>
    }
  } else {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = arith.muli %a, %a : i64
      affine.store %b, %A[%i] : memref<?xi64>
    }
  }
  return
}

// shape A: n
func.func @in_while(%n: index, %A: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.while (%t = %c0) : (index) -> index {
    %more = arith.cmpi slt, %t, %n : index
    scf.condition(%more) %t : index
  } do {
  ^bb0(%t: index):
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = affine.load %A[-%i + symbol(%n) - 1] : memref<?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i] : memref<?xi64>
    }
    %next = arith.addi %t, %c1 : index
    scf.yield %next : index
  }
  return
}

// Blocks: a loop nest in each.
// shape A: n
func.func @blocks(%n: index, %A: memref<?xi64>) {
  %c5 = arith.constant 5 : index
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  %many = arith.cmpi sgt, %n, %c5 : index
  cf.cond_br %many, ^bb1, ^bb2(%n : index)
^bb1:
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.muli %a, %a : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  cf.br ^bb2(%c5 : index)
^bb2(%m: index):
  affine.for %i = 0 to %m {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = affine.load %A[0] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i] : memref<?xi64>
  }
  return
}

// A region, something printed that reads what it wrote, a region.
// shape A: n + 1, n
func.func @split(%n: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = arith.addi %a, %a : i64
      affine.store %b, %A[%i + 1, %j] : memref<?x?xi64>
    }
  }
  %c1 = arith.constant 1 : i64
  func.call @bench_value_i64(%c1) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i + 1, %j] : memref<?x?xi64>
      %b = affine.load %A[%i, %j] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// An scf.for inside of affine loops.
// shape A: n, n
func.func @scf_inside(%n: index, %A: memref<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %first = affine.load %A[%i, %i] : memref<?x?xi64>
    %r = scf.for %j = %c0 to %i step %c1 iter_args(%s = %first) -> i64 {
      %a = memref.load %A[%j, %i] : memref<?x?xi64>
      %t = arith.subi %a, %s : i64
      scf.yield %t : i64
    }
    affine.store %r, %A[%i, %i] : memref<?x?xi64>
  }
  return
}

// The loops' counters are used by what is computed between regions.
// shape A: n
func.func @values_between(%n: index, %A: memref<?xi64>) -> i64 {
  %c2 = arith.constant 2 : index
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  %half = arith.divui %n, %c2 : index
  %m = memref.load %A[%half] : memref<?xi64>
  affine.for %i = 0 to %half {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.subi %a, %m : i64
    affine.store %b, %A[%i + symbol(%half)] : memref<?xi64>
  }
  return %m : i64
}
