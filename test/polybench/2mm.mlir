// 2mm: D = alpha * A * B * C + beta * D

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%ni: index, %nj: index, %nk: index, %nl: index, %tmp: memref<?x?xf64>,
                      %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>,
                      %D: memref<?x?xf64>) {
  %fm1 = arith.constant -1.0 : f64
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  // PolyBench leaves tmp as it was allocated, which is mostly zero: that the kernel clears it
  // would then change nothing.
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      affine.store %fm1, %tmp[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nk {
      %prod = arith.muli %i, %j : index
      %sum = arith.addi %prod, %c1 : index
      %rem = arith.remsi %sum, %ni : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %ni : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %nk {
    affine.for %j = 0 to %nj {
      %sum = arith.addi %j, %c1 : index
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
  affine.for %i = 0 to %nj {
    affine.for %j = 0 to %nl {
      %sum = arith.addi %j, %c3 : index
      %prod = arith.muli %i, %sum : index
      %sum1 = arith.addi %prod, %c1 : index
      %rem = arith.remsi %sum1, %nl : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %nl : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %C[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %sum = arith.addi %j, %c2 : index
      %prod = arith.muli %i, %sum : index
      %rem = arith.remsi %prod, %nk : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %nk : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %D[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_2mm(%ni: index, %nj: index, %nk: index, %nl: index, %alpha: f64, %beta: f64,
                      %tmp: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>,
                      %C: memref<?x?xf64>, %D: memref<?x?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      affine.store %f0, %tmp[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nk {
        %tmp_v = affine.load %tmp[%i, %j] : memref<?x?xf64>
        %a_v = affine.load %A[%i, %k] : memref<?x?xf64>
        %prod = arith.mulf %alpha, %a_v : f64
        %b_v = affine.load %B[%k, %j] : memref<?x?xf64>
        %prod1 = arith.mulf %prod, %b_v : f64
        %sum = arith.addf %tmp_v, %prod1 : f64
        affine.store %sum, %tmp[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %d_v = affine.load %D[%i, %j] : memref<?x?xf64>
      %prod = arith.mulf %d_v, %beta : f64
      affine.store %prod, %D[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nj {
        %d_v1 = affine.load %D[%i, %j] : memref<?x?xf64>
        %tmp_v = affine.load %tmp[%i, %k] : memref<?x?xf64>
        %c_v = affine.load %C[%k, %j] : memref<?x?xf64>
        %prod1 = arith.mulf %tmp_v, %c_v : f64
        %sum = arith.addf %d_v1, %prod1 : f64
        affine.store %sum, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%ni: index, %nl: index, %D: memref<?x?xf64>) {
  %tag_D = arith.constant 0x44 : i64 // "D"
  call @bench_array(%tag_D) : (i64) -> ()
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %d_v = affine.load %D[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%d_v) : (f64) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %ni_which = arith.constant 0 : i64
  %ni_large = arith.constant 800 : i64
  %ni_asked = call @bench_size(%ni_which, %ni_large) : (i64, i64) -> i64
  %ni = arith.index_cast %ni_asked : i64 to index
  %nj_which = arith.constant 1 : i64
  %nj_large = arith.constant 900 : i64
  %nj_asked = call @bench_size(%nj_which, %nj_large) : (i64, i64) -> i64
  %nj = arith.index_cast %nj_asked : i64 to index
  %nk_which = arith.constant 2 : i64
  %nk_large = arith.constant 1100 : i64
  %nk_asked = call @bench_size(%nk_which, %nk_large) : (i64, i64) -> i64
  %nk = arith.index_cast %nk_asked : i64 to index
  %nl_which = arith.constant 3 : i64
  %nl_large = arith.constant 1200 : i64
  %nl_asked = call @bench_size(%nl_which, %nl_large) : (i64, i64) -> i64
  %nl = arith.index_cast %nl_asked : i64 to index
  %alpha = arith.constant 1.5 : f64
  %beta = arith.constant 1.2 : f64
  %tmp = memref.alloc(%ni, %nj) : memref<?x?xf64>
  %A = memref.alloc(%ni, %nk) : memref<?x?xf64>
  %B = memref.alloc(%nk, %nj) : memref<?x?xf64>
  %C = memref.alloc(%nj, %nl) : memref<?x?xf64>
  %D = memref.alloc(%ni, %nl) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%ni, %nj, %nk, %nl, %tmp, %A, %B, %C, %D)
        : (index, index, index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>,
           memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_2mm(%ni, %nj, %nk, %nl, %alpha, %beta, %tmp, %A, %B, %C, %D)
        : (index, index, index, index, f64, f64, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>,
           memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%ni, %nl, %D) : (index, index, memref<?x?xf64>) -> ()
  memref.dealloc %tmp : memref<?x?xf64>
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %B : memref<?x?xf64>
  memref.dealloc %C : memref<?x?xf64>
  memref.dealloc %D : memref<?x?xf64>
  return
}
