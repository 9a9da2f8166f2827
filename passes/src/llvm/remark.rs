//! Optimization remarks, which clang shows with `-Rpass=poly-schedule` and its kin, and writes to records.

use super::ir::{Function, Location};
use crate::remark::Remark;
use crate::timing::{PhaseTimes, TIMES};
use polyrs_host::raw::{self as host, PolyRemarkKind};

/// Says something about a function, at a location or else at the function's own. The log has the time that it takes.
pub fn emit(kind: PolyRemarkKind, function: Function<'_>, location: Location<'_>, remark: &Remark) {
    if !tracing::enabled!(target: TIMES, tracing::Level::INFO) {
        return hand_over(kind, function, location, remark);
    }
    let mut times = PhaseTimes::default();
    times.measure("remark", || hand_over(kind, function, location, remark));
    times.log();
}

/// Gives a remark to LLVM, which drops it where nobody listens.
fn hand_over(kind: PolyRemarkKind, function: Function<'_>, location: Location<'_>, remark: &Remark) {
    // SAFETY: the function is alive, locations live as long as the context, and the row and its texts during the call.
    remark.with_row(kind, |row| unsafe { host::polyHostLlvmRemark(row, function.raw(), location.raw()) });
}
