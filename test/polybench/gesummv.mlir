// gesummv: sum of two matrix-vector products, y = alpha A x + beta B x

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %tmp: memref<?xf64>,
                      %x: memref<?xf64>, %y: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  affine.for %i = 0 to %n {
    %rest = arith.remsi %i, %n : index
    %int = arith.index_cast %rest : index to i64
    %fp = arith.sitofp %int : i64 to f64
    %int_1 = arith.index_cast %n : index to i64
    %fp_1 = arith.sitofp %int_1 : i64 to f64
    %quot = arith.divf %fp, %fp_1 : f64
    affine.store %quot, %x[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %prod = arith.muli %i, %j : index
      %sum = arith.addi %prod, %c1 : index
      %rest_1 = arith.remsi %sum, %n : index
      %int_2 = arith.index_cast %rest_1 : index to i64
      %fp_2 = arith.sitofp %int_2 : i64 to f64
      %int_3 = arith.index_cast %n : index to i64
      %fp_3 = arith.sitofp %int_3 : i64 to f64
      %quot_1 = arith.divf %fp_2, %fp_3 : f64
      affine.store %quot_1, %A[%i, %j] : memref<?x?xf64>
      %prod_1 = arith.muli %i, %j : index
      %sum_1 = arith.addi %prod_1, %c2 : index
      %rest_2 = arith.remsi %sum_1, %n : index
      %int_4 = arith.index_cast %rest_2 : index to i64
      %fp_4 = arith.sitofp %int_4 : i64 to f64
      %int_5 = arith.index_cast %n : index to i64
      %fp_5 = arith.sitofp %int_5 : i64 to f64
      %quot_2 = arith.divf %fp_4, %fp_5 : f64
      affine.store %quot_2, %B[%i, %j] : memref<?x?xf64>
    }
    // The kernel overwrites these; what it overwrites is no zero.
    %int_6 = arith.index_cast %n : index to i64
    %fp_6 = arith.sitofp %int_6 : i64 to f64
    affine.store %fp_6, %tmp[%i] : memref<?xf64>
    %int_7 = arith.index_cast %n : index to i64
    %fp_7 = arith.sitofp %int_7 : i64 to f64
    affine.store %fp_7, %y[%i] : memref<?xf64>
  }
  return
}

func.func @kernel_gesummv(%n: index, %alpha: f64, %beta: f64, %A: memref<?x?xf64>,
                          %B: memref<?x?xf64>, %tmp: memref<?xf64>, %x: memref<?xf64>,
                          %y: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.store %f0, %tmp[%i] : memref<?xf64>
    affine.store %f0, %y[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %prod = arith.mulf %a_ij, %x_j : f64
      %tmp_i = affine.load %tmp[%i] : memref<?xf64>
      %sum = arith.addf %prod, %tmp_i : f64
      affine.store %sum, %tmp[%i] : memref<?xf64>
      %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
      %x_j_1 = affine.load %x[%j] : memref<?xf64>
      %prod_1 = arith.mulf %b_ij, %x_j_1 : f64
      %y_i = affine.load %y[%i] : memref<?xf64>
      %sum_1 = arith.addf %prod_1, %y_i : f64
      affine.store %sum_1, %y[%i] : memref<?xf64>
    }
    %tmp_i_1 = affine.load %tmp[%i] : memref<?xf64>
    %prod_2 = arith.mulf %alpha, %tmp_i_1 : f64
    %y_i_1 = affine.load %y[%i] : memref<?xf64>
    %prod_3 = arith.mulf %beta, %y_i_1 : f64
    %sum_2 = arith.addf %prod_2, %prod_3 : f64
    affine.store %sum_2, %y[%i] : memref<?xf64>
  }
  return
}

func.func @print_array(%n: index, %y: memref<?xf64>) {
  %tag_y = arith.constant 0x79 : i64 // "y"
  call @bench_array(%tag_y) : (i64) -> ()
  affine.for %i = 0 to %n {
    %value = affine.load %y[%i] : memref<?xf64>
    func.call @bench_value_f64(%value) : (f64) -> ()
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 1300 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %alpha = arith.constant 1.5 : f64
  %beta = arith.constant 1.2 : f64
  %A = memref.alloc(%n, %n) : memref<?x?xf64>
  %B = memref.alloc(%n, %n) : memref<?x?xf64>
  %tmp = memref.alloc(%n) : memref<?xf64>
  %x = memref.alloc(%n) : memref<?xf64>
  %y = memref.alloc(%n) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %A, %B, %tmp, %x, %y)
        : (index, memref<?x?xf64>, memref<?x?xf64>, memref<?xf64>, memref<?xf64>,
           memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_gesummv(%n, %alpha, %beta, %A, %B, %tmp, %x, %y)
        : (index, f64, f64, memref<?x?xf64>, memref<?x?xf64>, memref<?xf64>, memref<?xf64>,
           memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %y) : (index, memref<?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %B : memref<?x?xf64>
  memref.dealloc %tmp : memref<?xf64>
  memref.dealloc %x : memref<?xf64>
  memref.dealloc %y : memref<?xf64>
  return
}
