// A step of particles: forces of all pairs, with the distance squared, then places and speeds.
#include <stdio.h>

enum { N = 4000, STEPS = 6 };
static double place[3][N], speed[3][N], force[3][N], mass[N];

__attribute__((noinline)) static void forces(int n, double (*restrict p)[N], double (*restrict f)[N], double *restrict m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = p[0][j] - p[0][i], y = p[1][j] - p[1][i], z = p[2][j] - p[2][i];
      double weight = m[j] / (x * x + y * y + z * z + 0.01);
      f[0][i] += weight * x;
      f[1][i] += weight * y;
      f[2][i] += weight * z;
    }
}

__attribute__((noinline)) static void move(int n, double (*restrict p)[N], double (*restrict v)[N], double (*restrict f)[N]) {
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < n; i++) {
      v[d][i] += 1e-6 * f[d][i];
      p[d][i] += 1e-3 * v[d][i];
      f[d][i] = 0;
    }
}

int main(void) {
  unsigned state = 7;
  for (int i = 0; i < N; i++) {
    mass[i] = 1 + i % 5;
    for (int d = 0; d < 3; d++)
      place[d][i] = (state = state * 1103515245u + 12345u) / 4294967296.0;
  }
  for (int t = 0; t < STEPS; t++) {
    forces(N, place, force, mass);
    move(N, place, speed, force);
  }
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += place[0][i] + 2 * place[1][i] + 3 * speed[2][i];
  printf("%.9e\n", sum);
}
