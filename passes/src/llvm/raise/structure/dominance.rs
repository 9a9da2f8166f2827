//! Post-dominators.

use petgraph::algo::dominators::simple_fast;
use petgraph::graphmap::DiGraphMap;

use crate::llvm::raise::code::function::Code;
use crate::llvm::raise::code::ids::BlockId;

/// For each block, the first one that all ways from it to the end of the function go through; nothing if there is none.
pub fn post_dominators(code: &Code) -> Vec<Option<BlockId>> {
    // Against the way of control, from one more node, behind all blocks that leave the function.
    let end = code.blocks.len();
    let mut backwards = DiGraphMap::<usize, ()>::new();
    backwards.add_node(end);
    for block in 0..end {
        for next in behind(code, block) {
            backwards.add_edge(next, block, ());
        }
    }
    let dominators = simple_fast(&backwards, end);
    let join = |block| dominators.immediate_dominator(block).filter(|join| *join != end).map(BlockId);
    (0..end).map(join).collect()
}

/// Where control goes from a block, but to errors; one that leaves the function goes to the end.
fn behind(code: &Code, block: usize) -> Vec<usize> {
    let successors: Vec<usize> = code.behind(BlockId(block)).map(|next| next.0).collect();
    if successors.is_empty() { vec![code.blocks.len()] } else { successors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::raise::code::function::BasicBlock;

    fn graph(edges: &[&[usize]]) -> Code {
        let mut code = Code { blocks: vec![BasicBlock::default(); edges.len()], ..Code::default() };
        for (from, targets) in edges.iter().enumerate() {
            for to in targets.iter().copied() {
                code.blocks[from].successors.push(BlockId(to));
                code.blocks[to].predecessors.push(BlockId(from));
            }
        }
        code
    }

    #[test]
    fn a_diamond_meets_at_its_end() {
        let joins = post_dominators(&graph(&[&[1, 2], &[3], &[3], &[]]));
        assert_eq!(joins, [Some(BlockId(3)), Some(BlockId(3)), Some(BlockId(3)), None]);
    }

    #[test]
    fn a_loop_meets_behind_its_latch() {
        let joins = post_dominators(&graph(&[&[1], &[2, 3], &[3], &[1, 4], &[]]));
        assert_eq!(joins[1], Some(BlockId(3)));
        assert_eq!(joins[3], Some(BlockId(4)));
    }

    #[test]
    fn two_ends_do_not_meet() {
        assert_eq!(post_dominators(&graph(&[&[1, 2], &[], &[]])), [None, None, None]);
    }

    #[test]
    fn what_never_ends_meets_nowhere() {
        let joins = post_dominators(&graph(&[&[1, 2], &[1], &[]]));
        assert_eq!(joins, [Some(BlockId(2)), None, None]);
    }
}
