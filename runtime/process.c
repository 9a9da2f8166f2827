#define _GNU_SOURCE
#include "process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct pgpu_settings settings;
static atomic_bool forked;

static void note_fork(void) { atomic_store(&forked, true); }

// A copy, since the program may change its environment. A program with more rights than its user trusts no variable.
static const char *variable(const char *name) {
  const char *value = secure_getenv(name);
  return value && *value ? strdup(value) : NULL;
}

static enum pgpu_mode mode_called(const char *word) {
  if (!word || !strcmp(word, "on"))
    return PGPU_ON;
  if (!strcmp(word, "off"))
    return PGPU_OFF;
  if (!strcmp(word, "always"))
    return PGPU_ALWAYS;
  if (!strcmp(word, "require"))
    return PGPU_REQUIRE;
  // A test that meant `require` must not pass on the CPU without a word.
  fprintf(stderr, "polyrs-gpu: warning: POLYRS_GPU=%s is none of off, on, always, require; taken as on\n", word);
  return PGPU_ON;
}

static void start(void) {
  const char *mode = variable("POLYRS_GPU");
  const char *trace = variable("POLYRS_GPU_TRACE");
  const char *driver = variable("POLYRS_GPU_DRIVER");
  settings.mode = mode_called(mode);
  settings.trace = trace && strcmp(trace, "0") != 0;
  settings.driver = driver ? driver : "libcuda.so.1";
  settings.device = variable("POLYRS_GPU_DEVICE");
  free((void *)mode);
  free((void *)trace);
  // Without the watch a child could wait for ever: no GPU then.
  if (pthread_atfork(NULL, NULL, note_fork) != 0)
    settings.mode = PGPU_OFF;
}

const struct pgpu_settings *pgpu_settings(void) {
  pthread_once(&once, start);
  return &settings;
}

bool pgpu_is_forked(void) { return atomic_load(&forked); }
