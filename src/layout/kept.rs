//! Operands that are kept: what iterations of a loop read of an array is copied first, so that later writes to it wait for
//! nothing.
//!
//! Where each iteration of an outermost loop reads a row or a column of an array that it, and later ones, overwrite, as step
//! `k` of Floyd and Warshall's method reads row and column `k` for all of `p[i][j] = min(p[i][j], p[i][k] + p[k][j])`, what
//! one iteration does to the rest of the array has to be done before the next one changes the row. With a copy of the row as
//! it was, only the flow of values orders them, and several iterations may do what is left to do at once
//! ([`crate::transform::post_tile::right_looking`]).
//!
//! A statement `T[k, ...]` reads an operand `A[e]` of which a subscript is `k`. Some of its instances may read what the same
//! iteration has written, others what was there before: these become statements of their own, the *parts* of `T` (index-set
//! splitting, before, at and after the pivot). For each part `p` and operand `copy[e]` writes `A'[p, k mod n, e']`, right before the
//! first instance of the part that reads it, where `e'` are the other subscripts, and `n` iterations keep what they read at
//! the same time.
//!
//! All of this is what makes a good candidate; that the region computes the same is proved as for any layout
//! (`src/check/layout/mod.rs`).

use super::Error;
use super::clause::Keep;
use super::expansion::{expression, prefix};
use super::map::{Layout, address_relation, elements, extents, subscript_names};
use super::reduction::within;
use crate::codegen::{Expr, IteratorId};
use crate::isl::{self, DimType, Id, Map, PwAff, Set, UnionAccessInfo, UnionMap, Val};
use crate::proximity::{Subscript, Subscripts};
use crate::scop::{Access, AccessKind, Array, ElementKind, Scop, Statement, StatementId};

/// A statement has at most so many parts.
const MOST_PARTS: usize = 8;

/// So many copies are made for a statement. Measured: with four operands, 17 copies for 8 parts, nothing is gained that the pivots do not
/// lose, and the region takes five seconds.
const MOST_COPIES: usize = 12;

/// Operands of a statement that are kept.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The statement.
    pub statement: StatementId,
    /// The array, by its position in the region.
    pub array: usize,
    /// So many iterations of the outermost loop keep operands at the same time.
    pub iterations: i64,
    /// The instances of each part: `{ T[i] }`.
    pub(super) parts: Vec<Set>,
    /// What is kept for each part.
    pub(super) operands: Vec<Operand>,
}

/// An operand of a part.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    /// The part, by its position.
    pub part: usize,
    /// The array that it is kept in, counted among those of the statement.
    pub array: usize,
    /// The reads, by their positions among the statement's accesses.
    pub reads: Vec<usize>,
    /// The same as a relation of the part's instances: `{ T[i] -> A[e] }`.
    pub relation: Map,
    /// The subscripts that the program has: expressions over iterators and parameters.
    pub subscripts: Vec<Expr>,
    /// Where it is kept: expressions over the elements' subscripts and parameters.
    pub address: Vec<Expr>,
    /// How large that is: `[p] -> { [(l)] }`.
    pub extent: Vec<PwAff>,
}

/// Why nothing is kept, to be read behind the name of the array.
pub(super) type Reason = &'static str;

/// An operand of the whole statement.
struct Read {
    reads: Vec<usize>,
    /// `{ T[i] -> A[e] }`
    relation: Map,
    subscripts: Vec<Subscript>,
    /// The subscript that is the outermost iterator.
    along: usize,
}

impl Kept {
    /// What can be kept for statements that overwrite operands, and are the better for it as far as that can be seen at once.
    ///
    /// # Errors
    /// Those of isl.
    pub fn all(scop: &Scop, iterations: i64) -> isl::Result<Vec<Self>> {
        let mut found = Vec::new();
        for number in 0..scop.statements.len() {
            if let Ok(one) = Self::of(scop, StatementId(number), iterations)? {
                found.push(one);
            }
        }
        Ok(found)
    }

    /// What a user asks to be kept.
    ///
    /// # Errors
    /// What makes it impossible, at its place; failures of isl.
    pub(super) fn asked(scop: &Scop, wanted: &Keep) -> Result<Vec<Self>, Error> {
        let Keep { array: name, iterations, place } = wanted;
        let refuse = |reason: &str| Error::Directive(place.error(format!("`{name}` {reason}")));
        if scop.array_by_name(name).is_none() {
            return Err(refuse("is no array of the region"));
        }
        let mut reason = NO_OPERAND;
        let mut all = Vec::new();
        for number in 0..scop.statements.len() {
            if !scop.statements[number].writes(name)? {
                continue;
            }
            match Self::of(scop, StatementId(number), *iterations)? {
                Ok(one) => all.push(one),
                Err(found) => reason = found,
            }
        }
        if all.is_empty() { Err(refuse(reason)) } else { Ok(all) }
    }

    /// One operand for each of the new arrays.
    pub(super) fn first_operands(&self) -> impl Iterator<Item = &Operand> {
        self.operands.iter().filter(|operand| operand.part == 0)
    }

    /// What can be kept for a statement, or why nothing is.
    fn of(scop: &Scop, id: StatementId, iterations: i64) -> isl::Result<Result<Self, Reason>> {
        let statement = scop.statement(id);
        let mut writes = statement.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let (Some(write), None) = (writes.next(), writes.next()) else {
            return Ok(Err("is written by statements that write something else as well"));
        };
        let name = write.array()?;
        let known = scop.arrays.iter().position(|array| array.name == name);
        let depth = statement.domain.dim(DimType::SET)?;
        let (Some(array), AccessKind::MustWrite, false) = (known, write.kind, depth < 2) else {
            return Ok(Err("is written under conditions on data, or outside of nests"));
        };
        if scop.arrays[array].element.kind == ElementKind::Other {
            return Ok(Err("has elements whose size is not known"));
        }
        let instances = within(scop, statement)?;
        let own = |access: &Access| access.relation.clone().intersect_domain(instances.clone());
        let Some(reads) = reads(statement, &name, (write, &instances))? else { return Ok(Err(NO_OPERAND)) };
        if !overwrites(scop, &reads, &own(write)?)? {
            return Ok(Err("is not overwritten later where it is read"));
        }
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let Some(extent) = extents(scop, &parameters, &scop.arrays[array], &[])? else {
            return Ok(Err("has no known extents"));
        };
        let mut parts = vec![instances];
        for read in &reads {
            // { T[i] }
            let same = of_same_iteration(scop, read, &name)?;
            let mut split = Vec::new();
            for part in parts {
                for part in [part.clone().subtract(same.clone())?, part.intersect(same.clone())?] {
                    if !part.is_empty()? {
                        split.push(part.coalesce()?);
                    }
                }
            }
            parts = split;
        }
        if parts.len() > MOST_PARTS || parts.len() * reads.len() > MOST_COPIES {
            return Ok(Err("is read in too many ways"));
        }
        let inside = elements(scop, &name, &extent)?;
        let mut operands = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            for (array, read) in reads.iter().enumerate() {
                let relation = read.relation.clone().intersect_domain(part.clone())?;
                if !relation.clone().range()?.is_subset(&inside)? {
                    return Ok(Err("is accessed outside of its extents, or at subscripts that may be negative"));
                }
                let operand = read.operand(scop, relation, (iterations, parts.len(), &extent))?;
                operands.push(operand.of(number, array));
            }
        }
        Ok(Ok(Kept { statement: id, array, iterations, parts, operands }))
    }
}

const NO_OPERAND: Reason =
    "is written by no statement that reads it elsewhere, where the iteration of the outermost loop says";

/// What a statement reads of the array that it writes, but for the element that it writes, if each has a subscript that is the
/// outermost iterator.
fn reads(statement: &Statement, array: &str, (write, instances): (&Access, &Set)) -> isl::Result<Option<Vec<Read>>> {
    let mut found: Vec<Read> = Vec::new();
    for (position, access) in statement.accesses.iter().enumerate() {
        if access.kind != AccessKind::Read || access.array()? != array {
            continue;
        }
        let relation = access.relation.clone().intersect_domain(instances.clone())?;
        if relation.is_equal(&write.relation.clone().intersect_domain(instances.clone())?)? {
            continue;
        }
        let Some(known) = Subscripts::of(&access.relation, &relation, instances)? else { return Ok(None) };
        // Code tells reads apart by their subscripts: others may be the same on the instances that there are.
        if let Some(same) = found.iter_mut().find(|one| one.subscripts == known.expressions) {
            same.reads.push(position);
            continue;
        }
        let is_outermost = |one: &Subscript| {
            let is_own = one.iterators.iter().enumerate().all(|(k, a)| *a == i64::from(k == 0));
            is_own && one.parameters.is_empty()
        };
        let Some(along) = known.expressions.iter().position(is_outermost) else { return Ok(None) };
        found.push(Read { reads: vec![position], relation, subscripts: known.expressions, along });
    }
    Ok((!found.is_empty()).then_some(found))
}

/// Some element is written after it is read, by another instance.
fn overwrites(scop: &Scop, reads: &[Read], written: &Map) -> isl::Result<bool> {
    let dates = scop.schedule.map()?;
    let later = dates.clone().lex_lt_union_map(dates)?;
    for read in reads {
        // { T[i] -> T[i'] }
        let pairs = read.relation.clone().apply_range(written.clone().reverse()?)?;
        if !pairs.to_union_map()?.is_disjoint(&later)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The instances that read what the same iteration of the outermost loop has written: `{ T[i] }`.
fn of_same_iteration(scop: &Scop, read: &Read, array: &str) -> isl::Result<Set> {
    let space = read.relation.clone().domain()?.space()?;
    let mut outermost = UnionMap::empty(scop.context.space()?)?;
    for statement in &scop.statements {
        let depth = statement.domain.dim(DimType::SET)?;
        if depth > 0 && statement.writes(array)? {
            outermost = outermost.union(prefix(&within(scop, statement)?, 1)?.to_union_map()?)?;
        }
    }
    let flow = UnionAccessInfo::from_sink(read.relation.clone().to_union_map()?)?
        .set_may_source(scop.may_writes()?)?
        .set_must_source(scop.must_writes()?)?
        .set_schedule(scop.schedule.clone())?
        .compute_flow()?;
    // { S[i'] -> T[i] }
    let pairs = flow.may_dependence()?;
    let same = outermost.clone().apply_range(outermost.reverse()?)?;
    pairs.intersect(same)?.range()?.extract_set(space)
}

impl Layout {
    /// The layout with operands kept besides.
    ///
    /// # Errors
    /// What makes that impossible, at its place; failures of isl.
    pub(super) fn with_kept(mut self, scop: &Scop, wanted: &[Keep]) -> Result<Self, Error> {
        for one in wanted {
            let refuse = |reason: &str| Error::Directive(one.place.error(format!("`{}` {reason}", one.array)));
            if !self.chains.is_empty() || !self.partial_sums.is_empty() {
                return Err(refuse("is in a region with redistributions or partial results, which keeps no operands"));
            }
            let kept = Kept::asked(scop, one)?;
            let array = kept.first().map(|kept| kept.array);
            let is_moved = self.maps.iter().any(|map| Some(map.array) == array)
                || self.expansions.iter().any(|expansion| Some(expansion.array) == array);
            if is_moved || self.kept.iter().any(|known| kept.iter().any(|new| new.statement == known.statement)) {
                return Err(refuse("has another place already"));
            }
            self.kept.extend(kept);
        }
        Ok(self)
    }
}

impl Read {
    fn operand(
        &self,
        scop: &Scop,
        relation: Map,
        (iterations, parts, extent): (i64, usize, &[PwAff]),
    ) -> isl::Result<Operand> {
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let element = |dimension: usize| Expr::Iterator(IteratorId(dimension));
        let others = || (0..extent.len()).filter(|dimension| *dimension != self.along);
        let turn = Expr::Mod(Box::new(element(self.along)), iterations);
        let number = |value: i64| {
            let everywhere = Set::universe(scop.context.space()?)?;
            PwAff::val_on_domain(everywhere, Val::int(scop.ctx(), value)?)
        };
        let lengths = [number(i64::try_from(parts).unwrap_or(i64::MAX))?, number(iterations)?];
        Ok(Operand {
            part: 0,
            array: 0,
            reads: self.reads.clone(),
            relation,
            subscripts: self.subscripts.iter().map(|one| expression(one, &parameters)).collect(),
            address: [Expr::Const(0), turn].into_iter().chain(others().map(element)).collect(),
            extent: lengths.into_iter().chain(others().map(|dimension| extent[dimension].clone())).collect(),
        })
    }
}

impl Operand {
    /// The operand of a part, in an array of these numbers.
    fn of(mut self, part: usize, array: usize) -> Self {
        self.address[0] = Expr::Const(i64::try_from(part).unwrap_or(i64::MAX));
        Operand { part, array, ..self }
    }

    /// Where elements of an array are kept: `{ A[e] -> A'[v] }`.
    pub fn place(&self, scop: &Scop, array: &Array, field: Id) -> isl::Result<Map> {
        let subscripts = subscript_names(array.rank(), &scop.parameters()?);
        address_relation(scop, &array.name, &subscripts, &self.address)?.set_tuple_id(DimType::Out, field)
    }

    /// The first instance that reads an element, in the order of some dates `{ T[i] -> [t] }`: `{ A[e] -> T[i] }`.
    pub fn first(&self, dates: &UnionMap) -> isl::Result<Map> {
        let space = self.relation.clone().reverse()?.space()?;
        let readers = self.relation.clone().reverse()?.to_union_map()?;
        let own = dates.clone().intersect_domain(self.relation.clone().domain()?.to_union_set()?)?;
        let first = readers.apply_range(own.clone())?.lexmin()?;
        first.apply_range(own.reverse()?)?.extract_map(space)
    }
}
