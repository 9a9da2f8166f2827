// adi: an alternating direction implicit solver of the heat equation
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_adi_pointers(int tsteps, int n, double *POLYBENCH_RESTRICT u,
                         double *POLYBENCH_RESTRICT v, double *POLYBENCH_RESTRICT p,
                         double *POLYBENCH_RESTRICT q) {
  double dx = 1.0 / (double)n;
  double dy = 1.0 / (double)n;
  double dt = 1.0 / (double)tsteps;
  double mul1 = 2.0 * dt / (dx * dx);
  double mul2 = 1.0 * dt / (dy * dy);
  double a = -mul1 / 2.0;
  double b = 1.0 + mul1;
  double c = a;
  double d = -mul2 / 2.0;
  double e = 1.0 + mul2;
  double f = d;
  for (int t = 1; t <= tsteps; t++) {
    // column sweep
    for (int i = 1; i < n - 1; i++) {
      v[0 * n + i] = 1.0;
      p[i * n + 0] = 0.0;
      q[i * n + 0] = v[0 * n + i];
      for (int j = 1; j < n - 1; j++) {
        p[i * n + j] = -c / (a * p[i * n + j - 1] + b);
        q[i * n + j] = (-d * u[j * n + i - 1] + (1.0 + 2.0 * d) * u[j * n + i] - f * u[j * n +
            i + 1] -
                   a * q[i * n + j - 1]) /
                  (a * p[i * n + j - 1] + b);
      }
      v[(n - 1) * n + i] = 1.0;
      for (int j = n - 2; j >= 1; j--)
        v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
    }
    // row sweep
    for (int i = 1; i < n - 1; i++) {
      u[i * n + 0] = 1.0;
      p[i * n + 0] = 0.0;
      q[i * n + 0] = u[i * n + 0];
      for (int j = 1; j < n - 1; j++) {
        p[i * n + j] = -f / (d * p[i * n + j - 1] + e);
        q[i * n + j] = (-a * v[(i - 1) * n + j] + (1.0 + 2.0 * a) * v[i * n + j] - c * v[(i +
            1) * n + j] -
                   d * q[i * n + j - 1]) /
                  (d * p[i * n + j - 1] + e);
      }
      u[i * n + n - 1] = 1.0;
      for (int j = n - 2; j >= 1; j--)
        u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
    }
  }
}

static void kernel_adi(double u[POLYBENCH_RESTRICT N][N], double v[POLYBENCH_RESTRICT N][N],
                       double p[POLYBENCH_RESTRICT N][N], double q[POLYBENCH_RESTRICT N][N]) {
  kernel_adi_pointers(TSTEPS, N, &u[0][0], &v[0][0], &p[0][0], &q[0][0]);
}
