/* Included in isl_tab.c by isl-meter.sh.
 *
 * isl counts a pivot as one operation, an allocation too. A pivot of a tableau with thousands of rows takes
 * milliseconds, and where the numbers have grown to hundreds of digits there is no bound at all on what one "operation"
 * takes. Here a pivot counts for its arithmetic, so that a quota of operations bounds the work, the same on any machine.
 */

/* Cell updates with small numbers that take about as long as an average operation of isl (50 nanoseconds). */
#define PIVOT_CELLS 16

/* What an update with a number costs, in updates with a small number, before it is done: one with a large number has its digits
 * multiplied and divided with those of others of about the same size. What isl-cells.h counts of that comes on top.
 */
static unsigned long pivot_weight(isl_int number)
{
#ifdef USE_SMALL_INT_OPT
	mp_int big;

	if (isl_sioimath_decode_big(*number, &big))
		return 4 + (unsigned long) big->used * big->used;
#endif
	return 1;
}

/* Count the pivot on "row" and "col" before it is done; -1 if it is not to be done. */
static int next_pivot(isl_ctx *ctx, struct isl_tab *tab, int row, int col)
{
	int i;
	unsigned long rows = 0, weight = 0;
	unsigned off = 2 + tab->M;
	struct isl_mat *mat = tab->mat;

	for (i = 0; i < tab->n_row; ++i)
		if (!isl_int_is_zero(mat->row[i][off + col]))
			++rows;
	for (i = 0; i < off + tab->n_col; ++i)
		weight += pivot_weight(mat->row[row][i]);
	ctx->operations += rows * weight / PIVOT_CELLS;
	return isl_ctx_next_operation(ctx);
}

/* Adds a multiple of the "pivot" row to another "row" of "len" numbers so that the column "col", which is left to the caller, cancels; the first
 * number of a row is its denominator. What is common to the columns is read once, which the compiler cannot know to be the same.
 */
static void pivot_cells(isl_int *row, isl_int *pivot, unsigned col, unsigned len)
{
	unsigned j;
	isl_int denominator, factor;

	*denominator = *pivot[0];
	*factor = *row[col];
	for (j = 1; j < len; ++j) {
		if (j == col)
			continue;
		isl_int_mul(row[j], row[j], denominator);
		isl_int_addmul(row[j], factor, pivot[j]);
	}
}
