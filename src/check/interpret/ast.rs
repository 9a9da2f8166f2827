//! The run of an AST.

use super::Error;
use super::evaluate::{Values, overflow};
use super::fault::{Faults, ThreadId};
use super::footprint::{Forms, Hold, OpenHold};
use super::interpreter::Interpreter;
use super::tiles::{OpenTile, Site};
use super::trace::{Foreign, Redirect, Step, Trace};
use crate::ast::{Ast, Call, Expr, For, IteratorId, Node};

impl Interpreter<'_> {
    /// The order of an AST. Instances of the AST that the region does not have are noted, not run.
    ///
    /// # Errors
    /// When the AST is not well-formed, a number overflows, or the bound strikes.
    pub fn ast(&self, ast: &Ast) -> Result<Trace, Error> {
        let parameters = ast.parameters.iter().map(|name| {
            let value = self.parameters.get(name).ok_or_else(|| Error::MissingParameter(name.clone()))?;
            Ok(i128::from(*value))
        });
        let parameters = parameters.collect::<Result<_, Error>>()?;
        let mut walk = Walk {
            interpreter: self,
            values: Values { parameters, iterators: vec![None; ast.n_iterators] },
            sites: Vec::new(),
            running: None,
            open: Vec::new(),
            packed: ast.tiles().last().copied().unwrap_or(0),
            from_zero: Vec::new(),
            holding: Vec::new(),
            holds: Vec::new(),
            forms: Forms::default(),
            foreign: Vec::new(),
            faults: Faults::default(),
        };
        walk.sites = Site::all(self, ast, &walk.values)?;
        let mut root = walk.node(&ast.root)?;
        walk.settle_holds(&mut root);
        self.races(&root, &mut walk.faults);
        Ok(Trace { root, foreign: walk.foreign, faults: walk.faults.into_vec() })
    }
}

/// A walk of the code that an AST runs.
pub(super) struct Walk<'m, 's, 'a> {
    pub interpreter: &'m Interpreter<'s>,
    pub values: Values,
    /// The copies of tiles.
    pub sites: Vec<Site<'a>>,
    /// The thread at hand, in a kernel.
    pub running: Option<Running>,
    /// The tiles that are read from at the moment, with their places among the copies, outermost first.
    pub open: Vec<(usize, Vec<OpenTile<'a>>)>,
    /// The last number that a buffer of a tile outside of kernels had.
    pub packed: usize,
    /// The loops around that run from zero to a constant, which is there with them.
    pub from_zero: Vec<(IteratorId, i64)>,
    /// The loops around that hold elements.
    pub holding: Vec<OpenHold<'a>>,
    /// All of them that were run.
    pub holds: Vec<Hold>,
    /// What the accesses in them look like.
    pub forms: Forms,
    pub foreign: Vec<Foreign>,
    pub faults: Faults,
}

/// The thread at hand.
pub(super) struct Running {
    pub id: ThreadId,
    /// Its number in the block, and how many there are.
    pub number: (usize, usize),
    /// Tiles are copied but once, so that there is nothing to protect from it.
    pub is_once: bool,
}

impl<'a> Walk<'_, '_, 'a> {
    /// The steps of a node.
    ///
    /// # Errors
    /// As of [`Interpreter::ast`].
    pub fn node(&mut self, node: &'a Node) -> Result<Step, Error> {
        self.interpreter.budget.take(1)?;
        match node {
            Node::Block(children) => {
                Ok(Step::Sequence(children.iter().map(|child| self.node(child)).collect::<Result<_, _>>()?))
            }
            Node::For(f) => self.repeat(f),
            Node::If(f) => match (self.values.cond(&f.cond)?, &f.otherwise) {
                (true, _) => self.node(&f.then),
                (false, Some(otherwise)) => self.node(otherwise),
                (false, None) => Ok(Step::Sequence(Vec::new())),
            },
            Node::Kernel(kernel) => self.kernel(kernel),
            Node::Shared(shared) => self.shared(shared),
            Node::Call(call) => self.call(call),
        }
    }

    /// The place of an iterator's value.
    pub fn slot(&mut self, iterator: usize) -> Result<&mut Option<i128>, Error> {
        let slot = self.values.iterators.get_mut(iterator);
        slot.ok_or_else(|| Error::Malformed(format!("the iterator {iterator} is not one of the AST's")))
    }

    fn repeat(&mut self, f: &'a For) -> Result<Step, Error> {
        let step = i128::from(f.step);
        if step <= 0 {
            return Err(Error::Malformed(format!("a loop has step {step}")));
        }
        let mut value = self.values.extreme(&f.lower, true)?;
        let end = self.values.extreme(&f.upper, false)?;
        let outer = *self.slot(f.iterator.0)?;
        let first = self.hold(f, value < end)?;
        let is_from_zero = match (&f.lower[..], &f.upper[..], f.step) {
            ([Expr::Const(0)], [Expr::Const(extent)], 1) => Some((f.iterator, *extent)),
            _ => None,
        };
        self.from_zero.extend(is_from_zero);
        let mut children = Vec::new();
        while value < end {
            self.interpreter.budget.take(1)?;
            *self.slot(f.iterator.0)? = Some(value);
            children.push(self.node(&f.body)?);
            value = value.checked_add(step).ok_or_else(|| overflow(&f.iterator))?;
        }
        *self.slot(f.iterator.0)? = outer;
        if is_from_zero.is_some() {
            self.from_zero.pop();
        }
        let step = match &f.parallel {
            Some(parallel) => {
                let private = parallel.private.iter().map(|name| self.interpreter.array_position(name));
                Step::Unordered { children, private: private.collect::<Result<_, _>>()? }
            }
            None if f.vector => Step::Unordered { children, private: Vec::new() },
            None => Step::Sequence(children),
        };
        Ok(self.release(first, step))
    }

    fn call(&mut self, call: &Call) -> Result<Step, Error> {
        if call.statement.0 >= self.interpreter.scop.statements.len() {
            return Err(Error::Malformed(format!("there is no statement number {}", call.statement.0)));
        }
        let vector = call.args.iter().map(|arg| {
            let value = self.values.expr(arg)?;
            i64::try_from(value).map_err(|_| overflow(arg))
        });
        let vector: Vec<i64> = vector.collect::<Result<_, _>>()?;
        Ok(match self.interpreter.instance(call.statement, vector.clone()) {
            Some(id) => {
                let mut redirects: Vec<Redirect> = Vec::new();
                for (site, tiles) in self.open.iter().rev() {
                    self.sites[*site].add_reads(self.interpreter, id, tiles, &mut redirects);
                }
                self.redirect(call, id, &mut redirects);
                Step::Instance(id, redirects)
            }
            None => {
                let thread = self.running.as_ref().map(|running| running.id.clone());
                self.foreign.push(Foreign { statement: call.statement, vector, thread });
                Step::Sequence(Vec::new())
            }
        })
    }
}
