// Particles as structures: each step moves all of them.

#include "harness.h"

struct particle { double x, y, z, vx, vy, vz, mass, charge; };

__attribute__((noinline)) static void drift(int n, int steps, struct particle *restrict p, double dt) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) {
      p[i].x += dt * p[i].vx;
      p[i].y += dt * p[i].vy;
      p[i].z += dt * p[i].vz;
    }
}

int main(void) {
  struct particle *p = doubles(8L * 1000000);
  MEASURE("particles-2k-5000", drift(2000, 5000, p, 0x1p-20), p, 64L * 2000);
  MEASURE("particles-1m-20", drift(1000000, 20, p, 0x1p-20), p, 64L * 1000000);
  MEASURE("particles-1m-1", drift(1000000, 1, p, 0x1p-20), p, 64L * 1000000);
}
