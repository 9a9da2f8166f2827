// cholesky: A = L * L^T, L over the lower triangle of A

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %A: memref<?x?xf64>) {
  %f1 = arith.constant 1.0 : f64
  %f0 = arith.constant 0.0 : f64
  // L, with a unit diagonal; the upper triangle is never read before it is written.
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %int = arith.index_cast %j : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %n : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      %diff = arith.subf %f1, %quot : f64
      affine.store %diff, %A[%i, %j] : memref<?x?xf64>
    }
    affine.store %f1, %A[%i, %i] : memref<?x?xf64>
  }
  // A = L * L^T, positive definite, in place: from the last row and column backwards, an element
  // reads none that was overwritten. PolyBench sums the zeros of L as well, to the same bits.
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n] {
      %sum_out = affine.for %k = 0 to affine_map<(d0, d1)[s0] -> (s0 - d1 - d0)>(%j, %i)[%n]
          iter_args(%sum_in = %f0)
          -> (f64) {
        %a_v = affine.load %A[%n - 1 - %i, %k] : memref<?x?xf64>
        %a_v1 = affine.load %A[%n - 1 - %i - %j, %k] : memref<?x?xf64>
        %prod = arith.mulf %a_v, %a_v1 : f64
        %sum1 = arith.addf %sum_in, %prod : f64
        affine.yield %sum1 : f64
      }
      affine.store %sum_out, %A[%n - 1 - %i, %n - 1 - %i - %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a_v, %A[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_cholesky(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_v1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_v2 = affine.load %A[%j, %k] : memref<?x?xf64>
        %prod = arith.mulf %a_v1, %a_v2 : f64
        %diff = arith.subf %a_v, %prod : f64
        affine.store %diff, %A[%i, %j] : memref<?x?xf64>
      }
      %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
      %a_v1 = affine.load %A[%j, %j] : memref<?x?xf64>
      %quot = arith.divf %a_v, %a_v1 : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a_v = affine.load %A[%i, %i] : memref<?x?xf64>
      %a_v1 = affine.load %A[%i, %k] : memref<?x?xf64>
      %a_v2 = affine.load %A[%i, %k] : memref<?x?xf64>
      %prod = arith.mulf %a_v1, %a_v2 : f64
      %diff = arith.subf %a_v, %prod : f64
      affine.store %diff, %A[%i, %i] : memref<?x?xf64>
    }
    %a_v = affine.load %A[%i, %i] : memref<?x?xf64>
    %sqrt = math.sqrt %a_v : f64
    affine.store %sqrt, %A[%i, %i] : memref<?x?xf64>
  }
  return
}

func.func @print_array(%n: index, %A: memref<?x?xf64>) {
  %tag_A = arith.constant 0x41 : i64 // "A"
  call @bench_array(%tag_A) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%a_v) : (f64) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
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
    func.call @kernel_cholesky(%n, %A) : (index, memref<?x?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %A) : (index, memref<?x?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  return
}
