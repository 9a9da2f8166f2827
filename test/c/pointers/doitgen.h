// doitgen: A[r][q][.] = A[r][q][.] * C4, a kernel of multiresolution analysis
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_doitgen_pointers(int nq, int nr, int np, double *POLYBENCH_RESTRICT A,
                             double *POLYBENCH_RESTRICT C4, double *POLYBENCH_RESTRICT sum) {
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        sum[p] = 0.0;
        for (int s = 0; s < np; s++)
          sum[p] += A[(r * nq + q) * np + s] * C4[s * np + p];
      }
      for (int p = 0; p < np; p++)
        A[(r * nq + q) * np + p] = sum[p];
    }
}

static void kernel_doitgen(double A[POLYBENCH_RESTRICT NR][NQ][NP],
                           double C4[POLYBENCH_RESTRICT NP][NP],
                           double sum[POLYBENCH_RESTRICT NP]) {
  kernel_doitgen_pointers(NQ, NR, NP, &A[0][0][0], &C4[0][0], &sum[0]);
}
