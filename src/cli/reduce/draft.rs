//! A region that may become smaller: its text, and what is in it.

use super::{notation, tree};
use polyrs::isl::{self, Ctx, UnionSet};
use polyrs::scop::Scop;
use polyrs::scop::text::ParseError;
use std::fmt;

/// Reading and printing may simplify isl's notation so many times before the text must stay.
const SETTLED: usize = 4;

/// The size of a region, the most important first: statements, accesses, parameters, words of the text, the sum of
/// its constants.
type Size = (usize, usize, usize, usize, u128);

/// A region with its text.
pub struct Draft {
    scop: Scop,
    text: String,
}

impl Draft {
    /// Reads a region and brings its text to a form that stays when it is read and printed.
    pub fn read(text: &str) -> Result<Draft, ParseError> {
        let mut text = text.to_owned();
        let mut scop = Scop::parse(&Ctx::new(), &text)?;
        for _ in 0..SETTLED {
            let Ok(printed) = scop.to_text() else { break };
            if printed == text {
                break;
            }
            scop = Scop::parse(&Ctx::new(), &printed)?;
            text = printed;
        }
        Ok(Draft { scop, text })
    }

    /// The region of a text, if it is one whose text stays when it is printed.
    pub fn of_text(text: &str) -> Option<Draft> {
        let draft = Draft::read(text).ok()?;
        (draft.scop.to_text().ok()? == draft.text).then_some(draft)
    }

    /// A region that was changed: what nothing uses goes, and the schedule is for the domains that there are.
    pub fn of(mut scop: Scop) -> Option<Draft> {
        tidy(&mut scop).ok()?;
        Self::of_text(&scop.to_text().ok()?)
    }

    /// The region.
    pub fn scop(&self) -> &Scop {
        &self.scop
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let scop = &self.scop;
        let accesses = scop.statements.iter().map(|statement| statement.accesses.len()).sum();
        let constants = notation::constants(&self.text).into_iter().map(u128::from).sum();
        let parameters = scop.parameters().map_or(0, |names| names.len());
        (scop.statements.len(), accesses, parameters, self.text.split_whitespace().count(), constants)
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (statements, accesses, parameters, words, _) = self.size();
        write!(f, "{statements} statements, {accesses} accesses, {parameters} parameters, {words} words")
    }
}

/// Drops arrays that nothing accesses, also from what is live-out, and makes the schedule fit the statements.
fn tidy(scop: &mut Scop) -> isl::Result<()> {
    let mut used = Vec::new();
    for access in scop.statements.iter().flat_map(|statement| &statement.accesses) {
        used.push(access.array()?);
    }
    scop.arrays.retain(|array| used.contains(&array.name));
    let mut live_out = UnionSet::empty(scop.context.space()?)?;
    for set in scop.live_out.set_list()?.to_vec()? {
        if set.tuple_name()?.is_some_and(|name| used.contains(&name)) {
            live_out = live_out.union(set.to_union_set()?)?;
        }
    }
    scop.live_out = live_out;
    scop.schedule = tree::fitted(scop)?;
    Ok(())
}
