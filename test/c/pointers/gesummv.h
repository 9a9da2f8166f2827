// gesummv: sum of two matrix-vector products, y = alpha A x + beta B x
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_gesummv_pointers(int n, double alpha, double beta, double *POLYBENCH_RESTRICT A,
                             double *POLYBENCH_RESTRICT B, double *POLYBENCH_RESTRICT tmp,
                             double *POLYBENCH_RESTRICT x, double *POLYBENCH_RESTRICT y) {
  for (int i = 0; i < n; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < n; j++) {
      tmp[i] = A[i * n + j] * x[j] + tmp[i];
      y[i] = B[i * n + j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

static void kernel_gesummv(double alpha, double beta, double A[POLYBENCH_RESTRICT N][N],
                           double B[POLYBENCH_RESTRICT N][N], double tmp[POLYBENCH_RESTRICT N],
                           double x[POLYBENCH_RESTRICT N], double y[POLYBENCH_RESTRICT N]) {
  kernel_gesummv_pointers(N, alpha, beta, &A[0][0], &B[0][0], &tmp[0], &x[0], &y[0]);
}
