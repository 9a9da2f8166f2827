//! A correction of how isl reduces coefficients, which coalescing relies on.
//!
//! Reducing coefficients tightens constraints. Where the tightened ones contradict each other, isl notices that the set
//! is empty and drops its integer divisions, then goes on as if they were still there, and fails: "total dimensionality
//! changed unexpectedly". This happens to sets with constant bounds that hold no integer point. The reduction is a
//! matter of form only, so that the set can stay as it was.
//!
//! The build scripts of the packages that link isl have the linker (`--wrap`) send the call from isl_coalesce.c here.

use std::ffi::{CStr, c_char, c_void};

unsafe extern "C" {
    fn __real_isl_basic_map_reduce_coefficients(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_copy(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_free(map: *mut c_void) -> *mut c_void;
    fn isl_basic_map_get_ctx(map: *mut c_void) -> *mut c_void;
    fn isl_ctx_last_error_msg(ctx: *mut c_void) -> *const c_char;
    fn isl_ctx_reset_error(ctx: *mut c_void);
}

/// What isl says where it fails for no reason.
const NO_REASON: &CStr = c"total dimensionality changed unexpectedly";

// The linker finds it by its name; whoever loads the plugin must not.
std::arch::global_asm!(".hidden __wrap_isl_basic_map_reduce_coefficients");

/// The map with reduced coefficients, or as it was.
///
/// # Safety
/// isl's contract: `map` is a basic map, which is taken, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_isl_basic_map_reduce_coefficients(map: *mut c_void) -> *mut c_void {
    if map.is_null() {
        return map;
    }
    // SAFETY: the map is valid and its context outlives it; isl changes no map that has another reference, and its
    // messages are static.
    unsafe {
        let ctx = isl_basic_map_get_ctx(map);
        let original = isl_basic_map_copy(map);
        let reduced = __real_isl_basic_map_reduce_coefficients(map);
        let message = isl_ctx_last_error_msg(ctx);
        if reduced.is_null() && !message.is_null() && CStr::from_ptr(message) == NO_REASON {
            isl_ctx_reset_error(ctx);
            return original;
        }
        isl_basic_map_free(original);
        reduced
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ctx, Set};

    /// Found by `isl_set_coalesce` alone among 5,000 random sets. The first part is empty.
    #[test]
    fn sets_are_coalesced_whose_reduced_constraints_contradict_each_other() {
        let ctx = Ctx::new();
        let text = "{ S[i, j, k] : exists a, b : 1 <= i < 8 and 0 <= j < 16 and 0 <= k < 4 and b = -3 - 5k - 3a
                        and 5i >= 1 + 2b and 5b >= 1 + 3k;
                      S[i, j, k] : exists a, b : 0 <= i < 33 and 0 <= j < 5 and 0 <= k < 14 and 3 + i + 5a + 3b = 0
                        and b = 3 - 3i and 1 + k + 3b >= 0 and a >= -1 }";
        let set = Set::parse(&ctx, text).unwrap();
        let coalesced = set.clone().coalesce().unwrap();
        assert!(coalesced.is_equal(&set).unwrap(), "{coalesced}");
    }
}
