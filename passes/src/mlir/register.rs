//! Everything that the plugin registers with MLIR.

use crate::host::{self, PassRow};
use crate::mlir::schedule::Schedule;
use crate::pass::row;

/// The passes. A row's address is the identity of its pass, so rows stay where they are.
static PASSES: [PassRow; 1] = [row::<Schedule>()];

/// Registers the passes and pipelines, and their flags where the tool lets us.
pub extern "C" fn register() {
    for pass in &PASSES {
        host::register_pass(pass);
        host::add_flag(&pass.argument.to_text());
    }
}
