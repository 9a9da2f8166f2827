//! Optimization remarks, which clang shows with `-Rpass=poly-schedule` and its kin.

use super::ARGUMENT;
use super::ir::{Function, Location};
use polyrs_host::raw::{self as host, PolyRemarkKind};
use polyrs_interface::Text;

/// Says something about a function, at a location or else at the function's own.
pub fn emit(kind: PolyRemarkKind, function: Function<'_>, location: Location<'_>, text: &str) {
    // SAFETY: the function is alive, locations live as long as the context, and the texts during the call.
    unsafe {
        host::polyHostLlvmRemark(Text::new(ARGUMENT), kind, function.raw(), location.raw(), Text::new(text));
    }
}
