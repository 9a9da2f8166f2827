// atax: y = A^T * (A * x)

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%m: index, %n: index, %A: memref<?x?xf64>, %x: memref<?xf64>,
                      %y: memref<?xf64>, %tmp: memref<?xf64>) {
  %fm1 = arith.constant -1.0 : f64
  %f1 = arith.constant 1.0 : f64
  %c5 = arith.constant 5 : index
  // PolyBench leaves y and tmp as they were allocated, which is mostly zero: that the kernel
  // clears them would then change nothing.
  affine.for %i = 0 to %m {
    affine.store %fm1, %tmp[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.store %fm1, %y[%i] : memref<?xf64>
    %int = arith.index_cast %i : index to i64
    %real = arith.sitofp %int : i64 to f64
    %int1 = arith.index_cast %n : index to i64
    %real1 = arith.sitofp %int1 : i64 to f64
    %quot = arith.divf %real, %real1 : f64
    %sum = arith.addf %f1, %quot : f64
    affine.store %sum, %x[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = arith.addi %i, %j : index
      %rem = arith.remsi %sum, %n : index
      %prod = arith.muli %c5, %m : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %prod : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_atax(%m: index, %n: index, %A: memref<?x?xf64>, %x: memref<?xf64>,
                       %y: memref<?xf64>, %tmp: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.store %f0, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    affine.store %f0, %tmp[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %tmp_v = affine.load %tmp[%i] : memref<?xf64>
      %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
      %x_v = affine.load %x[%j] : memref<?xf64>
      %prod = arith.mulf %a_v, %x_v : f64
      %sum = arith.addf %tmp_v, %prod : f64
      affine.store %sum, %tmp[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %y_v = affine.load %y[%j] : memref<?xf64>
      %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
      %tmp_v = affine.load %tmp[%i] : memref<?xf64>
      %prod = arith.mulf %a_v, %tmp_v : f64
      %sum = arith.addf %y_v, %prod : f64
      affine.store %sum, %y[%j] : memref<?xf64>
    }
  }
  return
}

func.func @print_array(%n: index, %y: memref<?xf64>) {
  %tag_y = arith.constant 0x79 : i64 // "y"
  call @bench_array(%tag_y) : (i64) -> ()
  affine.for %i = 0 to %n {
    %y_v = affine.load %y[%i] : memref<?xf64>
    func.call @bench_value_f64(%y_v) : (f64) -> ()
  }
  return
}

func.func @polybench_run() {
  %m_which = arith.constant 0 : i64
  %m_large = arith.constant 1900 : i64
  %m_asked = call @bench_size(%m_which, %m_large) : (i64, i64) -> i64
  %m = arith.index_cast %m_asked : i64 to index
  %n_which = arith.constant 1 : i64
  %n_large = arith.constant 2100 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %A = memref.alloc(%m, %n) : memref<?x?xf64>
  %x = memref.alloc(%n) : memref<?xf64>
  %y = memref.alloc(%n) : memref<?xf64>
  %tmp = memref.alloc(%m) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%m, %n, %A, %x, %y, %tmp)
        : (index, index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_atax(%m, %n, %A, %x, %y, %tmp)
        : (index, index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %y) : (index, memref<?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %x : memref<?xf64>
  memref.dealloc %y : memref<?xf64>
  memref.dealloc %tmp : memref<?xf64>
  return
}
