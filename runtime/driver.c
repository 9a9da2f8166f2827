#define _GNU_SOURCE
#include "driver.h"
#include "process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct pgpu_driver driver;
static bool usable;
static struct pgpu_why why_not;

// Stores an entry point. C has no cast from an object's address to a function's; POSIX says that the bits are equal.
static bool look_up(void *library, const char *name, void *field, bool needed) {
  void *found = dlsym(library, name);
  if (!found && needed)
    return pgpu_unexpected(&why_not, "the driver %s has no %s: it is too old", pgpu_settings()->driver, name);
  memcpy(field, &found, sizeof found);
  return true;
}

static bool look_all_up(void *library) {
#define PGPU_NEEDED(name, parameters) look_up(library, #name, &driver.name, true) &&
#define PGPU_OPTIONAL(name, parameters) look_up(library, #name, &driver.name, false) &&
  return PGPU_ENTRY_POINTS(PGPU_NEEDED, PGPU_OPTIONAL) true;
#undef PGPU_NEEDED
#undef PGPU_OPTIONAL
}

static void start(void) {
  void *library = dlopen(pgpu_settings()->driver, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    pgpu_expected(&why_not, "there is no driver: %s", dlerror());
    return;
  }
  if (!look_all_up(library)) {
    dlclose(library);
    return;
  }
  // From here on the library stays open: it may have threads.
  pgpu_result result = driver.cuInit(0);
  usable = pgpu_succeeded(result, &why_not, "cuInit");
  // A driver without a device, or one that does not fit the kernel's part of it, is nothing of the program's making.
  why_not.expected = true;
}

const struct pgpu_driver *pgpu_driver(struct pgpu_why *why) {
  pthread_once(&once, start);
  if (usable)
    return &driver;
  *why = why_not;
  return NULL;
}

bool pgpu_succeeded(pgpu_result result, struct pgpu_why *why, const char *what, ...) {
  if (result == 0)
    return true;
  char called[256];
  va_list values;
  va_start(values, what);
  vsnprintf(called, sizeof called, what, values);
  va_end(values);
  const char *name = NULL, *text = NULL;
  if (driver.cuGetErrorName(result, &name) != 0 || !name)
    name = "an error without a name";
  if (driver.cuGetErrorString(result, &text) != 0 || !text)
    text = "no text";
  return pgpu_unexpected(why, "%s: %s (%d, %s)", called, name, result, text);
}
