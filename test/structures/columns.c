// Rows that are filtered again and again: along them each element waits for the one before, across them none does.

#include "harness.h"

__attribute__((noinline)) static void filter(int n, int count, double a[restrict n][n], double b[restrict n][n]) {
  for (int t = 0; t < count; t++)
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        a[i][j] = 0.5 * a[i][j - 1] + 0.25 * b[i][j];
}

// The same down columns: an order of loops does as well.
__attribute__((noinline)) static void down(int n, int count, double a[restrict n][n], double b[restrict n][n]) {
  for (int t = 0; t < count; t++)
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        a[j][i] = 0.5 * a[j - 1][i] + 0.25 * b[j][i];
}

int main(void) {
  void *a = doubles(1000L * 1000), *b = doubles(1000L * 1000);
  MEASURE("filter-100-2000", filter(100, 2000, a, b), a, 8L * 100 * 100);
  MEASURE("filter-1000-40", filter(1000, 40, a, b), a, 8L * 1000 * 1000);
  MEASURE("down-1000-40", down(1000, 40, a, b), a, 8L * 1000 * 1000);
}
