// bicg: s = A^T * r and q = A * p, a step of the biconjugate gradient method
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_bicg_pointers(int m, int n, double *POLYBENCH_RESTRICT A, double *POLYBENCH_RESTRICT s,
                          double *POLYBENCH_RESTRICT q, double *POLYBENCH_RESTRICT p,
                          double *POLYBENCH_RESTRICT r) {
  for (int i = 0; i < m; i++)
    s[i] = 0.0;
  for (int i = 0; i < n; i++) {
    q[i] = 0.0;
    for (int j = 0; j < m; j++) {
      s[j] = s[j] + r[i] * A[i * m + j];
      q[i] = q[i] + A[i * m + j] * p[j];
    }
  }
}

static void kernel_bicg(double A[POLYBENCH_RESTRICT N][M], double s[POLYBENCH_RESTRICT M],
                        double q[POLYBENCH_RESTRICT N], double p[POLYBENCH_RESTRICT M],
                        double r[POLYBENCH_RESTRICT N]) {
  kernel_bicg_pointers(M, N, &A[0][0], &s[0], &q[0], &p[0], &r[0]);
}
