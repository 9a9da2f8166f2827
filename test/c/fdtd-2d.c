// fdtd-2d: the finite difference time domain method in two dimensions
#include "polybench.h"

#define TMAX POLYBENCH_SIZE(7, 13, 20, 40, 100, 500)
#define NX POLYBENCH_SIZE(21, 61, 20, 60, 200, 1000)
#define NY POLYBENCH_SIZE(29, 83, 30, 80, 240, 1200)

static void init_array(double ex[NX][NY], double ey[NX][NY], double hz[NX][NY], double fict[TMAX]) {
  for (int i = 0; i < TMAX; i++)
    fict[i] = i;
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      ex[i][j] = (double)(i * (j + 1)) / NX;
      ey[i][j] = (double)(i * (j + 2)) / NY;
      hz[i][j] = (double)(i * (j + 3)) / NX;
    }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_fdtd_2d(double ex[POLYBENCH_RESTRICT NX][NY],
                           double ey[POLYBENCH_RESTRICT NX][NY],
                           double hz[POLYBENCH_RESTRICT NX][NY],
                           double fict[POLYBENCH_RESTRICT TMAX]) {
  for (int t = 0; t < TMAX; t++) {
    for (int j = 0; j < NY; j++)
      ey[0][j] = fict[t];
    for (int i = 1; i < NX; i++)
      for (int j = 0; j < NY; j++)
        ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < NX; i++)
      for (int j = 1; j < NY; j++)
        ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < NX - 1; i++)
      for (int j = 0; j < NY - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
#endif

static void print_array(double ex[NX][NY], double ey[NX][NY], double hz[NX][NY]) {
  bench_array(polybench_tag("ex"));
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      bench_value_f64(ex[i][j]);
  bench_array(polybench_tag("ey"));
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      bench_value_f64(ey[i][j]);
  bench_array(polybench_tag("hz"));
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      bench_value_f64(hz[i][j]);
}

void polybench_run(void) {
  double(*ex)[NX][NY] = polybench_alloc(sizeof *ex);
  double(*ey)[NX][NY] = polybench_alloc(sizeof *ey);
  double(*hz)[NX][NY] = polybench_alloc(sizeof *hz);
  double(*fict)[TMAX] = polybench_alloc(sizeof *fict);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*ex, *ey, *hz, *fict);
    bench_start();
    POLYBENCH_KERNEL(kernel_fdtd_2d(*ex, *ey, *hz, *fict));
    bench_stop();
  }
  print_array(*ex, *ey, *hz);
  free(ex);
  free(ey);
  free(hz);
  free(fict);
}
