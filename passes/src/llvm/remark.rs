//! Optimization remarks, which clang shows with `-Rpass=poly-schedule` and its kin, and writes to records.

use super::ARGUMENT;
use super::ir::{Function, Location};
use crate::remark::{Piece, Remark};
use crate::timing::{PhaseTimes, TIMES};
use polyrs_host::raw::{self as host, PolyPiece, PolyRemarkKind, PolyRemarkRow};
use polyrs_interface::Text;

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
    let hidden = remark.hidden.iter().map(|(key, value)| row(key.word(), value));
    let pieces: Vec<PolyPiece<'_>> = remark.pieces.iter().map(piece).chain(hidden).collect();
    let row = PolyRemarkRow {
        kind,
        pass: Text::new(ARGUMENT),
        name: Text::new(remark.name.word()),
        pieces: pieces.as_ptr(),
        count: pieces.len(),
        shown: remark.pieces.len(),
    };
    // SAFETY: the function is alive, locations live as long as the context, and the row and its texts during the call.
    unsafe { host::polyHostLlvmRemark(&raw const row, function.raw(), location.raw()) }
}

fn piece(piece: &Piece) -> PolyPiece<'_> {
    match piece {
        Piece::Text(text) => row("", text),
        Piece::Argument { key, value } => row(key.word(), value),
    }
}

fn row<'a>(key: &'a str, value: &'a str) -> PolyPiece<'a> {
    PolyPiece { key: Text::new(key), value: Text::new(value) }
}
