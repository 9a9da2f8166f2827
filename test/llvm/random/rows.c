// What rows.py puts around its kernels: tables of rows, and who calls the kernels with them. It is not optimized, so
// all regions are those of kernels.
//
// Each call is made twice: first by the recording version of the kernel, whose tables and rows are complete, and which
// gives up where a subscript is outside of them or where there is no end; so what the kernel loads is known. Then by
// the kernel itself, whose tables may lie at pages that nobody may access, with what was loaded and nothing else.

struct kernel {
  void (*run)(void *A, void *B, void *x, long n, long m, long k);
  void (*record)(void *A, void *B, void *x, long n, long m, long k);
  int size, is_float, entry, field;  // bytes of an element, of a table's entry, and in front of the pointer in it
  int apart;  // `x` is `restrict`
};

enum { ELEMENTS = 4096, SIDE = 64, FIRST_X = 3800, PAGE = 4096 };  // of the block that most rows are parts of
enum layout { BLOCK, GAPS, REVERSE, IRREGULAR, UNEQUAL, SHUFFLED, OVERLAPPING, TWICE, ONE, GUARDED, LAYOUTS };
enum shared { NOTHING, ROWS_TOO, ONE_ROW, TABLE, TABLE_SHIFTED, SHARES };
enum place { WHOLE, AT_END, AT_START, PLACES };
static const char *const layouts[] = {
    "block", "gaps", "reverse", "irregular", "unequal", "shuffled", "overlapping", "twice", "one", "guarded",
};
static const enum layout calm[] = {BLOCK, GAPS, GAPS, REVERSE, GUARDED, UNEQUAL};
static const char *const shares[] = {"nothing", "rows", "one row", "table", "shifted table"};
static const char *const places[] = {"whole", "at the end", "at the start"};

static unsigned state = 12345;
static long draw(long below) { return (state = state * 1103515245 + 12345, state >> 8) % below; }

static const struct kernel *kernel;
static char *block, *pages, *entries[2];  // rows of their own are on every other page
static char *rows[2][ROWS];  // as the tables have them
static long row_page[2][ROWS];  // where a row is alone in a page, its number
static char complete[2][ROWS * MOST_ENTRY] __attribute__((aligned(16)));

// Pages that nobody may access.
static char *closed(long count) {
  return mmap(0, count * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void open_page(char *page) { mprotect(page, PAGE, PROT_READ | PROT_WRITE); }

static void put(char *to, long seed) {
  int number = (int)((seed * 7 + seed / 5) % 23) - 6;
  double f64 = number * 0.5;
  float f32 = number * 0.5f;
  long i64 = number;
  short i16 = number;
  signed char i8 = number;
  int size = kernel->size;
  if (kernel->is_float)
    memcpy(to, size == 8 ? (void *)&f64 : (void *)&f32, size);
  else
    memcpy(to, size == 8 ? (void *)&i64 : size == 4 ? (void *)&number : size == 2 ? (void *)&i16 : &i8, size);
}

static unsigned long hash;
static void add(const char *from) {
  double f64 = 0;
  float f32 = 0;
  unsigned long bits = 0;
  memcpy(&bits, from, kernel->size);
  if (kernel->is_float && kernel->size == 8) memcpy(&f64, from, 8);
  if (kernel->is_float && kernel->size == 4) memcpy(&f32, from, 4);
  if (f64 != f64 || f32 != f32) bits = 7;  // any NaN is as good as another
  hash = (hash ^ bits) * 1099511628211ul;
}

// Where the rows of a table are. Elements of a row in a page of its own do not move when the row does.
static void lay(int table, enum layout layout, int is_apart) {
  long start = SIDE + (is_apart ? table * 1800 : draw(60)), length = 9 + draw(12), gap = 0;
  long twice = draw(12), again = draw(12);
  if (layout == GAPS) length += 15;
  for (long r = 0; r < ROWS; ++r) {
    long at = start + r * length;
    gap += draw(3);
    switch (layout) {
    case REVERSE: at = start + (ROWS - 1 - r) * length; break;
    case IRREGULAR: at += gap; break;
    case UNEQUAL: at += draw(8) == 0; break;
    case SHUFFLED: at = start + draw(ROWS) * length; break;
    case OVERLAPPING: at = start + r * (1 + table); break;
    case ONE: at = start; break;
    default: break;
    }
    rows[table][r] = block + at * kernel->size;
    row_page[table][r] = table * ROWS + r;
    if (layout == GUARDED) rows[table][r] = pages + (2 * row_page[table][r] + 1) * PAGE + 1024;
  }
  if (layout == TWICE) rows[table][FIRST_ROW + twice] = rows[table][FIRST_ROW + again];
}

static char *element(int table, long r, long column) { return rows[table][r] + column * kernel->size; }

// Rows that are alone in their pages have elements where they are accessed.
static void fill(const enum layout *layout) {
  for (long at = 0; at < ELEMENTS; ++at) put(block + at * kernel->size, at);
  for (int table = 0; table < 2; ++table)
    for (long r = 0; layout[table] == GUARDED && r < ROWS; ++r)
      for (long column = low[table][r]; column <= high[table][r]; ++column)
        put(element(table, r, column), row_page[table][r] * 64 + column - FIRST_COLUMN);
}

// What one table's rows have to have, those of the other one have, too, which are the same.
static void unite(int from, int to, long shift) {
  for (long r = 0; r + shift < ROWS; ++r) {
    long other = r + shift;
    if (low[from][r] < low[to][other]) low[to][other] = low[from][r];
    if (high[from][r] > high[to][other]) high[to][other] = high[from][r];
  }
}

// A table with what is loaded of it; returns what is passed for it. Entries as large as pages are there one by one.
static char *table_of(int table, enum place place, int holes) {
  char *base = complete[table], *missing[] = {0, 0, pages, (char *)1};
  long first = ROWS, last = -1, size = kernel->entry;
  for (long r = 0; r < ROWS; ++r) {
    char *to = base + r * size;
    memset(to, 0x5a, size);
    char *row = loaded[table][r] || !holes ? rows[table][r] : missing[holes];
    memcpy(to + kernel->field, &row, sizeof row);
    if (loaded[table][r] && first == ROWS) first = r;
    if (loaded[table][r]) last = r;
  }
  if (place == WHOLE) return base + FIRST_ROW * size;
  char *start = entries[table] + ROWS * PAGE, *end = start + PAGE;
  if (last < 0) return draw(2) ? 0 : start;
  mprotect(start, ROWS * PAGE, PROT_NONE);
  if (size == PAGE) {
    for (long r = 0; r < ROWS; ++r) {
      if (!loaded[table][r]) continue;
      open_page(start + r * PAGE);
      memcpy(start + r * PAGE, base + r * PAGE, PAGE);
    }
    return start + FIRST_ROW * PAGE;
  }
  open_page(start);
  long bytes = (last + 1 - first) * size;
  char *to = place == AT_END ? end - bytes : start;
  memcpy(to, base + first * size, bytes);
  return to + (FIRST_ROW - first) * size;
}

static void call(const char *name, int number) {
  long n = draw(14) - 1, m = draw(3) ? draw(14) - 1 : n, k = draw(6) ? draw(4) : draw(9) - 1;
  enum layout layout[2];
  enum place place[2];
  int is_calm = draw(2);  // the check at run time may well hold
  for (int table = 0; table < 2; ++table) {
    layout[table] = is_calm ? calm[draw(sizeof calm / sizeof *calm)] : draw(LAYOUTS);
    place[table] = draw(PLACES);
  }
  enum shared shared = is_calm || draw(2) ? NOTHING : draw(SHARES);
  int holes = draw(4), at_end = draw(2), together = !is_calm && !kernel->apart && draw(2);
  for (int table = 0; table < 2; ++table) lay(table, layout[table], is_calm || draw(2));
  if (shared == ROWS_TOO) {
    memcpy(rows[1], rows[0], sizeof rows[0]);
    memcpy(row_page[1], row_page[0], sizeof row_page[0]);
    layout[1] = layout[0];
  }
  long one = FIRST_ROW + draw(8), other = FIRST_ROW + draw(8);
  if (shared == ONE_ROW && layout[0] != GUARDED && layout[1] != GUARDED)
    rows[1][one] = rows[0][other];
  long shift = shared == TABLE_SHIFTED;
  int is_same = shared == TABLE || shift;
  if (is_same) layout[1] = BLOCK;
  char *x = block + (together ? SIDE + draw(300) : FIRST_X) * kernel->size;

  memset(loaded, 0, sizeof loaded);
  for (int table = 0; table < 2; ++table)
    for (long r = 0; r < ROWS; ++r)
      loaded[table][r] = 1, low[table][r] = FIRST_COLUMN, high[table][r] = LAST_COLUMN;
  fill(layout);
  char *A = table_of(0, WHOLE, 0), *B = is_same ? A + shift * kernel->entry : table_of(1, WHOLE, 0);
  for (int table = 0; table < 2; ++table)
    for (long r = 0; r < ROWS; ++r)
      loaded[table][r] = 0, low[table][r] = LAST_COLUMN + 1, high[table][r] = FIRST_COLUMN - 1;
  steps = 0;
  printf("%s call %d: n=%ld m=%ld k=%ld", name, number, n, m, k);
  printf(" %s, %s, shared: %s", layouts[layout[0]], is_same ? "the same" : layouts[layout[1]], shares[shared]);
  if (setjmp(outside)) {
    puts("; outside");
    return;
  }
  kernel->record(A, B, x, n, m, k);

  for (long r = 0; is_same && r + shift < ROWS; ++r) loaded[0][r + shift] |= loaded[1][r];
  if (is_same || shared == ROWS_TOO) unite(1, 0, shift);
  if (shared == ROWS_TOO) unite(0, 1, 0);
  for (int table = 0; table < 2; ++table)
    for (long r = 0; layout[table] == GUARDED && r < ROWS; ++r) {
      char *page = pages + (2 * row_page[table][r] + 1) * PAGE;
      long size = kernel->size;
      rows[table][r] = at_end ? page + PAGE - (high[table][r] + 1) * size : page - low[table][r] * size;
    }
  fill(layout);
  A = table_of(0, place[0], holes);
  B = is_same ? A + shift * kernel->entry : table_of(1, place[1], holes);
  printf(", tables: %s, %s, holes: %d", places[place[0]], places[place[1]], holes);
  fflush(stdout);
  kernel->run(A, B, x, n, m, k);
  hash = 14695981039346656037ul;
  for (long at = 0; at < ELEMENTS; ++at) add(block + at * kernel->size);
  for (int table = 0; table < 2; ++table)
    for (long r = 0; layout[table] == GUARDED && r < ROWS; ++r)
      for (long column = low[table][r]; column <= high[table][r]; ++column)
        add(element(table, r, column));
  printf(": %lx\n", hash);
}

static void call_all(const char *name, const struct kernel *one, int calls) {
  kernel = one;
  if (!block) {
    block = malloc(ELEMENTS * 8);
    pages = closed(4 * ROWS + 1);
    for (long at = 0; at < 2 * ROWS; ++at) open_page(pages + (2 * at + 1) * PAGE);
    for (int table = 0; table < 2; ++table) entries[table] = closed(3 * ROWS);
  }
  for (int number = 0; number < calls; ++number) call(name, number);
}
