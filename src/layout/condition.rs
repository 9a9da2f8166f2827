//! Conditions on sizes that may be known only when the program runs.

use super::Error;
use super::map::Layout;
use crate::codegen::{self, Expr};
use crate::isl::PwAff;
use crate::scop::Scop;

/// A layout, or code, is for sizes with `Σ (term.each * Π term.lengths) >= least`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeCondition {
    /// What is summed up.
    pub terms: Vec<Term>,
    /// What the sum has to be at least.
    pub least: i64,
}

impl SizeCondition {
    /// For sizes with which boxes of so many bytes for each point take no more than so many together.
    pub fn at_most(bytes: Vec<Term>, most: u64) -> SizeCondition {
        let terms = bytes.into_iter().map(|term| Term { each: -term.each, ..term }).collect();
        SizeCondition { terms, least: i64::try_from(most).map_or(i64::MIN, |most| -most) }
    }

    /// As `8*n*m + 8*m >= 1048577`, with the names of parameters.
    pub fn to_text(&self, parameters: &[String]) -> String {
        let term = |term: &Term| {
            let each = (term.each != 1 || term.lengths.is_empty()).then(|| term.each.to_string());
            let lengths = term.lengths.iter().map(|length| match length {
                Expr::Const(_) | Expr::Parameter(_) => length.to_text(parameters, &[]),
                _ => format!("({})", length.to_text(parameters, &[])),
            });
            each.into_iter().chain(lengths).collect::<Vec<_>>().join("*")
        };
        let terms: Vec<String> = self.terms.iter().map(term).collect();
        format!("{} >= {}", terms.join(" + "), self.least)
    }

    /// Whether it holds; `None` where that is not known.
    pub fn known(&self) -> Option<bool> {
        let sum = self.terms.iter().try_fold(0, |sum: i64, term| Some(sum.saturating_add(term.known()?)))?;
        Some(sum >= self.least)
    }
}

/// A number for each point of a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The lengths of the box: expressions over parameters.
    pub lengths: Vec<Expr>,
    /// The number.
    pub each: i64,
}

impl Term {
    /// The product, at most `i64::MAX` and at least `i64::MIN`; `None` where a length is not known.
    pub fn known(&self) -> Option<i64> {
        self.lengths.iter().try_fold(self.each, |product, length| Some(product.saturating_mul(length.as_constant()?)))
    }
}

/// What expanded arrays and partial results take, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Memory {
    /// There are none, or all of them together are within the bound.
    Fits,
    /// They are within the bound where this holds.
    FitsWhere(SizeCondition),
    /// Those of known sizes take so many bytes, which is more.
    TooMuch(u64),
}

impl Layout {
    /// Whether the expanded arrays are within a bound in bytes.
    ///
    /// # Errors
    /// Those of isl; sizes that cannot be said in the AST.
    pub fn memory(&self, scop: &Scop, most_bytes: u64) -> Result<Memory, Error> {
        let known = self.known_bytes(scop)?;
        if known > most_bytes {
            return Ok(Memory::TooMuch(known));
        }
        let terms = self.expanded(scop)?;
        if terms.iter().all(|term| term.known().is_some()) {
            return Ok(Memory::Fits);
        }
        Ok(Memory::FitsWhere(SizeCondition::at_most(terms, most_bytes)))
    }

    /// The bytes of those expanded arrays whose sizes are known.
    ///
    /// # Errors
    /// As [`Layout::memory`].
    pub fn known_bytes(&self, scop: &Scop) -> Result<u64, Error> {
        let known = self.expanded(scop)?.iter().filter_map(Term::known).fold(0, i64::saturating_add);
        Ok(u64::try_from(known).unwrap_or(0))
    }

    /// The bytes of each expanded array.
    fn expanded(&self, scop: &Scop) -> Result<Vec<Term>, Error> {
        let of = |array: usize, extent: &[PwAff]| {
            let lengths = extent.iter().map(|one| codegen::expression(scop, one)).collect::<Result<_, _>>()?;
            Ok(Term { lengths, each: i64::from(scop.arrays[array].element.bytes()) })
        };
        let partial = self.partial_sums.iter().map(|one| {
            let own = one.extent.iter().map(|one| codegen::expression(scop, one)).collect::<Result<Vec<_>, _>>()?;
            let line = one.line(scop).map(Expr::Const);
            let lengths = std::iter::once(Expr::Const(one.parts)).chain(own).chain(line).collect();
            Ok(Term { lengths, each: i64::from(scop.arrays[one.array].element.bytes()) })
        });
        let expanded = self.expansions.iter().map(|one| of(one.array, &one.extent));
        // All parts of an operand are in one array.
        let kept = self.kept.iter().flat_map(|one| one.first_operands().map(|operand| (one.array, operand)));
        expanded.chain(partial).chain(kept.map(|(array, operand)| of(array, &operand.extent))).collect()
    }
}
