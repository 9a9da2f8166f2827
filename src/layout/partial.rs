//! Partial results that were asked for: for as much of the region as can be proved.

use super::Error;
use super::clause::Reduce;
use super::legality::Moved;
use super::map::Layout;
use super::reduction::PartialSums;
use crate::check::layout::LayoutError;
use crate::isl;
use crate::scop::Scop;

impl Layout {
    /// The layout with partial results besides, each around as few loops as possible, so that as much as possible of the
    /// region is free to run in parallel.
    ///
    /// # Errors
    /// What makes them impossible, at its place; failures of isl.
    pub(super) fn with_partial_sums(mut self, scop: &Scop, wanted: &[Reduce]) -> Result<Self, Error> {
        for one in wanted {
            let refuse = |reason: &str| Error::Directive(one.place.error(format!("`{}` {reason}", one.array)));
            let mut reason = String::new();
            let before = self.partial_sums.len();
            for choices in PartialSums::asked(scop, one)? {
                if self.has_place(choices.iter()) {
                    return Err(refuse("has another place already"));
                }
                match Self::first_proved(scop, choices)? {
                    Ok(found) => self.partial_sums.push(found),
                    Err(found) => reason = found,
                }
            }
            if self.partial_sums.len() == before {
                return Err(refuse(&format!("has no partial results: {reason}")));
            }
        }
        Ok(self)
    }

    /// The first of several choices that is proved to compute the same but for the order, or what is wrong with the last.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn first_proved(scop: &Scop, choices: Vec<PartialSums>) -> Result<Result<PartialSums, String>, Error> {
        let mut reason = String::new();
        for choice in choices {
            let alone = Self::of_partial_sums(scop, vec![choice.clone()])?;
            let applied = match alone.apply(scop) {
                Ok(applied) => applied,
                Err(Error::Unproved(text)) => {
                    tracing::debug!(depth = choice.depth, text, "partial results");
                    reason = text;
                    continue;
                }
                Err(error) => return Err(error),
            };
            match applied.check(scop) {
                Ok(()) => return Ok(Ok(choice)),
                Err(LayoutError::Different(text)) => {
                    tracing::debug!(depth = choice.depth, text, "partial results");
                    reason = text;
                }
                Err(LayoutError::Isl(error)) => return Err(error.into()),
            }
        }
        Ok(Err(reason))
    }

    /// Partial results, and nothing else.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of_partial_sums(scop: &Scop, partial_sums: Vec<PartialSums>) -> isl::Result<Self> {
        let moved = Moved::of(scop, std::iter::empty())?;
        Ok(Layout { partial_sums, ..Layout::of_maps(Vec::new(), moved) })
    }

    fn has_place<'p>(&self, mut choices: impl Iterator<Item = &'p PartialSums>) -> bool {
        choices.any(|one| {
            let is_moved = self.maps.iter().any(|map| map.array == one.array)
                || self.expansions.iter().any(|expansion| expansion.array == one.array);
            is_moved || self.partial_sums.iter().any(|known| known.update == one.update)
        })
    }
}
