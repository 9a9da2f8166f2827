// Bodies with many statements, and nests of many loops.
// RUN: %equal --with="parallel=true tile-sizes=3,4,5" --with="parallel=false tile-sizes=4,2,3 remove-dead=true" \
// RUN:   --with="parallel=true scheduler=none tile-sizes=2,3" --with="parallel=true scheduler=ppcg tile-sizes=4,3" \
// RUN:   --sizes=5 --sizes=2 --sizes=1 --sizes=0 %s

// Thirty-two statements on four arrays, in one body.
// shape A: n + 3, n
// shape B: n + 3, n
// shape C: n + 3, n
// shape D: n + 3, n
// EXPECT: found
func.func @many(%n: index, %A: memref<?x?xi64>, %B: memref<?x?xi64>, %C: memref<?x?xi64>, %D: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a0 = affine.load %A[%i + 0, %j] : memref<?x?xi64>
      %b0 = affine.load %B[%i, %j] : memref<?x?xi64>
      %c0 = arith.subi %a0, %b0 : i64
      affine.store %c0, %B[%i + 0, %j] : memref<?x?xi64>
      %a1 = affine.load %B[%i + 1, %j] : memref<?x?xi64>
      %b1 = affine.load %A[%i, %j] : memref<?x?xi64>
      %c1 = arith.subi %a1, %b1 : i64
      affine.store %c1, %A[%i + 0, %j] : memref<?x?xi64>
      %a2 = affine.load %C[%i + 2, %j] : memref<?x?xi64>
      %b2 = affine.load %D[%i, %j] : memref<?x?xi64>
      %c2 = arith.subi %a2, %b2 : i64
      affine.store %c2, %D[%i + 0, %j] : memref<?x?xi64>
      %a3 = affine.load %D[%i + 0, %j] : memref<?x?xi64>
      %b3 = affine.load %C[%i, %j] : memref<?x?xi64>
      %c3 = arith.subi %a3, %b3 : i64
      affine.store %c3, %C[%i + 0, %j] : memref<?x?xi64>
      %a4 = affine.load %A[%i + 1, %j] : memref<?x?xi64>
      %b4 = affine.load %B[%i, %j] : memref<?x?xi64>
      %c4 = arith.subi %a4, %b4 : i64
      affine.store %c4, %B[%i + 0, %j] : memref<?x?xi64>
      %a5 = affine.load %B[%i + 2, %j] : memref<?x?xi64>
      %b5 = affine.load %A[%i, %j] : memref<?x?xi64>
      %c5 = arith.subi %a5, %b5 : i64
      affine.store %c5, %A[%i + 0, %j] : memref<?x?xi64>
      %a6 = affine.load %C[%i + 0, %j] : memref<?x?xi64>
      %b6 = affine.load %D[%i, %j] : memref<?x?xi64>
      %c6 = arith.subi %a6, %b6 : i64
      affine.store %c6, %D[%i + 0, %j] : memref<?x?xi64>
      %a7 = affine.load %D[%i + 1, %j] : memref<?x?xi64>
      %b7 = affine.load %C[%i, %j] : memref<?x?xi64>
      %c7 = arith.subi %a7, %b7 : i64
      affine.store %c7, %C[%i + 0, %j] : memref<?x?xi64>
      %a8 = affine.load %A[%i + 2, %j] : memref<?x?xi64>
      %b8 = affine.load %B[%i, %j] : memref<?x?xi64>
      %c8 = arith.subi %a8, %b8 : i64
      affine.store %c8, %B[%i + 0, %j] : memref<?x?xi64>
      %a9 = affine.load %B[%i + 0, %j] : memref<?x?xi64>
      %b9 = affine.load %A[%i, %j] : memref<?x?xi64>
      %c9 = arith.subi %a9, %b9 : i64
      affine.store %c9, %A[%i + 0, %j] : memref<?x?xi64>
      %a10 = affine.load %C[%i + 1, %j] : memref<?x?xi64>
      %b10 = affine.load %D[%i, %j] : memref<?x?xi64>
      %c10 = arith.subi %a10, %b10 : i64
      affine.store %c10, %D[%i + 0, %j] : memref<?x?xi64>
      %a11 = affine.load %D[%i + 2, %j] : memref<?x?xi64>
      %b11 = affine.load %C[%i, %j] : memref<?x?xi64>
      %c11 = arith.subi %a11, %b11 : i64
      affine.store %c11, %C[%i + 1, %j] : memref<?x?xi64>
      %a12 = affine.load %A[%i + 0, %j] : memref<?x?xi64>
      %b12 = affine.load %B[%i, %j] : memref<?x?xi64>
      %c12 = arith.subi %a12, %b12 : i64
      affine.store %c12, %B[%i + 1, %j] : memref<?x?xi64>
      %a13 = affine.load %B[%i + 1, %j] : memref<?x?xi64>
      %b13 = affine.load %A[%i, %j] : memref<?x?xi64>
      %c13 = arith.subi %a13, %b13 : i64
      affine.store %c13, %A[%i + 1, %j] : memref<?x?xi64>
      %a14 = affine.load %C[%i + 2, %j] : memref<?x?xi64>
      %b14 = affine.load %D[%i, %j] : memref<?x?xi64>
      %c14 = arith.subi %a14, %b14 : i64
      affine.store %c14, %D[%i + 1, %j] : memref<?x?xi64>
      %a15 = affine.load %D[%i + 0, %j] : memref<?x?xi64>
      %b15 = affine.load %C[%i, %j] : memref<?x?xi64>
      %c15 = arith.subi %a15, %b15 : i64
      affine.store %c15, %C[%i + 1, %j] : memref<?x?xi64>
      %a16 = affine.load %A[%i + 1, %j] : memref<?x?xi64>
      %b16 = affine.load %B[%i, %j] : memref<?x?xi64>
      %c16 = arith.subi %a16, %b16 : i64
      affine.store %c16, %B[%i + 1, %j] : memref<?x?xi64>
      %a17 = affine.load %B[%i + 2, %j] : memref<?x?xi64>
      %b17 = affine.load %A[%i, %j] : memref<?x?xi64>
      %c17 = arith.subi %a17, %b17 : i64
      affine.store %c17, %A[%i + 1, %j] : memref<?x?xi64>
      %a18 = affine.load %C[%i + 0, %j] : memref<?x?xi64>
      %b18 = affine.load %D[%i, %j] : memref<?x?xi64>
      %c18 = arith.subi %a18, %b18 : i64
      affine.store %c18, %D[%i + 1, %j] : memref<?x?xi64>
      %a19 = affine.load %D[%i + 1, %j] : memref<?x?xi64>
      %b19 = affine.load %C[%i, %j] : memref<?x?xi64>
      %c19 = arith.subi %a19, %b19 : i64
      affine.store %c19, %C[%i + 1, %j] : memref<?x?xi64>
      %a20 = affine.load %A[%i + 2, %j] : memref<?x?xi64>
      %b20 = affine.load %B[%i, %j] : memref<?x?xi64>
      %c20 = arith.subi %a20, %b20 : i64
      affine.store %c20, %B[%i + 1, %j] : memref<?x?xi64>
      %a21 = affine.load %B[%i + 0, %j] : memref<?x?xi64>
      %b21 = affine.load %A[%i, %j] : memref<?x?xi64>
      %c21 = arith.subi %a21, %b21 : i64
      affine.store %c21, %A[%i + 1, %j] : memref<?x?xi64>
      %a22 = affine.load %C[%i + 1, %j] : memref<?x?xi64>
      %b22 = affine.load %D[%i, %j] : memref<?x?xi64>
      %c22 = arith.subi %a22, %b22 : i64
      affine.store %c22, %D[%i + 2, %j] : memref<?x?xi64>
      %a23 = affine.load %D[%i + 2, %j] : memref<?x?xi64>
      %b23 = affine.load %C[%i, %j] : memref<?x?xi64>
      %c23 = arith.subi %a23, %b23 : i64
      affine.store %c23, %C[%i + 2, %j] : memref<?x?xi64>
      %a24 = affine.load %A[%i + 0, %j] : memref<?x?xi64>
      %b24 = affine.load %B[%i, %j] : memref<?x?xi64>
      %c24 = arith.subi %a24, %b24 : i64
      affine.store %c24, %B[%i + 2, %j] : memref<?x?xi64>
      %a25 = affine.load %B[%i + 1, %j] : memref<?x?xi64>
      %b25 = affine.load %A[%i, %j] : memref<?x?xi64>
      %c25 = arith.subi %a25, %b25 : i64
      affine.store %c25, %A[%i + 2, %j] : memref<?x?xi64>
      %a26 = affine.load %C[%i + 2, %j] : memref<?x?xi64>
      %b26 = affine.load %D[%i, %j] : memref<?x?xi64>
      %c26 = arith.subi %a26, %b26 : i64
      affine.store %c26, %D[%i + 2, %j] : memref<?x?xi64>
      %a27 = affine.load %D[%i + 0, %j] : memref<?x?xi64>
      %b27 = affine.load %C[%i, %j] : memref<?x?xi64>
      %c27 = arith.subi %a27, %b27 : i64
      affine.store %c27, %C[%i + 2, %j] : memref<?x?xi64>
      %a28 = affine.load %A[%i + 1, %j] : memref<?x?xi64>
      %b28 = affine.load %B[%i, %j] : memref<?x?xi64>
      %c28 = arith.subi %a28, %b28 : i64
      affine.store %c28, %B[%i + 2, %j] : memref<?x?xi64>
      %a29 = affine.load %B[%i + 2, %j] : memref<?x?xi64>
      %b29 = affine.load %A[%i, %j] : memref<?x?xi64>
      %c29 = arith.subi %a29, %b29 : i64
      affine.store %c29, %A[%i + 2, %j] : memref<?x?xi64>
      %a30 = affine.load %C[%i + 0, %j] : memref<?x?xi64>
      %b30 = affine.load %D[%i, %j] : memref<?x?xi64>
      %c30 = arith.subi %a30, %b30 : i64
      affine.store %c30, %D[%i + 2, %j] : memref<?x?xi64>
      %a31 = affine.load %D[%i + 1, %j] : memref<?x?xi64>
      %b31 = affine.load %C[%i, %j] : memref<?x?xi64>
      %c31 = arith.subi %a31, %b31 : i64
      affine.store %c31, %C[%i + 2, %j] : memref<?x?xi64>
    }
  }
  return
}

// A chain of forty values in one iteration, and two stores.
// shape A: n, n
func.func @chain(%n: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %v0 = affine.load %A[%i, %j] : memref<?x?xi64>
      %v1 = arith.addi %v0, %v0 : i64
      %v2 = arith.muli %v1, %v0 : i64
      %v3 = arith.subi %v2, %v0 : i64
      %v4 = arith.addi %v3, %v0 : i64
      %v5 = arith.muli %v4, %v1 : i64
      %v6 = arith.subi %v5, %v2 : i64
      %v7 = arith.addi %v6, %v3 : i64
      %v8 = arith.muli %v7, %v4 : i64
      %v9 = arith.subi %v8, %v5 : i64
      %v10 = arith.addi %v9, %v6 : i64
      %v11 = arith.muli %v10, %v7 : i64
      %v12 = arith.subi %v11, %v8 : i64
      %v13 = arith.addi %v12, %v9 : i64
      %v14 = arith.muli %v13, %v10 : i64
      %v15 = arith.subi %v14, %v11 : i64
      %v16 = arith.addi %v15, %v12 : i64
      %v17 = arith.muli %v16, %v13 : i64
      %v18 = arith.subi %v17, %v14 : i64
      %v19 = arith.addi %v18, %v15 : i64
      %v20 = arith.muli %v19, %v16 : i64
      %v21 = arith.subi %v20, %v17 : i64
      %v22 = arith.addi %v21, %v18 : i64
      %v23 = arith.muli %v22, %v19 : i64
      %v24 = arith.subi %v23, %v20 : i64
      %v25 = arith.addi %v24, %v21 : i64
      %v26 = arith.muli %v25, %v22 : i64
      %v27 = arith.subi %v26, %v23 : i64
      %v28 = arith.addi %v27, %v24 : i64
      %v29 = arith.muli %v28, %v25 : i64
      %v30 = arith.subi %v29, %v26 : i64
      %v31 = arith.addi %v30, %v27 : i64
      %v32 = arith.muli %v31, %v28 : i64
      %v33 = arith.subi %v32, %v29 : i64
      %v34 = arith.addi %v33, %v30 : i64
      %v35 = arith.muli %v34, %v31 : i64
      %v36 = arith.subi %v35, %v32 : i64
      %v37 = arith.addi %v36, %v33 : i64
      %v38 = arith.muli %v37, %v34 : i64
      %v39 = arith.subi %v38, %v35 : i64
      %v40 = arith.addi %v39, %v36 : i64
      affine.store %v17, %A[%j, %i] : memref<?x?xi64>
      affine.store %v40, %A[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// Twelve loops in sequence.
// shape A: n + 1
// shape B: n + 1
func.func @sequence(%n: index, %A: memref<?xi64>, %B: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 0] : memref<?xi64>
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i + 0] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %B[%i + 1] : memref<?xi64>
    %b = affine.load %A[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i + 0] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 0] : memref<?xi64>
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i + 1] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %B[%i + 1] : memref<?xi64>
    %b = affine.load %A[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i + 1] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 0] : memref<?xi64>
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i + 0] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %B[%i + 1] : memref<?xi64>
    %b = affine.load %A[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i + 0] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 0] : memref<?xi64>
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i + 1] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %B[%i + 1] : memref<?xi64>
    %b = affine.load %A[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i + 1] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 0] : memref<?xi64>
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i + 0] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %B[%i + 1] : memref<?xi64>
    %b = affine.load %A[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i + 0] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 0] : memref<?xi64>
    %b = affine.load %B[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %B[%i + 1] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %B[%i + 1] : memref<?xi64>
    %b = affine.load %A[%i] : memref<?xi64>
    %c = arith.subi %a, %b : i64
    affine.store %c, %A[%i + 1] : memref<?xi64>
  }
  return
}

// Six loops.
// shape A: n + 1, n + 1, n + 1
// shape B: n + 1, n + 1
func.func @six(%n: index, %A: memref<?x?x?xi64>, %B: memref<?x?xi64>) {
  affine.for %i0 = 0 to %n {
    affine.for %i1 = 0 to %n {
      affine.for %i2 = 0 to %n {
        affine.for %i3 = 0 to %n {
          affine.for %i4 = 0 to %n {
            affine.for %i5 = 0 to %n {
              %a = affine.load %A[%i0, %i1, %i2] : memref<?x?x?xi64>
              %b = affine.load %B[%i3, %i4 - %i4 + %i5] : memref<?x?xi64>
              %c = arith.subi %b, %a : i64
              affine.store %c, %A[%i0, %i1, %i2 + 1] : memref<?x?x?xi64>
            }
          }
        }
      }
    }
  }
  return
}

// Seven loops.
// shape A: n + 1, n + 1, n + 1
// shape B: n + 1, n + 1
func.func @seven(%n: index, %A: memref<?x?x?xi64>, %B: memref<?x?xi64>) {
  affine.for %i0 = 0 to %n {
    affine.for %i1 = 0 to 2 {
      affine.for %i2 = 0 to %n {
        affine.for %i3 = 0 to 2 {
          affine.for %i4 = 0 to %n {
            affine.for %i5 = 0 to 2 {
              affine.for %i6 = 0 to %n {
                %a = affine.load %A[%i0, %i2, %i4] : memref<?x?x?xi64>
                %b = affine.load %B[%i6, 0] : memref<?x?xi64>
                %c = arith.subi %b, %a : i64
                affine.store %c, %A[%i0, %i2, %i4] : memref<?x?x?xi64>
              }
            }
          }
        }
      }
    }
  }
  return
}
