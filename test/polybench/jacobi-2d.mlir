// jacobi-2d: five-point Jacobi stencil in two dimensions, two arrays
//
// PolyBench starts from a bilinear function, which the stencil maps to itself: no update would
// change a value. This start wraps around modulo n instead.

#prev = affine_map<(d0) -> (d0 - 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %sum = arith.addi %j, %c2 : index
      %prod = arith.muli %i, %sum : index
      %sum_1 = arith.addi %prod, %c2 : index
      %rest = arith.remsi %sum_1, %n : index
      %int = arith.index_cast %rest : index to i64
      %fp = arith.sitofp %int : i64 to f64
      %int_1 = arith.index_cast %n : index to i64
      %fp_1 = arith.sitofp %int_1 : i64 to f64
      %quot = arith.divf %fp, %fp_1 : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
      %sum_2 = arith.addi %j, %c3 : index
      %prod_1 = arith.muli %i, %sum_2 : index
      %sum_3 = arith.addi %prod_1, %c3 : index
      %rest_1 = arith.remsi %sum_3, %n : index
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

func.func @kernel_jacobi_2d(%tsteps: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %f0_2 = arith.constant 0.2 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to #prev(%n) {
      affine.for %j = 1 to #prev(%n) {
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_ijm = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %sum = arith.addf %a_ij, %a_ijm : f64
        %a_ijp = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %sum_1 = arith.addf %sum, %a_ijp : f64
        %a_ipj = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %sum_2 = arith.addf %sum_1, %a_ipj : f64
        %a_imj = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %sum_3 = arith.addf %sum_2, %a_imj : f64
        %prod = arith.mulf %f0_2, %sum_3 : f64
        affine.store %prod, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to #prev(%n) {
      affine.for %j = 1 to #prev(%n) {
        %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
        %b_ijm = affine.load %B[%i, %j - 1] : memref<?x?xf64>
        %sum_4 = arith.addf %b_ij, %b_ijm : f64
        %b_ijp = affine.load %B[%i, %j + 1] : memref<?x?xf64>
        %sum_5 = arith.addf %sum_4, %b_ijp : f64
        %b_ipj = affine.load %B[%i + 1, %j] : memref<?x?xf64>
        %sum_6 = arith.addf %sum_5, %b_ipj : f64
        %b_imj = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %sum_7 = arith.addf %sum_6, %b_imj : f64
        %prod_1 = arith.mulf %f0_2, %sum_7 : f64
        affine.store %prod_1, %A[%i, %j] : memref<?x?xf64>
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
  %tsteps_which = arith.constant 0 : i64
  %tsteps_large = arith.constant 500 : i64
  %tsteps_asked = call @bench_size(%tsteps_which, %tsteps_large) : (i64, i64) -> i64
  %tsteps = arith.index_cast %tsteps_asked : i64 to index
  %n_which = arith.constant 1 : i64
  %n_large = arith.constant 1300 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %A = memref.alloc(%n, %n) : memref<?x?xf64>
  %B = memref.alloc(%n, %n) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %A, %B) : (index, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_jacobi_2d(%tsteps, %n, %A, %B)
        : (index, index, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %A) : (index, memref<?x?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %B : memref<?x?xf64>
  return
}
