// Images and signals of 8 and 16 bits. See README.md.

// sizes: H=720 W=960 / H=13 W=19
// arguments: H, W, uint8_t[H*W], uint8_t[H*W]
void box_blur(int h, int w, uint8_t out[restrict h][w], uint8_t in[restrict h][w]) {
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      int sum = 0;
      for (int u = -1; u <= 1; u++)
        for (int v = -1; v <= 1; v++)
          sum += in[y + u][x + v];
      out[y][x] = (uint8_t)((sum * 57) >> 9);
    }
}

// Rows first, then columns, through a picture between.
// sizes: H=600 W=800 / H=13 W=19
// arguments: H, W, uint16_t[H*W], uint16_t[H*W], uint16_t[H*W]%4096
void two_pass_blur(int h, int w, uint16_t out[restrict h][w], uint16_t between[restrict h][w],
                   uint16_t in[restrict h][w]) {
  for (int y = 0; y < h; y++)
    for (int x = 2; x < w - 2; x++)
      between[y][x] = (uint16_t)((in[y][x - 2] + 4 * in[y][x - 1] + 6 * in[y][x] + 4 * in[y][x + 1] + in[y][x + 2]) >> 4);
  for (int y = 2; y < h - 2; y++)
    for (int x = 2; x < w - 2; x++)
      out[y][x] = (uint16_t)((between[y - 2][x] + 4 * between[y - 1][x] + 6 * between[y][x] + 4 * between[y + 1][x] +
                              between[y + 2][x]) >> 4);
}

// sizes: H=480 W=640 / H=13 W=19
// arguments: in=uint8_t[H*W], out=uint8_t[H*W]
uint8_t in[H][W], out[H][W];
void edges(void) {
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      int gx = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y][x - 1] -
               in[y + 1][x - 1];
      int gy = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y - 1][x] -
               in[y - 1][x + 1];
      int sum = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
      out[y][x] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

// sizes: H=500 W=700 / H=6 W=9
// arguments: H, W, uint8_t[H*W], uint8_t[4*H*W]
void halved(int h, int w, uint8_t out[restrict h][w], uint8_t in[restrict 2 * h][2 * w]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      out[y][x] = (uint8_t)((in[2 * y][2 * x] + in[2 * y][2 * x + 1] + in[2 * y + 1][2 * x] + in[2 * y + 1][2 * x + 1] +
                             2) >> 2);
}

// sizes: N=300000 / N=50
// arguments: N, uint8_t[N], uint8_t[3*N]
void gray(int n, uint8_t *restrict out, const uint8_t *restrict rgb) {
  for (int i = 0; i < n; i++)
    out[i] = (uint8_t)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2] + 128) >> 8);
}

// sizes: N=500000 / N=50
// arguments: N, 100, uint8_t[N], uint8_t[N]
void threshold(int n, uint8_t level, uint8_t *out, const uint8_t *in) {
  for (int i = 0; i < n; i++)
    out[i] = in[i] >= level ? 255 : 0;
}

// The greatest of five by five.
// sizes: H=120 W=200 / H=11 W=17
// arguments: H, W, uint8_t[H*W], uint8_t[H*W]
void dilated(int h, int w, uint8_t out[restrict h][w], uint8_t in[restrict h][w]) {
  for (int y = 2; y < h - 2; y++)
    for (int x = 2; x < w - 2; x++) {
      uint8_t most = 0;
      for (int u = -2; u <= 2; u++)
        for (int v = -2; v <= 2; v++)
          most = in[y + u][x + v] > most ? in[y + u][x + v] : most;
      out[y][x] = most;
    }
}

// Columns outside, as a careless author writes it.
// sizes: H=800 W=1000 / H=11 W=17
// arguments: H, W, uint8_t[H*W], uint8_t[H*W]
void brighter(int h, int w, uint8_t out[restrict h][w], uint8_t in[restrict h][w]) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++) {
      int value = in[y][x] + in[y][x] / 4 + 8;
      out[y][x] = (uint8_t)(value > 255 ? 255 : value);
    }
}

// sizes: N=200000 / N=50
// arguments: N, uint16_t[N], uint16_t[N]%65536, uint16_t[N]%65536, uint8_t[N]
void masked_blend(int n, uint16_t *restrict out, const uint16_t *restrict a, const uint16_t *restrict b,
                  const uint8_t *restrict mask) {
  for (int i = 0; i < n; i++)
    out[i] = (uint16_t)((a[i] * (uint32_t)mask[i] + b[i] * (uint32_t)(255 - mask[i]) + 127) / 255);
}

// A curve of squares.
// sizes: H=400 W=600 / H=11 W=17
// arguments: H, W, uint16_t[H*W]%65536
void curve(int h, int w, uint16_t image[restrict h][w]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      uint32_t v = image[y][x];
      image[y][x] = (uint16_t)((v * v >> 17) + (v >> 1));
    }
}

// sizes: H=900 W=1100 / H=11 W=17
// arguments: H, W, uint16_t[H*W], uint16_t[H*W]%65536
void turned(int h, int w, uint16_t out[restrict w][h], uint16_t in[restrict h][w]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      out[x][h - 1 - y] = in[y][x];
}

// Colours beside each other become pictures of their own.
// sizes: H=300 W=400 / H=7 W=11
// arguments: H, W, uint8_t[3*H*W], uint8_t[3*H*W]
void planes(int h, int w, uint8_t out[restrict 3][h][w], uint8_t in[restrict h][w][3]) {
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        out[c][y][x] = in[y][x][c];
}

// sizes: H=200 W=300 K=7 / H=11 W=17 K=3
// arguments: H, W, float[H*W], float[(H+K)*(W+K)], float[K*K]
void convolved(int h, int w, float out[restrict h][w], float in[restrict h + K][w + K], float f[restrict K][K]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int u = 0; u < K; u++)
        for (int v = 0; v < K; v++)
          sum += in[y + u][x + v] * f[u][v];
      out[y][x] = sum;
    }
}

// A window so small that compilers make no loops of it.
// sizes: H=200 W=300 K=3 / H=11 W=17 K=3
// arguments: H, W, float[H*W], float[(H+K)*(W+K)], float[K*K]
void convolved_small(int h, int w, float out[restrict h][w], float in[restrict h + K][w + K], float f[restrict K][K]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int u = 0; u < K; u++)
        for (int v = 0; v < K; v++)
          sum += in[y + u][x + v] * f[u][v];
      out[y][x] = sum;
    }
}

// The same in integers of 16 bits, the window outside.
// sizes: H=300 W=400 K=5 / H=11 W=17 K=3
// arguments: H, W, uint32_t[H*W]%1, uint16_t[(H+K)*(W+K)]%1024, uint16_t[K*K]%16
void convolved_shorts(int h, int w, uint32_t out[restrict h][w], uint16_t in[restrict h + K][w + K],
                      uint16_t f[restrict K][K]) {
  for (int u = 0; u < K; u++)
    for (int v = 0; v < K; v++)
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
          out[y][x] += (uint32_t)in[y + u][x + v] * f[u][v];
}

// A window of known size outside of rows.
// sizes: H=400 W=600 / H=11 W=37
// arguments: H, W, double[H*W], double[(H+4)*(W+4)], double[25]
void folded_rows(int h, int w, double out[restrict h][w], double in[restrict h + 4][w + 4], double f[restrict 5][5]) {
  for (int y = 0; y < h; y++) {
    for (int x = 0; x < w; x++)
      out[y][x] = 0;
    for (int u = 0; u < 5; u++)
      for (int v = 0; v < 5; v++)
        for (int x = 0; x < w; x++)
          out[y][x] += in[y + u][x + v] * f[u][v];
  }
}

// Sharpened by what a blur leaves out, three stages.
// sizes: H=512 W=768 / H=13 W=19
// arguments: H, W, uint8_t[H*W], uint16_t[H*W], uint8_t[H*W]
void sharpened(int h, int w, uint8_t out[restrict h][w], uint16_t sums[restrict h][w], uint8_t in[restrict h][w]) {
  for (int y = 0; y < h; y++)
    for (int x = 1; x < w - 1; x++)
      sums[y][x] = (uint16_t)(in[y][x - 1] + in[y][x] + in[y][x + 1]);
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      int mean = (sums[y - 1][x] + sums[y][x] + sums[y + 1][x]) / 9;
      int value = 2 * in[y][x] - mean;
      out[y][x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

// How much a block differs from every place of a window.
// sizes: S=48 B=16 / S=5 B=4
// arguments: uint32_t[S*S], uint8_t[B*B], uint8_t[(S+B)*(S+B)]
void block_match(uint32_t out[restrict S][S], uint8_t block[restrict B][B], uint8_t window[restrict S + B][S + B]) {
  for (int y = 0; y < S; y++)
    for (int x = 0; x < S; x++) {
      uint32_t sum = 0;
      for (int u = 0; u < B; u++)
        for (int v = 0; v < B; v++) {
          int d = block[u][v] - window[y + u][x + v];
          sum += (uint32_t)(d < 0 ? -d : d);
        }
      out[y][x] = sum;
    }
}
