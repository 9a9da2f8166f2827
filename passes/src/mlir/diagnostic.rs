//! Remarks, warnings and errors at MLIR locations.

use melior::ir::Location;

use crate::host::{self, Severity};

/// Reports a text at a location, through whatever handler the tool has installed.
pub fn emit(location: Location<'_>, severity: Severity, text: &str) {
    host::emit(location.to_raw(), severity, text);
}

/// Says what was done, or why something was not.
pub fn remark(location: Location<'_>, text: &str) {
    emit(location, Severity::Remark, text);
}

/// Says what the user should look at.
pub fn warning(location: Location<'_>, text: &str) {
    emit(location, Severity::Warning, text);
}
