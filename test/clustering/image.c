// Seven filters of images, one region each, for the benchmark `clustering`: the kinds of kernels that Baghdadi and Cohen 2020
// (statement clustering, section 7) name, whose code the paper does not show; written here anew. Images are single precision.
//
// A scalar is part of the statement that uses it, for the plugin, unless several do: `resize` and `affine_warp` are one statement
// each. With KEPT their temporaries are also written to memory, one place for each, and so are statements.

enum { CHANNELS = 3, TAPS = 5, FACTOR = 4, BINS = 256 };

#ifdef KEPT
#define ROOM(count) , float kept[restrict count]
#define KEEP(position) kept[position] =
#else
#define ROOM(count)
#define KEEP(position)
#endif

// The brightness of each pixel: a weighted sum of red, green and blue (the weights of ITU-R BT.601).
void colour_conversion(int height, int width, float image[restrict height][width][CHANNELS],
                       float grey[restrict height][width]) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      grey[y][x] = 0.299f * image[y][x][0] + 0.587f * image[y][x][1] + 0.114f * image[y][x][2];
}

// Each pixel becomes the brightest of the nine around it: first along rows, then along columns; what lies at the margin stays.
void dilate(int height, int width, float image[restrict height][width], float rows[restrict height][width],
            float out[restrict height][width]) {
  for (int y = 0; y < height; y++)
    for (int x = 1; x < width - 1; x++) {
      float left = image[y][x - 1], middle = image[y][x], right = image[y][x + 1];
      float greater = left > middle ? left : middle;
      rows[y][x] = greater > right ? greater : right;
    }
  for (int y = 0; y < height; y++) {
    out[y][0] = image[y][0];
    out[y][width - 1] = image[y][width - 1];
  }
  for (int x = 1; x < width - 1; x++) {
    out[0][x] = image[0][x];
    out[height - 1][x] = image[height - 1][x];
  }
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++) {
      float above = rows[y - 1][x], middle = rows[y][x], below = rows[y + 1][x];
      float greater = above > middle ? above : middle;
      out[y][x] = greater > below ? greater : below;
    }
}

// The weighted sum of the pixels around each one. The image has a margin that the result has not.
void convolution(int height, int width, float image[restrict height + TAPS - 1][width + TAPS - 1],
                 float weights[restrict TAPS][TAPS], float out[restrict height][width]) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      out[y][x] = 0;
      for (int v = 0; v < TAPS; v++)
        for (int u = 0; u < TAPS; u++) out[y][x] += weights[v][u] * image[y + v][x + u];
    }
}

// A convolution whose weights are a product (of a Gaussian with itself, say): one pass along rows, one along columns.
void gaussian(int height, int width, float image[restrict height + TAPS - 1][width + TAPS - 1],
              float weights[restrict TAPS], float rows[restrict height + TAPS - 1][width],
              float out[restrict height][width]) {
  for (int y = 0; y < height + TAPS - 1; y++)
    for (int x = 0; x < width; x++) {
      rows[y][x] = 0;
      for (int u = 0; u < TAPS; u++) rows[y][x] += weights[u] * image[y][x + u];
    }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      out[y][x] = 0;
      for (int v = 0; v < TAPS; v++) out[y][x] += weights[v] * rows[y + v][x];
    }
}

// How many pixels have each brightness. Each pixel is compared with each bin, so that no subscript depends on data.
void histogram(int height, int width, unsigned char image[restrict height][width], int count[restrict BINS]) {
  for (int b = 0; b < BINS; b++) count[b] = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int b = 0; b < BINS; b++) count[b] += image[y][x] == b;
}

// An image of FACTOR times the height and width, in which pixels between those given are mixed of the four around them. In
// three-address form: 17 statements for each pixel of the result.
void resize(int height, int width, float image[restrict height + 1][width + 1],
            float out[restrict FACTOR * height][FACTOR * width] ROOM(16)) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int v = 0; v < FACTOR; v++)
        for (int u = 0; u < FACTOR; u++) {
          float right = KEEP(0) (float)u / (float)FACTOR;
          float down = KEEP(1) (float)v / (float)FACTOR;
          float left = KEEP(2) 1 - right;
          float up = KEEP(3) 1 - down;
          float above_left = KEEP(4) image[y][x];
          float above_right = KEEP(5) image[y][x + 1];
          float below_left = KEEP(6) image[y + 1][x];
          float below_right = KEEP(7) image[y + 1][x + 1];
          float of_above_left = KEEP(8) left * above_left;
          float of_above_right = KEEP(9) right * above_right;
          float above = KEEP(10) of_above_left + of_above_right;
          float of_below_left = KEEP(11) left * below_left;
          float of_below_right = KEEP(12) right * below_right;
          float below = KEEP(13) of_below_left + of_below_right;
          float of_above = KEEP(14) up * above;
          float of_below = KEEP(15) down * below;
          out[FACTOR * y + v][FACTOR * x + u] = of_above + of_below;
        }
}

// An image sheared both ways by an affine map and made brighter: pixel (x, y) of the result is what the image has at
// (x + y / FACTOR, y + x / FACTOR), mixed of the four pixels around there. Loops over squares of FACTOR by FACTOR pixels make the
// whole part of that place affine and leave the fraction to u and v. In three-address form: 25 statements for each pixel.
void affine_warp(int rows, int columns, int height, int width, float gain, float offset,
                 float image[restrict rows][columns],
                 float out[restrict FACTOR * height][FACTOR * width] ROOM(18)) {
  for (int square_y = 0; square_y < height; square_y++)
    for (int square_x = 0; square_x < width; square_x++)
      for (int v = 0; v < FACTOR; v++)
        for (int u = 0; u < FACTOR; u++) {
          int x = FACTOR * square_x + u;
          int y = FACTOR * square_y + v;
          int west = x + square_y;
          int north = y + square_x;
          int east = west + 1;
          int south = north + 1;
          float right = KEEP(0) (float)v / (float)FACTOR;
          float down = KEEP(1) (float)u / (float)FACTOR;
          float left = KEEP(2) 1 - right;
          float up = KEEP(3) 1 - down;
          float above_left = KEEP(4) image[north][west];
          float above_right = KEEP(5) image[north][east];
          float below_left = KEEP(6) image[south][west];
          float below_right = KEEP(7) image[south][east];
          float of_above_left = KEEP(8) left * above_left;
          float of_above_right = KEEP(9) right * above_right;
          float above = KEEP(10) of_above_left + of_above_right;
          float of_below_left = KEEP(11) left * below_left;
          float of_below_right = KEEP(12) right * below_right;
          float below = KEEP(13) of_below_left + of_below_right;
          float of_above = KEEP(14) up * above;
          float of_below = KEEP(15) down * below;
          float mixed = KEEP(16) of_above + of_below;
          float brighter = KEEP(17) gain * mixed;
          out[y][x] = brighter + offset;
        }
}
