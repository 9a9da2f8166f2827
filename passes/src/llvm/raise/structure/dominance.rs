//! Post-dominators.

use crate::llvm::raise::code::function::Code;
use crate::llvm::raise::code::ids::BlockId;

/// For each block, the first one that all ways from it to the end of the function go through; nothing if there is none.
///
/// The iterative algorithm of Cooper, Harvey and Kennedy on the reversed graph, with one more node behind all blocks
/// that leave the function.
pub fn post_dominators(code: &Code) -> Vec<Option<BlockId>> {
    let count = code.blocks.len();
    let end = count;
    let order = reverse_post_order(code);
    // The position in that order; blocks that never end have none.
    let mut number = vec![usize::MAX; count + 1];
    for (position, node) in order.iter().enumerate() {
        number[*node] = position;
    }
    let mut joins = vec![None; count + 1];
    joins[end] = Some(end);
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().copied().filter(|node| *node != end) {
            let mut best: Option<usize> = None;
            for next in behind(code, node).into_iter().filter(|next| joins[*next].is_some()) {
                best = Some(match best {
                    None => next,
                    Some(other) => meet(&joins, &number, next, other),
                });
            }
            if joins[node] != best {
                joins[node] = best;
                changed = true;
            }
        }
    }
    joins.truncate(count);
    joins.into_iter().map(|join| join.filter(|join| *join != end).map(BlockId)).collect()
}

/// Where control goes from a block, but to errors; one that leaves the function goes to the end.
fn behind(code: &Code, node: usize) -> Vec<usize> {
    let successors: Vec<usize> = code.behind(BlockId(node)).map(|next| next.0).collect();
    if successors.is_empty() { vec![code.blocks.len()] } else { successors }
}

fn reverse_post_order(code: &Code) -> Vec<usize> {
    let count = code.blocks.len();
    let leaving: Vec<usize> = (0..count).filter(|node| code.blocks[*node].successors.is_empty()).collect();
    let before = |node: usize| -> Vec<usize> {
        if node == count {
            leaving.clone()
        } else {
            code.blocks[node].predecessors.iter().map(|before| before.0).collect()
        }
    };
    let mut seen = vec![false; count + 1];
    let mut order = Vec::new();
    let mut stack = vec![(count, before(count), 0)];
    seen[count] = true;
    while let Some((node, ways, position)) = stack.last_mut() {
        match ways.get(*position).copied() {
            Some(next) => {
                *position += 1;
                if !seen[next] {
                    seen[next] = true;
                    stack.push((next, before(next), 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

fn meet(joins: &[Option<usize>], number: &[usize], one: usize, other: usize) -> usize {
    let (mut one, mut other) = (one, other);
    while one != other {
        while number[one] > number[other] {
            one = joins[one].unwrap_or(one);
        }
        while number[other] > number[one] {
            other = joins[other].unwrap_or(other);
        }
    }
    one
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
