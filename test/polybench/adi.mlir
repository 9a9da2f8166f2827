// adi: an alternating direction implicit solver of the heat equation
//
// The column sweep solves along j for v, the row sweep along i for u; the second loop of each runs
// backwards.

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %u: memref<?x?xf64>, %v: memref<?x?xf64>, %p: memref<?x?xf64>,
                      %q: memref<?x?xf64>) {
  %fm1 = arith.constant -1.0 : f64
  // PolyBench leaves v, p and q as they were allocated, which is mostly zero: that the kernel
  // clears a column of p would then change nothing.
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %sum = arith.addi %i, %n : index
      %diff = arith.subi %sum, %j : index
      %int = arith.index_cast %diff : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %n : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %u[%i, %j] : memref<?x?xf64>
      affine.store %fm1, %v[%i, %j] : memref<?x?xf64>
      affine.store %fm1, %p[%i, %j] : memref<?x?xf64>
      affine.store %fm1, %q[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_adi(%tsteps: index, %n: index, %u: memref<?x?xf64>, %v: memref<?x?xf64>,
                      %p: memref<?x?xf64>, %q: memref<?x?xf64>) {
  %f1 = arith.constant 1.0 : f64
  %f2 = arith.constant 2.0 : f64
  %f0 = arith.constant 0.0 : f64
  %int = arith.index_cast %n : index to i64
  %real = arith.sitofp %int : i64 to f64
  %dx = arith.divf %f1, %real : f64
  %int1 = arith.index_cast %n : index to i64
  %real1 = arith.sitofp %int1 : i64 to f64
  %dy = arith.divf %f1, %real1 : f64
  %int2 = arith.index_cast %tsteps : index to i64
  %real2 = arith.sitofp %int2 : i64 to f64
  %dt = arith.divf %f1, %real2 : f64
  %prod = arith.mulf %f2, %dt : f64
  %prod1 = arith.mulf %dx, %dx : f64
  %mul1 = arith.divf %prod, %prod1 : f64
  %prod2 = arith.mulf %f1, %dt : f64
  %prod3 = arith.mulf %dy, %dy : f64
  %mul2 = arith.divf %prod2, %prod3 : f64
  %neg = arith.negf %mul1 : f64
  %a = arith.divf %neg, %f2 : f64
  %b = arith.addf %f1, %mul1 : f64
  %neg1 = arith.negf %mul2 : f64
  %d = arith.divf %neg1, %f2 : f64
  %e = arith.addf %f1, %mul2 : f64
  affine.for %t = 1 to affine_map<()[s0] -> (s0 + 1)>()[%tsteps] {
    // column sweep
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.store %f1, %v[0, %i] : memref<?x?xf64>
      affine.store %f0, %p[%i, 0] : memref<?x?xf64>
      %v_v = affine.load %v[0, %i] : memref<?x?xf64>
      affine.store %v_v, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %neg2 = arith.negf %a : f64
        %p_v = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %prod4 = arith.mulf %a, %p_v : f64
        %sum = arith.addf %prod4, %b : f64
        %quot = arith.divf %neg2, %sum : f64
        affine.store %quot, %p[%i, %j] : memref<?x?xf64>
        %neg3 = arith.negf %d : f64
        %u_v = affine.load %u[%j, %i - 1] : memref<?x?xf64>
        %prod5 = arith.mulf %neg3, %u_v : f64
        %prod6 = arith.mulf %f2, %d : f64
        %sum1 = arith.addf %f1, %prod6 : f64
        %u_v1 = affine.load %u[%j, %i] : memref<?x?xf64>
        %prod7 = arith.mulf %sum1, %u_v1 : f64
        %sum2 = arith.addf %prod5, %prod7 : f64
        %u_v2 = affine.load %u[%j, %i + 1] : memref<?x?xf64>
        %prod8 = arith.mulf %d, %u_v2 : f64
        %diff = arith.subf %sum2, %prod8 : f64
        %q_v = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %prod9 = arith.mulf %a, %q_v : f64
        %diff1 = arith.subf %diff, %prod9 : f64
        %p_v1 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %prod10 = arith.mulf %a, %p_v1 : f64
        %sum3 = arith.addf %prod10, %b : f64
        %quot1 = arith.divf %diff1, %sum3 : f64
        affine.store %quot1, %q[%i, %j] : memref<?x?xf64>
      }
      affine.store %f1, %v[%n - 1, %i] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %p_v = affine.load %p[%i, %n - 1 - %j] : memref<?x?xf64>
        %v_v1 = affine.load %v[%n - %j, %i] : memref<?x?xf64>
        %prod4 = arith.mulf %p_v, %v_v1 : f64
        %q_v = affine.load %q[%i, %n - 1 - %j] : memref<?x?xf64>
        %sum = arith.addf %prod4, %q_v : f64
        affine.store %sum, %v[%n - 1 - %j, %i] : memref<?x?xf64>
      }
    }
    // row sweep
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.store %f1, %u[%i, 0] : memref<?x?xf64>
      affine.store %f0, %p[%i, 0] : memref<?x?xf64>
      %u_v = affine.load %u[%i, 0] : memref<?x?xf64>
      affine.store %u_v, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %neg2 = arith.negf %d : f64
        %p_v = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %prod4 = arith.mulf %d, %p_v : f64
        %sum = arith.addf %prod4, %e : f64
        %quot = arith.divf %neg2, %sum : f64
        affine.store %quot, %p[%i, %j] : memref<?x?xf64>
        %neg3 = arith.negf %a : f64
        %v_v = affine.load %v[%i - 1, %j] : memref<?x?xf64>
        %prod5 = arith.mulf %neg3, %v_v : f64
        %prod6 = arith.mulf %f2, %a : f64
        %sum1 = arith.addf %f1, %prod6 : f64
        %v_v1 = affine.load %v[%i, %j] : memref<?x?xf64>
        %prod7 = arith.mulf %sum1, %v_v1 : f64
        %sum2 = arith.addf %prod5, %prod7 : f64
        %v_v2 = affine.load %v[%i + 1, %j] : memref<?x?xf64>
        %prod8 = arith.mulf %a, %v_v2 : f64
        %diff = arith.subf %sum2, %prod8 : f64
        %q_v = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %prod9 = arith.mulf %d, %q_v : f64
        %diff1 = arith.subf %diff, %prod9 : f64
        %p_v1 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %prod10 = arith.mulf %d, %p_v1 : f64
        %sum3 = arith.addf %prod10, %e : f64
        %quot1 = arith.divf %diff1, %sum3 : f64
        affine.store %quot1, %q[%i, %j] : memref<?x?xf64>
      }
      affine.store %f1, %u[%i, %n - 1] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %p_v = affine.load %p[%i, %n - 1 - %j] : memref<?x?xf64>
        %u_v1 = affine.load %u[%i, %n - %j] : memref<?x?xf64>
        %prod4 = arith.mulf %p_v, %u_v1 : f64
        %q_v = affine.load %q[%i, %n - 1 - %j] : memref<?x?xf64>
        %sum = arith.addf %prod4, %q_v : f64
        affine.store %sum, %u[%i, %n - 1 - %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%n: index, %u: memref<?x?xf64>) {
  %tag_u = arith.constant 0x75 : i64 // "u"
  call @bench_array(%tag_u) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %u_v = affine.load %u[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%u_v) : (f64) -> ()
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
  %n_large = arith.constant 1000 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %u = memref.alloc(%n, %n) : memref<?x?xf64>
  %v = memref.alloc(%n, %n) : memref<?x?xf64>
  %p = memref.alloc(%n, %n) : memref<?x?xf64>
  %q = memref.alloc(%n, %n) : memref<?x?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %u, %v, %p, %q)
        : (index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_adi(%tsteps, %n, %u, %v, %p, %q)
        : (index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %u) : (index, memref<?x?xf64>) -> ()
  memref.dealloc %u : memref<?x?xf64>
  memref.dealloc %v : memref<?x?xf64>
  memref.dealloc %p : memref<?x?xf64>
  memref.dealloc %q : memref<?x?xf64>
  return
}
