// doitgen with its row of sums expanded to an array like A: each (r, q) has a row of its own.

func.func @kernel_doitgen(%nq: index, %nr: index, %np: index, %A: memref<?x?x?xf64>,
                          %C4: memref<?x?xf64>, %row: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %sum = memref.alloc(%nr, %nq, %np) : memref<?x?x?xf64>
  affine.for %r = 0 to %nr {
    affine.for %q = 0 to %nq {
      affine.for %p = 0 to %np {
        affine.store %f0, %sum[%r, %q, %p] : memref<?x?x?xf64>
        affine.for %s = 0 to %np {
          %sum_v = affine.load %sum[%r, %q, %p] : memref<?x?x?xf64>
          %a_v = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %c4_v = affine.load %C4[%s, %p] : memref<?x?xf64>
          %prod = arith.mulf %a_v, %c4_v : f64
          %sum1 = arith.addf %sum_v, %prod : f64
          affine.store %sum1, %sum[%r, %q, %p] : memref<?x?x?xf64>
        }
      }
      affine.for %p = 0 to %np {
        %sum_v = affine.load %sum[%r, %q, %p] : memref<?x?x?xf64>
        affine.store %sum_v, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  memref.dealloc %sum : memref<?x?x?xf64>
  return
}
