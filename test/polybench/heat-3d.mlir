// heat-3d: heat equation in three dimensions, explicit scheme, two arrays
//
// PolyBench starts from a linear function, which the stencil maps to itself: no update would
// change a value. This start wraps around modulo n instead.

#next = affine_map<(d0) -> (d0 + 1)>
#prev = affine_map<(d0) -> (d0 - 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f10 = arith.constant 10.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %sum = arith.addi %j, %c1 : index
        %prod = arith.muli %i, %sum : index
        %sum_1 = arith.addi %j, %c2 : index
        %prod_1 = arith.muli %k, %sum_1 : index
        %sum_2 = arith.addi %prod, %prod_1 : index
        %rest = arith.remsi %sum_2, %n : index
        %int = arith.index_cast %rest : index to i64
        %fp = arith.sitofp %int : i64 to f64
        %prod_2 = arith.mulf %fp, %f10 : f64
        %int_1 = arith.index_cast %n : index to i64
        %fp_1 = arith.sitofp %int_1 : i64 to f64
        %start = arith.divf %prod_2, %fp_1 : f64
        affine.store %start, %A[%i, %j, %k] : memref<?x?x?xf64>
        affine.store %start, %B[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}

func.func @kernel_heat_3d(%tsteps: index, %n: index, %A: memref<?x?x?xf64>,
                          %B: memref<?x?x?xf64>) {
  %f0_125 = arith.constant 0.125 : f64
  %f2 = arith.constant 2.0 : f64
  affine.for %t = 1 to #next(%tsteps) {
    affine.for %i = 1 to #prev(%n) {
      affine.for %j = 1 to #prev(%n) {
        affine.for %k = 1 to #prev(%n) {
          %a_ipjk = affine.load %A[%i + 1, %j, %k] : memref<?x?x?xf64>
          %a_ijk = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %prod = arith.mulf %f2, %a_ijk : f64
          %diff = arith.subf %a_ipjk, %prod : f64
          %a_imjk = affine.load %A[%i - 1, %j, %k] : memref<?x?x?xf64>
          %sum = arith.addf %diff, %a_imjk : f64
          %prod_1 = arith.mulf %f0_125, %sum : f64
          %a_ijpk = affine.load %A[%i, %j + 1, %k] : memref<?x?x?xf64>
          %a_ijk_1 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %prod_2 = arith.mulf %f2, %a_ijk_1 : f64
          %diff_1 = arith.subf %a_ijpk, %prod_2 : f64
          %a_ijmk = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf64>
          %sum_1 = arith.addf %diff_1, %a_ijmk : f64
          %prod_3 = arith.mulf %f0_125, %sum_1 : f64
          %sum_2 = arith.addf %prod_1, %prod_3 : f64
          %a_ijkp = affine.load %A[%i, %j, %k + 1] : memref<?x?x?xf64>
          %a_ijk_2 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %prod_4 = arith.mulf %f2, %a_ijk_2 : f64
          %diff_2 = arith.subf %a_ijkp, %prod_4 : f64
          %a_ijkm = affine.load %A[%i, %j, %k - 1] : memref<?x?x?xf64>
          %sum_3 = arith.addf %diff_2, %a_ijkm : f64
          %prod_5 = arith.mulf %f0_125, %sum_3 : f64
          %sum_4 = arith.addf %sum_2, %prod_5 : f64
          %a_ijk_3 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %sum_5 = arith.addf %sum_4, %a_ijk_3 : f64
          affine.store %sum_5, %B[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to #prev(%n) {
      affine.for %j = 1 to #prev(%n) {
        affine.for %k = 1 to #prev(%n) {
          %b_ipjk = affine.load %B[%i + 1, %j, %k] : memref<?x?x?xf64>
          %b_ijk = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %prod_6 = arith.mulf %f2, %b_ijk : f64
          %diff_3 = arith.subf %b_ipjk, %prod_6 : f64
          %b_imjk = affine.load %B[%i - 1, %j, %k] : memref<?x?x?xf64>
          %sum_6 = arith.addf %diff_3, %b_imjk : f64
          %prod_7 = arith.mulf %f0_125, %sum_6 : f64
          %b_ijpk = affine.load %B[%i, %j + 1, %k] : memref<?x?x?xf64>
          %b_ijk_1 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %prod_8 = arith.mulf %f2, %b_ijk_1 : f64
          %diff_4 = arith.subf %b_ijpk, %prod_8 : f64
          %b_ijmk = affine.load %B[%i, %j - 1, %k] : memref<?x?x?xf64>
          %sum_7 = arith.addf %diff_4, %b_ijmk : f64
          %prod_9 = arith.mulf %f0_125, %sum_7 : f64
          %sum_8 = arith.addf %prod_7, %prod_9 : f64
          %b_ijkp = affine.load %B[%i, %j, %k + 1] : memref<?x?x?xf64>
          %b_ijk_2 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %prod_10 = arith.mulf %f2, %b_ijk_2 : f64
          %diff_5 = arith.subf %b_ijkp, %prod_10 : f64
          %b_ijkm = affine.load %B[%i, %j, %k - 1] : memref<?x?x?xf64>
          %sum_9 = arith.addf %diff_5, %b_ijkm : f64
          %prod_11 = arith.mulf %f0_125, %sum_9 : f64
          %sum_10 = arith.addf %sum_8, %prod_11 : f64
          %b_ijk_3 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %sum_11 = arith.addf %sum_10, %b_ijk_3 : f64
          affine.store %sum_11, %A[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

func.func @print_array(%n: index, %A: memref<?x?x?xf64>) {
  %tag_A = arith.constant 0x41 : i64 // "A"
  call @bench_array(%tag_A) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %value = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
        func.call @bench_value_f64(%value) : (f64) -> ()
      }
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
  %n_large = arith.constant 120 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %A = memref.alloc(%n, %n, %n) : memref<?x?x?xf64>
  %B = memref.alloc(%n, %n, %n) : memref<?x?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %A, %B) : (index, memref<?x?x?xf64>, memref<?x?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_heat_3d(%tsteps, %n, %A, %B)
        : (index, index, memref<?x?x?xf64>, memref<?x?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %A) : (index, memref<?x?x?xf64>) -> ()
  memref.dealloc %A : memref<?x?x?xf64>
  memref.dealloc %B : memref<?x?x?xf64>
  return
}
