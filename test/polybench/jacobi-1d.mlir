// jacobi-1d: three-point Jacobi stencil in one dimension, two arrays

#prev = affine_map<(d0) -> (d0 - 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %f2 = arith.constant 2.0 : f64
  %f3 = arith.constant 3.0 : f64
  affine.for %i = 0 to %n {
    %int = arith.index_cast %i : index to i64
    %fp = arith.sitofp %int : i64 to f64
    %sum = arith.addf %fp, %f2 : f64
    %int_1 = arith.index_cast %n : index to i64
    %fp_1 = arith.sitofp %int_1 : i64 to f64
    %quot = arith.divf %sum, %fp_1 : f64
    affine.store %quot, %A[%i] : memref<?xf64>
    %int_2 = arith.index_cast %i : index to i64
    %fp_2 = arith.sitofp %int_2 : i64 to f64
    %sum_1 = arith.addf %fp_2, %f3 : f64
    %int_3 = arith.index_cast %n : index to i64
    %fp_3 = arith.sitofp %int_3 : i64 to f64
    %quot_1 = arith.divf %sum_1, %fp_3 : f64
    affine.store %quot_1, %B[%i] : memref<?xf64>
  }
  return
}

func.func @kernel_jacobi_1d(%tsteps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %f0_33333 = arith.constant 0.33333 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to #prev(%n) {
      %a_im = affine.load %A[%i - 1] : memref<?xf64>
      %a_i = affine.load %A[%i] : memref<?xf64>
      %sum = arith.addf %a_im, %a_i : f64
      %a_ip = affine.load %A[%i + 1] : memref<?xf64>
      %sum_1 = arith.addf %sum, %a_ip : f64
      %prod = arith.mulf %f0_33333, %sum_1 : f64
      affine.store %prod, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to #prev(%n) {
      %b_im = affine.load %B[%i - 1] : memref<?xf64>
      %b_i = affine.load %B[%i] : memref<?xf64>
      %sum_2 = arith.addf %b_im, %b_i : f64
      %b_ip = affine.load %B[%i + 1] : memref<?xf64>
      %sum_3 = arith.addf %sum_2, %b_ip : f64
      %prod_1 = arith.mulf %f0_33333, %sum_3 : f64
      affine.store %prod_1, %A[%i] : memref<?xf64>
    }
  }
  return
}

func.func @print_array(%n: index, %A: memref<?xf64>) {
  %tag_A = arith.constant 0x41 : i64 // "A"
  call @bench_array(%tag_A) : (i64) -> ()
  affine.for %i = 0 to %n {
    %value = affine.load %A[%i] : memref<?xf64>
    func.call @bench_value_f64(%value) : (f64) -> ()
  }
  return
}

func.func @polybench_run() {
  %tsteps_which = arith.constant 0 : i64
  %tsteps_large = arith.constant 500 : i64
  %tsteps_asked = call @bench_size(%tsteps_which, %tsteps_large) : (i64, i64) -> i64
  %tsteps = arith.index_cast %tsteps_asked : i64 to index
  %n_which = arith.constant 1 : i64
  %n_large = arith.constant 2000 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %A = memref.alloc(%n) : memref<?xf64>
  %B = memref.alloc(%n) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %A, %B) : (index, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_jacobi_1d(%tsteps, %n, %A, %B)
        : (index, index, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %A) : (index, memref<?xf64>) -> ()
  memref.dealloc %A : memref<?xf64>
  memref.dealloc %B : memref<?xf64>
  return
}
