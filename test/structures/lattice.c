// A lattice-Boltzmann step: five populations of each node, which stream and relax.

#include "harness.h"

__attribute__((noinline)) static void steps(int n, int count, double f[restrict n][n][5], double g[restrict n][n][5]) {
  for (int t = 0; t < count; t++) {
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++) {
        double a = f[y][x][0], b = f[y][x - 1][1], c = f[y][x + 1][2], d = f[y - 1][x][3], e = f[y + 1][x][4];
        double mean = (a + b + c + d + e) * 0.2;
        g[y][x][0] = a + 0.6 * (mean - a);
        g[y][x][1] = b + 0.6 * (mean - b);
        g[y][x][2] = c + 0.6 * (mean - c);
        g[y][x][3] = d + 0.6 * (mean - d);
        g[y][x][4] = e + 0.6 * (mean - e);
      }
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++)
        for (int q = 0; q < 5; q++)
          f[y][x][q] = g[y][x][q];
  }
}

int main(void) {
  void *f = doubles(5L * 600 * 600), *g = doubles(5L * 600 * 600);
  MEASURE("lattice-60-2000", steps(60, 2000, f, g), f, 40L * 60 * 60);
  MEASURE("lattice-600-50", steps(600, 50, f, g), f, 40L * 600 * 600);
}
