//! The pass `poly-allow-contract`: lets multiplications and additions be fused.
//!
//! MLIR fuses nothing by default, while clang compiles C with contraction within an expression. To
//! compare the two, MLIR's operations must be allowed the same.

use melior::Context;
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, OperationRef};
use mlir_sys::{MlirDialectHandle, mlirGetDialectHandle__arith__};

use crate::mlir::ir::operation::{attribute, name, nested};
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

/// The operations that take part in a fused multiply-add.
const FUSIBLE: [&str; 4] = ["arith.addf", "arith.mulf", "arith.negf", "arith.subf"];

/// The pass `poly-allow-contract`.
pub struct AllowContract;

impl Pass for AllowContract {
    const ARGUMENT: &'static str = "poly-allow-contract";
    const DESCRIPTION: &'static str = "Allow floating-point contraction (fastmath<contract>) on additions, \
                                       subtractions, multiplications and negations";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] = &[];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[mlirGetDialectHandle__arith__];
    type Options = ();

    fn parse(_values: &Values) -> Result<(), OptionError> {
        Ok(())
    }

    fn run<'c>(context: &'c Context, function: OperationRef<'c, '_>, (): &()) -> Outcome {
        let mut outcome = Outcome::Unchanged;
        for operation in nested(function) {
            if !FUSIBLE.contains(&name(operation).as_str()) {
                continue;
            }
            let flags = attribute(operation, "fastmath").map_or_else(String::new, |flags| flags.to_string());
            let Some(flags) = with_contract(&flags) else {
                continue;
            };
            let Some(flags) = Attribute::parse(context, &flags) else {
                return Outcome::Failed(format!("cannot write the flags {flags}"));
            };
            // SAFETY: the operation is alive, and no other reference changes it meanwhile.
            unsafe { OperationRefMut::from_raw(operation.to_raw()) }.set_attribute("fastmath", flags);
            outcome = Outcome::Changed;
        }
        outcome
    }
}

/// The flags with `contract` added; nothing if they already allow it.
fn with_contract(flags: &str) -> Option<String> {
    let inner = flags.split_once('<').map_or("", |(_, rest)| rest.trim_end_matches('>'));
    let mut words: Vec<&str> = inner.split(',').map(str::trim).collect();
    words.retain(|word| !word.is_empty() && *word != "none");
    if words.iter().any(|word| matches!(*word, "contract" | "fast")) {
        return None;
    }
    words.push("contract");
    Some(format!("#arith.fastmath<{}>", words.join(",")))
}

#[cfg(test)]
mod tests {
    use super::with_contract;

    #[test]
    fn flags_are_kept() {
        let text = |flags| with_contract(flags).unwrap_or_default();
        assert_eq!(text("#arith.fastmath<none>"), "#arith.fastmath<contract>");
        assert_eq!(text(""), "#arith.fastmath<contract>");
        assert_eq!(text("#arith.fastmath<nnan,ninf>"), "#arith.fastmath<nnan,ninf,contract>");
        assert_eq!(with_contract("#arith.fastmath<fast>"), None);
        assert_eq!(with_contract("#arith.fastmath<nsz, contract>"), None);
    }
}
