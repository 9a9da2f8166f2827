// symm: product with a symmetric matrix of which the lower half is stored,
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_symm_vla(int m, int n, double alpha, double beta, double C[POLYBENCH_RESTRICT m][n],
                     double A[POLYBENCH_RESTRICT m][m], double B[POLYBENCH_RESTRICT m][n]) {
  double temp2;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      temp2 = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        temp2 += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
    }
}

static void kernel_symm(double alpha, double beta, double C[POLYBENCH_RESTRICT M][N],
                        double A[POLYBENCH_RESTRICT M][M], double B[POLYBENCH_RESTRICT M][N]) {
  kernel_symm_vla(M, N, alpha, beta, C, A, B);
}
