// syr2k: symmetric update of rank 2k of the lower half of C,
// C = alpha A B^T + alpha B A^T + beta C

#next = affine_map<(d0) -> (d0 + 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %m: index, %C: memref<?x?xf64>, %A: memref<?x?xf64>,
                      %B: memref<?x?xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %prod = arith.muli %i, %j : index
      %sum = arith.addi %prod, %c1 : index
      %rest = arith.remsi %sum, %n : index
      %int = arith.index_cast %rest : index to i64
      %fp = arith.sitofp %int : i64 to f64
      %int_1 = arith.index_cast %n : index to i64
      %fp_1 = arith.sitofp %int_1 : i64 to f64
      %quot = arith.divf %fp, %fp_1 : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
      %prod_1 = arith.muli %i, %j : index
      %sum_1 = arith.addi %prod_1, %c2 : index
      %rest_1 = arith.remsi %sum_1, %m : index
      %int_2 = arith.index_cast %rest_1 : index to i64
      %fp_2 = arith.sitofp %int_2 : i64 to f64
      %int_3 = arith.index_cast %m : index to i64
      %fp_3 = arith.sitofp %int_3 : i64 to f64
      %quot_1 = arith.divf %fp_2, %fp_3 : f64
      affine.store %quot_1, %B[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %prod_2 = arith.muli %i, %j : index
      %sum_2 = arith.addi %prod_2, %c3 : index
      %rest_2 = arith.remsi %sum_2, %n : index
      %int_4 = arith.index_cast %rest_2 : index to i64
      %fp_4 = arith.sitofp %int_4 : i64 to f64
      %int_5 = arith.index_cast %m : index to i64
      %fp_5 = arith.sitofp %int_5 : i64 to f64
      %quot_2 = arith.divf %fp_4, %fp_5 : f64
      affine.store %quot_2, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_syr2k(%n: index, %m: index, %alpha: f64, %beta: f64, %C: memref<?x?xf64>,
                        %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #next(%i) {
      %c_ij = affine.load %C[%i, %j] : memref<?x?xf64>
      %prod = arith.mulf %c_ij, %beta : f64
      affine.store %prod, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %m {
      affine.for %j = 0 to #next(%i) {
        %c_ij_1 = affine.load %C[%i, %j] : memref<?x?xf64>
        %a_jk = affine.load %A[%j, %k] : memref<?x?xf64>
        %prod_1 = arith.mulf %a_jk, %alpha : f64
        %b_ik = affine.load %B[%i, %k] : memref<?x?xf64>
        %prod_2 = arith.mulf %prod_1, %b_ik : f64
        %b_jk = affine.load %B[%j, %k] : memref<?x?xf64>
        %prod_3 = arith.mulf %b_jk, %alpha : f64
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %prod_4 = arith.mulf %prod_3, %a_ik : f64
        %sum = arith.addf %prod_2, %prod_4 : f64
        %sum_1 = arith.addf %c_ij_1, %sum : f64
        affine.store %sum_1, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%n: index, %C: memref<?x?xf64>) {
  %tag_C = arith.constant 0x43 : i64 // "C"
  call @bench_array(%tag_C) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %value = affine.load %C[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%value) : (f64) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 1200 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %m_which = arith.constant 1 : i64
  %m_large = arith.constant 1000 : i64
  %m_asked = call @bench_size(%m_which, %m_large) : (i64, i64) -> i64
  %m = arith.index_cast %m_asked : i64 to index
  %alpha = arith.constant 1.5 : f64
  %beta = arith.constant 1.2 : f64
  %C = memref.alloc(%n, %n) : memref<?x?xf64>
  %A = memref.alloc(%n, %m) : memref<?x?xf64>
  %B = memref.alloc(%n, %m) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %m, %C, %A, %B)
        : (index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_syr2k(%n, %m, %alpha, %beta, %C, %A, %B)
        : (index, index, f64, f64, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %C) : (index, memref<?x?xf64>) -> ()
  memref.dealloc %C : memref<?x?xf64>
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %B : memref<?x?xf64>
  return
}
