//! The arrays of a region: one shape for all accesses of each.

use std::collections::BTreeMap;

use super::footprint::Footprint;
use super::numbers::Numbers;
use super::shape::{Offset, Stride, recover};
use crate::llvm::raise::affine::assumptions::Assumptions;
use crate::llvm::raise::affine::congruent::Congruent;
use crate::llvm::raise::affine::describe::{Access, Description, Effect};
use crate::llvm::raise::affine::polynomial::{Dim, Polynomial, Symbol};
use crate::llvm::raise::code::function::{Action, Code, Type};
use crate::llvm::raise::code::ids::ValueId;
use crate::llvm::raise::refusal::{Obstacle, Reason, Step};

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
    /// The accesses to it, for LLVM's alias analysis; none if what is there is only assumed not to change.
    pub accesses: Vec<ValueId>,
    /// The elements that are accessed.
    pub footprint: Footprint,
    /// All offsets are those numbers, not only modulo 2^64: all steps from its start to its elements are `inbounds`.
    pub exact: bool,
    /// Whether it has to be checked that offsets do not wrap around, and that there are less than 2^60 rows.
    pub may_wrap: bool,
    /// The greatest offset, in bytes, for which subscripts of fewer bits do not wrap around, if there are such: that it is
    /// not exceeded has to be checked.
    pub reach: Option<i128>,
    /// The same of numbers of fewer bits that are only a part of a subscript.
    pub parts: Vec<Part>,
}

/// A number that is a part of subscripts.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is.
    pub numbers: Numbers,
    /// The greatest one that does not wrap around.
    pub most: i128,
}

/// Where an access goes.
#[derive(Clone, Debug)]
pub struct ArrayAccess {
    /// The array.
    pub array: usize,
    /// The subscripts.
    pub subscripts: Vec<Polynomial>,
    /// For an access to many elements: the loops over them, from 0 up to below a number.
    pub loops: Vec<(Dim, Polynomial)>,
}

/// The arrays in the order of their first access, and the subscripts of each access.
pub struct Arrays {
    /// The arrays.
    pub all: Vec<Array>,
    /// For each access, and whether it stores, where it goes.
    pub accesses: BTreeMap<(ValueId, Effect), ArrayAccess>,
}

/// Arrays with fewer rows, or elements, are small.
pub const ROWS: i128 = 1 << 40;

impl Arrays {
    /// Adds the place of a load before the region as an array of one element, which the region does not access: nothing that
    /// it writes may overlap it.
    ///
    /// # Errors
    /// [`Reason::Type`] if its size is not known.
    pub fn add_assumed(&mut self, code: &Code, load: ValueId) -> Step<()> {
        let base = code.instruction(load).and_then(|load| load.operands.first().copied()).ok_or(Reason::Base)?;
        let element = match code.kind(load) {
            Type::Pointer => Type::Int(64),
            kind if kind.bytes().is_some() => kind,
            _ => return Err(Reason::Type),
        };
        self.all.push(Array {
            base,
            element,
            extents: Vec::new(),
            strides: vec![Stride::one()],
            written: false,
            accesses: Vec::new(),
            footprint: Footprint::of_one(),
            exact: true,
            may_wrap: false,
            reach: None,
            parts: Vec::new(),
        });
        Ok(())
    }
}

/// Finds the shapes of the arrays of a region.
///
/// # Errors
/// The obstacle.
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
    let mut arrays = Arrays { all: Vec::new(), accesses: BTreeMap::new() };
    let elements = elements(&accesses);
    for base in bases {
        let of_base: Vec<&Access> = accesses.iter().filter(|access| access.base == base).collect();
        let element = elements.get(&base).copied().ok_or(Reason::Length);
        // What is in the way is in one of several versions of loops, and the others may do without.
        let size = element.as_ref().ok().and_then(|element| element.bytes()).unwrap_or(1);
        let is_odd = |access: &&&Access| access.bulk.is_none() && access.offset.divide(i128::from(size)).is_none();
        if let Some(odd) = of_base.iter().find(is_odd) {
            return Err(place(odd, Reason::Sizes));
        }
        let found = element.and_then(|element| array(code, description, element, &of_base, &mut arrays));
        found.map_err(|reason| place(of_base[0], reason))?;
    }
    for access in accesses.iter().filter(|access| access.bulk.is_some() && access.effect == Effect::Load) {
        let loops = |effect| arrays.accesses.get(&(access.value, effect)).map(|access| &access.loops);
        if loops(Effect::Load) != loops(Effect::Store) {
            return Err(place(access, Reason::Copy));
        }
    }
    Ok(arrays)
}

/// The types of the elements of arrays, by their starts: those of the first access to one element; where there are only
/// such to many, those of what is copied from or to there; else integers.
fn elements(accesses: &[Access]) -> BTreeMap<ValueId, Type> {
    let mut found = BTreeMap::new();
    for access in accesses {
        if let Some(kind) = access.kind {
            found.entry(access.base).or_insert(kind);
        }
    }
    // The two places of a copy stand next to each other.
    for pair in accesses.windows(2).filter(|pair| pair[0].value == pair[1].value) {
        for [one, other] in [[0, 1], [1, 0]] {
            if let Some(kind) = found.get(&pair[one].base).copied() {
                found.entry(pair[other].base).or_insert(kind);
            }
        }
    }
    for access in accesses {
        let fits = |kind: &Type| kind.bytes().is_some_and(|size| is_whole(access, size));
        let kind = [64, 32, 16, 8].map(Type::Int).into_iter().find(fits);
        if let Some(kind) = kind {
            found.entry(access.base).or_insert(kind);
        }
    }
    found
}

/// Whether an access to many elements is to whole ones of a size.
fn is_whole(access: &Access, size: i64) -> bool {
    access.bulk.as_ref().is_some_and(|bulk| {
        bulk.align >= size.unsigned_abs()
            && bulk.length.divide(i128::from(size)).is_some()
            && access.offset.divide(i128::from(size)).is_some()
    })
}

fn array(
    code: &Code,
    description: &mut Description,
    element: Type,
    accesses: &[&Access],
    arrays: &mut Arrays,
) -> Step<()> {
    let size = element.bytes().ok_or(Reason::Type)?;
    if accesses.iter().any(|access| access.kind.is_some_and(|kind| kind.bytes() != Some(size))) {
        return Err(Reason::Sizes);
    }
    if accesses.iter().any(|access| access.bulk.is_some() && !is_whole(access, size)) {
        return Err(Reason::Length);
    }
    let mut offsets = Vec::new();
    for access in accesses {
        let elements = access.offset.divide(i128::from(size)).ok_or(Reason::Sizes)?;
        let length = match &access.bulk {
            Some(bulk) => {
                let position = description.accesses.iter().position(|known| known.value == access.value);
                Some((bulk.length.divide(i128::from(size)).ok_or(Reason::Length)?, position.ok_or(Reason::Length)?))
            }
            None => None,
        };
        offsets.push(Offset { elements, domain: &access.domain, length });
    }
    let shape = recover(&offsets, &description.assumptions, &|symbol| varies(code, symbol))?;
    for (fitted, invalid) in shape.fitted.iter().zip(shape.invalid) {
        description.assumptions.add_invalid(&fitted.domain, invalid)?;
        // Subscripts are within the array, but what they are sums of need not be small.
        for subscript in &fitted.subscripts {
            description.assumptions.products_fit(&fitted.domain, subscript)?;
        }
    }
    for (access, fitted) in accesses.iter().zip(&shape.fitted) {
        for (_, count) in &fitted.loops {
            description.assumptions.fits(&access.domain, count)?;
        }
    }
    let number = arrays.all.len();
    let footprint = Footprint::of(&description.assumptions, &shape.extents, &shape.fitted)?;
    for (access, fitted) in accesses.iter().zip(shape.fitted) {
        let found = ArrayAccess { array: number, subscripts: fitted.subscripts, loops: fitted.loops };
        arrays.accesses.insert((access.value, access.effect), found);
    }
    let exact = accesses.iter().all(|access| access.exact);
    let (reach, parts) = reach(code, &mut description.assumptions, accesses)?;
    let last_row = footprint.last_row(&|value| code.values[value.0].range);
    // An object of less than 2^63 bytes has less than 2^60 rows of 8 bytes.
    let few = shape.strides[0].factor * i128::from(size) >= 8 || last_row.is_some_and(|row| row < ROWS);
    let small = shape.strides[0].values.is_empty()
        && last_row
            .and_then(|row| (row + 1).checked_mul(shape.strides[0].factor))
            .is_some_and(|elements| elements < ROWS);
    arrays.all.push(Array {
        base: accesses[0].base,
        element,
        may_wrap: !(exact && few || small),
        reach,
        parts,
        extents: shape.extents,
        strides: shape.strides,
        written: accesses.iter().any(|access| access.effect == Effect::Store),
        accesses: accesses.iter().map(|access| access.value).collect(),
        footprint,
        exact,
    });
    Ok(())
}

/// The least of the greatest offsets for which numbers of fewer bits do not wrap around, and the numbers of which offsets do
/// not tell that.
fn reach(code: &Code, assumptions: &mut Assumptions, accesses: &[&Access]) -> Step<(Option<i128>, Vec<Part>)> {
    let mut least: Option<i128> = None;
    let mut others: Vec<&Congruent> = Vec::new();
    for access in accesses {
        for number in &access.congruent {
            match number.reach(&access.offset) {
                Some(reach) => least = Some(least.map_or(reach, |least| least.min(reach))),
                None if others.iter().any(|known| known.is_same(number)) => {}
                None => others.push(number),
            }
        }
    }
    let parts = others.into_iter().map(|number| part(code, assumptions, number)).collect::<Step<_>>()?;
    Ok((least, parts))
}

/// A number on which no offset of an array tells. It is not negative, or the original has to run.
fn part(code: &Code, assumptions: &mut Assumptions, number: &Congruent) -> Step<Part> {
    let numbers = Numbers::of(&[(&number.number, &number.domain)], assumptions, &|symbol| varies(code, symbol));
    let numbers = numbers.map_err(|reason| match reason {
        Reason::Shape => Reason::Subscript,
        other => other,
    })?;
    Ok(Part { numbers, most: number.most })
}

/// Whether a symbol is the variable of a loop: of one in the region, or of one around it.
pub fn varies(code: &Code, symbol: Symbol) -> bool {
    match symbol {
        Symbol::Dim(_) => true,
        Symbol::Value(value) | Symbol::Sum(value, _) => code.instruction(value).is_some_and(|instruction| {
            matches!(instruction.action, Action::Phi(_)) && code.loop_at(instruction.block).is_some()
        }),
    }
}
