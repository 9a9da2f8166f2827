//! The groups as text.

use super::Proximity;
use crate::isl::Result;
use crate::scop::text::relations_to_text;

impl Proximity {
    /// YAML: for each group, named by its references, the access of the first of them and the relations.
    ///
    /// # Errors
    /// Those of isl.
    pub fn to_text(&self) -> Result<String> {
        let mut entries = Vec::new();
        for group in &self.groups {
            let head = group.references.join(" ");
            entries.push((format!("{head}, access"), group.access.clone().to_union_map()?));
            entries.push((format!("{head}, temporal"), group.temporal.clone()));
            entries.push((format!("{head}, spatial"), group.spatial.clone()));
        }
        let entries: Vec<_> = entries.iter().map(|(name, relation)| (name.as_str(), relation.clone())).collect();
        relations_to_text(&entries)
    }
}
