// A stencil of two statements with many references.
#define N 120
double A[N][N][N], B[N][N][N];
#define D(X, di, dj, dk) (X[i + di][j + dj][k + dk] + X[i - di][j - dj][k - dk])
#define NEAR(X) (D(X, 1, 0, 0) + D(X, 0, 1, 0) + D(X, 0, 0, 1) + D(X, 1, 1, 0) + D(X, 1, 0, 1))
#define FAR(X) (D(X, 0, 1, 1) + D(X, 1, 1, 1) + D(X, 2, 0, 0) + D(X, 0, 2, 0) + D(X, 0, 0, 2))
#define STEP(Y, X)                                                                                                       \
  for (int i = 2; i < N - 2; i++)                                                                                        \
    for (int j = 2; j < N - 2; j++)                                                                                      \
      for (int k = 2; k < N - 2; k++) Y[i][j][k] = 0.1 * (X[i][j][k] + NEAR(X) + FAR(X));
void stencil(int steps) {
  for (int t = 0; t < steps; t++) {
    STEP(B, A)
    STEP(A, B)
  }
}
