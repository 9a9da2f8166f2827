// symm: product with a symmetric matrix of which the lower half is stored,
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_symm_pointers(int m, int n, double alpha, double beta, double *POLYBENCH_RESTRICT C,
                          double *POLYBENCH_RESTRICT A, double *POLYBENCH_RESTRICT B) {
  double temp2;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      temp2 = 0;
      for (int k = 0; k < i; k++) {
        C[k * n + j] += alpha * B[i * n + j] * A[i * m + k];
        temp2 += B[k * n + j] * A[i * m + k];
      }
      C[i * n + j] = beta * C[i * n + j] + alpha * B[i * n + j] * A[i * m + i] + alpha * temp2;
    }
}

static void kernel_symm(double alpha, double beta, double C[POLYBENCH_RESTRICT M][N],
                        double A[POLYBENCH_RESTRICT M][M], double B[POLYBENCH_RESTRICT M][N]) {
  kernel_symm_pointers(M, N, alpha, beta, &C[0][0], &A[0][0], &B[0][0]);
}
