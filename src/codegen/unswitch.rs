//! Conditions hoisted out of the loops that they do not depend on.
//!
//! Where a loop's whole body is a condition that does not speak of the loop's iterator, the condition is asked once and
//! the loop made once for each branch. Separation of whole tiles leaves such conditions right around innermost loops:
//! inside the next loop they would keep a compiler from holding the elements of a tile in registers across its
//! iterations. Parallel loops stay whole: two of them would double the cost of starting threads.

use super::{Ast, Error, Expr, For, If, IteratorId, Node};

/// Hoists from the inside out, as far as each condition goes, while the code stays below `max_nodes`.
pub(super) fn unswitch(ast: &mut Ast, max_nodes: usize) -> Result<(), Error> {
    let mut unswitcher = Unswitcher { n_iterators: ast.n_iterators, size: ast.root.size(), max_nodes };
    let root = std::mem::replace(&mut ast.root, Node::Block(Vec::new()));
    ast.root = unswitcher.node(root)?;
    ast.n_iterators = unswitcher.n_iterators;
    Ok(())
}

struct Unswitcher {
    n_iterators: usize,
    size: usize,
    max_nodes: usize,
}

impl Unswitcher {
    fn node(&mut self, node: Node) -> Result<Node, Error> {
        match node.map_children(|child| self.node(child))? {
            Node::For(node) => self.hoist(node),
            other => Ok(other),
        }
    }

    /// The condition that is the whole body of a loop, around the loop.
    fn hoist(&mut self, mut node: Box<For>) -> Result<Node, Error> {
        let head = node.lower.iter().chain(&node.upper).map(Expr::size).sum::<usize>() + 1;
        let fits = self.size + head <= self.max_nodes;
        let branch = match std::mem::replace(&mut node.body, Node::Block(Vec::new())) {
            Node::If(branch) if fits && node.parallel.is_none() && !branch.cond.mentions(node.iterator) => *branch,
            body => {
                node.body = body;
                return Ok(Node::For(node));
            }
        };
        let otherwise = branch.otherwise.map(|body| self.again(&node, &body)).transpose()?;
        node.body = branch.then;
        Ok(Node::If(Box::new(If { cond: branch.cond, then: Node::For(node), otherwise })))
    }

    /// The same loop over another body, with iterators of its own.
    fn again(&mut self, node: &For, body: &Node) -> Result<Node, Error> {
        let iterator = IteratorId(self.n_iterators);
        self.n_iterators += 1;
        self.size += node.lower.iter().chain(&node.upper).map(Expr::size).sum::<usize>() + 1;
        let body = body.replaced(node.iterator, Expr::Iterator(iterator), &mut self.n_iterators)?;
        let second = Node::For(Box::new(For { iterator, body, ..node.clone() }));
        Ok(second)
    }
}
