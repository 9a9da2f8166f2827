int check(double);
static inline double in_a_header(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (check(x[j]))
        sum += x[i];
  return sum;
}
