//! What some statements access of an array: its span, from the least to the greatest element, and whether all is written.
//!
//! Nobody knows how large the arrays of C are, and nothing but what is accessed may be copied to a device: what lies
//! before or behind may be no memory at all, and what lies between may be another thread's. Subscripts other than the
//! first are within their extents, so that elements lie in memory in the lexicographic order of their subscripts; what
//! lies between two elements that are accessed is a part of the same array.

use std::collections::BTreeSet;

use super::translate::Expressions;
use super::{Cond, Error, Expr};
use crate::isl::{self, AstBuild, Map, Set};
use crate::scop::{Access, AccessKind, Array, Scop, StatementId, below};

/// The elements from the least to the greatest one that is accessed, in terms of parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Whether any element is accessed; the rest means nothing if not.
    pub accessed: Cond,
    /// The subscripts of the least element.
    pub least: Vec<Expr>,
    /// The subscripts of the greatest element.
    pub greatest: Vec<Expr>,
}

/// A part of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The span of what is accessed.
    Span,
}

/// More pieces than this make no end of a span that is worth computing.
const MOST_PIECES: usize = 8;

/// Elements of an array that statements access.
pub struct Accessed<'a> {
    scop: &'a Scop,
    array: &'a Array,
    /// All that may be: `[p] -> { A[a] }`
    all: Set,
    /// Those that are: `[p] -> { A[a] }`
    certain: Set,
    /// Those that are written: `[p] -> { A[a] }`
    written: Set,
}

impl<'a> Accessed<'a> {
    /// What statements access; `None` if they do not name the array. A statement's accesses are certain to happen if
    /// `is_certain` says so of it: that none of them depends on data.
    ///
    /// # Errors
    /// Those of isl.
    pub fn by(
        scop: &'a Scop,
        array: &'a Array,
        statements: &BTreeSet<StatementId>,
        is_certain: &dyn Fn(StatementId) -> bool,
    ) -> isl::Result<Option<Self>> {
        let mut found: Option<Self> = None;
        for &id in statements {
            let statement = scop.statement(id);
            let domain = statement.domain.clone().intersect_params(scop.context.clone())?;
            for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
                if access.array()? != array.name {
                    continue;
                }
                let relation = access.relation.clone().intersect_domain(domain.clone())?;
                let happens = is_certain(id) && is_exact(access, &relation)?;
                let elements = relation.range()?;
                let none = Set::empty(elements.space()?)?;
                let certain = if happens { elements.clone() } else { none.clone() };
                let written = if access.kind == AccessKind::MustWrite { certain.clone() } else { none };
                found = Some(match found {
                    None => Self { scop, array, all: elements, certain, written },
                    Some(known) => Self {
                        all: known.all.union(elements)?,
                        certain: known.certain.union(certain)?,
                        written: known.written.union(written)?,
                        ..known
                    },
                });
            }
        }
        let Some(Self { all, certain, written, .. }) = found else { return Ok(None) };
        let (all, certain, written) = (all.coalesce()?, certain.coalesce()?, written.coalesce()?);
        Ok(Some(Self { scop, array, all, certain, written }))
    }

    /// The span. `None` if it is not known: there may be no bounds, too many cases, or accesses before or behind those
    /// that are certain to happen.
    ///
    /// # Errors
    /// Those of isl, and [`Error::TooLarge`].
    pub fn span(&self, max_nodes: usize) -> Result<Option<Span>, Error> {
        if self.certain.is_empty()? || !self.all.is_bounded()? {
            return Ok(None);
        }
        let (least, greatest) = self.ends()?;
        let certain = self.certain.clone();
        let is_exact = certain.clone().lexmin()?.is_equal(&least)? && certain.lexmax()?.is_equal(&greatest)?;
        if !is_exact || least.n_basic_set()?.max(greatest.n_basic_set()?) > MOST_PIECES {
            return Ok(None);
        }
        let mut expressions = Expressions::new(self.scop, max_nodes)?;
        let build = AstBuild::from_context(self.scop.context.clone())?;
        let accessed = self.all.clone().params()?.gist_params(self.scop.context.clone())?.coalesce()?;
        let accessed = match accessed.plain_is_universe()? {
            true => Cond::And(Vec::new()),
            false => expressions.cond(&build.expr_from_set(accessed)?)?,
        };
        let mut subscripts = |element: Set| -> Result<Vec<Expr>, Error> {
            let of = |position| {
                let value = element.clone().dim_min(i32::try_from(position).unwrap_or(i32::MAX))?;
                expressions.expr(&build.expr_from_pw_aff(value)?)
            };
            (0..self.array.rank()).map(of).collect()
        };
        Ok(Some(Span { accessed, least: subscripts(least)?, greatest: subscripts(greatest)? }))
    }

    /// Whether each element of a part is written, whatever the parameters are.
    ///
    /// # Errors
    /// Those of isl.
    pub fn is_all_written(&self, part: Part) -> isl::Result<bool> {
        if self.written.is_empty()? {
            return Ok(false);
        }
        let (mut elements, first) = match part {
            Part::Whole => (Set::universe(self.all.space()?)?.intersect_params(self.scop.context.clone())?, 0),
            Part::Span => {
                let ((least, greatest), space) = (self.ends()?, self.all.space()?);
                let behind = least.apply(Map::lex_le(space.clone())?)?;
                (behind.intersect(greatest.apply(Map::lex_ge(space)?)?)?, 1)
            }
        };
        for (position, extent) in self.array.extent.iter().enumerate().skip(first) {
            let Some(extent) = extent else { return Ok(false) };
            elements = below(elements, position, extent.clone())?;
        }
        elements.is_subset(&self.written)
    }

    /// The least and the greatest element: `[p] -> { A[a] }`
    fn ends(&self) -> isl::Result<(Set, Set)> {
        Ok((self.all.clone().lexmin()?.coalesce()?, self.all.clone().lexmax()?.coalesce()?))
    }
}

/// An instance accesses what the relation says, if it does not depend on data whether it does: a read of several
/// elements is one of which nobody knows which it is.
fn is_exact(access: &Access, relation: &Map) -> isl::Result<bool> {
    Ok(match access.kind {
        AccessKind::MustWrite => true,
        AccessKind::Read => relation.is_single_valued()?,
        AccessKind::MayWrite | AccessKind::Kill => false,
    })
}
