// atax: y = A^T * (A * x)
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_atax_pointers(int m, int n, double *POLYBENCH_RESTRICT A, double *POLYBENCH_RESTRICT x,
                          double *POLYBENCH_RESTRICT y, double *POLYBENCH_RESTRICT tmp) {
  for (int i = 0; i < n; i++)
    y[i] = 0.0;
  for (int i = 0; i < m; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < n; j++)
      tmp[i] = tmp[i] + A[i * n + j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] = y[j] + A[i * n + j] * tmp[i];
  }
}

static void kernel_atax(double A[POLYBENCH_RESTRICT M][N], double x[POLYBENCH_RESTRICT N],
                        double y[POLYBENCH_RESTRICT N], double tmp[POLYBENCH_RESTRICT M]) {
  kernel_atax_pointers(M, N, &A[0][0], &x[0], &y[0], &tmp[0]);
}
