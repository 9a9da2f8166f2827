//! Flags of address arithmetic that say more than is known.
//!
//! MLIR's lowering promises of the subscripts of a memref that nothing on the way from them to an address wraps around
//! (`nsw`, `nuw`), and that the address is in the object in which the memref starts (`inbounds`). The first holds in
//! functions that were raised from LLVM IR, too: subscripts are within the extents and not negative, or the check at
//! run time fails, and offsets are exact. The second does not where the original computes its addresses without that
//! promise.

use melior::ir::OperationRef;

use super::arguments::Arguments;
use super::facts::Start;
use crate::mlir::ir::operation::{is, nested, operands};

/// The flags of addresses, by their bits. `inbounds` comes with `nusw`.
pub const ADDRESS_FLAGS: [(u32, &str); 3] = [(1, "inbounds"), (2, "nusw"), (4, "nuw")];

/// The flags of integer operations, by their bits.
pub const INTEGER_FLAGS: [(u32, &str); 2] = [(1, "nsw"), (2, "nuw")];

/// Takes the flags of addresses away that are not known to hold.
pub fn weaken<'c, 'a>(function: OperationRef<'c, 'a>, arguments: &Arguments<'c, 'a>) {
    for address in nested(function).into_iter().filter(|operation| is(*operation, "llvm.getelementptr")) {
        let fact = operands(address).first().and_then(|base| arguments.fact(*base));
        if fact.is_some_and(|(_, fact)| fact.start == Some(Start::Anywhere)) {
            polyrs_host::set_wrap_flags(address.to_raw(), 0);
        }
    }
}

/// The names of flags.
pub fn words(flags: u32, names: &[(u32, &'static str)]) -> String {
    let words: Vec<_> = names.iter().filter(|(bit, _)| flags & bit != 0).map(|(_, word)| *word).collect();
    words.join(" ")
}
