//! Reductions with partial results: what they are in both regions, and that nothing gets lost or counted twice.
//!
//! Where a region has `a = a + f(i)` for many `i`, the new one has `p[q] = 0`, `p[q] = p[q] + f(i)`, each `i` with one of the
//! `q`, and at last `a = a + p[q]` for all `q`. In both the value of `a` goes through a chain of instances. In the old region
//! the updates of a reduction are one chain: each reads what another one has written, none of whose values is read
//! elsewhere, but for that of the last; the first one reads what was in `a` before. In the new region each update is in a chain
//! that begins with a neutral element and ends in a combining statement of the same reduction; those are one chain as before.
//! So the same values are gathered, each once, and each reduction is one node that reads `a` first and writes it last.
//!
//! Which reduction an instance is a part of is claimed by whoever made the region. The claim is a function, and chains that are
//! not within one reduction, or several of one, refute it.

use std::collections::BTreeSet;

use super::error::{LayoutError, different};
use super::flow::Flow;
use crate::isl::{self, DimType, Id, Map, Set, UnionMap, UnionPwMultiAff, UnionSet};
use crate::scop::{Access, AccessKind, Reduction, Role, Scop, Statement};

/// What is claimed of a statement whose values are gathered in partial results first.
#[derive(Debug, Clone)]
pub struct PartialResults {
    /// The statement that gathers values, in both regions.
    pub update: String,
    /// The statement of the new region that writes neutral elements.
    pub neutral: String,
    /// The one that gathers partial results where the old region has all.
    pub combine: String,
    /// What an instance of the update was in the old region: `{ T[i'] -> T[i] }`.
    pub former: Map,
    /// The reduction that an instance of the old region is a part of: `{ T[i] -> [k] }`.
    pub reduction: Map,
    /// The reduction that is gathered: `{ combine[x] -> [k] }`.
    pub combined: Map,
}

/// Claims, with what they are about.
pub(super) struct Reductions<'c> {
    claims: &'c [PartialResults],
}

/// Reads and writes `[S[i] -> R[]]` of a chain, with the reduction `N[k]` that each is a part of.
struct Chain {
    reads: UnionMap,
    writes: UnionMap,
}

impl<'c> Reductions<'c> {
    /// # Errors
    /// The statements are not those of a reduction.
    pub fn of(before: &Scop, after: &Scop, claims: &'c [PartialResults]) -> Result<Self, LayoutError> {
        let mut names = BTreeSet::new();
        for claim in claims {
            if ![&claim.update, &claim.neutral, &claim.combine].into_iter().all(|name| names.insert(name)) {
                return different("a statement has two parts in reductions");
            }
            let old = statement(before, &claim.update)?;
            let Some(Reduction { operator, role: Role::Update }) = old.reduction else {
                return different(format!("the order of what `{}` gathers counts", claim.update));
            };
            for (name, role) in [(&claim.neutral, Role::Neutral), (&claim.combine, Role::Combine)] {
                let is_new = before.statement_by_name(name).is_none();
                let new = statement(after, name)?;
                if !is_new || new.reduction != Some(Reduction { operator, role }) || new.side_effect || new.copy {
                    return different(format!("`{name}` does something else than a reduction asks for"));
                }
            }
        }
        Ok(Reductions { claims })
    }

    /// The statement gathers partial results, or writes neutral elements.
    pub fn has(&self, name: &str) -> bool {
        self.claims.iter().any(|claim| claim.neutral == name || claim.combine == name)
    }

    /// The new region with the old instances of updates, each in the place of the one that it has become.
    pub fn with_old_instances(&self, before: &Scop, after: &Scop) -> Result<Scop, LayoutError> {
        let mut same = after.clone();
        let mut instances = after.domain()?.union(after.kill_domain()?)?;
        let mut all = UnionMap::empty(after.context.space()?)?;
        for claim in self.claims {
            let name = &claim.update;
            let old = within(before, statement(before, name)?)?;
            let new = within(after, statement(after, name)?)?;
            let former = claim.former.clone().intersect_domain(new.clone())?;
            let is_function = former.is_single_valued()? && new.is_subset(&former.clone().domain()?)?;
            if !is_function || !former.is_injective()? || !former.clone().range()?.is_equal(&old)? {
                return different(format!("`{name}` has other instances"));
            }
            // { T[i] -> T[i'] }
            let becomes = former.reverse()?;
            instances = instances.subtract(new.to_union_set()?)?;
            all = all.union(becomes.clone().to_union_map()?)?;
            for statement in same.statements.iter_mut().filter(|statement| statement.name == *name) {
                statement.domain = old.clone();
                for access in &mut statement.accesses {
                    access.relation = becomes.clone().apply_range(access.relation.clone())?;
                }
            }
        }
        if !self.claims.is_empty() {
            let all = all.union(instances.identity()?)?;
            same.schedule = same.schedule.pullback_union_pw_multi_aff(UnionPwMultiAff::from_union_map(all)?)?;
        }
        Ok(same)
    }

    /// A flow of the new region's instances as one of the old region's.
    pub fn of_old_instances(&self, after: &Scop, flow: Flow) -> Result<Flow, LayoutError> {
        let Flow { mut writers, mut live_in } = flow;
        for claim in self.claims {
            let update = statement(after, &claim.update)?;
            // { [T[i'] -> R[]] -> [T[i] -> R[]] }
            let mut named = UnionMap::empty(after.context.space()?)?;
            for access in &update.accesses {
                let id = Id::new(after.ctx(), &access.reference)?;
                let reference = Set::universe(after.context.space()?.add_named_tuple_id_ui(id, 0)?)?.identity()?;
                let former = claim.former.clone().intersect_domain(within(after, update)?)?.to_union_map()?;
                named = named.union(former.product(reference.to_union_map()?)?)?;
            }
            let own = named.clone().domain()?;
            let renamed = writers.clone().intersect_domain(own.clone())?.apply_domain(named.clone())?;
            writers = writers.subtract_domain(own.clone())?.union(renamed)?;
            let renamed = writers.clone().intersect_range(own.clone())?.apply_range(named.clone())?;
            writers = writers.subtract_range(own.clone())?.union(renamed)?;
            let renamed = live_in.clone().intersect_domain(own.clone())?.apply_domain(named)?;
            live_in = live_in.subtract_domain(own)?.union(renamed)?;
        }
        Ok(Flow { writers, live_in })
    }

    /// Partial results are in an array of their own, which nothing else accesses, and what combines them touches no memory
    /// that updates do not.
    pub fn have_their_accesses(&self, before: &Scop, after: &Scop) -> Result<(), LayoutError> {
        for claim in self.claims {
            let [old, new] = [statement(before, &claim.update)?, statement(after, &claim.update)?];
            let (neutral, combine) = (statement(after, &claim.neutral)?, statement(after, &claim.combine)?);
            let ((read, write), (kept, added)) = (gathered(old)?, gathered(new)?);
            let (from, to) = gathered(combine)?;
            let partial = new.accesses[write].array()?;
            let whole = old.accesses[write].array()?;
            let name = &claim.combine;
            if (read, write) != (kept, added) || before.array_by_name(&partial).is_some() {
                return different(format!("`{}` has no partial results", claim.update));
            }
            let element = |scop: &Scop, name: &str| scop.array_by_name(name).map(|array| array.element);
            if element(before, &whole) != element(after, &partial) {
                return different(format!("`{partial}` has elements of another type"));
            }
            let [zero] = &neutral.accesses[..] else { return different(format!("`{}` reads", claim.neutral)) };
            let part = partial_read(combine, (from, to))?;
            let is_own = |access: &Access| Ok::<_, isl::Error>(access.array()? == partial);
            if zero.kind != AccessKind::MustWrite || !is_own(zero)? || !is_own(part)? {
                return different(format!("`{name}` gathers something else"));
            }
            if combine.accesses[to].array()? != whole {
                return different(format!("`{name}` gathers somewhere else"));
            }
            let gathers = [kept, added].map(|position| (new, &new.accesses[position]));
            let others = [(neutral, zero), (combine, part), (combine, &combine.accesses[to])];
            for (statement, access) in gathers.into_iter().chain(others) {
                accesses_one(after, statement, access)?;
            }
            let touched = |scop: &Scop, statement: &Statement, access: &Access| -> isl::Result<Set> {
                access.relation.clone().intersect_domain(within(scop, statement)?)?.range()
            };
            let allowed = touched(before, old, &old.accesses[write])?;
            if !touched(after, combine, &combine.accesses[to])?.is_subset(&allowed)? {
                return different(format!("`{name}` touches memory that the region does not"));
            }
        }
        Ok(())
    }

    /// Both regions with a node for each reduction.
    pub fn folded(
        &self,
        before: &Scop,
        after: &Scop,
        mut old: Flow,
        mut new: Flow,
    ) -> Result<(Flow, Flow), LayoutError> {
        for (number, claim) in self.claims.iter().enumerate() {
            let node = node(number);
            let (update, same) = (statement(before, &claim.update)?, statement(after, &claim.update)?);
            let (neutral, combine) = (statement(after, &claim.neutral)?, statement(after, &claim.combine)?);
            let whole = Chain::of(before, update, &claim.reduction, gathered(update)?, &node)?;
            let parts = Chain::of(after, same, &claim.reduction, gathered(same)?, &node)?;
            let combined = Chain::of(after, combine, &claim.combined, gathered(combine)?, &node)?;
            if !whole.reads.clone().range()?.is_equal(&combined.reads.clone().range()?)? {
                return different(format!("`{}` gathers other reductions", claim.combine));
            }
            let zero = references(after, neutral, &neutral.accesses[0])?.to_union_set()?;
            // { [combine[x] -> R[]] -> N[k] }
            let last = partial_read(combine, gathered(combine)?)?;
            let last = tagged(after, combine, last, &claim.combined, &node)?;
            new = parts.ending(zero, &last, new, &claim.update)?;
            old = whole.folded(old, &claim.update)?;
            new = combined.folded(new, &claim.combine)?;
        }
        Ok((old, new))
    }

    /// None of some writes is a reduction: `{ write -> write }`.
    pub fn leave_out(&self, pairs: &UnionMap) -> isl::Result<bool> {
        let all = pairs.clone().domain()?.union(pairs.clone().range()?)?;
        for set in all.set_list()?.to_vec()? {
            let name = set.tuple_name()?;
            if (0..self.claims.len()).any(|number| name.as_deref() == Some(node(number).as_str())) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Chain {
    fn of(
        scop: &Scop,
        statement: &Statement,
        reduction: &Map,
        (read, write): (usize, usize),
        node: &str,
    ) -> Result<Self, LayoutError> {
        let own = reduction.clone().intersect_domain(within(scop, statement)?)?;
        if !own.is_single_valued()? || !within(scop, statement)?.is_subset(&own.domain()?)? {
            return different(format!("`{}` is a part of no reduction, or of several", statement.name));
        }
        let tagged = |position: usize| tagged(scop, statement, &statement.accesses[position], reduction, node);
        Ok(Chain { reads: tagged(read)?, writes: tagged(write)? })
    }

    /// The flow without partial results: each goes from a neutral element through updates of one reduction to one of the last
    /// reads, and nothing else reads it.
    fn ending(&self, neutral: UnionSet, last: &UnionMap, flow: Flow, name: &str) -> Result<Flow, LayoutError> {
        let reads = self.reads.clone().domain()?.union(last.clone().domain()?)?;
        let writes = self.writes.clone().domain()?.union(neutral)?;
        let read = flow.writers.clone().intersect_range(reads.clone())?;
        let written = flow.writers.clone().intersect_domain(writes.clone())?;
        let is_first = flow.live_in.clone().domain()?.intersect(reads.clone())?.is_empty()?;
        let is_own = is_first && read.is_equal(&written)? && reads.is_subset(&read.clone().range()?)?;
        if !is_own || !read.clone().reverse()?.is_single_valued()? {
            return different(format!("partial results of `{name}` are not its own"));
        }
        if !read.is_single_valued()? || !writes.is_subset(&read.clone().domain()?)? {
            return different(format!("partial results of `{name}` get lost, or are gathered twice"));
        }
        let to = self.reads.clone().union(last.clone())?;
        let updates = read.clone().intersect_domain(self.writes.clone().domain()?)?;
        if !stays_within(updates, &self.writes, &to)? {
            return different(format!("partial results of `{name}` are of other reductions"));
        }
        let writers = flow.writers.subtract_domain(writes)?;
        Ok(Flow { writers, live_in: flow.live_in })
    }

    /// The flow with a node for each reduction, of which this is the only chain.
    fn folded(&self, flow: Flow, name: &str) -> Result<Flow, LayoutError> {
        let (reads, writes) = (self.reads.clone().domain()?, self.writes.clone().domain()?);
        // { write -> read }
        let read = flow.writers.clone().intersect_range(reads.clone())?;
        let inner = read.clone().intersect_domain(writes.clone())?;
        let from_before = flow.live_in.clone().domain()?.intersect(reads.clone())?;
        let is_one = read.clone().reverse()?.is_single_valued()? && from_before.is_disjoint(&read.clone().range()?)?;
        if !is_one || !reads.is_subset(&read.range()?.union(from_before)?)? {
            return different(format!("what `{name}` gathers comes from several writes, or from none"));
        }
        let is_chain = inner.is_single_valued()? && stays_within(inner.clone(), &self.writes, &self.reads)?;
        let first = self.reads.clone().subtract_domain(inner.clone().range()?)?;
        if !is_chain || !first.is_injective()? {
            return different(format!("what `{name}` gathers is no single chain for each reduction"));
        }
        let handed_on = inner.clone().domain()?;
        if !flow.writers.clone().intersect_domain(handed_on.clone())?.is_equal(&inner)? {
            return different(format!("what `{name}` has gathered is read before it is whole"));
        }
        let last = self.writes.clone().subtract_domain(handed_on)?;
        let others = flow.writers.clone().subtract_domain(writes)?;
        let writers = others.union(flow.writers.intersect_domain(last.clone().domain()?)?.apply_domain(last)?)?;
        let outside = writers.clone().subtract_range(reads.clone())?;
        let into = writers.intersect_range(first.clone().domain()?)?.apply_range(first.clone())?;
        let live_in = flow.live_in.clone().subtract_domain(reads)?;
        let live_in = live_in.union(flow.live_in.intersect_domain(first.clone().domain()?)?.apply_domain(first)?)?;
        Ok(Flow { writers: outside.union(into)?, live_in })
    }
}

/// Values `{ write -> read }` are handed on within reductions.
fn stays_within(pairs: UnionMap, writes: &UnionMap, reads: &UnionMap) -> isl::Result<bool> {
    // { N[k] -> N[k'] }
    let pairs = pairs.apply_domain(writes.clone())?.apply_range(reads.clone())?;
    pairs.is_subset(&pairs.clone().domain()?.identity()?)
}

/// The name of a reduction's nodes.
fn node(number: usize) -> String {
    format!("polyrs_reduction_{number}")
}

fn statement<'s>(scop: &'s Scop, name: &str) -> Result<&'s Statement, LayoutError> {
    match scop.statement_by_name(name) {
        Some(id) => Ok(scop.statement(id)),
        None => different(format!("`{name}` is missing")),
    }
}

fn gathered(statement: &Statement) -> Result<(usize, usize), LayoutError> {
    match statement.gathered_alone()? {
        Some(found) => Ok(found),
        None => different(format!("`{}` gathers nothing", statement.name)),
    }
}

/// What a statement reads besides what it gathers in.
fn partial_read(combine: &Statement, (from, to): (usize, usize)) -> Result<&Access, LayoutError> {
    let mut others = combine.accesses.iter().enumerate().filter(|(position, _)| *position != from && *position != to);
    match (others.next(), others.next()) {
        (Some((_, part)), None) if part.kind == AccessKind::Read => Ok(part),
        _ => different(format!("`{}` gathers something else", combine.name)),
    }
}

/// The instances that there are: `{ S[i] }`.
fn within(scop: &Scop, statement: &Statement) -> isl::Result<Set> {
    statement.domain.clone().intersect_params(scop.context.clone())
}

/// Each instance accesses one element.
fn accesses_one(scop: &Scop, statement: &Statement, access: &Access) -> Result<(), LayoutError> {
    let instances = within(scop, statement)?;
    let relation = access.relation.clone().intersect_domain(instances.clone())?;
    if relation.is_single_valued()? && instances.is_subset(&relation.domain()?)? {
        return Ok(());
    }
    different(format!("`{}` does not access one element", statement.name))
}

/// The references of an access: `{ [S[i] -> R[]] }`.
fn references(scop: &Scop, statement: &Statement, access: &Access) -> isl::Result<Set> {
    access.tag(access.relation.clone().intersect_domain(within(scop, statement)?)?)?.domain()
}

/// `{ [S[i] -> R[]] -> N[k] }` for `{ S[i] -> [k] }`.
fn tagged(scop: &Scop, statement: &Statement, access: &Access, reduction: &Map, node: &str) -> isl::Result<UnionMap> {
    let named = reduction.clone().set_tuple_id(DimType::Out, Id::new(scop.ctx(), node)?)?;
    let instances = references(scop, statement, access)?.unwrap_map()?.domain_map()?;
    instances.apply_range(named)?.to_union_map()
}
