// trisolv: forward substitution, L x = b with a lower triangular L
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_trisolv_vla(int n, double L[POLYBENCH_RESTRICT n][n], double x[POLYBENCH_RESTRICT n],
                        double b[POLYBENCH_RESTRICT n]) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
}

static void kernel_trisolv(double L[POLYBENCH_RESTRICT N][N], double x[POLYBENCH_RESTRICT N],
                           double b[POLYBENCH_RESTRICT N]) {
  kernel_trisolv_vla(N, L, x, b);
}
