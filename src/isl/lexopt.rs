//! A correction of isl's lexicographic optimization.
//!
//! Before isl 0.27 solves for an optimum it looks for a dimension that the constraints fix to a quotient or a remainder
//! of the inputs. The search relies on sorted constraints, which the optimizer does not give it. It then takes two
//! constraints for a pair of bounds that are none, and fixes the dimension to a wrong value, or fails with "affine
//! expression involves some of the domain dimensions". Dataflow analysis and code generation are built on this.
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

unsafe extern "C" {
    fn isl_basic_map_dim(map: *mut c_void, kind: <DimType as Arg>::Raw) -> <usize as Ret>::Raw;
    fn isl_basic_map_copy(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_free(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_sort_constraints(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_try_find_output_div_mod(map: *mut c_void, position: c_int) -> MaybeAff;
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
            found = isl_basic_map_try_find_output_div_mod(sorted, at);
            *position = at;
            at += 1;
        }
        isl_basic_map_free(sorted);
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::isl::{Ctx, Map};

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
}
