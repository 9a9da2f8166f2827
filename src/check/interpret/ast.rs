//! The run of an AST.

use super::Error;
use super::interpreter::Interpreter;
use super::trace::{Step, Trace};
use crate::ast::{Ast, Axis, Call, Comparison, Cond, Expr, For, Kernel, Node};
use crate::scop::StatementId;

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
        let mut walk =
            Walk { interpreter: self, parameters, iterators: vec![None; ast.n_iterators], foreign: Vec::new() };
        let root = walk.node(&ast.root)?;
        Ok(Trace { root, foreign: walk.foreign })
    }
}

struct Walk<'m, 's> {
    interpreter: &'m Interpreter<'s>,
    parameters: Vec<i128>,
    iterators: Vec<Option<i128>>,
    foreign: Vec<(StatementId, Vec<i64>)>,
}

impl Walk<'_, '_> {
    fn node(&mut self, node: &Node) -> Result<Step, Error> {
        self.interpreter.budget.take(1)?;
        match node {
            Node::Block(children) => {
                Ok(Step::Sequence(children.iter().map(|child| self.node(child)).collect::<Result<_, _>>()?))
            }
            Node::For(f) => self.repeat(f),
            Node::If(f) => match (self.cond(&f.cond)?, &f.otherwise) {
                (true, _) => self.node(&f.then),
                (false, Some(otherwise)) => self.node(otherwise),
                (false, None) => Ok(Step::Sequence(Vec::new())),
            },
            Node::Kernel(kernel) => self.kernel(kernel),
            // What is there is proved to be what is in the arrays (`coverage`).
            Node::Shared(shared) => self.node(&shared.body),
            Node::Call(call) => self.call(call),
        }
    }

    /// All threads of all blocks, in no order.
    fn kernel(&mut self, kernel: &Kernel) -> Result<Step, Error> {
        let axes: Vec<&Axis> = kernel.axes().collect();
        let mut children = Vec::new();
        let mut extents = Vec::new();
        for axis in &axes {
            if axis.iterator.0 >= self.iterators.len() {
                return Err(Error::Malformed(format!("the iterator {} is not one of the AST's", axis.iterator.0)));
            }
            let known = axis.extent.iter().map(|bound| self.expr(bound)).collect::<Result<Vec<_>, _>>()?;
            let all = known.into_iter().max().into_iter().chain(axis.most.map(i128::from)).min();
            extents.push(all.ok_or_else(|| Error::Malformed("a kernel of no known size".to_owned()))?);
        }
        let mut numbers = vec![0; axes.len()];
        let mut open = extents.iter().all(|extent| *extent > 0);
        while open {
            self.interpreter.budget.take(1)?;
            for (axis, number) in axes.iter().zip(&numbers) {
                self.iterators[axis.iterator.0] = Some(*number);
            }
            children.push(self.node(&kernel.body)?);
            open = next(&mut numbers, &extents);
        }
        axes.iter().for_each(|axis| self.iterators[axis.iterator.0] = None);
        Ok(Step::Unordered { children, private: Vec::new() })
    }

    fn repeat(&mut self, f: &For) -> Result<Step, Error> {
        let step = i128::from(f.step);
        if step <= 0 {
            return Err(Error::Malformed(format!("a loop has step {step}")));
        }
        let mut value = self.extreme(&f.lower, true)?;
        let end = self.extreme(&f.upper, false)?;
        let slot = f.iterator.0;
        if slot >= self.iterators.len() {
            return Err(Error::Malformed(format!("the iterator {slot} is not one of the AST's")));
        }
        let outer = self.iterators[slot];
        let mut children = Vec::new();
        while value < end {
            self.interpreter.budget.take(1)?;
            self.iterators[slot] = Some(value);
            children.push(self.node(&f.body)?);
            value = value.checked_add(step).ok_or_else(|| overflow(&f.iterator))?;
        }
        self.iterators[slot] = outer;
        match &f.parallel {
            Some(parallel) => {
                let private = parallel.private.iter().map(|name| self.interpreter.array_position(name));
                Ok(Step::Unordered { children, private: private.collect::<Result<_, _>>()? })
            }
            None if f.vector => Ok(Step::Unordered { children, private: Vec::new() }),
            None => Ok(Step::Sequence(children)),
        }
    }

    fn call(&mut self, call: &Call) -> Result<Step, Error> {
        if call.statement.0 >= self.interpreter.scop.statements.len() {
            return Err(Error::Malformed(format!("there is no statement number {}", call.statement.0)));
        }
        let vector = call.args.iter().map(|arg| {
            let value = self.expr(arg)?;
            i64::try_from(value).map_err(|_| overflow(arg))
        });
        let vector: Vec<i64> = vector.collect::<Result<_, _>>()?;
        Ok(match self.interpreter.instance(call.statement, vector.clone()) {
            Some(id) => Step::Instance(id),
            None => {
                self.foreign.push((call.statement, vector));
                Step::Sequence(Vec::new())
            }
        })
    }

    fn extreme(&self, of: &[Expr], greatest: bool) -> Result<i128, Error> {
        let values = of.iter().map(|e| self.expr(e)).collect::<Result<Vec<_>, _>>()?;
        let found = if greatest { values.into_iter().max() } else { values.into_iter().min() };
        found.ok_or_else(|| Error::Malformed("a least or greatest of nothing".into()))
    }

    fn expr(&self, expr: &Expr) -> Result<i128, Error> {
        let positive = |divisor: i64| match divisor {
            1.. => Ok(i128::from(divisor)),
            _ => Err(Error::Malformed(format!("a division by {divisor}"))),
        };
        match expr {
            Expr::Const(value) => Ok(i128::from(*value)),
            Expr::Parameter(position) => {
                let value = self.parameters.get(*position).copied();
                value.ok_or_else(|| Error::Malformed(format!("there is no parameter number {position}")))
            }
            Expr::Iterator(id) => {
                let value = self.iterators.get(id.0).copied().flatten();
                value.ok_or_else(|| Error::Malformed(format!("the iterator {} is not bound", id.0)))
            }
            Expr::Add(a, b) => self.expr(a)?.checked_add(self.expr(b)?).ok_or_else(|| overflow(expr)),
            Expr::Mul(factor, a) => self.expr(a)?.checked_mul(i128::from(*factor)).ok_or_else(|| overflow(expr)),
            Expr::FloorDiv(a, divisor) => Ok(self.expr(a)?.div_euclid(positive(*divisor)?)),
            Expr::Mod(a, divisor) => Ok(self.expr(a)?.rem_euclid(positive(*divisor)?)),
            Expr::Min(of) => self.extreme(of, false),
            Expr::Max(of) => self.extreme(of, true),
            Expr::Select(cond, then, otherwise) => self.expr(if self.cond(cond)? { then } else { otherwise }),
        }
    }

    fn cond(&self, cond: &Cond) -> Result<bool, Error> {
        match cond {
            Cond::Compare(comparison, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                Ok(match comparison {
                    Comparison::Eq => a == b,
                    Comparison::Le => a <= b,
                    Comparison::Lt => a < b,
                    Comparison::Ge => a >= b,
                    Comparison::Gt => a > b,
                })
            }
            Cond::And(of) => of.iter().try_fold(true, |all, c| Ok(all && self.cond(c)?)),
            Cond::Or(of) => of.iter().try_fold(false, |any, c| Ok(any || self.cond(c)?)),
        }
    }
}

/// The next point of a box, the last dimension fastest; `false` behind the last one.
fn next(point: &mut [i128], extents: &[i128]) -> bool {
    for (value, extent) in point.iter_mut().zip(extents).rev() {
        *value += 1;
        if *value < *extent {
            return true;
        }
        *value = 0;
    }
    false
}

fn overflow(what: &impl std::fmt::Debug) -> Error {
    Error::Overflow(format!("{what:?}"))
}
