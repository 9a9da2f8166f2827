//! What a strategy names is in the region that it is for.

use super::error::{Error, Result};
use super::strategy::{EACH, ONE, Strategy};
use crate::isl::{DimType, ScheduleConstraints};
use std::collections::BTreeMap;

/// The statements and loops that a strategy names are among those of the constraints' domain.
///
/// # Errors
/// [`Error::NoName`], with what there is instead.
pub fn check_names(strategy: &Strategy, constraints: &ScheduleConstraints) -> Result<()> {
    if strategy.names().next().is_none() {
        return Ok(());
    }
    let mut statements: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for set in constraints.domain()?.set_list()?.to_vec()? {
        let mut names = set.space()?.dim_names(DimType::SET)?;
        names.extend(set.space()?.dim_names(DimType::Param)?);
        statements.insert(set.tuple_name()?.unwrap_or_default(), names);
    }
    for (statement, of) in strategy.names() {
        let has = |of: &str, names: &[String]| of == ONE || names.iter().any(|name| name == of);
        let problem = match (statements.get(statement), of) {
            (Some(_), None) => continue,
            (Some(names), Some(of)) if has(of, names) => continue,
            (None, Some(of)) if statement == EACH && statements.values().any(|names| has(of, names)) => continue,
            (Some(names), Some(of)) => format!("{statement}.{of}; {statement} has {}", names.join(", ")),
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
