// Nests: walks across rows, loops in the wrong order, statements that could share loops. See README.md.

// sizes: N=1200 / N=23
// arguments: N, float[N*N], float[N*N]
void transposed(int n, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[(long)i * n + j] = b[(long)j * n + i];
}

// Both walked across their rows.
// sizes: N=900 / N=23
// arguments: N, double[N*N], double[N*N]
void add_columns(int n, double *restrict a, const double *restrict b) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[(long)i * n + j] = 0.5 * a[(long)i * n + j] + b[(long)i * n + j];
}

// sizes: N=800 / N=19
// arguments: grid=float[N*N]
float grid[N][N];
void smooth_down(void) {
  for (int j = 0; j < N; j++)
    for (int i = 1; i < N; i++)
      grid[i][j] = 0.5f * (grid[i][j] + grid[i - 1][j]);
}

// sizes: N=1000 M=700 / N=21 M=17
// arguments: N, M, float[N*M], float[M], float[N]
void row_products(int n, int m, float a[restrict n][m], float x[restrict m], float y[restrict n]) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++)
      sum += a[i][j] * x[j];
    y[i] = sum;
  }
}

// sizes: N=1000 M=1100 / N=21 M=17
// arguments: N, M, float[N*M], float[N], float[M]
void column_products(int n, int m, float a[restrict n][m], float x[restrict n], float y[restrict m]) {
  for (int j = 0; j < m; j++) {
    float sum = 0;
    for (int i = 0; i < n; i++)
      sum += a[i][j] * x[i];
    y[j] = sum;
  }
}

// sizes: N=1300 / N=21
// arguments: N, uint8_t[N*N], uint32_t[N]
void column_sums(int n, const uint8_t *restrict a, uint32_t *restrict sums) {
  for (int j = 0; j < n; j++) {
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
      sum += a[(long)i * n + j];
    sums[j] = sum;
  }
}

// sizes: N=700 / N=21
// arguments: N, int64_t[N*N], int64_t[N]
void row_maxima(int n, int64_t a[restrict n][n], int64_t most[restrict n]) {
  for (int i = 0; i < n; i++) {
    int64_t best = INT64_MIN;
    for (int j = 0; j < n; j++)
      best = a[j][i] > best ? a[j][i] : best;
    most[i] = best;
  }
}

// sizes: N=320 / N=18
// arguments: N, float[N*N], float[N*N], float[N*N]
void product_floats(int n, float c[restrict n][n], float a[restrict n][n], float b[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

// sizes: N=256 / N=18
// arguments: N, int32_t[N*N], int8_t[N*N], int8_t[N*N]
void product_bytes(int n, int32_t c[restrict n][n], int8_t a[restrict n][n], int8_t b[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int32_t sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

// The second factor's rows are its columns: dot products of rows.
// sizes: N=240 / N=18
// arguments: N, int32_t[N*N], int16_t[N*N]%180, int16_t[N*N]%180
void product_shorts(int n, int32_t c[restrict n][n], int16_t a[restrict n][n], int16_t b[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int32_t sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i][k] * b[j][k];
      c[i][j] = sum;
    }
}

// A lower triangle times a matrix.
// sizes: N=300 / N=18
// arguments: N, double[N*N], double[N*N], double[N*N]
void triangle_product(int n, double c[restrict n][n], double l[restrict n][n], double b[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k <= i; k++)
        c[i][j] += l[i][k] * b[k][j];
    }
}

// Products over 64 bits, small enough for the nearest cache.
// sizes: N=40 / N=11
// arguments: a=uint64_t[N*N], b=uint64_t[N*N], c=uint64_t[N*N]
uint64_t a[N][N], b[N][N], c[N][N];
void product_small(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      c[i][j] = 0;
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

// Both indices carry: no loop can run as vectors as it stands.
// sizes: N=1000 / N=17
// arguments: N, float[N*N]
void two_neighbours(int n, float a[restrict n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = 0.375f * (a[i - 1][j] + a[i][j - 1]) + 0.25f * a[i][j];
}

// Lengths of the longest common subsequences of two words.
// sizes: N=900 / N=17
// arguments: N, int32_t[(N+1)*(N+1)]%2, uint8_t[N]%4, uint8_t[N]%4
void common_letters(int n, int32_t t[restrict n + 1][n + 1], const uint8_t x[restrict n], const uint8_t y[restrict n]) {
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      int32_t longest = t[i - 1][j] > t[i][j - 1] ? t[i - 1][j] : t[i][j - 1];
      t[i][j] = x[i - 1] == y[j - 1] ? t[i - 1][j - 1] + 1 : longest;
    }
}

// sizes: N=1000 / N=17
// arguments: N, uint32_t[N*N], uint32_t[N*N]
void summed_area(int n, uint32_t s[restrict n][n], uint32_t a[restrict n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      s[i][j] = a[i][j] + s[i - 1][j] + s[i][j - 1] - s[i - 1][j - 1];
}

// Steps of a star, over and over.
// sizes: N=500 T=20 / N=15 T=3
// arguments: T, N, float[N*N], float[N*N]
void star_steps(int t, int n, float a[restrict n][n], float b[restrict n][n]) {
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = b[i][j];
  }
}

// The same where no cache holds it.
// sizes: N=2000 T=10 / N=15 T=3
// arguments: T, N, float[N*N], float[N*N]
void star_steps_far(int t, int n, float a[restrict n][n], float b[restrict n][n]) {
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = b[i][j];
  }
}

// Three nests that each read what the one before wrote.
// sizes: N=1000 / N=15
// arguments: N, float[N*N], float[N*N], float[N*N], float[N*N]
void three_nests(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n],
                 float d[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = d[i][j] * 2.0f;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i][j] = a[i][j] + d[i][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i][j] = b[i][j] * a[i][j];
}

// One statement wants rows, the other columns.
// sizes: N=600 / N=15
// arguments: N, double[N*N], double[N*N], double[N*N]
void rows_and_columns(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i][j] = c[i][j] * 0.5;
      b[j][i] = c[j][i] + 1.0;
    }
}

// All pairs of points: distances in squares.
// sizes: N=700 / N=15
// arguments: N, float[N*N], float[N], float[N]
void all_distances(int n, float d[restrict n][n], const float x[restrict n], const float y[restrict n]) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      float u = x[i] - x[j], v = y[i] - y[j];
      d[i][j] = u * u + v * v;
    }
}

// A product along the last dimension of three.
// sizes: N=40 M=64 / N=7 M=9
// arguments: N, M, double[N*N*M], double[M*M], double[N*N*M]
void along_last(int n, int m, double out[restrict n][n][m], double f[restrict m][m], double in[restrict n][n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++) {
        double sum = 0;
        for (int l = 0; l < m; l++)
          sum += in[i][j][l] * f[l][k];
        out[i][j][k] = sum;
      }
}

// The innermost loop walks planes.
// sizes: N=110 / N=9
// arguments: N, uint16_t[N*N*N]%65536, uint16_t[N*N*N]%65536
void planes_inside(int n, uint16_t a[restrict n][n][n], uint16_t b[restrict n][n][n]) {
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        a[i][j][k] = (uint16_t)((a[i][j][k] + b[i][j][k]) / 2);
}

// Shortest paths through each node, in place.
// sizes: N=250 / N=15
// arguments: N, int32_t[N*N]%1000
void shortest(int n, int32_t d[restrict n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int32_t through = d[i][k] + d[k][j];
        d[i][j] = through < d[i][j] ? through : d[i][j];
      }
}

// sizes: N=1000 / N=15
// arguments: N, float[N*N], float[N*N], int32_t[N]%N
void rows_by_index(int n, float a[restrict n][n], float b[restrict n][n], const int32_t row[restrict n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = b[row[i]][j];
}

// The upper half of a product of a matrix with its own rows.
// sizes: N=260 / N=15
// arguments: N, float[N*N], float[N*N]
void own_rows(int n, float c[restrict n][n], float a[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[k][i] * a[k][j];
      c[i][j] = sum;
    }
}
