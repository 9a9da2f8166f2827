//! The dataflow under the final tree against that of the original order.

use super::accesses::accesses_to;
use super::order::{Parts, classify};
use super::storage::Storage;
use super::violation::{Rule, Violation};
use crate::after::after;
use crate::isl::{self, Schedule, UnionAccessInfo, UnionMap, UnionSet};
use crate::scop::{AccessKind, Scop};
use std::collections::BTreeSet;

/// The dataflow of some arrays under one order.
struct Flow {
    /// Last possible writers of each element at each read: `{ I -> [I' -> A[a]] }`.
    writers: UnionMap,
    /// Reads that may see what was there before the region: `{ I' -> A[a] }`.
    live_in: UnionMap,
}

/// The arrays that dead instances may write, whose dataflow therefore has to be looked at.
pub(super) fn arrays_written_by_dead(scop: &Scop, dead: Option<&UnionSet>) -> isl::Result<BTreeSet<String>> {
    let mut arrays = BTreeSet::new();
    let Some(dead) = dead else { return Ok(arrays) };
    for array in &scop.arrays {
        let written = accesses_to(scop, |a, name| name == array.name && a.kind.is_write())?;
        if !written.intersect_domain(dead.clone())?.is_empty()? {
            arrays.insert(array.name.clone());
        }
    }
    Ok(arrays)
}

/// Differences of the dataflow on `arrays`, and dead instances that are not dead.
pub(super) fn violations(
    scop: &Scop,
    tree: &Schedule,
    arrays: &BTreeSet<String>,
    storage: &Storage,
    dead: Option<&UnionSet>,
) -> isl::Result<Vec<Violation>> {
    let mut found = Vec::new();
    if let Some(dead) = dead {
        found.extend(dead_with_effects(scop, dead)?);
    }
    for array in arrays {
        let original = original_flow(scop, array)?;
        let original = match dead {
            Some(dead) => {
                found.extend(dead_but_read(scop, array, &original, dead)?);
                original.without_sinks(dead)?
            }
            None => original,
        };
        let (new, undefined) = new_flow(scop, tree, array, storage, &original.defined()?, dead)?;
        if !undefined.is_empty()? {
            let instances = undefined.domain()?;
            let mut violation = Violation::of_instances(Rule::LiveIn, &instances, "private copy")?;
            violation.array = Some(array.clone());
            found.push(violation);
        }
        compare(scop, array, &original, &new, tree, &mut found)?;
    }
    Ok(found)
}

impl Flow {
    /// The reads that get a value: `{ I' -> A[a] }`. What is undefined may become anything.
    fn defined(&self) -> isl::Result<UnionMap> {
        self.writers.clone().range()?.unwrap_map()?.union(self.live_in.clone())
    }

    /// Only the reads of instances outside `dead`.
    fn without_sinks(self, dead: &UnionSet) -> isl::Result<Flow> {
        // { [I' -> A[a]] } with I' dead
        let dead_reads = self.writers.clone().range()?.unwrap_map()?.intersect_domain(dead.clone())?.wrap()?;
        Ok(Flow {
            writers: self.writers.subtract_range(dead_reads)?,
            live_in: self.live_in.subtract_domain(dead.clone())?,
        })
    }
}

/// The elements of an array that are live-out, read by the statement after the region: `{ AFTER[] -> A[a] }`.
fn live_out_reads(scop: &Scop, array: &str) -> isl::Result<UnionMap> {
    let after = after(scop)?;
    let mut elements = UnionSet::empty(scop.context.space()?)?;
    for set in scop.live_out.set_list()?.to_vec()? {
        if set.tuple_name()?.as_deref() == Some(array) {
            elements = elements.union(set.to_union_set()?)?;
        }
    }
    UnionMap::from_domain_and_range(after, elements)
}

/// isl's analysis (ppcg report, section 3.1): may-sources, cut by definite writes and kills.
fn analyse(sinks: UnionMap, sources: UnionMap, cuts: UnionMap, order: Schedule) -> isl::Result<Flow> {
    let flow = UnionAccessInfo::from_sink(sinks)?
        .set_may_source(sources)?
        .set_kill(cuts)?
        .set_schedule(order)?
        .compute_flow()?;
    Ok(Flow { writers: flow.full_may_dependence()?, live_in: flow.may_no_source()? })
}

fn original_flow(scop: &Scop, array: &str) -> isl::Result<Flow> {
    let reads = accesses_to(scop, |a, name| name == array && a.kind == AccessKind::Read)?;
    let writes = accesses_to(scop, |a, name| name == array && a.kind.is_write())?;
    let cuts =
        accesses_to(scop, |a, name| name == array && matches!(a.kind, AccessKind::MustWrite | AccessKind::Kill))?;
    let order = scop.schedule.clone().sequence(Schedule::from_domain(after(scop)?)?)?;
    analyse(reads.union(live_out_reads(scop, array)?)?, writes, cuts, order)
}

/// The flow under the tree into `reads` (`{ I' -> A[a] }`, the statement after the region included), with private copies, projected back to
/// the array's elements; and the reads `{ I' -> [A[a] -> [t]] }` that may see an undefined private copy.
fn new_flow(
    scop: &Scop,
    tree: &Schedule,
    array: &str,
    storage: &Storage,
    reads: &UnionMap,
    dead: Option<&UnionSet>,
) -> isl::Result<(Flow, UnionMap)> {
    let alive = |relation: UnionMap| match dead {
        Some(dead) => relation.subtract_domain(dead.clone()),
        None => Ok(relation),
    };
    let writes = alive(accesses_to(scop, |a, name| name == array && a.kind.is_write())?)?;
    let cuts = alive(accesses_to(scop, |a, name| name == array && a.kind == AccessKind::MustWrite)?)?;
    let reads = storage.place(array, reads.clone())?;
    let writes = storage.place(array, writes)?;
    let cuts = storage.place(array, cuts)?;
    let order = tree.clone().sequence(Schedule::from_domain(after(scop)?)?)?;
    if !storage.private_arrays().contains(array) {
        let nothing = UnionMap::empty(reads.space()?)?;
        return Ok((analyse(reads, writes, cuts, order)?, nothing));
    }
    let elements = reads.clone().range()?;
    let flow = analyse(reads, writes, cuts, order)?;
    // { [A[a] -> [t]] -> A[a] } and the identity on shared elements
    let back = storage.unplace(elements.clone())?;
    let private = elements.clone().subtract(elements.intersect(back.clone().range()?)?)?;
    let undefined = flow.live_in.clone().intersect_range(private)?;
    // { I -> [I' -> X] }, X taken back
    let writers = flow.writers.uncurry()?.apply_range(back.clone())?.curry()?;
    let live_in = flow.live_in.apply_range(back)?;
    Ok((Flow { writers, live_in }, undefined))
}

fn compare(
    scop: &Scop,
    array: &str,
    original: &Flow,
    new: &Flow,
    tree: &Schedule,
    found: &mut Vec<Violation>,
) -> isl::Result<()> {
    for (more, less) in [(&new.writers, &original.writers), (&original.writers, &new.writers)] {
        // { I -> [I' -> A[a]] }
        let extra = more.clone().subtract(less.clone())?;
        if !extra.is_empty()? {
            let pairs = extra.range_factor_domain()?;
            let after_only = pairs.clone().subtract_range(after(scop)?)?.is_empty()?;
            let rule = if after_only { Rule::LiveOut } else { Rule::OtherWriter };
            found.push(Violation::of_pairs(rule, scop, array, &pairs, "")?);
            return Ok(());
        }
    }
    if !original.live_in.is_equal(&new.live_in)? {
        let difference = original
            .live_in
            .clone()
            .subtract(new.live_in.clone())?
            .union(new.live_in.clone().subtract(original.live_in.clone())?)?;
        let mut violation = Violation::of_instances(Rule::LiveIn, &difference.domain()?, "")?;
        violation.array = Some(array.to_owned());
        found.push(violation);
        return Ok(());
    }
    writer_order(scop, array, original, tree, found)
}

/// Several possible writers of one value must keep their relative order.
fn writer_order(
    scop: &Scop,
    array: &str,
    original: &Flow,
    tree: &Schedule,
    found: &mut Vec<Violation>,
) -> isl::Result<()> {
    // { I1 -> I2 }: both may have written what one read gets
    let together = original.writers.clone().apply_range(original.writers.clone().reverse()?)?;
    let in_order = classify(together, &scop.schedule.root()?, Parts::FORWARD)?.forward;
    let order = classify(in_order, &tree.root()?, Parts::TURNED)?;
    let broken = order.backward.union(order.unordered)?;
    if !broken.is_empty()? {
        found.push(Violation::of_pairs(Rule::WriterOrder, scop, array, &broken, "")?);
    }
    Ok(())
}

/// Dead instances with a side effect or that may trap.
fn dead_with_effects(scop: &Scop, dead: &UnionSet) -> isl::Result<Vec<Violation>> {
    let mut found = Vec::new();
    for statement in scop.statements.iter().filter(|s| s.side_effect || s.may_trap) {
        let dropped = statement.domain.clone().to_union_set()?.intersect(dead.clone())?;
        if !dropped.is_empty()? {
            found.push(Violation::of_instances(Rule::NotDead, &dropped, "side effect or trap")?);
        }
    }
    Ok(found)
}

/// Dead instances whose value reaches a live read or a live-out element.
fn dead_but_read(scop: &Scop, array: &str, original: &Flow, dead: &UnionSet) -> isl::Result<Vec<Violation>> {
    // { I -> I' } from a dead writer to a live reader
    let needed = original.writers.clone().intersect_domain(dead.clone())?.range_factor_domain()?;
    let needed = needed.subtract_range(dead.clone())?;
    if needed.is_empty()? {
        return Ok(Vec::new());
    }
    Ok(vec![Violation::of_pairs(Rule::NotDead, scop, array, &needed, "")?])
}

/// The flow between instances of the region on an array, by element: `{ [I -> I'] -> A[a] }`.
pub(super) fn original_pairs(scop: &Scop, array: &str) -> isl::Result<UnionMap> {
    let seen_after = live_out_reads(scop, array)?.wrap()?;
    original_flow(scop, array)?.writers.subtract_range(seen_after)?.uncurry()
}

/// The ends of live ranges on an array that begin or end outside of the region: reads of what was there before, and
/// writes of what is seen after: `{ I -> A[a] }`.
pub(super) fn open_ends(scop: &Scop, array: &str) -> isl::Result<UnionMap> {
    let flow = original_flow(scop, array)?;
    // { I -> A[a] }: writers of what is read after
    let seen_after = flow.writers.intersect_range(live_out_reads(scop, array)?.wrap()?)?.range_factor_range()?;
    flow.live_in.union(seen_after)?.subtract_domain(after(scop)?)
}
