// heat-3d: heat equation in three dimensions, explicit scheme, two arrays
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_heat_3d_vla(int tsteps, int n, double A[POLYBENCH_RESTRICT n][n][n],
                        double B[POLYBENCH_RESTRICT n][n][n]) {
  for (int t = 1; t <= tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k])
                       + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k])
                       + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1])
                       + A[i][j][k];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k])
                       + 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k])
                       + 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1])
                       + B[i][j][k];
  }
}

static void kernel_heat_3d(double A[POLYBENCH_RESTRICT N][N][N],
                           double B[POLYBENCH_RESTRICT N][N][N]) {
  kernel_heat_3d_vla(TSTEPS, N, A, B);
}
