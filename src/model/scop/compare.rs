//! Two regions are the same: sets and relations as sets, all else by name and order.

use super::{Scop, Statement};
use crate::isl::{self, NodeType, Schedule, ScheduleNode};

/// The first place in which two regions or trees differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference(pub String);

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "they differ in {}", self.0)
    }
}

/// `None` when all is the same so far.
type Found = isl::Result<Option<Difference>>;

fn unless(same: bool, what: impl FnOnce() -> String) -> Option<Difference> {
    if same { None } else { Some(Difference(what())) }
}

/// Returns the first difference, if there is one.
macro_rules! same {
    ($condition:expr, $($what:tt)*) => {
        if let Some(difference) = unless($condition, || format!($($what)*)) {
            return Ok(Some(difference));
        }
    };
}

impl Scop {
    /// Where this region and another of the same isl context differ first.
    ///
    /// Sets and relations are compared by what they hold, names and orders exactly.
    pub fn difference(&self, other: &Scop) -> Found {
        same!(self.name == other.name, "the name");
        same!(self.context.is_equal(&other.context)?, "the context");
        same!(self.arrays.len() == other.arrays.len(), "the number of arrays");
        for (a, b) in self.arrays.iter().zip(&other.arrays) {
            same!(a.name == b.name, "the names of arrays: `{}` and `{}`", a.name, b.name);
            same!(a.kind == b.kind && a.element == b.element, "the kind of array `{}`", a.name);
            same!(a.rank() == b.rank(), "the rank of array `{}`", a.name);
            for (i, (x, y)) in a.extent.iter().zip(&b.extent).enumerate() {
                let equal = match (x, y) {
                    (Some(x), Some(y)) => x.is_equal(y)?,
                    (x, y) => x.is_none() && y.is_none(),
                };
                same!(equal, "extent {i} of array `{}`", a.name);
            }
        }
        same!(self.live_out.is_equal(&other.live_out)?, "what is live out");
        if let Some(difference) = self.statements_difference(other)? {
            return Ok(Some(difference));
        }
        tree_difference(&self.schedule, &other.schedule)
    }

    fn statements_difference(&self, other: &Scop) -> Found {
        same!(self.statements.len() == other.statements.len(), "the number of statements");
        for (a, b) in self.statements.iter().zip(&other.statements) {
            same!(a.name == b.name, "the names of statements: `{}` and `{}`", a.name, b.name);
            let name = &a.name;
            same!(a.text == b.text, "the text of `{name}`");
            let flags =
                |one: &Statement| (one.side_effect, one.may_trap, one.copy, one.reduction, one.block, one.parts);
            same!(flags(a) == flags(b), "the flags of `{name}`");
            same!(a.domain.is_equal(&b.domain)?, "the domain of `{name}`");
            same!(a.accesses.len() == b.accesses.len(), "the number of accesses of `{name}`");
            for (x, y) in a.accesses.iter().zip(&b.accesses) {
                same!(x.reference == y.reference, "references of `{name}`: `{}` and `{}`", x.reference, y.reference);
                same!(x.kind == y.kind, "the kind of access `{}`", x.reference);
                same!(x.relation.is_equal(&y.relation)?, "the relation of access `{}`", x.reference);
            }
        }
        Ok(None)
    }
}

/// Where two schedule trees differ first: node by node, partial schedules and filters by what they hold.
pub fn tree_difference(a: &Schedule, b: &Schedule) -> Found {
    node_difference(&a.root()?, &b.root()?)
}

fn node_difference(a: &ScheduleNode, b: &ScheduleNode) -> Found {
    let (kind, depth) = (a.node_type()?, a.tree_depth()?);
    let there =
        |what: &str| format!("the schedule: {what} at depth {depth} (child {})", a.child_position().unwrap_or(0));
    same!(kind == b.node_type()?, "{}", there("the kinds of nodes"));
    let equal = match kind {
        NodeType::Domain => a.domain_domain()?.is_equal(&b.domain_domain()?)?,
        NodeType::Filter => a.filter()?.is_equal(&b.filter()?)?,
        NodeType::Context => a.context_context()?.is_equal(&b.context_context()?)?,
        NodeType::Guard => a.guard_guard()?.is_equal(&b.guard_guard()?)?,
        NodeType::Mark => a.mark_id()?.name()? == b.mark_id()?.name()?,
        NodeType::Extension => a.extension()?.is_equal(&b.extension()?)?,
        NodeType::Expansion => a.expansion_expansion()?.is_equal(&b.expansion_expansion()?)?,
        NodeType::Band => same_band(a, b)?,
        NodeType::Leaf | NodeType::Sequence | NodeType::Set => true,
    };
    same!(equal, "{}", there(&format!("the content of a {kind:?} node")));
    same!(a.n_children()? == b.n_children()?, "{}", there("the number of children"));
    if !a.has_children()? {
        return Ok(None);
    }
    for (x, y) in a.children()?.iter().zip(&b.children()?) {
        if let Some(difference) = node_difference(x, y)? {
            return Ok(Some(difference));
        }
    }
    Ok(None)
}

fn same_band(a: &ScheduleNode, b: &ScheduleNode) -> isl::Result<bool> {
    // A band without members has no relation to compare, only a number of members.
    if a.band_n_member()? != b.band_n_member()? {
        return Ok(false);
    }
    if a.band_n_member()? > 0 {
        let order = |n: &ScheduleNode| -> isl::Result<isl::UnionMap> {
            n.band_partial_schedule_union_map()?.intersect_domain(n.domain()?)
        };
        if !order(a)?.is_equal(&order(b)?)? {
            return Ok(false);
        }
    }
    Ok(a.band_permutable()? == b.band_permutable()?
        && a.band_coincident()? == b.band_coincident()?
        && a.band_ast_build_options()?.is_equal(&b.band_ast_build_options()?)?)
}
