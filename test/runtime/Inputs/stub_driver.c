// A stand-in for NVIDIA's driver, for tests without a GPU: memory of the "device" is the host's, and kernels are
// functions of the program.
//
// A kernel `name` is a function that the program exports (link with -rdynamic), and that the text of its module
// declares (`.entry name(`). It does the work of the whole grid:
//
//     void name(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes);
//
// `args` are pointers to the values of the parameters, as `cuLaunchKernel` has them. It runs when it is launched; what
// is copied to the host arrives when the stream is waited for, half of it if the copy fails. If the program exports
// `void stub_before_copy_in(void)`, that runs before each copy to the device, as a thread of the program might.
//
// Misuse (a call without a current context, memory that is not there, a handle of another context, a call in a fork)
// is told and aborts. At the end the file STUB_REPORT gets a line `NAME COUNT` for each entry point that was called,
// `leaked COUNT` allocations, and `pushed COUNT` contexts that were not popped.
//
// Environment: STUB_DEVICES (1), STUB_CAPABILITY (90), STUB_STATIC_SHARED of each kernel (0), STUB_MEMORY in bytes.
// STUB_FAIL=cuMemAlloc_v2:2,cuLaunchKernel:1 has the second and the first call of these fail, `:each` all of them. With
// `:sticky` behind it the context is dead from then on, as after an access out of bounds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_PTX = 218,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  LAUNCH_FAILED = 719
};

enum { DEVICES = 4, CONTEXTS = 16, STACK = 16, NAMES = 64 };

struct context {
  int alive, device;
  unsigned long long number;
};

struct module {
  struct module *next;
  struct context *context;
  unsigned long long number;
  char *text;
};

typedef void kernel_body(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes);

struct function {
  struct function *next;
  struct module *module;
  kernel_body *body;
  int dynamic_limit;
};

struct allocation {
  struct allocation *next;
  struct context *context;
  char *memory;
  size_t bytes;
};

// A copy to the host that was asked for.
struct copy {
  struct copy *next;
  void *to;
  char *from;
  size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context contexts[CONTEXTS];
static struct context *primaries[DEVICES];
static unsigned long long contexts_made;
static struct module *modules;
static struct function *functions;
static struct allocation *allocations;
static size_t allocated;
static long pushed;
static pid_t owner;
static int dead;
static struct {
  const char *name;
  int calls;
} counts[NAMES];

static _Thread_local struct context *stack[STACK];
static _Thread_local int depth;
static _Thread_local struct copy *copies;

__attribute__((format(printf, 1, 2))) _Noreturn static void misuse(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "stub driver: misuse: ");
  vfprintf(stderr, format, values);
  fprintf(stderr, "\n");
  va_end(values);
  abort();
}

static long setting(const char *name, long otherwise) {
  const char *value = getenv(name);
  return value ? atol(value) : otherwise;
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("STUB_REPORT");
  FILE *file = path && getpid() == owner ? fopen(path, "w") : NULL;
  if (!file)
    return;
  for (int i = 0; i < NAMES && counts[i].name; i++)
    fprintf(file, "%s %d\n", counts[i].name, counts[i].calls);
  int leaked = 0;
  for (struct allocation *allocation = allocations; allocation; allocation = allocation->next)
    leaked++;
  fprintf(file, "leaked %d\npushed %ld\n", leaked, pushed);
  fclose(file);
}

// Whether STUB_FAIL names this call of an entry point; `*sticky` if the context dies of it.
static int planned(const char *name, int call, int *sticky) {
  char plan[256];
  snprintf(plan, sizeof plan, "%s", getenv("STUB_FAIL") ? getenv("STUB_FAIL") : "");
  char *rest;
  for (char *word = strtok_r(plan, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    char *colon = strchr(word, ':');
    if (!colon || (size_t)(colon - word) != strlen(name) || strncmp(word, name, strlen(name)) != 0)
      continue;
    if (atoi(colon + 1) == call || strcmp(colon + 1, "each") == 0) {
      *sticky = strstr(colon, ":sticky") != NULL;
      return 1;
    }
  }
  return 0;
}

static int failure(const char *name) {
  if (strcmp(name, "cuMemAlloc_v2") == 0)
    return OUT_OF_MEMORY;
  if (strcmp(name, "cuModuleGetFunction") == 0)
    return NOT_FOUND;
  return strcmp(name, "cuModuleLoadDataEx") == 0 ? INVALID_PTX : LAUNCH_FAILED;
}

// A dead context takes its memory along, and what was under way.
static void die(void) {
  dead = 1;
  while (copies) {
    struct copy *copy = copies;
    copies = copy->next;
    free(copy);
  }
}

// Counts a call, and gives the error that it ends with, or 0. The lock is held if it gives 0.
static int enter(const char *name, int needs_context) {
  pthread_mutex_lock(&lock);
  if (owner && owner != getpid())
    misuse("%s in a fork", name);
  int i = 0;
  while (counts[i].name && strcmp(counts[i].name, name) != 0)
    i++;
  counts[i].name = name;
  int sticky = 0, result = OK;
  if (planned(name, ++counts[i].calls, &sticky))
    result = failure(name);
  if (sticky)
    die();
  if (dead && needs_context)
    result = ILLEGAL_ADDRESS;
  if (strcmp(name, "cuInit") != 0 && !owner)
    misuse("%s before cuInit", name);
  if (needs_context && (depth == 0 || !stack[depth - 1] || !stack[depth - 1]->alive))
    misuse("%s without a current context", name);
  if (result != OK)
    pthread_mutex_unlock(&lock);
  return result;
}

static int leave(int result) {
  pthread_mutex_unlock(&lock);
  return result;
}

#define ENTER(needs_context)                                                                                           \
  do {                                                                                                                 \
    int failed = enter(__func__, needs_context);                                                                       \
    if (failed)                                                                                                        \
      return failed;                                                                                                   \
  } while (0)

static struct context *current(void) { return stack[depth - 1]; }

int cuInit(unsigned flags) {
  if (!owner)
    owner = getpid();
  ENTER(0);
  return leave(flags ? INVALID_VALUE : setting("STUB_DEVICES", 1) == 0 ? NO_DEVICE : OK);
}

// Names as of the driver, for the few errors that this one has.
static const char *error_name(int result) {
  switch (result) {
  case INVALID_VALUE:
    return "CUDA_ERROR_INVALID_VALUE";
  case OUT_OF_MEMORY:
    return "CUDA_ERROR_OUT_OF_MEMORY";
  case NO_DEVICE:
    return "CUDA_ERROR_NO_DEVICE";
  case INVALID_PTX:
    return "CUDA_ERROR_INVALID_PTX";
  case NOT_FOUND:
    return "CUDA_ERROR_NOT_FOUND";
  case ILLEGAL_ADDRESS:
    return "CUDA_ERROR_ILLEGAL_ADDRESS";
  case LAUNCH_FAILED:
    return "CUDA_ERROR_LAUNCH_FAILED";
  default:
    return NULL;
  }
}

int cuGetErrorName(int result, const char **name) {
  ENTER(0);
  *name = error_name(result);
  return leave(*name ? OK : INVALID_VALUE);
}

int cuGetErrorString(int result, const char **text) {
  ENTER(0);
  *text = error_name(result) ? "the stub's text" : NULL;
  return leave(*text ? OK : INVALID_VALUE);
}

int cuDeviceGetCount(int *count) {
  ENTER(0);
  *count = (int)setting("STUB_DEVICES", 1);
  return leave(OK);
}

int cuDeviceGet(int *device, int number) {
  ENTER(0);
  *device = number;
  return leave(number >= 0 && number < setting("STUB_DEVICES", 1) ? OK : INVALID_DEVICE);
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER(0);
  static const int limits[] = {0, 1024, 1024, 1024, 64, 2147483647, 65535, 65535, 49152};
  int capability = (int)setting("STUB_CAPABILITY", 90);
  if (device < 0 || device >= setting("STUB_DEVICES", 1))
    misuse("there is no device %d", device);
  if (attribute >= 1 && attribute <= 8)
    *value = limits[attribute];
  else if (attribute == 75)
    *value = capability / 10;
  else if (attribute == 76)
    *value = capability % 10;
  else if (attribute == 97)
    *value = 232448;
  else
    misuse("unknown attribute %d of a device", attribute);
  return leave(OK);
}

// The first free place, so that a context gets the address of one that was destroyed.
static struct context *make_context(int device) {
  for (int i = 0; i < CONTEXTS; i++)
    if (!contexts[i].alive) {
      contexts[i] = (struct context){1, device, ++contexts_made};
      return &contexts[i];
    }
  misuse("too many contexts");
}

int cuDevicePrimaryCtxRetain(struct context **context, int device) {
  ENTER(0);
  if (!primaries[device])
    primaries[device] = make_context(device);
  *context = primaries[device];
  return leave(OK);
}

int cuCtxCreate_v2(struct context **context, unsigned flags, int device) {
  ENTER(0);
  (void)flags;
  *context = stack[depth++] = make_context(device);
  return leave(OK);
}

int cuCtxDestroy_v2(struct context *context) {
  ENTER(0);
  context->alive = 0;
  if (depth && current() == context)
    depth--;
  for (struct allocation **at = &allocations; *at;) {
    struct allocation *allocation = *at;
    if (allocation->context != context) {
      at = &allocation->next;
      continue;
    }
    *at = allocation->next;
    allocated -= allocation->bytes;
    free(allocation->memory);
    free(allocation);
  }
  return leave(OK);
}

int cuCtxGetCurrent(struct context **context) {
  ENTER(0);
  *context = depth ? current() : NULL;
  return leave(OK);
}

int cuCtxGetDevice(int *device) {
  ENTER(1);
  *device = current()->device;
  return leave(OK);
}

int cuCtxGetId(struct context *context, unsigned long long *number) {
  ENTER(0);
  if (!context->alive)
    misuse("a destroyed context has no number");
  *number = context->number;
  return leave(OK);
}

int cuCtxPushCurrent_v2(struct context *context) {
  ENTER(0);
  if (!context || !context->alive || depth == STACK)
    misuse("this context cannot be pushed");
  stack[depth++] = context;
  pushed++;
  return leave(OK);
}

int cuCtxPopCurrent_v2(struct context **context) {
  ENTER(0);
  if (depth == 0)
    misuse("there is no context to pop");
  *context = stack[--depth];
  pushed--;
  return leave(OK);
}

int cuModuleLoadDataEx(struct module **module, const void *text, unsigned count, int *options, void **values) {
  ENTER(1);
  char *log = NULL;
  size_t log_bytes = 0;
  for (unsigned i = 0; i < count; i++)
    if (options[i] == 5)
      log = values[i];
    else if (options[i] == 6)
      log_bytes = (uintptr_t)values[i];
    else
      misuse("unknown option %d of loading", options[i]);
  if (!strstr(text, ".version")) {
    snprintf(log, log_bytes, "line 1: there is no .version");
    return leave(INVALID_PTX);
  }
  *module = malloc(sizeof **module);
  **module = (struct module){modules, current(), current()->number, strdup(text)};
  modules = *module;
  return leave(OK);
}

static struct module *known(struct module *module) {
  struct module *at = modules;
  while (at && at != module)
    at = at->next;
  if (!at)
    misuse("there is no such module");
  if (at->context != current() || at->number != current()->number)
    misuse("a module of another context");
  return at;
}

static struct function *known_function(struct function *function) {
  struct function *at = functions;
  while (at && at != function)
    at = at->next;
  if (!at)
    misuse("there is no such function");
  known(at->module);
  return at;
}

int cuModuleGetFunction(struct function **function, struct module *module, const char *name) {
  ENTER(1);
  char entry[256];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  void *body = dlsym(RTLD_DEFAULT, name);
  if (!strstr(known(module)->text, entry) || !body)
    return leave(NOT_FOUND);
  *function = malloc(sizeof **function);
  **function = (struct function){functions, module, NULL, 0};
  memcpy(&(*function)->body, &body, sizeof body);
  functions = *function;
  return leave(OK);
}

int cuFuncGetAttribute(int *value, int attribute, struct function *function) {
  ENTER(1);
  known_function(function);
  if (attribute != 1)
    misuse("unknown attribute %d of a function", attribute);
  *value = (int)setting("STUB_STATIC_SHARED", 0);
  return leave(OK);
}

int cuFuncSetAttribute(struct function *function, int attribute, int value) {
  ENTER(1);
  if (attribute != 8)
    misuse("unknown attribute %d of a function", attribute);
  if (value + setting("STUB_STATIC_SHARED", 0) > 232448)
    return leave(INVALID_VALUE);
  known_function(function)->dynamic_limit = value;
  return leave(OK);
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  ENTER(1);
  if (bytes == 0)
    return leave(INVALID_VALUE);
  if (bytes > (size_t)setting("STUB_MEMORY", 1L << 30) - allocated)
    return leave(OUT_OF_MEMORY);
  struct allocation *allocation = malloc(sizeof *allocation);
  *allocation = (struct allocation){allocations, current(), malloc(bytes), bytes};
  // Nobody may take it for zeros.
  memset(allocation->memory, 0xcb, bytes);
  allocations = allocation;
  allocated += bytes;
  *address = (uintptr_t)allocation->memory;
  return leave(OK);
}

int cuMemFree_v2(unsigned long long address) {
  ENTER(1);
  struct allocation **at = &allocations;
  while (*at && (uintptr_t)(*at)->memory != address)
    at = &(*at)->next;
  struct allocation *allocation = *at;
  if (!allocation)
    misuse("%#llx is freed, but no memory of the device", address);
  if (allocation->context != current())
    misuse("memory of another context is freed");
  for (struct copy *copy = copies; copy; copy = copy->next)
    if (copy->from >= allocation->memory && copy->from < allocation->memory + allocation->bytes)
      misuse("memory is freed while it is copied");
  *at = allocation->next;
  allocated -= allocation->bytes;
  free(allocation->memory);
  free(allocation);
  return leave(OK);
}

static char *device_memory(unsigned long long address, size_t bytes) {
  for (struct allocation *at = allocations; at; at = at->next) {
    uintptr_t start = (uintptr_t)at->memory;
    if (at->context == current() && address >= start && address - start <= at->bytes &&
        bytes <= at->bytes - (address - start))
      return at->memory + (address - start);
  }
  misuse("%zu bytes at %#llx are no memory of the device", bytes, address);
}

// The stream of the thread is the only one that there is.
static void check_stream(const void *stream) {
  if ((uintptr_t)stream != 2)
    misuse("unknown stream");
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *stream) {
  void (*before)(void);
  void *found = dlsym(RTLD_DEFAULT, "stub_before_copy_in");
  memcpy(&before, &found, sizeof before);
  if (before)
    before();
  ENTER(1);
  check_stream(stream);
  memcpy(device_memory(to, bytes), from, bytes);
  return leave(OK);
}

int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *stream) {
  int failed = enter(__func__, 1);
  if (failed) {
    memset(to, 0xcb, bytes / 2);
    return failed;
  }
  check_stream(stream);
  struct copy *copy = malloc(sizeof *copy);
  *copy = (struct copy){copies, to, device_memory(from, bytes), bytes};
  copies = copy;
  return leave(OK);
}

int cuLaunchKernel(struct function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **args,
                   void **extra) {
  ENTER(1);
  check_stream(stream);
  const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
  unsigned long long threads = (unsigned long long)block_x * block_y * block_z;
  long shared = (long)shared_bytes + setting("STUB_STATIC_SHARED", 0);
  if (!grid_x || !grid_y || !grid_z || threads < 1 || threads > 1024 || block_z > 64 || grid_y > 65535 ||
      grid_z > 65535 || extra)
    return leave(INVALID_VALUE);
  known_function(function);
  if (shared > 49152 && (long)shared_bytes > function->dynamic_limit)
    return leave(INVALID_VALUE);
  leave(OK);
  // Outside of the lock: two threads' kernels run at once.
  function->body(args, grid, block, shared_bytes);
  return OK;
}

int cuStreamSynchronize(void *stream) {
  ENTER(1);
  check_stream(stream);
  while (copies) {
    struct copy *copy = copies;
    copies = copy->next;
    memcpy(copy->to, copy->from, copy->bytes);
    free(copy);
  }
  return leave(OK);
}
