//! The dependences as text.

use super::Dependences;
use crate::isl::{Result, UnionMap};
use crate::scop::text::relations_to_text;

impl Dependences {
    /// YAML with one relation for each kind of dependence; `more` is appended.
    pub fn to_text(&self, more: &[(&str, UnionMap)]) -> Result<String> {
        let mut entries = vec![
            ("flow", self.flow.clone()),
            ("tagged_flow", self.tagged_flow.clone()),
            ("dep_false", self.dep_false.clone()),
            ("may_live_in", self.may_live_in.clone()),
            ("may_live_out", self.may_live_out.clone()),
        ];
        if self.mode.live_range_reordering {
            entries.push(("tagged_order", self.tagged_order.clone()));
            entries.push(("forced", self.forced.clone()));
        }
        entries.extend(more.iter().cloned());
        relations_to_text(&entries)
    }
}
