#define _GNU_SOURCE
#include "module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// For all slots: regions meet here for as long as it takes to find their code, or to load it once.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// What the text says it was made for (`.target sm_90a`): 90, and `a`, `f` or 0. 0 if it does not say.
static int target(const char *ptx, char *family) {
  static const char word[] = "\n.target";
  const char *at = strncmp(ptx, word + 1, sizeof word - 2) == 0 ? ptx : strstr(ptx, word);
  const char *architecture = at ? strstr(at, "sm_") : NULL;
  if (!architecture)
    return 0;
  char *end;
  long number = strtol(architecture + 3, &end, 10);
  *family = *end == 'a' || *end == 'f' ? *end : 0;
  return number > 0 && number < 10000 ? (int)number : 0;
}

// The driver refuses such code too, with a text that helps nobody. What it knows of families is left to it.
static bool fits(const struct pgpu_source *source, int capability, struct pgpu_why *why) {
  char family = 0;
  int wanted = target(source->ptx, &family);
  if (wanted > capability || (family == 'a' && wanted != capability))
    return pgpu_expected(why, "the code is for sm_%d%.1s, and the device is sm_%d", wanted, family ? &family : "",
                         capability);
  return true;
}

static bool load(const struct pgpu_driver *driver, const struct pgpu_source *source, struct pgpu_module *module,
                 struct pgpu_why *why) {
  // The driver reads up to the first 0.
  const char *ptx = source->ptx;
  if (source->ptx_bytes <= 0 || memchr(ptx, 0, (size_t)source->ptx_bytes + 1) != ptx + source->ptx_bytes)
    return pgpu_unexpected(why, "the code is not %lld bytes of text", (long long)source->ptx_bytes);
  if (!pgpu_limits_read(driver, &module->limits, why) || !fits(source, module->limits.capability, why))
    return false;
  char log[1536] = "";
  int options[] = {PGPU_LOAD_ERROR_LOG, PGPU_LOAD_ERROR_LOG_BYTES};
  // The driver takes a number in the place of a pointer.
  void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  int64_t start = pgpu_microseconds();
  pgpu_code code = NULL;
  pgpu_result result = driver->cuModuleLoadDataEx(&code, ptx, 2, options, values);
  if (!pgpu_succeeded(result, why, "cuModuleLoadDataEx")) {
    size_t length = strlen(why->text);
    snprintf(why->text + length, sizeof why->text - length, "%s%s", *log ? "; its log: " : "", log);
    return false;
  }
  module->code = code;
  pgpu_trace(source->region, "code loaded on a device of sm_%d, %lld us", module->limits.capability,
             (long long)(pgpu_microseconds() - start));
  return true;
}

// The entry of a context, new if the region was never here, or NULL without memory.
static struct pgpu_module *entry(const struct pgpu_driver *driver, void **slot, const struct pgpu_source *source,
                                 const struct pgpu_place *place) {
  for (struct pgpu_module *module = *slot; module; module = module->next)
    if (module->place.context == place->context && module->place.number == place->number)
      return module;
  struct pgpu_module *module = calloc(1, sizeof *module);
  if (!module)
    return NULL;
  module->place = *place;
  load(driver, source, module, &module->why);
  module->next = *slot;
  *slot = module;
  return module;
}

struct pgpu_module *pgpu_module_find(const struct pgpu_driver *driver, void **slot, const struct pgpu_source *source,
                                     const struct pgpu_place *place, struct pgpu_why *why) {
  pthread_mutex_lock(&lock);
  struct pgpu_module *module = entry(driver, slot, source, place);
  pthread_mutex_unlock(&lock);
  if (!module) {
    pgpu_unexpected(why, "no memory on the host");
    return NULL;
  }
  if (module->code)
    return module;
  *why = module->why;
  pgpu_tell_once(why, &module->told);
  return NULL;
}

static struct pgpu_kernel *look_up(const struct pgpu_driver *driver, struct pgpu_module *module, const char *name,
                                   struct pgpu_why *why) {
  for (struct pgpu_kernel *kernel = module->kernels; kernel; kernel = kernel->next)
    if (strcmp(kernel->name, name) == 0)
      return kernel;
  pgpu_function function;
  int shared;
  pgpu_result result = driver->cuModuleGetFunction(&function, module->code, name);
  if (!pgpu_succeeded(result, why, "kernel %s: cuModuleGetFunction", name))
    return NULL;
  result = driver->cuFuncGetAttribute(&shared, PGPU_FUNCTION_STATIC_SHARED, function);
  if (!pgpu_succeeded(result, why, "kernel %s: cuFuncGetAttribute", name))
    return NULL;
  struct pgpu_kernel *kernel = calloc(1, sizeof *kernel);
  char *copy = strdup(name);
  if (!kernel || !copy) {
    free(kernel);
    free(copy);
    pgpu_unexpected(why, "kernel %s: no memory on the host", name);
    return NULL;
  }
  *kernel = (struct pgpu_kernel){module->kernels, copy, function, shared, 0};
  return module->kernels = kernel;
}

// Blocks with much shared memory have to be asked for. The limit is the kernel's, for all threads of the host: it
// only grows.
static bool permit(const struct pgpu_driver *driver, const struct pgpu_limits *limits, struct pgpu_kernel *kernel,
                   int64_t shared, struct pgpu_why *why) {
  if (shared < 0 || shared > limits->shared_on_request - kernel->static_shared)
    return pgpu_unexpected(why, "kernel %s: %lld + %d bytes of shared memory, and the device has %d for a block",
                           kernel->name, (long long)shared, kernel->static_shared, limits->shared_on_request);
  if (shared + kernel->static_shared <= limits->shared || shared <= kernel->dynamic_limit)
    return true;
  pgpu_result result =
      driver->cuFuncSetAttribute(kernel->function, PGPU_FUNCTION_DYNAMIC_SHARED_LIMIT, (int)shared);
  if (!pgpu_succeeded(result, why, "kernel %s: cuFuncSetAttribute", kernel->name))
    return false;
  kernel->dynamic_limit = (int)shared;
  return true;
}

bool pgpu_kernel_find(const struct pgpu_driver *driver, struct pgpu_module *module, const char *name, int64_t shared,
                      pgpu_function *function, struct pgpu_why *why) {
  pthread_mutex_lock(&lock);
  struct pgpu_kernel *kernel = look_up(driver, module, name, why);
  bool ready = kernel && permit(driver, &module->limits, kernel, shared, why);
  if (ready)
    *function = kernel->function;
  pthread_mutex_unlock(&lock);
  return ready;
}
