//! Proves that a region with a layout computes what the region without it does: from both regions alone, without
//! looking at the layout (Shirako and Sarkar, section 3.2.2: producers reach their consumers, and values live as long
//! as they are needed).
//!
//! The regions have the same statements, which access other arrays, and the new one has copies besides. In the original
//! order of each, every read gets its value from a write, or from before the region. The two agree if this is so once
//! each copy is looked through, also where one copies what another one has copied; likewise for what is seen after the
//! region. This covers maps that are not one-to-one,
//! copies that are missing or come too late, and storage that is used again too early. Besides, copies touch nothing of the
//! region's memory that it does not touch itself, and write only what it writes for certain, as others may work on the
//! rest; new arrays are accessed within their extents.
//!
//! Statements of the new region may be parts of one of the old region (index-set splitting); they are joined first (`parts.rs`).
//!
//! Partial results of reductions ([`PartialResults`]) change what is read, and the order in which values are gathered. A
//! reduction counts as one node then, in both regions (`reduction.rs`), and between nodes all of the above holds.

mod error;
mod flow;
mod parts;
mod reduction;

pub use error::LayoutError;
pub use parts::joined;
pub use reduction::PartialResults;

use error::{different, shown};
use flow::Flow;
use reduction::Reductions;

use crate::isl::{self, Id, Set, UnionMap};
use crate::scop::{AccessKind, Array, ArrayKind, Scop, Statement, below};

/// Proves that a region with a layout computes what the region without it does, for the sizes that the new one is for: its
/// context may be smaller than the old one's, and then somebody has to look at the sizes before it runs. What `claims` say of
/// partial results is proved, too.
///
/// # Errors
/// [`LayoutError::Different`] with what is different, or could not be shown to be the same.
pub fn check_layout(before: &Scop, after: &Scop, claims: &[PartialResults]) -> Result<(), LayoutError> {
    if !after.context.is_subset(&before.context)? {
        return different("the new region is for sizes that the old one does not have");
    }
    let before = &Scop { context: after.context.clone(), ..before.clone() };
    let reductions = Reductions::of(before, after, claims)?;
    let renumbered = after;
    let after = &reductions.with_old_instances(before, after)?;
    same_statements(before, after)?;
    let copies: Vec<&Statement> = added(before, after).filter(|statement| !reductions.has(&statement.name)).collect();
    touch_nothing_else(before, after, &copies)?;
    reductions.have_their_accesses(before, after)?;
    within_extents(before, after)?;
    // Where partial results come from is much simpler to say of the new instances.
    let new = reductions.of_old_instances(renumbered, Flow::of(renumbered)?)?.without_copies(after, &copies)?;
    let (old, new) = reductions.folded(before, after, Flow::of(before)?, new)?;
    if !old.writers.is_equal(&new.writers)? {
        let differs = |one: &UnionMap, other: &UnionMap| one.clone().subtract(other.clone());
        let pairs = differs(&old.writers, &new.writers)?.union(differs(&new.writers, &old.writers)?)?;
        return different(format!("values come from other writes: {}", shown(&pairs.domain()?)?));
    }
    if !old.live_in.is_equal(&new.live_in)? {
        return different("reads of what was there before the region get other values");
    }
    let together = together(&old.writers)?;
    if !reductions.leave_out(&together)? {
        return different("one of several writes may be read, of which one is a reduction");
    }
    same_order_of_writers(before, after, &together.factor_domain()?)
}

/// Writes that may be the last one before the same read: `{ write -> write }`.
fn together(writers: &UnionMap) -> isl::Result<UnionMap> {
    let together = writers.clone().apply_range(writers.clone().reverse()?)?;
    together.subtract(writers.clone().domain()?.identity()?)
}

/// A region with partial results in which updates have the instances that they have in the region without, each in the place
/// of what it has become: such as it is compared.
///
/// # Errors
/// [`LayoutError::Different`] where claims are refuted by instances.
pub fn in_old_instances(before: &Scop, after: &Scop, claims: &[PartialResults]) -> Result<Scop, LayoutError> {
    Reductions::of(before, after, claims)?.with_old_instances(before, after)
}

/// Instances of which one writes what a read gets `{ S[i] -> T[j] }` are in the same order.
fn same_order_of_writers(before: &Scop, after: &Scop, together: &UnionMap) -> Result<(), LayoutError> {
    if together.is_empty()? {
        return Ok(());
    }
    let order = |scop: &Scop| -> isl::Result<UnionMap> {
        let instances = together.clone().domain()?.union(together.clone().range()?)?;
        let dates = scop.schedule.map()?.intersect_domain(instances)?;
        dates.clone().lex_lt_union_map(dates)?.intersect(together.clone())
    };
    if order(before)?.is_equal(&order(after)?)? {
        return Ok(());
    }
    different("writes of which one or another may be read are in another order")
}

/// The statements of a region that another one lacks.
fn added<'a>(before: &'a Scop, after: &'a Scop) -> impl Iterator<Item = &'a Statement> {
    after.statements.iter().filter(|statement| before.statement_by_name(&statement.name).is_none())
}

fn same_statements(before: &Scop, after: &Scop) -> Result<(), LayoutError> {
    if !before.live_out.is_equal(&after.live_out)? {
        return different("what is live-out is another one");
    }
    for old in &before.statements {
        let name = &old.name;
        let Some(new) = after.statement_by_name(name).map(|id| after.statement(id)) else {
            return different(format!("`{name}` is missing"));
        };
        if old.side_effect {
            return different(format!("the order of `{name}` counts"));
        }
        let flags = |one: &Statement| (one.side_effect, one.may_trap, one.copy, one.reduction);
        let accesses = |one: &Statement| -> Vec<(String, AccessKind)> {
            one.accesses.iter().map(|access| (access.reference.clone(), access.kind)).collect()
        };
        let old_domain = old.domain.clone().intersect_params(before.context.clone())?;
        let new_domain = new.domain.clone().intersect_params(before.context.clone())?;
        if flags(old) != flags(new) || accesses(old) != accesses(new) || !old_domain.is_equal(&new_domain)? {
            return different(format!("`{name}` is another statement"));
        }
        for (old, new) in old.accesses.iter().zip(&new.accesses) {
            let known = before.array_by_name(&new.array()?).is_some();
            // Where it is not known which of several elements is accessed, their order in the new array would count.
            let relation = new.relation.clone().intersect_domain(old_domain.clone())?;
            if !known && new.kind != AccessKind::Kill && !relation.is_single_valued()? {
                return different(format!("`{}` accesses several elements of a new array", old.reference));
            }
            let before = old.relation.clone().intersect_domain(old_domain.clone())?;
            if known && !before.is_equal(&relation)? {
                return different(format!(
                    "`{}` accesses other elements of an array that both regions have",
                    old.reference
                ));
            }
        }
    }
    for old in &before.arrays {
        let is_same = |new: &Array| new.kind == old.kind && new.element == old.element && new.rank() == old.rank();
        if !after.array_by_name(&old.name).is_some_and(is_same) {
            return different(format!("the array `{}` is missing, or another one", old.name));
        }
    }
    let instances = after.domain()?.union(after.kill_domain()?)?;
    if !after.schedule.domain()?.intersect_params(after.context.clone())?.is_equal(&instances)? {
        return different("not all instances are scheduled");
    }
    Ok(())
}

/// Statements that the old region lacks copy, and touch no memory that it does not touch.
fn touch_nothing_else(before: &Scop, after: &Scop, copies: &[&Statement]) -> Result<(), LayoutError> {
    let touched = before.reads()?.union(before.may_writes()?)?.range()?;
    let written = before.must_writes()?.range()?;
    for copy in copies {
        let name = &copy.name;
        let [read, write] = &copy.accesses[..] else { return different(format!("`{name}` is no copy")) };
        let kinds = (read.kind, write.kind) == (AccessKind::Read, AccessKind::MustWrite);
        if !copy.copy || !kinds || copy.side_effect {
            return different(format!("`{name}` is no copy"));
        }
        let instances = copy.domain.clone().intersect_params(after.context.clone())?;
        for (access, allowed) in [(read, &touched), (write, &written)] {
            let relation = access.relation.clone().intersect_domain(instances.clone())?;
            if !relation.is_single_valued()? || !instances.is_subset(&relation.clone().domain()?)? {
                return different(format!("`{name}` does not copy one element"));
            }
            let memory = before.array_by_name(&access.array()?).is_some();
            if memory && !relation.range()?.to_union_set()?.is_subset(allowed)? {
                return different(format!("`{name}` touches memory that the region does not"));
            }
        }
    }
    Ok(())
}

/// What is accessed of new arrays is within their extents, which are known; nobody else sees them.
fn within_extents(before: &Scop, after: &Scop) -> Result<(), LayoutError> {
    let accessed = after.reads()?.union(after.may_writes()?)?.range()?;
    for array in after.arrays.iter().filter(|array| before.array_by_name(&array.name).is_none()) {
        if array.kind != ArrayKind::Local {
            return different(format!("the new array `{}` is not the region's own", array.name));
        }
        let space = after.context.space()?.add_named_tuple_id_ui(Id::new(after.ctx(), &array.name)?, array.rank())?;
        let mut elements = Set::universe(space.clone())?;
        for (position, extent) in array.extent.iter().enumerate() {
            let Some(extent) = extent else {
                return different(format!("nobody knows how large the new array `{}` is", array.name));
            };
            elements = below(elements, position, extent.clone())?;
        }
        if !accessed.extract_set(space)?.is_subset(&elements)? {
            return different(format!("the new array `{}` is accessed outside of its extents", array.name));
        }
    }
    Ok(())
}
