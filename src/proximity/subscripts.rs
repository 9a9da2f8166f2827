//! Subscripts as affine expressions.

use crate::isl::{Aff, DimType, Id, LocalSpace, Map, MultiAff, Result, Set, Val};
use std::collections::BTreeMap;

/// An affine expression of iterators and parameters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subscript {
    /// The coefficients of the iterators, by position.
    pub iterators: Vec<i64>,
    /// The coefficients of the parameters that are not zero.
    pub parameters: BTreeMap<String, i64>,
    /// The constant term.
    pub constant: i64,
}

impl Subscript {
    /// The expression without its constant term, with the coefficients of iterators up to the last that is not zero:
    /// statements may have more or less of them.
    pub fn linear(&self) -> (&[i64], &BTreeMap<String, i64>) {
        let used = self.iterators.iter().rposition(|a| *a != 0).map_or(0, |last| last + 1);
        (&self.iterators[..used], &self.parameters)
    }
}

/// All subscripts of a reference, and the function that they are.
#[derive(Debug, Clone)]
pub(crate) struct Subscripts {
    /// One for each dimension of the array.
    pub expressions: Vec<Subscript>,
    /// The number of iterators of the statement.
    pub depth: usize,
    /// `{ S[i] -> A[a] }`, for all `i`.
    pub access: Map,
}

impl Subscripts {
    /// The subscripts of a reference as it is given, `{ S[i] -> A[a] }`; `restricted` is the same, on the instances
    /// `domain`.
    ///
    /// Affine is meant as the report does, over all instances: what is only known piece by piece, or with integer
    /// divisions, is not. Where the instances satisfy equalities there is a choice, and the expression given is
    /// preferred.
    pub fn of(given: &Map, restricted: &Map, domain: &Set) -> Result<Option<Self>> {
        if let Some(found) = Self::read(given.clone().gist_domain(domain.clone())?)? {
            return Ok(Some(found));
        }
        Self::read(restricted.clone().affine_hull()?.to_map()?)
    }

    fn read(relation: Map) -> Result<Option<Self>> {
        if !relation.is_single_valued()? {
            return Ok(None);
        }
        let space = relation.space()?;
        let depth = space.dim(DimType::In)?;
        let function = relation.as_pw_multi_aff()?;
        if function.n_piece()? != 1 {
            return Ok(None);
        }
        let domain = function.clone().domain()?;
        let function = function.gist(domain)?;
        let mut expressions = Vec::new();
        let mut access = MultiAff::zero(space.clone())?;
        for i in 0..to_i32(space.dim(DimType::Out)?) {
            let piece = function.at(i)?;
            if !piece.isa_aff()? {
                return Ok(None);
            }
            let expression = piece.as_aff()?;
            match subscript(&expression)? {
                Some(subscript) => expressions.push(subscript),
                None => return Ok(None),
            }
            access = access.set_at(i, expression)?;
        }
        Ok(Some(Subscripts { expressions, depth, access: access.as_map()? }))
    }

    /// The coefficients of the iterators, a row for each subscript.
    pub fn matrix(&self) -> Vec<Vec<i64>> {
        self.expressions.iter().map(|subscript| subscript.iterators.clone()).collect()
    }
}

/// `None`: there are divisions, fractions, or numbers beyond 64 bits.
fn subscript(expression: &Aff) -> Result<Option<Subscript>> {
    for i in 0..to_i32(expression.dim(DimType::Div)?) {
        if !expression.coefficient(DimType::Div, i)?.is_zero()? {
            return Ok(None);
        }
    }
    let all = |kind| -> Result<Option<Vec<i64>>> {
        (0..to_i32(expression.dim(kind)?)).map(|i| expression.coefficient(kind, i)?.as_i64()).collect()
    };
    let (Some(iterators), Some(parameters)) = (all(DimType::In)?, all(DimType::Param)?) else { return Ok(None) };
    let Some(constant) = expression.constant()?.as_i64()? else { return Ok(None) };
    let names = expression.domain_space()?.dim_names(DimType::Param)?;
    let parameters = names.into_iter().zip(parameters).filter(|(_, coefficient)| *coefficient != 0).collect();
    Ok(Some(Subscript { iterators, parameters, constant }))
}

/// The tuple of these linear combinations of the iterators: `{ S[i] -> [c] }`, for a function's domain `{ S[i] }`.
pub(super) fn combinations(instances: &Set, rows: &[Vec<i64>]) -> Result<Map> {
    let space = instances.space()?;
    let ctx = space.ctx().clone();
    let range = space.clone().params()?.add_unnamed_tuple_ui(rows.len())?;
    let mut tuple = MultiAff::zero(space.clone().map_from_domain_and_range(range)?)?;
    for (i, row) in rows.iter().enumerate() {
        let mut sum = Aff::zero_on_domain(LocalSpace::from_space(space.clone())?)?;
        for (j, &coefficient) in row.iter().enumerate() {
            sum = sum.set_coefficient(DimType::In, to_i32(j), Val::int(&ctx, coefficient)?)?;
        }
        tuple = tuple.set_at(to_i32(i), sum)?;
    }
    tuple.as_map()
}

/// The tuple of a range, named after an array.
pub(super) fn named(relation: Map, array: &str) -> Result<Map> {
    let id = Id::new(relation.ctx(), array)?;
    relation.set_tuple_id(DimType::Out, id)
}

/// A position, as isl wants it. There are never so many dimensions that it does not fit.
pub(super) fn to_i32(position: usize) -> i32 {
    i32::try_from(position).unwrap_or(i32::MAX)
}
