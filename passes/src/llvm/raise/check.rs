//! The function that says when the raised function does what the region does.
//!
//! It computes in 128 bits, where nothing of what follows wraps around as long as it matters: values have at most 64 bits,
//! extents 31, and larger coefficients are refused. Operations that wrap around otherwise give a number, no poison, and
//! another part of the check fails then.

use polyrs_core::isl;

use super::arrays::{Array, Arrays, is_narrow};
use super::body::type_of;
use super::code::ValueId;
use super::emit::array_name;
use super::facts::{Facts, value_of};
use super::polynomial::{Polynomial, Symbol};
use super::refusal::{Reason, Step};
use super::text::index_name;

/// Larger coefficients are refused.
const COEFFICIENT: u64 = 1 << 40;
/// A row of an array of parametric extents.
const ROW: i128 = 1 << 40;
/// The values that a stride may be a product of.
const VALUES: usize = 2;
/// The bytes of an array.
const BYTES: i128 = 1 << 60;

/// The check of a region.
pub struct Check {
    /// The operations of the function's body; `%holds` is its result.
    pub text: String,
    /// The values that it takes as indices.
    pub indices: Vec<ValueId>,
}

/// Writes the check of a region; nothing if there is nothing to check. `apart` says of two arrays whether they are known not
/// to overlap.
///
/// # Errors
/// [`Reason::Overlap`] if arrays may overlap and no bounds are known; [`Reason::Exhausted`] if numbers are too large.
pub fn check(
    facts: &Facts,
    arrays: &Arrays,
    range: &impl Fn(ValueId) -> Option<(i64, i64)>,
    apart: &impl Fn(&Array, &Array) -> bool,
) -> Step<Option<Check>> {
    let mut writer = Writer::default();
    writer.bad(facts)?;
    for (number, array) in arrays.all.iter().enumerate() {
        if array.may_wrap {
            writer.extent(array, range)?;
        }
        for (other, earlier) in arrays.all[..number].iter().enumerate() {
            if (array.written || earlier.written) && !apart(earlier, array) {
                writer.apart((other, earlier), (number, array), range)?;
            }
        }
    }
    let Some(holds) = writer.conjunction() else { return Ok(None) };
    let text = writer.text.replace(&format!("{holds} ="), "%holds =");
    writer.indices.sort_unstable();
    writer.indices.dedup();
    Ok(Some(Check { text, indices: writer.indices }))
}

#[derive(Default)]
struct Writer {
    text: String,
    fresh: usize,
    indices: Vec<ValueId>,
    /// What has to hold.
    conditions: Vec<String>,
}

impl Writer {
    fn operation(&mut self, text: &str) -> String {
        self.fresh += 1;
        let name = format!("%x{}", self.fresh);
        self.text += &format!("    {name} = {text}\n");
        name
    }

    fn wide(&mut self, operation: &str, left: &str, right: &str) -> String {
        self.operation(&format!("arith.{operation} {left}, {right} : i128"))
    }

    fn compare(&mut self, predicate: &str, left: &str, right: &str) -> String {
        self.operation(&format!("arith.cmpi {predicate}, {left}, {right} : i128"))
    }

    fn bit(&mut self, operation: &str, left: &str, right: &str) -> String {
        self.operation(&format!("arith.{operation} {left}, {right} : i1"))
    }

    fn number(&mut self, value: i128) -> String {
        self.operation(&format!("arith.constant {value} : i128"))
    }

    fn value(&mut self, value: ValueId) -> String {
        self.indices.push(value);
        self.operation(&format!("arith.index_cast {} : index to i128", index_name(value)))
    }

    fn polynomial(&mut self, polynomial: &Polynomial) -> String {
        let mut sum: Option<String> = None;
        let terms: Vec<_> = polynomial.terms().map(|(monomial, coefficient)| (monomial.clone(), coefficient)).collect();
        for (monomial, coefficient) in terms {
            let mut product = (coefficient != 1 || monomial.is_empty()).then(|| self.number(coefficient));
            for symbol in monomial {
                let Symbol::Value(value) = symbol else { continue };
                let factor = self.value(value);
                product = Some(match product {
                    Some(product) => self.wide("muli", &product, &factor),
                    None => factor,
                });
            }
            sum = match (sum, product) {
                (Some(sum), Some(product)) => Some(self.wide("addi", &sum, &product)),
                (sum, product) => sum.or(product),
            };
        }
        sum.unwrap_or_else(|| self.number(0))
    }

    /// The values from outside are none of those for which the original has to run.
    fn bad(&mut self, facts: &Facts) -> Step<()> {
        for piece in facts.simple_bad()?.basic_set_list()?.to_vec()? {
            if piece.is_empty()? {
                continue;
            }
            let names = piece.clone().to_set()?.space()?.dim_names(isl::DimType::Param)?;
            let rows = piece.constraint_rows()?.ok_or_else(too_large)?;
            let mut outside: Option<String> = None;
            let equal = rows.equalities.iter().map(|row| (row, "ne"));
            for (row, predicate) in equal.chain(rows.inequalities.iter().map(|row| (row, "slt"))) {
                let mut polynomial = Polynomial::constant(i128::from(row[0]));
                for (name, coefficient) in names.iter().zip(&row[1..]) {
                    if coefficient.unsigned_abs() > COEFFICIENT {
                        return Err(too_large());
                    }
                    let value = value_of(name).ok_or(Reason::NotAffine)?;
                    let part = Polynomial::product(vec![Symbol::Value(value)], i128::from(*coefficient));
                    polynomial = polynomial.add(&part).ok_or_else(too_large)?;
                }
                let left = self.polynomial(&polynomial);
                let zero = self.number(0);
                let fails = self.compare(predicate, &left, &zero);
                outside = Some(match outside {
                    Some(other) => self.bit("ori", &other, &fails),
                    None => fails,
                });
            }
            match outside {
                Some(outside) => self.conditions.push(outside),
                None => return Err(Reason::Wraps),
            }
        }
        Ok(())
    }

    /// The least row, or the one behind the greatest, that is accessed: a bound of it.
    fn row(&mut self, array: &Array, last: bool) -> Step<String> {
        let bounds = if last { &array.most } else { &array.least };
        let mut best: Option<String> = None;
        for (divisor, polynomial) in bounds {
            let whole = self.polynomial(polynomial);
            let mut bound = whole;
            if *divisor != 1 {
                // Division rounds towards zero: one more, or less, is on the safe side.
                let divisor = self.number(*divisor);
                bound = self.wide("divsi", &bound, &divisor);
            }
            let margin = i128::from(*divisor != 1) * if last { 1 } else { -1 } + i128::from(last);
            if margin != 0 {
                let margin = self.number(margin);
                bound = self.wide("addi", &bound, &margin);
            }
            best = Some(match best {
                Some(other) => self.wide(if last { "minsi" } else { "maxsi" }, &other, &bound),
                None => bound,
            });
        }
        best.ok_or(Reason::Overlap)
    }

    /// The bytes from the start of an array to its least row, and behind its greatest one.
    fn bytes(&mut self, array: &Array, range: &impl Fn(ValueId) -> Option<(i64, i64)>) -> Step<(String, String)> {
        if array.strides[0].values.len() > VALUES {
            return Err(too_large());
        }
        let (first, end) = (self.row(array, false)?, self.row(array, true)?);
        if !array.strides[0].values.is_empty() && !is_narrow(&array.least, &array.most, range) {
            for (row, predicate) in [(&first, "sge"), (&end, "sle")] {
                let limit = self.number(if predicate == "sge" { -ROW } else { ROW });
                let holds = self.compare(predicate, row, &limit);
                self.conditions.push(holds);
            }
        }
        let size = array.element.bytes().ok_or(Reason::Type)?;
        let stride = array.strides[0].polynomial()?.scale(i128::from(size)).ok_or_else(too_large)?;
        let stride = self.polynomial(&stride);
        Ok((self.wide("muli", &first, &stride), self.wide("muli", &end, &stride)))
    }

    /// The offsets of an array's elements are exact.
    fn extent(&mut self, array: &Array, range: &impl Fn(ValueId) -> Option<(i64, i64)>) -> Step<()> {
        let (first, end) = self.bytes(array, range)?;
        let limits = [(first, "sge", -BYTES), (end, "sle", BYTES)];
        for (bytes, predicate, limit) in limits {
            let limit = self.number(limit);
            let holds = self.compare(predicate, &bytes, &limit);
            self.conditions.push(holds);
        }
        Ok(())
    }

    /// Two arrays do not overlap.
    fn apart(
        &mut self,
        one: (usize, &Array),
        other: (usize, &Array),
        range: &impl Fn(ValueId) -> Option<(i64, i64)>,
    ) -> Step<()> {
        let mut ends = Vec::new();
        for (number, array) in [one, other] {
            let kind = type_of(array)?;
            let name = array_name(number);
            let start = self.operation(&format!("memref.extract_aligned_pointer_as_index {name} : {kind} -> index"));
            let start = self.operation(&format!("arith.index_castui {start} : index to i128"));
            let (first, end) = self.bytes(array, range)?;
            ends.push((self.wide("addi", &start, &first), self.wide("addi", &start, &end)));
        }
        let before = self.compare("sle", &ends[0].1.clone(), &ends[1].0.clone());
        let behind = self.compare("sle", &ends[1].1.clone(), &ends[0].0.clone());
        let apart = self.bit("ori", &before, &behind);
        self.conditions.push(apart);
        Ok(())
    }

    fn conjunction(&mut self) -> Option<String> {
        let mut all: Option<String> = None;
        for condition in std::mem::take(&mut self.conditions) {
            all = Some(match all {
                Some(others) => self.bit("andi", &others, &condition),
                None => condition,
            });
        }
        all
    }
}

fn too_large() -> Reason {
    Reason::Exhausted("a number in a condition is too large".to_owned())
}
