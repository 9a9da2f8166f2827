//! How an isl type and its functions are declared: one line a function, ownership read off the Rust signature.

use super::ctx::Ctx;
use super::error::Result;
use super::meter;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// A value that can be passed to isl. By value means `__isl_take`, by reference `__isl_keep`.
pub trait Arg {
    /// The C type.
    type Raw;
    /// Hands the value to C.
    fn into_raw(self) -> Self::Raw;
}

/// A value that isl returns.
pub trait Ret: Sized {
    /// The C type.
    type Raw;
    /// Takes the value from C; a null pointer or a negative count is isl's way to say "error".
    fn from_raw(raw: Self::Raw, ctx: &Ctx) -> Result<Self>;
}

impl Arg for usize {
    type Raw = c_uint;
    fn into_raw(self) -> c_uint {
        c_uint::try_from(self).unwrap_or(c_uint::MAX)
    }
}

impl Arg for i32 {
    type Raw = c_int;
    fn into_raw(self) -> c_int {
        self
    }
}

impl Arg for i64 {
    type Raw = std::ffi::c_long;
    fn into_raw(self) -> std::ffi::c_long {
        self
    }
}

impl Arg for bool {
    type Raw = c_int;
    fn into_raw(self) -> c_int {
        c_int::from(self)
    }
}

impl Ret for bool {
    type Raw = c_int;
    fn from_raw(raw: c_int, ctx: &Ctx) -> Result<Self> {
        if raw < 0 { Err(ctx.take_error()) } else { Ok(raw != 0) }
    }
}

impl Ret for usize {
    type Raw = c_int;
    fn from_raw(raw: c_int, ctx: &Ctx) -> Result<Self> {
        usize::try_from(raw).map_err(|_| ctx.take_error())
    }
}

/// A sign or comparison result, which isl returns as a plain `int`.
impl Ret for i32 {
    type Raw = c_int;
    fn from_raw(raw: c_int, _: &Ctx) -> Result<Self> {
        Ok(raw)
    }
}

/// A plain `long`.
impl Ret for i64 {
    type Raw = std::ffi::c_long;
    fn from_raw(raw: std::ffi::c_long, _: &Ctx) -> Result<Self> {
        Ok(raw)
    }
}

/// A string that the caller owns.
impl Ret for String {
    type Raw = *mut c_char;
    fn from_raw(raw: *mut c_char, ctx: &Ctx) -> Result<Self> {
        if raw.is_null() {
            return Err(ctx.take_error());
        }
        // SAFETY: isl returned a NUL-terminated string that it allocated, which is ours to free.
        unsafe {
            let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
            meter::free(raw.cast::<c_void>());
            Ok(text)
        }
    }
}

/// A name that isl keeps; absent names are null.
impl Ret for Option<String> {
    type Raw = *const c_char;
    fn from_raw(raw: *const c_char, _: &Ctx) -> Result<Self> {
        if raw.is_null() {
            return Ok(None);
        }
        // SAFETY: a non-null name is NUL-terminated and lives at least until the next call into isl.
        Ok(Some(unsafe { CStr::from_ptr(raw) }.to_string_lossy().into_owned()))
    }
}

/// Declares an owned isl object: clone, drop, display, passing and returning.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident, $copy:ident, $free:ident $(, $to_str:ident)?) => {
        $(#[$doc])*
        pub struct $name {
            pub(crate) ptr: std::ptr::NonNull<std::ffi::c_void>,
            pub(crate) ctx: $crate::Ctx,
        }

        impl $name {
            /// The context that this object belongs to.
            pub fn ctx(&self) -> &$crate::Ctx {
                &self.ctx
            }
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                unsafe extern "C" {
                    fn $copy(ptr: *mut std::ffi::c_void) -> *mut std::ffi::c_void;
                }
                // SAFETY: the pointer is valid; isl's copy adds a reference, or makes another object.
                let copy = || std::ptr::NonNull::new(unsafe { $copy(self.ptr.as_ptr()) });
                let ptr = copy().or_else(|| self.ctx.unbounded(copy)).expect("isl copies a valid object");
                Self { ptr, ctx: self.ctx.clone() }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                unsafe extern "C" {
                    fn $free(ptr: *mut std::ffi::c_void) -> *mut std::ffi::c_void;
                }
                // SAFETY: this value owns one reference, given back here once.
                unsafe { $free(self.ptr.as_ptr()) };
            }
        }

        impl $crate::macros::Arg for $name {
            type Raw = *mut std::ffi::c_void;
            fn into_raw(self) -> Self::Raw {
                // The context handle is dropped, the object's reference moves to isl.
                let this = std::mem::ManuallyDrop::new(self);
                // SAFETY: `this` is never dropped, so the context handle is read out exactly once.
                drop(unsafe { std::ptr::read(&this.ctx) });
                this.ptr.as_ptr()
            }
        }

        impl $crate::macros::Arg for &$name {
            type Raw = *mut std::ffi::c_void;
            fn into_raw(self) -> Self::Raw {
                self.ptr.as_ptr()
            }
        }

        impl $crate::macros::Ret for $name {
            type Raw = *mut std::ffi::c_void;
            fn from_raw(raw: Self::Raw, ctx: &$crate::Ctx) -> $crate::Result<Self> {
                match std::ptr::NonNull::new(raw) {
                    Some(ptr) => Ok(Self { ptr, ctx: ctx.clone() }),
                    None => Err(ctx.take_error()),
                }
            }
        }

        $(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                unsafe extern "C" {
                    fn $to_str(ptr: *mut std::ffi::c_void) -> *mut std::ffi::c_char;
                }
                // SAFETY: the pointer is valid; the string returned is taken over by `from_raw`.
                let raw = unsafe { $to_str(self.ptr.as_ptr()) };
                match <String as $crate::macros::Ret>::from_raw(raw, &self.ctx) {
                    Ok(text) => f.write_str(&text),
                    Err(error) => write!(f, "<{error}>"),
                }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
        )?
    };
}

/// Declares methods and constructors, one line each:
/// `fn name(self | &self, args...) -> Type = c_name;` or, for a constructor that gets the context from its first
/// argument, `new name(first: Type, args...) = c_name;`.
macro_rules! methods {
    ($object:ident:) => {};
    ($object:ident: $(#[$doc:meta])* fn $name:ident(self $(, $arg:ident: $ty:ty)*) -> $ret:ty = $c:ident; $($rest:tt)*) => {
        impl $object {
            $(#[$doc])*
            #[doc = concat!("\n\nisl: `", stringify!($c), "`.")]
            pub fn $name(self $(, $arg: $ty)*) -> $crate::Result<$ret> {
                unsafe extern "C" {
                    fn $c(this: *mut std::ffi::c_void $(, $arg: <$ty as $crate::macros::Arg>::Raw)*)
                        -> <$ret as $crate::macros::Ret>::Raw;
                }
                let ctx = self.ctx.clone();
                ctx.check_deadline()?;
                // SAFETY: the signature states isl's ownership rules: values move, references stay borrowed.
                let raw = unsafe {
                    $c($crate::macros::Arg::into_raw(self) $(, $crate::macros::Arg::into_raw($arg))*)
                };
                ctx.returned(raw)
            }
        }
        methods!($object: $($rest)*);
    };
    ($object:ident: $(#[$doc:meta])* fn $name:ident(&self $(, $arg:ident: $ty:ty)*) -> $ret:ty = $c:ident; $($rest:tt)*) => {
        impl $object {
            $(#[$doc])*
            #[doc = concat!("\n\nisl: `", stringify!($c), "`.")]
            pub fn $name(&self $(, $arg: $ty)*) -> $crate::Result<$ret> {
                unsafe extern "C" {
                    fn $c(this: *mut std::ffi::c_void $(, $arg: <$ty as $crate::macros::Arg>::Raw)*)
                        -> <$ret as $crate::macros::Ret>::Raw;
                }
                self.ctx.check_deadline()?;
                // SAFETY: the signature states isl's ownership rules: values move, references stay borrowed.
                let raw = unsafe {
                    $c($crate::macros::Arg::into_raw(self) $(, $crate::macros::Arg::into_raw($arg))*)
                };
                self.ctx.returned(raw)
            }
        }
        methods!($object: $($rest)*);
    };
    ($object:ident: $(#[$doc:meta])* new $name:ident($first:ident: $first_ty:ty $(, $arg:ident: $ty:ty)*) = $c:ident; $($rest:tt)*) => {
        impl $object {
            $(#[$doc])*
            #[doc = concat!("\n\nisl: `", stringify!($c), "`.")]
            pub fn $name($first: $first_ty $(, $arg: $ty)*) -> $crate::Result<$object> {
                unsafe extern "C" {
                    fn $c($first: <$first_ty as $crate::macros::Arg>::Raw
                          $(, $arg: <$ty as $crate::macros::Arg>::Raw)*)
                        -> *mut std::ffi::c_void;
                }
                let ctx = $first.ctx().clone();
                ctx.check_deadline()?;
                // SAFETY: the signature states isl's ownership rules: values move, references stay borrowed.
                let raw = unsafe {
                    $c($crate::macros::Arg::into_raw($first) $(, $crate::macros::Arg::into_raw($arg))*)
                };
                ctx.returned(raw)
            }
        }
        methods!($object: $($rest)*);
    };
}

/// Declares `parse(ctx, text)` by isl's `..._read_from_str`.
macro_rules! parse {
    ($($object:ident = $c:ident;)*) => {$(
        impl $object {
            /// Reads the object from isl notation.
            ///
            /// # Errors
            /// [`crate::ErrorKind::Invalid`] when the text does not parse.
            pub fn parse(ctx: &$crate::Ctx, text: &str) -> $crate::Result<Self> {
                unsafe extern "C" {
                    fn $c(ctx: *mut std::ffi::c_void, text: *const std::ffi::c_char) -> *mut std::ffi::c_void;
                }
                let text = std::ffi::CString::new(text)
                    .map_err(|_| $crate::Error::invalid("text holds a NUL byte"))?;
                ctx.check_deadline()?;
                // SAFETY: the context is alive and the text NUL-terminated.
                let raw = unsafe { $c(ctx.ptr(), text.as_ptr()) };
                ctx.returned(raw)
            }
        }
    )*};
}
