func.func @most(%A: memref<100xf64>) {
  %true = arith.constant true
  %done = scf.if %true -> (i1) {
    %D = gpu.alloc () : memref<100xf64>
    gpu.memcpy %D, %A : memref<100xf64>, memref<100xf64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%x, %y, %z) in (%sx = %c1, %sy = %c1, %sz = %c1) workgroup(%s0: memref<128x48xf64, #gpu.address_space<workgroup>>) {
      %a = memref.load %s0[%c0, %x] : memref<128x48xf64, #gpu.address_space<workgroup>>
      gpu.barrier
      memref.store %a, %D[%x] : memref<100xf64>
      gpu.terminator
    }
    gpu.memcpy %A, %D : memref<100xf64>, memref<100xf64>
    gpu.dealloc %D : memref<100xf64>
    scf.yield %true : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  } {polyrs.kernels = "copied"}
  return
}
func.func @too_many(%A: memref<100xf64>) {
  %true = arith.constant true
  %done = scf.if %true -> (i1) {
    %D = gpu.alloc () : memref<100xf64>
    gpu.memcpy %D, %A : memref<100xf64>, memref<100xf64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%x, %y, %z) in (%sx = %c1, %sy = %c1, %sz = %c1) workgroup(%s0: memref<128x48xf64, #gpu.address_space<workgroup>>, %s1: memref<1xf64, #gpu.address_space<workgroup>>) {
      %a = memref.load %s0[%c0, %x] : memref<128x48xf64, #gpu.address_space<workgroup>>
      gpu.barrier
      memref.store %a, %D[%x] : memref<100xf64>
      gpu.terminator
    }
    gpu.memcpy %A, %D : memref<100xf64>, memref<100xf64>
    gpu.dealloc %D : memref<100xf64>
    scf.yield %true : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  } {polyrs.kernels = "copied"}
  return
}
func.func @strided(%A: memref<100xf64>) {
  %true = arith.constant true
  %done = scf.if %true -> (i1) {
    %D = gpu.alloc () : memref<100xf64>
    gpu.memcpy %D, %A : memref<100xf64>, memref<100xf64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%x, %y, %z) in (%sx = %c1, %sy = %c1, %sz = %c1) workgroup(%s0: memref<4x4xf64, strided<[1, 4]>, #gpu.address_space<workgroup>>) {
      %a = memref.load %s0[%c0, %x] : memref<4x4xf64, strided<[1, 4]>, #gpu.address_space<workgroup>>
      gpu.barrier
      memref.store %a, %D[%x] : memref<100xf64>
      gpu.terminator
    }
    gpu.memcpy %A, %D : memref<100xf64>, memref<100xf64>
    gpu.dealloc %D : memref<100xf64>
    scf.yield %true : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  } {polyrs.kernels = "copied"}
  return
}
