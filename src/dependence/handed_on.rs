//! Values that statements hand on to others in the same iteration.
//!
//! Most scalars of three-address code are written by one statement and read by others behind it in the same iteration
//! of the same loops. What depends on what there needs no dataflow analysis, which for dozens of such scalars takes most
//! of the work on a region: each read sees the write of its own iteration, and the next life of the scalar begins in the
//! next iteration. The same relations come out as from the analysis of all accesses ([`super::Dependences::compute`]).

use crate::isl::{DimType, Id, Map, Result, Set, UnionMap};
use crate::schedule_tree::Positions;
use crate::scop::{Access, AccessKind, ArrayKind, Scop, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// A scalar that hands on values.
pub(crate) struct Value<'s> {
    /// Who writes it, and by what.
    pub write: (&'s Statement, &'s Access),
    /// Who reads it, by what and in which iterations `{ R[i] }`, in textual order.
    pub reads: Vec<(&'s Statement, &'s Access, Set)>,
    /// When it is written: `{ W[i] }`.
    pub domain: Set,
}

/// The scalars of a region that hand on values.
pub(crate) struct HandedOn<'s> {
    pub values: Vec<Value<'s>>,
    /// Iterations of writers `{ W[i] }` with all that come later and with the next one: `{ W[i] -> W[i'] }`.
    later: BTreeMap<String, (Map, Map)>,
}

impl<'s> HandedOn<'s> {
    /// Finds them.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn of(scop: &'s Scop) -> Result<HandedOn<'s>> {
        let mut found = HandedOn { values: Vec::new(), later: BTreeMap::new() };
        let mut by_array: BTreeMap<String, Vec<(&Statement, &Access)>> = BTreeMap::new();
        for statement in &scop.statements {
            for access in &statement.accesses {
                by_array.entry(access.array()?).or_default().push((statement, access));
            }
        }
        let scalars = scop.arrays.iter().filter(|array| array.kind == ArrayKind::Scalar && array.rank() == 0);
        let mut candidates = Vec::new();
        for array in scalars {
            let accesses = by_array.remove(&array.name).unwrap_or_default();
            let is_write = |access: &Access| access.kind == AccessKind::MustWrite;
            let is_plain = |access: &Access| is_write(access) || access.kind == AccessKind::Read;
            let writes = accesses.iter().filter(|(_, access)| is_write(access)).count();
            let plain = accesses.iter().all(|(_, access)| is_plain(access));
            if writes == 1 && accesses.len() > 1 && plain && !scop.is_seen_after(array)? {
                candidates.push(accesses);
            }
        }
        if candidates.is_empty() {
            return Ok(found);
        }
        let positions = Positions::of(&scop.schedule)?;
        for accesses in candidates {
            if let Some(value) = value(scop, &positions, accesses)? {
                found.add_order(&value)?;
                found.values.push(value);
            }
        }
        Ok(found)
    }

    /// The names of the scalars.
    pub fn names(&self) -> Result<BTreeSet<String>> {
        self.values.iter().map(|value| value.write.1.array()).collect()
    }

    fn add_order(&mut self, value: &Value<'_>) -> Result<()> {
        if !self.later.contains_key(&value.write.0.name) {
            let space = value.domain.space()?.map_from_set()?;
            let all = Map::lex_lt(value.domain.space()?)?;
            debug_assert!(all.space()?.is_equal(&space)?, "a relation on the domain");
            let all = all.intersect_domain(value.domain.clone())?.intersect_range(value.domain.clone())?;
            let next = all.clone().lexmin()?;
            self.later.insert(value.write.0.name.clone(), (all, next));
        }
        Ok(())
    }

    /// Each access with the one that is next to the same scalar, those of a statement counted once: `{ S[i] -> T[j] }`, by
    /// the names of the scalar and of `T`. `None` where some iteration leaves a read out.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn nearest(&self, value: &Value<'_>) -> Result<Option<Vec<(String, Map)>>> {
        let mut uses = vec![&value.write.0.name];
        for (reader, _, domain) in &value.reads {
            let own = domain.clone().set_tuple_id(value.domain.tuple_id()?)?;
            if !value.domain.is_subset(&own)? {
                return Ok(None);
            }
            if uses.last() != Some(&&reader.name) {
                uses.push(&reader.name);
            }
        }
        let same = Map::identity(value.domain.space()?.map_from_set()?)?.intersect_domain(value.domain.clone())?;
        let mut found = Vec::new();
        for pair in uses.windows(2) {
            found.push((pair[1].clone(), renamed(same.clone(), pair[0], pair[1])?));
        }
        let (_, next) = &self.later[&value.write.0.name];
        if let Some(last) = uses.last() {
            found.push((value.write.0.name.clone(), renamed(next.clone(), last, &value.write.0.name)?));
        }
        Ok(Some(found))
    }

    /// Each read with the write that it sees: `{ [W[i] -> R[]] -> [S[i] -> Q[]] }`.
    pub fn tagged_flow(&self, scop: &Scop) -> Result<UnionMap> {
        let mut all = UnionMap::empty(scop.context.space()?)?;
        for value in &self.values {
            for (reader, access, domain) in &value.reads {
                let same = renamed(Map::identity(domain.space()?.map_from_set()?)?, &value.write.0.name, &reader.name)?;
                let pairs = same.intersect_range(domain.clone())?;
                all = all.union(tagged(pairs, value.write.1, access)?)?;
            }
        }
        Ok(all)
    }

    /// Each read with all writes that come later: `{ [S[i] -> Q[]] -> [W[i'] -> R[]] }`.
    pub fn tagged_order(&self, scop: &Scop) -> Result<UnionMap> {
        let mut all = UnionMap::empty(scop.context.space()?)?;
        for value in &self.values {
            let (later, _) = &self.later[&value.write.0.name];
            for (reader, access, domain) in &value.reads {
                let pairs = renamed(later.clone(), &reader.name, &value.write.0.name)?;
                all = all.union(tagged(pairs.intersect_domain(domain.clone())?, access, value.write.1)?)?;
            }
        }
        Ok(all)
    }

    /// Each access with the write that comes next: `{ S[i] -> W[i'] }`.
    pub fn dep_false(&self, scop: &Scop) -> Result<UnionMap> {
        let mut all = UnionMap::empty(scop.context.space()?)?;
        for value in &self.values {
            let (_, next) = &self.later[&value.write.0.name];
            all = all.union(next.clone().to_union_map()?)?;
            for (reader, _, domain) in &value.reads {
                let pairs = renamed(next.clone(), &reader.name, &value.write.0.name)?;
                all = all.union(pairs.intersect_domain(domain.clone())?.to_union_map()?)?;
            }
        }
        Ok(all)
    }
}

/// What hands on values by these accesses, one of which is a write; nothing if it does more than that.
fn value<'s>(
    scop: &Scop,
    positions: &Positions,
    accesses: Vec<(&'s Statement, &'s Access)>,
) -> Result<Option<Value<'s>>> {
    let executed = |statement: &Statement, access: &Access| {
        let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
        relation.domain()?.intersect_params(scop.context.clone())
    };
    let (writes, reads): (Vec<_>, Vec<_>) =
        accesses.into_iter().partition(|(_, access)| access.kind == AccessKind::MustWrite);
    let [write] = writes[..] else { return Ok(None) };
    let domain = executed(write.0, write.1)?;
    let mut value = Value { write, reads: Vec::new(), domain };
    let mut is_always_read = false;
    for (reader, access) in reads {
        let (writer, name) = (&write.0.name, &reader.name);
        let follows = positions.number(name) > positions.number(writer);
        if !follows
            || !positions.share_loops(writer, name)
            || !positions.are_iterations(name, reader.domain.dim(DimType::SET)?)?
        {
            return Ok(None);
        }
        let domain = executed(reader, access)?;
        if domain.dim(DimType::SET)? != value.domain.dim(DimType::SET)? {
            return Ok(None);
        }
        let own = domain.clone().set_tuple_id(Id::new(scop.ctx(), writer)?)?;
        if !own.is_subset(&value.domain)? {
            return Ok(None);
        }
        is_always_read = is_always_read || value.domain.is_subset(&own)?;
        value.reads.push((reader, access, domain));
    }
    let is_one = positions.are_iterations(&write.0.name, write.0.domain.dim(DimType::SET)?)? && is_always_read;
    value.reads.sort_by_key(|(reader, ..)| positions.number(&reader.name));
    Ok(is_one.then_some(value))
}

/// A relation between other statements.
fn renamed(map: Map, source: &str, sink: &str) -> Result<Map> {
    let ids = (Id::new(map.ctx(), source)?, Id::new(map.ctx(), sink)?);
    map.set_tuple_id(DimType::In, ids.0)?.set_tuple_id(DimType::Out, ids.1)
}

/// `{ S[i] -> T[j] }` as `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
fn tagged(pairs: Map, source: &Access, sink: &Access) -> Result<UnionMap> {
    let parameters = pairs.space()?.params()?;
    let tag = |access: &Access| -> Result<Set> {
        let id = Id::new(pairs.ctx(), &access.reference)?;
        Set::universe(parameters.clone().add_named_tuple_id_ui(id, 0)?)
    };
    let tags = Map::from_domain_and_range(tag(source)?, tag(sink)?)?;
    pairs.to_union_map()?.product(tags.to_union_map()?)
}
