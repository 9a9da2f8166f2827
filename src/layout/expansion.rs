//! Value-based layouts (section 3.2): storage that is used again in each iteration of some loops gets a place for each
//! of these iterations, so that nothing but the flow of values orders them. Scalars and rows of sums that loops use anew
//! cost neither parallelism nor distribution then.
//!
//! An array `A[e]` is expanded along the `d` outermost loops of the statements that access it: instance `S[i]` accesses
//! `A'[i0, ..., i(d-1), e]`. Every value has to be read in the iteration that wrote it, and nothing that was there before
//! the region may be read: there is no iteration that has it. What is seen after the region is copied out from the
//! iteration that writes it last. All of this is what makes a good candidate; that the region computes the same is proved
//! as for any layout (`src/check/layout/mod.rs`).

use super::Error;
use super::clause::Expand;
use super::map::{elements, extents, length};
use crate::codegen::{Expr, IteratorId};
use crate::isl::{self, DimType, Id, Map, PwAff, Set, UnionAccessInfo, UnionFlow, UnionMap};
use crate::proximity::{Subscript, Subscripts};
use crate::scop::{AccessKind, ArrayKind, ElementKind, Scop, below};

/// An array with a place for each iteration of the outermost loops around its accesses.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The array, by its position in the region.
    pub array: usize,
    /// The lengths of the loops, outermost first, and then the array's own extents: `[p] -> { [(l)] }`.
    pub extent: Vec<PwAff>,
    /// How many of these are loops.
    pub loops: usize,
    /// What is copied out.
    pub(super) last: Option<Last>,
}

/// Elements that are seen after the region, and where they are then.
#[derive(Debug, Clone)]
pub(super) struct Last {
    /// What is written and seen: `{ A[e] }`.
    pub elements: Set,
    /// The iterations that write them last: expressions over the array's subscripts and parameters.
    pub iteration: Vec<Expr>,
    /// The same, `{ A[e] -> [i] }`.
    pub relation: Map,
}

impl Expansion {
    /// The expansion of an array that separates all iterations that can be, along no more loops than that takes; `None`
    /// where there is none, or nothing to separate.
    ///
    /// # Errors
    /// Those of isl.
    pub fn best(scop: &Scop, array: usize) -> isl::Result<Option<Self>> {
        let Ok(uses) = Uses::of(scop, array)? else { return Ok(None) };
        let flow = uses.flow(scop);
        let Some(most) = uses.most_loops(flow)? else { return Ok(None) };
        // What the place of a value tells about the iteration that has it.
        let iterations = |loops: usize| -> isl::Result<UnionMap> {
            // { [[i'] -> A[a]] -> [i] }
            uses.prefix(loops)?.range_product(uses.writes.clone())?.reverse()?.apply_range(uses.prefix(most)?)
        };
        for loops in 0..most {
            if iterations(loops)?.is_single_valued()? {
                return if loops == 0 { Ok(None) } else { Ok(uses.along(scop, loops)?.ok()) };
            }
        }
        Ok(uses.along(scop, most)?.ok())
    }

    /// The expansion that a user asks for.
    ///
    /// # Errors
    /// What makes it impossible, at its place; failures of isl.
    pub(super) fn asked(scop: &Scop, wanted: &Expand) -> Result<Self, Error> {
        let Expand { array: name, loops, place } = wanted;
        let refuse = |reason: &str| Error::Directive(place.error(format!("`{name}` {reason}")));
        let Some(array) = scop.arrays.iter().position(|array| array.name == *name) else {
            return Err(refuse("is no array of the region"));
        };
        let uses = Uses::of(scop, array)?.map_err(refuse)?;
        if uses.depth < *loops {
            return Err(refuse(&format!("has accesses within {} loops, not {loops}", uses.depth)));
        }
        let flow = uses.flow(scop);
        if !uses.stays_within(flow, *loops)? {
            return Err(refuse(&format!("has values that are read in another iteration of the {loops} loops")));
        }
        uses.along(scop, *loops)?.map_err(refuse)
    }

    /// The accesses to an array, as they are to the expanded one: `{ S[i] -> A'[i', a] }` for `{ S[i] -> A[a] }`.
    pub(super) fn relation(&self, accesses: Map, field: Id) -> isl::Result<Map> {
        let prefix = prefix(&Set::universe(accesses.clone().domain()?.space()?)?, self.loops)?;
        prefix.flat_range_product(accesses)?.set_tuple_id(DimType::Out, field)
    }
}

/// How a region uses an array.
struct Uses {
    array: usize,
    /// `{ S[i] -> A[a] }`
    reads: UnionMap,
    writes: UnionMap,
    /// The instance spaces of the statements that access it.
    instances: Vec<Set>,
    /// The number of loops that all of them have.
    depth: usize,
    /// From which accesses values come.
    flow: UnionFlow,
    /// The operations that this took: it counts as if it were found out where it is needed.
    operations: u64,
}

impl Uses {
    /// Or why the array cannot be expanded, whatever the loops.
    fn of(scop: &Scop, position: usize) -> isl::Result<Result<Self, Reason>> {
        let array = &scop.arrays[position];
        if array.element.kind == ElementKind::Other {
            return Ok(Err("has elements whose size is not known"));
        }
        let space = || scop.context.space();
        let none = || UnionMap::empty(space()?);
        let [mut reads, mut writes, mut kills] = [none()?, none()?, none()?];
        let (mut instances, mut depth) = (Vec::new(), usize::MAX);
        for statement in &scop.statements {
            let mut is_user = false;
            for access in &statement.accesses {
                if access.array()? != array.name {
                    continue;
                }
                let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
                let relation = relation.intersect_params(scop.context.clone())?;
                let of_kind = match access.kind {
                    AccessKind::Read => &mut reads,
                    AccessKind::MustWrite => &mut writes,
                    AccessKind::Kill => &mut kills,
                    AccessKind::MayWrite => return Ok(Err("is written under conditions on data")),
                };
                *of_kind = of_kind.clone().union(relation.clone().to_union_map()?)?;
                if access.kind != AccessKind::Kill {
                    if !relation.is_single_valued()? {
                        return Ok(Err("is accessed at subscripts that are not known"));
                    }
                    is_user = true;
                }
            }
            if is_user {
                depth = depth.min(statement.domain.dim(DimType::SET)?);
                instances.push(statement.domain.clone().intersect_params(scop.context.clone())?);
            }
        }
        if writes.is_empty()? {
            return Ok(Err("is never written"));
        }
        if depth == 0 {
            return Ok(Err("has accesses outside of all loops"));
        }
        let before = scop.ctx().operations();
        let flow = UnionAccessInfo::from_sink(reads.clone())?
            .set_may_source(writes.clone())?
            .set_kill(writes.clone().union(kills)?)?
            .set_schedule(scop.schedule.clone())?
            .compute_flow()?;
        let operations = scop.ctx().operations() - before;
        if !flow.may_no_source()?.is_empty()? {
            return Ok(Err("is read before it is written"));
        }
        Ok(Ok(Uses { array: position, reads, writes, instances, depth, flow, operations }))
    }

    fn flow(&self, scop: &Scop) -> &UnionFlow {
        // Where there is not as much left, the next call into isl says so.
        let _ = scop.ctx().charge(self.operations);
        &self.flow
    }

    /// `{ S[i] -> [i'] }`: the iterations of the outermost loops.
    fn prefix(&self, loops: usize) -> isl::Result<UnionMap> {
        let mut all: Option<UnionMap> = None;
        for instances in &self.instances {
            let one = prefix(instances, loops)?.to_union_map()?;
            all = Some(match all {
                None => one,
                Some(known) => known.union(one)?,
            });
        }
        all.ok_or_else(|| isl::Error::invalid("an array that nobody accesses"))
    }

    /// Values are read in the iteration of the outermost loops that wrote them.
    fn stays_within(&self, flow: &UnionFlow, loops: usize) -> isl::Result<bool> {
        let prefix = self.prefix(loops)?;
        // { S[i] -> T[j] }
        let pairs = flow.full_may_dependence()?.range_factor_domain()?;
        pairs.is_subset(&prefix.clone().apply_range(prefix.reverse()?)?)
    }

    /// The most loops along which the array can be expanded.
    fn most_loops(&self, flow: &UnionFlow) -> isl::Result<Option<usize>> {
        for loops in (1..=self.depth).rev() {
            if self.stays_within(flow, loops)? {
                return Ok(Some(loops));
            }
        }
        Ok(None)
    }

    fn along(&self, scop: &Scop, loops: usize) -> isl::Result<Result<Expansion, Reason>> {
        let array = &scop.arrays[self.array];
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let mut lengths = Vec::new();
        let iterations = self.prefix(loops)?.range()?;
        let iterations = iterations.as_set()?;
        if !iterations.is_bounded()? {
            return Ok(Err("has loops around it that have no known end"));
        }
        let mut not_negative = Set::universe(iterations.space()?)?;
        for dimension in 0..loops {
            let length = length(scop, &iterations, dimension, 1)?;
            not_negative = below(not_negative, dimension, length.clone())?;
            lengths.push(length);
        }
        if !iterations.is_subset(&not_negative)? {
            return Ok(Err("has loops around it whose variables may be negative"));
        }
        let Some(own) = extents(scop, &parameters, array, &[])? else { return Ok(Err("has no known extents")) };
        let accessed = self.reads.clone().union(self.writes.clone())?.range()?;
        if !accessed.is_subset(&elements(scop, &array.name, &own)?.to_union_set()?)? {
            return Ok(Err("is accessed outside of its extents, or at subscripts that may be negative"));
        }
        let last = match array.kind {
            ArrayKind::Memory | ArrayKind::Scalar => match self.last(scop, loops)? {
                Ok(last) => last,
                Err(reason) => return Ok(Err(reason)),
            },
            ArrayKind::Local => None,
        };
        lengths.extend(own);
        Ok(Ok(Expansion { array: self.array, extent: lengths, loops, last }))
    }

    /// What is seen after the region, and the iteration that writes it last.
    fn last(&self, scop: &Scop, loops: usize) -> isl::Result<Result<Option<Last>, Reason>> {
        let array = &scop.arrays[self.array];
        let space = scop.context.space()?.add_named_tuple_id_ui(Id::new(scop.ctx(), &array.name)?, array.rank())?;
        let seen = scop.live_out.extract_set(space)?.intersect_params(scop.context.clone())?;
        if seen.is_empty()? {
            return Ok(Ok(None));
        }
        if array.kind == ArrayKind::Scalar {
            return Ok(Err("is a value that is used after the region"));
        }
        // { A[e] -> S[i] }
        let all = self.writes.clone().reverse()?.intersect_domain(seen.to_union_set()?)?;
        let dates = scop.schedule.map()?;
        let writers =
            all.clone().apply_range(dates.clone())?.lexmax()?.apply_range(dates.reverse()?)?.intersect(all)?;
        if writers.is_empty()? {
            return Ok(Ok(None));
        }
        // { A[e] -> [i] }
        let iterations = writers.apply_range(self.prefix(loops)?)?.as_map()?.coalesce()?;
        let elements = iterations.clone().domain()?;
        let known = match iterations.is_single_valued()? {
            true => Subscripts::of(&iterations, &iterations, &elements)?,
            false => None,
        };
        let Some(known) = known else {
            return Ok(Err(
                "is seen after the region, and the iteration that writes it last is no affine function of its subscripts",
            ));
        };
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let iteration = known.expressions.iter().map(|one| expression(one, &parameters)).collect();
        Ok(Ok(Some(Last { elements, iteration, relation: known.access.clone() })))
    }
}

/// Why an array is not expanded, to be read behind its name.
type Reason = &'static str;

/// `{ S[i] -> [i'] }`: the values of the outermost iterators.
pub(super) fn prefix(instances: &Set, loops: usize) -> isl::Result<Map> {
    let space = instances.clone().space()?;
    let outer = instances.clone().params()?.space()?.add_unnamed_tuple_ui(loops)?;
    let mut map = Map::universe(space.map_from_domain_and_range(outer)?)?.intersect_domain(instances.clone())?;
    for position in 0..i32::try_from(loops).unwrap_or(i32::MAX) {
        map = map.equate(DimType::In, position, DimType::Out, position)?;
    }
    Ok(map)
}

/// A subscript over iterators and parameters.
pub(super) fn expression(subscript: &Subscript, parameters: &[String]) -> Expr {
    let iterators = subscript.iterators.iter().enumerate().map(|(k, a)| (*a, Expr::Iterator(IteratorId(k))));
    let position = |name: &String| parameters.iter().position(|known| known == name);
    let named = subscript.parameters.iter().filter_map(|(name, a)| Some((*a, Expr::Parameter(position(name)?))));
    let scaled = iterators.chain(named).filter(|(a, _)| *a != 0).map(|(a, one)| match a {
        1 => one,
        _ => Expr::Mul(a, Box::new(one)),
    });
    let sum = scaled.reduce(|sum, one| Expr::Add(Box::new(sum), Box::new(one)));
    match (sum, subscript.constant) {
        (None, constant) => Expr::Const(constant),
        (Some(sum), 0) => sum,
        (Some(sum), constant) => Expr::Add(Box::new(sum), Box::new(Expr::Const(constant))),
    }
}
