// Stencils over several steps of time, on grids beyond the last cache. See README.md.

// All nine points around one, with weights.
// sizes: N=2600 T=16 / N=19 T=5
// arguments: T, N, double[N*N], double[N*N]
void nine_points(int t_end, int n, double a[restrict n][n], double b[restrict n][n]) {
  for (int t = 0; t < t_end; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.25 * a[i][j] + 0.125 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) +
                  0.0625 * (a[i - 1][j - 1] + a[i - 1][j + 1] + a[i + 1][j - 1] + a[i + 1][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = b[i][j];
  }
}

// The same in single precision, between two grids.
// sizes: N=3600 T=8 / N=19 T=3
// arguments: T, N, float[N*N], float[N*N]
void nine_points_in_turns(int t_end, int n, float a[restrict n][n], float b[restrict n][n]) {
  for (int t = 0; t < t_end; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.25f * a[i][j] + 0.125f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) +
                  0.0625f * (a[i - 1][j - 1] + a[i - 1][j + 1] + a[i + 1][j - 1] + a[i + 1][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.25f * b[i][j] + 0.125f * (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]) +
                  0.0625f * (b[i - 1][j - 1] + b[i - 1][j + 1] + b[i + 1][j - 1] + b[i + 1][j + 1]);
  }
}

// A wave: of order 8 along each of three axes, in two grids, each the other's past.
// sizes: N=250 T=5 / N=13 T=4
// arguments: T, N, float[N*N*N], float[N*N*N]
void wave_of_order_8(int t_end, int n, float a[restrict n][n][n], float b[restrict n][n][n]) {
  const float c[5] = {-0.2854f, 0.16f, -0.02f, 0.002540f, -0.00017857f};
  for (int t = 0; t < t_end; t++) {
    for (int i = 4; i < n - 4; i++)
      for (int j = 4; j < n - 4; j++)
        for (int k = 4; k < n - 4; k++) {
          float sum = 3 * c[0] * a[i][j][k];
          for (int r = 1; r <= 4; r++)
            sum += c[r] * (a[i - r][j][k] + a[i + r][j][k] + a[i][j - r][k] + a[i][j + r][k] + a[i][j][k - r] +
                           a[i][j][k + r]);
          b[i][j][k] = 2 * a[i][j][k] - b[i][j][k] + 0.1f * sum;
        }
    for (int i = 4; i < n - 4; i++)
      for (int j = 4; j < n - 4; j++)
        for (int k = 4; k < n - 4; k++) {
          float sum = 3 * c[0] * b[i][j][k];
          for (int r = 1; r <= 4; r++)
            sum += c[r] * (b[i - r][j][k] + b[i + r][j][k] + b[i][j - r][k] + b[i][j + r][k] + b[i][j][k - r] +
                           b[i][j][k + r]);
          a[i][j][k] = 2 * b[i][j][k] - a[i][j][k] + 0.1f * sum;
        }
  }
}

// All 27 points of a cube.
// sizes: N=200 T=6 / N=9 T=4
// arguments: T, N, double[N*N*N], double[N*N*N]
void cube_of_points(int t_end, int n, double a[restrict n][n][n], double b[restrict n][n][n]) {
  for (int t = 0; t < t_end; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++) {
          double sum = 0;
          for (int x = -1; x <= 1; x++)
            for (int y = -1; y <= 1; y++)
              for (int z = -1; z <= 1; z++)
                sum += a[i + x][j + y][k + z];
          b[i][j][k] = sum / 27;
        }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++) {
          double sum = 0;
          for (int x = -1; x <= 1; x++)
            for (int y = -1; y <= 1; y++)
              for (int z = -1; z <= 1; z++)
                sum += b[i + x][j + y][k + z];
          a[i][j][k] = sum / 27;
        }
  }
}

// The same in single precision, in place.
// sizes: N=250 T=3 / N=9 T=4
// arguments: T, N, float[N*N*N]
void cube_in_place(int t_end, int n, float a[restrict n][n][n]) {
  for (int t = 0; t < t_end; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++) {
          float sum = 0;
          for (int x = -1; x <= 1; x++)
            for (int y = -1; y <= 1; y++)
              for (int z = -1; z <= 1; z++)
                sum += a[i + x][j + y][k + z];
          a[i][j][k] = sum * 0.037f;
        }
}

// Periodic: what lies beyond an edge is at the other one, and is copied there before each step.
// sizes: N=2600 T=12 / N=15 T=4
// arguments: T, N, double[(N+2)*(N+2)], double[(N+2)*(N+2)]
void periodic(int t_end, int n, double a[restrict n + 2][n + 2], double b[restrict n + 2][n + 2]) {
  for (int t = 0; t < t_end; t++) {
    for (int i = 1; i <= n; i++) {
      a[i][0] = a[i][n];
      a[i][n + 1] = a[i][1];
    }
    for (int j = 1; j <= n; j++) {
      a[0][j] = a[n][j];
      a[n + 1][j] = a[1][j];
    }
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        b[i][j] = 0.5 * a[i][j] + 0.125 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        a[i][j] = b[i][j];
  }
}

// Seven points with coefficients of their own, which are read as well.
// sizes: N=170 T=6 / N=9 T=3
// arguments: T, N, float[N*N*N], float[N*N*N], float[N*N*N], float[N*N*N]
void seven_points_with_coefficients(int t_end, int n, float a[restrict n][n][n], float b[restrict n][n][n],
                                    const float centre[restrict n][n][n], const float side[restrict n][n][n]) {
  for (int t = 0; t < t_end; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          b[i][j][k] = 0.05f * centre[i][j][k] * a[i][j][k] +
                       0.02f * side[i][j][k] * (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k] +
                                                a[i][j][k - 1] + a[i][j][k + 1]) + 0.1f;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          a[i][j][k] = 0.05f * centre[i][j][k] * b[i][j][k] +
                       0.02f * side[i][j][k] * (b[i - 1][j][k] + b[i + 1][j][k] + b[i][j - 1][k] + b[i][j + 1][k] +
                                                b[i][j][k - 1] + b[i][j][k + 1]) + 0.1f;
  }
}

// A long row.
// sizes: N=4000000 T=12 / N=60 T=7
// arguments: T, N, double[N], double[N]
void three_points(int t_end, int n, double a[restrict n], double b[restrict n]) {
  for (int t = 0; t < t_end; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    for (int i = 1; i < n - 1; i++)
      a[i] = 0.25 * b[i - 1] + 0.5 * b[i] + 0.25 * b[i + 1];
  }
}
