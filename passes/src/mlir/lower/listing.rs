//! The facts of a function that LLVM is told, one line for each fact, with the reason why it holds: `dump=facts`.

use std::collections::BTreeMap;
use std::fmt::Write;

use melior::ir::{BlockRef, OperationRef, Value};

use super::arguments::Arguments;
use super::facts::BODY;
use super::flags::{ADDRESS_FLAGS, INTEGER_FLAGS, words};
use super::pointer::{accesses, root};
use crate::mlir::ir::operation::{attribute, is, name, nested, operands, string_attribute};
use crate::mlir::ir::value::{argument, defining};

/// The facts of a function of the LLVM dialect. `arguments`: what was stated of those that it had before conversion.
pub fn of<'c, 'a>(
    function: OperationRef<'c, 'a>,
    entry: BlockRef<'c, 'a>,
    arguments: Option<&Arguments<'c, 'a>>,
) -> String {
    let listing = Listing { entry, arguments, body: attribute(function, BODY).is_some() };
    let mut lines = listing.overlap(function);
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for operation in nested(function) {
        lines.extend(listing.assumption(operation));
        for line in [listing.address(operation), integer(operation), alignment(operation), floating(operation)] {
            line.into_iter().for_each(|line| *counted.entry(line).or_default() += 1);
        }
    }
    lines.extend(counted.into_iter().map(|(line, count)| format!("{count} x {line}")));
    let mut text = format!("# facts of {}\n", string_attribute(function, "sym_name").unwrap_or_default());
    for line in lines {
        let _ = writeln!(text, "fact: {line}");
    }
    text
}

struct Listing<'c, 'a, 'b> {
    entry: BlockRef<'c, 'a>,
    arguments: Option<&'b Arguments<'c, 'a>>,
    body: bool,
}

impl<'c, 'a> Listing<'c, 'a, '_> {
    fn is_raised(&self) -> bool {
        self.arguments.is_some_and(|all| all.facts().iter().any(|fact| fact.start.is_some()))
    }

    /// The pairs of arguments that are apart, as far as they are accessed and one of them is written.
    fn overlap(&self, function: OperationRef<'c, 'a>) -> Vec<String> {
        let Some(arguments) = self.arguments else { return Vec::new() };
        let mut touched: BTreeMap<usize, bool> = BTreeMap::new();
        for (pointer, writes) in nested(function).into_iter().flat_map(accesses) {
            if let Some((number, _)) = arguments.fact(pointer) {
                *touched.entry(number).or_default() |= writes;
            }
        }
        let reason = if self.is_raised() {
            "by LLVM's alias analysis or the check at run time, for all that the region accesses"
        } else {
            "the user promises it (assume-noalias=true)"
        };
        let whole = if self.body { "the parallel loop" } else { "the call" };
        let facts = arguments.facts();
        let mut lines = Vec::new();
        // Without a loop nothing is stated.
        if !nested(function).into_iter().any(|inner| attribute(inner, "noalias_scopes").is_some()) {
            return lines;
        }
        for (one, one_written) in &touched {
            for (other, written) in touched.range(one + 1..) {
                if (*one_written || *written) && facts[*one].is_apart(&facts[*other]) {
                    lines.push(format!(
                        "alias scopes: accesses through arguments {one} and {other} do not overlap during {whole}: {reason}"
                    ));
                }
            }
        }
        lines
    }

    /// The origin of a value, in words.
    fn describe(&self, value: Value<'c, 'a>) -> String {
        if let Some((number, _)) = self.arguments.and_then(|arguments| arguments.fact(value)) {
            return format!("argument {number}");
        }
        let root = root(value);
        match (defining(root), argument(root)) {
            (Some((operation, _)), _) => format!("a result of {}", name(operation)),
            (None, Some((block, number))) if block == self.entry => format!("LLVM's argument {number}"),
            _ => "a value of control flow".to_owned(),
        }
    }

    /// The assumption that an operation states of pointers.
    fn assumption(&self, operation: OperationRef<'c, 'a>) -> Option<String> {
        if !is(operation, "llvm.intr.assume") {
            return None;
        }
        let tags = attribute(operation, "op_bundle_tags").map_or_else(String::new, |tags| tags.to_string());
        let values: Vec<_> = operands(operation).into_iter().skip(1).map(|value| self.describe(value)).collect();
        let reason = if tags.contains("separate_storage") {
            "they are different objects: one of them is allocated in the function, where the other was there already"
        } else if tags.contains("align") {
            "the alignment is that of the allocation, or the input says so (memref.assume_alignment)"
        } else {
            "the input says so"
        };
        Some(format!("assume {tags} of {}: {reason}", values.join(", ")))
    }

    /// The flags of an address.
    fn address(&self, operation: OperationRef<'c, 'a>) -> Option<String> {
        let flags = polyrs_host::wrap_flags(operation.to_raw());
        if !is(operation, "llvm.getelementptr") || flags == 0 {
            return None;
        }
        let base = *operands(operation).first()?;
        let reason = match self.arguments.and_then(|arguments| arguments.fact(base)).and_then(|(_, fact)| fact.start) {
            Some(_) => {
                "the original's are inbounds from the start of the array, and its subscripts are known or checked"
            }
            None => "subscripts of memrefs are within the extents",
        };
        Some(format!("{} addresses in {}: {reason}", words(flags, &ADDRESS_FLAGS), self.describe(base)))
    }
}

/// The flags of an integer operation.
fn integer(operation: OperationRef<'_, '_>) -> Option<String> {
    let flags = polyrs_host::wrap_flags(operation.to_raw());
    if flags == 0 || is(operation, "llvm.getelementptr") {
        return None;
    }
    let flags = words(flags, &INTEGER_FLAGS);
    let reason = "the input has it, or a subscript or bound of which no part is known to wrap around";
    Some(format!("{flags} on {}: {reason}", name(operation)))
}

/// The alignment of an access, where it is not what the type says.
fn alignment(operation: OperationRef<'_, '_>) -> Option<String> {
    let bytes = attribute(operation, "alignment")?;
    let name = name(operation);
    matches!(name.as_str(), "llvm.load" | "llvm.store")
        .then(|| format!("alignment {bytes} of {name}: elements are aligned as their type asks"))
}

/// The flags of floating-point arithmetic.
fn floating(operation: OperationRef<'_, '_>) -> Option<String> {
    let flags = attribute(operation, "fastmathFlags")?.to_string();
    let none = flags.ends_with("<none>");
    (!none).then(|| format!("{flags} on {}: the operation has it in the input", name(operation)))
}
