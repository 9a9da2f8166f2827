//! The arrays of a region: one shape for all accesses of each.

use std::collections::{BTreeMap, BTreeSet};

use polyrs_core::isl::{self, Set};

use super::code::{Action, Code, Type, ValueId};
use super::describe::{Access, Description};
use super::polynomial::{Polynomial, Symbol};
use super::refusal::{Obstacle, Reason, Step};
use super::shape::{Offset, Stride, recover};

/// An array of a region.
#[derive(Clone, Debug)]
pub struct Array {
    /// Where it starts.
    pub base: ValueId,
    /// The type of its elements.
    pub element: Type,
    /// The extents, but for that of the first dimension.
    pub extents: Vec<Stride>,
    /// The distances of neighbours, the last one 1.
    pub strides: Vec<Stride>,
    /// It is written.
    pub written: bool,
    /// An access to it, for LLVM's alias analysis: all of them.
    pub accesses: Vec<ValueId>,
    /// The least and greatest rows that are accessed: for each bound a divisor and a polynomial; the row times the divisor
    /// is at least, or at most, the polynomial.
    pub least: Vec<(i128, Polynomial)>,
    /// As `least`.
    pub most: Vec<(i128, Polynomial)>,
    /// Whether it has to be checked that offsets do not wrap around.
    pub may_wrap: bool,
}

/// The arrays in the order of their first access, and the subscripts of each access.
pub struct Arrays {
    /// The arrays.
    pub all: Vec<Array>,
    /// For each access, its array and subscripts.
    pub subscripts: BTreeMap<ValueId, (usize, Vec<Polynomial>)>,
}

/// Finds the shapes of the arrays of a region.
///
/// # Errors
/// What is in the way, where.
pub fn find(
    code: &Code,
    description: &mut Description,
    place: impl Fn(&Access, Reason) -> Obstacle,
) -> Result<Arrays, Obstacle> {
    let accesses = description.accesses.clone();
    let mut bases: Vec<ValueId> = Vec::new();
    for access in &accesses {
        if !bases.contains(&access.base) {
            bases.push(access.base);
        }
    }
    let mut arrays = Arrays { all: Vec::new(), subscripts: BTreeMap::new() };
    for base in bases {
        let of_base: Vec<&Access> = accesses.iter().filter(|access| access.base == base).collect();
        array(code, description, &of_base, &mut arrays).map_err(|reason| place(of_base[0], reason))?;
    }
    Ok(arrays)
}

fn array(code: &Code, description: &mut Description, accesses: &[&Access], arrays: &mut Arrays) -> Step<()> {
    let first = accesses[0];
    let size = first.kind.bytes().ok_or(Reason::Type)?;
    if accesses.iter().any(|access| access.kind.bytes() != Some(size)) {
        return Err(Reason::Sizes);
    }
    let mut offsets = Vec::new();
    for access in accesses {
        let elements = access.offset.divide(i128::from(size)).ok_or(Reason::Sizes)?;
        offsets.push(Offset { elements, domain: &access.domain });
    }
    let shape = recover(&offsets, &description.facts, &|symbol| varies(code, symbol))?;
    for (access, bad) in accesses.iter().zip(shape.bad) {
        description.facts.exclude(&access.domain, bad)?;
    }
    let number = arrays.all.len();
    let mut rows: Option<Set> = None;
    for (access, subscripts) in accesses.iter().zip(&shape.subscripts) {
        let image = description.facts.image(&access.domain, &subscripts[0])?;
        rows = Some(match rows {
            Some(others) => others.union(image)?,
            None => image,
        });
        arrays.subscripts.insert(access.value, (number, subscripts.clone()));
    }
    let (least, most) = bounds(rows.ok_or(Reason::Shape)?)?;
    let values: BTreeSet<_> = shape.strides[0].values.iter().collect();
    let inbounds = accesses.iter().all(|access| access.inbounds);
    arrays.all.push(Array {
        base: first.base,
        element: first.kind,
        may_wrap: !(inbounds && values.len() <= 1 || is_small(&least, &most, &shape.strides[0])),
        extents: shape.extents,
        strides: shape.strides,
        written: accesses.iter().any(|access| access.stores),
        accesses: accesses.iter().map(|access| access.value).collect(),
        least,
        most,
    });
    Ok(())
}

/// Whether a symbol is the variable of a loop: of one in the region, or of one around it.
fn varies(code: &Code, symbol: Symbol) -> bool {
    match symbol {
        Symbol::Loop(_) => true,
        Symbol::Value(value) => code.instruction(value).is_some_and(|instruction| {
            matches!(instruction.action, Action::Phi(_)) && code.loop_at(instruction.block).is_some()
        }),
    }
}

/// Whether all rows are known, and few.
fn is_small(least: &[(i128, Polynomial)], most: &[(i128, Polynomial)], stride: &Stride) -> bool {
    let limit = 1_i128 << 50;
    let low = least.iter().any(|(_, bound)| bound.as_constant().is_some_and(|bound| bound > -limit));
    let high = most.iter().any(|(_, bound)| {
        let size = bound.as_constant().and_then(|bound| bound.checked_mul(stride.factor));
        stride.values.is_empty() && size.is_some_and(|size| size < limit)
    });
    low && high
}

type Bounds = Vec<(i128, Polynomial)>;

/// The bounds of a set of numbers, as the constraints of a convex superset say: `[v] -> { [x] }`
fn bounds(rows: Set) -> Step<(Bounds, Bounds)> {
    let hull = rows.coalesce()?.remove_divs()?.simple_hull()?;
    let names = hull.clone().to_set()?.space()?.dim_names(isl::DimType::Param)?;
    let (mut least, mut most) = (Vec::new(), Vec::new());
    let Some(rows) = hull.constraint_rows()? else { return Ok((least, most)) };
    let opposite = |row: &Vec<i64>| row.iter().map(|entry| -entry).collect::<Vec<i64>>();
    let both = rows.equalities.iter().cloned().chain(rows.equalities.iter().map(opposite));
    for row in both.chain(rows.inequalities) {
        let Some((entry, rest)) = row.split_last() else { continue };
        let mut polynomial = Polynomial::constant(i128::from(rest[0]));
        for (name, coefficient) in names.iter().zip(&rest[1..]) {
            let value = super::facts::value_of(name).ok_or(Reason::NotAffine)?;
            let part = Symbol::Value(value);
            let part = Polynomial::product(vec![part], i128::from(*coefficient));
            polynomial = polynomial.add(&part).ok_or(Reason::NotAffine)?;
        }
        // entry * x + polynomial >= 0
        match *entry {
            0 => {}
            entry if entry > 0 => {
                least.push((i128::from(entry), polynomial.scale(-1).ok_or(Reason::NotAffine)?));
            }
            entry => most.push((-i128::from(entry), polynomial)),
        }
    }
    Ok((least, most))
}
