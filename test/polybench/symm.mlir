// symm: product with a symmetric matrix of which the lower half is stored,
// C = alpha A B + beta C
//
// The scalar temp2 of the C code is the value that the k loop carries in iter_args.

#self = affine_map<(d0) -> (d0)>
#next = affine_map<(d0) -> (d0 + 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%m: index, %n: index, %C: memref<?x?xf64>, %A: memref<?x?xf64>,
                      %B: memref<?x?xf64>) {
  %c100 = arith.constant 100 : index
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = arith.addi %i, %j : index
      %rest = arith.remsi %sum, %c100 : index
      %int = arith.index_cast %rest : index to i64
      %fp = arith.sitofp %int : i64 to f64
      %int_1 = arith.index_cast %m : index to i64
      %fp_1 = arith.sitofp %int_1 : i64 to f64
      %quot = arith.divf %fp, %fp_1 : f64
      affine.store %quot, %C[%i, %j] : memref<?x?xf64>
      %sum_1 = arith.addi %n, %i : index
      %diff = arith.subi %sum_1, %j : index
      %rest_1 = arith.remsi %diff, %c100 : index
      %int_2 = arith.index_cast %rest_1 : index to i64
      %fp_2 = arith.sitofp %int_2 : i64 to f64
      %int_3 = arith.index_cast %m : index to i64
      %fp_3 = arith.sitofp %int_3 : i64 to f64
      %quot_1 = arith.divf %fp_2, %fp_3 : f64
      affine.store %quot_1, %B[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to #next(%i) {
      %sum_2 = arith.addi %i, %j : index
      %rest_2 = arith.remsi %sum_2, %c100 : index
      %int_4 = arith.index_cast %rest_2 : index to i64
      %fp_4 = arith.sitofp %int_4 : i64 to f64
      %int_5 = arith.index_cast %m : index to i64
      %fp_5 = arith.sitofp %int_5 : i64 to f64
      %quot_2 = arith.divf %fp_4, %fp_5 : f64
      affine.store %quot_2, %A[%i, %j] : memref<?x?xf64>
    }
    // The upper half is never read.
    affine.for %j = #next(%i) to %m {
      %unused = arith.constant -999.0 : f64
      affine.store %unused, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_symm(%m: index, %n: index, %alpha: f64, %beta: f64, %C: memref<?x?xf64>,
                       %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %zero = arith.constant 0.0 : f64
      %temp2 = affine.for %k = 0 to #self(%i) iter_args(%acc = %zero) -> (f64) {
        %c_kj = affine.load %C[%k, %j] : memref<?x?xf64>
        %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
        %prod = arith.mulf %alpha, %b_ij : f64
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %prod_1 = arith.mulf %prod, %a_ik : f64
        %sum = arith.addf %c_kj, %prod_1 : f64
        affine.store %sum, %C[%k, %j] : memref<?x?xf64>
        %b_kj = affine.load %B[%k, %j] : memref<?x?xf64>
        %a_ik_1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %prod_2 = arith.mulf %b_kj, %a_ik_1 : f64
        %next = arith.addf %acc, %prod_2 : f64
        affine.yield %next : f64
      }
      %c_ij = affine.load %C[%i, %j] : memref<?x?xf64>
      %prod_3 = arith.mulf %beta, %c_ij : f64
      %b_ij_1 = affine.load %B[%i, %j] : memref<?x?xf64>
      %prod_4 = arith.mulf %alpha, %b_ij_1 : f64
      %a_ii = affine.load %A[%i, %i] : memref<?x?xf64>
      %prod_5 = arith.mulf %prod_4, %a_ii : f64
      %sum_1 = arith.addf %prod_3, %prod_5 : f64
      %prod_6 = arith.mulf %alpha, %temp2 : f64
      %sum_2 = arith.addf %sum_1, %prod_6 : f64
      affine.store %sum_2, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @print_array(%m: index, %n: index, %C: memref<?x?xf64>) {
  %tag_C = arith.constant 0x43 : i64 // "C"
  call @bench_array(%tag_C) : (i64) -> ()
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %C[%i, %j] : memref<?x?xf64>
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
  %alpha = arith.constant 1.5 : f64
  %beta = arith.constant 1.2 : f64
  %C = memref.alloc(%m, %n) : memref<?x?xf64>
  %A = memref.alloc(%m, %m) : memref<?x?xf64>
  %B = memref.alloc(%m, %n) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%m, %n, %C, %A, %B)
        : (index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_symm(%m, %n, %alpha, %beta, %C, %A, %B)
        : (index, index, f64, f64, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%m, %n, %C) : (index, index, memref<?x?xf64>) -> ()
  memref.dealloc %C : memref<?x?xf64>
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %B : memref<?x?xf64>
  return
}
