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
        for name in block {
            // The end of a buffer's former life has its place between those before it and those behind it.
            match runs.last_mut().filter(|run| positions.are_adjacent(&[run[run.len() - 1].clone(), name.clone()])) {
                Some(run) => run.push(name),
                None => runs.push(vec![name]),
            }
        }
    }
    Decision::new(runs, positions)
}
