//! Domain compression (ppcg report, 7.2): statements in as many variables as their instances have dimensions.
//!
//! Let the integer affine hull of the instances of a statement be `M x = C(n)`, and `M U = [H1 0]` the Hermite normal
//! form, with `U = [U1 U2]` and its inverse `Q = [Q1; Q2]`. Then `Q1 x = H1⁻¹ C(n)` is fixed, and the compressed
//! variables are `x' = Q2 x`, from which `x = U1 H1⁻¹ C(n) + U2 x'` (85)–(88). A direction that has a single value for
//! each value of the others, though no equality says so, goes, too, when sizes are computed (7.5.2).
//!
//! # Column order
//! A row of a hull is `[constant, parameters.., variables..]`.

use crate::isl::{Aff, DimType, Id, LocalSpace, MultiAff, PwMultiAff, Set, Space, Val};
use crate::linear::{Hermite, hermite};
use crate::schedule::error::{Error, Result};
use crate::schedule::graph::sizes::{Shape, limits, sizes};
use crate::schedule::graph::{Compression, Statement};
use crate::schedule::strategy::Strategy;

/// The statement with these instances `{ S[i] }`, compressed, with sizes and limits as the strategy asks for them. The
/// tuple of its compressed space is named after it and `index`.
pub(in crate::schedule) fn statement(domain: Set, index: usize, strategy: &Strategy) -> Result<Statement> {
    let mut statement = Statement::plain(domain.clone())?;
    let name = domain.tuple_name()?.unwrap_or_default();
    let id = Id::new(domain.ctx(), &format!("compressed_{index}_{name}"))?;
    let shape = Shape::of_domain(&domain)?;
    if !shape.as_ref().is_some_and(Shape::is_full)
        && let Some(step) = by_equalities(&statement.domain, &id)?
    {
        apply(&mut statement, &domain, step)?;
    }
    if strategy.treat_coalescing {
        statement.sizes = loop {
            let sizes = match &shape {
                Some(shape) if statement.compression.is_none() => shape.sizes(),
                _ => sizes(&statement.domain)?,
            };
            let Some(fixed) = sizes.iter().position(|size| *size == Some(0)) else { break sizes };
            let Some(step) = without(&statement.domain, fixed, &id)? else { break sizes };
            apply(&mut statement, &domain, step)?;
        };
    }
    statement.limits = limits(&statement.sizes, statement.variables, strategy.max_coefficient)?;
    Ok(statement)
}

/// Compresses once more.
fn apply(statement: &mut Statement, domain: &Set, step: Compression) -> Result<()> {
    let all = match statement.compression.take() {
        None => step,
        Some(before) => Compression {
            compress: step.compress.pullback_multi_aff(before.compress)?,
            expand: before.expand.pullback_pw_multi_aff(step.expand)?,
        },
    };
    statement.domain = domain.clone().preimage_pw_multi_aff(all.expand.clone())?;
    statement.variables = statement.domain.dim(DimType::SET)?;
    statement.compression = Some(all);
    Ok(())
}

/// The compression by the equalities of the affine hull. None: there are none on variables.
fn by_equalities(domain: &Set, id: &Id) -> Result<Option<Compression>> {
    let hull = domain.clone().affine_hull()?.remove_divs()?;
    let rows = hull.constraint_rows()?.ok_or(Error::Overflow)?;
    let parameters = domain.dim(DimType::Param)?;
    let variables = domain.dim(DimType::SET)?;
    let on_variables = |row: &Vec<i64>| row[1 + parameters..].iter().any(|a| *a != 0);
    // M x + c(n) = 0
    let equalities: Vec<Vec<i64>> = rows.equalities.into_iter().filter(on_variables).collect();
    if equalities.is_empty() {
        return Ok(None);
    }
    let matrix: Vec<Vec<i64>> = equalities.iter().map(|row| row[1 + parameters..].to_vec()).collect();
    let hermite = hermite(&matrix, variables)?;
    if hermite.rank < matrix.len() {
        // The hull's equalities are independent, but perhaps not on the variables alone.
        return Ok(None);
    }
    let affine: Vec<&[i64]> = equalities.iter().map(|row| &row[..1 + parameters]).collect();
    let fixed = fixed(&hermite, &affine)?;
    let original = domain.space()?;
    let compressed = compressed_space(&original, variables - hermite.rank, id)?;
    // x' = Q2 x
    let mut compress = MultiAff::zero(original.clone().map_from_domain_and_range(compressed.clone())?)?;
    for (i, row) in hermite.inverse[hermite.rank..].iter().enumerate() {
        let row = [&vec![0; 1 + parameters], &row[..]].concat();
        compress = compress.set_at(position(i)?, affine_form(&original, &row, 1)?)?;
    }
    // x = U1 H1⁻¹ C(n) + U2 x'
    let mut expand = MultiAff::zero(compressed.clone().map_from_domain_and_range(original)?)?;
    for (i, row) in hermite.transformation.iter().enumerate() {
        let (form, denominator) = combination(&fixed, row, 1 + parameters)?;
        expand = expand.set_at(position(i)?, affine_form(&compressed, &form, denominator)?)?;
    }
    Ok(Some(Compression { compress, expand: PwMultiAff::from_multi_aff(expand)? }))
}

/// An affine form `[constant, parameters..]` over a positive denominator.
type Fraction = (Vec<i64>, i64);

/// `H1⁻¹ C(n)`, with `C = −affine`.
fn fixed(hermite: &Hermite, affine: &[&[i64]]) -> Result<Vec<Fraction>> {
    let mut found: Vec<Fraction> = Vec::new();
    for (row, affine) in hermite.form.iter().zip(affine) {
        // Lower triangular: entry i from those before.
        let pivot = row[found.len()];
        let (form, denominator) = combination(&found, &row[..found.len()], affine.len())?;
        let sum = affine.iter().zip(&form).map(|(a, b)| {
            let scaled = a.checked_mul(denominator).and_then(|a| a.checked_add(*b));
            scaled.and_then(i64::checked_neg).ok_or(Error::Overflow)
        });
        let sum = sum.collect::<Result<Vec<i64>>>()?;
        found.push(lowest(sum, denominator.checked_mul(pivot).ok_or(Error::Overflow)?));
    }
    Ok(found)
}

/// `Σ factor_i fraction_i` over a common denominator, the fractions of this width; factors beyond the fractions are
/// those of further columns.
fn combination(fractions: &[Fraction], factors: &[i64], width: usize) -> Result<Fraction> {
    let mut sum = vec![0i64; width];
    let mut denominator = 1i64;
    for (_, d) in fractions {
        denominator = num_integer::Integer::lcm(&i128::from(denominator), &i128::from(*d))
            .try_into()
            .map_err(|_| Error::Overflow)?;
    }
    for ((form, d), factor) in fractions.iter().zip(factors) {
        let times = factor.checked_mul(denominator / d).ok_or(Error::Overflow)?;
        for (sum, x) in sum.iter_mut().zip(form) {
            *sum = x.checked_mul(times).and_then(|x| x.checked_add(*sum)).ok_or(Error::Overflow)?;
        }
    }
    for factor in &factors[fractions.len().min(factors.len())..] {
        sum.push(factor.checked_mul(denominator).ok_or(Error::Overflow)?);
    }
    Ok(lowest(sum, denominator))
}

/// In lowest terms.
fn lowest(mut form: Vec<i64>, mut denominator: i64) -> Fraction {
    let divisor = form.iter().fold(denominator, |divisor, x| crate::schedule::farkas::cone::gcd(divisor, *x));
    if divisor > 1 {
        form.iter_mut().for_each(|x| *x /= divisor);
        denominator /= divisor;
    }
    (form, denominator)
}

/// The compression by a direction that has a single value for each value of the others: it is left out. None: it has
/// several integer values after all.
fn without(domain: &Set, fixed: usize, id: &Id) -> Result<Option<Compression>> {
    let space = domain.space()?;
    let parameters = space.dim(DimType::Param)?;
    let variables = space.dim(DimType::SET)?;
    let compressed = compressed_space(&space, variables - 1, id)?;
    let mut compress = MultiAff::zero(space.clone().map_from_domain_and_range(compressed)?)?;
    for (to, from) in (0..variables).filter(|&i| i != fixed).enumerate() {
        let mut row = vec![0; 1 + parameters + variables];
        row[1 + parameters + from] = 1;
        compress = compress.set_at(position(to)?, affine_form(&space, &row, 1)?)?;
    }
    // { C'[x'] -> C[x] }, of the convex superset that the size is of
    let hull = domain.clone().simple_hull()?.to_set()?;
    let expand = hull.identity()?.apply_domain(compress.clone().as_map()?)?;
    if !expand.is_single_valued()? {
        return Ok(None);
    }
    let expand = PwMultiAff::from_map(expand)?;
    let instances = expand.clone().domain()?;
    Ok(Some(Compression { compress, expand: expand.gist(instances)? }))
}

/// The space of so many compressed variables.
fn compressed_space(space: &Space, variables: usize, id: &Id) -> Result<Space> {
    Ok(space.clone().params()?.add_named_tuple_id_ui(id.clone(), variables)?)
}

/// The function on a set space with the coefficients `[constant, parameters.., variables..]`, divided and rounded down.
fn affine_form(space: &Space, row: &[i64], denominator: i64) -> Result<Aff> {
    let ctx = space.ctx().clone();
    let parameters = space.dim(DimType::Param)?;
    let mut form = Aff::zero_on_domain(LocalSpace::from_space(space.clone())?)?;
    form = form.add_constant(Val::int(&ctx, row[0])?)?;
    for (i, &coefficient) in row[1..].iter().enumerate().filter(|(_, a)| **a != 0) {
        let (kind, at) = match i.checked_sub(parameters) {
            None => (DimType::Param, i),
            Some(at) => (DimType::In, at),
        };
        form = form.set_coefficient(kind, position(at)?, Val::int(&ctx, coefficient)?)?;
    }
    match denominator {
        1 => Ok(form),
        _ => Ok(form.scale_down(Val::int(&ctx, denominator)?)?.floor()?),
    }
}

fn position(i: usize) -> Result<i32> {
    i32::try_from(i).map_err(|_| Error::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::{Ctx, Map};

    /// The statement, which must have this many variables, and be as the uncompressed one.
    fn compressed(ctx: &Ctx, text: &str, variables: usize) -> Statement {
        let domain = Set::parse(ctx, text).unwrap();
        let statement = statement(domain.clone(), 0, &Strategy::ppcg()).unwrap();
        assert_eq!(statement.variables, variables, "{text}: {statement:?}");
        assert_eq!(statement.domain.dim(DimType::SET).unwrap(), variables);
        let Some(compression) = &statement.compression else {
            assert!(statement.domain.is_equal(&domain).unwrap());
            return statement;
        };
        let compress = Map::from_multi_aff(compression.compress.clone()).unwrap();
        let expand = Map::from_pw_multi_aff(compression.expand.clone()).unwrap();
        let instances = domain.clone().identity().unwrap();
        let there_and_back =
            instances.clone().apply_range(compress.clone()).unwrap().apply_range(expand.clone()).unwrap();
        assert!(there_and_back.is_equal(&instances).unwrap(), "{text}: {there_and_back}");
        assert!(domain.apply(compress).unwrap().is_equal(&statement.domain).unwrap(), "{text}: {}", statement.domain);
        statement
    }

    #[test]
    fn full_dimensional_domains_stay() {
        let ctx = Ctx::new();
        let statement = compressed(&ctx, "[n] -> { S[i, j] : 0 <= i < n and i <= j < n }", 2);
        assert!(statement.compression.is_none());
        assert!(compressed(&ctx, "{ S[i] : i mod 2 = 0 and 0 <= i <= 9 }", 1).compression.is_none());
    }

    #[test]
    fn verdoolaege2017_example_20_a_fixed_coordinate_goes() {
        let ctx = Ctx::new();
        let statement = compressed(&ctx, "[n] -> { S[t, i, j] : t = n - 1 and 0 <= i < 64 and 0 <= j <= i }", 2);
        assert_eq!(statement.sizes, [Some(63), Some(63)]);
        compressed(&ctx, "{ S[t, i] : t = 7 and 0 <= i }", 1);
        compressed(&ctx, "{ S[] }", 0);
        compressed(&ctx, "[n] -> { S[i, j] : i = n and j = 2n - 1 }", 0);
    }

    #[test]
    fn equalities_between_coordinates_compress() {
        let ctx = Ctx::new();
        compressed(&ctx, "{ S[i, j] : i = j and 0 <= i < 10 }", 1);
        compressed(&ctx, "{ S[i, j, k] : 2i + 3j + 5k = 30 and 0 <= i, j, k <= 20 }", 2);
        compressed(&ctx, "[n] -> { S[i, j, k] : 2i + 4j = n + 6k and i + k = 3 and 0 <= i, j <= n }", 1);
        compressed(&ctx, "[n] -> { S[i, j] : 2i = n and 0 <= j < i }", 1);
        compressed(&ctx, "[n, m] -> { S[i, j, k] : 2i + 3j = n and 3k = m and 0 <= i, j }", 1);
        // Two pieces on the same line.
        compressed(&ctx, "{ S[i, j] : i = 2j and 0 <= j < 5; S[i, j] : i = 2j and 10 <= j < 15 }", 1);
    }

    #[test]
    fn a_direction_of_size_zero_goes() {
        let ctx = Ctx::new();
        let statement = compressed(&ctx, "[n] -> { S[i, j] : 0 <= i <= n and j = floor(i/2) }", 1);
        assert!(statement.compression.is_some());
        let plain = Strategy { treat_coalescing: false, ..Strategy::ppcg() };
        let domain = Set::parse(&ctx, "{ S[i, j] : 0 <= i <= 9 and j = floor(i/2) }").unwrap();
        assert_eq!(super::statement(domain, 0, &plain).unwrap().variables, 2);
    }
}
