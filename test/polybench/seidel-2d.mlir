// seidel-2d: nine-point Gauss-Seidel stencil in two dimensions, in place
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

func.func @init_array(%n: index, %A: memref<?x?xf64>) {
  %c2 = arith.constant 2 : index
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
    }
  }
  return
}

func.func @kernel_seidel_2d(%tsteps: index, %n: index, %A: memref<?x?xf64>) {
  %f9 = arith.constant 9.0 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to #prev(%n) {
      affine.for %j = 1 to #prev(%n) {
        %a_imjm = affine.load %A[%i - 1, %j - 1] : memref<?x?xf64>
        %a_imj = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %sum = arith.addf %a_imjm, %a_imj : f64
        %a_imjp = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
        %sum_1 = arith.addf %sum, %a_imjp : f64
        %a_ijm = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %sum_2 = arith.addf %sum_1, %a_ijm : f64
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %sum_3 = arith.addf %sum_2, %a_ij : f64
        %a_ijp = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %sum_4 = arith.addf %sum_3, %a_ijp : f64
        %a_ipjm = affine.load %A[%i + 1, %j - 1] : memref<?x?xf64>
        %sum_5 = arith.addf %sum_4, %a_ipjm : f64
        %a_ipj = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %sum_6 = arith.addf %sum_5, %a_ipj : f64
        %a_ipjp = affine.load %A[%i + 1, %j + 1] : memref<?x?xf64>
        %sum_7 = arith.addf %sum_6, %a_ipjp : f64
        %quot = arith.divf %sum_7, %f9 : f64
        affine.store %quot, %A[%i, %j] : memref<?x?xf64>
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
    func.call @kernel_seidel_2d(%tsteps, %n, %A) : (index, index, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %A) : (index, memref<?x?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  return
}
