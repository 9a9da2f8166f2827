//! A lower bound on the cost over all orders of loops, legal or not: it tells when there is nothing left to look for.

use super::block_size::{Values, most_rows};
use super::counted::counted;
use super::memory::COLUMN_IN_TILE;
use super::operation_cost::OperationCosts;
use super::reuse::fresh;
use super::step::{LONGEST_STEP, Locality, Role, role};
use super::width::{Width, most_unrolled};
use crate::isl::{DimType, Result};
use crate::linear::hermite;
use crate::machine::Machine;
use crate::proximity::Subscripts;
use crate::scop::{AccessKind, Array, ElementKind, Scop, Statement};
use std::collections::HashMap;

/// The references of a statement beyond so many classes cost nothing, as the work triples with each.
const CLASSES: usize = 8;

/// A lower bound of [`super::cost()`], in its unit: the least that any direction of the innermost loop makes of each
/// statement. Loops that may run in parallel are all taken to do so, and blocks for registers all to have as many rows
/// as any, and what they read across rows to be packed for nothing.
///
/// A direction is a vector of differences of iterators, and it leaves an access in place, or in its row, if all
/// subscripts, or all but the last, are zero along it. What is not looked at only makes the bound smaller: which
/// elements are related at all, how long steps within a row are, and tiles, which may bring back whatever an access
/// uses more than once. References without affine subscripts cost nothing.
///
/// An array of which `last` names dimensions may have any of them last, for each of its references another one.
pub fn cost_lower_bound(scop: &Scop, machine: &Machine, freedom: Freedom, last: &LastDimensions) -> Result<u64> {
    let mut sum = 0u64;
    for counted in counted(scop)? {
        let least = least_of(scop, counted.statement, machine, freedom, last)?;
        let cores = if freedom.parallel { 1 } else { machine.cores.into() };
        sum = sum.saturating_add(counted.share(least.saturating_mul(cores)));
    }
    Ok(sum)
}

/// How often the shortest loop runs of those of which that is known; `u64::MAX` where there are none.
fn shortest(statement: &Statement) -> Result<u64> {
    let mut shortest = u64::MAX;
    for dimension in 0..statement.domain.dim(DimType::SET)? {
        let values = Values::of_iterator(&statement.domain, dimension)?;
        shortest = values.map_or(shortest, |values| shortest.min(values.count()));
    }
    Ok(shortest)
}

/// Rows may be so short that a step from one to the next counts as near, which
/// [`cost_lower_bound`] does not know: an order may cost less than it says.
pub fn has_short_rows(scop: &Scop) -> Result<bool> {
    for array in scop.arrays.iter().filter(|array| array.rank() >= 2) {
        if array.known_extent(array.rank() - 1)?.is_some_and(|length| length <= LONGEST_STEP.unsigned_abs()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What becomes of the innermost loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inner {
    Scalar,
    Vector,
    /// A vector in blocks of so many rows.
    Block(u64),
}

impl Inner {
    fn width(self) -> Width {
        match self {
            Inner::Scalar => Width::Scalar,
            Inner::Vector | Inner::Block(_) => Width::Vector,
        }
    }
}

/// By the names of arrays: the dimensions that may be last in their layouts.
pub type LastDimensions = HashMap<String, Vec<usize>>;

/// What may be made of any loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freedom {
    /// They may run in parallel.
    pub parallel: bool,
    /// Their points may be cut into blocks for registers ([`crate::transform::register_tile`]).
    pub register_tiles: bool,
    /// What such blocks read may be packed, so that vectors walk along rows ([`crate::transform::pack`]).
    pub pack: bool,
}

/// References whose subscripts are the same functions of the iterators, constants aside.
struct Class<'s> {
    /// The coefficients of the iterators, a row for each subscript.
    subscripts: Vec<Vec<i64>>,
    /// What is zero along a row, in each layout that the array may have.
    rows: Vec<Vec<Vec<i64>>>,
    references: Vec<Reference<'s>>,
    /// Some direction leaves in place these references and all that are updated.
    promoted: bool,
}

struct Reference<'s> {
    writes: bool,
    in_any_order: bool,
    role: Role,
    /// The array, if each instance needs an element of its own from memory, which no tile brings back.
    far: Option<&'s Array>,
}

fn least_of(
    scop: &Scop,
    statement: &Statement,
    machine: &Machine,
    freedom: Freedom,
    last: &LastDimensions,
) -> Result<u64> {
    let accesses = || statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill);
    let arrays = accesses().map(|access| scop.array_of(access)).collect::<Result<Vec<_>>>()?;
    let costs = OperationCosts::new(machine, arrays.iter().copied());
    let depth = statement.domain.dim(DimType::SET)?;
    let is_full = statement.domain.clone().affine_hull()?.to_set()?.plain_is_universe()?;
    let mut classes: Vec<Class<'_>> = Vec::new();
    for (access, array) in accesses().zip(arrays) {
        let restricted = access.relation.clone().intersect_domain(statement.domain.clone())?;
        let Some(subscripts) = Subscripts::of(&access.relation, &restricted, &statement.domain)? else { continue };
        let subscripts = subscripts.matrix();
        let fits_nearest_cache = array.used_bytes()?.is_some_and(|bytes| machine.fits_nearest_cache(bytes));
        let is_matrix = is_full && depth >= 2 && array.rank() >= 2;
        let is_far = is_matrix && !fits_nearest_cache && rank(subscripts.iter(), depth) == depth;
        let reference = Reference {
            writes: access.kind != AccessKind::Read,
            in_any_order: array.element.kind == ElementKind::Int || statement.reduction.is_some(),
            role: role(statement, access)?,
            far: is_far.then_some(array),
        };
        let rows = rows(&subscripts, last.get(&array.name));
        match classes.iter_mut().find(|class| class.subscripts == subscripts && class.rows == rows) {
            Some(class) => class.references.push(reference),
            None => classes.push(Class { subscripts, rows, references: vec![reference], promoted: false }),
        }
    }
    classes.truncate(CLASSES);
    let shortest = shortest(statement)?;
    // With two loops, a block has points along one.
    let rows = if depth >= 3 { u64::from(most_rows(machine, shortest < u64::MAX)) } else { 1 };
    let may_block = freedom.register_tiles && (rows > 1 || depth == 2) && promote(&mut classes, depth);
    let rows = may_block.then_some(rows);
    let inner = [Some(Inner::Vector), Some(Inner::Scalar), rows.map(Inner::Block)].into_iter().flatten();
    let least = inner.filter_map(|inner| {
        let unrolls = shortest <= most_unrolled(0);
        let search = Search { classes: &classes, costs: &costs, depth, inner, pack: freedom.pack, unrolls };
        Some(search.least(&Decided::default(), 0)? + costs.operation(inner.width()))
    });
    // Whatever the order, memory that nobody has used before is taken into use once. How much that is depends on an array's layout.
    let fresh = fresh(scop, statement)?.filter(|fresh| !last.contains_key(&fresh.array.name));
    let fresh = fresh.map_or(0, |fresh| costs.fresh(&fresh));
    Ok(least.min().unwrap_or(0).saturating_add(fresh))
}

/// All subscripts but one that may be last.
fn rows(subscripts: &[Vec<i64>], last: Option<&Vec<usize>>) -> Vec<Vec<Vec<i64>>> {
    let own = [subscripts.len().saturating_sub(1)];
    let last = last.map_or(&own[..], Vec::as_slice);
    let without = |last: &usize| {
        let others = subscripts.iter().enumerate().filter(|(dimension, _)| dimension != last);
        others.map(|(_, row)| row.clone()).collect()
    };
    last.iter().map(without).collect()
}

/// Finds what a loop around blocks may hold along with what is updated; whether there is such a loop.
fn promote(classes: &mut [Class<'_>], depth: usize) -> bool {
    let updates = |class: &&Class<'_>| class.references.iter().any(|reference| reference.role.is_update());
    let updated: Vec<Vec<i64>> = classes.iter().filter(updates).flat_map(|class| class.subscripts.clone()).collect();
    for class in &mut *classes {
        class.promoted = rank(updated.iter().chain(&class.subscripts), depth) < depth;
    }
    !updated.is_empty() && rank(updated.iter(), depth) < depth
}

impl Class<'_> {
    fn writes(&self) -> bool {
        self.references.iter().any(|reference| reference.writes)
    }

    /// Something else is written than what is gathered in any order, as integers are.
    fn writes_others(&self) -> bool {
        self.references.iter().any(|reference| reference.writes && !reference.in_any_order)
    }

    /// What the references cost where the innermost loop does this to them, and so many iterations of loops that are
    /// unrolled in it share them.
    fn cost(&self, locality: Locality, inner: Inner, costs: &OperationCosts, (pack, shared): (bool, u64)) -> u64 {
        let is_packed = pack && matches!(inner, Inner::Block(_)) && !self.writes() && locality == Locality::None;
        let locality = if is_packed { Locality::Spatial } else { locality };
        // The loop around a block may walk along rows, whatever the block does.
        let walk = if matches!(inner, Inner::Block(_)) { Locality::Spatial } else { locality };
        let price = |reference: &Reference<'_>| {
            let access = costs.access(locality, reference.role, inner.width());
            let access = match inner {
                Inner::Block(_) if self.promoted => 0,
                Inner::Block(rows) if locality == Locality::None => costs.transposed().min(access.div_ceil(rows)),
                Inner::Block(rows) => access.div_ceil(rows),
                Inner::Scalar | Inner::Vector => access,
            };
            let share = if walk == Locality::None && inner == Inner::Vector { COLUMN_IN_TILE } else { 1 };
            let memory = reference.far.map_or(0, |array| costs.memory(array, Some(walk), 1) / share);
            match inner {
                Inner::Vector => (access + memory) / shared,
                Inner::Block(rows) => access + memory / rows,
                Inner::Scalar => access + memory,
            }
        };
        self.references.iter().map(price).sum()
    }
}

/// The search for a direction that costs least, a class at a time.
struct Search<'c> {
    classes: &'c [Class<'c>],
    costs: &'c OperationCosts,
    depth: usize,
    inner: Inner,
    pack: bool,
    /// There may be a loop around short ones that makes vectors.
    unrolls: bool,
}

/// What was decided about the classes so far.
#[derive(Clone, Default)]
struct Decided<'c> {
    /// What is zero along the direction.
    rows: Vec<&'c Vec<i64>>,
    /// The classes whose elements change along it.
    moved: Vec<&'c Class<'c>>,
    cost: u64,
}

impl<'c> Search<'c> {
    /// The least cost of all classes; `None` where no direction is as it was decided.
    fn least(&self, decided: &Decided<'c>, next: usize) -> Option<u64> {
        if !self.is_possible(decided) {
            return None;
        }
        let Some(class) = self.classes.get(next) else { return Some(decided.cost) };
        let shared = if self.unrolls { most_unrolled(0) } else { 1 };
        let with = |rows: &'c [Vec<i64>], locality: Locality| {
            let mut decided = decided.clone();
            decided.rows.extend(rows);
            decided.moved.extend((locality != Locality::Temporal).then_some(class));
            decided.cost += class.cost(locality, self.inner, self.costs, (self.pack, shared));
            self.least(&decided, next + 1)
        };
        // What an element is written by twice is no vector, unless it is gathered in any order.
        let may_stay = self.inner == Inner::Scalar || self.unrolls || !class.writes_others();
        let in_place = if may_stay { with(&class.subscripts, Locality::Temporal) } else { None };
        let along_rows = class.rows.iter().filter_map(|row| with(row, Locality::Spatial)).min();
        [in_place, along_rows, with(&[], Locality::None)].into_iter().flatten().min()
    }

    /// Some direction is not zero, and moves what is to be moved: as no finite number of lower-dimensional spaces makes
    /// up the space of directions, one does if each class is moved by some.
    fn is_possible(&self, decided: &Decided<'c>) -> bool {
        let rows = || decided.rows.iter().copied();
        let fixed = rank(rows(), self.depth);
        let moves = |class: &&Class<'_>| rank(rows().chain(&class.subscripts), self.depth) > fixed;
        // Without loops there is nothing that moves.
        self.depth == 0 || fixed < self.depth && decided.moved.iter().all(moves)
    }
}

/// The number of independent rows; where it cannot be told, none, so that more directions seem possible than there are.
fn rank<'r>(rows: impl Iterator<Item = &'r Vec<i64>>, columns: usize) -> usize {
    let rows: Vec<Vec<i64>> = rows.cloned().collect();
    hermite(&rows, columns).map_or(0, |form| form.rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::Ctx;
    use std::path::Path;

    const SEQUENTIAL: Freedom = Freedom { parallel: false, register_tiles: false, pack: false };
    const PARALLEL: Freedom = Freedom { parallel: true, register_tiles: false, pack: false };
    const BLOCKS: Freedom = Freedom { parallel: true, register_tiles: true, pack: false };

    fn least(file: &str, freedom: Freedom) -> u64 {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test").join(file);
        let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(path).unwrap()).unwrap();
        let machine =
            Machine::parse("cores: 2\nvector-bits: 512\nvector-registers: 32\nlatency: 4\nline-cost: 4").unwrap();
        cost_lower_bound(&scop, &machine, freedom, &LastDimensions::new()).unwrap()
    }

    #[test]
    fn the_direction_that_costs_least_is_found() {
        // A vector along j: the operation, C twice and B, 8 each.
        assert_eq!(least("polybench/scop/gemm.scop", PARALLEL), 32);
        assert_eq!(least("polybench/scop/gemm.scop", SEQUENTIAL), 64);
        // C[i][j] += A[i][k] * A[j][k] along j: the operation, C twice, and one A across rows, 64. Along k both A would
        // be in their rows, but C in place, so that it is no vector.
        assert_eq!(least("polybench/scop/syrk.scop", PARALLEL), 88);
        // A scalar that each instance writes makes no vectors anywhere: an operation that waits for itself, 64 + 256,
        // besides C with 32 + 8.
        assert_eq!(least("polybench/scop/symm.scop", PARALLEL), 360);
    }

    #[test]
    fn what_is_used_once_comes_from_memory() {
        // x1[i] += A[i][j] * y1[j] along i: the operation, x1 twice, A across rows with half a line of 256. Along j, where
        // x1 is a recurrence, it is 64 + 256, and A in its row with a share of 32. And the same for the transpose,
        // which has no such choice.
        let along_columns = 8 + 16 + 64 + 128;
        let recurrence = 64 + 256 + 8 + 32;
        assert_eq!(least("polybench/scop/mvt.scop", PARALLEL), along_columns.min(recurrence) + 8 + 16 + 8 + 32);
    }

    #[test]
    fn blocks_hold_what_is_updated_and_share_the_rest() {
        // The operation, and an eighth of B: blocks have eight rows.
        assert_eq!(least("polybench/scop/gemm.scop", BLOCKS), 8 + 1);
        // The same with A across rows.
        assert_eq!(least("polybench/scop/syrk.scop", BLOCKS), 8 + 8);
        // Packed, it is along rows.
        assert_eq!(least("polybench/scop/syrk.scop", Freedom { pack: true, ..BLOCKS }), 8 + 1);
        // Nothing is updated.
        let stencil = "polybench/scop/jacobi-2d.scop";
        assert_eq!(least(stencil, BLOCKS), least(stencil, PARALLEL));
    }
}
