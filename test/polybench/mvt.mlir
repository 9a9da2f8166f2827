// mvt: two products of one matrix with a vector, the second with its transpose

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %x1: memref<?xf64>, %x2: memref<?xf64>, %y_1: memref<?xf64>,
                      %y_2: memref<?xf64>, %A: memref<?x?xf64>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  affine.for %i = 0 to %n {
    %rest = arith.remsi %i, %n : index
    %int = arith.index_cast %rest : index to i64
    %fp = arith.sitofp %int : i64 to f64
    %int_1 = arith.index_cast %n : index to i64
    %fp_1 = arith.sitofp %int_1 : i64 to f64
    %quot = arith.divf %fp, %fp_1 : f64
    affine.store %quot, %x1[%i] : memref<?xf64>
    %sum = arith.addi %i, %c1 : index
    %rest_1 = arith.remsi %sum, %n : index
    %int_2 = arith.index_cast %rest_1 : index to i64
    %fp_2 = arith.sitofp %int_2 : i64 to f64
    %int_3 = arith.index_cast %n : index to i64
    %fp_3 = arith.sitofp %int_3 : i64 to f64
    %quot_1 = arith.divf %fp_2, %fp_3 : f64
    affine.store %quot_1, %x2[%i] : memref<?xf64>
    %sum_1 = arith.addi %i, %c3 : index
    %rest_2 = arith.remsi %sum_1, %n : index
    %int_4 = arith.index_cast %rest_2 : index to i64
    %fp_4 = arith.sitofp %int_4 : i64 to f64
    %int_5 = arith.index_cast %n : index to i64
    %fp_5 = arith.sitofp %int_5 : i64 to f64
    %quot_2 = arith.divf %fp_4, %fp_5 : f64
    affine.store %quot_2, %y_1[%i] : memref<?xf64>
    %sum_2 = arith.addi %i, %c4 : index
    %rest_3 = arith.remsi %sum_2, %n : index
    %int_6 = arith.index_cast %rest_3 : index to i64
    %fp_6 = arith.sitofp %int_6 : i64 to f64
    %int_7 = arith.index_cast %n : index to i64
    %fp_7 = arith.sitofp %int_7 : i64 to f64
    %quot_3 = arith.divf %fp_6, %fp_7 : f64
    affine.store %quot_3, %y_2[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %prod = arith.muli %i, %j : index
      %rest_4 = arith.remsi %prod, %n : index
      %int_8 = arith.index_cast %rest_4 : index to i64
      %fp_8 = arith.sitofp %int_8 : i64 to f64
      %int_9 = arith.index_cast %n : index to i64
      %fp_9 = arith.sitofp %int_9 : i64 to f64
      %quot_4 = arith.divf %fp_8, %fp_9 : f64
      affine.store %quot_4, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_mvt(%n: index, %x1: memref<?xf64>, %x2: memref<?xf64>, %y_1: memref<?xf64>,
                      %y_2: memref<?xf64>, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x1_i = affine.load %x1[%i] : memref<?xf64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %y_1_j = affine.load %y_1[%j] : memref<?xf64>
      %prod = arith.mulf %a_ij, %y_1_j : f64
      %sum = arith.addf %x1_i, %prod : f64
      affine.store %sum, %x1[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x2_i = affine.load %x2[%i] : memref<?xf64>
      %a_ji = affine.load %A[%j, %i] : memref<?x?xf64>
      %y_2_j = affine.load %y_2[%j] : memref<?xf64>
      %prod_1 = arith.mulf %a_ji, %y_2_j : f64
      %sum_1 = arith.addf %x2_i, %prod_1 : f64
      affine.store %sum_1, %x2[%i] : memref<?xf64>
    }
  }
  return
}

func.func @print_array(%n: index, %x1: memref<?xf64>, %x2: memref<?xf64>) {
  %tag_x1 = arith.constant 0x7831 : i64 // "x1"
  call @bench_array(%tag_x1) : (i64) -> ()
  affine.for %i = 0 to %n {
    %value = affine.load %x1[%i] : memref<?xf64>
    func.call @bench_value_f64(%value) : (f64) -> ()
  }
  %tag_x2 = arith.constant 0x7832 : i64 // "x2"
  call @bench_array(%tag_x2) : (i64) -> ()
  affine.for %i = 0 to %n {
    %value = affine.load %x2[%i] : memref<?xf64>
    func.call @bench_value_f64(%value) : (f64) -> ()
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 2000 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %x1 = memref.alloc(%n) : memref<?xf64>
  %x2 = memref.alloc(%n) : memref<?xf64>
  %y_1 = memref.alloc(%n) : memref<?xf64>
  %y_2 = memref.alloc(%n) : memref<?xf64>
  %A = memref.alloc(%n, %n) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %x1, %x2, %y_1, %y_2, %A)
        : (index, memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>,
           memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_mvt(%n, %x1, %x2, %y_1, %y_2, %A)
        : (index, memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>,
           memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %x1, %x2) : (index, memref<?xf64>, memref<?xf64>) -> ()
  memref.dealloc %x1 : memref<?xf64>
  memref.dealloc %x2 : memref<?xf64>
  memref.dealloc %y_1 : memref<?xf64>
  memref.dealloc %y_2 : memref<?xf64>
  memref.dealloc %A : memref<?x?xf64>
  return
}
