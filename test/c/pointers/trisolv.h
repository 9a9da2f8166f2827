// trisolv: forward substitution, L x = b with a lower triangular L
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_trisolv_pointers(int n, double *POLYBENCH_RESTRICT L, double *POLYBENCH_RESTRICT x,
                             double *POLYBENCH_RESTRICT b) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i * n + j] * x[j];
    x[i] = x[i] / L[i * n + i];
  }
}

static void kernel_trisolv(double L[POLYBENCH_RESTRICT N][N], double x[POLYBENCH_RESTRICT N],
                           double b[POLYBENCH_RESTRICT N]) {
  kernel_trisolv_pointers(N, &L[0][0], &x[0], &b[0]);
}
