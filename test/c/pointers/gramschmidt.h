// gramschmidt: QR decomposition, A = Q R, by modified Gram-Schmidt
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_gramschmidt_pointers(int m, int n, double *POLYBENCH_RESTRICT A,
                                 double *POLYBENCH_RESTRICT R, double *POLYBENCH_RESTRICT Q) {
  double nrm;
  for (int k = 0; k < n; k++) {
    nrm = 0.0;
    for (int i = 0; i < m; i++)
      nrm += A[i * n + k] * A[i * n + k];
    R[k * n + k] = sqrt(nrm);
    for (int i = 0; i < m; i++)
      Q[i * n + k] = A[i * n + k] / R[k * n + k];
    for (int j = k + 1; j < n; j++) {
      R[k * n + j] = 0.0;
      for (int i = 0; i < m; i++)
        R[k * n + j] += Q[i * n + k] * A[i * n + j];
      for (int i = 0; i < m; i++)
        A[i * n + j] = A[i * n + j] - Q[i * n + k] * R[k * n + j];
    }
  }
}

static void kernel_gramschmidt(double A[POLYBENCH_RESTRICT M][N],
                               double R[POLYBENCH_RESTRICT N][N],
                               double Q[POLYBENCH_RESTRICT M][N]) {
  kernel_gramschmidt_pointers(M, N, &A[0][0], &R[0][0], &Q[0][0]);
}
