// Fourteen nests in a loop over time, each a stencil from one array to the other: many dependences, and more schedules than are worth it.
#define N 120
double A[N][N][N], B[N][N][N];
#define NEST(Y, X) \
  for (int i = 1; i < N - 1; i++) \
    for (int j = 1; j < N - 1; j++) \
      for (int k = 1; k < N - 1; k++) \
        Y[i][j][k] = 0.5 * (X[i][j][k] + X[i - 1][j][k] + X[i][j + 1][k] + X[i][j][k - 1]);
#define TWO NEST(B, A) NEST(A, B)
void nests(int steps) {
  for (int t = 0; t < steps; t++) {
    TWO TWO TWO TWO TWO TWO TWO
  }
}
