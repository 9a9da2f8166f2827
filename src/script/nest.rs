//! A schedule tree as loops with names: one node a loop, where isl's trees have one for a band.

use crate::isl::{self, UnionPwAff, UnionSet};
use crate::schedule_tree::{Mark, names as statements_of};
use std::collections::{BTreeMap, BTreeSet};

/// A tree.
#[derive(Debug, Clone)]
pub struct Nest {
    /// What is executed: `{ S[i] }`.
    pub domain: UnionSet,
    /// The outermost node.
    pub root: Node,
}

/// A node.
#[derive(Debug, Clone)]
pub enum Node {
    /// Statements, in no order of their own.
    Leaf,
    /// A loop.
    Loop(Loop),
    /// Parts, one after the other, or in any order.
    Parts {
        /// One after the other.
        ordered: bool,
        /// Two at least.
        parts: Vec<Part>,
    },
    /// A mark that says something of all that is below, such as what is packed there.
    Mark {
        /// What it says.
        mark: Mark,
        /// What is below.
        body: Box<Node>,
    },
}

/// What a loop runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Iterations.
    Plain,
    /// Tiles, or tiles of tiles: level 1 is the innermost.
    Tile {
        /// As [`Mark::Tile`] counts them.
        level: u32,
    },
    /// The points of a tile.
    Point,
    /// Blocks for registers.
    Register,
    /// The points of such a block.
    Block,
    /// Wavefronts.
    Front,
}

/// A loop.
#[derive(Debug, Clone)]
pub struct Loop {
    /// For each statement the iterator that the loop is called by; those without one are missing.
    pub names: BTreeMap<String, String>,
    /// What it runs over.
    pub kind: Kind,
    /// The arrays that each iteration has a copy of, if iterations run in parallel.
    pub parallel: Option<Vec<String>>,
    /// Which iteration an instance is in: `{ S[i] -> [(t)] }`.
    pub member: UnionPwAff,
    /// What is in it.
    pub body: Box<Node>,
}

/// A part of a sequence.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its instances: `{ S[i] }`.
    pub filter: UnionSet,
    /// What is done with them.
    pub node: Node,
}

/// The way to a node: which child is next; 0 where there is one.
pub type Path = Vec<usize>;

impl Kind {
    /// What is appended to the names of such loops.
    pub fn suffix(self) -> String {
        match self {
            Kind::Plain | Kind::Point | Kind::Block | Kind::Front => String::new(),
            Kind::Tile { level: 1 } => ".tile".to_owned(),
            Kind::Tile { level } => format!(".tile{level}"),
            Kind::Register => ".block".to_owned(),
        }
    }

    /// The mark of a band of such loops.
    pub fn mark(self) -> Option<Mark> {
        match self {
            Kind::Plain | Kind::Front => None,
            Kind::Tile { level } => Some(Mark::Tile { level }),
            Kind::Point => Some(Mark::Point),
            Kind::Register => Some(Mark::Register),
            Kind::Block => Some(Mark::Block),
        }
    }

    /// What the mark of a band says of its loops; `None` for marks that say something else.
    pub fn of(mark: &Mark) -> Option<Kind> {
        match mark {
            Mark::Tile { level } => Some(Kind::Tile { level: *level }),
            Mark::Point => Some(Kind::Point),
            Mark::Register => Some(Kind::Register),
            Mark::Block => Some(Kind::Block),
            _ => None,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Plain => "loop",
            Kind::Tile { .. } => "tile",
            Kind::Point => "point",
            Kind::Register => "register",
            Kind::Block => "block",
            Kind::Front => "front",
        }
    }
}

impl Part {
    /// The names of its statements.
    pub fn statements(&self) -> isl::Result<BTreeSet<String>> {
        statements_of(&self.filter)
    }
}

impl Node {
    /// The node at the end of a way.
    pub fn at(&self, path: &[usize]) -> &Node {
        let Some((first, rest)) = path.split_first() else { return self };
        match self {
            Node::Leaf => self,
            Node::Loop(Loop { body, .. }) | Node::Mark { body, .. } => body.at(rest),
            Node::Parts { parts, .. } => parts[*first].node.at(rest),
        }
    }

    /// The same, to be changed.
    pub fn at_mut(&mut self, path: &[usize]) -> &mut Node {
        let Some((first, rest)) = path.split_first() else { return self };
        match self {
            Node::Leaf => self,
            Node::Loop(Loop { body, .. }) | Node::Mark { body, .. } => body.at_mut(rest),
            Node::Parts { parts, .. } => parts[*first].node.at_mut(rest),
        }
    }

    /// The loop at the end of a way, if there is one.
    pub fn loop_at(&self, path: &[usize]) -> Option<&Loop> {
        match self.at(path) {
            Node::Loop(found) => Some(found),
            _ => None,
        }
    }

    /// Parts in sequence; sequences among them become a part of it. A single part is none.
    pub fn sequence(parts: Vec<Part>) -> isl::Result<Node> {
        let mut flat = Vec::new();
        for part in parts {
            match part.node {
                Node::Parts { ordered: true, parts } => {
                    for inner in parts {
                        let filter = inner.filter.intersect(part.filter.clone())?;
                        flat.push(Part { filter, ..inner });
                    }
                }
                node => flat.push(Part { filter: part.filter, node }),
            }
        }
        match flat.pop() {
            Some(only) if flat.is_empty() => Ok(only.node),
            Some(last) => {
                flat.push(last);
                Ok(Node::Parts { ordered: true, parts: flat })
            }
            None => Ok(Node::Leaf),
        }
    }
}

impl Nest {
    /// All loops with the ways to them and their statements, the outer ones first, in the order of the tree.
    ///
    /// # Errors
    /// Those of isl.
    pub fn loops(&self) -> isl::Result<Vec<(Path, &Loop, BTreeSet<String>)>> {
        let mut found = Vec::new();
        collect(&self.root, &mut Vec::new(), &statements_of(&self.domain)?, &mut found)?;
        Ok(found)
    }

    /// The statements that reach a node.
    ///
    /// # Errors
    /// Those of isl.
    pub fn statements(&self, path: &[usize]) -> isl::Result<BTreeSet<String>> {
        statements_of(&self.instances(path)?)
    }

    /// The instances that reach a node: `{ S[i] }`.
    ///
    /// # Errors
    /// Those of isl.
    pub fn instances(&self, path: &[usize]) -> isl::Result<UnionSet> {
        let mut domain = self.domain.clone();
        for length in 0..path.len() {
            if let Node::Parts { parts, .. } = self.root.at(&path[..length]) {
                domain = domain.intersect(parts[path[length]].filter.clone())?;
            }
        }
        Ok(domain)
    }
}

fn collect<'n>(
    node: &'n Node,
    path: &mut Path,
    statements: &BTreeSet<String>,
    found: &mut Vec<(Path, &'n Loop, BTreeSet<String>)>,
) -> isl::Result<()> {
    match node {
        Node::Leaf => Ok(()),
        Node::Loop(this) => {
            found.push((path.clone(), this, statements.clone()));
            path.push(0);
            collect(&this.body, path, statements, found)?;
            path.pop();
            Ok(())
        }
        Node::Mark { body, .. } => {
            path.push(0);
            collect(body, path, statements, found)?;
            path.pop();
            Ok(())
        }
        Node::Parts { parts, .. } => {
            for (number, part) in parts.iter().enumerate() {
                let inside = part.statements()?.intersection(statements).cloned().collect();
                path.push(number);
                collect(&part.node, path, &inside, found)?;
                path.pop();
            }
            Ok(())
        }
    }
}
