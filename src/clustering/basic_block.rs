//! All statements of a basic block (section 6.3).

use super::decision::Decision;
use crate::schedule_tree::Positions;
use crate::scop::Scop;
use std::collections::BTreeMap;

/// The basic blocks of a region.
pub fn basic_blocks(scop: &Scop, positions: &Positions) -> Decision {
    let mut blocks: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for statement in scop.statements.iter().filter(|statement| !statement.is_kill()) {
        if let Some(block) = statement.block {
            blocks.entry(block).or_default().push(statement.name.clone());
        }
    }
    Decision::new(blocks.into_values(), positions)
}
