//! Remarks, warnings and errors at MLIR locations, and records of remarks.

use melior::ir::{Location, OperationRef};

use crate::remark::Remark;
use polyrs_host::raw::{PolyRemarkKind, PolySeverity};

/// Reports a text at a location, through whatever handler the tool has installed.
pub fn emit(location: Location<'_>, severity: PolySeverity, text: &str) {
    polyrs_host::emit(location.to_raw(), severity, text);
}

/// Says what was done, or why something was not.
pub fn remark(location: Location<'_>, text: &str) {
    emit(location, PolySeverity::Remark, text);
}

/// Says what the user should look at.
pub fn warning(location: Location<'_>, text: &str) {
    emit(location, PolySeverity::Warning, text);
}

/// Hands a remark about a function to the context's engine, if the tool set one up that wants it (docs/records.md).
pub fn record(kind: PolyRemarkKind, function: OperationRef<'_, '_>, location: Location<'_>, remark: &Remark) {
    remark.with_row(kind, |row| polyrs_host::record(row, function.to_raw(), location.to_raw()));
}
