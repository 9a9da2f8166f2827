// trmm: product with the transpose of a unit lower triangular matrix, in place,
// B = alpha A^T B

#self = affine_map<(d0) -> (d0)>
#next = affine_map<(d0) -> (d0 + 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%m: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %f1 = arith.constant 1.0 : f64
  affine.for %i = 0 to %m {
    affine.for %j = 0 to #self(%i) {
      %sum = arith.addi %i, %j : index
      %rest = arith.remsi %sum, %m : index
      %int = arith.index_cast %rest : index to i64
      %fp = arith.sitofp %int : i64 to f64
      %int_1 = arith.index_cast %m : index to i64
      %fp_1 = arith.sitofp %int_1 : i64 to f64
      %quot = arith.divf %fp, %fp_1 : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
    affine.store %f1, %A[%i, %i] : memref<?x?xf64>
    affine.for %j = 0 to %n {
      %diff = arith.subi %i, %j : index
      %sum_1 = arith.addi %n, %diff : index
      %rest_1 = arith.remsi %sum_1, %n : index
      %int_2 = arith.index_cast %rest_1 : index to i64
      %fp_2 = arith.sitofp %int_2 : i64 to f64
      %int_3 = arith.index_cast %n : index to i64
      %fp_3 = arith.sitofp %int_3 : i64 to f64
      %quot_1 = arith.divf %fp_2, %fp_3 : f64
      affine.store %quot_1, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_trmm(%m: index, %n: index, %alpha: f64, %A: memref<?x?xf64>,
                       %B: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = #next(%i) to %m {
        %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
        %a_ki = affine.load %A[%k, %i] : memref<?x?xf64>
        %b_kj = affine.load %B[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %a_ki, %b_kj : f64
        %sum = arith.addf %b_ij, %prod : f64
        affine.store %sum, %B[%i, %j] : memref<?x?xf64>
      }
      %b_ij_1 = affine.load %B[%i, %j] : memref<?x?xf64>
      %prod_1 = arith.mulf %alpha, %b_ij_1 : f64
      affine.store %prod_1, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @print_array(%m: index, %n: index, %B: memref<?x?xf64>) {
  %tag_B = arith.constant 0x42 : i64 // "B"
  call @bench_array(%tag_B) : (i64) -> ()
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %value = affine.load %B[%i, %j] : memref<?x?xf64>
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
  %A = memref.alloc(%m, %m) : memref<?x?xf64>
  %B = memref.alloc(%m, %n) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%m, %n, %A, %B) : (index, index, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_trmm(%m, %n, %alpha, %A, %B)
        : (index, index, f64, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%m, %n, %B) : (index, index, memref<?x?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %B : memref<?x?xf64>
  return
}
