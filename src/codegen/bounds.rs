//! Minimum, maximum and choice moved out of expressions, into what loop dialects have words for.
//!
//! Afterwards every bound, argument and side of a comparison is quasi-affine: a lower bound is the greatest of several,
//! an upper bound the least. The other combinations (a lower bound that is a minimum, say) become a condition around
//! copies of the loop, which keeps the order of the instances as it is.

use super::{Ast, Call, Comparison, Cond, Error, Expr, For, If, Node};
use std::collections::BTreeSet;

/// Rewrites an AST.
pub(super) fn legalize(ast: &mut Ast, limit: usize) -> Result<(), Error> {
    let mut legalizer = Legalizer { n_iterators: ast.n_iterators, nodes: 0, limit };
    let root = std::mem::replace(&mut ast.root, Node::Block(Vec::new()));
    ast.root = legalizer.node(root)?;
    ast.n_iterators = legalizer.n_iterators;
    Ok(())
}

/// An expression with its outermost minimum, maximum or choice brought to the top.
enum Exposed {
    Affine(Expr),
    Least(Vec<Expr>),
    Greatest(Vec<Expr>),
    Choice(Cond, Expr, Expr),
}

impl Exposed {
    fn map(self, f: impl Fn(Expr) -> Result<Expr, Error>) -> Result<Self, Error> {
        let all = |list: Vec<Expr>| list.into_iter().map(&f).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Exposed::Affine(expr) => Exposed::Affine(f(expr)?),
            Exposed::Least(list) => Exposed::Least(all(list)?),
            Exposed::Greatest(list) => Exposed::Greatest(all(list)?),
            Exposed::Choice(cond, a, b) => Exposed::Choice(cond, f(a)?, f(b)?),
        })
    }

    fn mirrored(self) -> Self {
        match self {
            Exposed::Least(list) => Exposed::Greatest(list),
            Exposed::Greatest(list) => Exposed::Least(list),
            other => other,
        }
    }
}

fn expose(expr: &Expr) -> Result<Exposed, Error> {
    if expr.is_quasi_affine() {
        return Ok(Exposed::Affine(expr.clone()));
    }
    Ok(match expr {
        Expr::Min(list) => Exposed::Least(list.clone()),
        Expr::Max(list) => Exposed::Greatest(list.clone()),
        Expr::Select(cond, a, b) => Exposed::Choice((**cond).clone(), (**a).clone(), (**b).clone()),
        Expr::Add(a, b) if a.is_quasi_affine() => expose(b)?.map(|b| Ok(a.plus(&b)?))?,
        Expr::Add(a, b) => expose(a)?.map(|a| Ok(a.plus(b)?))?,
        Expr::Mul(factor, a) => {
            let scaled = expose(a)?.map(|a| Ok(a.times(*factor)?))?;
            if *factor < 0 { scaled.mirrored() } else { scaled }
        }
        // Division rounded down by a positive number is monotonic.
        Expr::FloorDiv(a, divisor) => expose(a)?.map(|a| Ok(a.floor_div(*divisor)))?,
        Expr::Mod(a, divisor) => match choice(expose(a)?)? {
            Choice::Only(a) => Exposed::Affine(a.modulo(*divisor)),
            Choice::Between(cond, a, b) => Exposed::Choice(cond, a.modulo(*divisor), b.modulo(*divisor)),
        },
        Expr::Const(_) | Expr::Parameter(_) | Expr::Iterator(_) => Exposed::Affine(expr.clone()),
    })
}

/// One expression, or a choice between two.
enum Choice {
    Only(Expr),
    Between(Cond, Expr, Expr),
}

/// A minimum or maximum as a choice between its first element and the rest.
fn choice(exposed: Exposed) -> Result<Choice, Error> {
    let (list, comparison) = match exposed {
        Exposed::Affine(expr) => return Ok(Choice::Only(expr)),
        Exposed::Choice(cond, a, b) => return Ok(Choice::Between(cond, a, b)),
        Exposed::Least(list) => (list, Comparison::Le),
        Exposed::Greatest(list) => (list, Comparison::Ge),
    };
    let (first, rest) = list.split_first().ok_or_else(|| Error::unsupported("the least of nothing"))?;
    let others = match (rest, comparison) {
        ([], _) => return Ok(Choice::Only(first.clone())),
        ([other], _) => other.clone(),
        (_, Comparison::Le) => Expr::Min(rest.to_vec()),
        _ => Expr::Max(rest.to_vec()),
    };
    let first_wins = rest.iter().map(|other| Cond::Compare(comparison, first.clone(), other.clone())).collect();
    Ok(Choice::Between(Cond::And(first_wins), first.clone(), others))
}

/// The condition that a difference is at least zero.
fn non_negative(difference: &Expr) -> Result<Cond, Error> {
    let all = |list: &[Expr]| list.iter().map(non_negative).collect::<Result<Vec<_>, _>>();
    Ok(match expose(difference)? {
        Exposed::Affine(expr) => Cond::Compare(Comparison::Ge, expr, Expr::Const(0)),
        Exposed::Least(list) => Cond::And(all(&list)?),
        Exposed::Greatest(list) => Cond::Or(all(&list)?),
        Exposed::Choice(cond, a, b) => {
            let cond = condition(cond)?;
            let otherwise = condition(cond.negated())?;
            Cond::Or(vec![Cond::And(vec![cond, non_negative(&a)?]), Cond::And(vec![otherwise, non_negative(&b)?])])
        }
    })
}

/// A condition with quasi-affine comparisons only, constants folded, nested lists of one kind made one.
fn condition(cond: Cond) -> Result<Cond, Error> {
    match cond {
        Cond::And(list) => {
            let mut all = Vec::new();
            for cond in list {
                match condition(cond)? {
                    Cond::And(inner) => all.extend(inner),
                    Cond::Or(inner) if inner.is_empty() => return Ok(Cond::Or(inner)),
                    other => all.push(other),
                }
            }
            Ok(single(all, Cond::And))
        }
        Cond::Or(list) => {
            let mut any = Vec::new();
            for cond in list {
                match condition(cond)? {
                    Cond::Or(inner) => any.extend(inner),
                    Cond::And(inner) if inner.is_empty() => return Ok(Cond::And(inner)),
                    other => any.push(other),
                }
            }
            Ok(single(any, Cond::Or))
        }
        Cond::Compare(comparison, a, b) => compare(comparison, a, b),
    }
}

fn single(mut list: Vec<Cond>, junction: impl Fn(Vec<Cond>) -> Cond) -> Cond {
    let mut seen = BTreeSet::new();
    list.retain(|cond| seen.insert(cond.clone()));
    if list.len() == 1 { list.remove(0) } else { junction(list) }
}

fn compare(comparison: Comparison, a: Expr, b: Expr) -> Result<Cond, Error> {
    if let Some(difference) = a.minus(&b)?.as_constant() {
        return Ok(if comparison.holds(difference) { Cond::And(Vec::new()) } else { Cond::Or(Vec::new()) });
    }
    if a.is_quasi_affine() && b.is_quasi_affine() {
        return Ok(Cond::Compare(comparison, a, b));
    }
    let cond = match comparison {
        Comparison::Ge => non_negative(&a.minus(&b)?)?,
        Comparison::Gt => non_negative(&a.minus(&b)?.plus_constant(-1)?)?,
        Comparison::Le => non_negative(&b.minus(&a)?)?,
        Comparison::Lt => non_negative(&b.minus(&a)?.plus_constant(-1)?)?,
        Comparison::Eq => Cond::And(vec![non_negative(&a.minus(&b)?)?, non_negative(&b.minus(&a)?)?]),
    };
    condition(cond)
}

struct Legalizer {
    n_iterators: usize,
    nodes: usize,
    limit: usize,
}

impl Legalizer {
    fn count(&mut self, n: usize) -> Result<(), Error> {
        self.nodes += n;
        if self.nodes > self.limit { Err(Error::TooLarge { limit: self.limit }) } else { Ok(()) }
    }

    fn node(&mut self, node: Node) -> Result<Node, Error> {
        self.count(1)?;
        match node {
            Node::Block(children) => {
                let mut all = Vec::new();
                for child in children {
                    match self.node(child)? {
                        Node::Block(inner) => all.extend(inner),
                        other => all.push(other),
                    }
                }
                Ok(if all.len() == 1 { all.remove(0) } else { Node::Block(all) })
            }
            Node::If(branch) => {
                let If { cond, then, otherwise } = *branch;
                let then = self.node(then)?;
                let otherwise = otherwise.map(|node| self.node(node)).transpose()?;
                self.branch(cond, then, otherwise)
            }
            Node::For(mut node) => {
                node.body = self.node(std::mem::replace(&mut node.body, Node::Block(Vec::new())))?;
                self.for_node(*node)
            }
            Node::Kernel(mut kernel) => {
                kernel.body = self.node(std::mem::replace(&mut kernel.body, Node::Block(Vec::new())))?;
                Ok(Node::Kernel(kernel))
            }
            Node::Shared(mut shared) => {
                shared.body = self.node(std::mem::replace(&mut shared.body, Node::Block(Vec::new())))?;
                for tile in &mut shared.tiles {
                    tile.exists = condition(tile.exists.clone())?;
                    self.count(tile.exists.size())?;
                }
                Ok(Node::Shared(shared))
            }
            Node::Call(call) => self.call(call),
        }
    }

    fn branch(&mut self, cond: Cond, then: Node, otherwise: Option<Node>) -> Result<Node, Error> {
        let cond = condition(cond)?;
        self.count(cond.size())?;
        Ok(match cond {
            Cond::And(list) if list.is_empty() => then,
            Cond::Or(list) if list.is_empty() => otherwise.unwrap_or(Node::Block(Vec::new())),
            cond => Node::If(Box::new(If { cond, then, otherwise })),
        })
    }

    fn for_node(&mut self, mut node: For) -> Result<Node, Error> {
        for side in [Side::Lower, Side::Upper] {
            while let Some(position) = side.of(&mut node).iter().position(|e| !e.is_quasi_affine()) {
                let bounds = side.of(&mut node);
                let exposed = expose(&bounds[position])?;
                if let (Side::Lower, Exposed::Greatest(list)) | (Side::Upper, Exposed::Least(list)) = (side, &exposed) {
                    bounds.splice(position..=position, list.iter().cloned());
                    continue;
                }
                match choice(exposed)? {
                    Choice::Only(expr) => bounds[position] = expr,
                    Choice::Between(cond, a, b) => {
                        let mut other = self.copy(&node)?;
                        side.of(&mut node)[position] = a;
                        side.of(&mut other)[position] = b;
                        let then = self.for_node(node)?;
                        let otherwise = self.for_node(other)?;
                        return self.branch(cond, then, Some(otherwise));
                    }
                }
            }
            let mut seen = BTreeSet::new();
            side.of(&mut node).retain(|bound| seen.insert(bound.clone()));
        }
        self.count(node.lower.iter().chain(&node.upper).map(Expr::size).sum())?;
        Ok(Node::For(Box::new(node)))
    }

    fn copy(&mut self, node: &For) -> Result<For, Error> {
        let copy = node.renamed(&mut self.n_iterators)?;
        self.count(copy.body.size())?;
        Ok(copy)
    }

    fn call(&mut self, call: Call) -> Result<Node, Error> {
        let Some(position) = call.args.iter().position(|e| !e.is_quasi_affine()) else {
            self.count(call.args.iter().map(Expr::size).sum())?;
            return Ok(Node::Call(call));
        };
        let with = |arg: Expr| {
            let mut call = call.clone();
            call.args[position] = arg;
            call
        };
        match choice(expose(&call.args[position])?)? {
            Choice::Only(expr) => self.call(with(expr)),
            Choice::Between(cond, a, b) => {
                let then = self.call(with(a))?;
                let otherwise = self.call(with(b))?;
                self.branch(cond, then, Some(otherwise))
            }
        }
    }
}

/// Which bounds of a loop.
#[derive(Debug, Clone, Copy)]
enum Side {
    Lower,
    Upper,
}

impl Side {
    fn of(self, node: &mut For) -> &mut Vec<Expr> {
        match self {
            Side::Lower => &mut node.lower,
            Side::Upper => &mut node.upper,
        }
    }
}
