// doitgen: A[r][q][.] = A[r][q][.] * C4, a kernel of multiresolution analysis

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%nq: index, %nr: index, %np: index, %A: memref<?x?x?xf64>,
                      %C4: memref<?x?xf64>, %sum: memref<?xf64>) {
  %fm1 = arith.constant -1.0 : f64
  // PolyBench leaves sum as it was allocated, which is mostly zero: that the kernel clears it
  // would then change nothing at first.
  affine.for %p = 0 to %np {
    affine.store %fm1, %sum[%p] : memref<?xf64>
  }
  affine.for %i = 0 to %nr {
    affine.for %j = 0 to %nq {
      affine.for %k = 0 to %np {
        %prod = arith.muli %i, %j : index
        %sum1 = arith.addi %prod, %k : index
        %rem = arith.remsi %sum1, %np : index
        %int = arith.index_cast %rem : index to i64
        %real = arith.sitofp %int : i64 to f64
        %int1 = arith.index_cast %np : index to i64
        %real1 = arith.sitofp %int1 : i64 to f64
        %quot = arith.divf %real, %real1 : f64
        affine.store %quot, %A[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %np {
    affine.for %j = 0 to %np {
      %prod = arith.muli %i, %j : index
      %rem = arith.remsi %prod, %np : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %np : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %C4[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_doitgen(%nq: index, %nr: index, %np: index, %A: memref<?x?x?xf64>,
                          %C4: memref<?x?xf64>, %sum: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %r = 0 to %nr {
    affine.for %q = 0 to %nq {
      affine.for %p = 0 to %np {
        affine.store %f0, %sum[%p] : memref<?xf64>
        affine.for %s = 0 to %np {
          %sum_v = affine.load %sum[%p] : memref<?xf64>
          %a_v = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %c4_v = affine.load %C4[%s, %p] : memref<?x?xf64>
          %prod = arith.mulf %a_v, %c4_v : f64
          %sum1 = arith.addf %sum_v, %prod : f64
          affine.store %sum1, %sum[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %np {
        %sum_v = affine.load %sum[%p] : memref<?xf64>
        affine.store %sum_v, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%nq: index, %nr: index, %np: index, %A: memref<?x?x?xf64>) {
  %tag_A = arith.constant 0x41 : i64 // "A"
  call @bench_array(%tag_A) : (i64) -> ()
  affine.for %i = 0 to %nr {
    affine.for %j = 0 to %nq {
      affine.for %k = 0 to %np {
        %a_v = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
        func.call @bench_value_f64(%a_v) : (f64) -> ()
      }
    }
  }
  return
}

func.func @polybench_run() {
  %nq_which = arith.constant 0 : i64
  %nq_large = arith.constant 140 : i64
  %nq_asked = call @bench_size(%nq_which, %nq_large) : (i64, i64) -> i64
  %nq = arith.index_cast %nq_asked : i64 to index
  %nr_which = arith.constant 1 : i64
  %nr_large = arith.constant 150 : i64
  %nr_asked = call @bench_size(%nr_which, %nr_large) : (i64, i64) -> i64
  %nr = arith.index_cast %nr_asked : i64 to index
  %np_which = arith.constant 2 : i64
  %np_large = arith.constant 160 : i64
  %np_asked = call @bench_size(%np_which, %np_large) : (i64, i64) -> i64
  %np = arith.index_cast %np_asked : i64 to index
  %A = memref.alloc(%nr, %nq, %np) : memref<?x?x?xf64>
  %C4 = memref.alloc(%np, %np) : memref<?x?xf64>
  %sum = memref.alloc(%np) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%nq, %nr, %np, %A, %C4, %sum)
        : (index, index, index, memref<?x?x?xf64>, memref<?x?xf64>, memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_doitgen(%nq, %nr, %np, %A, %C4, %sum)
        : (index, index, index, memref<?x?x?xf64>, memref<?x?xf64>, memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%nq, %nr, %np, %A) : (index, index, index, memref<?x?x?xf64>) -> ()
  memref.dealloc %A : memref<?x?x?xf64>
  memref.dealloc %C4 : memref<?x?xf64>
  memref.dealloc %sum : memref<?xf64>
  return
}
