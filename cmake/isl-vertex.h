/* Included in isl_map.c by isl-meter.sh.
 *
 * isl asks whether a set of integers is empty by looking for one of them: it removes equalities, which changes coordinates, takes the set
 * apart, and searches each part. Of the sets that are asked about for PolyBench all but one in thirty have rational points, one of which isl
 * finds at once, with integers for coordinates, or have no rational points at all.
 */

/* A point of "bset", of length 0 if there is none. */
static __isl_give isl_vec *vertex_or_sample(__isl_take isl_basic_set *bset)
{
	isl_vec *point = NULL;
	struct isl_tab *tab = isl_tab_from_basic_map(bset_to_bmap(bset), 0);

	if (tab && tab->empty)
		point = isl_vec_alloc(isl_basic_set_get_ctx(bset), 0);
	else if (tab && isl_tab_sample_is_integer(tab))
		point = isl_tab_get_sample_value(tab);
	isl_tab_free(tab);
	if (!point)
		return isl_basic_set_sample_vec(bset);
	isl_basic_set_free(bset);
	return point;
}
