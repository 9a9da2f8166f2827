// 3mm: G = (A * B) * (C * D)

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%ni: index, %nj: index, %nk: index, %nl: index, %nm: index,
                      %E: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>,
                      %F: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>,
                      %G: memref<?x?xf64>) {
  %fm1 = arith.constant -1.0 : f64
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // PolyBench leaves E, F and G as they were allocated, which is mostly zero: that the kernel
  // clears them would then change nothing.
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      affine.store %fm1, %E[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %nj {
    affine.for %j = 0 to %nl {
      affine.store %fm1, %F[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      affine.store %fm1, %G[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nk {
      %prod = arith.muli %i, %j : index
      %sum = arith.addi %prod, %c1 : index
      %rem = arith.remsi %sum, %ni : index
      %prod1 = arith.muli %c5, %ni : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %prod1 : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %nk {
    affine.for %j = 0 to %nj {
      %sum = arith.addi %j, %c1 : index
      %prod = arith.muli %i, %sum : index
      %sum1 = arith.addi %prod, %c2 : index
      %rem = arith.remsi %sum1, %nj : index
      %prod1 = arith.muli %c5, %nj : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %prod1 : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %B[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %nj {
    affine.for %j = 0 to %nm {
      %sum = arith.addi %j, %c3 : index
      %prod = arith.muli %i, %sum : index
      %rem = arith.remsi %prod, %nl : index
      %prod1 = arith.muli %c5, %nl : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %prod1 : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %C[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %nm {
    affine.for %j = 0 to %nl {
      %sum = arith.addi %j, %c2 : index
      %prod = arith.muli %i, %sum : index
      %sum1 = arith.addi %prod, %c2 : index
      %rem = arith.remsi %sum1, %nk : index
      %prod1 = arith.muli %c5, %nk : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %prod1 : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %D[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_3mm(%ni: index, %nj: index, %nk: index, %nl: index, %nm: index,
                      %E: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>,
                      %F: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>,
                      %G: memref<?x?xf64>) {
  %f0 = arith.constant 0.0 : f64
  // E = A * B
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      affine.store %f0, %E[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nk {
        %e_v = affine.load %E[%i, %j] : memref<?x?xf64>
        %a_v = affine.load %A[%i, %k] : memref<?x?xf64>
        %b_v = affine.load %B[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %a_v, %b_v : f64
        %sum = arith.addf %e_v, %prod : f64
        affine.store %sum, %E[%i, %j] : memref<?x?xf64>
      }
    }
  }
  // F = C * D
  affine.for %i = 0 to %nj {
    affine.for %j = 0 to %nl {
      affine.store %f0, %F[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nm {
        %f_v = affine.load %F[%i, %j] : memref<?x?xf64>
        %c_v = affine.load %C[%i, %k] : memref<?x?xf64>
        %d_v = affine.load %D[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %c_v, %d_v : f64
        %sum = arith.addf %f_v, %prod : f64
        affine.store %sum, %F[%i, %j] : memref<?x?xf64>
      }
    }
  }
  // G = E * F
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      affine.store %f0, %G[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nj {
        %g_v = affine.load %G[%i, %j] : memref<?x?xf64>
        %e_v = affine.load %E[%i, %k] : memref<?x?xf64>
        %f_v = affine.load %F[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %e_v, %f_v : f64
        %sum = arith.addf %g_v, %prod : f64
        affine.store %sum, %G[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%ni: index, %nl: index, %G: memref<?x?xf64>) {
  %tag_G = arith.constant 0x47 : i64 // "G"
  call @bench_array(%tag_G) : (i64) -> ()
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      %g_v = affine.load %G[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%g_v) : (f64) -> ()
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
  %nk_large = arith.constant 1000 : i64
  %nk_asked = call @bench_size(%nk_which, %nk_large) : (i64, i64) -> i64
  %nk = arith.index_cast %nk_asked : i64 to index
  %nl_which = arith.constant 3 : i64
  %nl_large = arith.constant 1100 : i64
  %nl_asked = call @bench_size(%nl_which, %nl_large) : (i64, i64) -> i64
  %nl = arith.index_cast %nl_asked : i64 to index
  %nm_which = arith.constant 4 : i64
  %nm_large = arith.constant 1200 : i64
  %nm_asked = call @bench_size(%nm_which, %nm_large) : (i64, i64) -> i64
  %nm = arith.index_cast %nm_asked : i64 to index
  %E = memref.alloc(%ni, %nj) : memref<?x?xf64>
  %A = memref.alloc(%ni, %nk) : memref<?x?xf64>
  %B = memref.alloc(%nk, %nj) : memref<?x?xf64>
  %F = memref.alloc(%nj, %nl) : memref<?x?xf64>
  %C = memref.alloc(%nj, %nm) : memref<?x?xf64>
  %D = memref.alloc(%nm, %nl) : memref<?x?xf64>
  %G = memref.alloc(%ni, %nl) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%ni, %nj, %nk, %nl, %nm, %E, %A, %B, %F, %C, %D, %G)
        : (index, index, index, index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>,
           memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_3mm(%ni, %nj, %nk, %nl, %nm, %E, %A, %B, %F, %C, %D, %G)
        : (index, index, index, index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>,
           memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%ni, %nl, %G) : (index, index, memref<?x?xf64>) -> ()
  memref.dealloc %E : memref<?x?xf64>
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %B : memref<?x?xf64>
  memref.dealloc %F : memref<?x?xf64>
  memref.dealloc %C : memref<?x?xf64>
  memref.dealloc %D : memref<?x?xf64>
  memref.dealloc %G : memref<?x?xf64>
  return
}
