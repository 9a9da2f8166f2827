//! A correction of isl's lexicographic optimization.
//!
//! Before isl 0.27 solves for an optimum it looks for a dimension that the constraints fix to a quotient or a remainder
//! of the inputs, and makes that value an input. Dataflow analysis and code generation are built on this. It goes wrong
//! in two ways:
//!
//! - The search relies on sorted constraints, which the optimizer does not give it. It then takes two constraints for a
//!   pair of bounds that are none, and fixes the dimension to a wrong value, or fails with "affine expression involves
//!   some of the domain dimensions". Here they are sorted.
//! - From `f + m x = m n e` and a range of `n` integers for `x` follows `x = g + (-f/m - g) mod n`, which is an integer
//!   where `f` is a multiple of `m`. The constraints say that it is one, the domain need not: inputs for which it is
//!   none have no optimum, but with a fraction as an input they are dropped from the domain, and so from the set of
//!   inputs without an optimum. A dataflow analysis then forgets those reads. Here a value that can be a fraction is
//!   not taken, and the optimizer solves for the dimension.
//!
//! The build scripts of the packages that link isl have the linker (`--wrap`) send the calls of that search here.

use super::DimType;
use super::macros::{Arg, Ret};
use std::ffi::{c_int, c_void};

/// `isl_maybe_isl_aff`
#[repr(C)]
pub struct MaybeAff {
    /// `isl_bool`
    valid: c_int,
    /// `isl_aff *`, null unless `valid` is true.
    value: *mut c_void,
}

const ISL_BOOL_ERROR: c_int = -1;
const ISL_BOOL_FALSE: c_int = 0;
const ISL_BOOL_TRUE: c_int = 1;

unsafe extern "C" {
    fn isl_basic_map_dim(map: *mut c_void, kind: <DimType as Arg>::Raw) -> <usize as Ret>::Raw;
    fn isl_basic_map_copy(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_free(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_sort_constraints(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_try_find_output_div_mod(map: *mut c_void, position: c_int) -> MaybeAff;
    fn isl_aff_get_denominator_val(aff: *mut c_void) -> *mut c_void;
    fn isl_aff_free(aff: *mut c_void) -> *mut c_void;
    fn isl_val_is_one(val: *mut c_void) -> c_int;
    fn isl_val_free(val: *mut c_void) -> *mut c_void;
}

// The linker finds it by its name; whoever loads the plugin must not.
std::arch::global_asm!(".hidden __wrap_isl_basic_map_try_find_any_output_div_mod");

/// The first output dimension that is a quotient or a remainder of the inputs, its position in `position`.
///
/// # Safety
/// isl's contract: `map` is a basic map, which is kept, or null; `position` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_isl_basic_map_try_find_any_output_div_mod(
    map: *mut c_void,
    position: *mut c_int,
) -> MaybeAff {
    // SAFETY: the copy is sorted, then kept by each call, then freed. isl's functions accept null and report it.
    unsafe {
        let sorted = isl_basic_map_sort_constraints(isl_basic_map_copy(map));
        let dimensions = isl_basic_map_dim(sorted, DimType::Out.into_raw());
        let valid = if dimensions < 0 { ISL_BOOL_ERROR } else { ISL_BOOL_FALSE };
        let mut found = MaybeAff { valid, value: std::ptr::null_mut() };
        let mut at = 0;
        while at < dimensions && found.valid == ISL_BOOL_FALSE {
            found = integral(isl_basic_map_try_find_output_div_mod(sorted, at));
            *position = at;
            at += 1;
        }
        isl_basic_map_free(sorted);
        found
    }
}

/// An expression that was found, if it is an integer for all integers.
///
/// # Safety
/// isl's contract: the expression is taken.
unsafe fn integral(found: MaybeAff) -> MaybeAff {
    if found.valid != ISL_BOOL_TRUE {
        return found;
    }
    // SAFETY: the value is the caller's, and freed where it is not returned. isl's functions accept null and report it.
    unsafe {
        // Coefficients of integer divisions have this denominator too.
        let denominator = isl_aff_get_denominator_val(found.value);
        let valid = isl_val_is_one(denominator);
        isl_val_free(denominator);
        if valid == ISL_BOOL_TRUE {
            return found;
        }
        isl_aff_free(found.value);
        MaybeAff { valid, value: std::ptr::null_mut() }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ctx, Error, Map, Set, UnionAccessInfo, UnionMap};
    use fastrand::Rng;

    /// c is 1 or 3; the order of the constraints matters to isl.
    #[test]
    fn bounds_that_are_no_pair_fix_nothing() {
        let isl = Ctx::new();
        for (bounds, expected) in [
            ("c <= 4 and d <= 5 and d >= c and c >= 1", "{ T[x] -> [3, 5] }"),
            ("c >= 1 and d <= 5 and d >= 3 - c and c <= 4", "{ T[x] -> [3, 5] }"),
        ] {
            let map = Map::parse(&isl, &format!("{{ T[x] -> [c, d] : exists e : 2e = 1 + c and {bounds} }}")).unwrap();
            let last = map.lexmax().unwrap();
            assert!(last.is_equal(&Map::parse(&isl, expected).unwrap()).unwrap(), "{bounds}: {last}");
        }
    }

    /// What `x` would be is a fraction unless n + 1 is a multiple of 3, which it is for no read.
    #[test]
    fn inputs_that_give_a_fraction_have_no_optimum() {
        let isl = Ctx::new();
        let union_map = |text: &str| UnionMap::parse(&isl, text).unwrap();
        let writes =
            union_map("[n, m] -> { S[x, y] -> A[] : (1 + n + 3x) mod 6 = 0 and 2m - 2 <= x < 2m and 0 <= y < 2 }");
        let reads = union_map("[n, m] -> { T[] -> A[] : n mod 3 <= 1 }");
        let flow = UnionAccessInfo::from_sink(reads.clone()).unwrap().set_may_source(writes.clone()).unwrap();
        let order = union_map("{ S[x, y] -> [0, x, y]; T[] -> [1, 0, 0] }");
        let flow = flow.set_kill(writes).unwrap().set_schedule_map(order).unwrap().compute_flow().unwrap();
        let unwritten = flow.may_no_source().unwrap();
        assert!(unwritten.is_equal(&reads).unwrap(), "{unwritten}");
    }

    /// `c + a n + b m` with small coefficients.
    fn of_parameters(numbers: &mut Rng) -> String {
        let [a, b, c] = [numbers.u64(..6), numbers.u64(..4), numbers.u64(..7)];
        format!("{c} - 3 + {a}n - 2n + {b}m - m")
    }

    /// Where writes are fixed by a multiple of one of their counters, and reads are executed for some parameters.
    #[test]
    fn random_last_writers_are_those_for_each_size() {
        let isl = Ctx::new();
        let union_map = |text: &str| UnionMap::parse(&isl, text).unwrap();
        let flow = |writes: &UnionMap, reads: &UnionMap| {
            let flow = UnionAccessInfo::from_sink(reads.clone())?.set_may_source(writes.clone())?;
            let order = union_map("{ S[x, y] -> [0, x, y]; R[] -> [1, 0, 0] }");
            let flow = flow.set_kill(writes.clone())?.set_schedule_map(order)?.compute_flow()?;
            Ok::<_, Error>((flow.may_dependence()?, flow.may_no_source()?))
        };
        for seed in 1..=120 {
            let mut numbers = Rng::with_seed(seed);
            let (factor, count, width) = (2 + numbers.u64(..2), 2 + numbers.u64(..2), 1 + numbers.u64(..3));
            let [first, fixed, other, kept] = [(); 4].map(|()| of_parameters(&mut numbers));
            let (modulus, rest, sum) = (2 + numbers.u64(..4), numbers.u64(..2), factor * numbers.u64(..3));
            let bounds = format!("{first} <= x < {width} + {first} and {other} <= y < 2 + x + {other}");
            let condition = format!("({fixed} + {factor}x + {sum}y) mod {} = 0", factor * count);
            let writes = union_map(&format!("[n, m] -> {{ S[x, y] -> A[] : {condition} and {bounds} }}"));
            let reads = union_map(&format!("[n, m] -> {{ R[] -> A[] : ({kept}) mod {modulus} <= {rest} }}"));
            let (found, unwritten) = flow(&writes, &reads).unwrap();
            for (n, m) in (-1..6).flat_map(|n| (-1..3).map(move |m| (n, m))) {
                let size = Set::parse(&isl, &format!("[n, m] -> {{ : n = {n} and m = {m} }}")).unwrap();
                let at = |map: &UnionMap| map.clone().intersect_params(size.clone()).unwrap();
                let (expected, expected_unwritten) = flow(&at(&writes), &at(&reads)).unwrap();
                let is_right =
                    at(&found).is_equal(&expected).unwrap() && at(&unwritten).is_equal(&expected_unwritten).unwrap();
                assert!(is_right, "seed {seed}: {writes}, {reads}, {size}");
            }
        }
    }
}
