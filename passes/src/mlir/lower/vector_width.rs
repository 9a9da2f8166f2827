//! The pass `poly-prefer-vector-width`: tells LLVM's vectorizer which width to prefer.
//!
//! clang's flag for it has no effect on IR that clang did not make; the function attribute has.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, OperationRef};
use mlir_sys::MlirDialectHandle;

use crate::mlir::ir::operation::attribute;
use crate::options::value::option;
use crate::options::{OptionError, Values};
use crate::pass::{Outcome, Pass};
use polyrs_host::OptionRow;

const KEY: &str = "prefer-vector-width";

/// The pass `poly-prefer-vector-width`.
pub struct PreferVectorWidth;

/// The widths that x86 has, and none.
const WIDTHS: &[(&str, Option<u64>)] = &[("128", Some(128)), ("256", Some(256)), ("512", Some(512))];

/// Reads a width in bits.
///
/// # Errors
/// A text that is not one of the widths.
pub fn parse_width(values: &Values, name: &str) -> Result<u64, OptionError> {
    values.keyword(name, WIDTHS)
}

impl Pass for PreferVectorWidth {
    const ARGUMENT: &'static str = "poly-prefer-vector-width";
    const DESCRIPTION: &'static str = "Tell LLVM's vectorizer which width to prefer";
    const OPERATION: &'static str = "func.func";
    const OPTIONS: &'static [OptionRow] = &[option("bits", "128|256|512", "256", "The width in bits")];
    const DIALECTS: &'static [unsafe extern "C" fn() -> MlirDialectHandle] = &[];
    /// The width in bits.
    type Options = u64;

    fn parse(values: &Values) -> Result<u64, OptionError> {
        parse_width(values, "bits")
    }

    fn run<'c>(context: &'c Context, function: OperationRef<'c, '_>, bits: &u64) -> Outcome {
        let text = |text: &str| Attribute::from(StringAttribute::new(context, text));
        let pair: Attribute<'c> = ArrayAttribute::new(context, &[text(KEY), text(&bits.to_string())]).into();
        let mut entries = passthrough(function);
        entries.retain(|entry| !is_width(*entry));
        entries.push(pair);
        let entries = ArrayAttribute::new(context, &entries).into();
        // SAFETY: the function is alive, and no other reference changes it meanwhile.
        unsafe { OperationRefMut::from_raw(function.to_raw()) }.set_attribute("passthrough", entries);
        Outcome::Changed
    }
}

fn passthrough<'c>(function: OperationRef<'c, '_>) -> Vec<Attribute<'c>> {
    attribute(function, "passthrough")
        .and_then(|list| ArrayAttribute::try_from(list).ok())
        .map_or_else(Vec::new, |list| (0..list.len()).filter_map(|number| list.element(number).ok()).collect())
}

fn is_width(entry: Attribute<'_>) -> bool {
    let key = ArrayAttribute::try_from(entry).and_then(|pair| pair.element(0));
    key.and_then(StringAttribute::try_from).is_ok_and(|key| key.value() == KEY)
}
