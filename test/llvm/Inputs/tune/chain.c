// A chain of matrices: D = A B C^T, then each row of D divided by its greatest element.
#include <stdio.h>

enum { N = 600, TIMES = 2 };
static double a[N][N], b[N][N], c[N][N], ab[N][N], d[N][N];

__attribute__((noinline)) static void chain(int n, double (*restrict a)[N], double (*restrict b)[N], double (*restrict c)[N],
                                            double (*restrict ab)[N], double (*restrict d)[N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      ab[i][j] = 0;
      for (int k = 0; k < n; k++)
        ab[i][j] += a[i][k] * b[k][j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      d[i][j] = 0;
      for (int k = 0; k < n; k++)
        d[i][j] += ab[i][k] * c[j][k];
    }
}

__attribute__((noinline)) static void scale(int n, double (*restrict d)[N], double factor) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      d[i][j] *= factor;
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * j + 1) % 9;
      b[i][j] = (i + 2 * j) % 5;
      c[i][j] = (3 * i + j) % 7;
    }
  double sum = 0;
  for (int t = 0; t < TIMES; t++) {
    chain(N, a, b, c, ab, d);
    for (int r = 0; r < 40; r++)
      scale(N, d, 0.5);
    sum += d[t][N - 1] + d[N / 2][t];
  }
  printf("%.9e\n", sum);
}
