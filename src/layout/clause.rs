//! What a text says about a layout, as data: names of arrays and statements are not looked up yet.

use super::map::{Pad, Transfer};
use super::token::Place;
use crate::codegen::Expr;
use crate::scop::ElementType;

/// One `map(...)`, its names not looked up yet but for subscripts and parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub transfer: Transfer,
    pub array: String,
    /// The names of the subscripts.
    pub subscripts: Vec<String>,
    /// The logical address: expressions over subscripts ([`Expr::Iterator`] number `k` is the `k`-th) and parameters.
    pub address: Vec<Expr>,
    /// How much longer each dimension is than it needs to be.
    pub pads: Vec<Pad>,
    /// The type and the extents that the text gives.
    pub domain: Option<(ElementType, Vec<Expr>)>,
    /// Elements that are not alive at the same time may have one address.
    pub contraction: bool,
    /// Where it begins.
    pub place: Place,
}

/// One `contract(A)` or `contract(A, all)`, for windows that are to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contract {
    pub array: String,
    /// Windows that are right in any order that the flow of values allows.
    pub any_order: bool,
    /// Where it begins.
    pub place: Place,
}

/// One `expand(...)`: an array, and along how many loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expand {
    pub array: String,
    pub loops: usize,
    /// Where it begins.
    pub place: Place,
}

/// One `reduce(...)`: an array, and its partial results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reduce {
    pub array: String,
    /// How many partial results each element has.
    pub parts: i64,
    /// So many successive iterations go to the same one.
    pub block: i64,
    /// The loop that is shared out, by its position around the statement; `None`: the outermost one that can be.
    pub split: Option<usize>,
    /// Where it begins.
    pub place: Place,
}

/// One `keep(...)`: an array, and for how many iterations of the outermost loop its operands are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keep {
    pub array: String,
    pub iterations: i64,
    /// Where it begins.
    pub place: Place,
}

/// One `before ...: map(redist: ...)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redist {
    /// The statement that it is before, and where the text names it.
    pub before: (String, Place),
    pub array: String,
    /// The new map; `None`: the array is where the program has it.
    pub map: Option<Clause>,
    /// Where the array is named.
    pub place: Place,
}

/// What a text says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Clauses {
    pub maps: Vec<Clause>,
    pub redistributions: Vec<Redist>,
    pub expansions: Vec<Expand>,
    pub contractions: Vec<Contract>,
    pub reductions: Vec<Reduce>,
    pub kept: Vec<Keep>,
}

impl Clauses {
    /// Adds what another text says.
    pub fn extend(&mut self, other: Clauses) {
        self.maps.extend(other.maps);
        self.redistributions.extend(other.redistributions);
        self.expansions.extend(other.expansions);
        self.contractions.extend(other.contractions);
        self.reductions.extend(other.reductions);
        self.kept.extend(other.kept);
    }

    /// The arrays that are about to have other places, but for expanded ones; some more than once.
    pub fn arrays(&self) -> impl Iterator<Item = &String> {
        let maps = self.maps.iter().map(|clause| &clause.array);
        let redistributed = self.redistributions.iter().map(|redist| &redist.array);
        maps.chain(redistributed).chain(self.contractions.iter().map(|one| &one.array))
    }
}
