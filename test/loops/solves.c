// Banded and triangular systems. See README.md.

// Rows of a band are stored beside each other.
// sizes: N=6000 K=8 / N=40 K=3
// arguments: N, float[N*(2*K+1)], float[N], float[N]
void band_times_vector(int n, float band[restrict n][2 * K + 1], const float x[restrict n], float y[restrict n]) {
  for (int i = K; i < n - K; i++) {
    float sum = 0;
    for (int d = 0; d <= 2 * K; d++)
      sum += band[i][d] * x[i + d - K];
    y[i] = sum;
  }
}

// The same with each diagonal a row.
// sizes: N=20000 K=5 / N=40 K=3
// arguments: N, double[N*(2*K+1)], double[N], double[N]
void diagonals_times_vector(int n, double band[restrict 2 * K + 1][n], const double x[restrict n],
                            double y[restrict n]) {
  for (int i = K; i < n - K; i++) {
    y[i] = 0;
    for (int d = 0; d <= 2 * K; d++)
      y[i] += band[d][i] * x[i + d - K];
  }
}

// sizes: N=5000 K=6 / N=40 K=3
// arguments: N, double[N*(K+1)]+9, double[N], double[N]
void band_solve(int n, double band[restrict n][K + 1], const double b[restrict n], double x[restrict n]) {
  for (int i = 0; i < n; i++) {
    double sum = b[i];
    for (int d = 1; d <= K && d <= i; d++)
      sum -= band[i][d] * 0.01 * x[i - d];
    x[i] = sum / band[i][0];
  }
}

// The band with all right-hand sides, one row of them at a time, columns outside.
// sizes: N=800 K=4 M=256 / N=20 K=3 M=9
// arguments: N, M, float[N*(K+1)]+9, float[N*M], float[N*M]
void band_solve_many(int n, int m, float band[restrict n][K + 1], float b[restrict n][m], float x[restrict n][m]) {
  for (int j = 0; j < m; j++)
    for (int i = K; i < n; i++) {
      float sum = b[i][j];
      for (int d = 1; d <= K; d++)
        sum -= band[i][d] * 0.01f * x[i - d][j];
      x[i][j] = sum / band[i][0];
    }
}

// One tridiagonal system.
// sizes: N=3000 / N=25
// arguments: N, double[N], double[N]+9, double[N], double[N], double[N]
void tridiagonal(int n, const double a[restrict n], const double b[restrict n], const double c[restrict n],
                 double w[restrict n], double x[restrict n]) {
  w[0] = c[0] / b[0];
  x[0] = x[0] / b[0];
  for (int i = 1; i < n; i++) {
    double scale = 1.0 / (b[i] - a[i] * w[i - 1]);
    w[i] = c[i] * scale;
    x[i] = (1.0 + x[i] * 0.1 - a[i] * x[i - 1]) * scale;
  }
  for (int i = n - 2; i >= 0; i--)
    x[i] -= w[i] * x[i + 1];
}

// Many systems with the same matrix, each a column.
// sizes: N=500 M=400 / N=15 M=11
// arguments: N, M, double[N], double[N]+9, double[N], double[N*M]
void tridiagonal_many(int n, int m, const double a[restrict n], const double w[restrict n], const double c[restrict n],
                      double x[restrict n][m]) {
  for (int j = 0; j < m; j++) {
    for (int i = 1; i < n; i++)
      x[i][j] = (1.0 + 0.1 * x[i][j] - a[i] * x[i - 1][j]) / w[i];
    for (int i = n - 2; i >= 0; i--)
      x[i][j] -= 0.1 * c[i] * x[i + 1][j];
  }
}

// sizes: N=600 / N=21
// arguments: N, double[N*N], double[N], double[N]
void forward_rows(int n, double l[restrict n][n], const double b[restrict n], double x[restrict n]) {
  for (int i = 0; i < n; i++) {
    double sum = b[i];
    for (int j = 0; j < i; j++)
      sum -= 0.001 * l[i][j] * x[j];
    x[i] = sum / (l[i][i] + 9.0);
  }
}

// sizes: N=900 / N=21
// arguments: N, float[N*N], float[N], float[N]
void forward_columns(int n, float l[restrict n][n], const float b[restrict n], float x[restrict n]) {
  for (int i = 0; i < n; i++)
    x[i] = b[i];
  for (int j = 0; j < n; j++) {
    x[j] = x[j] / (l[j][j] + 9.0f);
    for (int i = j + 1; i < n; i++)
      x[i] -= 0.001f * l[i][j] * x[j];
  }
}

// sizes: N=700 / N=21
// arguments: N, float[N*N], float[N], float[N]
void backward_rows(int n, float u[restrict n][n], const float b[restrict n], float x[restrict n]) {
  for (int i = n - 1; i >= 0; i--) {
    float sum = b[i];
    for (int j = i + 1; j < n; j++)
      sum -= 0.001f * u[i][j] * x[j];
    x[i] = sum / (u[i][i] + 9.0f);
  }
}

// A triangle and many right-hand sides, each a column.
// sizes: N=240 M=200 / N=17 M=13
// arguments: N, M, double[N*N], double[N*M], double[N*M]
void triangle_solve_many(int n, int m, double l[restrict n][n], double b[restrict n][m], double x[restrict n][m]) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      double sum = b[i][j];
      for (int k = 0; k < i; k++)
        sum -= 0.001 * l[i][k] * x[k][j];
      x[i][j] = sum / (l[i][i] + 9.0);
    }
}

// sizes: N=400 K=12 / N=25 K=4
// arguments: N, double[N*(K+1)]+9, double[N*(K+1)]+9
void band_factor(int n, double a[restrict n][K + 1], double l[restrict n][K + 1]) {
  for (int j = K; j < n; j++) {
    double d = a[j][0] * 40.0;
    for (int k = 1; k <= K; k++)
      d -= 0.01 * l[j][k] * l[j][k];
    l[j][0] = d;
    for (int i = 1; i <= K; i++) {
      double s = a[j][i];
      for (int k = 1; k <= K - i; k++)
        s -= 0.01 * l[j][i + k] * l[j - i][k];
      l[j][i] = s / d;
    }
  }
}

// Elimination without pivots, of a copy.
// sizes: N=200 / N=15
// arguments: N, double[N*N], double[N*N]
void eliminated(int n, double a[restrict n][n], double from[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = from[i][j] + (i == j ? 500.0 : 0.0);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; j++)
        a[i][j] -= a[i][k] * a[k][j];
    }
}

// sizes: N=400 / N=15
// arguments: N, float[N*N], float[N], float[N]
void upper_times_vector(int n, float u[restrict n][n], const float x[restrict n], float y[restrict n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = i; j < n; j++)
      y[i] += u[i][j] * x[j];
  }
}

// Half of a symmetric matrix is stored.
// sizes: N=500 / N=15
// arguments: N, float[N*N], float[N], float[N]
void symmetric_times_vector(int n, float a[restrict n][n], const float x[restrict n], float y[restrict n]) {
  for (int i = 0; i < n; i++) {
    float sum = a[i][i] * x[i];
    for (int j = 0; j < i; j++) {
      sum += a[i][j] * x[j];
      y[j] += a[i][j] * x[i];
    }
    y[i] = sum;
  }
}
