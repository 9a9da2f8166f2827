// 3mm: G = (A * B) * (C * D)
#include "polybench.h"

#define NI POLYBENCH_SIZE(17, 43, 16, 40, 180, 800)
#define NJ POLYBENCH_SIZE(19, 53, 18, 50, 190, 900)
#define NK POLYBENCH_SIZE(21, 61, 20, 60, 200, 1000)
#define NL POLYBENCH_SIZE(23, 71, 22, 70, 210, 1100)
#define NM POLYBENCH_SIZE(26, 83, 24, 80, 220, 1200)

static void init_array(double E[NI][NJ], double A[NI][NK], double B[NK][NJ], double F[NJ][NL],
                       double C[NJ][NM], double D[NM][NL], double G[NI][NL]) {
  // PolyBench leaves E, F and G as they were allocated, which is mostly zero: that the kernel
  // clears them would then change nothing.
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++)
      E[i][j] = -1.0;
  for (int i = 0; i < NJ; i++)
    for (int j = 0; j < NL; j++)
      F[i][j] = -1.0;
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++)
      G[i][j] = -1.0;
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NK; j++)
      A[i][j] = (double)((i * j + 1) % NI) / (5 * NI);
  for (int i = 0; i < NK; i++)
    for (int j = 0; j < NJ; j++)
      B[i][j] = (double)((i * (j + 1) + 2) % NJ) / (5 * NJ);
  for (int i = 0; i < NJ; i++)
    for (int j = 0; j < NM; j++)
      C[i][j] = (double)(i * (j + 3) % NL) / (5 * NL);
  for (int i = 0; i < NM; i++)
    for (int j = 0; j < NL; j++)
      D[i][j] = (double)((i * (j + 2) + 2) % NK) / (5 * NK);
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_3mm(double E[POLYBENCH_RESTRICT NI][NJ], double A[POLYBENCH_RESTRICT NI][NK],
                       double B[POLYBENCH_RESTRICT NK][NJ], double F[POLYBENCH_RESTRICT NJ][NL],
                       double C[POLYBENCH_RESTRICT NJ][NM], double D[POLYBENCH_RESTRICT NM][NL],
                       double G[POLYBENCH_RESTRICT NI][NL]) {
  // E = A * B
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      E[i][j] = 0.0;
      for (int k = 0; k < NK; k++)
        E[i][j] += A[i][k] * B[k][j];
    }
  // F = C * D
  for (int i = 0; i < NJ; i++)
    for (int j = 0; j < NL; j++) {
      F[i][j] = 0.0;
      for (int k = 0; k < NM; k++)
        F[i][j] += C[i][k] * D[k][j];
    }
  // G = E * F
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++) {
      G[i][j] = 0.0;
      for (int k = 0; k < NJ; k++)
        G[i][j] += E[i][k] * F[k][j];
    }
}
#endif

static void print_array(double G[NI][NL]) {
  bench_array(polybench_tag("G"));
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NL; j++)
      bench_value_f64(G[i][j]);
}

void polybench_run(void) {
  double(*E)[NI][NJ] = polybench_alloc(sizeof *E);
  double(*A)[NI][NK] = polybench_alloc(sizeof *A);
  double(*B)[NK][NJ] = polybench_alloc(sizeof *B);
  double(*F)[NJ][NL] = polybench_alloc(sizeof *F);
  double(*C)[NJ][NM] = polybench_alloc(sizeof *C);
  double(*D)[NM][NL] = polybench_alloc(sizeof *D);
  double(*G)[NI][NL] = polybench_alloc(sizeof *G);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*E, *A, *B, *F, *C, *D, *G);
    bench_start();
    POLYBENCH_KERNEL(kernel_3mm(*E, *A, *B, *F, *C, *D, *G));
    bench_stop();
  }
  print_array(*G);
  free(E);
  free(A);
  free(B);
  free(F);
  free(C);
  free(D);
  free(G);
}
