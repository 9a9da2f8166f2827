//! Partial results of reductions, as the integrated choice of section 5 has them (Figure 11): what a loop gathers in one
//! element, `C[i][j] += ...` for all `k`, is gathered in a few elements first, so that nothing orders the iterations that
//! go to different ones. They run in parallel, or as the lanes of vectors. This changes the order of the operations.
//!
//! A loop around the update, of which the element does not depend, is shared out: iteration `k = block * (parts * q + p) + y`
//! goes to partial result `p`. Where the region has `T[i, k]` that gathers in `A[e]`, the new one has `T[i, p, q, y]` that
//! gathers in `A'[p, e]`, in the old order; before a part of the region that has all of the reduction, `neutral[p, i]` writes
//! the neutral element, and behind it `combine[p, i]` gathers all in `A[e]`, in the order of `p`. So the result is the same
//! each time, whatever runs in parallel.
//!
//! All of this is what makes a good candidate; that the region computes the same but for the order is proved as for any
//! layout (`src/check/layout/reduction.rs`).

use super::Error;
use super::clause::Reduce;
use super::expansion::expression;
use super::map::{elements, extents};
use crate::codegen::{Expr, IteratorId, Overflow};
use crate::isl::{self, DimType, Id, Map, PwAff, Set};
use crate::proximity::Subscripts;
use crate::scop::{Access, AccessKind, Array, ElementKind, Reduction, Role, Scop, Statement, StatementId};

/// The partial results of what a statement gathers.
#[derive(Debug, Clone)]
pub struct PartialSums {
    /// The statement.
    pub update: StatementId,
    /// The array that it gathers values in, by its position in the region.
    pub array: usize,
    /// How many partial results an element has.
    pub parts: i64,
    /// So many successive iterations go to the same one.
    pub block: i64,
    /// The loop that is shared out, by its position around the statement.
    pub split: usize,
    /// So many outermost loops are around all of a reduction.
    pub depth: usize,
    /// The loops, by their positions, that tell a statement's reductions apart.
    pub kept: Vec<usize>,
    /// The array's own extents: `[p] -> { [(l)] }`.
    pub(super) extent: Vec<PwAff>,
}

/// The bytes of a cache line.
const LINE: i64 = 64;

/// Why there are no partial results, to be read behind the name of the array.
pub(super) type Reason = &'static str;

impl PartialSums {
    /// The partial results that a user asks for, one choice for each number of loops that may be around all of a
    /// reduction, for each statement that gathers values in the array.
    ///
    /// # Errors
    /// What makes them impossible, at its place; failures of isl.
    pub(super) fn asked(scop: &Scop, wanted: &Reduce) -> Result<Vec<Vec<Self>>, Error> {
        let Reduce { array: name, parts, block, split, place } = wanted;
        let refuse = |reason: &str| Error::Directive(place.error(format!("`{name}` {reason}")));
        if scop.array_by_name(name).is_none() {
            return Err(refuse("is no array of the region"));
        }
        let mut all = Vec::new();
        let is_float = scop.array_by_name(name).is_some_and(|array| array.element.kind == ElementKind::Float);
        let mut reason = if is_float {
            "is gathered by no operation whose order may be changed: of floating-point numbers it has to be allowed, by \
             fastmath<reassoc>, -fassociative-math or reorder-reductions=true"
        } else {
            "is gathered by no statement that combines its only read and its only write of an element by one kind of \
             operation"
        };
        for number in 0..scop.statements.len() {
            let update = StatementId(number);
            let gathered = scop.statement(update).gathered_alone()?.map(|(_, write)| write);
            let gathered = gathered.map(|write| scop.statement(update).accesses[write].array()).transpose()?;
            if gathered.as_ref() == Some(name) {
                match Self::of(scop, update, (*parts, *block), *split)? {
                    Ok(found) => all.push(found),
                    Err(found) => reason = found,
                }
            }
        }
        if all.is_empty() { Err(refuse(reason)) } else { Ok(all) }
    }

    /// The partial results of a statement, for each number of loops around all of a reduction, fewest first; or why there
    /// are none.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of(
        scop: &Scop,
        update: StatementId,
        (parts, block): (i64, i64),
        split: Option<usize>,
    ) -> isl::Result<Result<Vec<Self>, Reason>> {
        let statement = scop.statement(update);
        let is_update = statement.reduction.is_some_and(|reduction| reduction.role == Role::Update);
        let (Some((_, write)), true) = (statement.gathered_alone()?, is_update) else {
            return Ok(Err("is not only gathered by statements that use it"));
        };
        // { T[i] -> A[e] }
        let access = statement.accesses[write].relation.clone().intersect_domain(within(scop, statement)?)?;
        let name = statement.accesses[write].array()?;
        let Some(array) = scop.arrays.iter().position(|array| array.name == name) else {
            return Ok(Err("is no array of the region"));
        };
        if scop.arrays[array].element.kind == ElementKind::Other || !access.is_single_valued()? {
            return Ok(Err("has elements of which the size, or which one is meant, is not known"));
        }
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let Some(extent) = extents(scop, &parameters, &scop.arrays[array], &[])? else {
            return Ok(Err("has no known extents"));
        };
        if !access.clone().range()?.is_subset(&elements(scop, &name, &extent)?)? {
            return Ok(Err("is accessed outside of its extents, or at subscripts that may be negative"));
        }
        let depth = statement.domain.dim(DimType::SET)?;
        let mut all = Vec::new();
        for around in 0..depth {
            let kept = kept(&access, around, depth)?;
            let shared: Vec<usize> = (around..depth).filter(|one| !kept.contains(one)).collect();
            let Some(split) = split.map_or(shared.first().copied(), |one| shared.contains(&one).then_some(one)) else {
                continue;
            };
            let extent = extent.clone();
            all.push(PartialSums { update, array, parts, block, split, depth: around, kept, extent });
        }
        Ok(match (all.is_empty(), depth) {
            (false, _) => Ok(all),
            (true, 0) => Err("is gathered outside of all loops"),
            (true, _) => Err("is not gathered by that loop: its elements depend on it"),
        })
    }

    /// How many iterators stand for the one that is shared out.
    fn pieces(&self) -> usize {
        if self.block == 1 { 2 } else { 3 }
    }

    /// The iterators of the old update, as expressions over those of the new one.
    ///
    /// # Errors
    /// A number does not fit.
    pub(super) fn former_iterators(&self, depth: usize) -> Result<Vec<Expr>, Overflow> {
        let iterator = |position: usize| Expr::Iterator(IteratorId(position));
        let mut all = Vec::new();
        for position in 0..depth {
            all.push(if position < self.split {
                iterator(position)
            } else if position > self.split {
                iterator(position + self.pieces() - 1)
            } else {
                let scale = self.block.checked_mul(self.parts).ok_or(Overflow)?;
                let outer = iterator(position).times(self.block)?.plus(&iterator(position + 1).times(scale)?)?;
                if self.block == 1 { outer } else { outer.plus(&iterator(position + 2))? }
            });
        }
        Ok(all)
    }

    /// What instances were: `{ T[i'] -> T[i] }`.
    pub(super) fn former(&self, statement: &Statement) -> isl::Result<Map> {
        let depth = statement.domain.dim(DimType::SET)?;
        let names = |prefix: &str, count: usize| (0..count).map(|k| format!("{prefix}{k}")).collect::<Vec<_>>();
        let (outer, inner) = (names("o", self.split), names("i", depth - self.split - 1));
        let pieces = ["p", "q", "y"][..self.pieces()].iter().map(|one| (*one).to_owned());
        let new = outer.iter().cloned().chain(pieces).chain(inner.iter().cloned()).collect::<Vec<_>>();
        let old = outer.iter().cloned().chain(["k".to_owned()]).chain(inner).collect::<Vec<_>>();
        let (parts, block) = (self.parts, self.block);
        let within = if block == 1 { String::new() } else { format!(" and 0 <= y < {block}") };
        let rest = if block == 1 { "" } else { " + y" };
        let text = format!(
            "{{ [{}] -> [{}] : 0 <= p < {parts}{within} and k = {block} * ({parts} * q + p){rest} }}",
            new.join(", "),
            old.join(", "),
        );
        let id = || Id::new(statement.domain.ctx(), &statement.name);
        Map::parse(statement.domain.ctx(), &text)?.set_tuple_id(DimType::In, id()?)?.set_tuple_id(DimType::Out, id()?)
    }

    /// `{ T[i'] -> [p] }`, of the new update.
    pub(super) fn part(&self, updates: &Set) -> isl::Result<Map> {
        component(updates, self.split)
    }

    /// The reduction of an instance: `{ T[i] -> [k] }`.
    pub(super) fn reduction(&self, updates: &Set) -> isl::Result<Map> {
        let space = updates.clone().space()?;
        let range = updates.clone().params()?.space()?.add_unnamed_tuple_ui(self.kept.len())?;
        let mut map = Map::universe(space.map_from_domain_and_range(range)?)?.intersect_domain(updates.clone())?;
        for (to, from) in self.kept.iter().enumerate() {
            map = map.equate(DimType::In, small(*from), DimType::Out, small(to))?;
        }
        Ok(map)
    }

    /// The instances of a statement that is there for each partial result of each reduction: `{ T[i] -> X[p, k] }`.
    pub(super) fn per_part(&self, updates: &Set, name: &str) -> isl::Result<Map> {
        let parts = Set::parse(updates.ctx(), &format!("{{ [p] : 0 <= p < {} }}", self.parts))?;
        let parts = Map::from_domain_and_range(updates.clone(), parts)?;
        let all = parts.flat_range_product(self.reduction(updates)?)?;
        all.set_tuple_id(DimType::Out, Id::new(updates.ctx(), name)?)
    }

    /// The subscripts of the element that is gathered, as expressions over the iterators of a statement that is there for
    /// each partial result, of which this is the access `{ X[p, k] -> A[e] }`; `None` where they are not affine.
    pub(super) fn element(&self, scop: &Scop, access: &Map) -> isl::Result<Option<Vec<Expr>>> {
        let instances = access.clone().domain()?;
        let Some(known) = Subscripts::of(access, access, &instances)? else { return Ok(None) };
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        Ok(Some(known.expressions.iter().map(|one| expression(one, &parameters)).collect()))
    }

    /// The reduction that is gathered: `{ X[p, k] -> [k] }`.
    pub(super) fn combined(&self, instances: &Set) -> isl::Result<Map> {
        instances.clone().identity()?.project_out(DimType::Out, 0, 1)
    }

    /// The statements that write neutral elements and gather partial results, with the names of the statement, of its
    /// array's partial results and of three references.
    pub(super) fn statements(
        &self,
        scop: &Scop,
        [neutral, combine]: [&str; 2],
        partial: &str,
        references: [String; 4],
    ) -> isl::Result<[Statement; 2]> {
        let update = scop.statement(self.update);
        let updates = within(scop, update)?;
        let whole = self.gathered_access(update)?;
        let array = &scop.arrays[self.array].name;
        let operator = update.reduction.map(|reduction| reduction.operator);
        let operator = operator.ok_or_else(|| isl::Error::invalid("a reduction without an operator"))?;
        let make = |name: &str, role, text: String| -> isl::Result<(Statement, Map, Map)> {
            // { T[i] -> X[p, k] }
            let instances = self.per_part(&updates, name)?;
            let domain = instances.clone().range()?;
            // { X[p, k] -> A[e] } and { X[p, k] -> A'[p, e] }
            let own = instances.reverse()?.apply_range(whole.relation.clone())?;
            let part = component(&domain, 0)?.flat_range_product(self.beside(scop, own.clone())?)?;
            let part = part.set_tuple_id(DimType::Out, Id::new(scop.ctx(), partial)?)?;
            let [own, part] = [own.gist_domain(domain.clone())?, part.gist_domain(domain.clone())?];
            let domain = domain.gist_params(scop.context.clone())?.coalesce()?;
            let (side_effect, may_trap, copy) = (false, false, false);
            let (name, reduction) = (name.to_owned(), Some(Reduction { operator, role }));
            let accesses = Vec::new();
            let (block, parts) = (None, 1);
            let statement =
                Statement { name, domain, accesses, side_effect, may_trap, copy, reduction, block, parts, text };
            Ok((statement, own, part))
        };
        let (mut zero, _, part) =
            make(neutral, Role::Neutral, format!("partial results of {array}, nothing gathered"))?;
        let [a, b, c, d] = references;
        let access = Access::new;
        zero.accesses = vec![access(a, AccessKind::MustWrite, part)];
        let (mut last, own, part) = make(combine, Role::Combine, format!("partial results of {array} gathered"))?;
        last.accesses = vec![
            access(b, AccessKind::Read, own.clone()),
            access(c, AccessKind::Read, part),
            access(d, AccessKind::MustWrite, own),
        ];
        Ok([zero, last])
    }

    /// Partial results of one element are in lines of their own where threads are meant to gather them, as blocks are for
    /// these: so many elements. Without blocks they are the lanes of vectors.
    pub(super) fn line(&self, scop: &Scop) -> Option<i64> {
        let array = &scop.arrays[self.array];
        let elements = LINE / i64::from(array.element.bytes().max(1));
        (array.rank() == 0 && self.block > 1 && elements > 1).then_some(elements)
    }

    /// Subscripts that are those of an element, behind the number of a partial result.
    pub(super) fn beside(&self, scop: &Scop, access: Map) -> isl::Result<Map> {
        match self.line(scop) {
            None => Ok(access),
            Some(_) => access.add_dims(DimType::Out, 1)?.fix_si(DimType::Out, 0, 0),
        }
    }

    /// The array of partial results.
    pub(super) fn array(&self, scop: &Scop, name: String) -> isl::Result<Array> {
        let old = &scop.arrays[self.array];
        let parts = Set::universe(scop.context.space()?)?;
        let parts = PwAff::val_on_domain(parts, isl::Val::int(scop.ctx(), self.parts)?)?;
        let line = self.line(scop).map(|elements| {
            let everywhere = Set::universe(scop.context.space()?)?;
            PwAff::val_on_domain(everywhere, isl::Val::int(scop.ctx(), elements)?)
        });
        let all = std::iter::once(parts).chain(self.extent.iter().cloned()).chain(line.transpose()?);
        let extent = all.map(Some).collect();
        Ok(Array::new(name, extent, old.element, crate::scop::ArrayKind::Local))
    }

    fn gathered_access<'s>(&self, update: &'s Statement) -> isl::Result<&'s Access> {
        let found = update.gathered_alone()?.ok_or_else(|| isl::Error::invalid("an update that gathers nothing"))?;
        Ok(&update.accesses[found.1])
    }
}

/// The loops that tell reductions apart: those around, and of the others those that the element depends on.
fn kept(access: &Map, around: usize, depth: usize) -> isl::Result<Vec<usize>> {
    let mut rest = access.clone();
    let mut kept = Vec::new();
    for position in (0..depth).rev() {
        let without = rest.clone().project_out(DimType::In, position, 1)?;
        if position < around || !without.is_single_valued()? {
            kept.insert(0, position);
        } else {
            // Positions stay.
            rest = without.insert_dims(DimType::In, position, 1)?;
        }
    }
    Ok(kept)
}

/// `{ S[i] -> [i_k] }`
fn component(instances: &Set, position: usize) -> isl::Result<Map> {
    let rank = instances.dim(DimType::SET)?;
    let outer = instances.clone().identity()?.project_out(DimType::Out, position + 1, rank - position - 1)?;
    outer.project_out(DimType::Out, 0, position)
}

/// The instances that there are: `{ S[i] }`.
pub(super) fn within(scop: &Scop, statement: &Statement) -> isl::Result<Set> {
    statement.domain.clone().intersect_params(scop.context.clone())
}

fn small(position: usize) -> i32 {
    i32::try_from(position).unwrap_or(i32::MAX)
}
