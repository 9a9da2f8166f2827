//! Conditions hoisted out of the loops that they do not depend on.
//!
//! Where a loop's whole body is a condition that does not speak of the loop's iterator, the condition is asked once and
//! the loop made once for each branch. Separation of whole tiles leaves such conditions right around innermost loops:
//! inside the next loop they would keep a compiler from holding the elements of a tile in registers across its
//! iterations. Parallel loops stay whole: two of them would double the cost of starting threads. In kernels conditions
//! that are the same for all threads of a block go around the copies to shared memory as well.

use super::{Ast, Error, Expr, For, If, IteratorId, Node, Shared};

/// Hoists from the inside out, as far as each condition goes, while the code stays below `max_nodes`.
pub(super) fn unswitch(ast: &mut Ast, max_nodes: usize) -> Result<(), Error> {
    let (n_iterators, size) = (ast.n_iterators, ast.root.size());
    let mut unswitcher = Unswitcher { n_iterators, size, max_nodes, threads: Vec::new() };
    let root = std::mem::replace(&mut ast.root, Node::Block(Vec::new()));
    ast.root = unswitcher.node(root)?;
    ast.n_iterators = unswitcher.n_iterators;
    Ok(())
}

struct Unswitcher {
    n_iterators: usize,
    size: usize,
    max_nodes: usize,
    /// What counts the threads of the kernel around.
    threads: Vec<IteratorId>,
}

impl Unswitcher {
    fn node(&mut self, node: Node) -> Result<Node, Error> {
        if let Node::Kernel(kernel) = &node {
            self.threads = kernel.threads.iter().map(|axis| axis.iterator).collect();
        }
        match node.map_children(|child| self.node(child))? {
            Node::For(node) => self.hoist(node),
            Node::Shared(shared) => self.out_of_shared(shared),
            other => Ok(other),
        }
    }

    /// The conditions that are the whole body of a loop, one in the other, around the loop.
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
        let then = self.hoist(node)?;
        Ok(Node::If(Box::new(If { cond: branch.cond, then, otherwise })))
    }

    /// The condition that is the whole body of what threads do together, around that, if all threads agree on it.
    fn out_of_shared(&mut self, mut shared: Box<Shared>) -> Result<Node, Error> {
        let body = std::mem::replace(&mut shared.body, Node::Block(Vec::new()));
        let head = Node::Shared(shared.clone());
        let fits = self.size + head.size() <= self.max_nodes;
        let branch = match body {
            Node::If(branch) if fits && !self.threads.iter().any(|thread| branch.cond.mentions(*thread)) => *branch,
            body => {
                shared.body = body;
                return Ok(Node::Shared(shared));
            }
        };
        let mut over = |body: Node| {
            let mut copy = head.renamed(&mut self.n_iterators)?;
            if let Node::Shared(shared) = &mut copy {
                shared.body = body;
            }
            self.size += head.size();
            Ok::<_, Error>(copy)
        };
        let otherwise = branch.otherwise.map(&mut over).transpose()?;
        shared.body = branch.then;
        Ok(Node::If(Box::new(If { cond: branch.cond, then: Node::Shared(shared), otherwise })))
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
