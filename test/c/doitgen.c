// doitgen: A[r][q][.] = A[r][q][.] * C4, a kernel of multiresolution analysis
#include "polybench.h"

#define NQ POLYBENCH_SIZE(7, 21, 8, 20, 40, 140)
#define NR POLYBENCH_SIZE(9, 23, 10, 25, 50, 150)
#define NP POLYBENCH_SIZE(13, 31, 12, 30, 60, 160)

static void init_array(double A[NR][NQ][NP], double C4[NP][NP], double sum[NP]) {
  // PolyBench leaves sum as it was allocated, which is mostly zero: that the kernel clears it
  // would then change nothing at first.
  for (int p = 0; p < NP; p++)
    sum[p] = -1.0;
  for (int i = 0; i < NR; i++)
    for (int j = 0; j < NQ; j++)
      for (int k = 0; k < NP; k++)
        A[i][j][k] = (double)((i * j + k) % NP) / NP;
  for (int i = 0; i < NP; i++)
    for (int j = 0; j < NP; j++)
      C4[i][j] = (double)(i * j % NP) / NP;
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_doitgen(double A[POLYBENCH_RESTRICT NR][NQ][NP],
                           double C4[POLYBENCH_RESTRICT NP][NP],
                           double sum[POLYBENCH_RESTRICT NP]) {
  for (int r = 0; r < NR; r++)
    for (int q = 0; q < NQ; q++) {
      for (int p = 0; p < NP; p++) {
        sum[p] = 0.0;
        for (int s = 0; s < NP; s++)
          sum[p] += A[r][q][s] * C4[s][p];
      }
      for (int p = 0; p < NP; p++)
        A[r][q][p] = sum[p];
    }
}
#endif

static void print_array(double A[NR][NQ][NP]) {
  bench_array(polybench_tag("A"));
  for (int i = 0; i < NR; i++)
    for (int j = 0; j < NQ; j++)
      for (int k = 0; k < NP; k++)
        bench_value_f64(A[i][j][k]);
}

void polybench_run(void) {
  double(*A)[NR][NQ][NP] = polybench_alloc(sizeof *A);
  double(*C4)[NP][NP] = polybench_alloc(sizeof *C4);
  double(*sum)[NP] = polybench_alloc(sizeof *sum);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*A, *C4, *sum);
    bench_start();
    POLYBENCH_KERNEL(kernel_doitgen(*A, *C4, *sum));
    bench_stop();
  }
  print_array(*A);
  free(A);
  free(C4);
  free(sum);
}
