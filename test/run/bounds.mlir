// Bounds: minima and maxima, symbols in any order, sizes of memrefs, divisions.
// RUN: %equal %s --sizes=13,9 --sizes=5,8 --sizes=1,3 --sizes=0,2 --sizes=3,0

// shape A: n + m
func.func @min_max(%n: index, %m: index, %A: memref<?xi64>) {
  %c3 = arith.constant 3 : i64
  affine.for %i = max affine_map<()[s0, s1] -> (s0 - 4, 0, s1 - 6)>()[%n, %m]
          to min affine_map<()[s0, s1] -> (s0, s1 + 2, s0 + s1)>()[%n, %m] {
    affine.for %j = max affine_map<(d0)[s0] -> (d0 - 3, 0)>(%i)[%n] to min affine_map<(d0)[s0] -> (d0 + 3, s0)>(%i)[%n] {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = affine.load %A[%j] : memref<?xi64>
      %c = arith.muli %a, %c3 : i64
      %d = arith.subi %c, %b : i64
      affine.store %d, %A[%i] : memref<?xi64>
    }
  }
  return
}

// The symbols of one map in another order than those of the other, and one twice.
// shape A: n + 2 * m + 1
func.func @symbol_order(%n: index, %m: index, %A: memref<?xi64>) {
  affine.for %i = affine_map<()[s0, s1] -> (s0 - s1 + 20)>()[%n, %n] to affine_map<()[s1, s0] -> (s0 + 2 * s1 + 20)>()[%m, %n] {
    affine.for %j = 0 to affine_map<()[s0, s1, s2] -> (s2)>()[%m, %n, %m] {
      %a = affine.load %A[%j + symbol(%n) - symbol(%n)] : memref<?xi64>
      %b = affine.load %A[%i - 20] : memref<?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i - 20] : memref<?xi64>
    }
  }
  return
}

// A dimension operand that is a size, a symbol operand that is one too.
// shape A: n + 1, m + 1
func.func @dimension_or_symbol(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to affine_map<(d0) -> (d0)>(%n) {
    affine.for %j = 0 to affine_map<(d0)[s0] -> (d0 - s0 + s0)>(%m)[%n] {
      %a = affine.load %A[symbol(%n) - %i, symbol(%m) - %j] : memref<?x?xi64>
      %b = affine.load %A[%i, %j] : memref<?x?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// shape A: n, m
// shape B: m
// EXPECT: tiled
func.func @dim(%n: index, %m: index, %A: memref<?x?xi64>, %B: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = memref.dim %A, %c0 : memref<?x?xi64>
  %d1 = memref.dim %A, %c1 : memref<?x?xi64>
  affine.for %i = 0 to %d0 {
    affine.for %j = 0 to %d1 {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = affine.load %B[%j] : memref<?xi64>
      %c = arith.addi %b, %b : i64
      %d = arith.subi %a, %c : i64
      affine.store %d, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// The size is asked for inside of the loops.
// shape A: n, m
func.func @dim_inside(%n: index, %m: index, %A: memref<?x?xi64>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to %m {
    %d0 = memref.dim %A, %c0 : memref<?x?xi64>
    affine.for %j = 0 to %d0 {
      %a = affine.load %A[%j, %i] : memref<?x?xi64>
      %k = arith.index_cast %d0 : index to i64
      %c = arith.muli %a, %k : i64
      affine.store %c, %A[%j, %i] : memref<?x?xi64>
    }
  }
  return
}

// A bound made by affine.apply, affine.min and arith.
// shape A: 2 * n + 9
func.func @applied(%n: index, %m: index, %A: memref<?xi64>) {
  %c2 = arith.constant 2 : index
  %double = arith.muli %n, %c2 : index
  %more = affine.apply affine_map<()[s0] -> (s0 + 3)>()[%double]
  %less = affine.min affine_map<()[s0, s1] -> (s0 + 6, 2 * s1 + 7)>()[%m, %n]
  affine.for %i = 0 to %more {
    %next = affine.apply affine_map<(d0) -> (d0 + 2)>(%i)
    %a = affine.load %A[%i] : memref<?xi64>
    %b = affine.load %A[%next] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i + 1] : memref<?xi64>
  }
  affine.for %i = 0 to %less {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %A[%i] : memref<?xi64>
  }
  return
}

// A bound that depends on an outer counter through affine.apply.
// shape A: n + 3, n + 3
func.func @applied_inside(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    %end = affine.apply affine_map<(d0) -> (d0 + 3)>(%i)
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0)>(%end) {
      %a = affine.load %A[%i, %j] : memref<?x?xi64>
      %b = affine.load %A[%j, %i] : memref<?x?xi64>
      %c = arith.subi %b, %a : i64
      affine.store %c, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// A bound that is read from memory while the loops run.
// shape A: 8, n
// shape B: n + 1
func.func @from_memory(%n: index, %A: memref<?x?xi64>, %B: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %end = affine.load %B[%i] : memref<?xindex>
    scf.for %j = %c0 to %end step %c1 {
      %a = memref.load %A[%j, %i] : memref<?x?xi64>
      %j1 = arith.addi %j, %c1 : index
      %b = memref.load %A[%j1, %i] : memref<?x?xi64>
      %c = arith.subi %b, %a : i64
      memref.store %c, %A[%j, %i] : memref<?x?xi64>
    }
    affine.store %end, %B[%i + 1] : memref<?xindex>
  }
  return
}
