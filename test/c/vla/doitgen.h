// doitgen: A[r][q][.] = A[r][q][.] * C4, a kernel of multiresolution analysis
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_doitgen_vla(int nq, int nr, int np, double A[POLYBENCH_RESTRICT nr][nq][np],
                        double C4[POLYBENCH_RESTRICT np][np], double sum[POLYBENCH_RESTRICT np]) {
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        sum[p] = 0.0;
        for (int s = 0; s < np; s++)
          sum[p] += A[r][q][s] * C4[s][p];
      }
      for (int p = 0; p < np; p++)
        A[r][q][p] = sum[p];
    }
}

static void kernel_doitgen(double A[POLYBENCH_RESTRICT NR][NQ][NP],
                           double C4[POLYBENCH_RESTRICT NP][NP],
                           double sum[POLYBENCH_RESTRICT NP]) {
  kernel_doitgen_vla(NQ, NR, NP, A, C4, sum);
}
