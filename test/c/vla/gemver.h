// gemver: A += u1 * v1^T + u2 * v2^T; x += beta * A^T * y + z; w += alpha * A * x
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_gemver_vla(int n, double alpha, double beta, double A[POLYBENCH_RESTRICT n][n],
                       double u1[POLYBENCH_RESTRICT n], double v1[POLYBENCH_RESTRICT n],
                       double u2[POLYBENCH_RESTRICT n], double v2[POLYBENCH_RESTRICT n],
                       double w[POLYBENCH_RESTRICT n], double x[POLYBENCH_RESTRICT n],
                       double y[POLYBENCH_RESTRICT n], double z[POLYBENCH_RESTRICT n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i] = x[i] + beta * A[j][i] * y[j];
  for (int i = 0; i < n; i++)
    x[i] = x[i] + z[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      w[i] = w[i] + alpha * A[i][j] * x[j];
}

static void kernel_gemver(double alpha, double beta, double A[POLYBENCH_RESTRICT N][N],
                          double u1[POLYBENCH_RESTRICT N], double v1[POLYBENCH_RESTRICT N],
                          double u2[POLYBENCH_RESTRICT N], double v2[POLYBENCH_RESTRICT N],
                          double w[POLYBENCH_RESTRICT N], double x[POLYBENCH_RESTRICT N],
                          double y[POLYBENCH_RESTRICT N], double z[POLYBENCH_RESTRICT N]) {
  kernel_gemver_vla(N, alpha, beta, A, u1, v1, u2, v2, w, x, y, z);
}
