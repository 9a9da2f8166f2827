//! What a strategy names is in the region that it is for.

use super::error::{Error, Result};
use super::strategy::{EACH, ONE, Strategy};
use crate::isl::{DimType, ScheduleConstraints, Space, UnionPwAff};
use crate::scop::Scop;
use std::collections::BTreeMap;

/// The statements and loops that a strategy names are among those of the constraints' domain, and the arrays among those of
/// the region, if the constraints are of one. Without a region nothing says what is near by what.
///
/// # Errors
/// [`Error::NoName`], with what there is instead.
pub fn check_names(strategy: &Strategy, constraints: &ScheduleConstraints, scop: Option<&Scop>) -> Result<()> {
    check_arrays(strategy, scop)?;
    if !strategy.is_of_a_region() {
        return Ok(());
    }
    let mut statements: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut parameters = constraints.domain()?.space()?.dim_names(DimType::Param)?;
    parameters.extend(constraints.context()?.space()?.dim_names(DimType::Param)?);
    for set in constraints.domain()?.set_list()?.to_vec()? {
        statements.insert(set.tuple_name()?.unwrap_or_default(), loops(&set.space()?)?);
    }
    check_prefix(strategy, constraints, &statements, &parameters)?;
    for (statement, of) in strategy.vector_loops() {
        match statements.get(statement) {
            Some(names) if !names.iter().any(|name| name == of) => {
                let names = names.join(", ");
                return Err(Error::NoName(format!("{statement}.{of}; {statement} has the loops {names}")));
            }
            _ => {}
        }
    }
    for (statement, of) in strategy.names() {
        let has = |of: &str, names: &[String]| of == ONE || names.iter().chain(&parameters).any(|name| name == of);
        let problem = match (statements.get(statement), of) {
            (Some(_), None) => continue,
            (Some(names), Some(of)) if has(of, names) => continue,
            (None, Some(of)) if statement == EACH && statements.values().any(|names| has(of, names)) => continue,
            (Some(names), Some(of)) => format!("{statement}.{of}; {statement} has the loops {}", names.join(", ")),
            (None, Some(of)) if statement == EACH => format!("{of}, which is a loop of no statement"),
            (None, _) => {
                let all: Vec<&str> = statements.keys().map(String::as_str).collect();
                format!("{statement}; there are the statements {}", all.join(", "))
            }
        };
        return Err(Error::NoName(problem));
    }
    Ok(())
}

/// The arrays of the strategy are among those of the region.
fn check_arrays(strategy: &Strategy, scop: Option<&Scop>) -> Result<()> {
    let Some(scop) = scop else {
        let of_near = strategy.near_choices().into_iter().flat_map(|near| near.entries());
        return match of_near.chain(strategy.arrays()).next() {
            Some(name) => Err(Error::NoName(format!("{name}, but there is no region that says where it is"))),
            None => Ok(()),
        };
    };
    match strategy.arrays().find(|name| scop.array_by_name(name).is_none()) {
        Some(name) => {
            let all: Vec<&str> = scop.arrays.iter().map(|array| array.name.as_str()).collect();
            Err(Error::NoName(format!("{name}; there are the arrays {}", all.join(", "))))
        }
        None => Ok(()),
    }
}

/// The functions of the strategy's prefix are of statements that there are, and of their loops and the region's parameters.
fn check_prefix(
    strategy: &Strategy,
    constraints: &ScheduleConstraints,
    statements: &BTreeMap<String, Vec<String>>,
    parameters: &[String],
) -> Result<()> {
    for (member, text) in strategy.prefix.iter().enumerate() {
        let at = |problem: String| Error::NoName(format!("{problem}, in member {} of its prefix", member + 1));
        for function in UnionPwAff::parse(constraints.ctx(), text)?.pw_aff_list()?.to_vec()? {
            let space = function.domain_space()?;
            let name = space.tuple_name(DimType::SET)?.unwrap_or_default();
            let number = space.dim(DimType::SET)?;
            if statements.get(&name).is_none_or(|loops| loops.len() != number) {
                return Err(at(format!("{name} with {number} loops")));
            }
            if let Some(foreign) = space.dim_names(DimType::Param)?.iter().find(|name| !parameters.contains(name)) {
                return Err(at(format!("the parameter {foreign}")));
            }
        }
    }
    Ok(())
}

/// The names of loops, `i0`, `i1` and so on where they have none.
pub(super) fn loops(space: &Space) -> Result<Vec<String>> {
    let name = |i: usize| Ok(space.dim_name(DimType::SET, i)?.unwrap_or_else(|| format!("i{i}")));
    (0..space.dim(DimType::SET)?).map(name).collect()
}
