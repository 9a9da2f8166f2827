// gemver: A += u1 * v1^T + u2 * v2^T; x += beta * A^T * y + z; w += alpha * A * x

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %A: memref<?x?xf64>, %u1: memref<?xf64>, %v1: memref<?xf64>,
                      %u2: memref<?xf64>, %v2: memref<?xf64>, %w: memref<?xf64>, %x: memref<?xf64>,
                      %y: memref<?xf64>, %z: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %f2 = arith.constant 2.0 : f64
  %f4 = arith.constant 4.0 : f64
  %f6 = arith.constant 6.0 : f64
  %f8 = arith.constant 8.0 : f64
  %f9 = arith.constant 9.0 : f64
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %int = arith.index_cast %i : index to i64
    %real = arith.sitofp %int : i64 to f64
    affine.store %real, %u1[%i] : memref<?xf64>
    %sum = arith.addi %i, %c1 : index
    %int1 = arith.index_cast %sum : index to i64
    %real1 = arith.sitofp %int1 : i64 to f64
    %int2 = arith.index_cast %n : index to i64
    %real2 = arith.sitofp %int2 : i64 to f64
    %quot = arith.divf %real1, %real2 : f64
    %quot1 = arith.divf %quot, %f2 : f64
    affine.store %quot1, %u2[%i] : memref<?xf64>
    %sum1 = arith.addi %i, %c1 : index
    %int3 = arith.index_cast %sum1 : index to i64
    %real3 = arith.sitofp %int3 : i64 to f64
    %int4 = arith.index_cast %n : index to i64
    %real4 = arith.sitofp %int4 : i64 to f64
    %quot2 = arith.divf %real3, %real4 : f64
    %quot3 = arith.divf %quot2, %f4 : f64
    affine.store %quot3, %v1[%i] : memref<?xf64>
    %sum2 = arith.addi %i, %c1 : index
    %int5 = arith.index_cast %sum2 : index to i64
    %real5 = arith.sitofp %int5 : i64 to f64
    %int6 = arith.index_cast %n : index to i64
    %real6 = arith.sitofp %int6 : i64 to f64
    %quot4 = arith.divf %real5, %real6 : f64
    %quot5 = arith.divf %quot4, %f6 : f64
    affine.store %quot5, %v2[%i] : memref<?xf64>
    %sum3 = arith.addi %i, %c1 : index
    %int7 = arith.index_cast %sum3 : index to i64
    %real7 = arith.sitofp %int7 : i64 to f64
    %int8 = arith.index_cast %n : index to i64
    %real8 = arith.sitofp %int8 : i64 to f64
    %quot6 = arith.divf %real7, %real8 : f64
    %quot7 = arith.divf %quot6, %f8 : f64
    affine.store %quot7, %y[%i] : memref<?xf64>
    %sum4 = arith.addi %i, %c1 : index
    %int9 = arith.index_cast %sum4 : index to i64
    %real9 = arith.sitofp %int9 : i64 to f64
    %int10 = arith.index_cast %n : index to i64
    %real10 = arith.sitofp %int10 : i64 to f64
    %quot8 = arith.divf %real9, %real10 : f64
    %quot9 = arith.divf %quot8, %f9 : f64
    affine.store %quot9, %z[%i] : memref<?xf64>
    affine.store %f0, %x[%i] : memref<?xf64>
    affine.store %f0, %w[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %prod = arith.muli %i, %j : index
      %rem = arith.remsi %prod, %n : index
      %int11 = arith.index_cast %rem : index to i64
      %real11 = arith.sitofp %int11 : i64 to f64
      %int12 = arith.index_cast %n : index to i64
      %real12 = arith.sitofp %int12 : i64 to f64
      %quot10 = arith.divf %real11, %real12 : f64
      affine.store %quot10, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_gemver(%n: index, %alpha: f64, %beta: f64, %A: memref<?x?xf64>,
                         %u1: memref<?xf64>, %v1: memref<?xf64>, %u2: memref<?xf64>,
                         %v2: memref<?xf64>, %w: memref<?xf64>, %x: memref<?xf64>,
                         %y: memref<?xf64>, %z: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
      %u1_v = affine.load %u1[%i] : memref<?xf64>
      %v1_v = affine.load %v1[%j] : memref<?xf64>
      %prod = arith.mulf %u1_v, %v1_v : f64
      %sum = arith.addf %a_v, %prod : f64
      %u2_v = affine.load %u2[%i] : memref<?xf64>
      %v2_v = affine.load %v2[%j] : memref<?xf64>
      %prod1 = arith.mulf %u2_v, %v2_v : f64
      %sum1 = arith.addf %sum, %prod1 : f64
      affine.store %sum1, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x_v = affine.load %x[%i] : memref<?xf64>
      %a_v = affine.load %A[%j, %i] : memref<?x?xf64>
      %prod = arith.mulf %beta, %a_v : f64
      %y_v = affine.load %y[%j] : memref<?xf64>
      %prod1 = arith.mulf %prod, %y_v : f64
      %sum = arith.addf %x_v, %prod1 : f64
      affine.store %sum, %x[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %x_v = affine.load %x[%i] : memref<?xf64>
    %z_v = affine.load %z[%i] : memref<?xf64>
    %sum = arith.addf %x_v, %z_v : f64
    affine.store %sum, %x[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %w_v = affine.load %w[%i] : memref<?xf64>
      %a_v = affine.load %A[%i, %j] : memref<?x?xf64>
      %prod = arith.mulf %alpha, %a_v : f64
      %x_v = affine.load %x[%j] : memref<?xf64>
      %prod1 = arith.mulf %prod, %x_v : f64
      %sum = arith.addf %w_v, %prod1 : f64
      affine.store %sum, %w[%i] : memref<?xf64>
    }
  }
  return
}

func.func @print_array(%n: index, %w: memref<?xf64>) {
  %tag_w = arith.constant 0x77 : i64 // "w"
  call @bench_array(%tag_w) : (i64) -> ()
  affine.for %i = 0 to %n {
    %w_v = affine.load %w[%i] : memref<?xf64>
    func.call @bench_value_f64(%w_v) : (f64) -> ()
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 2000 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %alpha = arith.constant 1.5 : f64
  %beta = arith.constant 1.2 : f64
  %A = memref.alloc(%n, %n) : memref<?x?xf64>
  %u1 = memref.alloc(%n) : memref<?xf64>
  %v1 = memref.alloc(%n) : memref<?xf64>
  %u2 = memref.alloc(%n) : memref<?xf64>
  %v2 = memref.alloc(%n) : memref<?xf64>
  %w = memref.alloc(%n) : memref<?xf64>
  %x = memref.alloc(%n) : memref<?xf64>
  %y = memref.alloc(%n) : memref<?xf64>
  %z = memref.alloc(%n) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %A, %u1, %v1, %u2, %v2, %w, %x, %y, %z)
        : (index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>,
           memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_gemver(%n, %alpha, %beta, %A, %u1, %v1, %u2, %v2, %w, %x, %y, %z)
        : (index, f64, f64, memref<?x?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>,
           memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %w) : (index, memref<?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %u1 : memref<?xf64>
  memref.dealloc %v1 : memref<?xf64>
  memref.dealloc %u2 : memref<?xf64>
  memref.dealloc %v2 : memref<?xf64>
  memref.dealloc %w : memref<?xf64>
  memref.dealloc %x : memref<?xf64>
  memref.dealloc %y : memref<?xf64>
  memref.dealloc %z : memref<?xf64>
  return
}
