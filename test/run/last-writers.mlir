// Which write a read sees.
// RUN: %equal %s --sizes=0,1 --sizes=1,2 --sizes=2,2 --sizes=3,1 --sizes=6,3 --sizes=7,0

// The instance that writes is that of a fraction, which is an integer for n = 2, 5, 8, … only. The read is executed for the others.
// shape B: 1
// EXPECT: found
func.func @last_writer(%n: index, %m: index, %B: memref<?xi64>) {
  %c5 = arith.constant 5 : i64
  %A = memref.alloc() : memref<1xi64>
  affine.store %c5, %A[0] : memref<1xi64>
  affine.for %x = affine_map<()[s0] -> (2 * s0 - 2)>()[%m] to affine_map<()[s0] -> (2 * s0)>()[%m] {
    affine.for %y = 0 to 2 {
      affine.if affine_set<(d0)[s0] : ((s0 + 3 * d0 + 1) mod 6 == 0)>(%x)[%n] {
        %k = arith.index_cast %x : index to i64
        affine.store %k, %A[0] : memref<1xi64>
      }
    }
  }
  affine.if affine_set<()[s0] : (1 - s0 mod 3 >= 0)>()[%n] {
    %a = affine.load %A[0] : memref<1xi64>
    affine.store %a, %B[0] : memref<?xi64>
  }
  memref.dealloc %A : memref<1xi64>
  return
}
