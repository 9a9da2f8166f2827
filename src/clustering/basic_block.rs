//! All statements of a basic block (section 6.3), as long as they follow each other.

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
    let mut runs: Vec<Vec<String>> = Vec::new();
    for mut block in blocks.into_values() {
        block.sort_by_key(|name| positions.number(name));
        // The end of a buffer's former life has its place between those before it and those behind it.
        let adjacent = block.chunk_by(|one, next| positions.are_adjacent(&[one.clone(), next.clone()]));
        runs.extend(adjacent.map(<[String]>::to_vec));
    }
    Decision::new(runs, positions)
}
