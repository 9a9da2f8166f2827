#define _GNU_SOURCE
#include "host.h"
#include "polyrs/gpu.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

static bool sensible(const struct pgpu_run *run, const void *host, int64_t bytes, int32_t flags, struct pgpu_why *why) {
  const int32_t both = POLYRS_GPU_IN | POLYRS_GPU_OUT;
  if (flags & ~(both | POLYRS_GPU_DEVICE | POLYRS_GPU_CHANGED))
    return pgpu_unexpected(why, "a buffer with unknown flags: %d", (int)flags);
  if ((flags & POLYRS_GPU_CHANGED) && (flags & both) != both)
    return pgpu_unexpected(why, "a buffer with CHANGED that is not both IN and OUT: %d", (int)flags);
  if (run->launches > 0)
    return pgpu_unexpected(why, "a buffer after kernel %s was launched", run->kernel);
  if (bytes < 0 || (uint64_t)bytes > SIZE_MAX || (uintptr_t)bytes > UINTPTR_MAX - (uintptr_t)host)
    return pgpu_unexpected(why, "a buffer of %lld bytes", (long long)bytes);
  if (bytes > 0 && !host && flags != 0)
    return pgpu_unexpected(why, "a buffer of %lld bytes at NULL", (long long)bytes);
  return true;
}

// The buffer that is the same memory, or NULL.
static struct pgpu_buffer *find_same(const struct pgpu_run *run, const char *host, size_t bytes, int32_t flags) {
  for (struct pgpu_buffer *other = host ? run->buffers : NULL; other; other = other->next)
    if (other->host == host && other->bytes == bytes && !((other->flags ^ flags) & POLYRS_GPU_DEVICE))
      return other;
  return NULL;
}

// The flags of a buffer that was asked for with both. What one of them has written back as a whole stays so.
static int32_t joined(int32_t some, int32_t more) {
  const int32_t out = POLYRS_GPU_OUT | POLYRS_GPU_CHANGED;
  bool whole = (some & out) == POLYRS_GPU_OUT || (more & out) == POLYRS_GPU_OUT;
  return (some | more) & ~(whole ? POLYRS_GPU_CHANGED : 0);
}

// Parts that a buffer shares with others are an error where one of them is written, since each would have its own copy
// of them; memory of the device has no copies. `same` is the buffer itself, if it is known.
static bool fits_others(const struct pgpu_run *run, const struct pgpu_buffer *same, const char *host, size_t bytes,
                        int32_t flags, struct pgpu_why *why) {
  uintptr_t start = (uintptr_t)host;
  for (const struct pgpu_buffer *other = host ? run->buffers : NULL; other; other = other->next) {
    uintptr_t other_start = (uintptr_t)other->host;
    if (other == same || !other->host || start >= other_start + other->bytes || other_start >= start + bytes)
      continue;
    bool on_device = flags & other->flags & POLYRS_GPU_DEVICE;
    // Kernels write what has neither IN nor OUT.
    bool read = flags == POLYRS_GPU_IN && other->flags == POLYRS_GPU_IN;
    if (!on_device && !read)
      return pgpu_expected(why, "two buffers overlap: %zu bytes at %p, %zu bytes at %p", other->bytes,
                           (void *)other->host, bytes, (const void *)host);
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

// With `keep` the device gets what is kept, and not the host's memory, which other threads may change in between.
static bool copy_in(struct pgpu_run *run, struct pgpu_buffer *buffer, bool keep, struct pgpu_why *why) {
  int64_t start = pgpu_microseconds();
  const char *from = buffer->host;
  if (keep) {
    buffer->before = pgpu_host_take(buffer->bytes);
    if (!buffer->before)
      return pgpu_unexpected(why, "no memory on the host for %zu bytes to compare with", buffer->bytes);
    from = memcpy(buffer->before, buffer->host, buffer->bytes);
  }
  pgpu_result result = run->driver->cuMemcpyHtoDAsync_v2(buffer->address, from, buffer->bytes, PGPU_THREAD_STREAM);
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
  if (!sensible(run, host, bytes, flags, why))
    return NULL;
  struct pgpu_buffer *buffer = find_same(run, host, (size_t)bytes, flags);
  if (buffer)
    flags = joined(buffer->flags, flags);
  if (!fits_others(run, buffer, host, (size_t)bytes, flags, why))
    return NULL;
  if (!buffer)
    buffer = add(run, host, (size_t)bytes, flags, why);
  if (!buffer || (buffer->flags & POLYRS_GPU_DEVICE))
    return buffer;
  // What was copied in and not kept is copied once more: nothing was launched yet.
  bool keep = (flags & POLYRS_GPU_CHANGED) && !buffer->before;
  bool is_new = (flags & POLYRS_GPU_IN) && !(buffer->flags & POLYRS_GPU_IN);
  if ((keep || is_new) && !copy_in(run, buffer, keep, why))
    return NULL;
  buffer->flags = flags;
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
    buffer->staged = pgpu_host_take(buffer->bytes);
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

// Stores to the bytes that differ, and to no others.
static void write_bytes(char *host, const char *before, const char *after, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (before[i] != after[i])
      host[i] = after[i];
}

// The same, faster over words that are equal.
static void write_changed(char *host, const char *before, const char *after, size_t bytes) {
  enum { WORD = 8 };
  size_t words = bytes / WORD * WORD;
  for (size_t i = 0; i < words; i += WORD)
    if (memcmp(before + i, after + i, WORD) != 0)
      write_bytes(host + i, before + i, after + i, WORD);
  write_bytes(host + words, before + words, after + words, bytes - words);
}

void pgpu_buffers_commit(struct pgpu_run *run) {
  for (struct pgpu_buffer *buffer = run->buffers; buffer; buffer = buffer->next)
    if (buffer->staged && (buffer->flags & POLYRS_GPU_CHANGED))
      write_changed(buffer->host, buffer->before, buffer->staged, buffer->bytes);
    else if (buffer->staged)
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
    pgpu_host_give(buffer->before);
    pgpu_host_give(buffer->staged);
    free(buffer);
  }
}
