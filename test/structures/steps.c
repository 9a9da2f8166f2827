// Stencils that are written down as formulas are: with an array for each step, of which two are enough.

#include "harness.h"

__attribute__((noinline)) static void jacobi(int steps, int n, double a[restrict n][n]) {
  double(*s)[n][n] = malloc(sizeof(double[steps][n][n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s[0][i][j] = a[i][j];
  for (int t = 1; t < steps; t++) {
    for (int j = 0; j < n; j++) {
      s[t][0][j] = s[t - 1][0][j];
      s[t][n - 1][j] = s[t - 1][n - 1][j];
    }
    for (int i = 1; i < n - 1; i++) {
      s[t][i][0] = s[t - 1][i][0];
      s[t][i][n - 1] = s[t - 1][i][n - 1];
      for (int j = 1; j < n - 1; j++)
        s[t][i][j] =
            0.2 * (s[t - 1][i][j] + s[t - 1][i][j - 1] + s[t - 1][i][j + 1] + s[t - 1][i - 1][j] + s[t - 1][i + 1][j]);
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = s[steps - 1][i][j];
  free(s);
}

__attribute__((noinline)) static void fdtd(int steps, int n, double x[restrict n][n], double y[restrict n][n],
                                           double z[restrict n][n]) {
  double(*ex)[n][n] = malloc(sizeof(double[steps][n][n]));
  double(*ey)[n][n] = malloc(sizeof(double[steps][n][n]));
  double(*hz)[n][n] = malloc(sizeof(double[steps][n][n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      ex[0][i][j] = x[i][j];
      ey[0][i][j] = y[i][j];
      hz[0][i][j] = z[i][j];
    }
  for (int t = 1; t < steps; t++) {
    for (int j = 0; j < n; j++) ey[t][0][j] = 0.5;
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++) ey[t][i][j] = ey[t - 1][i][j] - 0.5 * (hz[t - 1][i][j] - hz[t - 1][i - 1][j]);
    for (int i = 0; i < n; i++) {
      ex[t][i][0] = ex[t - 1][i][0];
      for (int j = 1; j < n; j++) ex[t][i][j] = ex[t - 1][i][j] - 0.5 * (hz[t - 1][i][j] - hz[t - 1][i][j - 1]);
    }
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        hz[t][i][j] = hz[t - 1][i][j] - 0.7 * (ex[t][i][j + 1] - ex[t][i][j] + ey[t][i + 1][j] - ey[t][i][j]);
    for (int i = 0; i < n; i++) hz[t][i][n - 1] = hz[t - 1][i][n - 1];
    for (int j = 0; j < n - 1; j++) hz[t][n - 1][j] = hz[t - 1][n - 1][j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      x[i][j] = ex[steps - 1][i][j];
      y[i][j] = ey[steps - 1][i][j];
      z[i][j] = hz[steps - 1][i][j];
    }
  free(ex);
  free(ey);
  free(hz);
}

int main(void) {
  const int cases[][2] = {{20, 60}, {100, 200}, {50, 1000}};
  double *a = doubles(1000L * 1000), *b = doubles(1000L * 1000), *c = doubles(1000L * 1000);
  char name[32];
  for (int k = 0; k < 3; k++) {
    int steps = cases[k][0], n = cases[k][1];
    long bytes = 8L * n * n;
    snprintf(name, sizeof name, "jacobi-%d-%d", steps, n);
    for (int warm = 0; warm < 2; warm++) jacobi(steps, n, (void *)a);
    MEASURE(name, jacobi(steps, n, (void *)a), a, bytes);
    snprintf(name, sizeof name, "fdtd-%d-%d", steps, n);
    for (int warm = 0; warm < 2; warm++) fdtd(steps, n, (void *)a, (void *)b, (void *)c);
    MEASURE(name, fdtd(steps, n, (void *)a, (void *)b, (void *)c), a, bytes);
  }
}
