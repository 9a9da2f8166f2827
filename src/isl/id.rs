//! Identifiers of tuples, dimensions and marks.

use super::{Ctx, Error, Result};
use std::ffi::{CString, c_char, c_void};

object! {
    /// An identifier. Two identifiers with the same name in one context are the same.
    Id, isl_id_copy, isl_id_free, isl_id_to_str
}

methods! { Id:
    /// The name, if there is one.
    fn name(&self) -> Option<String> = isl_id_get_name;
}

impl Id {
    /// The identifier of this name.
    pub fn new(ctx: &Ctx, name: &str) -> Result<Self> {
        unsafe extern "C" {
            fn isl_id_alloc(ctx: *mut c_void, name: *const c_char, user: *mut c_void) -> *mut c_void;
        }
        let name = CString::new(name).map_err(|_| Error::invalid("a name holds a NUL byte"))?;
        // SAFETY: the context is alive, the name NUL-terminated (isl copies it), no user pointer is attached.
        let raw = unsafe { isl_id_alloc(ctx.ptr(), name.as_ptr(), std::ptr::null_mut()) };
        super::macros::Ret::from_raw(raw, ctx)
    }
}
