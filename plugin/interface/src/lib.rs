//! The interface between the two libraries of the plugin.
//!
//! The compilers load `libpolyrs.so`, which is small. `libpolyrs_mlir.so` has the optimizer in it and needs MLIR; it
//! exports one function, named [`SYMBOL`], which returns a [`Table`]. Both are built from the same sources, and the
//! first thing that is compared is their version. The types have C's layout; some of them go on to the C++ glue, and
//! are mirrored there.

pub mod obstacles;

use std::any::Any;
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

/// The file with the optimizer, which lies beside the plugin.
pub const LIBRARY: &str = "libpolyrs_mlir.so";

/// The function of that file that returns its [`Table`].
pub const SYMBOL: &CStr = c"polyrsTable";

/// The version of both libraries.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name of the pass on LLVM IR, of its option and in remarks, and of the attribute of functions whose loops are
/// ours already.
pub const ARGUMENT: &str = "poly-schedule";

/// The environment variable that names a folder for records (docs/records.md).
pub const RECORDS: &str = "POLYRS_RECORDS";

/// The functions that the library with the optimizer offers.
#[repr(C)]
pub struct Table {
    /// Its version. What follows may only be read if that is one's own.
    pub version: Text<'static>,
    /// Registers passes and pipelines with MLIR.
    pub register: extern "C" fn(),
    /// Begins to work on modules of LLVM IR with these options. Null if they are wrong, and an error is written.
    pub open: extern "C" fn(Text<'_>, Sink) -> *mut Session,
    /// Works on one function; writes an error when it fails.
    pub work: unsafe extern "C" fn(*mut Session, &Candidate<'_>, Sink) -> Status,
    /// Ends what `open` began.
    pub close: unsafe extern "C" fn(*mut Session),
}

/// The optimizer's own state between functions.
#[repr(C)]
pub struct Session {
    opaque: [u8; 0],
}

/// The type of the function [`SYMBOL`].
pub type TableFunction = extern "C" fn() -> &'static Table;

/// A function with a loop.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// The module.
    pub module: LLVMModuleRef,
    /// The analyses of its functions: an `llvm::FunctionAnalysisManager`.
    pub manager: *mut c_void,
    /// The function.
    pub function: LLVMValueRef,
    /// A clone of the function in canonical form, which is handed over; null if there is an obstacle.
    pub clone: LLVMValueRef,
    /// The outlook on its loops.
    pub outlook: Outlook,
    /// Somebody listens to remarks about it, and is to be told why nothing is done.
    pub explain: bool,
    /// Why the function as a whole must stay as it is; empty if it need not.
    pub obstacle: Text<'a>,
}

/// An upper bound on what can be raised of a function.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outlook {
    /// Nothing.
    Nothing = 0,
    /// Single loops, with no other loop in them or beside them.
    Single = 1,
    /// Loops in a row, with no other loop in them.
    Row = 2,
    /// Loops with others in them.
    Nest = 3,
}

/// A text without a terminating zero, borrowed for `'a`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text<'a> {
    data: *const u8,
    size: usize,
    borrow: PhantomData<&'a str>,
}

// SAFETY: a `Text` is a shared borrow of immutable bytes.
unsafe impl Sync for Text<'_> {}
// SAFETY: as above.
unsafe impl Send for Text<'_> {}

impl<'a> Text<'a> {
    /// Borrows a string.
    pub const fn new(text: &'a str) -> Self {
        Self { data: text.as_ptr(), size: text.len(), borrow: PhantomData }
    }

    /// The bytes, which need not be UTF-8 when they come from a command line.
    pub fn bytes(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: `data` points to `size` bytes that live for `'a`.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }

    /// The text, with what is not UTF-8 replaced.
    pub fn to_text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

/// Where a text is written during a call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Sink {
    context: *mut c_void,
    write: extern "C" fn(*mut c_void, Text<'_>),
}

impl Sink {
    /// Appends what is written to `target`, which must outlive the call that the sink is for.
    pub fn into_string(target: &mut String) -> Self {
        extern "C" fn append(context: *mut c_void, text: Text<'_>) {
            // SAFETY: the context is the string below, which outlives the call and is used by nobody else meanwhile.
            let target = unsafe { &mut *context.cast::<String>() };
            target.push_str(&text.to_text());
        }
        Self { context: (&raw mut *target).cast(), write: append }
    }

    /// Writes a text.
    pub fn write(self, text: &str) {
        (self.write)(self.context, Text::new(text));
    }
}

/// The outcome of a run.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The IR is as it was.
    Unchanged = 0,
    /// The IR was rewritten.
    Changed = 1,
    /// The pass failed, and said why.
    Failed = 2,
}

/// Runs `work`; a panic becomes an error.
///
/// # Errors
/// Those of `work`, and a panic's text.
pub fn guard<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|payload| Err(format!("internal error: {}", panic_text(payload.as_ref()))))
}

/// The text of a panic's payload.
fn panic_text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a text")
}

#[cfg(test)]
mod tests {
    use super::guard;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(guard(|| Ok(1)), Ok(1));
        assert_eq!(guard::<()>(|| Err("no".to_owned())), Err("no".to_owned()));
        assert_eq!(guard::<()>(|| panic!("at {}", 7)), Err("internal error: at 7".to_owned()));
        assert_eq!(guard::<()>(|| panic!("plain")), Err("internal error: plain".to_owned()));
    }
}
