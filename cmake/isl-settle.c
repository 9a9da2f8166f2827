#include <limits.h>
#include <malloc.h>

int isl_ctx_next_operation(isl_ctx *ctx);

__thread unsigned long isl_cells;

/* Charges what was counted since the last operation. "DIGEST" tells the files that made this apart from other ones. */
__attribute__((visibility("hidden"))) void isl_settle_DIGEST(isl_ctx *ctx)
{
	ctx->operations += isl_cells / CELLS_PER_OPERATION;
	isl_cells = 0;
}

/* The functions that allocate themselves, which isl-memory.h gives other names. */
extern void *isl_own_malloc(size_t size) __asm__("malloc");
extern void *isl_own_calloc(size_t count, size_t size) __asm__("calloc");
extern void *isl_own_realloc(void *memory, size_t size) __asm__("realloc");
extern char *isl_own_strdup(const char *text) __asm__("strdup");
extern char *isl_own_strndup(const char *text, size_t size) __asm__("strndup");
extern void isl_own_free(void *memory) __asm__("free");

#define HIDDEN __attribute__((visibility("hidden")))

/* What isl has allocated in this thread and not freed, the most of that so far, and what it may come to, in bytes. */
static __thread long isl_used, isl_most_used, isl_allowed = LONG_MAX;

/* An allocation was refused: all are until somebody has seen it, as isl may go on with less than it asked for. */
static __thread int isl_is_short;

static void *isl_counted(void *memory)
{
	if (memory)
		isl_used += malloc_usable_size(memory);
	if (isl_used > isl_most_used)
		isl_most_used = isl_used;
	return memory;
}

HIDDEN void *isl_counted_malloc(size_t size)
{
	return isl_counted(isl_own_malloc(size));
}

HIDDEN void *isl_counted_calloc(size_t count, size_t size)
{
	return isl_counted(isl_own_calloc(count, size));
}

HIDDEN void *isl_counted_realloc(void *memory, size_t size)
{
	size_t before = memory ? malloc_usable_size(memory) : 0;
	void *moved = isl_own_realloc(memory, size);

	if (moved || !size)
		isl_used -= before;
	return isl_counted(moved);
}

HIDDEN char *isl_counted_strdup(const char *text)
{
	return isl_counted(isl_own_strdup(text));
}

HIDDEN char *isl_counted_strndup(const char *text, size_t size)
{
	return isl_counted(isl_own_strndup(text, size));
}

HIDDEN void isl_counted_free(void *memory)
{
	if (memory)
		isl_used -= malloc_usable_size(memory);
	isl_own_free(memory);
}

/* Bytes in use by this thread. */
HIDDEN long isl_memory_used(void)
{
	return isl_used;
}

/* The most that were in use at a time; this is taken to be so many then. */
HIDDEN long isl_memory_most_used(long most)
{
	long former = isl_most_used;

	isl_most_used = most;
	return former;
}

/* Allows so many bytes in all, and says how many were allowed before. What was refused was seen. */
HIDDEN long isl_memory_allow(long bytes)
{
	long former = isl_allowed;

	isl_allowed = bytes;
	isl_is_short = 0;
	return former;
}

/* Prepare for an allocation of "count" elements, as isl_ctx_next_operation does for what takes no memory. */
static int isl_next_allocation(isl_ctx *ctx, size_t count, size_t size)
{
	if (isl_ctx_next_operation(ctx) < 0)
		return -1;
	isl_is_short |= isl_used >= isl_allowed ||
		(size && count > ((size_t) isl_allowed - (size_t) isl_used) / size);
	if (isl_is_short)
		isl_die(ctx, isl_error_quota, "maximal amount of memory exceeded", return -1);
	return 0;
}
