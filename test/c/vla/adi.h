// adi: an alternating direction implicit solver of the heat equation
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_adi_vla(int tsteps, int n, double u[POLYBENCH_RESTRICT n][n],
                    double v[POLYBENCH_RESTRICT n][n], double p[POLYBENCH_RESTRICT n][n],
                    double q[POLYBENCH_RESTRICT n][n]) {
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
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = v[0][i];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] -
                   a * q[i][j - 1]) /
                  (a * p[i][j - 1] + b);
      }
      v[n - 1][i] = 1.0;
      for (int j = n - 2; j >= 1; j--)
        v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    // row sweep
    for (int i = 1; i < n - 1; i++) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = u[i][0];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] -
                   d * q[i][j - 1]) /
                  (d * p[i][j - 1] + e);
      }
      u[i][n - 1] = 1.0;
      for (int j = n - 2; j >= 1; j--)
        u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}

static void kernel_adi(double u[POLYBENCH_RESTRICT N][N], double v[POLYBENCH_RESTRICT N][N],
                       double p[POLYBENCH_RESTRICT N][N], double q[POLYBENCH_RESTRICT N][N]) {
  kernel_adi_vla(TSTEPS, N, u, v, p, q);
}
