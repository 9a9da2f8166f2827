// The entry points of NVIDIA's driver that the runtime calls, under names and types of our own, and how they are
// found. The driver's interface is stable: names with a version stay as they are.
#ifndef POLYRS_GPU_DRIVER_H
#define POLYRS_GPU_DRIVER_H

#include "report.h"

#include <stddef.h>

typedef int pgpu_result; // 0 is success
typedef int pgpu_device;
typedef struct pgpu_context_of_driver *pgpu_context;
typedef struct pgpu_module_of_driver *pgpu_code;
typedef struct pgpu_function_of_driver *pgpu_function;
typedef struct pgpu_stream_of_driver *pgpu_stream;
typedef unsigned long long pgpu_address; // of the device's memory

// The stream that each thread has of its own. It waits for what the program put on the default stream, so memory of
// the device that such work fills is ready.
#define PGPU_THREAD_STREAM ((pgpu_stream)(uintptr_t)2)

enum { PGPU_NO_DEVICE = 100 };

// What a device says of itself.
enum pgpu_device_attribute {
  PGPU_DEVICE_THREADS = 1,
  PGPU_DEVICE_BLOCK_X = 2, // y and z follow
  PGPU_DEVICE_GRID_X = 5,  // y and z follow
  PGPU_DEVICE_SHARED = 8,
  PGPU_DEVICE_MAJOR = 75,
  PGPU_DEVICE_MINOR = 76,
  PGPU_DEVICE_SHARED_ON_REQUEST = 97
};

enum pgpu_function_attribute { PGPU_FUNCTION_STATIC_SHARED = 1, PGPU_FUNCTION_DYNAMIC_SHARED_LIMIT = 8 };

enum pgpu_load_option { PGPU_LOAD_ERROR_LOG = 5, PGPU_LOAD_ERROR_LOG_BYTES = 6 };

// Each entry point with its parameters: NEEDED, or wanted if the driver is new enough to have it (OPTIONAL).
#define PGPU_ENTRY_POINTS(NEEDED, OPTIONAL)                                                                            \
  NEEDED(cuInit, (unsigned flags))                                                                                     \
  NEEDED(cuGetErrorName, (pgpu_result result, const char **name))                                                      \
  NEEDED(cuGetErrorString, (pgpu_result result, const char **text))                                                    \
  NEEDED(cuDeviceGetCount, (int *count))                                                                               \
  NEEDED(cuDeviceGet, (pgpu_device * device, int number))                                                              \
  NEEDED(cuDeviceGetAttribute, (int *value, int attribute, pgpu_device device))                                        \
  NEEDED(cuDevicePrimaryCtxRetain, (pgpu_context * context, pgpu_device device))                                       \
  NEEDED(cuCtxGetCurrent, (pgpu_context * context))                                                                    \
  NEEDED(cuCtxGetDevice, (pgpu_device * device))                                                                       \
  OPTIONAL(cuCtxGetId, (pgpu_context context, unsigned long long *id))                                                 \
  NEEDED(cuCtxPushCurrent_v2, (pgpu_context context))                                                                  \
  NEEDED(cuCtxPopCurrent_v2, (pgpu_context * context))                                                                 \
  NEEDED(cuModuleLoadDataEx, (pgpu_code * code, const void *text, unsigned count, int *options, void **values))        \
  NEEDED(cuModuleGetFunction, (pgpu_function * function, pgpu_code code, const char *name))                            \
  NEEDED(cuFuncGetAttribute, (int *value, int attribute, pgpu_function function))                                      \
  NEEDED(cuFuncSetAttribute, (pgpu_function function, int attribute, int value))                                       \
  NEEDED(cuMemAlloc_v2, (pgpu_address * address, size_t bytes))                                                        \
  NEEDED(cuMemFree_v2, (pgpu_address address))                                                                         \
  NEEDED(cuMemcpyHtoDAsync_v2, (pgpu_address to, const void *from, size_t bytes, pgpu_stream stream))                  \
  NEEDED(cuMemcpyDtoHAsync_v2, (void *to, pgpu_address from, size_t bytes, pgpu_stream stream))                        \
  NEEDED(cuLaunchKernel, (pgpu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, pgpu_stream stream, void **args,  \
                          void **extra))                                                                               \
  NEEDED(cuStreamSynchronize, (pgpu_stream stream))

#define PGPU_FIELD(name, parameters) pgpu_result(*name) parameters;
struct pgpu_driver {
  PGPU_ENTRY_POINTS(PGPU_FIELD, PGPU_FIELD)
};
#undef PGPU_FIELD

// The driver, opened and initialised by the first call, or NULL and why there is none: that stays so.
const struct pgpu_driver *pgpu_driver(struct pgpu_why *why);

// Whether the driver succeeded. If not, `why` gets what was called, and the error's name and text. For calls after
// `pgpu_driver` gave one.
bool pgpu_succeeded(pgpu_result result, struct pgpu_why *why, const char *what, ...) PGPU_PRINTF(3, 4);

#endif
