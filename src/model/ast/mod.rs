//! The neutral AST: what the code generator makes of a schedule, a front end emits, and the checker runs. Here are its
//! data, arithmetic on its expressions, and its text.

mod expression;
mod linear;
mod node;
mod print;

pub use linear::Linear;

use crate::scop::StatementId;
use std::collections::BTreeSet;

/// A constant, a coefficient or their combination does not fit 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a constant of the generated code does not fit 64 bits")]
pub struct Overflow;

/// An iterator of the AST. Each `For` binds its own; numbers are unique in an AST.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IteratorId(pub usize);

/// The AST of a whole region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ast {
    /// The names of the parameters that [`Expr::Parameter`] refers to.
    pub parameters: Vec<String>,
    /// The number of iterators: all ids are below.
    pub n_iterators: usize,
    /// The root.
    pub root: Node,
}

impl Ast {
    /// Both have the same loops, conditions and calls; only the marks of vector loops and of blocks may differ.
    pub fn same_loops(&self, other: &Ast) -> bool {
        fn unmark(node: &mut Node) {
            if let Node::For(inner) = node {
                (inner.vector, inner.block) = (false, false);
                inner.promoted.clear();
                inner.carried.clear();
            }
            node.children_mut().for_each(unmark);
        }
        let (mut own, mut others) = (self.root.clone(), other.root.clone());
        unmark(&mut own);
        unmark(&mut others);
        self.parameters == other.parameters && own == others
    }

    /// The numbers of tiles that are copied.
    pub fn tiles(&self) -> BTreeSet<usize> {
        fn collect(node: &Node, all: &mut BTreeSet<usize>) {
            if let Node::Shared(shared) = node {
                all.extend(shared.tiles.iter().map(|tile| tile.buffer));
            }
            node.children().for_each(|child| collect(child, all));
        }
        let mut all = BTreeSet::new();
        collect(&self.root, &mut all);
        all
    }
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Children in order. An empty block does nothing.
    Block(Vec<Node>),
    /// A loop.
    For(Box<For>),
    /// A condition.
    If(Box<If>),
    /// What a GPU does between two points where the host can do something.
    Kernel(Box<Kernel>),
    /// Code that reads from copies of tiles: in shared memory what the threads of a block copied together in a kernel,
    /// outside of kernels what was packed.
    Shared(Box<Shared>),
    /// The execution of one instance.
    Call(Call),
}

/// A loop: `for iterator = max(lower) to min(upper) (exclusive) step step`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct For {
    /// The iterator, visible in the body.
    pub iterator: IteratorId,
    /// Lower bounds; the greatest counts. Never empty.
    pub lower: Vec<Expr>,
    /// Exclusive upper bounds; the least counts. Never empty.
    pub upper: Vec<Expr>,
    /// The step, positive.
    pub step: i64,
    /// The iterations may run in any order and at the same time.
    pub parallel: Option<Parallel>,
    /// Iterations of this innermost loop carry no dependence, so a vectorizer may take them together.
    pub vector: bool,
    /// The loop goes over the points of a block whose accumulators fit into registers.
    pub block: bool,
    /// Not all points of the block need exist: the body is a condition that says up to where they do, and nothing else.
    /// Beyond, the elements that a loop around holds of what is written here are no elements of the array that it holds.
    pub ends: bool,
    /// Elements that may be promoted in buffers of their own while the loop runs. Where they are, they must be copied
    /// in before the loop and out behind it.
    pub promoted: Vec<Promoted>,
    /// Elements that iterations may hand on to the next ones in a buffer.
    pub carried: Vec<Carried>,
    /// The body.
    pub body: Node,
}

/// What a loop accesses of an array, where all of it moves by the same step from one iteration to the next. Nothing else in the
/// loop accesses the array, and each iteration, one after the other, accesses all of it: the elements whose subscripts are
/// `origin + step * iterator` plus constants and iterators of a block's loops in it times constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// The array's name.
    pub array: String,
    /// One expression for each dimension, in terms of iterators outside of the loop.
    pub origin: Vec<Expr>,
    /// By how much subscripts change along each dimension from one iteration to the next.
    pub step: Vec<i64>,
}

/// A footprint of an array. While the loop that holds it runs, nothing in the loop accesses the array elsewhere, and
/// nothing outside of the loop accesses the footprint; every iteration of the loop writes all of it. The loop runs at
/// least once. Where it has limits, only what is before them belongs to it, which may be nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promoted {
    /// The array's name.
    pub array: String,
    /// The first element, one expression for each dimension, in terms of iterators outside of the loop.
    pub origin: Vec<Expr>,
    /// The number of elements along each dimension.
    pub extent: Vec<i64>,
    /// How far the elements along each dimension are apart: not 0, and less where subscripts go down, which have no limit.
    pub stride: Vec<i64>,
    /// Where elements along each dimension end before there are as many of them: the first subscript beyond, in terms
    /// of iterators outside of the loop, and of the numbers of the elements along dimensions before, as in a triangle. `None`
    /// where they do not.
    pub limit: Vec<Option<Expr>>,
    /// What stands for those numbers, from 0, in limits: one for each dimension, bound nowhere else.
    pub numbers: Vec<IteratorId>,
    /// What statements in the loop access of the array outside of the footprint: their subscripts, where
    /// [`Expr::Iterator`] number `k` stands for the `k`-th element of the instance vector.
    pub outside: Vec<(StatementId, Vec<Expr>)>,
}

impl Promoted {
    /// Both are of the same elements.
    pub fn is_same_footprint(&self, other: &Promoted) -> bool {
        (&self.array, &self.origin, &self.extent, &self.stride, &self.limit)
            == (&other.array, &other.origin, &other.extent, &other.stride, &other.limit)
    }

    /// Adds what is accessed outside of the footprint in another loop.
    pub fn join(&mut self, other: &Promoted) {
        for access in &other.outside {
            if !self.outside.contains(access) {
                self.outside.push(access.clone());
            }
        }
    }
}

/// What a parallel loop needs to know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parallel {
    /// Names of the arrays of which each iteration (or thread) gets its own copy.
    pub private: Vec<String>,
}

/// A kernel of a GPU: each thread of each block executes the body once, in no order but that of the body in each of
/// them. It has no kernel inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The blocks of the grid, along two axes at most, x last; none for a single block.
    pub blocks: Vec<Axis>,
    /// The threads of each block, along three axes at most, x last; none for a single thread.
    pub threads: Vec<Axis>,
    /// What a thread executes.
    pub body: Node,
}

impl Kernel {
    /// The axes of blocks, then those of threads.
    pub fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.blocks.iter().chain(&self.threads)
    }

    /// A thread comes to a single copy to shared memory at most once, so nobody overwrites what others may still read.
    pub fn copies_once(&self) -> bool {
        /// How often a thread comes to copies; those in loops count twice.
        fn copies(node: &Node, in_loop: bool) -> usize {
            let inside = in_loop || matches!(node, Node::For(_));
            let own = if matches!(node, Node::Shared(_)) { 1 + usize::from(in_loop) } else { 0 };
            own + node.children().map(|child| copies(child, inside)).sum::<usize>()
        }
        copies(&self.body, false) == 1
    }

    /// The same, to be changed.
    pub fn axes_mut(&mut self) -> impl Iterator<Item = &mut Axis> {
        self.blocks.iter_mut().chain(&mut self.threads)
    }
}

/// The blocks or threads along an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The number of the block or thread, counted from 0, visible in the body.
    pub iterator: IteratorId,
    /// There are at most so many, at least one, where there is such a bound.
    pub most: Option<i64>,
    /// How many there are: the greatest of these, or `most` if that is less. Where it is less than one, the kernel does
    /// not run. Empty where there always are `most`.
    pub extent: Vec<Expr>,
}

/// Code that finds some of what it reads in tiles that are copied before.
///
/// In a kernel they are in shared memory: the threads of a block wait for each other, copy tiles of arrays together, and
/// wait again before they execute the body (ppcg report, section 5.1). So whether and how often it is executed is the
/// same for all threads of a block, and nothing in the kernel writes the arrays.
///
/// Outside of kernels whoever comes to the body packs tiles to buffers of this execution; nothing in the body writes
/// the arrays, and nothing is copied that the body does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// What is copied.
    pub tiles: Vec<SharedTile>,
    /// What each thread executes behind that. It has no such node inside if it is in a kernel.
    pub body: Node,
}

/// A tile of an array that is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedTile {
    /// Its number: tiles of one number are in one buffer.
    pub buffer: usize,
    /// The array's name.
    pub array: String,
    /// The first element, one expression for each dimension.
    pub origin: Vec<Expr>,
    /// The number of elements along each dimension.
    pub extent: Vec<i64>,
    /// The dimensions of the array in the order of the buffer's, outermost first.
    pub order: Vec<usize>,
    /// Stands for the subscripts of an element in `exists`, bound nowhere else.
    pub element: Vec<IteratorId>,
    /// The elements that are copied, if they are in the tile: others need not be memory.
    pub exists: Cond,
    /// What the body reads from the tile: the subscripts of statements, where [`Expr::Iterator`] number `k` stands for
    /// the `k`-th element of the instance vector.
    pub reads: Vec<(StatementId, Vec<Expr>)>,
}

/// A condition and its branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct If {
    /// The condition.
    pub cond: Cond,
    /// Executed when it holds.
    pub then: Node,
    /// Executed when it does not.
    pub otherwise: Option<Node>,
}

/// The execution of one instance of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The statement.
    pub statement: StatementId,
    /// The original instance vector.
    pub args: Vec<Expr>,
}

/// An integer expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expr {
    /// A constant.
    Const(i64),
    /// A parameter, by its position in [`Ast::parameters`].
    Parameter(usize),
    /// An iterator.
    Iterator(IteratorId),
    /// A sum.
    Add(Box<Expr>, Box<Expr>),
    /// A product with a constant.
    Mul(i64, Box<Expr>),
    /// A quotient rounded towards minus infinity; the divisor is positive.
    FloorDiv(Box<Expr>, i64),
    /// The non-negative remainder of division rounded down; the divisor is positive.
    Mod(Box<Expr>, i64),
    /// The least of one or more.
    Min(Vec<Expr>),
    /// The greatest of one or more.
    Max(Vec<Expr>),
    /// One of two by a condition.
    Select(Box<Cond>, Box<Expr>, Box<Expr>),
}

/// A truth value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cond {
    /// A comparison of two expressions.
    Compare(Comparison, Expr, Expr),
    /// All hold (true when empty).
    And(Vec<Cond>),
    /// One holds (false when empty).
    Or(Vec<Cond>),
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}
