//! What users call the arguments of a raised function: parameters of the function in C by position, `arg0`, and by name
//! where LLVM IR has it, and global variables by name.

use std::collections::BTreeSet;

use super::code::function::{Action, Source};
use super::code::ids::ValueId;
use super::code::operation::CastOp;
use super::read::reader::Reading;
use super::region::Argument;
use crate::llvm::ir::Function;
use crate::mlir::names::{ARGUMENT, GLOBAL, OTHER};

/// What an argument of a raised function is in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A parameter of the function, by its number in LLVM IR, with its name, which may be empty.
    Parameter { number: usize, name: String },
    /// A global variable.
    Global(String),
    /// Something else.
    Other,
}

/// What an argument of a raised function is in a clone.
pub fn origin(clone: Function<'_>, reading: &Reading<'_>, argument: &Argument) -> Origin {
    let value = match argument {
        Argument::Array(base, ..) => *base,
        // As it is, or made longer.
        Argument::Index(value) | Argument::Scalar(value) => narrow(reading, *value),
        Argument::Slot(_) | Argument::Table(..) => return Origin::Other,
    };
    let value = reading.values[value.0];
    if value.is_argument() {
        let number = clone.arguments().position(|parameter| parameter == value);
        return number.map_or(Origin::Other, |number| Origin::Parameter { number, name: value.name() });
    }
    if value.is_global_variable() { Origin::Global(value.name()) } else { Origin::Other }
}

/// The integer that a longer one was made from.
fn narrow(reading: &Reading<'_>, value: ValueId) -> ValueId {
    let Source::Computed(instruction) = &reading.code.values[value.0].source else { return value };
    match (&instruction.action, &instruction.operands[..]) {
        (Action::Cast(CastOp::SExt | CastOp::ZExt), [inner]) => *inner,
        _ => value,
    }
}

/// For each argument the name that it has in models, unlike all others, and other names that users may have for it. The
/// first `hidden` parameters in LLVM IR are none in C.
pub fn names(origins: &[Origin], hidden: usize) -> Vec<Vec<String>> {
    let mut taken = BTreeSet::new();
    let mut all = Vec::new();
    for (position, origin) in origins.iter().enumerate() {
        let (own, others) = match origin {
            Origin::Parameter { number, name } if *number >= hidden => {
                (format!("{ARGUMENT}{}", number - hidden), vec![name.clone()])
            }
            Origin::Global(name) => {
                let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
                // A variable of a function is `f.A` in LLVM IR.
                let short = name.rsplit('.').next().unwrap_or(name).to_owned();
                (format!("{GLOBAL}{}", name.chars().map(plain).collect::<String>()), vec![name.clone(), short])
            }
            Origin::Parameter { .. } | Origin::Other => (format!("{OTHER}{position}"), Vec::new()),
        };
        let is_new = taken.insert(own.clone());
        // A value that is there twice, as an array and a number.
        let own = if is_new { own } else { format!("{OTHER}{position}") };
        let mut names = vec![own];
        for other in others {
            if is_new && !other.is_empty() && !names.contains(&other) {
                names.push(other);
            }
        }
        all.push(names);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Origin, names};

    #[test]
    fn names_differ() {
        let parameter = |number, name: &str| Origin::Parameter { number, name: name.to_owned() };
        let global = |name: &str| Origin::Global(name.to_owned());
        let origins =
            [parameter(2, "A"), global("f.B"), global("f_B"), Origin::Other, parameter(1, ""), parameter(1, "")];
        let expected: [&[&str]; 6] =
            [&["arg1", "A"], &["global_f_B", "f.B", "B"], &["other2"], &["other3"], &["arg0"], &["other5"]];
        assert_eq!(names(&origins, 1), expected);
    }
}
