// gemver: A += u1 * v1^T + u2 * v2^T; x += beta * A^T * y + z; w += alpha * A * x
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_gemver_pointers(int n, double alpha, double beta, double *POLYBENCH_RESTRICT A,
                            double *POLYBENCH_RESTRICT u1, double *POLYBENCH_RESTRICT v1,
                            double *POLYBENCH_RESTRICT u2, double *POLYBENCH_RESTRICT v2,
                            double *POLYBENCH_RESTRICT w, double *POLYBENCH_RESTRICT x,
                            double *POLYBENCH_RESTRICT y, double *POLYBENCH_RESTRICT z) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i * n + j] = A[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i] = x[i] + beta * A[j * n + i] * y[j];
  for (int i = 0; i < n; i++)
    x[i] = x[i] + z[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      w[i] = w[i] + alpha * A[i * n + j] * x[j];
}

static void kernel_gemver(double alpha, double beta, double A[POLYBENCH_RESTRICT N][N],
                          double u1[POLYBENCH_RESTRICT N], double v1[POLYBENCH_RESTRICT N],
                          double u2[POLYBENCH_RESTRICT N], double v2[POLYBENCH_RESTRICT N],
                          double w[POLYBENCH_RESTRICT N], double x[POLYBENCH_RESTRICT N],
                          double y[POLYBENCH_RESTRICT N], double z[POLYBENCH_RESTRICT N]) {
  kernel_gemver_pointers(N, alpha, beta, &A[0][0], &u1[0], &v1[0], &u2[0], &v2[0], &w[0], &x[0],
                         &y[0], &z[0]);
}
