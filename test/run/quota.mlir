// Too many dependences for the quota: the function stays as it was, and the remark says so.
// RUN: %equal --sizes=3 --with="parallel=false" %s

// Thirty-two statements, each of which needs the one before and meets all others in memory.
// shape A: n + 40, n
// EXPECT: unchanged
// EXPECT-REFUSED: quota
func.func @dense(%n: index, %A: memref<?x?xi64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a0 = affine.load %A[%i + 0, %j] : memref<?x?xi64>
      %b0 = affine.load %A[%i + 0, %j] : memref<?x?xi64>
      %c0 = arith.subi %a0, %b0 : i64
      affine.store %c0, %A[%i + 1, %j] : memref<?x?xi64>
      %a1 = affine.load %A[%i + 1, %j] : memref<?x?xi64>
      %b1 = affine.load %A[%i + 7, %j] : memref<?x?xi64>
      %c1 = arith.subi %a1, %b1 : i64
      affine.store %c1, %A[%i + 2, %j] : memref<?x?xi64>
      %a2 = affine.load %A[%i + 2, %j] : memref<?x?xi64>
      %b2 = affine.load %A[%i + 14, %j] : memref<?x?xi64>
      %c2 = arith.subi %a2, %b2 : i64
      affine.store %c2, %A[%i + 3, %j] : memref<?x?xi64>
      %a3 = affine.load %A[%i + 3, %j] : memref<?x?xi64>
      %b3 = affine.load %A[%i + 21, %j] : memref<?x?xi64>
      %c3 = arith.subi %a3, %b3 : i64
      affine.store %c3, %A[%i + 4, %j] : memref<?x?xi64>
      %a4 = affine.load %A[%i + 4, %j] : memref<?x?xi64>
      %b4 = affine.load %A[%i + 28, %j] : memref<?x?xi64>
      %c4 = arith.subi %a4, %b4 : i64
      affine.store %c4, %A[%i + 5, %j] : memref<?x?xi64>
      %a5 = affine.load %A[%i + 5, %j] : memref<?x?xi64>
      %b5 = affine.load %A[%i + 3, %j] : memref<?x?xi64>
      %c5 = arith.subi %a5, %b5 : i64
      affine.store %c5, %A[%i + 6, %j] : memref<?x?xi64>
      %a6 = affine.load %A[%i + 6, %j] : memref<?x?xi64>
      %b6 = affine.load %A[%i + 10, %j] : memref<?x?xi64>
      %c6 = arith.subi %a6, %b6 : i64
      affine.store %c6, %A[%i + 7, %j] : memref<?x?xi64>
      %a7 = affine.load %A[%i + 7, %j] : memref<?x?xi64>
      %b7 = affine.load %A[%i + 17, %j] : memref<?x?xi64>
      %c7 = arith.subi %a7, %b7 : i64
      affine.store %c7, %A[%i + 8, %j] : memref<?x?xi64>
      %a8 = affine.load %A[%i + 8, %j] : memref<?x?xi64>
      %b8 = affine.load %A[%i + 24, %j] : memref<?x?xi64>
      %c8 = arith.subi %a8, %b8 : i64
      affine.store %c8, %A[%i + 9, %j] : memref<?x?xi64>
      %a9 = affine.load %A[%i + 9, %j] : memref<?x?xi64>
      %b9 = affine.load %A[%i + 31, %j] : memref<?x?xi64>
      %c9 = arith.subi %a9, %b9 : i64
      affine.store %c9, %A[%i + 10, %j] : memref<?x?xi64>
      %a10 = affine.load %A[%i + 10, %j] : memref<?x?xi64>
      %b10 = affine.load %A[%i + 6, %j] : memref<?x?xi64>
      %c10 = arith.subi %a10, %b10 : i64
      affine.store %c10, %A[%i + 11, %j] : memref<?x?xi64>
      %a11 = affine.load %A[%i + 11, %j] : memref<?x?xi64>
      %b11 = affine.load %A[%i + 13, %j] : memref<?x?xi64>
      %c11 = arith.subi %a11, %b11 : i64
      affine.store %c11, %A[%i + 12, %j] : memref<?x?xi64>
      %a12 = affine.load %A[%i + 12, %j] : memref<?x?xi64>
      %b12 = affine.load %A[%i + 20, %j] : memref<?x?xi64>
      %c12 = arith.subi %a12, %b12 : i64
      affine.store %c12, %A[%i + 13, %j] : memref<?x?xi64>
      %a13 = affine.load %A[%i + 13, %j] : memref<?x?xi64>
      %b13 = affine.load %A[%i + 27, %j] : memref<?x?xi64>
      %c13 = arith.subi %a13, %b13 : i64
      affine.store %c13, %A[%i + 14, %j] : memref<?x?xi64>
      %a14 = affine.load %A[%i + 14, %j] : memref<?x?xi64>
      %b14 = affine.load %A[%i + 2, %j] : memref<?x?xi64>
      %c14 = arith.subi %a14, %b14 : i64
      affine.store %c14, %A[%i + 15, %j] : memref<?x?xi64>
      %a15 = affine.load %A[%i + 15, %j] : memref<?x?xi64>
      %b15 = affine.load %A[%i + 9, %j] : memref<?x?xi64>
      %c15 = arith.subi %a15, %b15 : i64
      affine.store %c15, %A[%i + 16, %j] : memref<?x?xi64>
      %a16 = affine.load %A[%i + 16, %j] : memref<?x?xi64>
      %b16 = affine.load %A[%i + 16, %j] : memref<?x?xi64>
      %c16 = arith.subi %a16, %b16 : i64
      affine.store %c16, %A[%i + 17, %j] : memref<?x?xi64>
      %a17 = affine.load %A[%i + 17, %j] : memref<?x?xi64>
      %b17 = affine.load %A[%i + 23, %j] : memref<?x?xi64>
      %c17 = arith.subi %a17, %b17 : i64
      affine.store %c17, %A[%i + 18, %j] : memref<?x?xi64>
      %a18 = affine.load %A[%i + 18, %j] : memref<?x?xi64>
      %b18 = affine.load %A[%i + 30, %j] : memref<?x?xi64>
      %c18 = arith.subi %a18, %b18 : i64
      affine.store %c18, %A[%i + 19, %j] : memref<?x?xi64>
      %a19 = affine.load %A[%i + 19, %j] : memref<?x?xi64>
      %b19 = affine.load %A[%i + 5, %j] : memref<?x?xi64>
      %c19 = arith.subi %a19, %b19 : i64
      affine.store %c19, %A[%i + 20, %j] : memref<?x?xi64>
      %a20 = affine.load %A[%i + 20, %j] : memref<?x?xi64>
      %b20 = affine.load %A[%i + 12, %j] : memref<?x?xi64>
      %c20 = arith.subi %a20, %b20 : i64
      affine.store %c20, %A[%i + 21, %j] : memref<?x?xi64>
      %a21 = affine.load %A[%i + 21, %j] : memref<?x?xi64>
      %b21 = affine.load %A[%i + 19, %j] : memref<?x?xi64>
      %c21 = arith.subi %a21, %b21 : i64
      affine.store %c21, %A[%i + 22, %j] : memref<?x?xi64>
      %a22 = affine.load %A[%i + 22, %j] : memref<?x?xi64>
      %b22 = affine.load %A[%i + 26, %j] : memref<?x?xi64>
      %c22 = arith.subi %a22, %b22 : i64
      affine.store %c22, %A[%i + 23, %j] : memref<?x?xi64>
      %a23 = affine.load %A[%i + 23, %j] : memref<?x?xi64>
      %b23 = affine.load %A[%i + 1, %j] : memref<?x?xi64>
      %c23 = arith.subi %a23, %b23 : i64
      affine.store %c23, %A[%i + 24, %j] : memref<?x?xi64>
      %a24 = affine.load %A[%i + 24, %j] : memref<?x?xi64>
      %b24 = affine.load %A[%i + 8, %j] : memref<?x?xi64>
      %c24 = arith.subi %a24, %b24 : i64
      affine.store %c24, %A[%i + 25, %j] : memref<?x?xi64>
      %a25 = affine.load %A[%i + 25, %j] : memref<?x?xi64>
      %b25 = affine.load %A[%i + 15, %j] : memref<?x?xi64>
      %c25 = arith.subi %a25, %b25 : i64
      affine.store %c25, %A[%i + 26, %j] : memref<?x?xi64>
      %a26 = affine.load %A[%i + 26, %j] : memref<?x?xi64>
      %b26 = affine.load %A[%i + 22, %j] : memref<?x?xi64>
      %c26 = arith.subi %a26, %b26 : i64
      affine.store %c26, %A[%i + 27, %j] : memref<?x?xi64>
      %a27 = affine.load %A[%i + 27, %j] : memref<?x?xi64>
      %b27 = affine.load %A[%i + 29, %j] : memref<?x?xi64>
      %c27 = arith.subi %a27, %b27 : i64
      affine.store %c27, %A[%i + 28, %j] : memref<?x?xi64>
      %a28 = affine.load %A[%i + 28, %j] : memref<?x?xi64>
      %b28 = affine.load %A[%i + 4, %j] : memref<?x?xi64>
      %c28 = arith.subi %a28, %b28 : i64
      affine.store %c28, %A[%i + 29, %j] : memref<?x?xi64>
      %a29 = affine.load %A[%i + 29, %j] : memref<?x?xi64>
      %b29 = affine.load %A[%i + 11, %j] : memref<?x?xi64>
      %c29 = arith.subi %a29, %b29 : i64
      affine.store %c29, %A[%i + 30, %j] : memref<?x?xi64>
      %a30 = affine.load %A[%i + 30, %j] : memref<?x?xi64>
      %b30 = affine.load %A[%i + 18, %j] : memref<?x?xi64>
      %c30 = arith.subi %a30, %b30 : i64
      affine.store %c30, %A[%i + 31, %j] : memref<?x?xi64>
      %a31 = affine.load %A[%i + 31, %j] : memref<?x?xi64>
      %b31 = affine.load %A[%i + 25, %j] : memref<?x?xi64>
      %c31 = arith.subi %a31, %b31 : i64
      affine.store %c31, %A[%i + 32, %j] : memref<?x?xi64>
    }
  }
  return
}
