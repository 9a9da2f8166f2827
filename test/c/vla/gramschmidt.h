// gramschmidt: QR decomposition, A = Q R, by modified Gram-Schmidt
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_gramschmidt_vla(int m, int n, double A[POLYBENCH_RESTRICT m][n],
                            double R[POLYBENCH_RESTRICT n][n], double Q[POLYBENCH_RESTRICT m][n]) {
  double nrm;
  for (int k = 0; k < n; k++) {
    nrm = 0.0;
    for (int i = 0; i < m; i++)
      nrm += A[i][k] * A[i][k];
    R[k][k] = sqrt(nrm);
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < n; j++) {
      R[k][j] = 0.0;
      for (int i = 0; i < m; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

static void kernel_gramschmidt(double A[POLYBENCH_RESTRICT M][N],
                               double R[POLYBENCH_RESTRICT N][N],
                               double Q[POLYBENCH_RESTRICT M][N]) {
  kernel_gramschmidt_vla(M, N, A, R, Q);
}
