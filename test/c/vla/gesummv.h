// gesummv: sum of two matrix-vector products, y = alpha A x + beta B x
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_gesummv_vla(int n, double alpha, double beta, double A[POLYBENCH_RESTRICT n][n],
                        double B[POLYBENCH_RESTRICT n][n], double tmp[POLYBENCH_RESTRICT n],
                        double x[POLYBENCH_RESTRICT n], double y[POLYBENCH_RESTRICT n]) {
  for (int i = 0; i < n; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < n; j++) {
      tmp[i] = A[i][j] * x[j] + tmp[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

static void kernel_gesummv(double alpha, double beta, double A[POLYBENCH_RESTRICT N][N],
                           double B[POLYBENCH_RESTRICT N][N], double tmp[POLYBENCH_RESTRICT N],
                           double x[POLYBENCH_RESTRICT N], double y[POLYBENCH_RESTRICT N]) {
  kernel_gesummv_vla(N, alpha, beta, A, B, tmp, x, y);
}
