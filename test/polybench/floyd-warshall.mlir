// floyd-warshall: the lengths of the shortest paths between all pairs of nodes

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_i32(i32)

func.func @init_array(%n: index, %path: memref<?x?xi32>) {
  %c13 = arith.constant 13 : index
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %i999 = arith.constant 999 : i32
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %sum = arith.addi %i, %j : index
      %rem = arith.remsi %sum, %c13 : index
      %test = arith.cmpi eq, %rem, %c0 : index
      %sum1 = arith.addi %i, %j : index
      %rem1 = arith.remsi %sum1, %c7 : index
      %test1 = arith.cmpi eq, %rem1, %c0 : index
      %any = arith.ori %test, %test1 : i1
      %sum2 = arith.addi %i, %j : index
      %rem2 = arith.remsi %sum2, %c11 : index
      %test2 = arith.cmpi eq, %rem2, %c0 : index
      %any1 = arith.ori %any, %test2 : i1
      %prod = arith.muli %i, %j : index
      %rem3 = arith.remsi %prod, %c7 : index
      %sum3 = arith.addi %rem3, %c1 : index
      %int = arith.index_cast %sum3 : index to i32
      %pick = arith.select %any1, %i999, %int : i32
      affine.store %pick, %path[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

func.func @kernel_floyd_warshall(%n: index, %path: memref<?x?xi32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %path_v = affine.load %path[%i, %j] : memref<?x?xi32>
        %path_v1 = affine.load %path[%i, %k] : memref<?x?xi32>
        %path_v2 = affine.load %path[%k, %j] : memref<?x?xi32>
        %sum = arith.addi %path_v1, %path_v2 : i32
        %test = arith.cmpi slt, %path_v, %sum : i32
        %path_v3 = affine.load %path[%i, %j] : memref<?x?xi32>
        %path_v4 = affine.load %path[%i, %k] : memref<?x?xi32>
        %path_v5 = affine.load %path[%k, %j] : memref<?x?xi32>
        %sum1 = arith.addi %path_v4, %path_v5 : i32
        %pick = arith.select %test, %path_v3, %sum1 : i32
        affine.store %pick, %path[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

func.func @print_array(%n: index, %path: memref<?x?xi32>) {
  %tag_path = arith.constant 0x70617468 : i64 // "path"
  call @bench_array(%tag_path) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %path_v = affine.load %path[%i, %j] : memref<?x?xi32>
      func.call @bench_value_i32(%path_v) : (i32) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 2800 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %path = memref.alloc(%n, %n) : memref<?x?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %path) : (index, memref<?x?xi32>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_floyd_warshall(%n, %path) : (index, memref<?x?xi32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %path) : (index, memref<?x?xi32>) -> ()
  memref.dealloc %path : memref<?x?xi32>
  return
}
