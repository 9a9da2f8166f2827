func.func @wait(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    affine.for %i = 0 to 10 {
      gpu.barrier
    }
    gpu.terminator
  }
  return
}
