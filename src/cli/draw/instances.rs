//! The instances and dependences of a region at given values of its parameters.

use crate::failure::Failure;
use polyrs::check::interpret::small_parameters;
use polyrs::isl::{self, DimType, Set, UnionMap};
use polyrs::scop::Scop;
use std::collections::BTreeMap;

/// More points, or arrows, are no picture.
pub const MOST: usize = 3000;

/// Values of the parameters.
pub type Values = BTreeMap<String, i64>;

/// A tuple with its name.
pub type Instance = (String, Vec<i64>);

/// The values to draw at: those that are given, or small ones without any.
pub fn values(scop: &Scop, given: &[(String, i64)]) -> Result<Values, Failure> {
    let names = scop.parameters()?;
    if given.is_empty() {
        let empty = || Failure::Input("error: the context is empty: there are no parameter values to draw at".into());
        return small_parameters(scop, 4)?.ok_or_else(empty);
    }
    let values = crate::input::values(given)?;
    if let Some(unknown) = values.keys().find(|name| !names.contains(name)) {
        let known =
            if names.is_empty() { "there is none".to_owned() } else { format!("there are {}", names.join(", ")) };
        return Err(Failure::Input(format!("error: there is no parameter `{unknown}`: {known}")));
    }
    if let Some(missing) = names.iter().find(|name| !values.contains_key(*name)) {
        return Err(Failure::Input(format!("error: the parameter `{missing}` has no value: say --set {missing}=N")));
    }
    if fixed(scop.context.clone(), &values)?.is_empty()? {
        return Err(Failure::Input(format!("error: the values are outside of the context {}", scop.context)));
    }
    Ok(values)
}

/// A set at the values: it has no parameters any more.
fn fixed(mut set: Set, values: &Values) -> isl::Result<Set> {
    let names = set.space()?.dim_names(DimType::Param)?;
    for (position, name) in names.iter().enumerate() {
        let value = values.get(name).ok_or_else(|| isl::Error::invalid(format!("`{name}` has no value")))?;
        let value = isl::Val::int(set.ctx(), *value)?;
        set = set.fix_val(DimType::Param, position, value)?;
    }
    set.project_out(DimType::Param, 0, names.len())
}

/// The points of a set at the values.
pub fn points(set: Set, values: &Values) -> Result<Vec<Vec<i64>>, Failure> {
    let set = fixed(set, values)?;
    if !set.is_bounded()? {
        return Err(Failure::Input(format!("error: there is no end to {set}, so it can't be drawn")));
    }
    let many = || Failure::Input(format!("error: there are more than {MOST} points; choose smaller values with --set"));
    set.points(MOST)?.ok_or_else(many)
}

/// The pairs of a relation at the values.
pub fn pairs(relation: &UnionMap, values: &Values) -> Result<Vec<(Instance, Instance)>, Failure> {
    let mut pairs = Vec::new();
    for map in relation.map_list()?.to_vec()? {
        let name = |kind| map.tuple_name(kind).map(Option::unwrap_or_default);
        let (source, sink) = (name(DimType::In)?, name(DimType::Out)?);
        let depth = map.dim(DimType::In)?;
        for pair in points(map.wrap()?, values)? {
            let (from, to) = pair.split_at(depth);
            pairs.push(((source.clone(), from.to_vec()), (sink.clone(), to.to_vec())));
        }
    }
    pairs.sort();
    pairs.dedup();
    Ok(pairs)
}
