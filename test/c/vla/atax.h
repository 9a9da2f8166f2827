// atax: y = A^T * (A * x)
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_atax_vla(int m, int n, double A[POLYBENCH_RESTRICT m][n],
                     double x[POLYBENCH_RESTRICT n], double y[POLYBENCH_RESTRICT n],
                     double tmp[POLYBENCH_RESTRICT m]) {
  for (int i = 0; i < n; i++)
    y[i] = 0.0;
  for (int i = 0; i < m; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < n; j++)
      tmp[i] = tmp[i] + A[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] = y[j] + A[i][j] * tmp[i];
  }
}

static void kernel_atax(double A[POLYBENCH_RESTRICT M][N], double x[POLYBENCH_RESTRICT N],
                        double y[POLYBENCH_RESTRICT N], double tmp[POLYBENCH_RESTRICT M]) {
  kernel_atax_vla(M, N, A, x, y, tmp);
}
