// symm with its scalar temp2 expanded to an array: each (i, j) sums into an element of its own.

#self = affine_map<(d0) -> (d0)>

func.func @kernel_symm(%m: index, %n: index, %alpha: f64, %beta: f64, %C: memref<?x?xf64>,
                       %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  %temp2 = memref.alloc(%m, %n) : memref<?x?xf64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.store %zero, %temp2[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to #self(%i) {
        %c_kj = affine.load %C[%k, %j] : memref<?x?xf64>
        %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
        %prod = arith.mulf %alpha, %b_ij : f64
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %prod_1 = arith.mulf %prod, %a_ik : f64
        %sum = arith.addf %c_kj, %prod_1 : f64
        affine.store %sum, %C[%k, %j] : memref<?x?xf64>
        %t_ij = affine.load %temp2[%i, %j] : memref<?x?xf64>
        %b_kj = affine.load %B[%k, %j] : memref<?x?xf64>
        %a_ik_1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %prod_2 = arith.mulf %b_kj, %a_ik_1 : f64
        %next = arith.addf %t_ij, %prod_2 : f64
        affine.store %next, %temp2[%i, %j] : memref<?x?xf64>
      }
      %c_ij = affine.load %C[%i, %j] : memref<?x?xf64>
      %prod_3 = arith.mulf %beta, %c_ij : f64
      %b_ij_1 = affine.load %B[%i, %j] : memref<?x?xf64>
      %prod_4 = arith.mulf %alpha, %b_ij_1 : f64
      %a_ii = affine.load %A[%i, %i] : memref<?x?xf64>
      %prod_5 = arith.mulf %prod_4, %a_ii : f64
      %sum_1 = arith.addf %prod_3, %prod_5 : f64
      %t_ij_1 = affine.load %temp2[%i, %j] : memref<?x?xf64>
      %prod_6 = arith.mulf %alpha, %t_ij_1 : f64
      %sum_2 = arith.addf %sum_1, %prod_6 : f64
      affine.store %sum_2, %C[%i, %j] : memref<?x?xf64>
    }
  }
  memref.dealloc %temp2 : memref<?x?xf64>
  return
}
