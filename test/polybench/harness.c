// The one main() of every PolyBench program, from C (test/c) and from the affine dialect
// (test/polybench) alike: sizes, repetitions, timing and dumps. README.md has the conventions.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void polybench_run(void);

enum { MAX_SIZES = 16, VALUES_PER_LINE = 20 };

typedef enum { DUMP_NONE, DUMP_TEXT, DUMP_BITS } Dump;

static int64_t sizes[MAX_SIZES];
static int64_t size_count;
static int64_t sizes_asked; // one more than the highest `which` asked for
static bool print_sizes;
static int64_t repetitions = 1;
static Dump dump = DUMP_NONE;
static bool print_time;

static struct timespec started;
static double best_seconds = -1.0; // negative until the first repetition ends

static char array_name[16]; // empty before the first array
static int64_t values_dumped; // of the current array

static void fail(const char *what, const char *argument) {
  fprintf(stderr, "error: %s: %s\n", what, argument);
  exit(2);
}

// ---- the interface of the kernels -------------------------------------------------------

int64_t bench_size(int64_t which, int64_t default_value) {
  if (which < 0 || which >= MAX_SIZES)
    fail("a program with too many sizes", "bench_size");
  if (which >= sizes_asked)
    sizes_asked = which + 1;
  int64_t value = which < size_count ? sizes[which] : default_value;
  if (print_sizes)
    printf("size %" PRId64 ": %" PRId64 "\n", which, value);
  return value;
}

// Every size has been asked for when a program asks this.
int64_t bench_repetitions(void) {
  if (print_sizes)
    exit(0);
  return repetitions;
}

void bench_start(void) { clock_gettime(CLOCK_MONOTONIC, &started); }

void bench_stop(void) {
  struct timespec stopped;
  clock_gettime(CLOCK_MONOTONIC, &stopped);
  double seconds = (double)(stopped.tv_sec - started.tv_sec) +
                   1e-9 * (double)(stopped.tv_nsec - started.tv_nsec);
  if (best_seconds < 0.0 || seconds < best_seconds)
    best_seconds = seconds;
}

static void end_array(void) {
  if (array_name[0] != 0 && dump == DUMP_TEXT)
    printf("\nend   dump: %s\n", array_name);
  array_name[0] = 0;
}

void bench_array(int64_t tag) {
  end_array();
  if (tag < 32) {
    snprintf(array_name, sizeof array_name, "array%" PRId64, tag);
  } else {
    size_t length = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
      char letter = (char)(tag >> shift & 0xff);
      if (letter != 0)
        array_name[length++] = letter;
    }
    array_name[length] = 0;
  }
  values_dumped = 0;
  if (dump == DUMP_TEXT)
    printf("begin dump: %s", array_name);
  else if (dump == DUMP_BITS)
    printf("array %s\n", array_name);
}

static void dump_float(double value, uint64_t bits) {
  if (dump == DUMP_TEXT) {
    if (values_dumped++ % VALUES_PER_LINE == 0)
      printf("\n");
    // A NaN's sign and payload are no part of a result.
    if (isnan(value))
      printf("nan ");
    else
      printf("%0.2lf ", value);
  } else if (dump == DUMP_BITS) {
    if (isnan(value))
      printf("nan\n");
    else
      printf("%016" PRIx64 "\n", bits);
  }
}

static void dump_integer(int64_t value) {
  if (dump == DUMP_TEXT) {
    if (values_dumped++ % VALUES_PER_LINE == 0)
      printf("\n");
    printf("%" PRId64 " ", value);
  } else if (dump == DUMP_BITS) {
    printf("%016" PRIx64 "\n", (uint64_t)value);
  }
}

void bench_value_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  dump_float(value, bits);
}

void bench_value_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  dump_float((double)value, bits);
}

void bench_value_i32(int32_t value) { dump_integer(value); }

void bench_value_i64(int64_t value) { dump_integer(value); }

// ---- the command line -------------------------------------------------------------------

static void help(const char *program) {
  printf("usage: %s [options]\n"
         "  --sizes=N,N,...         the sizes in order, in place of the LARGE ones (programs\n"
         "                          from C have theirs fixed when compiled)\n"
         "  --print-sizes           print the sizes and stop\n"
         "  --repeat=N              initialise and run the kernel N times (default 1)\n"
         "  --dump=none|text|bits   what to print of the live-out arrays (default none)\n"
         "  --time                  print the fastest run of the kernel, in seconds\n"
         "  --help                  print this\n",
         program);
}

// Reads a number of at least 1 that ends at `stop`; returns where it ended.
static const char *parse_positive(const char *text, char stop, int64_t *value) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || errno != 0 || number < 1 || (*end != stop && *end != 0))
    fail("a positive number is expected", text);
  *value = number;
  return end;
}

static void parse_sizes(const char *list) {
  size_count = 0;
  for (;;) {
    if (size_count == MAX_SIZES)
      fail("too many sizes", list);
    list = parse_positive(list, ',', &sizes[size_count++]);
    if (*list == 0)
      return;
    list++;
  }
}

// The value of `--name=value`, or null where `argument` is another flag.
static const char *flag_value(const char *argument, const char *name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static void parse_argument(const char *program, const char *argument) {
  const char *value;
  if (strcmp(argument, "--help") == 0) {
    help(program);
    exit(0);
  } else if (strcmp(argument, "--time") == 0) {
    print_time = true;
  } else if (strcmp(argument, "--print-sizes") == 0) {
    print_sizes = true;
  } else if ((value = flag_value(argument, "--sizes="))) {
    parse_sizes(value);
  } else if ((value = flag_value(argument, "--repeat="))) {
    parse_positive(value, 0, &repetitions);
  } else if ((value = flag_value(argument, "--dump="))) {
    if (strcmp(value, "none") == 0)
      dump = DUMP_NONE;
    else if (strcmp(value, "text") == 0)
      dump = DUMP_TEXT;
    else if (strcmp(value, "bits") == 0)
      dump = DUMP_BITS;
    else
      fail("a dump is none, text or bits", value);
  } else {
    fail("unknown argument, see --help", argument);
  }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    parse_argument(argv[0], argv[i]);
  if (dump == DUMP_TEXT)
    printf("==BEGIN DUMP_ARRAYS==\n");
  polybench_run();
  end_array();
  if (dump == DUMP_TEXT)
    printf("==END   DUMP_ARRAYS==\n");
  // A size that nothing read would make a comparison of two programs mean something else.
  if (size_count > sizes_asked)
    fail("more sizes were given than the program has", "--sizes");
  if (print_time)
    printf("time: %.9f\n", best_seconds);
  if (fflush(stdout) != 0 || ferror(stdout))
    fail("the output could not be written", "stdout");
  return 0;
}
