//! An innermost loop distributed over the statements in it.

use super::band::{Band, point_members, point_members_above, position, tuple};
use crate::isl::{Result, ScheduleNode, Set, UnionMap, UnionSet};

/// Parts of the instances under a band are not executed at the same times, so that code for them in one loop needs
/// conditions in that loop.
pub(crate) fn needs_conditions(band: &ScheduleNode, parts: &[UnionSet]) -> Result<bool> {
    let mut members = point_members_above(band)?;
    members.extend(point_members(band)?);
    if members.is_empty() {
        return Ok(false);
    }
    // { S[i] -> [t] }
    let times = UnionMap::from_multi_union_pw_aff(tuple(band.ctx(), &members)?)?.intersect_domain(band.domain()?)?;
    let mut first: Option<Set> = None;
    for part in parts {
        let part = times.clone().intersect_domain(part.clone())?.range()?;
        if part.is_empty()? {
            continue;
        }
        let part = part.as_set()?;
        match &first {
            None => first = Some(part),
            Some(first) if first.is_equal(&part)? => {}
            Some(_) => return Ok(true),
        }
    }
    Ok(false)
}

/// Moves the last member of a band under the sequence below it; the result is at the same place in the tree: at what is
/// left of the band, or at the sequence.
pub(crate) fn sink_last(band: ScheduleNode) -> Result<ScheduleNode> {
    let members = Band::read(&band)?.members.len();
    if members < 2 {
        return band.band_sink();
    }
    band.band_split(position(members - 1)?)?.first_child()?.band_sink()?.parent()
}
