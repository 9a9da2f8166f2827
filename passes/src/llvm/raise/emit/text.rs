//! Affine expressions in MLIR's notation.

use crate::llvm::raise::affine::condition::Condition;
use crate::llvm::raise::affine::polynomial::{Dim, Polynomial, Symbol};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::code::scev::Bound;
use crate::llvm::raise::delinearize::arrays::Array;
use crate::llvm::raise::refusal::{Reason, Step};

/// A text as MLIR's strings and quoted names have it: only quotes, backslashes and control characters are escaped.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            // All of them are below 0x80, one byte each.
            _ if character.is_ascii_control() => quoted += &format!("\\{:02X}", u32::from(character)),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// The name of a dimension.
pub fn dim_name(dim: Dim) -> String {
    match dim {
        Dim::Loop(number) => format!("%i{}", number.0),
        Dim::Bulk { access, level } => format!("%e{access}_{level}"),
        // They are gone before anything is written.
        Dim::Max(number) => format!("%m{}", number.0),
        Dim::Subscript(position) => format!("%x{position}"),
        Dim::Greatest => "%g".to_owned(),
    }
}

/// The name of a value from outside as an index.
pub fn index_name(value: ValueId) -> String {
    format!("%v{}", value.0)
}

/// The name of a value from outside as it is.
pub fn scalar_name(value: ValueId) -> String {
    format!("%s{}", value.0)
}

/// The name of the slot that a value is stored to for the code behind the region.
pub fn slot_name(value: ValueId) -> String {
    format!("%o{}", value.0)
}

/// The name of an array.
pub fn array_name(number: usize) -> String {
    format!("%a{number}")
}

/// The name of the address of a table's pointer to row zero.
pub fn table_name(number: usize) -> String {
    format!("%p{number}")
}

/// The type of an array.
pub fn array_type(array: &Array) -> Step<String> {
    let mut text = "memref<?x".to_owned();
    for extent in &array.extents {
        text += &if extent.values.is_empty() { format!("{}x", extent.factor) } else { "?x".to_owned() };
    }
    Ok(text + &array.element.text().ok_or(Reason::Type)? + ">")
}

fn symbol_name(symbol: Symbol) -> String {
    match symbol {
        Symbol::Dim(dim) => dim_name(dim),
        Symbol::Value(value) => index_name(value),
        Symbol::Sum(value, more) => format!("({} + {more})", index_name(value)),
    }
}

/// An affine polynomial over names; nothing if it is not affine, or a number in it does not fit 64 bits.
pub fn expression(polynomial: &Polynomial, name: &impl Fn(Symbol) -> String) -> Option<String> {
    let mut text = String::new();
    // Variables first, as people write it.
    let (numbers, products): (Vec<_>, Vec<_>) = polynomial.terms().partition(|(monomial, _)| monomial.is_empty());
    for (monomial, coefficient) in products.into_iter().chain(numbers) {
        let coefficient = i64::try_from(coefficient).ok()?;
        let size = coefficient.unsigned_abs();
        let part = match monomial[..] {
            [] => size.to_string(),
            [symbol] if size == 1 => name(symbol),
            [symbol] => format!("{} * {size}", name(symbol)),
            _ => return None,
        };
        text = match (text.is_empty(), coefficient < 0) {
            (true, false) => part,
            (true, true) if monomial.is_empty() => format!("-{part}"),
            (true, true) => format!("-({part})"),
            (false, false) => format!("{text} + {part}"),
            (false, true) => format!("{text} - {part}"),
        };
    }
    Some(if text.is_empty() { "0".to_owned() } else { text })
}

/// An affine polynomial as a subscript.
pub fn subscript(polynomial: &Polynomial) -> Option<String> {
    expression(polynomial, &symbol_name)
}

/// The symbols of polynomials, each once, and for each its name as a dimension.
fn dimensions<'a>(all: impl Iterator<Item = &'a Polynomial>) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    for symbol in all.flat_map(Polynomial::symbols) {
        if !found.contains(&symbol) {
            found.push(symbol);
        }
    }
    found
}

/// Dimensions, and the values that they stand for.
fn heads(symbols: &[Symbol]) -> (String, String) {
    let dimensions: Vec<String> = (0..symbols.len()).map(|position| format!("d{position}")).collect();
    let operands: Vec<String> = symbols.iter().map(|symbol| symbol_name(*symbol)).collect();
    (dimensions.join(", "), operands.join(", "))
}

fn numbered(symbols: &[Symbol], symbol: Symbol) -> String {
    let position = symbols.iter().position(|known| *known == symbol).unwrap_or(usize::MAX);
    format!("d{position}")
}

/// Affine polynomials as a bound or the argument of `affine.apply`: a map with operands.
pub fn map(polynomials: &[Polynomial]) -> Option<String> {
    let symbols = dimensions(polynomials.iter());
    let name = |symbol| numbered(&symbols, symbol);
    let results = polynomials.iter().map(|polynomial| expression(polynomial, &name)).collect::<Option<Vec<_>>>()?;
    let (dimensions, operands) = heads(&symbols);
    Some(format!("affine_map<({dimensions}) -> ({})>({operands})", results.join(", ")))
}

/// An affine polynomial as the bound of a loop.
pub fn bound(polynomial: &Polynomial) -> Option<String> {
    match polynomial.as_constant() {
        Some(value) => i64::try_from(value).ok().map(|value| value.to_string()),
        None => map(std::slice::from_ref(polynomial)),
    }
}

/// The least of affine polynomials as the upper bound of a loop, or the greatest as the lower one.
pub fn bounds(polynomials: &[Polynomial], which: Bound) -> Option<String> {
    let name = match which {
        Bound::Upper => "min",
        Bound::Lower => "max",
    };
    match polynomials {
        [one] => bound(one),
        several => map(several).map(|map| format!("{name} {map}")),
    }
}

/// The constraints of a condition, not negated, as a set with operands.
pub fn set(condition: &Condition) -> Option<String> {
    let symbols = dimensions(condition.constraints.iter().map(|constraint| &constraint.polynomial));
    let mut texts = Vec::new();
    for constraint in &condition.constraints {
        let left = expression(&constraint.polynomial, &|symbol| numbered(&symbols, symbol))?;
        texts.push(format!("{left} {} 0", if constraint.equal { "==" } else { ">=" }));
    }
    if texts.is_empty() {
        texts.push("0 == 0".to_owned());
    }
    let (dimensions, operands) = heads(&symbols);
    Some(format!("affine_set<({dimensions}) : ({})>({operands})", texts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::raise::affine::assumptions::Constraint;
    use crate::llvm::raise::code::ids::LoopId;

    fn difference() -> Polynomial {
        // 2 n - i - 1
        let two = Polynomial::product(vec![Symbol::Value(ValueId(4))], 2);
        let rest = Polynomial::symbol(Symbol::Dim(Dim::Loop(LoopId(1)))).add(&Polynomial::constant(1)).unwrap();
        two.sub(&rest).unwrap()
    }

    #[test]
    fn maps_name_their_operands() {
        let text = map(&[difference()]).unwrap();
        assert_eq!(text, "affine_map<(d0, d1) -> (-(d0) + d1 * 2 - 1)>(%i1, %v4)");
        let several = [difference(), Polynomial::constant(5)];
        assert!(bounds(&several, Bound::Upper).unwrap().starts_with("min affine_map<"));
        assert!(bounds(&several, Bound::Lower).unwrap().starts_with("max affine_map<"));
        assert_eq!(bounds(&several[1..], Bound::Lower).unwrap(), "5");
        assert_eq!(map(&[Polynomial::constant(-3)]).unwrap(), "affine_map<() -> (-3)>()");
        assert_eq!(subscript(&difference()).unwrap(), "-(%i1) + %v4 * 2 - 1");
    }

    #[test]
    fn only_what_must_be_is_escaped() {
        assert_eq!(quoted("f.poly.0"), "\"f.poly.0\"");
        assert_eq!(quoted("a\"b\\c\nd's é"), "\"a\\\"b\\\\c\\0Ad's é\"");
    }

    #[test]
    fn sets_share_operands() {
        let constraints = vec![
            Constraint::at_least_zero(difference()),
            Constraint { polynomial: Polynomial::symbol(Symbol::Value(ValueId(4))), equal: true },
        ];
        let text = set(&Condition { constraints, negated: false }).unwrap();
        assert_eq!(text, "affine_set<(d0, d1) : (-(d0) + d1 * 2 - 1 >= 0, d1 == 0)>(%i1, %v4)");
        let always = Condition { constraints: Vec::new(), negated: false };
        assert_eq!(set(&always).unwrap(), "affine_set<() : (0 == 0)>()");
    }
}
