// Many tridiagonal systems, an unknown of each in a row: elimination forwards and backwards along columns.
#include <stdio.h>

enum { SYSTEMS = 1200, N = 1200, TIMES = 4 };
static double low[SYSTEMS][N], high[SYSTEMS][N], right[SYSTEMS][N], ratio[SYSTEMS][N];

__attribute__((noinline)) static void solve(int systems, int n, double (*restrict a)[N], double (*restrict c)[N],
                                            double (*restrict d)[N], double (*restrict q)[N]) {
  for (int i = 1; i < n; i++)
    for (int s = 0; s < systems; s++) {
      q[s][i] = c[s][i] / (4 - a[s][i] * q[s][i - 1]);
      d[s][i] = (d[s][i] - a[s][i] * d[s][i - 1]) / (4 - a[s][i] * q[s][i - 1]);
    }
  for (int i = n - 2; i >= 0; i--)
    for (int s = 0; s < systems; s++)
      d[s][i] -= q[s][i] * d[s][i + 1];
}

int main(void) {
  for (int s = 0; s < SYSTEMS; s++)
    for (int i = 0; i < N; i++) {
      low[s][i] = 1 + (s + i) % 3 * 0.1;
      high[s][i] = 1 - (s + 2 * i) % 5 * 0.1;
      right[s][i] = (s * 7 + i * 3) % 11;
    }
  for (int t = 0; t < TIMES; t++)
    solve(SYSTEMS, N, low, high, right, ratio);
  double sum = 0;
  for (int s = 0; s < SYSTEMS; s++)
    for (int i = 0; i < N; i++)
      sum += right[s][i] * (i % 4 + 1);
  printf("%.9e\n", sum);
}
