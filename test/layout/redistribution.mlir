// Functions whose arrays have several layouts, one after the other, compute the same, also in parallel.

// RUN: %equal %s
// RUN: %mlir-opt --poly-schedule="profitability=off read-back=true parallel=false" %s 2>&1 >/dev/null | FileCheck %s --check-prefix=BACK
// BACK-COUNT-8: layout=1 {{.*}}read-back=1

// The same as kernels, in blocks that divide nothing, run thread by thread. There is code for the CPU beside them, or none; or memory of the device's.
// RUN: sed "s/EXPECT: .*/EXPECT: kernels/" %s > %t.mlir
// RUN: %equal --with="target=gpu parallel=false tile-sizes=4,3 block-sizes=2,2 then lower-affine poly-kernels-to-loops=threads=backward" --with="target=gpu parallel=false cpu-version=false tile-sizes=8,18,16 block-sizes=2,2,3 grid-sizes=2,3 then lower-affine poly-kernels-to-loops" --with="target=gpu parallel=false device-memory=true then lower-affine poly-kernels-to-loops=threads=backward" %t.mlir

// PolyBench's 2mm: what is written by rows is read by columns.
// shape T: n, m
// shape A: n, k
// shape B: k, m
// shape C: l, n
// shape D: l, m
// EXPECT: found tiled parallel
func.func @products(%T: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>,
                    %n: index, %m: index, %k: index, %l: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (i, j pad 3)) before S2: map(redist: arg0(i, j) -> (j, i))"} {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %zero, %T[%i, %j] : memref<?x?xf64>
      affine.for %p = 0 to %k {
        %a = affine.load %A[%i, %p] : memref<?x?xf64>
        %b = affine.load %B[%p, %j] : memref<?x?xf64>
        %c = affine.load %T[%i, %j] : memref<?x?xf64>
        %d = arith.mulf %a, %b : f64
        %e = arith.addf %c, %d : f64
        affine.store %e, %T[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %l {
    affine.for %j = 0 to %m {
      affine.for %p = 0 to %n {
        %a = affine.load %C[%i, %p] : memref<?x?xf64>
        %b = affine.load %T[%p, %j] : memref<?x?xf64>
        %c = affine.load %D[%i, %j] : memref<?x?xf64>
        %d = arith.mulf %a, %b : f64
        %e = arith.addf %c, %d : f64
        affine.store %e, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// A buffer that is made in the region, first where the program has it, then interleaved with an argument.
// shape A: n
// shape B: n
// EXPECT: found
func.func @buffer(%A: memref<?xf64>, %B: memref<?xf64>, %n: index)
    attributes {polyrs.layout = "before S1: map(redist: buffer0(i) -> (i, 0)) before S1: map(redist: arg0(i) -> (i, 1))"} {
  %T = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %T[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = affine.load %T[-%i + symbol(%n) - 1] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %B[%i] : memref<?xf64>
  }
  memref.dealloc %T : memref<?xf64>
  return
}

// There and back, twice; of what is written in a half, the rest stays what it is.
// shape A: n, n
// shape x: n
// EXPECT: found
func.func @back(%A: memref<?x?xf64>, %x: memref<?xf64>, %n: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (j, i)) before S1: map(redist: arg0 -> original) before S2: map(redist: arg0(i, j) -> (i/3, j, i%3)) before S3: map(redist: arg0(i, j) -> original)"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[0, %i] : memref<?x?xf64>
    %b = affine.load %x[%i] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %A[%i, 0] : memref<?x?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%j] : memref<?xf64>
      %c = arith.mulf %a, %b : f64
      affine.store %c, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i, %i] : memref<?x?xf64>
    affine.store %a, %x[%i] : memref<?xf64>
  }
  return
}

// Two arrays interleaved, of which one goes on alone.
// shape A: n
// shape B: n
// EXPECT: found
func.func @apart(%A: memref<?xf32>, %B: memref<?xf32>, %n: index)
    attributes {polyrs.layout = "map(inout: arg0(i) -> (i, 0)) map(inout: arg1(i) -> (i, 1)) before S1: map(redist: arg1(i) -> (i%2, i/2))"} {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = affine.load %B[%i] : memref<?xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %B[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = affine.load %B[-%i + symbol(%n) - 1] : memref<?xf32>
    %c = arith.mulf %a, %b : f32
    affine.store %c, %A[%i] : memref<?xf32>
  }
  return
}

// What is written under a condition on data is where the program has it, and in another layout only behind.
// shape A: n
// shape B: n
// EXPECT: found
func.func @conditions(%A: memref<?xf64>, %B: memref<?xf64>, %n: index)
    attributes {polyrs.layout = "before S1: map(redist: arg0(i) -> (i%4, i/4))"} {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xf64>
    %c = arith.cmpf olt, %b, %zero : f64
    scf.if %c {
      affine.store %b, %A[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[-%i + symbol(%n) - 1] : memref<?xf64>
    %b = affine.load %B[%i] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %B[%i] : memref<?xf64>
  }
  return
}

// A part that does not run for some sizes.
// shape A: n
// shape B: n
// EXPECT: found
func.func @empty(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "map(inout: arg0(i) -> (i/2, i%2)) before S1: map(redist: arg0(i) -> (i%2, i/2))"} {
  affine.for %t = 0 to %m {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %A[%i] : memref<?xf64>
    }
  }
  affine.for %t = 0 to affine_map<()[s0] -> (s0 - 2)>()[%m] {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf64>
      %b = affine.load %B[%i] : memref<?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %A[%i] : memref<?xf64>
    }
  }
  return
}

// Buffers that are made in the region: copies are of those of the new code.
// shape A: n
// shape B: n
// EXPECT: found
func.func @inif(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "before S2: map(redist: buffer0(i) -> (i, 0)) before S2: map(redist: arg0(i) -> (i, 1))"} {
 affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%m) {
  %T = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %T[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = affine.load %T[-%i + symbol(%n) - 1] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %B[%i] : memref<?xf64>
  }
  memref.dealloc %T : memref<?xf64>
 }
  return
}
// shape A: n
// shape B: n
// EXPECT: found
func.func @inif2(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "map(none: buffer0(i) -> (i/2, i%2)) before S2: map(redist: buffer0 -> original)"} {
 affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%m) {
  %T = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %T[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = affine.load %T[-%i + symbol(%n) - 1] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %B[%i] : memref<?xf64>
  }
  memref.dealloc %T : memref<?xf64>
 }
  return
}
