//! A correction of how isl's code generator exposes strides.
//!
//! Where statements share a loop whose values are strided but start differently (`A` at 2i, `B` at 2i + 1), isl moves
//! each statement by an offset, so that one loop with that stride has them all. The offsets come from a comparison of
//! each statement with one of them, for equal values of the outer loops. Of three statements, the two others can meet
//! where the one is not, at distances that are no multiples of the stride, and moving them exchanges their instances:
//! the code executes what the schedule has at 8 behind what it has at 9. (`generate_component` of isl_ast_codegen.c;
//! isl 0.27 and before.)
//!
//! The comparison ends in `isl_set_dim_residue_class_val`, which nothing else in isl calls. The build scripts of the
//! packages that link isl have the linker (`--wrap`) send it here, where no values have a stride: statements stay where
//! they are, and the loop visits all values, with conditions (`src/codegen/tests/random.rs`).

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn isl_set_get_ctx(set: *mut c_void) -> *mut c_void;
    fn isl_val_one(ctx: *mut c_void) -> *mut c_void;
    fn isl_val_zero(ctx: *mut c_void) -> *mut c_void;
}

// The linker finds it by its name; whoever loads the plugin must not.
std::arch::global_asm!(".hidden __wrap_isl_set_dim_residue_class_val");

/// Says that a dimension of a set is 0 modulo 1.
///
/// # Safety
/// isl's contract: `set` is a set, which is kept, or null; `modulo` and `residue` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_isl_set_dim_residue_class_val(
    set: *mut c_void,
    _position: c_int,
    modulo: *mut *mut c_void,
    residue: *mut *mut c_void,
) -> c_int {
    // SAFETY: the set is valid if it is not null, and the caller frees the numbers.
    unsafe {
        *modulo = std::ptr::null_mut();
        *residue = std::ptr::null_mut();
        if set.is_null() {
            return -1;
        }
        let ctx = isl_set_get_ctx(set);
        *modulo = isl_val_one(ctx);
        *residue = isl_val_zero(ctx);
    }
    0
}
