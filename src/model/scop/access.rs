//! One reference of a statement to an array.

use crate::isl::{self, DimType};
use std::fmt;

/// What a reference does to the elements it touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessKind {
    /// May read.
    Read,
    /// May write.
    MayWrite,
    /// Definitely writes every element of the relation.
    MustWrite,
    /// No value flows across: what was there before is not needed after (ppcg report, section 3.2.3).
    Kill,
}

impl AccessKind {
    /// The word used in the `.scop` text.
    pub fn word(self) -> &'static str {
        match self {
            AccessKind::Read => "read",
            AccessKind::MayWrite => "may_write",
            AccessKind::MustWrite => "must_write",
            AccessKind::Kill => "kill",
        }
    }

    /// The kind that a word of the `.scop` text names.
    pub fn from_word(word: &str) -> Option<Self> {
        [AccessKind::Read, AccessKind::MayWrite, AccessKind::MustWrite, AccessKind::Kill]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// True for may- and must-writes.
    pub fn is_write(self) -> bool {
        matches!(self, AccessKind::MayWrite | AccessKind::MustWrite)
    }
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One reference of a statement.
#[derive(Debug, Clone)]
pub struct Access {
    /// The reference's name, unique in the scop: the tag `R[]` of tagged relations.
    pub reference: String,
    /// What it does.
    pub kind: AccessKind,
    /// Which elements an instance touches: `{ S[i] -> A[a] }`. Not necessarily restricted to the domain.
    pub relation: isl::Map,
    /// Of a read, how many operations, each of which waits for the one before, lead to what the statement writes: what
    /// is read has to be there for so long before that. 1 for other accesses, and where nobody knows.
    pub delay: u32,
    /// Of a read: the first that is done with what is read is an operation with values that are the same for all
    /// instances, as in `alpha * A[i][k]`.
    pub scaled: bool,
}

impl Access {
    /// A reference of which nobody knows what waits for it.
    pub fn new(reference: String, kind: AccessKind, relation: isl::Map) -> Access {
        Access { reference, kind, relation, delay: 1, scaled: false }
    }

    /// The name of the array.
    pub fn array(&self) -> isl::Result<String> {
        self.relation
            .tuple_name(DimType::Out)?
            .ok_or_else(|| isl::Error::invalid(format!("reference {} has no array name", self.reference)))
    }

    /// A relation of this reference with the reference in the domain: `{ [S[i] -> R[]] -> A[a] }`.
    pub fn tag(&self, relation: isl::Map) -> isl::Result<isl::Map> {
        let id = isl::Id::new(relation.ctx(), &self.reference)?;
        let space = relation.space()?.domain()?.params()?.add_named_tuple_id_ui(id, 0)?;
        // { S[i] -> R[] }, for all S[i]: the relation says which
        let instances = isl::Set::universe(relation.space()?.domain()?)?;
        let tag = isl::Map::from_domain_and_range(instances, isl::Set::universe(space)?)?;
        // { S[i] -> [S[i] -> R[]] }
        let tag = tag.domain_map()?.reverse()?;
        relation.apply_domain(tag)
    }
}
