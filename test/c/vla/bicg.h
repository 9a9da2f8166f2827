// bicg: s = A^T * r and q = A * p, a step of the biconjugate gradient method
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_bicg_vla(int m, int n, double A[POLYBENCH_RESTRICT n][m],
                     double s[POLYBENCH_RESTRICT m], double q[POLYBENCH_RESTRICT n],
                     double p[POLYBENCH_RESTRICT m], double r[POLYBENCH_RESTRICT n]) {
  for (int i = 0; i < m; i++)
    s[i] = 0.0;
  for (int i = 0; i < n; i++) {
    q[i] = 0.0;
    for (int j = 0; j < m; j++) {
      s[j] = s[j] + r[i] * A[i][j];
      q[i] = q[i] + A[i][j] * p[j];
    }
  }
}

static void kernel_bicg(double A[POLYBENCH_RESTRICT N][M], double s[POLYBENCH_RESTRICT M],
                        double q[POLYBENCH_RESTRICT N], double p[POLYBENCH_RESTRICT M],
                        double r[POLYBENCH_RESTRICT N]) {
  kernel_bicg_vla(M, N, A, s, q, p, r);
}
