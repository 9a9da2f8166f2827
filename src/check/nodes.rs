//! What a mark means, and the band that it is about.

use crate::isl::{self, NodeType, ScheduleNode};
use polyrs_model::Mark;

/// The meaning of a mark node, if it is one of ours.
pub(crate) fn mark_of(node: &ScheduleNode) -> isl::Result<Option<Mark>> {
    Ok(node.mark_id()?.name()?.and_then(|text| text.parse().ok()))
}

/// The band right below a mark (other marks may lie between), with at least one member.
pub(crate) fn band_below(mark: &ScheduleNode) -> isl::Result<Option<ScheduleNode>> {
    let mut node = mark.clone();
    while node.node_type()? == NodeType::Mark {
        node = node.first_child()?;
    }
    let is_band = node.node_type()? == NodeType::Band && node.band_n_member()? > 0;
    Ok(is_band.then_some(node))
}
