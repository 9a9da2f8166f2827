// fdtd-2d: the finite difference time domain method in two dimensions
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_fdtd_2d_vla(int tmax, int nx, int ny, double ex[POLYBENCH_RESTRICT nx][ny],
                        double ey[POLYBENCH_RESTRICT nx][ny], double hz[POLYBENCH_RESTRICT nx][ny],
                        double fict[POLYBENCH_RESTRICT tmax]) {
  for (int t = 0; t < tmax; t++) {
    for (int j = 0; j < ny; j++)
      ey[0][j] = fict[t];
    for (int i = 1; i < nx; i++)
      for (int j = 0; j < ny; j++)
        ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < nx; i++)
      for (int j = 1; j < ny; j++)
        ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < nx - 1; i++)
      for (int j = 0; j < ny - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

static void kernel_fdtd_2d(double ex[POLYBENCH_RESTRICT NX][NY],
                           double ey[POLYBENCH_RESTRICT NX][NY],
                           double hz[POLYBENCH_RESTRICT NX][NY],
                           double fict[POLYBENCH_RESTRICT TMAX]) {
  kernel_fdtd_2d_vla(TMAX, NX, NY, ex, ey, hz, fict);
}
