// trmm: product with the transpose of a unit lower triangular matrix, in place,
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_trmm_pointers(int m, int n, double alpha, double *POLYBENCH_RESTRICT A,
                          double *POLYBENCH_RESTRICT B) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < m; k++)
        B[i * n + j] += A[k * m + i] * B[k * n + j];
      B[i * n + j] = alpha * B[i * n + j];
    }
}

static void kernel_trmm(double alpha, double A[POLYBENCH_RESTRICT M][M],
                        double B[POLYBENCH_RESTRICT M][N]) {
  kernel_trmm_pointers(M, N, alpha, &A[0][0], &B[0][0]);
}
