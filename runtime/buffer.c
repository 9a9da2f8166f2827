#define _GNU_SOURCE
#include "polyrs/gpu.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

static bool sensible(const struct pgpu_run *run, const void *host, int64_t bytes, int32_t flags, struct pgpu_why *why) {
  if (flags & ~(POLYRS_GPU_IN | POLYRS_GPU_OUT | POLYRS_GPU_DEVICE))
    return pgpu_unexpected(why, "a buffer with unknown flags: %d", (int)flags);
  if (run->launches > 0)
    return pgpu_unexpected(why, "a buffer after kernel %s was launched", run->kernel);
  if (bytes < 0 || (uint64_t)bytes > SIZE_MAX || (uintptr_t)bytes > UINTPTR_MAX - (uintptr_t)host)
    return pgpu_unexpected(why, "a buffer of %lld bytes", (long long)bytes);
  if (bytes > 0 && !host && flags != 0)
    return pgpu_unexpected(why, "a buffer of %lld bytes at NULL", (long long)bytes);
  return true;
}

// The buffer that is the same memory, or NULL. Parts that two buffers share are an error, since each would have its
// own copy of them; memory of the device has no copies.
static bool find_same(const struct pgpu_run *run, const char *host, size_t bytes, int32_t flags,
                      struct pgpu_buffer **same, struct pgpu_why *why) {
  *same = NULL;
  uintptr_t start = (uintptr_t)host;
  for (struct pgpu_buffer *other = host ? run->buffers : NULL; other; other = other->next) {
    uintptr_t other_start = (uintptr_t)other->host;
    if (!other->host || start >= other_start + other->bytes || other_start >= start + bytes)
      continue;
    bool on_device = flags & POLYRS_GPU_DEVICE, other_on_device = other->flags & POLYRS_GPU_DEVICE;
    if (on_device && other_on_device)
      continue;
    if (start != other_start || bytes != other->bytes || on_device != other_on_device)
      return pgpu_expected(why, "two buffers overlap: %zu bytes at %p, %zu bytes at %p", other->bytes,
                           (void *)other->host, bytes, (const void *)host);
    *same = other;
  }
  return true;
}

static struct pgpu_buffer *add(struct pgpu_run *run, char *host, size_t bytes, int32_t flags, struct pgpu_why *why) {
  struct pgpu_buffer *buffer = calloc(1, sizeof *buffer);
  if (!buffer) {
    pgpu_unexpected(why, "no memory on the host");
    return NULL;
  }
  // The flags for copies come when it was copied in.
  *buffer = (struct pgpu_buffer){.host = host, .bytes = bytes, .flags = flags & POLYRS_GPU_DEVICE};
  if (flags & POLYRS_GPU_DEVICE) {
    buffer->address = (uintptr_t)host;
    run->uses_device_memory = true;
  } else if (!pgpu_succeeded(run->driver->cuMemAlloc_v2(&buffer->address, bytes), why, "%zu bytes: cuMemAlloc",
                             bytes)) {
    free(buffer);
    return NULL;
  }
  buffer->next = run->buffers;
  return run->buffers = buffer;
}

static bool copy_in(struct pgpu_run *run, const struct pgpu_buffer *buffer, struct pgpu_why *why) {
  int64_t start = pgpu_microseconds();
  pgpu_result result =
      run->driver->cuMemcpyHtoDAsync_v2(buffer->address, buffer->host, buffer->bytes, PGPU_THREAD_STREAM);
  if (!pgpu_succeeded(result, why, "%zu bytes to the device: cuMemcpyHtoDAsync", buffer->bytes))
    return false;
  run->bytes_in += (int64_t)buffer->bytes;
  if (!pgpu_traces())
    return true;
  if (!pgpu_wait(run, why))
    return false;
  pgpu_trace(run->region, "%zu bytes in, %lld us", buffer->bytes, (long long)(pgpu_microseconds() - start));
  return true;
}

// A buffer as asked for, new or known.
static struct pgpu_buffer *provide(struct pgpu_run *run, char *host, int64_t bytes, int32_t flags,
                                   struct pgpu_why *why) {
  struct pgpu_buffer *buffer;
  if (!sensible(run, host, bytes, flags, why) || !find_same(run, host, (size_t)bytes, flags, &buffer, why))
    return NULL;
  if (!buffer)
    buffer = add(run, host, (size_t)bytes, flags, why);
  if (!buffer || (buffer->flags & POLYRS_GPU_DEVICE))
    return buffer;
  if ((flags & POLYRS_GPU_IN) && !(buffer->flags & POLYRS_GPU_IN) && !copy_in(run, buffer, why))
    return NULL;
  buffer->flags |= flags;
  return buffer;
}

void *polyrs_gpu_buffer(void *opaque, void *host, int64_t bytes, int32_t flags) {
  struct pgpu_run *run = opaque;
  if (!pgpu_run_goes_on(run) || bytes == 0)
    return NULL;
  struct pgpu_why why;
  struct pgpu_buffer *buffer = provide(run, host, bytes, flags, &why);
  if (!buffer) {
    pgpu_run_fail(run, &why);
    return NULL;
  }
  return (void *)(uintptr_t)buffer->address;
}

bool pgpu_buffers_stage(struct pgpu_run *run, struct pgpu_why *why) {
  // Where no kernel ran, memory that only they write holds nothing.
  if (run->launches == 0)
    return true;
  for (struct pgpu_buffer *buffer = run->buffers; buffer; buffer = buffer->next) {
    if (!(buffer->flags & POLYRS_GPU_OUT))
      continue;
    buffer->staged = malloc(buffer->bytes);
    if (!buffer->staged)
      return pgpu_unexpected(why, "no memory on the host for %zu bytes of results", buffer->bytes);
    pgpu_result result =
        run->driver->cuMemcpyDtoHAsync_v2(buffer->staged, buffer->address, buffer->bytes, PGPU_THREAD_STREAM);
    if (!pgpu_succeeded(result, why, "%zu bytes from the device: cuMemcpyDtoHAsync", buffer->bytes))
      return false;
    run->bytes_out += (int64_t)buffer->bytes;
  }
  return run->bytes_out == 0 || pgpu_wait(run, why);
}

void pgpu_buffers_commit(struct pgpu_run *run) {
  for (struct pgpu_buffer *buffer = run->buffers; buffer; buffer = buffer->next)
    if (buffer->staged)
      memcpy(buffer->host, buffer->staged, buffer->bytes);
}

bool pgpu_buffers_release(struct pgpu_run *run, struct pgpu_why *why) {
  bool released = true;
  for (struct pgpu_buffer *buffer = run->buffers; buffer; buffer = buffer->next)
    if (!(buffer->flags & POLYRS_GPU_DEVICE))
      released &= pgpu_succeeded(run->driver->cuMemFree_v2(buffer->address), why, "cuMemFree");
  return released;
}

void pgpu_buffers_forget(struct pgpu_run *run) {
  while (run->buffers) {
    struct pgpu_buffer *buffer = run->buffers;
    run->buffers = buffer->next;
    free(buffer->staged);
    free(buffer);
  }
}
