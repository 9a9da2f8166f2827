//! Which elements are alive at the same time (the liveness constraints of section 3.2.2).
//!
//! A value is alive from the instance that writes it to the last one that reads it; what the region needs from before is
//! alive from its beginning, and what is seen afterwards until its end. Two elements may have one place if no value of
//! the one is alive while one of the other is. An instance reads before it writes, so a place that it frees is free for
//! what it writes.

use super::legality::{Moved, universe};
use crate::isl::{self, DimType, Id, Map, Schedule, Set, UnionAccessInfo, UnionMap, UnionSet};
use crate::scop::Scop;

/// What stands for all that comes before a region, and after it.
const OUTSIDE: [&str; 2] = ["polyrs_layout_before", "polyrs_layout_after"];

/// Elements that are alive at the same time: `{ A[a] -> B[b] }`, symmetric.
pub(super) struct Lifetimes(UnionMap);

impl Lifetimes {
    /// Of some arrays, by their positions, in an order; `moved` has to be about these arrays, and maybe others.
    ///
    /// Kills are left out, as they only end what nobody reads.
    pub fn of(
        scop: &Scop,
        order: &Schedule,
        positions: impl Iterator<Item = usize>,
        moved: &Moved,
    ) -> isl::Result<Self> {
        let mut arrays = UnionSet::empty(scop.context.space()?)?;
        for position in positions {
            arrays = arrays.union(universe(scop, &scop.arrays[position])?.to_union_set()?)?;
        }
        let [before, after] = outside(scop)?;
        let (exposed, seen) = moved.outside(scop, &arrays)?;
        let of = |accesses: UnionMap| accesses.intersect_range(arrays.clone());
        // { S[i] -> A[a] }
        let writes = of(scop.may_writes()?)?.union(UnionMap::from_domain_and_range(before.clone(), exposed)?)?;
        let reads = of(scop.reads()?)?.union(UnionMap::from_domain_and_range(after.clone(), seen)?)?;
        let order = Schedule::from_domain(before)?.sequence(order.clone())?.sequence(Schedule::from_domain(after)?)?;
        let dates = order.map()?;
        let flow = UnionAccessInfo::from_sink(reads)?
            .set_may_source(writes.clone())?
            .set_kill(writes.clone())?
            .set_schedule(order)?
            .compute_flow()?;
        // A value is its writer and its element. Where each is read: { [S[i] -> A[a]] -> T[j] }
        let read = flow.full_may_dependence()?.range_reverse()?.uncurry()?;
        // { [S[i] -> A[a]] -> [t, at] }: an instance writes after it reads.
        let first = stamped(writes.clone().domain_map()?.apply_range(dates.clone())?, 1)?;
        let last = stamped(read.apply_range(dates)?, 0)?.union(first.clone())?.lexmax()?.coalesce()?;
        // { [S[i] -> A[a]] -> [T[j] -> B[b]] }: the one begins before the other ends.
        let begins = first.lex_le_union_map(last)?;
        let together = begins.clone().intersect(begins.reverse()?)?;
        let element = writes.range_map()?;
        let together = together.apply_domain(element.clone())?.apply_range(element)?;
        Ok(Lifetimes(together.intersect_params(scop.context.clone())?))
    }

    /// The elements of one array that are alive together with some of another one, be it the same: `{ A[a] -> B[b] }`.
    pub fn between(&self, one: &Set, other: &Set) -> isl::Result<Map> {
        let space = one.space()?.map_from_domain_and_range(other.space()?)?;
        self.0.extract_map(space)
    }
}

/// The only instances of what is outside of a region: `{ BEFORE[] }` and `{ AFTER[] }`.
fn outside(scop: &Scop) -> isl::Result<[UnionSet; 2]> {
    let one = |name: &str| {
        let id = Id::new(scop.ctx(), name)?;
        let set = Set::universe(scop.context.space()?.add_named_tuple_id_ui(id, 0)?)?;
        set.intersect_params(scop.context.clone())?.to_union_set()
    };
    Ok([one(OUTSIDE[0])?, one(OUTSIDE[1])?])
}

/// Dates with one more dimension, which has this value: `{ v -> [t, value] }`.
fn stamped(dates: UnionMap, value: i32) -> isl::Result<UnionMap> {
    let mut all = UnionMap::empty(dates.space()?)?;
    for map in dates.map_list()?.to_vec()? {
        let position = map.dim(DimType::Out)?;
        let stamped = map.add_dims(DimType::Out, 1)?.fix_si(DimType::Out, position, value)?;
        all = all.union(stamped.to_union_map()?)?;
    }
    Ok(all)
}
