/* Included in several files of isl by isl-meter.sh.
 *
 * isl counts an allocation as one operation, and nothing of what is done with what was allocated. Most of its time goes into rows of
 * numbers: constraints are copied, combined, normalized, compared. Here their numbers are counted, per thread as these functions know no
 * context, and every operation takes what was counted since the one before. A new context begins with nothing, and whoever asks what a
 * context has taken, or ends a bound on it, has it charged with the rest ("isl_settle"), so that a context is not charged with what its
 * thread did for another one.
 */

/* Thread-local, found without a call, as isl comes to them at every turn. All thread-local data of the library that isl is in then has to
 * fit what the C library keeps in reserve for libraries that are loaded later: the plugin has 560 bytes, of 1664.
 */
#define OF_THREAD __attribute__((tls_model("initial-exec")))

extern __thread unsigned long isl_cells OF_THREAD __attribute__((visibility("hidden")));

/* As many numbers as take about as long as an allocation (50 nanoseconds). */
#define CELLS_PER_OPERATION 16

/* A sum, a product, or a greatest common divisor of numbers that do not fit a word, of "a" and "b" digits; the small ones of these,
 * such as 2^60, are common and cost little more than words.
 */
#define LARGE_SUM(a, b) (4 + ((a) + (b)) / 8)
#define LARGE_PRODUCT(a, b) (4 + (unsigned long) (a) * (b) / 4)
#define LARGE_GCD(a, b) (16 + 8 * (unsigned long) (a) * (b))
