//! The function that says when the raised function does what the region does.
//!
//! It computes in 128 bits, where nothing of what follows wraps around as long as it matters: values have at most 64
//! bits, extents 31, and larger coefficients are refused. Operations that wrap around otherwise give a number, no
//! poison, and another part of the check fails then.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use polyrs_core::isl::Set;

use super::text::{array_name, array_type, index_name, table_name};
use crate::llvm::raise::affine::assumptions::Assumptions;
use crate::llvm::raise::affine::polynomial::{Monomial, Polynomial, Symbol};
use crate::llvm::raise::affine::sets;
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::delinearize::arrays::{Array, Arrays, ROWS};
use crate::llvm::raise::delinearize::footprint::{Bound, Corner, End, Footprint, RangeOf, interval, last_of};
use crate::llvm::raise::delinearize::limits::Limited;
use crate::llvm::raise::delinearize::numbers::Numbers;
use crate::llvm::raise::delinearize::shape::Stride;
use crate::llvm::raise::refusal::{Reason, Step};

/// Larger coefficients are refused.
const COEFFICIENT: u64 = 1 << 40;
/// The values that a stride may be a product of.
const VALUES: usize = 2;
/// The bytes of a stride, but for the values that it is a product of.
const STRIDE: i128 = 1 << 20;
/// The bytes of a stride that is constant.
const CONSTANT_STRIDE: i128 = 1 << 62;
/// The greatest dividend.
const DIVIDEND: i128 = 1 << 62;
/// The bytes of an array.
const BYTES: i128 = 1 << 60;
/// The addresses that there are.
const ADDRESSES: i128 = 1 << 64;
/// Where an array ends and starts of which nothing is accessed.
const FAR: i128 = 1 << 126;

/// The check of a region.
pub struct RuntimeCheck {
    /// The operations of the function's body; `%holds` is its result.
    pub text: String,
    /// The values that it takes as indices.
    pub indices: Vec<ValueId>,
    /// What it makes sure of, for people.
    pub assured: Vec<&'static str>,
}

/// The elements of an array that are accessed.
#[derive(Clone, Copy)]
struct Elements<'a> {
    /// The bytes of one.
    size: i128,
    extents: &'a [Stride],
    strides: &'a [Stride],
    footprint: &'a Footprint,
}

impl<'a> Elements<'a> {
    fn of(array: &'a Array) -> Step<Self> {
        let size = i128::from(array.element.bytes().ok_or(Reason::Type)?);
        Ok(Self { size, extents: &array.extents, strides: &array.strides, footprint: &array.footprint })
    }

    fn of_numbers(Numbers { extents, strides, footprint }: &'a Numbers) -> Self {
        Self { size: 1, extents, strides, footprint }
    }
}

/// Writes the check of a region; nothing if there is nothing to check. All that is limited is below its limit. `tables` are those of pointers to rows, `apart`
/// says of two arrays whether they are known not to overlap.
///
/// # Errors
/// [`Reason::Overlap`] if arrays may overlap and no bounds are known; [`Reason::Exhausted`] if numbers are too large.
pub fn runtime_check(
    assumptions: &Assumptions,
    arrays: &Arrays,
    (limits, tables): (&[Limited], &[Array]),
    range: RangeOf<'_>,
    apart: &impl Fn(&Array, &Array) -> bool,
) -> Step<Option<RuntimeCheck>> {
    let mut writer = Writer::default();
    writer.invalid_context(assumptions.simple_invalid_context()?)?;
    let mut assured = Vec::new();
    writer.note(&mut assured, "sizes and offsets are in the range that the loops need, and no number wraps around");
    for (number, array) in arrays.all.iter().enumerate() {
        if array.may_wrap || array.reach.is_some() {
            writer.offsets(array, range)?;
        }
        for part in &array.parts {
            let limit = part.most.checked_add(1).ok_or_else(too_large)?;
            writer.ends_within(Elements::of_numbers(&part.numbers), limit, range)?;
        }
        writer.note(&mut assured, "subscripts do not leave their arrays or wrap around");
        for (other, earlier) in arrays.all[..number].iter().enumerate() {
            if (array.written || earlier.written) && !apart(earlier, array) {
                let ends = [writer.ends(other, earlier, range)?, writer.ends(number, array, range)?];
                writer.apart(&ends);
            }
        }
        writer.note(&mut assured, "arrays do not overlap");
    }
    for (number, array) in arrays.all.iter().enumerate().filter(|(_, array)| array.written) {
        for (other, table) in tables.iter().enumerate() {
            let ends = [writer.ends_of_table(other, table, range)?, writer.ends(number, array, range)?];
            writer.apart(&ends);
        }
    }
    writer.note(&mut assured, "nothing is written to tables of pointers to rows");
    limits.iter().try_for_each(|limited| writer.limit(limited, range))?;
    writer.note(&mut assured, "no error happens that the program looks for in the loops");
    let Some(holds) = writer.conjunction() else { return Ok(None) };
    let text = writer.text.replace(&format!("{holds} ="), "%holds =");
    writer.indices.sort_unstable();
    writer.indices.dedup();
    Ok(Some(RuntimeCheck { text, indices: writer.indices, assured }))
}

/// The operations of a function that computes in 128 bits.
#[derive(Default)]
pub struct Writer {
    /// They.
    pub text: String,
    /// The names of operations' results.
    known: BTreeMap<String, String>,
    /// The values that they take as indices.
    pub indices: Vec<ValueId>,
    /// The conditions that have to hold.
    pub conditions: Vec<String>,
    /// So many of them are told.
    told: usize,
}

/// Where an array starts and ends of which something is accessed, as addresses.
type Ends = (String, String);

impl Writer {
    /// Notes what the conditions since the last call make sure of, if there are some.
    fn note(&mut self, assured: &mut Vec<&'static str>, what: &'static str) {
        if self.conditions.len() > self.told && !assured.contains(&what) {
            assured.push(what);
        }
        self.told = self.conditions.len();
    }

    /// The result of an operation, which is written once.
    pub fn operation(&mut self, text: &str) -> String {
        let name = format!("%x{}", self.known.len() + 1);
        match self.known.entry(text.to_owned()) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(fresh) => {
                self.text += &format!("    {name} = {text}\n");
                fresh.insert(name).clone()
            }
        }
    }

    /// The result of an operation on two numbers.
    pub fn wide(&mut self, operation: &str, left: &str, right: &str) -> String {
        self.operation(&format!("arith.{operation} {left}, {right} : i128"))
    }

    /// Whether two numbers are as a predicate says.
    pub fn compare(&mut self, predicate: &str, left: &str, right: &str) -> String {
        self.operation(&format!("arith.cmpi {predicate}, {left}, {right} : i128"))
    }

    fn bit(&mut self, operation: &str, left: &str, right: &str) -> String {
        self.operation(&format!("arith.{operation} {left}, {right} : i1"))
    }

    /// A constant.
    pub fn number(&mut self, value: i128) -> String {
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

    /// The values from outside are none of those for which the original has to run: `[v] -> { : }`
    ///
    /// # Errors
    /// [`Reason::Wraps`] if those are all; [`Reason::Exhausted`] if numbers are too large.
    pub fn invalid_context(&mut self, invalid: Set) -> Step<()> {
        for piece in invalid.basic_set_list()?.to_vec()? {
            if piece.is_empty()? {
                continue;
            }
            let values = sets::values(&piece.clone().to_set()?)?;
            let rows = piece.constraint_rows()?.ok_or_else(too_large)?;
            let mut outside: Option<String> = None;
            let equal = rows.equalities.iter().map(|row| (row, "ne"));
            for (row, predicate) in equal.chain(rows.inequalities.iter().map(|row| (row, "slt"))) {
                let mut polynomial = Polynomial::constant(i128::from(row[0]));
                for (value, coefficient) in values.iter().zip(&row[1..]) {
                    if coefficient.unsigned_abs() > COEFFICIENT {
                        return Err(too_large());
                    }
                    let part = Polynomial::product(vec![Symbol::Value(*value)], i128::from(*coefficient));
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

    /// The condition that a corner is one of elements that are accessed; nothing if that is known.
    fn is_accessed(&mut self, corner: &Corner, range: RangeOf<'_>) -> Step<Option<String>> {
        let mut all: Option<String> = None;
        for condition in &corner.conditions {
            // Without a condition, elements may be taken for accessed that are not.
            let is_known = interval(condition, range).is_some_and(|(least, _)| least >= 0);
            if is_known || check_size(condition).is_err() {
                continue;
            }
            let (value, zero) = (self.polynomial(condition), self.number(0));
            let holds = self.compare("sge", &value, &zero);
            all = Some(match all {
                Some(others) => self.bit("andi", &others, &holds),
                None => holds,
            });
        }
        Ok(all)
    }

    /// A condition that has to hold only if another one does.
    fn require(&mut self, only_if: Option<&String>, holds: String) {
        let holds = match only_if {
            Some(condition) => {
                let truth = self.operation("arith.constant true");
                let not = self.bit("xori", condition, &truth);
                self.bit("ori", &not, &holds)
            }
            None => holds,
        };
        self.conditions.push(holds);
    }

    /// A bound on a subscript, given those before it.
    fn bound(&mut self, bound: &Bound, end: End, outer: &[String], when: Option<&String>) -> Step<String> {
        check_size(&bound.values)?;
        let mut sum = self.polynomial(&bound.values);
        for (coefficient, subscript) in bound.outer.iter().zip(outer).filter(|(coefficient, _)| **coefficient != 0) {
            if coefficient.unsigned_abs() > u128::from(COEFFICIENT) {
                return Err(too_large());
            }
            let factor = self.number(*coefficient);
            let product = self.wide("muli", &factor, subscript);
            sum = self.wide("addi", &sum, &product);
        }
        if bound.divisor == 1 {
            return Ok(sum);
        }
        // Subscripts are not negative: rounded towards zero is rounded down, or there is no element.
        if end == End::Least {
            let more = self.number(bound.divisor - 1);
            sum = self.wide("addi", &sum, &more);
        }
        // Division of 128 bits would be a call.
        for (predicate, limit) in [("sge", -DIVIDEND), ("sle", DIVIDEND)] {
            let limit = self.number(limit);
            let holds = self.compare(predicate, &sum, &limit);
            self.require(when, holds);
        }
        let narrow = self.operation(&format!("arith.trunci {sum} : i128 to i64"));
        let divisor = self.operation(&format!("arith.constant {} : i64", bound.divisor));
        let quotient = self.operation(&format!("arith.divsi {narrow}, {divisor} : i64"));
        Ok(self.operation(&format!("arith.extsi {quotient} : i64 to i128")))
    }

    /// The subscripts of a corner.
    fn subscripts(
        &mut self,
        elements: Elements<'_>,
        corner: &Corner,
        end: End,
        when: Option<&String>,
        range: RangeOf<'_>,
    ) -> Step<Vec<String>> {
        let tighter = if end == End::Least { "maxsi" } else { "minsi" };
        let mut found: Vec<String> = Vec::new();
        for (position, bounds) in corner.subscripts.iter().enumerate() {
            let mut best: Option<String> = None;
            for bound in bounds {
                let value = self.bound(bound, end, &found, when)?;
                best = Some(match best {
                    Some(other) => self.wide(tighter, &other, &value),
                    None => value,
                });
            }
            let mut best = best.ok_or(Reason::Overlap)?;
            if end == End::Least && bounds.iter().any(|bound| bound.divisor != 1) {
                let zero = self.number(0);
                best = self.wide("maxsi", &best, &zero);
            }
            match position.checked_sub(1) {
                // There may be no element with the subscripts before this one. Then it is in another row, further in.
                Some(inner) if !is_within(bounds, &elements.extents[inner])? => {
                    let (looser, limit) = match end {
                        End::Least => ("minsi", self.polynomial(&last_of(&elements.extents[inner])?)),
                        End::Most => ("maxsi", self.number(0)),
                    };
                    best = self.wide(looser, &best, &limit);
                }
                None if end == End::Most && corner.last_row(range).is_none_or(|row| row > ROWS) => {
                    let limit = self.number(ROWS);
                    let holds = self.compare("sle", &best, &limit);
                    self.require(when, holds);
                }
                _ => {}
            }
            found.push(best);
        }
        Ok(found)
    }

    /// The bytes from the start of an array to its least element, or behind its greatest one. Where nothing is
    /// accessed, far behind all others, or before them.
    ///
    /// # Errors
    /// [`Reason::Overlap`] if no bounds are known; [`Reason::Exhausted`] if numbers are too large.
    fn extreme(&mut self, elements: Elements<'_>, end: End, range: RangeOf<'_>) -> Step<String> {
        let Elements { size, footprint, .. } = elements;
        let (corners, closest, nothing) = match end {
            End::Least => (&footprint.least, "minsi", FAR),
            End::Most => (&footprint.most, "maxsi", -FAR),
        };
        let mut best: Option<String> = None;
        for corner in corners {
            let accessed = self.is_accessed(corner, range)?;
            let subscripts = self.subscripts(elements, corner, end, accessed.as_ref(), range)?;
            let mut bytes = self.number(if end == End::Most { size } else { 0 });
            for (subscript, stride) in subscripts.iter().zip(elements.strides) {
                let limit = if stride.values.is_empty() { CONSTANT_STRIDE } else { STRIDE };
                if stride.values.len() > VALUES || stride.factor > limit / size {
                    return Err(too_large());
                }
                let stride = self.polynomial(&stride.polynomial()?.scale(size).ok_or_else(too_large)?);
                let part = self.wide("muli", subscript, &stride);
                bytes = self.wide("addi", &bytes, &part);
            }
            if let Some(accessed) = accessed {
                let nothing = self.number(nothing);
                bytes = self.operation(&format!("arith.select {accessed}, {bytes}, {nothing} : i128"));
            }
            best = Some(match best {
                Some(other) => self.wide(closest, &other, &bytes),
                None => bytes,
            });
        }
        Ok(best.unwrap_or_else(|| self.number(nothing)))
    }

    /// The offsets of an array's elements are exact, and so are subscripts of fewer bits.
    fn offsets(&mut self, array: &Array, range: RangeOf<'_>) -> Step<()> {
        let elements = Elements::of(array)?;
        let limit = array.reach.map_or(BYTES, |reach| BYTES.min(reach.saturating_add(elements.size)));
        self.ends_within(elements, limit, range)
    }

    /// The end of what is accessed is so many bytes from the start at most.
    fn ends_within(&mut self, elements: Elements<'_>, limit: i128, range: RangeOf<'_>) -> Step<()> {
        let (end, limit) = (self.extreme(elements, End::Most, range)?, self.number(limit));
        let holds = self.compare("sle", &end, &limit);
        self.conditions.push(holds);
        Ok(())
    }

    /// Numbers are less than their limit.
    fn limit(&mut self, limited: &Limited, range: RangeOf<'_>) -> Step<()> {
        check_size(&limited.limit)?;
        let behind = self.extreme(Elements::of_numbers(&limited.numbers), End::Most, range)?;
        let limit = self.polynomial(&limited.limit);
        let holds = self.compare("sle", &behind, &limit);
        self.conditions.push(holds);
        Ok(())
    }

    /// Where an array starts and ends.
    fn ends(&mut self, number: usize, array: &Array, range: RangeOf<'_>) -> Step<Ends> {
        let (name, kind) = (array_name(number), array_type(array)?);
        let start = self.operation(&format!("memref.extract_aligned_pointer_as_index {name} : {kind} -> index"));
        self.ends_behind(&start, array, range)
    }

    /// Where a table of pointers to rows starts and ends.
    ///
    /// # Errors
    /// As of [`Writer::extreme`].
    pub fn ends_of_table(&mut self, number: usize, table: &Array, range: RangeOf<'_>) -> Step<Ends> {
        self.ends_behind(&table_name(number), table, range)
    }

    /// The same, given the address of element zero.
    fn ends_behind(&mut self, start: &str, array: &Array, range: RangeOf<'_>) -> Step<Ends> {
        let start = self.operation(&format!("arith.index_castui {start} : index to i128"));
        let elements = Elements::of(array)?;
        let first = self.extreme(elements, End::Least, range)?;
        let end = self.extreme(elements, End::Most, range)?;
        let (first, end) = (self.wide("addi", &start, &first), self.wide("addi", &start, &end));
        if !array.exact {
            // Addresses are computed modulo 2^64, and compared as they are.
            let limit = self.number(ADDRESSES);
            let holds = self.compare("sle", &end, &limit);
            self.conditions.push(holds);
        }
        Ok((first, end))
    }

    /// Two arrays do not overlap.
    fn apart(&mut self, [one, other]: &[Ends; 2]) {
        let before = self.compare("sle", &one.1, &other.0);
        let behind = self.compare("sle", &other.1, &one.0);
        let apart = self.bit("ori", &before, &behind);
        self.conditions.push(apart);
    }

    /// All conditions as one; nothing if there is none.
    pub fn conjunction(&mut self) -> Option<String> {
        let mut all: Option<String> = None;
        let mut conditions = std::mem::take(&mut self.conditions);
        let mut known = BTreeSet::new();
        conditions.retain(|condition| known.insert(condition.clone()));
        for condition in conditions {
            all = Some(match all {
                Some(others) => self.bit("andi", &others, &condition),
                None => condition,
            });
        }
        all
    }
}

/// Whether bounds other than the extent keep a subscript within it.
fn is_within(bounds: &[Bound], extent: &Stride) -> Step<bool> {
    let last = last_of(extent)?;
    let constant = |bound: &Bound| {
        let value = bound.values.as_constant().filter(|value| *value >= 0)?;
        (bound.divisor == 1 && bound.outer.iter().all(|entry| *entry == 0)).then_some(value)
    };
    let is_within = |bound: &Bound| {
        let is_last = bound.divisor == 1 && bound.outer.iter().all(|entry| *entry == 0) && bound.values == last;
        is_last || constant(bound).zip(last.as_constant()).is_some_and(|(value, last)| value <= last)
    };
    // Zero is within any extent.
    Ok(bounds.iter().all(|bound| is_within(bound) || constant(bound) == Some(0)))
}

/// Whether coefficients are small enough.
pub fn check_size(polynomial: &Polynomial) -> Step<()> {
    let large = |(monomial, coefficient): (&Monomial, i128)| {
        coefficient.unsigned_abs() > u128::from(if monomial.is_empty() { u64::MAX } else { COEFFICIENT })
    };
    if polynomial.terms().any(large) { Err(too_large()) } else { Ok(()) }
}

fn too_large() -> Reason {
    Reason::Exhausted("a number in a condition is too large".to_owned())
}
