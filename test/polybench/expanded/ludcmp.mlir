// ludcmp with its scalar w expanded to arrays: w for the elements of the matrix, v and u for those of the two vectors.

#self = affine_map<(d0) -> (d0)>
#below = affine_map<(d0)[s0] -> (s0 - d0)>

func.func @kernel_ludcmp(%n: index, %A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>,
                         %y: memref<?xf64>) {
  %w = memref.alloc(%n, %n) : memref<?x?xf64>
  %v = memref.alloc(%n) : memref<?xf64>
  %u = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #self(%i) {
      %first = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %first, %w[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to #self(%j) {
        %w_ij = affine.load %w[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj = affine.load %A[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %a_ik, %a_kj : f64
        %next = arith.subf %w_ij, %prod : f64
        affine.store %next, %w[%i, %j] : memref<?x?xf64>
      }
      %last = affine.load %w[%i, %j] : memref<?x?xf64>
      %a_jj = affine.load %A[%j, %j] : memref<?x?xf64>
      %quot = arith.divf %last, %a_jj : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = #self(%i) to %n {
      %first = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %first, %w[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to #self(%i) {
        %w_ij = affine.load %w[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj = affine.load %A[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %a_ik, %a_kj : f64
        %next = arith.subf %w_ij, %prod : f64
        affine.store %next, %w[%i, %j] : memref<?x?xf64>
      }
      %last = affine.load %w[%i, %j] : memref<?x?xf64>
      affine.store %last, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %first = affine.load %b[%i] : memref<?xf64>
    affine.store %first, %v[%i] : memref<?xf64>
    affine.for %j = 0 to #self(%i) {
      %v_i = affine.load %v[%i] : memref<?xf64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %y_j = affine.load %y[%j] : memref<?xf64>
      %prod = arith.mulf %a_ij, %y_j : f64
      %next = arith.subf %v_i, %prod : f64
      affine.store %next, %v[%i] : memref<?xf64>
    }
    %last = affine.load %v[%i] : memref<?xf64>
    affine.store %last, %y[%i] : memref<?xf64>
  }
  affine.for %r = 0 to %n {
    %first = affine.load %y[%n - 1 - %r] : memref<?xf64>
    affine.store %first, %u[%n - 1 - %r] : memref<?xf64>
    affine.for %j = #below(%r)[%n] to %n {
      %u_r = affine.load %u[%n - 1 - %r] : memref<?xf64>
      %a_rj = affine.load %A[%n - 1 - %r, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %prod = arith.mulf %a_rj, %x_j : f64
      %next = arith.subf %u_r, %prod : f64
      affine.store %next, %u[%n - 1 - %r] : memref<?xf64>
    }
    %last = affine.load %u[%n - 1 - %r] : memref<?xf64>
    %a_rr = affine.load %A[%n - 1 - %r, %n - 1 - %r] : memref<?x?xf64>
    %quot = arith.divf %last, %a_rr : f64
    affine.store %quot, %x[%n - 1 - %r] : memref<?xf64>
  }
  memref.dealloc %w : memref<?x?xf64>
  memref.dealloc %v : memref<?xf64>
  memref.dealloc %u : memref<?xf64>
  return
}
