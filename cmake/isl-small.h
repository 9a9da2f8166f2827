/* Included in isl_int_sioimath.h by isl-meter.sh.
 *
 * Nearly all numbers are small, and isl has what is done with the others in line everywhere, so that its loops do not fit the cache and keep
 * little in registers. Here only what is done with small numbers is in line: where a number, a result or what is on the way to it is not
 * small, isl's own functions do the work, which are called. The results and what is counted are theirs. A small number "n" is kept as
 * 2^32 n + 1.
 */

#define IN_LINE static inline __attribute__((always_inline, unused))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define SMALL(value) ((isl_sioimath) (value) << 32 | 1)
#define VALUE_OF(number) ((int64_t) (number) >> 32)
#define IS_SMALL(value) ((uint64_t) (value) + ISL_SIOIMATH_SMALL_MAX <= 2 * (uint64_t) ISL_SIOIMATH_SMALL_MAX)

IN_LINE void isl_small_set(isl_sioimath_ptr dst, isl_sioimath number)
{
	if (LIKELY(*dst & number & 1))
		*dst = number;
	else
		isl_sioimath_set(dst, number);
}

IN_LINE void isl_small_set_si(isl_sioimath_ptr dst, long value)
{
	if (LIKELY((*dst & 1) && IS_SMALL(value)))
		*dst = SMALL(value);
	else
		isl_sioimath_set_si(dst, value);
}

IN_LINE void isl_small_neg(isl_sioimath_ptr dst, isl_sioimath number)
{
	if (LIKELY(*dst & number & 1))
		*dst = 2 - number;
	else
		isl_sioimath_neg(dst, number);
}

IN_LINE void isl_small_abs(isl_sioimath_ptr dst, isl_sioimath number)
{
	if (LIKELY(*dst & number & 1))
		*dst = (int64_t) number < 0 ? 2 - number : number;
	else
		isl_sioimath_abs(dst, number);
}

IN_LINE void isl_small_add(isl_sioimath_ptr dst, isl_sioimath lhs, isl_sioimath rhs)
{
	int64_t sum = VALUE_OF(lhs) + VALUE_OF(rhs);

	if (LIKELY((*dst & lhs & rhs & 1) && IS_SMALL(sum)))
		*dst = SMALL(sum);
	else
		isl_sioimath_add(dst, lhs, rhs);
}

IN_LINE void isl_small_sub(isl_sioimath_ptr dst, isl_sioimath lhs, isl_sioimath rhs)
{
	int64_t difference = VALUE_OF(lhs) - VALUE_OF(rhs);

	if (LIKELY((*dst & lhs & rhs & 1) && IS_SMALL(difference)))
		*dst = SMALL(difference);
	else
		isl_sioimath_sub(dst, lhs, rhs);
}

IN_LINE void isl_small_mul(isl_sioimath_ptr dst, isl_sioimath lhs, isl_sioimath rhs)
{
	int64_t product = VALUE_OF(lhs) * VALUE_OF(rhs);

	if (LIKELY((*dst & lhs & rhs & 1) && IS_SMALL(product)))
		*dst = SMALL(product);
	else
		isl_sioimath_mul(dst, lhs, rhs);
}

IN_LINE void isl_small_addmul(isl_sioimath_ptr dst, isl_sioimath lhs, isl_sioimath rhs)
{
	int64_t product = VALUE_OF(lhs) * VALUE_OF(rhs), sum = VALUE_OF(*dst) + product;

	if (LIKELY((*dst & lhs & rhs & 1) && IS_SMALL(product) && IS_SMALL(sum)))
		*dst = SMALL(sum);
	else
		isl_sioimath_addmul(dst, lhs, rhs);
}

IN_LINE void isl_small_submul(isl_sioimath_ptr dst, isl_sioimath lhs, isl_sioimath rhs)
{
	int64_t product = VALUE_OF(lhs) * VALUE_OF(rhs), difference = VALUE_OF(*dst) - product;

	if (LIKELY((*dst & lhs & rhs & 1) && IS_SMALL(product) && IS_SMALL(difference)))
		*dst = SMALL(difference);
	else
		isl_sioimath_submul(dst, lhs, rhs);
}

IN_LINE void isl_small_tdiv_q(isl_sioimath_ptr dst, isl_sioimath lhs, isl_sioimath rhs)
{
	if (LIKELY(*dst & lhs & rhs & 1))
		*dst = rhs == SMALL(1) ? lhs : SMALL((int32_t) VALUE_OF(lhs) / (int32_t) VALUE_OF(rhs));
	else
		isl_sioimath_tdiv_q(dst, lhs, rhs);
}

IN_LINE int isl_small_sgn(isl_sioimath number)
{
	return LIKELY(number & 1) ? ((int64_t) number > 1) - ((int64_t) number < 0) : isl_sioimath_sgn(number);
}

IN_LINE int isl_small_cmp(isl_sioimath lhs, isl_sioimath rhs)
{
	return LIKELY(lhs & rhs & 1) ? ((int64_t) lhs > (int64_t) rhs) - ((int64_t) lhs < (int64_t) rhs) : isl_sioimath_cmp(lhs, rhs);
}

IN_LINE int isl_small_cmp_si(isl_sioimath number, long value)
{
	return LIKELY(number & 1) ? (VALUE_OF(number) > value) - (VALUE_OF(number) < value) : isl_sioimath_cmp_si(number, value);
}

IN_LINE int isl_small_abs_cmp(isl_sioimath lhs, isl_sioimath rhs)
{
	int64_t left = VALUE_OF(lhs), right = VALUE_OF(rhs);

	if (!LIKELY(lhs & rhs & 1))
		return isl_sioimath_abs_cmp(lhs, rhs);
	left = left < 0 ? -left : left;
	right = right < 0 ? -right : right;
	return (left > right) - (left < right);
}

/* Whether the number is 1 or -1: no other than 0 is less. */
IN_LINE int isl_int_is_unit(const isl_sioimath *number)
{
	return *number == SMALL(1) || *number == SMALL(-1);
}

#undef IN_LINE
#undef LIKELY
#undef SMALL
#undef VALUE_OF
#undef IS_SMALL
