// lu: LU decomposition without pivoting, in place

#self = affine_map<(d0) -> (d0)>
#next = affine_map<(d0) -> (d0 + 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f64
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #next(%i) {
      %diff = arith.subi %c0, %j : index
      %rest = arith.remsi %diff, %n : index
      %int = arith.index_cast %rest : index to i64
      %fp = arith.sitofp %int : i64 to f64
      %int_1 = arith.index_cast %n : index to i64
      %fp_1 = arith.sitofp %int_1 : i64 to f64
      %quot = arith.divf %fp, %fp_1 : f64
      %sum = arith.addf %quot, %f1 : f64
      affine.store %sum, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = #next(%i) to %n {
      affine.store %f0, %A[%i, %j] : memref<?x?xf64>
    }
    affine.store %f1, %A[%i, %i] : memref<?x?xf64>
  }
  // A times its transpose is symmetric positive definite: no pivot vanishes.
  %B = memref.alloc(%n, %n) : memref<?x?xf64>
  affine.for %r = 0 to %n {
    affine.for %s = 0 to %n {
      affine.store %f0, %B[%r, %s] : memref<?x?xf64>
    }
  }
  affine.for %t = 0 to %n {
    affine.for %r = 0 to %n {
      affine.for %s = 0 to %n {
        %b_rs = affine.load %B[%r, %s] : memref<?x?xf64>
        %a_rt = affine.load %A[%r, %t] : memref<?x?xf64>
        %a_st = affine.load %A[%s, %t] : memref<?x?xf64>
        %prod = arith.mulf %a_rt, %a_st : f64
        %sum_1 = arith.addf %b_rs, %prod : f64
        affine.store %sum_1, %B[%r, %s] : memref<?x?xf64>
      }
    }
  }
  affine.for %r = 0 to %n {
    affine.for %s = 0 to %n {
      %b_rs_1 = affine.load %B[%r, %s] : memref<?x?xf64>
      affine.store %b_rs_1, %A[%r, %s] : memref<?x?xf64>
    }
  }
  memref.dealloc %B : memref<?x?xf64>
  return
}

func.func @kernel_lu(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #self(%i) {
      affine.for %k = 0 to #self(%j) {
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj = affine.load %A[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %a_ik, %a_kj : f64
        %diff = arith.subf %a_ij, %prod : f64
        affine.store %diff, %A[%i, %j] : memref<?x?xf64>
      }
      %a_ij_1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %a_jj = affine.load %A[%j, %j] : memref<?x?xf64>
      %quot = arith.divf %a_ij_1, %a_jj : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = #self(%i) to %n {
      affine.for %k = 0 to #self(%i) {
        %a_ij_2 = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_ik_1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj_1 = affine.load %A[%k, %j] : memref<?x?xf64>
        %prod_1 = arith.mulf %a_ik_1, %a_kj_1 : f64
        %diff_1 = arith.subf %a_ij_2, %prod_1 : f64
        affine.store %diff_1, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%n: index, %A: memref<?x?xf64>) {
  %tag_A = arith.constant 0x41 : i64 // "A"
  call @bench_array(%tag_A) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %value = affine.load %A[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%value) : (f64) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 2000 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %A = memref.alloc(%n, %n) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %A) : (index, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_lu(%n, %A) : (index, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %A) : (index, memref<?x?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  return
}
