// Memrefs of rank 0, element types, and subscripts of several kinds.
// RUN: %equal %s

// shape A: n
func.func @rank_0(%n: index, %A: memref<?xi64>, %s: memref<i64>) {
  %c3 = arith.constant 3 : i64
  affine.store %c3, %s[] : memref<i64>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = affine.load %s[] : memref<i64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %s[] : memref<i64>
    affine.store %b, %A[%i] : memref<?xi64>
  }
  return
}

// A scalar in memory that each iteration writes before it reads it.
// shape A: n, n
// shape B: n, n
// EXPECT: tiled
func.func @temporary(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %s = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %s[] : memref<f64>
      %c = affine.load %s[] : memref<f64>
      %d = affine.load %B[%j, %i] : memref<?x?xf64>
      %e = arith.subf %c, %d : f64
      affine.store %e, %B[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

// The same, but the scalar is read after the loops, and before.
// shape A: n, n
func.func @temporary_live(%n: index, %A: memref<?x?xf64>, %s: memref<f64>, %first: memref<f64>) {
  %x = affine.load %s[] : memref<f64>
  affine.store %x, %first[] : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %s[] : memref<f64>
      %c = affine.load %s[] : memref<f64>
      %e = arith.addf %c, %a : f64
      affine.store %e, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// shape A: n
// shape B: n
// shape C: n
// shape D: n
// shape E: n
func.func @types(%n: index, %A: memref<?xi8>, %B: memref<?xi16>, %C: memref<?xi32>, %D: memref<?xf32>, %E: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi8>
    %b = affine.load %B[%i] : memref<?xi16>
    %c = affine.load %C[%i] : memref<?xi32>
    %d = affine.load %D[%i] : memref<?xf32>
    %e = affine.load %E[%i] : memref<?xindex>
    %a16 = arith.extsi %a : i8 to i16
    %a2 = arith.muli %a16, %b : i16
    %b32 = arith.extsi %a2 : i16 to i32
    %c2 = arith.addi %b32, %c : i32
    %c2f = arith.sitofp %c2 : i32 to f32
    %d2 = arith.divf %d, %c2f : f32
    %e32 = arith.index_cast %e : index to i32
    %c3 = arith.muli %c2, %e32 : i32
    %a3 = arith.trunci %c3 : i32 to i8
    affine.store %a3, %A[%i] : memref<?xi8>
    affine.store %a2, %B[%i] : memref<?xi16>
    affine.store %c3, %C[%i] : memref<?xi32>
    affine.store %d2, %D[%i] : memref<?xf32>
    affine.store %i, %E[%i] : memref<?xindex>
  }
  return
}

// shape A: n, m
// shape B: n
func.func @flags(%n: index, %m: index, %A: memref<?x?xi1>, %B: memref<?xi1>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xi1>
      %b = affine.load %B[%i] : memref<?xi1>
      %c = arith.xori %a, %b : i1
      affine.store %c, %B[%i] : memref<?xi1>
    }
  }
  return
}

// memref.load and memref.store whose subscripts are computed, but affine.
// shape A: 2 * n + m + 3
func.func @computed(%n: index, %m: index, %A: memref<?xi64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %i2 = arith.muli %i, %c2 : index
      %p = arith.addi %i2, %j : index
      %q = arith.addi %p, %c1 : index
      %r = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
      %a = memref.load %A[%p] : memref<?xi64>
      %b = memref.load %A[%r] : memref<?xi64>
      %c = arith.subi %a, %b : i64
      memref.store %c, %A[%q] : memref<?xi64>
    }
  }
  return
}

// A subscript that is a product of two counters.
// shape A: n * m + 1
func.func @product(%n: index, %m: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %p = arith.muli %i, %j : index
      %a = memref.load %A[%p] : memref<?xi64>
      %b = arith.addi %a, %a : i64
      %c = affine.load %A[%i] : memref<?xi64>
      %d = arith.subi %b, %c : i64
      affine.store %d, %A[%j] : memref<?xi64>
    }
  }
  return
}

// A row-major subscript with a symbolic width.
// shape A: n * m
func.func @linearised(%n: index, %m: index, %A: memref<?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %p = arith.muli %i, %m : index
      %q = arith.addi %p, %j : index
      %a = memref.load %A[%q] : memref<?xi64>
      %b = arith.addi %a, %a : i64
      memref.store %b, %A[%q] : memref<?xi64>
    }
  }
  return
}

// A histogram: the subscript is data.
// shape A: n
// shape H: 4
// shape B: n
func.func @histogram(%n: index, %A: memref<?xindex>, %H: memref<?xi64>, %B: memref<?xi64>) {
  %c2 = arith.constant 2 : i64
  affine.for %i = 0 to %n {
    %k = affine.load %A[%i] : memref<?xindex>
    %h = memref.load %H[%k] : memref<?xi64>
    %g = arith.muli %h, %c2 : i64
    %b = affine.load %B[%i] : memref<?xi64>
    %f = arith.addi %g, %b : i64
    memref.store %f, %H[%k] : memref<?xi64>
    affine.store %g, %B[%i] : memref<?xi64>
  }
  return
}

// The subscript is in the array that is written.
// shape A: n + 4
func.func @chase(%n: index, %A: memref<?xindex>) {
  affine.for %i = 0 to %n {
    %k = affine.load %A[%i] : memref<?xindex>
    %l = memref.load %A[%k] : memref<?xindex>
    memref.store %k, %A[%l] : memref<?xindex>
    affine.store %l, %A[%i + 1] : memref<?xindex>
  }
  return
}

// Negative coefficients, and both counters in both subscripts.
// shape A: n + m, 2 * n + m
func.func @skewed(%n: index, %m: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i + %j, 2 * %i - %j + symbol(%m)] : memref<?x?xi64>
      %b = affine.load %A[-%i + symbol(%n), -%j + symbol(%m)] : memref<?x?xi64>
      %c = arith.subi %b, %a : i64
      affine.store %c, %A[%i + %j, 2 * %i - %j + symbol(%m)] : memref<?x?xi64>
    }
  }
  return
}

// Counters and sizes used in arithmetic.
// shape A: n, m
// EXPECT: tiled
func.func @arithmetic(%n: index, %m: index, %x: f64, %A: memref<?x?xf64>) {
  %nf = arith.index_cast %n : index to i64
  %nd = arith.sitofp %nf : i64 to f64
  affine.for %i = 0 to %n {
    %i64 = arith.index_cast %i : index to i64
    %id = arith.sitofp %i64 : i64 to f64
    %q = arith.divf %id, %nd : f64
    affine.for %j = 0 to %m {
      %p = arith.muli %j, %m : index
      %s = arith.subi %p, %i : index
      %s64 = arith.index_cast %s : index to i64
      %sd = arith.sitofp %s64 : i64 to f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.mulf %a, %q : f64
      %c = arith.mulf %sd, %x : f64
      %d = arith.addf %b, %c : f64
      affine.store %d, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
