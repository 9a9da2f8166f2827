
__thread unsigned long isl_cells;

/* Charges what was counted since the last operation. "DIGEST" tells the files that made this apart from other ones. */
__attribute__((visibility("hidden"))) void isl_settle_DIGEST(isl_ctx *ctx)
{
	ctx->operations += isl_cells / CELLS_PER_OPERATION;
	isl_cells = 0;
}
