// A field that is relaxed in place, with the neighbours that were updated before, many times.
#include <stdio.h>

enum { N = 1000, TIMES = 40 };
static double field[N][N];

__attribute__((noinline)) static void relax(int times, int n, double (*restrict u)[N]) {
  for (int t = 0; t < times; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      field[i][j] = (i * 5 + j * 3) % 17;
  relax(TIMES, N, field);
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += field[i][j] * (j % 3 + 1);
  printf("%.9e\n", sum);
}
