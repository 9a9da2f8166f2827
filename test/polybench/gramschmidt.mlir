// gramschmidt: QR decomposition, A = Q R, by modified Gram-Schmidt
//
// The norm is a scalar of the C code; here it is a local memref of rank 0.

#self = affine_map<(d0) -> (d0)>
#next = affine_map<(d0) -> (d0 + 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%m: index, %n: index, %A: memref<?x?xf64>, %R: memref<?x?xf64>,
                      %Q: memref<?x?xf64>) {
  %f100 = arith.constant 100.0 : f64
  %f10 = arith.constant 10.0 : f64
  %f0 = arith.constant 0.0 : f64
  %f1 = arith.constant 1.0 : f64
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %prod = arith.muli %i, %j : index
      %rest = arith.remsi %prod, %m : index
      %int = arith.index_cast %rest : index to i64
      %fp = arith.sitofp %int : i64 to f64
      %int_1 = arith.index_cast %m : index to i64
      %fp_1 = arith.sitofp %int_1 : i64 to f64
      %quot = arith.divf %fp, %fp_1 : f64
      %prod_1 = arith.mulf %quot, %f100 : f64
      %sum = arith.addf %prod_1, %f10 : f64
      affine.store %sum, %A[%i, %j] : memref<?x?xf64>
      affine.store %f0, %Q[%i, %j] : memref<?x?xf64>
    }
  }
  // The kernel overwrites the upper half; what it overwrites is no zero.
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #self(%i) {
      affine.store %f0, %R[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = #self(%i) to %n {
      affine.store %f1, %R[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_gramschmidt(%m: index, %n: index, %A: memref<?x?xf64>, %R: memref<?x?xf64>,
                              %Q: memref<?x?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %nrm = memref.alloca() : memref<f64>
  affine.for %k = 0 to %n {
    affine.store %f0, %nrm[] : memref<f64>
    affine.for %i = 0 to %m {
      %nrm_v = affine.load %nrm[] : memref<f64>
      %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
      %a_ik_1 = affine.load %A[%i, %k] : memref<?x?xf64>
      %prod = arith.mulf %a_ik, %a_ik_1 : f64
      %sum = arith.addf %nrm_v, %prod : f64
      affine.store %sum, %nrm[] : memref<f64>
    }
    %nrm_v_1 = affine.load %nrm[] : memref<f64>
    %root = math.sqrt %nrm_v_1 : f64
    affine.store %root, %R[%k, %k] : memref<?x?xf64>
    affine.for %i = 0 to %m {
      %a_ik_2 = affine.load %A[%i, %k] : memref<?x?xf64>
      %r_kk = affine.load %R[%k, %k] : memref<?x?xf64>
      %quot = arith.divf %a_ik_2, %r_kk : f64
      affine.store %quot, %Q[%i, %k] : memref<?x?xf64>
    }
    affine.for %j = #next(%k) to %n {
      affine.store %f0, %R[%k, %j] : memref<?x?xf64>
      affine.for %i = 0 to %m {
        %r_kj = affine.load %R[%k, %j] : memref<?x?xf64>
        %q_ik = affine.load %Q[%i, %k] : memref<?x?xf64>
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %prod_1 = arith.mulf %q_ik, %a_ij : f64
        %sum_1 = arith.addf %r_kj, %prod_1 : f64
        affine.store %sum_1, %R[%k, %j] : memref<?x?xf64>
      }
      affine.for %i = 0 to %m {
        %a_ij_1 = affine.load %A[%i, %j] : memref<?x?xf64>
        %q_ik_1 = affine.load %Q[%i, %k] : memref<?x?xf64>
        %r_kj_1 = affine.load %R[%k, %j] : memref<?x?xf64>
        %prod_2 = arith.mulf %q_ik_1, %r_kj_1 : f64
        %diff = arith.subf %a_ij_1, %prod_2 : f64
        affine.store %diff, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%m: index, %n: index, %R: memref<?x?xf64>, %Q: memref<?x?xf64>) {
  %tag_R = arith.constant 0x52 : i64 // "R"
  call @bench_array(%tag_R) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %value = affine.load %R[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%value) : (f64) -> ()
    }
  }
  %tag_Q = arith.constant 0x51 : i64 // "Q"
  call @bench_array(%tag_Q) : (i64) -> ()
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %Q[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%value) : (f64) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %m_which = arith.constant 0 : i64
  %m_large = arith.constant 1000 : i64
  %m_asked = call @bench_size(%m_which, %m_large) : (i64, i64) -> i64
  %m = arith.index_cast %m_asked : i64 to index
  %n_which = arith.constant 1 : i64
  %n_large = arith.constant 1200 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %A = memref.alloc(%m, %n) : memref<?x?xf64>
  %R = memref.alloc(%n, %n) : memref<?x?xf64>
  %Q = memref.alloc(%m, %n) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%m, %n, %A, %R, %Q)
        : (index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_gramschmidt(%m, %n, %A, %R, %Q)
        : (index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%m, %n, %R, %Q) : (index, index, memref<?x?xf64>, memref<?x?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %R : memref<?x?xf64>
  memref.dealloc %Q : memref<?x?xf64>
  return
}
