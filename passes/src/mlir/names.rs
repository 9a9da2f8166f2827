//! What the arguments of a function are called in models, in dumps and in maps of layouts.
//!
//! `arg0` is the first argument. A function that was raised from LLVM IR may say in an attribute what its arguments were
//! there, for each the name that it has in the model and others that people may use for it:
//!
//! ```mlir
//! polyrs.names = [["arg1", "A"], ["global_B", "B"], ["arg0", "n"]]
//! ```

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::attribute::StringAttribute;
use melior::ir::{Attribute, OperationRef};
use mlir_sys::mlirStringAttrGetValue;

use super::ir::operation::{arguments, attribute, only_block};
use super::lower::facts::elements;

/// The attribute of functions that says what their arguments are called.
pub const NAMES: &str = "polyrs.names";

/// The attribute of a function that was raised from one of several regions of a function.
pub const PART: &str = "polyrs.part";

/// The beginnings of names in the attribute: nothing else in a model is called so.
pub const ARGUMENT: &str = "arg";
/// Of globals.
pub const GLOBAL: &str = "global_";
/// Of what has no name in the source.
pub const OTHER: &str = "other";

/// The names of a function's arguments.
#[derive(Debug, Default)]
pub struct Names {
    own: Vec<String>,
    /// Other names, and those of the model that they stand for.
    pub aliases: BTreeMap<String, String>,
}

impl Names {
    /// The names that a function's attribute says; those by number if there is none, or it does not fit the function.
    pub fn of(function: OperationRef<'_, '_>) -> Self {
        let Some(all) = attribute(function, NAMES).map(elements) else { return Self::default() };
        let all: Vec<Vec<String>> = all.into_iter().map(|names| elements(names).iter().map(text).collect()).collect();
        let own: Vec<String> = all.iter().filter_map(|names| names.first().cloned()).collect();
        let distinct: BTreeSet<&String> = own.iter().collect();
        let count = only_block(function, 0).map(|entry| arguments(entry).len());
        if count != Some(own.len()) || distinct.len() != own.len() || !own.iter().all(|name| is_plain(name)) {
            return Self::default();
        }
        let mut aliases: BTreeMap<String, Option<String>> = BTreeMap::new();
        for names in &all {
            let is_free = |other: &&String| !distinct.contains(other) && !is_reserved(other);
            for other in names.iter().skip(1).filter(is_free) {
                // A name of two arguments is that of none.
                aliases
                    .entry(other.clone())
                    .and_modify(|known| *known = None)
                    .or_insert_with(|| Some(names[0].clone()));
            }
        }
        let aliases = aliases.into_iter().filter_map(|(other, name)| Some((other, name?))).collect();
        Self { own, aliases }
    }

    /// The name of an argument.
    pub fn argument(&self, number: usize) -> String {
        self.own.get(number).cloned().unwrap_or_else(|| format!("{ARGUMENT}{number}"))
    }

    /// Whether an argument has a name that the attribute says.
    pub fn has(&self, name: &str) -> bool {
        self.own.iter().any(|own| own == name)
    }
}

/// A name that stands for a position, in whatever region.
fn is_reserved(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit());
    [ARGUMENT, OTHER].into_iter().any(|start| name.strip_prefix(start).is_some_and(is_number))
}

/// A name that a model may use as it is.
fn is_plain(name: &str) -> bool {
    [ARGUMENT, GLOBAL, OTHER].into_iter().any(|start| name.starts_with(start))
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The text of a string attribute, with what is not UTF-8 replaced; empty for other attributes.
pub fn text(attribute: &Attribute<'_>) -> String {
    let Ok(attribute) = StringAttribute::try_from(*attribute) else { return String::new() };
    // SAFETY: a string attribute that is alive.
    let value = unsafe { mlirStringAttrGetValue(melior::ir::AttributeLike::to_raw(&attribute)) };
    if value.length == 0 {
        return String::new();
    }
    // SAFETY: the attribute holds so many bytes, as long as its context lives.
    let bytes = unsafe { std::slice::from_raw_parts(value.data.cast::<u8>(), value.length) };
    String::from_utf8_lossy(bytes).into_owned()
}
