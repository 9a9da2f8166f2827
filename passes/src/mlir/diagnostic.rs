//! Remarks, warnings and errors at MLIR locations.

use melior::ir::Location;

use polyrs_host::raw::PolySeverity;

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
