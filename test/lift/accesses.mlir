// Subscripts.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

// CHECK-LABEL: scop: "affine
// CHECK: read {{.*}} -> arg1[o0, o1] : (-i0 + o1) mod 4 = 0 and -3 + i0 <= 4o0 <= i0 and 0 <= o1 <= 3 }"
// CHECK: must_write {{.*}} -> arg2[3 + 2i0] }"
func.func @affine(%n: index, %A: memref<?x4xf32>, %B: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i floordiv 4, %i mod 4] : memref<?x4xf32>
    %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    affine.store %a, %B[%k + 3] : memref<?xf32>
  }
  return
}

// The least and the greatest of some values.
// CHECK-LABEL: scop: "least_and_greatest
// CHECK: must_write {{.*}}S0[i0] -> arg1[7] : i0 >= 8; S0[i0] -> arg1[i0] : i0 <= 7 }"
func.func @least_and_greatest(%n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    %k = affine.min affine_map<(d0) -> (d0, 7)>(%i)
    memref.store %v, %A[%k] : memref<?xf32>
  }
  return
}

// Plain loads and stores with values that do not wrap around: bounded by the loop, or promised.
// CHECK-LABEL: scop: "plain
// CHECK: read {{.*}} -> arg1[1 + i0] }"
// CHECK: must_write {{.*}} -> arg1[arg0 - 2i0] }"
func.func @plain(%n: index, %A: memref<?xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  affine.for %i = 0 to %n {
    %k = arith.addi %i, %one : index
    %a = memref.load %A[%k] : memref<?xf32>
    %d = arith.muli %i, %two overflow<nsw> : index
    %m = arith.subi %n, %d overflow<nsw> : index
    memref.store %a, %A[%m] : memref<?xf32>
  }
  return
}

// Casts to 64 bits and back keep a value; to 32 bits they may not.
// CHECK-LABEL: scop: "casts
// CHECK: read {{.*}} -> arg1[i0] }"
// CHECK: may_write {{.*}}S0[i0] -> arg1[o0] }"
func.func @casts(%n: index, %A: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %wide = arith.index_cast %i : index to i64
    %same = arith.index_cast %wide : i64 to index
    %a = memref.load %A[%same] : memref<?xf32>
    %narrow = arith.index_cast %i : index to i32
    %other = arith.index_cast %narrow : i32 to index
    memref.store %a, %A[%other] : memref<?xf32>
  }
  return
}

// A sum with a parameter may wrap around: anywhere in the array. A sum of parameters is a parameter of its own.
// CHECK-LABEL: scop: "wraps
// CHECK: read {{.*}}S0[i0] -> arg2[p2] }"
// CHECK: may_write {{.*}}S0[i0] -> arg2[o0] }"
func.func @wraps(%n: index, %m: index, %A: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %s = arith.addi %m, %n : index
    %a = memref.load %A[%s] : memref<?xf32>
    %k = arith.addi %m, %i : index
    memref.store %a, %A[%k] : memref<?xf32>
  }
  return
}

// Subscripts from memory: anywhere in the array, and nothing is overwritten for sure.
// CHECK-LABEL: scop: "indirect
// CHECK: read {{.*}} -> arg1[i0] }"
// CHECK-NEXT: read {{.*}}S0[i0] -> arg2[o0] }"
// CHECK-NEXT: may_write {{.*}}S0[i0] -> arg3[o0] }"
func.func @indirect(%n: index, %P: memref<?xindex>, %A: memref<?xf32>, %B: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %p = affine.load %P[%i] : memref<?xindex>
    %a = memref.load %A[%p] : memref<?xf32>
    memref.store %a, %B[%p] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: scop: "rank0
// CHECK: read {{.*}}S0[i0] -> arg1[] }"
// CHECK: must_write {{.*}}S0[i0] -> arg1[] }"
func.func @rank0(%n: index, %A: memref<f32>, %v: f32) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[] : memref<f32>
    %s = arith.addf %a, %v : f32
    affine.store %s, %A[] : memref<f32>
  }
  return
}

// A vector covers a range along the last dimensions.
// CHECK-LABEL: scop: "vectors
// CHECK: read {{.*}} -> arg1[i0, o1] : 8i1 <= o1 <= 7 + 8i1 }"
// CHECK: must_write {{.*}} -> arg2[o0, o1] : i0 <= o0 <= 1 + i0 and 4i1 <= o1 <= 3 + 4i1 }"
func.func @vectors(%n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %v = affine.vector_load %A[%i, %j * 8] : memref<?x?xf32>, vector<8xf32>
      %w = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>
      affine.vector_store %w, %B[%i, %j * 4] : memref<?x?xf32>, vector<2x4xf32>
    }
  }
  return
}

// What a vector of the vector dialect does at the end of a row is up to the target: only if it stays within the row it
// is known what it touches.
// CHECK-LABEL: scop: "rows
// CHECK: read {{.*}}S0[i0] -> arg0[0, o1] : i0 <= o1 <= 3 + i0 }"
// CHECK: may_write {{.*}}S0[i0] -> arg1[o0, o1] }"
func.func @rows(%A: memref<2x16xf32>, %B: memref<2x16xf32>) {
  %zero = arith.constant 0 : index
  affine.for %i = 0 to 13 {
    %v = vector.load %A[%zero, %i] : memref<2x16xf32>, vector<4xf32>
    %w = vector.shuffle %v, %v [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
    vector.store %w, %B[%zero, %i] : memref<2x16xf32>, vector<8xf32>
  }
  return
}

// CHECK-LABEL: scop: "copied
// CHECK: read {{.*}}S1[] -> arg1[o0] }"
// CHECK: may_write {{.*}}S1[] -> arg2[o0] }"
func.func @copied(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.store %v, %A[%i] : memref<?xf32>
  }
  memref.copy %A, %B : memref<?xf32> to memref<?xf32>
  return
}
