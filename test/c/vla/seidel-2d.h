// seidel-2d: nine-point Gauss-Seidel stencil in two dimensions, in place
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_seidel_2d_vla(int tsteps, int n, double A[POLYBENCH_RESTRICT n][n]) {
  for (int t = 0; t <= tsteps - 1; t++)
    for (int i = 1; i <= n - 2; i++)
      for (int j = 1; j <= n - 2; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                   + A[i][j - 1] + A[i][j] + A[i][j + 1]
                   + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}

static void kernel_seidel_2d(double A[POLYBENCH_RESTRICT N][N]) {
  kernel_seidel_2d_vla(TSTEPS, N, A);
}
