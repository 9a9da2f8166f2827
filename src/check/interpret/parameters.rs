//! Parameter values to run a region at, where nobody chose any.

use super::Error;
use crate::isl::{self, DimType};
use crate::scop::Scop;
use std::collections::BTreeMap;

/// Small parameter values in the context: at least `least` and increasing from one to the next where the context allows
/// that, otherwise any in the context. `None` when the context is empty.
///
/// # Errors
/// Only those of isl.
pub fn small_parameters(scop: &Scop, least: i64) -> Result<Option<BTreeMap<String, i64>>, Error> {
    let names = scop.parameters()?;
    let mut space = isl::Space::unit(scop.ctx())?;
    for name in &names {
        space = space.add_param_id(isl::Id::new(scop.ctx(), name)?)?;
    }
    // Parameters as dimensions: { [n, m] }.
    let context = scop.context.clone().align_params(space.clone())?;
    let context = context.from_range_map()?.move_dims(DimType::In, 0, DimType::Param, 0, names.len())?.domain()?;
    let mut wish = context.clone();
    for (i, increment) in (0..names.len()).zip(0..) {
        let bound = isl::Val::int(scop.ctx(), least + increment)?;
        wish = wish.lower_bound_val(DimType::SET, i, bound)?;
    }
    let set = if wish.is_empty()? { context } else { wish.lexmin()? };
    let point = set.sample_point()?;
    if point.is_void()? {
        return Ok(None);
    }
    let value = |(i, name): (usize, String)| {
        let position = i32::try_from(i).map_err(|_| isl::Error::invalid("too many parameters"))?;
        Ok((name, point.coordinate(DimType::SET, position)?.to_i64()?))
    };
    Ok(Some(names.into_iter().enumerate().map(value).collect::<Result<_, Error>>()?))
}
