// durbin: the Levinson-Durbin recursion for a Toeplitz system
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_durbin_pointers(int n, double *POLYBENCH_RESTRICT r, double *POLYBENCH_RESTRICT y) {
  double z[n];
  double alpha, beta, sum;
  y[0] = -r[0];
  beta = 1.0;
  alpha = -r[0];
  for (int k = 1; k < n; k++) {
    beta = (1.0 - alpha * alpha) * beta;
    sum = 0.0;
    for (int i = 0; i < k; i++)
      sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (int i = 0; i < k; i++)
      z[i] = y[i] + alpha * y[k - i - 1];
    for (int i = 0; i < k; i++)
      y[i] = z[i];
    y[k] = alpha;
  }
}

static void kernel_durbin(double r[POLYBENCH_RESTRICT N], double y[POLYBENCH_RESTRICT N]) {
  kernel_durbin_pointers(N, &r[0], &y[0]);
}
