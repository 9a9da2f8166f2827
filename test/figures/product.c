// The product of Shirako and Sarkar 2019 (Figure 1) as its Figures 9, 10 and 11 have it, for the benchmark `figures`.
// With WRITTEN=9, 10 or 11: what the figure shows, in tiles, layouts copied by hand. Without: the loops of Figure 1, for
// the plugin, with the layouts that MAPS says, if it says any.
// All numbers are small integers, so that sums are exact in any order, and each version has the same bits.

#include "../structures/harness.h"

enum { ROWS = 1000, COLUMNS = 1100, TERMS = 1200, TILE = 32 };

#define INLINE static inline __attribute__((always_inline, unused))
#define EACH(t, n) (int t = 0; t < (n); t += TILE)
#define WITHIN(i, t, n) (int i = t; i < ((t) + TILE < (n) ? (t) + TILE : (n)); i++)

// `to[j][i] = from[i][j]`
INLINE void transpose(int n, int m, double from[restrict n][m], double to[restrict m][n]) {
#pragma omp parallel for
  for EACH (jt, m)
    for EACH (it, n)
      for WITHIN (j, jt, m)
        for WITHIN (i, it, n) to[j][i] = from[i][j];
}

#if WRITTEN == 11
#include <omp.h>
#endif

#ifdef MAPS
__attribute__((annotate("polyrs.layout", MAPS)))
#endif
__attribute__((noinline)) static void product(int ni, int nj, int nk, double alpha, double beta,
                                              double C[restrict ni][nj], double A[restrict ni][nk],
                                              double B[restrict nk][nj]) {
#if WRITTEN == 9
  double (*Bt)[nk] = malloc(sizeof(double) * (size_t)nj * (size_t)nk);
  transpose(nk, nj, B, Bt);
#pragma omp parallel for
  for EACH (it, ni)
    for EACH (jt, nj) {
      for WITHIN (i, it, ni)
        for WITHIN (j, jt, nj) C[i][j] *= beta;
      for EACH (kt, nk)
        for WITHIN (i, it, ni)
          for WITHIN (j, jt, nj)
            for WITHIN (k, kt, nk) C[i][j] += alpha * A[i][k] * Bt[j][k];
    }
  free(Bt);
#elif WRITTEN == 10
#pragma omp parallel for
  for EACH (it, ni) {
    for WITHIN (i, it, ni)
      for (int j = 0; j < nj; j++) C[i][j] *= beta;
    for EACH (kt, nk)
      for EACH (jt, nj)
        for WITHIN (i, it, ni)
          for WITHIN (k, kt, nk)
            for WITHIN (j, jt, nj) C[i][j] += alpha * A[i][k] * B[k][j];
  }
#elif WRITTEN == 11
  double (*At)[ni] = malloc(sizeof(double) * (size_t)ni * (size_t)nk);
  transpose(ni, nk, A, At);
  int threads = omp_get_max_threads();
  // Each thread has sums of its own, which are added row by row at the end.
  double (*sums)[ni][nj] = calloc((size_t)threads * (size_t)ni * (size_t)nj, sizeof(double));
#pragma omp parallel for
  for EACH (kt, nk) {
    double (*own)[nj] = sums[omp_get_thread_num()];
    for EACH (it, ni)
      for EACH (jt, nj)
        for WITHIN (k, kt, nk)
          for WITHIN (i, it, ni)
            for WITHIN (j, jt, nj) own[i][j] += alpha * At[k][i] * B[k][j];
  }
#pragma omp parallel for
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      double sum = C[i][j] * beta;
      for (int t = 0; t < threads; t++) sum += sums[t][i][j];
      C[i][j] = sum;
    }
  free(sums);
  free(At);
#else
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < nk; k++) C[i][j] += alpha * A[i][k] * B[k][j];
    }
#endif
}

static double *integers(long count, int most) {
  double *numbers = malloc(sizeof(double) * (size_t)count);
  unsigned seed = 1;
  for (long i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    numbers[i] = (double)((int)(seed >> 16) % most);
  }
  return numbers;
}

int main(void) {
  void *A = integers((long)ROWS * TERMS, 7), *B = integers((long)TERMS * COLUMNS, 5);
  void *C = integers((long)ROWS * COLUMNS, 9);
  // Once before, so that threads are there.
  product(ROWS, COLUMNS, TERMS, 1, 0, C, A, B);
  MEASURE("product", product(ROWS, COLUMNS, TERMS, 2, 3, C, A, B), C, 8L * ROWS * COLUMNS);
}
