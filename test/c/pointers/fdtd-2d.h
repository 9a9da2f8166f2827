// fdtd-2d: the finite difference time domain method in two dimensions
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_fdtd_2d_pointers(int tmax, int nx, int ny, double *POLYBENCH_RESTRICT ex,
                             double *POLYBENCH_RESTRICT ey, double *POLYBENCH_RESTRICT hz,
                             double *POLYBENCH_RESTRICT fict) {
  for (int t = 0; t < tmax; t++) {
    for (int j = 0; j < ny; j++)
      ey[0 * ny + j] = fict[t];
    for (int i = 1; i < nx; i++)
      for (int j = 0; j < ny; j++)
        ey[i * ny + j] = ey[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
    for (int i = 0; i < nx; i++)
      for (int j = 1; j < ny; j++)
        ex[i * ny + j] = ex[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
    for (int i = 0; i < nx - 1; i++)
      for (int j = 0; j < ny - 1; j++)
        hz[i * ny + j] = hz[i * ny + j] - 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i +
            1) * ny + j] - ey[i * ny + j]);
  }
}

static void kernel_fdtd_2d(double ex[POLYBENCH_RESTRICT NX][NY],
                           double ey[POLYBENCH_RESTRICT NX][NY],
                           double hz[POLYBENCH_RESTRICT NX][NY],
                           double fict[POLYBENCH_RESTRICT TMAX]) {
  kernel_fdtd_2d_pointers(TMAX, NX, NY, &ex[0][0], &ey[0][0], &hz[0][0], &fict[0]);
}
