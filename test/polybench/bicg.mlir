// bicg: s = A^T * r and q = A * p, a step of the biconjugate gradient method

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%m: index, %n: index, %A: memref<?x?xf64>, %s: memref<?xf64>,
                      %q: memref<?xf64>, %p: memref<?xf64>, %r: memref<?xf64>) {
  %fm1 = arith.constant -1.0 : f64
  %c1 = arith.constant 1 : index
  // PolyBench leaves s and q as they were allocated, which is mostly zero: that the kernel
  // clears them would then change nothing.
  affine.for %i = 0 to %m {
    affine.store %fm1, %s[%i] : memref<?xf64>
    %rem = arith.remsi %i, %m : index
    %int = arith.index_cast %rem : index to i64
    %real = arith.sitofp %int : i64 to f64
    %int1 = arith.index_cast %m : index to i64
    %real1 = arith.sitofp %int1 : i64 to f64
    %quot = arith.divf %real, %real1 : f64
    affine.store %quot, %p[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.store %fm1, %q[%i] : memref<?xf64>
    %rem = arith.remsi %i, %n : index
    %int = arith.index_cast %rem : index to i64
    %real = arith.sitofp %int : i64 to f64
    %int1 = arith.index_cast %n : index to i64
    %real1 = arith.sitofp %int1 : i64 to f64
    %quot = arith.divf %real, %real1 : f64
    affine.store %quot, %r[%i] : memref<?xf64>
    affine.for %j = 0 to %m {
      %sum = arith.addi %j, %c1 : index
      %prod = arith.muli %i, %sum : index
      %rem1 = arith.remsi %prod, %n : index
      %int2 = arith.index_cast %rem1 : index to i64
      %real2 = arith.sitofp %int2 : i64 to f64
      %int3 = arith.index_cast %n : index to i64
      %real3 = arith.sitofp %int3 : i64 to f64
      %quot1 = arith.divf %real2, %real3 : f64
      affine.store %quot1, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_bicg(%m: index, %n: index, %A: memref<?x?xf64>, %s: memref<?xf64>,
                       %q: memref<?xf64>, %p: memref<?xf64>, %r: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %m {
    affine.store %f0, %s[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.store %f0, %q[%i] : memref<?xf64>
    affine.for %j = 0 to %m {
      %s_v = affine.load %s[%j] : memref<?xf64>
      %r_v = affine.load %r[%i] : memref<?xf64>
      %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
      %prod = arith.mulf %r_v, %a_v : f64
      %sum = arith.addf %s_v, %prod : f64
      affine.store %sum, %s[%j] : memref<?xf64>
      %q_v = affine.load %q[%i] : memref<?xf64>
      %a_v1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %p_v = affine.load %p[%j] : memref<?xf64>
      %prod1 = arith.mulf %a_v1, %p_v : f64
      %sum1 = arith.addf %q_v, %prod1 : f64
      affine.store %sum1, %q[%i] : memref<?xf64>
    }
  }
  return
}

func.func @print_array(%m: index, %n: index, %s: memref<?xf64>, %q: memref<?xf64>) {
  %tag_s = arith.constant 0x73 : i64 // "s"
  call @bench_array(%tag_s) : (i64) -> ()
  affine.for %i = 0 to %m {
    %s_v = affine.load %s[%i] : memref<?xf64>
    func.call @bench_value_f64(%s_v) : (f64) -> ()
  }
  %tag_q = arith.constant 0x71 : i64 // "q"
  call @bench_array(%tag_q) : (i64) -> ()
  affine.for %i = 0 to %n {
    %q_v = affine.load %q[%i] : memref<?xf64>
    func.call @bench_value_f64(%q_v) : (f64) -> ()
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
  %A = memref.alloc(%n, %m) : memref<?x?xf64>
  %s = memref.alloc(%m) : memref<?xf64>
  %q = memref.alloc(%n) : memref<?xf64>
  %p = memref.alloc(%m) : memref<?xf64>
  %r = memref.alloc(%n) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%m, %n, %A, %s, %q, %p, %r)
        : (index, index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>,
           memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_bicg(%m, %n, %A, %s, %q, %p, %r)
        : (index, index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>,
           memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%m, %n, %s, %q) : (index, index, memref<?xf64>, memref<?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %s : memref<?xf64>
  memref.dealloc %q : memref<?xf64>
  memref.dealloc %p : memref<?xf64>
  memref.dealloc %r : memref<?xf64>
  return
}
