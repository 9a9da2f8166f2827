// jacobi-2d: five-point Jacobi stencil in two dimensions, two arrays
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_jacobi_2d_vla(int tsteps, int n, double A[POLYBENCH_RESTRICT n][n],
                          double B[POLYBENCH_RESTRICT n][n]) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
  }
}

static void kernel_jacobi_2d(double A[POLYBENCH_RESTRICT N][N],
                             double B[POLYBENCH_RESTRICT N][N]) {
  kernel_jacobi_2d_vla(TSTEPS, N, A, B);
}
