#include <limits.h>
#include <malloc.h>

#ifdef __has_feature
#define DETECTS_USE_AFTER_FREE __has_feature(address_sanitizer)
#else
#define DETECTS_USE_AFTER_FREE 0
#endif

int isl_ctx_next_operation(isl_ctx *ctx);

__thread unsigned long isl_cells OF_THREAD;

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
static __thread long isl_used OF_THREAD, isl_most_used OF_THREAD, isl_allowed OF_THREAD = LONG_MAX;

/* An allocation was refused: all are until somebody has seen it, as isl may go on with less than it asked for. */
static __thread int isl_is_short OF_THREAD;

/* Small memory that was freed and waits to be allocated again, by its size: most of what isl allocates lives for microseconds. The C library
 * keeps seven pieces of a size for a thread, and none for what is to be zero. The class C has pieces of at least 16 C - 8 bytes, which is what
 * they count for; the C library makes no others. Of larger ones, class 0, none are kept. Nothing is kept once nothing is in use.
 */
#define CLASSES 33
#define SIZE_OF(class) (16 * (long) (class) - 8)
#define MOST_KEPT 256

struct kept {
	struct piece {
		struct piece *next;
	} *first[CLASSES];
	unsigned short count[CLASSES];
};

static __thread struct kept *isl_kept OF_THREAD;

/* The class that has pieces of "size" bytes; 0 for none. */
static size_t class_for(size_t size)
{
	return size <= SIZE_OF(CLASSES - 1) ? (size + 8 + 15) / 16 : 0;
}

/* The class of a piece of "size" bytes; 0 for none. What has no class counts for all of it. */
static size_t class_of(size_t size)
{
	return (size + 8) / 16 < CLASSES ? (size + 8) / 16 : 0;
}

static void isl_count(long bytes)
{
	isl_used += bytes;
	if (isl_used > isl_most_used)
		isl_most_used = isl_used;
}

/* What "memory" counts for, and its class. */
static long isl_size_of(void *memory, size_t *class)
{
	size_t size = malloc_usable_size(memory);

	*class = class_of(size);
	return *class ? SIZE_OF(*class) : (long) size;
}

static void *isl_counted(void *memory)
{
	size_t class;

	if (memory)
		isl_count(isl_size_of(memory, &class));
	return memory;
}

/* A piece that waits, for "size" bytes; NULL if there is none. */
static void *isl_take(size_t size)
{
	size_t class = class_for(size);
	struct piece *piece;

	if (!isl_kept || !class || !isl_kept->first[class])
		return NULL;
	piece = isl_kept->first[class];
	isl_kept->first[class] = piece->next;
	isl_kept->count[class]--;
	isl_count(SIZE_OF(class));
	return piece;
}

static void isl_keep_nothing(void)
{
	size_t class;
	struct piece *piece;

	for (class = 0; isl_kept && class < CLASSES; ++class)
		while ((piece = isl_kept->first[class])) {
			isl_kept->first[class] = piece->next;
			isl_own_free(piece);
		}
	isl_own_free(isl_kept);
	isl_kept = NULL;
}

/* Whether "memory", which is no longer in use, waits to be allocated again. */
static int isl_keep(struct piece *memory, size_t class)
{
	if (DETECTS_USE_AFTER_FREE || !class || isl_used <= 0)
		return 0;
	if (!isl_kept)
		isl_kept = isl_own_calloc(1, sizeof(*isl_kept));
	if (!isl_kept || isl_kept->count[class] >= MOST_KEPT)
		return 0;
	memory->next = isl_kept->first[class];
	isl_kept->first[class] = memory;
	isl_kept->count[class]++;
	return 1;
}

HIDDEN void *isl_counted_malloc(size_t size)
{
	void *kept = isl_take(size);

	return kept ? kept : isl_counted(isl_own_malloc(size));
}

HIDDEN void *isl_counted_calloc(size_t count, size_t size)
{
	size_t bytes;
	void *kept;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	kept = isl_take(bytes);
	return kept ? memset(kept, 0, bytes) : isl_counted(isl_own_calloc(count, size));
}

HIDDEN void *isl_counted_realloc(void *memory, size_t size)
{
	size_t class;
	long before;
	void *moved;

	if (!memory)
		return isl_counted_malloc(size);
	before = isl_size_of(memory, &class);
	moved = isl_own_realloc(memory, size);
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
	size_t class;

	if (!memory)
		return;
	isl_used -= isl_size_of(memory, &class);
	if (!isl_keep(memory, class))
		isl_own_free(memory);
	if (isl_used <= 0)
		isl_keep_nothing();
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
	size_t bytes;

	if (isl_ctx_next_operation(ctx) < 0)
		return -1;
	isl_is_short |= isl_used >= isl_allowed || __builtin_mul_overflow(count, size, &bytes) ||
		bytes > (size_t) isl_allowed - (size_t) isl_used;
	if (isl_is_short)
		isl_die(ctx, isl_error_quota, "maximal amount of memory exceeded", return -1);
	return 0;
}
