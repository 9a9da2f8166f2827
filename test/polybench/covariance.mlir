// covariance: the matrix of the covariances of the columns of data

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%m: index, %n: index, %data: memref<?x?xf64>, %cov: memref<?x?xf64>,
                      %mean: memref<?xf64>) {
  %fm1 = arith.constant -1.0 : f64
  // PolyBench leaves cov and mean as they were allocated, which is mostly zero: that the kernel
  // clears them would then change nothing.
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %prod = arith.muli %i, %j : index
      %int = arith.index_cast %prod : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %m : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %data[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.store %fm1, %mean[%i] : memref<?xf64>
    affine.for %j = 0 to %m {
      affine.store %fm1, %cov[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_covariance(%m: index, %n: index, %float_n: f64, %data: memref<?x?xf64>,
                             %cov: memref<?x?xf64>, %mean: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %f1 = arith.constant 1.0 : f64
  affine.for %j = 0 to %m {
    affine.store %f0, %mean[%j] : memref<?xf64>
    affine.for %i = 0 to %n {
      %mean_v = affine.load %mean[%j] : memref<?xf64>
      %data_v = affine.load %data[%i, %j] : memref<?x?xf64>
      %sum = arith.addf %mean_v, %data_v : f64
      affine.store %sum, %mean[%j] : memref<?xf64>
    }
    %mean_v = affine.load %mean[%j] : memref<?xf64>
    %quot = arith.divf %mean_v, %float_n : f64
    affine.store %quot, %mean[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %data_v = affine.load %data[%i, %j] : memref<?x?xf64>
      %mean_v = affine.load %mean[%j] : memref<?xf64>
      %diff = arith.subf %data_v, %mean_v : f64
      affine.store %diff, %data[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %m {
      affine.store %f0, %cov[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        %cov_v = affine.load %cov[%i, %j] : memref<?x?xf64>
        %data_v = affine.load %data[%k, %i] : memref<?x?xf64>
        %data_v1 = affine.load %data[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %data_v, %data_v1 : f64
        %sum = arith.addf %cov_v, %prod : f64
        affine.store %sum, %cov[%i, %j] : memref<?x?xf64>
      }
      %cov_v = affine.load %cov[%i, %j] : memref<?x?xf64>
      %diff = arith.subf %float_n, %f1 : f64
      %quot = arith.divf %cov_v, %diff : f64
      affine.store %quot, %cov[%i, %j] : memref<?x?xf64>
      %cov_v1 = affine.load %cov[%i, %j] : memref<?x?xf64>
      affine.store %cov_v1, %cov[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

func.func @print_array(%m: index, %cov: memref<?x?xf64>) {
  %tag_cov = arith.constant 0x636f76 : i64 // "cov"
  call @bench_array(%tag_cov) : (i64) -> ()
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %m {
      %cov_v = affine.load %cov[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%cov_v) : (f64) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %m_which = arith.constant 0 : i64
  %m_large = arith.constant 1200 : i64
  %m_asked = call @bench_size(%m_which, %m_large) : (i64, i64) -> i64
  %m = arith.index_cast %m_asked : i64 to index
  %n_which = arith.constant 1 : i64
  %n_large = arith.constant 1400 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %float_n = arith.sitofp %n_asked : i64 to f64
  %data = memref.alloc(%n, %m) : memref<?x?xf64>
  %cov = memref.alloc(%m, %m) : memref<?x?xf64>
  %mean = memref.alloc(%m) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%m, %n, %data, %cov, %mean)
        : (index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_covariance(%m, %n, %float_n, %data, %cov, %mean)
        : (index, index, f64, memref<?x?xf64>, memref<?x?xf64>, memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%m, %cov) : (index, memref<?x?xf64>) -> ()
  memref.dealloc %data : memref<?x?xf64>
  memref.dealloc %cov : memref<?x?xf64>
  memref.dealloc %mean : memref<?xf64>
  return
}
