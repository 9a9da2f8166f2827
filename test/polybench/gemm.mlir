// gemm: C = alpha * A * B + beta * C

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%ni: index, %nj: index, %nk: index, %C: memref<?x?xf64>, %A: memref<?x?xf64>,
                      %B: memref<?x?xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %prod = arith.muli %i, %j : index
      %sum = arith.addi %prod, %c1 : index
      %rem = arith.remsi %sum, %ni : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %ni : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %C[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nk {
      %sum = arith.addi %j, %c1 : index
      %prod = arith.muli %i, %sum : index
      %rem = arith.remsi %prod, %nk : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %nk : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %nk {
    affine.for %j = 0 to %nj {
      %sum = arith.addi %j, %c2 : index
      %prod = arith.muli %i, %sum : index
      %rem = arith.remsi %prod, %nj : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %nj : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_gemm(%ni: index, %nj: index, %nk: index, %alpha: f64, %beta: f64,
                       %C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %c_v = affine.load %C[%i, %j] : memref<?x?xf64>
      %prod = arith.mulf %c_v, %beta : f64
      affine.store %prod, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %nk {
      affine.for %j = 0 to %nj {
        %c_v = affine.load %C[%i, %j] : memref<?x?xf64>
        %a_v = affine.load %A[%i, %k] : memref<?x?xf64>
        %prod = arith.mulf %alpha, %a_v : f64
        %b_v = affine.load %B[%k, %j] : memref<?x?xf64>
        %prod1 = arith.mulf %prod, %b_v : f64
        %sum = arith.addf %c_v, %prod1 : f64
        affine.store %sum, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%ni: index, %nj: index, %C: memref<?x?xf64>) {
  %tag_C = arith.constant 0x43 : i64 // "C"
  call @bench_array(%tag_C) : (i64) -> ()
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %c_v = affine.load %C[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%c_v) : (f64) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %ni_which = arith.constant 0 : i64
  %ni_large = arith.constant 1000 : i64
  %ni_asked = call @bench_size(%ni_which, %ni_large) : (i64, i64) -> i64
  %ni = arith.index_cast %ni_asked : i64 to index
  %nj_which = arith.constant 1 : i64
  %nj_large = arith.constant 1100 : i64
  %nj_asked = call @bench_size(%nj_which, %nj_large) : (i64, i64) -> i64
  %nj = arith.index_cast %nj_asked : i64 to index
  %nk_which = arith.constant 2 : i64
  %nk_large = arith.constant 1200 : i64
  %nk_asked = call @bench_size(%nk_which, %nk_large) : (i64, i64) -> i64
  %nk = arith.index_cast %nk_asked : i64 to index
  %alpha = arith.constant 1.5 : f64
  %beta = arith.constant 1.2 : f64
  %C = memref.alloc(%ni, %nj) : memref<?x?xf64>
  %A = memref.alloc(%ni, %nk) : memref<?x?xf64>
  %B = memref.alloc(%nk, %nj) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%ni, %nj, %nk, %C, %A, %B)
        : (index, index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_gemm(%ni, %nj, %nk, %alpha, %beta, %C, %A, %B)
        : (index, index, index, f64, f64, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%ni, %nj, %C) : (index, index, memref<?x?xf64>) -> ()
  memref.dealloc %C : memref<?x?xf64>
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %B : memref<?x?xf64>
  return
}
