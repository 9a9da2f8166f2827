// 3mm: G = (A * B) * (C * D)
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_3mm_vla(int ni, int nj, int nk, int nl, int nm, double E[POLYBENCH_RESTRICT ni][nj],
                    double A[POLYBENCH_RESTRICT ni][nk], double B[POLYBENCH_RESTRICT nk][nj],
                    double F[POLYBENCH_RESTRICT nj][nl], double C[POLYBENCH_RESTRICT nj][nm],
                    double D[POLYBENCH_RESTRICT nm][nl], double G[POLYBENCH_RESTRICT ni][nl]) {
  // E = A * B
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      E[i][j] = 0.0;
      for (int k = 0; k < nk; k++)
        E[i][j] += A[i][k] * B[k][j];
    }
  // F = C * D
  for (int i = 0; i < nj; i++)
    for (int j = 0; j < nl; j++) {
      F[i][j] = 0.0;
      for (int k = 0; k < nm; k++)
        F[i][j] += C[i][k] * D[k][j];
    }
  // G = E * F
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      G[i][j] = 0.0;
      for (int k = 0; k < nj; k++)
        G[i][j] += E[i][k] * F[k][j];
    }
}

static void kernel_3mm(double E[POLYBENCH_RESTRICT NI][NJ], double A[POLYBENCH_RESTRICT NI][NK],
                       double B[POLYBENCH_RESTRICT NK][NJ], double F[POLYBENCH_RESTRICT NJ][NL],
                       double C[POLYBENCH_RESTRICT NJ][NM], double D[POLYBENCH_RESTRICT NM][NL],
                       double G[POLYBENCH_RESTRICT NI][NL]) {
  kernel_3mm_vla(NI, NJ, NK, NL, NM, E, A, B, F, C, D, G);
}
