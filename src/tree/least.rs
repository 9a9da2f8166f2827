//! What no order of loops costs less than, whatever the constraints: to know when there is nothing left to look for.

use super::cost::deepest;
use super::prices::Prices;
use super::reorder::{Locality, is_update};
use crate::isl::{DimType, Error, Result};
use crate::linear::hermite;
use crate::locality::Subscripts;
use crate::scop::{Access, AccessKind, Array, Scop, Statement};
use crate::target::Target;

/// The references of a statement beyond so many classes cost nothing, as the work triples with each.
const CLASSES: usize = 8;

/// A lower bound of [`super::cost`], in its unit: the least that any direction of the innermost loop makes of each statement.
/// `parallel`: loops may run in parallel, and all are taken to do so.
///
/// A direction is a vector of differences of iterators, and it leaves an access in place, or in its row, if all subscripts, or
/// all but the last, are zero along it. What is not looked at only makes the bound smaller: which elements are related at
/// all, how long steps within a row are, and tiles, which may bring back whatever an access uses more than once. References without
/// affine subscripts cost nothing.
pub fn least_cost(scop: &Scop, target: &Target, parallel: bool) -> Result<u64> {
    let mut sum = 0u64;
    for statement in deepest(scop)? {
        sum = sum.saturating_add(least_of(scop, statement, target)?);
    }
    Ok(if parallel { sum } else { sum.saturating_mul(target.cores.into()) })
}

/// References whose subscripts are the same functions of the iterators, constants aside.
struct Class {
    /// The coefficients of the iterators, a row for each subscript.
    subscripts: Vec<Vec<i64>>,
    /// Some reference writes, so that a loop that leaves the element in place is no vector.
    writes: bool,
    /// The cost of the references where the innermost loop is a vector, and where it is not.
    costs: [Costs; 2],
}

/// What the references of a class cost, by what the innermost loop does to them.
#[derive(Clone, Copy, Default)]
struct Costs {
    temporal: u64,
    spatial: u64,
    none: u64,
}

fn least_of(scop: &Scop, statement: &Statement, target: &Target) -> Result<u64> {
    let accesses: Vec<&Access> = statement.accesses.iter().filter(|a| a.kind != AccessKind::Kill).collect();
    let arrays = accesses.iter().map(|access| array_of(scop, access)).collect::<Result<Vec<_>>>()?;
    let prices = Prices::new(target, arrays.iter().copied());
    let depth = statement.domain.dim(DimType::SET)?;
    let has_full_dimension = statement.domain.clone().affine_hull()?.to_set()?.plain_is_universe()?;
    let mut classes: Vec<Class> = Vec::new();
    for (access, array) in accesses.into_iter().zip(arrays) {
        let restricted = access.relation.clone().intersect_domain(statement.domain.clone())?;
        let Some(subscripts) = Subscripts::of(&access.relation, &restricted, &statement.domain)? else { continue };
        let subscripts = subscripts.matrix();
        let is_known = array.known_bytes()?.is_some_and(|bytes| target.is_near(bytes));
        // Each instance has an element of its own, which no tile brings back.
        let is_far = has_full_dimension
            && depth >= 2
            && array.rank() >= 2
            && !is_known
            && rank(&subscripts.iter().map(Vec::as_slice).collect::<Vec<_>>(), depth) == depth;
        let position = classes.iter().position(|class| class.subscripts == subscripts);
        let class = position.unwrap_or_else(|| {
            classes.push(Class { subscripts, writes: false, costs: Default::default() });
            classes.len() - 1
        });
        classes[class].add(access, is_update(statement, access)?, is_far.then_some(array), &prices);
    }
    classes.truncate(CLASSES);
    let least = |vector| {
        let found = Search { classes: &classes, depth, vector }.least(Decided::default(), 0);
        found.map(|cost| cost + prices.operation(vector))
    };
    Ok(least(true).into_iter().chain(least(false)).min().unwrap_or(0))
}

fn array_of<'s>(scop: &'s Scop, access: &Access) -> Result<&'s Array> {
    let name = access.array()?;
    scop.array_by_name(&name).ok_or_else(|| Error::invalid(format!("no array is called {name}")))
}

impl Class {
    /// Adds a reference; `far` is its array, if each instance needs an element of its own from memory.
    fn add(&mut self, access: &Access, is_update: bool, far: Option<&Array>, prices: &Prices) {
        self.writes |= access.kind != AccessKind::Read;
        for (vector, costs) in [false, true].into_iter().zip(&mut self.costs) {
            let cost = |locality| {
                let memory = far.map_or(0, |array| prices.memory(array, Some(locality)));
                prices.access(locality, is_update, vector) + memory
            };
            costs.temporal += cost(Locality::Temporal);
            costs.spatial += cost(Locality::Spatial);
            costs.none += cost(Locality::None);
        }
    }
}

/// The search for a direction that costs least, a class at a time.
struct Search<'c> {
    classes: &'c [Class],
    depth: usize,
    /// The innermost loop is to be a vector.
    vector: bool,
}

/// What was decided about the classes so far.
#[derive(Clone, Default)]
struct Decided<'c> {
    /// What is zero along the direction.
    rows: Vec<&'c [i64]>,
    /// The classes whose elements change along it.
    moved: Vec<&'c Class>,
    cost: u64,
}

impl<'c> Search<'c> {
    /// The least cost of all classes; `None` where no direction is as it was decided.
    fn least(&self, decided: Decided<'c>, next: usize) -> Option<u64> {
        if !self.is_possible(&decided) {
            return None;
        }
        let Some(class) = self.classes.get(next) else { return Some(decided.cost) };
        let costs = class.costs[usize::from(self.vector)];
        let with = |rows: &'c [Vec<i64>], moved: bool, cost: u64| {
            let mut decided = decided.clone();
            decided.rows.extend(rows.iter().map(Vec::as_slice));
            decided.moved.extend(moved.then_some(class));
            decided.cost += cost;
            self.least(decided, next + 1)
        };
        let in_place = if self.vector && class.writes { None } else { with(&class.subscripts, false, costs.temporal) };
        let row = class.subscripts.split_last().map_or(&[][..], |(_, outer)| outer);
        [in_place, with(row, true, costs.spatial), with(&[], true, costs.none)].into_iter().flatten().min()
    }

    /// Some direction is not zero, and moves what is to be moved: as no finite number of lower-dimensional spaces makes up the space of
    /// directions, one does if each class is moved by some.
    fn is_possible(&self, decided: &Decided<'c>) -> bool {
        let free = rank(&decided.rows, self.depth);
        // Without loops there is nothing that moves.
        let moves = |class: &&Class| {
            let rows: Vec<&[i64]> =
                decided.rows.iter().copied().chain(class.subscripts.iter().map(Vec::as_slice)).collect();
            rank(&rows, self.depth) > free
        };
        self.depth == 0 || free < self.depth && decided.moved.iter().all(moves)
    }
}

/// The number of independent rows; where it cannot be told, none, so that more directions seem possible than there are.
fn rank(rows: &[&[i64]], columns: usize) -> usize {
    let rows: Vec<Vec<i64>> = rows.iter().map(|row| row.to_vec()).collect();
    hermite(&rows, columns).map_or(0, |form| form.rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::Ctx;
    use std::path::Path;

    fn least(file: &str, parallel: bool) -> u64 {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test").join(file);
        let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(path).unwrap()).unwrap();
        let target = Target::parse("cores: 2\nvector-bits: 512\nlatency: 4\nline-cost: 4").unwrap();
        least_cost(&scop, &target, parallel).unwrap()
    }

    #[test]
    fn the_direction_that_costs_least_is_found() {
        // A vector along j: the operation, C twice and B, 8 each.
        assert_eq!(least("polybench/scop/gemm.scop", true), 32);
        assert_eq!(least("polybench/scop/gemm.scop", false), 64);
        // C[i][j] += A[i][k] * A[j][k] along j: the operation, C twice, and one A across rows, 64. Along k both A would be in their
        // rows, but C in place, so that it is no vector.
        assert_eq!(least("polybench/scop/syrk.scop", true), 88);
        // A scalar that each instance writes makes no vectors anywhere: an operation that waits for itself, 64 + 256, besides C with 32 + 8.
        assert_eq!(least("polybench/scop/symm.scop", true), 360);
    }

    #[test]
    fn what_is_used_once_comes_from_memory() {
        // x1[i] += A[i][j] * y1[j] along i: the operation, x1 twice, A across rows with a line of 256. Along j, where x1 is a chain, it is
        // 64 + 256, and A in its row with a share of 32. And the same for the transpose, which has no such choice.
        let along_columns = 8 + 16 + 64 + 256;
        let chain = 64 + 256 + 8 + 32;
        assert_eq!(least("polybench/scop/mvt.scop", true), along_columns.min(chain) + 8 + 16 + 8 + 32);
    }
}
