// fdtd-2d: the finite difference time domain method in two dimensions

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%tmax: index, %nx: index, %ny: index, %ex: memref<?x?xf64>,
                      %ey: memref<?x?xf64>, %hz: memref<?x?xf64>, %fict: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %tmax {
    %int = arith.index_cast %i : index to i64
    %real = arith.sitofp %int : i64 to f64
    affine.store %real, %fict[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %nx {
    affine.for %j = 0 to %ny {
      %sum = arith.addi %j, %c1 : index
      %prod = arith.muli %i, %sum : index
      %int = arith.index_cast %prod : index to i64
      %real = arith.sitofp %int : i64 to f64
      %int1 = arith.index_cast %nx : index to i64
      %real1 = arith.sitofp %int1 : i64 to f64
      %quot = arith.divf %real, %real1 : f64
      affine.store %quot, %ex[%i, %j] : memref<?x?xf64>
      %sum1 = arith.addi %j, %c2 : index
      %prod1 = arith.muli %i, %sum1 : index
      %int2 = arith.index_cast %prod1 : index to i64
      %real2 = arith.sitofp %int2 : i64 to f64
      %int3 = arith.index_cast %ny : index to i64
      %real3 = arith.sitofp %int3 : i64 to f64
      %quot1 = arith.divf %real2, %real3 : f64
      affine.store %quot1, %ey[%i, %j] : memref<?x?xf64>
      %sum2 = arith.addi %j, %c3 : index
      %prod2 = arith.muli %i, %sum2 : index
      %int4 = arith.index_cast %prod2 : index to i64
      %real4 = arith.sitofp %int4 : i64 to f64
      %int5 = arith.index_cast %nx : index to i64
      %real5 = arith.sitofp %int5 : i64 to f64
      %quot2 = arith.divf %real4, %real5 : f64
      affine.store %quot2, %hz[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_fdtd_2d(%tmax: index, %nx: index, %ny: index, %ex: memref<?x?xf64>,
                          %ey: memref<?x?xf64>, %hz: memref<?x?xf64>, %fict: memref<?xf64>) {
  %f0_5 = arith.constant 0.5 : f64
  %f0_7 = arith.constant 0.7 : f64
  affine.for %t = 0 to %tmax {
    affine.for %j = 0 to %ny {
      %fict_v = affine.load %fict[%t] : memref<?xf64>
      affine.store %fict_v, %ey[0, %j] : memref<?x?xf64>
    }
    affine.for %i = 1 to %nx {
      affine.for %j = 0 to %ny {
        %ey_v = affine.load %ey[%i, %j] : memref<?x?xf64>
        %hz_v = affine.load %hz[%i, %j] : memref<?x?xf64>
        %hz_v1 = affine.load %hz[%i - 1, %j] : memref<?x?xf64>
        %diff = arith.subf %hz_v, %hz_v1 : f64
        %prod = arith.mulf %f0_5, %diff : f64
        %diff1 = arith.subf %ey_v, %prod : f64
        affine.store %diff1, %ey[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to %nx {
      affine.for %j = 1 to %ny {
        %ex_v = affine.load %ex[%i, %j] : memref<?x?xf64>
        %hz_v = affine.load %hz[%i, %j] : memref<?x?xf64>
        %hz_v1 = affine.load %hz[%i, %j - 1] : memref<?x?xf64>
        %diff = arith.subf %hz_v, %hz_v1 : f64
        %prod = arith.mulf %f0_5, %diff : f64
        %diff1 = arith.subf %ex_v, %prod : f64
        affine.store %diff1, %ex[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%nx] {
      affine.for %j = 0 to affine_map<()[s0] -> (s0 - 1)>()[%ny] {
        %hz_v = affine.load %hz[%i, %j] : memref<?x?xf64>
        %ex_v = affine.load %ex[%i, %j + 1] : memref<?x?xf64>
        %ex_v1 = affine.load %ex[%i, %j] : memref<?x?xf64>
        %diff = arith.subf %ex_v, %ex_v1 : f64
        %ey_v = affine.load %ey[%i + 1, %j] : memref<?x?xf64>
        %sum = arith.addf %diff, %ey_v : f64
        %ey_v1 = affine.load %ey[%i, %j] : memref<?x?xf64>
        %diff1 = arith.subf %sum, %ey_v1 : f64
        %prod = arith.mulf %f0_7, %diff1 : f64
        %diff2 = arith.subf %hz_v, %prod : f64
        affine.store %diff2, %hz[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @print_array(%nx: index, %ny: index, %ex: memref<?x?xf64>, %ey: memref<?x?xf64>,
                       %hz: memref<?x?xf64>) {
  %tag_ex = arith.constant 0x6578 : i64 // "ex"
  call @bench_array(%tag_ex) : (i64) -> ()
  affine.for %i = 0 to %nx {
    affine.for %j = 0 to %ny {
      %ex_v = affine.load %ex[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%ex_v) : (f64) -> ()
    }
  }
  %tag_ey = arith.constant 0x6579 : i64 // "ey"
  call @bench_array(%tag_ey) : (i64) -> ()
  affine.for %i = 0 to %nx {
    affine.for %j = 0 to %ny {
      %ey_v = affine.load %ey[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%ey_v) : (f64) -> ()
    }
  }
  %tag_hz = arith.constant 0x687a : i64 // "hz"
  call @bench_array(%tag_hz) : (i64) -> ()
  affine.for %i = 0 to %nx {
    affine.for %j = 0 to %ny {
      %hz_v = affine.load %hz[%i, %j] : memref<?x?xf64>
      func.call @bench_value_f64(%hz_v) : (f64) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %tmax_which = arith.constant 0 : i64
  %tmax_large = arith.constant 500 : i64
  %tmax_asked = call @bench_size(%tmax_which, %tmax_large) : (i64, i64) -> i64
  %tmax = arith.index_cast %tmax_asked : i64 to index
  %nx_which = arith.constant 1 : i64
  %nx_large = arith.constant 1000 : i64
  %nx_asked = call @bench_size(%nx_which, %nx_large) : (i64, i64) -> i64
  %nx = arith.index_cast %nx_asked : i64 to index
  %ny_which = arith.constant 2 : i64
  %ny_large = arith.constant 1200 : i64
  %ny_asked = call @bench_size(%ny_which, %ny_large) : (i64, i64) -> i64
  %ny = arith.index_cast %ny_asked : i64 to index
  %ex = memref.alloc(%nx, %ny) : memref<?x?xf64>
  %ey = memref.alloc(%nx, %ny) : memref<?x?xf64>
  %hz = memref.alloc(%nx, %ny) : memref<?x?xf64>
  %fict = memref.alloc(%tmax) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%tmax, %nx, %ny, %ex, %ey, %hz, %fict)
        : (index, index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>,
           memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_fdtd_2d(%tmax, %nx, %ny, %ex, %ey, %hz, %fict)
        : (index, index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>,
           memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%nx, %ny, %ex, %ey, %hz)
      : (index, index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
  memref.dealloc %ex : memref<?x?xf64>
  memref.dealloc %ey : memref<?x?xf64>
  memref.dealloc %hz : memref<?x?xf64>
  memref.dealloc %fict : memref<?xf64>
  return
}
