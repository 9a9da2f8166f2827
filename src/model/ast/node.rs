//! Walking over nodes, and copying them.

use super::{
    Axis, Call, Carried, Cond, Expr, For, If, IteratorId, Kernel, Node, Overflow, Promoted, Shared, SharedTile,
};
use crate::scop::StatementId;
use std::collections::{BTreeMap, BTreeSet};

impl For {
    /// The parallel loop that is all there is in this parallel one, with copies of the same arrays: the iterations of both may run at the
    /// same time.
    pub fn beside(&self) -> Option<&For> {
        match &self.body {
            Node::For(inner) if self.parallel.is_some() && inner.parallel == self.parallel => Some(inner),
            _ => None,
        }
    }

    /// A copy in which all iterators bound in it are new; `n_iterators` counts them.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn renamed(&self, n_iterators: &mut usize) -> Result<For, Overflow> {
        renamed_for(self, &mut BTreeMap::new(), n_iterators)
    }
}

impl Node {
    /// The nodes right below, in order.
    pub fn children(&self) -> impl Iterator<Item = &Node> {
        let (block, one, other): (&[Node], _, _) = match self {
            Node::Block(children) => (children, None, None),
            Node::For(node) => (&[], Some(&node.body), None),
            Node::Kernel(kernel) => (&[], Some(&kernel.body), None),
            Node::If(branch) => (&[], Some(&branch.then), branch.otherwise.as_ref()),
            Node::Shared(shared) => (&[], Some(&shared.body), None),
            Node::Call(_) => (&[], None, None),
        };
        block.iter().chain(one).chain(other)
    }

    /// A node under conditions that all have to hold, and what is done else.
    pub fn under(mut conditions: Vec<Cond>, then: Node, otherwise: Option<Node>) -> Node {
        let cond = match conditions.len() {
            0 => return then,
            1 => conditions.remove(0),
            _ => Cond::And(conditions),
        };
        Node::If(Box::new(If { cond, then, otherwise }))
    }

    /// The statements that are called at or below the node.
    pub fn statements(&self) -> BTreeSet<StatementId> {
        let mut all: BTreeSet<StatementId> = self.children().flat_map(Node::statements).collect();
        if let Node::Call(call) = self {
            all.insert(call.statement);
        }
        all
    }

    /// How many calls there are at or below the node of statements that count.
    pub fn calls_of(&self, counts: &dyn Fn(StatementId) -> bool) -> usize {
        let own = matches!(self, Node::Call(call) if counts(call.statement));
        usize::from(own) + self.children().map(|child| child.calls_of(counts)).sum::<usize>()
    }

    /// There is a kernel at or below the node.
    pub fn has_kernel(&self) -> bool {
        matches!(self, Node::Kernel(_)) || self.children().any(Node::has_kernel)
    }

    /// There are tiles in shared memory at or below the node.
    pub fn has_shared(&self) -> bool {
        matches!(self, Node::Shared(_)) || self.children().any(Node::has_shared)
    }

    /// There are loops over the points of blocks in it that may end before.
    pub fn has_cut_blocks(&self) -> bool {
        matches!(self, Node::For(inner) if inner.ends) || self.children().any(Node::has_cut_blocks)
    }

    /// The nodes right below, in order, to be changed.
    pub fn children_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        let (block, one, other): (&mut [Node], _, _) = match self {
            Node::Block(children) => (children, None, None),
            Node::For(node) => (&mut [], Some(&mut node.body), None),
            Node::Kernel(kernel) => (&mut [], Some(&mut kernel.body), None),
            Node::If(branch) => (&mut [], Some(&mut branch.then), branch.otherwise.as_mut()),
            Node::Shared(shared) => (&mut [], Some(&mut shared.body), None),
            Node::Call(_) => (&mut [], None, None),
        };
        block.iter_mut().chain(one).chain(other)
    }

    /// The same node over what `change` makes of each node right below.
    ///
    /// # Errors
    /// What `change` fails with.
    pub fn map_children<E>(mut self, mut change: impl FnMut(Node) -> Result<Node, E>) -> Result<Node, E> {
        for child in self.children_mut() {
            *child = change(std::mem::replace(child, Node::Block(Vec::new())))?;
        }
        Ok(self)
    }

    /// A copy in which all iterators bound in it are new; `n_iterators` counts them.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn renamed(&self, n_iterators: &mut usize) -> Result<Node, Overflow> {
        renamed(self, &mut BTreeMap::new(), n_iterators)
    }

    /// A copy with an iterator of an enclosing loop replaced and all iterators bound in it new.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn replaced(&self, iterator: IteratorId, by: Expr, n_iterators: &mut usize) -> Result<Node, Overflow> {
        renamed(self, &mut BTreeMap::from([(iterator, by)]), n_iterators)
    }

    /// The number of nodes, expressions included.
    pub fn size(&self) -> usize {
        1 + match self {
            Node::Block(children) => children.iter().map(Node::size).sum(),
            Node::For(node) => node.lower.iter().chain(&node.upper).map(Expr::size).sum::<usize>() + node.body.size(),
            Node::If(node) => node.cond.size() + node.then.size() + node.otherwise.as_ref().map_or(0, Node::size),
            Node::Kernel(kernel) => {
                kernel.axes().flat_map(|axis| &axis.extent).map(Expr::size).sum::<usize>() + kernel.body.size()
            }
            Node::Shared(shared) => {
                let size = |tile: &SharedTile| tile.origin.iter().map(Expr::size).sum::<usize>() + tile.exists.size();
                shared.tiles.iter().map(size).sum::<usize>() + shared.body.size()
            }
            Node::Call(call) => call.args.iter().map(Expr::size).sum(),
        }
    }
}

type Replacement = BTreeMap<IteratorId, Expr>;

fn renamed(node: &Node, replacement: &mut Replacement, n_iterators: &mut usize) -> Result<Node, Overflow> {
    Ok(match node {
        Node::Block(children) => {
            Node::Block(children.iter().map(|c| renamed(c, replacement, n_iterators)).collect::<Result<_, _>>()?)
        }
        Node::For(node) => Node::For(Box::new(renamed_for(node, replacement, n_iterators)?)),
        Node::Kernel(kernel) => Node::Kernel(Box::new(renamed_kernel(kernel, replacement, n_iterators)?)),
        Node::If(node) => Node::If(Box::new(If {
            cond: node.cond.substitute(&|id| replacement.get(&id).cloned())?,
            then: renamed(&node.then, replacement, n_iterators)?,
            otherwise: node.otherwise.as_ref().map(|n| renamed(n, replacement, n_iterators)).transpose()?,
        })),
        Node::Shared(shared) => Node::Shared(Box::new(renamed_shared(shared, replacement, n_iterators)?)),
        Node::Call(call) => Node::Call(Call { statement: call.statement, args: substituted(&call.args, replacement)? }),
    })
}

fn renamed_for(node: &For, replacement: &mut Replacement, n_iterators: &mut usize) -> Result<For, Overflow> {
    let lower = substituted(&node.lower, replacement)?;
    let upper = substituted(&node.upper, replacement)?;
    let promoted = node.promoted.iter().map(|promoted| {
        let origin = substituted(&promoted.origin, replacement)?;
        let limit = promoted.limit.iter().map(|limit| {
            let limit = limit.as_ref().map(|limit| limit.substitute(&|id| replacement.get(&id).cloned()));
            limit.transpose()
        });
        let limit = limit.collect::<Result<_, Overflow>>()?;
        Ok(Promoted { origin, limit, ..promoted.clone() })
    });
    let promoted = promoted.collect::<Result<_, Overflow>>()?;
    let carried = node.carried.iter().map(|carried| {
        let origin = substituted(&carried.origin, replacement)?;
        Ok(Carried { origin, ..carried.clone() })
    });
    let carried = carried.collect::<Result<_, Overflow>>()?;
    let iterator = fresh(node.iterator, replacement, n_iterators);
    let body = renamed(&node.body, replacement, n_iterators)?;
    let (step, parallel, vector) = (node.step, node.parallel.clone(), node.vector);
    let (block, ends) = (node.block, node.ends);
    Ok(For { iterator, lower, upper, step, parallel, vector, block, ends, promoted, carried, body })
}

fn renamed_kernel(kernel: &Kernel, replacement: &mut Replacement, n_iterators: &mut usize) -> Result<Kernel, Overflow> {
    let mut copy = Kernel { body: Node::Block(Vec::new()), ..kernel.clone() };
    for axis in copy.axes_mut() {
        let Axis { iterator, extent, .. } = axis;
        *extent = substituted(extent, replacement)?;
        *iterator = fresh(*iterator, replacement, n_iterators);
    }
    copy.body = renamed(&kernel.body, replacement, n_iterators)?;
    Ok(copy)
}

fn renamed_shared(shared: &Shared, replacement: &mut Replacement, n_iterators: &mut usize) -> Result<Shared, Overflow> {
    let mut tiles = Vec::new();
    for tile in &shared.tiles {
        let mut tile = SharedTile { origin: substituted(&tile.origin, replacement)?, ..tile.clone() };
        for element in &mut tile.element {
            *element = fresh(*element, replacement, n_iterators);
        }
        tile.exists = tile.exists.substitute(&|id| replacement.get(&id).cloned())?;
        tiles.push(tile);
    }
    Ok(Shared { tiles, body: renamed(&shared.body, replacement, n_iterators)? })
}

/// A new iterator in the place of one that is bound here.
fn fresh(bound: IteratorId, replacement: &mut Replacement, n_iterators: &mut usize) -> IteratorId {
    let fresh = IteratorId(*n_iterators);
    *n_iterators += 1;
    replacement.insert(bound, Expr::Iterator(fresh));
    fresh
}

fn substituted(list: &[Expr], replacement: &Replacement) -> Result<Vec<Expr>, Overflow> {
    list.iter().map(|expr| expr.substitute(&|id| replacement.get(&id).cloned())).collect()
}
