#define _GNU_SOURCE
#include "report.h"
#include "process.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

bool pgpu_expected(struct pgpu_why *why, const char *format, ...) {
  va_list values;
  va_start(values, format);
  why->expected = true;
  vsnprintf(why->text, sizeof why->text, format, values);
  va_end(values);
  return false;
}

bool pgpu_unexpected(struct pgpu_why *why, const char *format, ...) {
  va_list values;
  va_start(values, format);
  why->expected = false;
  vsnprintf(why->text, sizeof why->text, format, values);
  va_end(values);
  return false;
}

// One write for a line, so that lines of two threads do not mix.
static void line(const char *kind, const char *region, const char *format, va_list values) {
  char text[2560];
  vsnprintf(text, sizeof text, format, values);
  fprintf(stderr, "polyrs-gpu: %s%s: %s\n", kind, region, text);
}

bool pgpu_traces(void) { return pgpu_settings()->trace; }

void pgpu_trace(const char *region, const char *format, ...) {
  if (!pgpu_traces())
    return;
  va_list values;
  va_start(values, format);
  line("", region, format, values);
  va_end(values);
}

void pgpu_warn(const char *region, const char *format, ...) {
  va_list values;
  va_start(values, format);
  line("warning: ", region, format, values);
  va_end(values);
}

void pgpu_tell_once(struct pgpu_why *why, atomic_bool *told) {
  if (!why->expected)
    why->expected = atomic_exchange(told, true);
}

void pgpu_leave_to_cpu(const char *region, const struct pgpu_why *why) {
  if (pgpu_settings()->mode == PGPU_REQUIRE) {
    fprintf(stderr, "polyrs-gpu: error: %s: %s, and POLYRS_GPU=require\n", region, why->text);
    exit(EXIT_FAILURE);
  }
  if (!why->expected)
    pgpu_warn(region, "%s; the CPU runs it", why->text);
  else
    pgpu_trace(region, "on the CPU: %s", why->text);
}

int64_t pgpu_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
