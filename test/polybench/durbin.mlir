// durbin: the Levinson-Durbin recursion for a Toeplitz system

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %r: memref<?xf64>, %y: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %sum = arith.addi %n, %c1 : index
    %diff = arith.subi %sum, %i : index
    %int = arith.index_cast %diff : index to i64
    %real = arith.sitofp %int : i64 to f64
    affine.store %real, %r[%i] : memref<?xf64>
    affine.store %f0, %y[%i] : memref<?xf64>
  }
  return
}

func.func @kernel_durbin(%n: index, %r: memref<?xf64>, %y: memref<?xf64>) {
  %f1 = arith.constant 1.0 : f64
  %f0 = arith.constant 0.0 : f64
  %z = memref.alloca(%n) : memref<?xf64>
  %alpha = memref.alloca() : memref<f64>
  %beta = memref.alloca() : memref<f64>
  %sum = memref.alloca() : memref<f64>
  %r_v = affine.load %r[0] : memref<?xf64>
  %neg = arith.negf %r_v : f64
  affine.store %neg, %y[0] : memref<?xf64>
  affine.store %f1, %beta[] : memref<f64>
  %r_v1 = affine.load %r[0] : memref<?xf64>
  %neg1 = arith.negf %r_v1 : f64
  affine.store %neg1, %alpha[] : memref<f64>
  affine.for %k = 1 to %n {
    %alpha_v = affine.load %alpha[] : memref<f64>
    %alpha_v1 = affine.load %alpha[] : memref<f64>
    %prod = arith.mulf %alpha_v, %alpha_v1 : f64
    %diff = arith.subf %f1, %prod : f64
    %beta_v = affine.load %beta[] : memref<f64>
    %prod1 = arith.mulf %diff, %beta_v : f64
    affine.store %prod1, %beta[] : memref<f64>
    affine.store %f0, %sum[] : memref<f64>
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %sum_v = affine.load %sum[] : memref<f64>
      %r_v2 = affine.load %r[%k - %i - 1] : memref<?xf64>
      %y_v = affine.load %y[%i] : memref<?xf64>
      %prod2 = arith.mulf %r_v2, %y_v : f64
      %sum1 = arith.addf %sum_v, %prod2 : f64
      affine.store %sum1, %sum[] : memref<f64>
    }
    %r_v2 = affine.load %r[%k] : memref<?xf64>
    %sum_v = affine.load %sum[] : memref<f64>
    %sum1 = arith.addf %r_v2, %sum_v : f64
    %neg2 = arith.negf %sum1 : f64
    %beta_v1 = affine.load %beta[] : memref<f64>
    %quot = arith.divf %neg2, %beta_v1 : f64
    affine.store %quot, %alpha[] : memref<f64>
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %y_v = affine.load %y[%i] : memref<?xf64>
      %alpha_v2 = affine.load %alpha[] : memref<f64>
      %y_v1 = affine.load %y[%k - %i - 1] : memref<?xf64>
      %prod2 = arith.mulf %alpha_v2, %y_v1 : f64
      %sum2 = arith.addf %y_v, %prod2 : f64
      affine.store %sum2, %z[%i] : memref<?xf64>
    }
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %z_v = affine.load %z[%i] : memref<?xf64>
      affine.store %z_v, %y[%i] : memref<?xf64>
    }
    %alpha_v2 = affine.load %alpha[] : memref<f64>
    affine.store %alpha_v2, %y[%k] : memref<?xf64>
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
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 2000 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %r = memref.alloc(%n) : memref<?xf64>
  %y = memref.alloc(%n) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %r, %y) : (index, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_durbin(%n, %r, %y) : (index, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %y) : (index, memref<?xf64>) -> ()
  memref.dealloc %r : memref<?xf64>
  memref.dealloc %y : memref<?xf64>
  return
}
