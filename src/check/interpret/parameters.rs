//! Parameter values to run a region at, where nobody chose any.

use super::Error;
use crate::isl::{self, DimType};
use crate::scop::Scop;
use std::collections::BTreeMap;

/// Small parameter values in the context: `least`, one more for each next parameter, where the context allows that;
/// otherwise as near to it as is found at once. `None` when the context is empty.
///
/// # Errors
/// Only those of isl.
pub fn small_parameters(scop: &Scop, least: i64) -> Result<Option<BTreeMap<String, i64>>, Error> {
    let count = scop.parameters()?.len();
    // All different first, so that a confusion of parameters shows; then all the same, ever smaller.
    let different = (least..).take(count).collect();
    parameters_from(scop, std::iter::once(different).chain((1..=least).rev().map(|least| vec![least; count])))
}

/// Parameter values in the context: the first wish that it allows, a least value for each parameter, or others of the
/// context where it allows none. `None` when the context is empty.
///
/// # Errors
/// Only those of isl.
pub(super) fn parameters_from(
    scop: &Scop,
    wishes: impl IntoIterator<Item = Vec<i64>>,
) -> Result<Option<BTreeMap<String, i64>>, Error> {
    let names = scop.parameters()?;
    let mut space = isl::Space::unit(scop.ctx())?;
    for name in &names {
        space = space.add_param_id(isl::Id::new(scop.ctx(), name)?)?;
    }
    // Parameters as dimensions: { [n, m] }.
    let context = scop.context.clone().align_params(space.clone())?;
    let context = context.from_range_map()?.move_dims(DimType::In, 0, DimType::Param, 0, names.len())?.domain()?;
    let mut point = context.clone().sample_point()?;
    for least in wishes {
        let mut wish = context.clone();
        for (i, least) in least.into_iter().enumerate() {
            wish = wish.lower_bound_val(DimType::SET, i, isl::Val::int(scop.ctx(), least)?)?;
        }
        if !wish.is_empty()? {
            point = wish.lexmin()?.sample_point()?;
            break;
        }
    }
    if point.is_void()? {
        return Ok(None);
    }
    let value = |(i, name): (usize, String)| {
        let position = i32::try_from(i).map_err(|_| isl::Error::invalid("too many parameters"))?;
        Ok((name, point.coordinate(DimType::SET, position)?.to_i64()?))
    };
    Ok(Some(names.into_iter().enumerate().map(value).collect::<Result<_, Error>>()?))
}
