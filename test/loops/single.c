// Single loops: what a vectorizer meets. See README.md.

// Each element from the one before.
// sizes: N=4096 / N=37
// arguments: N, float[N], float[N]
void carry_forward(long n, float *restrict a, const float *restrict b) {
  for (long i = 1; i < n; i++)
    a[i] = 0.5f * a[i - 1] + b[i];
}

// Each element from the next, which is still the old one.
// sizes: N=8192 / N=41
// arguments: N, float[N+1], float[N]
void pull_next(long n, float *a, const float *b) {
  for (long i = 0; i < n; i++)
    a[i] = 0.25f * a[i + 1] + b[i];
}

// The same from the end on.
// sizes: N=6000 / N=33
// arguments: N, double[N], double[N]
void carry_backward(long n, double *restrict a, const double *restrict b) {
  for (long i = n - 2; i >= 0; i--)
    a[i] = 0.5 * a[i + 1] - b[i];
}

// sizes: N=10000 / N=35
// arguments: N, int32_t[N], int32_t[N]
void mirrored(long n, int32_t *restrict a, const int32_t *restrict b) {
  for (long i = 0; i < n; i++)
    a[i] = 3 * b[n - 1 - i] + 1;
}

// A distance that vectors of four fit in.
// sizes: N=20000 / N=50
// arguments: N, int32_t[N+4]%97, int32_t[N+4]%89
void distance_four(int n, int32_t *a, const int32_t *b) {
  for (int i = 0; i < n; i++)
    a[i + 4] = (a[i] ^ b[i]) + 1;
}

// sizes: N=30000 / N=29
// arguments: N, float[3*N], float[N]
void stride_three(int n, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    a[3 * i] = a[3 * i + 1] * b[i] - a[3 * i + 2];
}

// Two induction variables that follow the counter.
// sizes: N=16000 / N=31
// arguments: N, double[2*N], double[N]
void second_counter(int n, double *restrict a, const double *restrict b) {
  int at = -1;
  for (int i = 0; i < n; i++) {
    at += 2;
    a[at] = b[i] * 1.5;
  }
}

// sizes: N=12000 / N=30
// arguments: N, float[N], float[N], float[N]
void either_way(int n, float *restrict a, const float *restrict b, const float *restrict c) {
  for (int i = 0; i < n; i++) {
    if (b[i] > 0.0f)
      a[i] = b[i] * c[i];
    else
      a[i] = b[i] - c[i];
  }
}

// Stores only where something holds.
// sizes: N=12000 / N=30
// arguments: N, int16_t[N], int16_t[N]
void where_negative(int n, int16_t *restrict a, const int16_t *restrict b) {
  for (int i = 0; i < n; i++)
    if (b[i] < 0)
      a[i] = (int16_t)(a[i] / 2 - b[i]);
}

// sizes: N=50000 / N=43
// arguments: N, int32_t[N]
int32_t sum_ints(int n, const int32_t *a) {
  int32_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum;
}

// sizes: N=20000 / N=43
// arguments: N, float[N], float[N]
float dot_floats(int n, const float *a, const float *b) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

// sizes: N=40000 / N=70
// arguments: N, int8_t[N], int8_t[N]
int32_t dot_bytes(int n, const int8_t *a, const int8_t *b) {
  int32_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

// sizes: N=30000 / N=70
// arguments: N, uint16_t[N]%65521, uint16_t[N]%65519
uint64_t dot_shorts(int n, const uint16_t *a, const uint16_t *b) {
  uint64_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += (uint32_t)a[i] * b[i];
  return sum;
}

// sizes: N=30000 / N=45
// arguments: N, int64_t[N]%1000003
int64_t greatest(int n, const int64_t *a) {
  int64_t most = a[0];
  for (int i = 1; i < n; i++)
    if (a[i] > most)
      most = a[i];
  return most;
}

// Least and greatest of the same walk.
// sizes: N=60000 / N=45
// arguments: N, uint8_t[N], uint8_t[2]
void range_of(int n, const uint8_t *restrict a, uint8_t *restrict out) {
  uint8_t least = 255, most = 0;
  for (int i = 0; i < n; i++) {
    least = a[i] < least ? a[i] : least;
    most = a[i] > most ? a[i] : most;
  }
  out[0] = least;
  out[1] = most;
}

// The first element is the last one's neighbour.
// sizes: N=9000 / N=39
// arguments: N, float[N], float[N]
void wrapped(int n, float *restrict a, const float *restrict b) {
  int left = n - 1;
  for (int i = 0; i < n; i++) {
    a[i] = (b[i] + b[left]) * 0.5f;
    left = i;
  }
}

// Reads what the same loop has overwritten, unless the read is split off.
// sizes: N=14000 / N=39
// arguments: N, float[N+1], float[N], float[N]
void split_read(int n, float *restrict a, float *restrict b, const float *restrict c) {
  for (int i = 0; i < n; i++) {
    a[i] = b[i] * 0.5f + c[i];
    b[i] = (a[i] + a[i + 1]) * 0.25f;
  }
}

// A recurrence beside two statements that have none.
// sizes: N=8000 / N=36
// arguments: N, double[N], double[N], double[N], double[N]
void one_of_three(int n, double *restrict a, double *restrict b, double *restrict c, const double *restrict d) {
  for (int i = 1; i < n; i++) {
    a[i] = d[i] * d[i] + 1.0;
    b[i] = b[i - 1] * 0.5 + a[i];
    c[i] = a[i] - d[i - 1];
  }
}

// The second statement's value is needed one step later by the first.
// sizes: N=10000 / N=36
// arguments: N, float[N+1], float[N+1], float[N]
void swapped_order(int n, float *restrict a, float *restrict b, const float *restrict c) {
  for (int i = 0; i < n; i++) {
    a[i] = b[i] + c[i];
    b[i + 1] = c[i] * 0.5f;
  }
}

// sizes: N=10000 / N=36
// arguments: N, int32_t[N], int32_t[N], int32_t[N]
void expanded(int n, int32_t *restrict a, int32_t *restrict b, const int32_t *restrict c) {
  int32_t t;
  for (int i = 0; i < n; i++) {
    t = a[i] & 1023;
    a[i] = b[i] + (c[i] & 3);
    b[i] = t;
  }
}

// sizes: N=4000 / N=64
// arguments: N, int32_t[N], uint8_t[8*N]
void histogram(int n, uint32_t *restrict bins, const uint8_t *restrict values) {
  for (int i = 0; i < 8 * n; i++)
    bins[values[i] % 64]++;
}

// sizes: N=20000 / N=37
// arguments: N, float[N], float[N], int32_t[N]%N
void gather(int n, float *restrict a, const float *restrict b, const int32_t *restrict index) {
  for (int i = 0; i < n; i++)
    a[i] = b[index[i]] * 2.0f;
}

// The distance is not known before it runs.
// sizes: N=20000 M=1000 / N=37 M=5
// arguments: N, M, double[N+M], double[N]
void unknown_offset(int n, int m, double *a, const double *b) {
  for (int i = 0; i < n; i++)
    a[i + m] = a[i] * 0.5 + b[i];
}

// sizes: N=25000 / N=37
// arguments: N, uint64_t[N]%1009
void prefix_sums(int n, uint64_t *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}

// sizes: N=32000 / N=65
// arguments: N, uint8_t[N], uint8_t[N], uint8_t[N]
void saturating_add(int n, uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c) {
  for (int i = 0; i < n; i++) {
    int sum = b[i] + c[i];
    a[i] = (uint8_t)(sum > 255 ? 255 : sum);
  }
}

// sizes: N=15000 / N=65
// arguments: N, 77, int16_t[N], int16_t[N], int16_t[N]
void blend_shorts(int n, int16_t weight, int16_t *restrict a, const int16_t *restrict b, const int16_t *restrict c) {
  for (int i = 0; i < n; i++)
    a[i] = (int16_t)((b[i] * weight + c[i] * (256 - weight)) >> 8);
}

// More than the caches hold, with no reuse.
// sizes: N=6000000 / N=65
// arguments: N, float[N], float[N], float[N]
void triad(long n, float *restrict a, const float *restrict b, const float *restrict c) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] + 0.375f * c[i];
}

// sizes: N=100000 / N=65
// arguments: N, uint32_t[N]
void zeros(long n, uint32_t *a) {
  for (long i = 0; i < n; i++)
    a[i] = 0;
}

// May be a copy onto itself.
// sizes: N=20000 / N=65
// arguments: N, int64_t[N], int64_t[N]
void copied(long n, int64_t *a, const int64_t *b) {
  for (long i = 0; i < n; i++)
    a[i] = b[i];
}

// sizes: N=7000 / N=33
// arguments: N, float[4*N], float[N]
void lengths_of_points(int n, const float *restrict points, float *restrict out) {
  for (int i = 0; i < n; i++) {
    const float *p = points + 4 * i;
    out[i] = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
  }
}

// sizes: N=5000 / N=33
// arguments: N, float[N], float[N], float[N], float[N], 0.001f
void moved_points(int n, float *restrict x, float *restrict y, const float *restrict u, const float *restrict v,
                  float step) {
  for (int i = 0; i < n; i++) {
    float speed = u[i] * u[i] + v[i] * v[i];
    x[i] += step * u[i] - 0.0001f * x[i] * speed;
    y[i] += step * v[i] - 0.0001f * y[i] * speed;
  }
}

// sizes: N=18000 / N=33
// arguments: N, uint32_t[N]%4000000
void mixed_bits(int n, uint32_t *a) {
  for (int i = 0; i < n; i++) {
    uint32_t x = a[i];
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    a[i] = x;
  }
}

// Two loops over the same elements.
// sizes: N=1500000 / N=40
// arguments: N, double[N], double[N], double[N]
void two_walks(long n, double *restrict a, double *restrict b, const double *restrict c) {
  for (long i = 0; i < n; i++)
    a[i] = c[i] * 0.5 + 1.0;
  for (long i = 0; i < n; i++)
    b[i] = a[i] * c[i];
}

// sizes: N=4096 T=16 / N=40 T=5
// arguments: N, float[N], float[N+T]
void filter_taps(int n, float *restrict out, const float *restrict in) {
  static const float taps[16] = {1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1};
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < T; k++)
      sum += taps[k] * in[i + k];
    out[i] = sum;
  }
}
