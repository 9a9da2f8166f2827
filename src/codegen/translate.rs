//! isl's AST turned into the neutral one.

use super::kernels::{self, Axes, Counted};
use super::marks::{self, Assigned, Decision, Kind};
use super::private;
use super::share::{Bounds, Part, Share};
use super::shared::{self, Elements};
use super::{
    Ast, Axis, Call, Comparison, Cond, Error, Expr, For, If, IteratorId, Kernel, Node, Overflow, Parallel, Shared,
    SharedTile,
};
use crate::footprint::Footprint;
use crate::isl::{self, AstExprKind, AstNodeKind, AstOp, DimType};
use crate::scop::{Scop, StatementId};
use std::collections::{BTreeMap, BTreeSet};

/// A name for the iterator of each schedule depth, different from all parameters; the text C programmers expect.
pub(super) fn iterator_names(scop: &Scop, schedule: &isl::Schedule) -> Result<Vec<String>, Error> {
    let mut depth = 0;
    schedule.root()?.for_each_descendant_top_down(&mut |node| {
        depth = depth.max(node.schedule_depth()?);
        Ok(true)
    })?;
    let parameters = scop.context.space()?.dim_names(DimType::Param)?;
    let mut prefix = "c".to_owned();
    while parameters.iter().any(|name| name.starts_with(&prefix)) {
        prefix.push('_');
    }
    Ok((0..=depth).map(|d| format!("{prefix}{d}")).collect())
}

/// The neutral form of isl's AST of a scop; `names` are the iterators by depth. The decisions are those of marks, and
/// the axes those of kernels.
pub(super) fn translate(
    scop: &Scop,
    root: &isl::AstNode,
    names: &[String],
    (decisions, kernels): (&[Decision], &[Axes]),
    limit: usize,
) -> Result<Ast, Error> {
    let parameters = scop.context.space()?.dim_names(DimType::Param)?;
    let depths = names.iter().enumerate().map(|(depth, name)| (name.clone(), depth)).collect();
    let mut translator = Translator { decisions, kernels, depths, ..Translator::new(scop, &parameters, limit) };
    let root = translator.node(root)?;
    Ok(Ast { parameters, n_iterators: translator.n_iterators, root })
}

/// Expressions and conditions over parameters alone, translated one by one.
pub(super) struct Expressions<'a>(Translator<'a>);

impl<'a> Expressions<'a> {
    /// For the parameters of a scop; so many nodes at most in all.
    pub(super) fn new(scop: &'a Scop, limit: usize) -> Result<Self, Error> {
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        Ok(Self(Translator::new(scop, &parameters, limit)))
    }

    /// An expression.
    pub(super) fn expr(&mut self, expr: &isl::AstExpr) -> Result<Expr, Error> {
        self.0.expr(expr)
    }

    /// A condition.
    pub(super) fn cond(&mut self, expr: &isl::AstExpr) -> Result<Cond, Error> {
        self.0.cond(expr)
    }
}

struct Translator<'a> {
    scop: &'a Scop,
    decisions: &'a [Decision],
    kernels: &'a [Axes],
    parameters: BTreeMap<String, usize>,
    /// The schedule depth of each iterator name.
    depths: BTreeMap<String, usize>,
    /// The iterators in scope, innermost last, with what they stand for.
    bindings: Vec<(String, Expr)>,
    /// The decisions of the marks above.
    pending: Vec<&'a Decision>,
    /// The axes of the kernel around, blocks and threads.
    axes: [Vec<Axis>; 2],
    /// The members assigned to blocks or threads of which there is a loop around, by their distance from the last one.
    shared: Vec<(Kind, usize)>,
    n_iterators: usize,
    nodes: usize,
    limit: usize,
}

impl<'a> Translator<'a> {
    /// Without decisions, kernels and loops yet.
    fn new(scop: &'a Scop, parameters: &[String], limit: usize) -> Self {
        Self {
            scop,
            decisions: &[],
            kernels: &[],
            parameters: parameters.iter().enumerate().map(|(i, name)| (name.clone(), i)).collect(),
            depths: BTreeMap::new(),
            bindings: Vec::new(),
            pending: Vec::new(),
            axes: [Vec::new(), Vec::new()],
            shared: Vec::new(),
            n_iterators: 0,
            nodes: 0,
            limit,
        }
    }

    fn count(&mut self, n: usize) -> Result<(), Error> {
        self.nodes += n;
        if self.nodes > self.limit { Err(Error::TooLarge { limit: self.limit }) } else { Ok(()) }
    }

    fn node(&mut self, node: &isl::AstNode) -> Result<Node, Error> {
        self.count(1)?;
        match node.kind()? {
            AstNodeKind::For => self.for_node(node),
            AstNodeKind::If => {
                let cond = self.cond(&node.if_cond()?)?;
                let then = self.node(&node.if_then()?)?;
                let otherwise = if node.if_has_else()? { Some(self.node(&node.if_else()?)?) } else { None };
                Ok(Node::If(Box::new(If { cond, then, otherwise })))
            }
            AstNodeKind::Block => {
                let children = node.block_children()?.to_vec()?;
                Ok(Node::Block(children.iter().map(|child| self.node(child)).collect::<Result<_, _>>()?))
            }
            AstNodeKind::Mark => {
                let decision = marks::lookup(self.decisions, &node.mark_id()?)?;
                match decision {
                    Some(Decision::Kernel(number)) => return self.kernel(*number, &node.mark_node()?),
                    Some(Decision::Copied { first, footprints }) => {
                        let mut tiles = self.tiles(*first, footprints)?;
                        let body = self.node(&node.mark_node()?)?;
                        let called = body.statements();
                        tiles.retain(|tile| tile.reads.iter().any(|(statement, _)| called.contains(statement)));
                        let is_empty = tiles.is_empty();
                        return Ok(if is_empty { body } else { Node::Shared(Box::new(Shared { tiles, body })) });
                    }
                    _ => {}
                }
                let below = self.pending.len();
                self.pending.extend(decision);
                let child = self.node(&node.mark_node()?);
                self.pending.truncate(below);
                let mut child = child?;
                if let Some(Decision::Parallel { private, .. }) = decision {
                    private::keep_together(self.scop, &mut child, private)?;
                }
                Ok(child)
            }
            AstNodeKind::User => self.call(node),
        }
    }

    /// A kernel; marks around it speak of the host's loops.
    fn kernel(&mut self, number: usize, body: &isl::AstNode) -> Result<Node, Error> {
        let axes = self.kernels.get(number).ok_or_else(|| Error::unsupported("a kernel that was not assigned"))?;
        let mut axis = |axes: &[Counted]| axes.iter().map(|axis| self.axis(axis)).collect::<Result<Vec<_>, _>>();
        let (blocks, threads) = (axis(&axes.blocks)?, axis(&axes.threads)?);
        let outer = self.bindings.len();
        for (counted, axis) in axes.blocks.iter().zip(&blocks) {
            self.bindings.extend(counted.name.clone().map(|name| (name, Expr::Iterator(axis.iterator))));
        }
        let axes = std::mem::replace(&mut self.axes, [blocks.clone(), threads.clone()]);
        let pending = std::mem::take(&mut self.pending);
        let body = self.node(body);
        (self.axes, self.pending) = (axes, pending);
        self.bindings.truncate(outer);
        Ok(Node::Kernel(Box::new(Kernel { blocks, threads, body: body? })))
    }

    fn axes_of(&self, kind: Kind) -> &[Axis] {
        &self.axes[usize::from(kind == Kind::Threads)]
    }

    /// How values of a member are shared, so far from the last one that a decision assigns; `None` where each has a
    /// number of its own.
    fn share(&self, assigned: &Assigned, from_x: usize) -> Option<Share> {
        let axis = self.axes_of(assigned.kind).iter().rev().nth(from_x)?;
        let (size, most) = (i64::from(*assigned.sizes.iter().rev().nth(from_x)?), axis.most?);
        let modulus = if size == 0 { most } else { size.min(most) };
        Some(Share { number: axis.iterator, modulus, is_partial: modulus < most })
    }

    /// The assigned members at a depth.
    fn assigned_at(&self, depth: usize) -> Vec<((Kind, usize), Share)> {
        let assigned = self.pending.iter().filter_map(|decision| match decision {
            Decision::Assigned(assigned) => Some(assigned),
            _ => None,
        });
        let at = |assigned: &Assigned| {
            let position = depth.checked_sub(assigned.depth)?;
            let from_x = assigned.sizes.len().checked_sub(position + 1)?;
            Some(((assigned.kind, from_x), self.share(assigned, from_x)?))
        };
        assigned.filter_map(at).collect()
    }

    /// What has to hold so that the block and the thread at hand execute an instance, besides that they come to it.
    fn is_own(&mut self, statement: StatementId, args: &[Expr]) -> Result<Vec<Cond>, Error> {
        let mut conditions = Vec::new();
        for kind in [Kind::Blocks, Kind::Threads] {
            for (from_x, axis) in self.axes_of(kind).to_vec().iter().rev().enumerate() {
                if axis.most.is_none() || self.shared.contains(&(kind, from_x)) {
                    continue;
                }
                let assigned = self.pending.iter().find_map(|decision| match decision {
                    Decision::Assigned(one) if one.kind == kind && one.sizes.len() > from_x => Some(one),
                    _ => None,
                });
                conditions.push(match assigned {
                    Some(assigned) => {
                        let share = self.share(assigned, from_x).ok_or_else(too_few_members)?;
                        let member = assigned.members.get(assigned.sizes.len() - 1 - from_x);
                        let value = self.value(member.ok_or_else(too_few_members)?, statement, args)?;
                        share.is_for(&value)
                    }
                    None => Cond::Compare(Comparison::Eq, Expr::Iterator(axis.iterator), Expr::Const(0)),
                });
            }
        }
        Ok(conditions)
    }

    /// The value of a member for an instance.
    fn value(&mut self, member: &isl::UnionPwAff, statement: StatementId, args: &[Expr]) -> Result<Expr, Error> {
        let names: Vec<String> = (0..args.len()).map(|position| format!("polyrs_arg{position}_")).collect();
        let value = kernels::value(self.scop, member, self.scop.statement(statement), &names)?;
        let outer = self.bindings.len();
        self.bindings.extend(names.into_iter().zip(args.iter().cloned()));
        let value = self.expr(&value);
        self.bindings.truncate(outer);
        value
    }

    /// Tiles of footprints, as far as there are any in terms of what is bound here.
    fn tiles(&mut self, first: usize, footprints: &[Footprint]) -> Result<Vec<SharedTile>, Error> {
        let mut tiles = Vec::new();
        let is_unbound = |name: &&String| !self.bindings.iter().any(|(bound, _)| bound == *name);
        let unbound: Vec<String> = self.depths.keys().filter(is_unbound).cloned().collect();
        for (number, footprint) in footprints.iter().enumerate() {
            let Some(found) = Elements::of(self.scop, footprint, &unbound)? else { continue };
            let origin = found.origin.iter().map(|side| self.expr(side)).collect::<Result<Vec<_>, _>>()?;
            let element: Vec<_> = found.names.iter().map(|_| self.fresh()).collect();
            let outer = self.bindings.len();
            let named = found.names.iter().cloned().zip(element.iter().copied().map(Expr::Iterator));
            self.bindings.extend(named);
            let exists = found.exists.as_ref().map(|cond| self.cond(cond)).transpose();
            self.bindings.truncate(outer);
            let tile = SharedTile {
                buffer: first + number,
                array: self.scop.arrays[footprint.array].name.clone(),
                origin,
                order: footprint.order.clone(),
                extent: found.extent,
                element,
                exists: exists?.unwrap_or(Cond::And(Vec::new())),
                reads: shared::reads(self.scop, footprint, &self.parameters)?,
            };
            self.count(tile.origin.iter().map(Expr::size).sum::<usize>() + tile.exists.size())?;
            tiles.extend(tile.origin.iter().all(Expr::is_quasi_affine).then_some(tile));
        }
        Ok(tiles)
    }

    /// A new iterator.
    fn fresh(&mut self) -> IteratorId {
        self.n_iterators += 1;
        IteratorId(self.n_iterators - 1)
    }

    fn counts(&mut self, all: &[isl::AstExpr]) -> Result<BTreeSet<Expr>, Error> {
        all.iter().map(|count| self.expr(count)).collect()
    }

    fn axis(&mut self, named: &Counted) -> Result<Axis, Error> {
        let extent = self.counts(&named.extent).or_else(|_| self.counts(&named.wide))?;
        let extent: Vec<Expr> = extent.into_iter().collect();
        let iterator = self.fresh();
        if extent.iter().all(Expr::is_quasi_affine) {
            Ok(Axis { iterator, most: named.most.map(i64::from), extent })
        } else {
            Err(Error::unsupported("a number of blocks that is not affine"))
        }
    }

    fn for_node(&mut self, node: &isl::AstNode) -> Result<Node, Error> {
        let name = identifier(&node.for_iterator()?)?;
        let lower = self.expr(&node.for_init()?)?;
        if node.for_is_degenerate()? {
            self.bindings.push((name, lower));
            let body = self.node(&node.for_body()?);
            self.bindings.pop();
            return body;
        }
        let iterator = self.fresh();
        let upper = self.exclusive_upper(&node.for_cond()?, &name)?;
        let step = node.for_inc()?.val()?.to_i64()?;
        if step <= 0 {
            return Err(Error::unsupported("a loop that does not count upwards"));
        }
        let lower = match lower {
            Expr::Max(list) => list,
            lower => vec![lower],
        };
        let depth = self.depths.get(&name).copied();
        let assigned = depth.map(|depth| self.assigned_at(depth)).unwrap_or_default();
        let (members, shares): (Vec<_>, Vec<Share>) = assigned.into_iter().unzip();
        let Part { value, bounds, conditions } = Part::of(iterator, Bounds { lower, upper, step }, &shares)?;
        self.bindings.push((name, value));
        let around = self.shared.len();
        self.shared.extend(members);
        let body = self.node(&node.for_body()?);
        self.shared.truncate(around);
        self.bindings.pop();
        let body = Node::under(conditions, body?, None);
        let Some(Bounds { lower, upper, step }) = bounds else { return Ok(body) };
        let (parallel, vector, block) = self.said_of(depth);
        let vector = vector && !contains_loop(&body);
        let (ends, promoted, carried) = (false, Vec::new(), Vec::new());
        Ok(Node::For(Box::new(For {
            iterator,
            lower,
            upper,
            step,
            parallel,
            vector,
            block,
            ends,
            promoted,
            carried,
            body,
        })))
    }

    /// What marks say of the loop at a depth: that it is parallel, innermost for vectors, over the points of a block.
    fn said_of(&self, depth: Option<usize>) -> (Option<Parallel>, bool, bool) {
        let parallel = self.pending.iter().rev().find_map(|decision| match decision {
            Decision::Parallel { depth: d, private } if Some(*d) == depth => {
                Some(Parallel { private: private.clone() })
            }
            _ => None,
        });
        let vector = self.pending.iter().any(|d| matches!(d, Decision::Vector { depth: d } if Some(*d) == depth));
        let is_block =
            |d: &&Decision| matches!(d, Decision::Block { depths } if depth.is_some_and(|at| depths.contains(&at)));
        (parallel, vector, self.pending.iter().any(is_block))
    }

    /// The upper bounds that a loop's condition states, exclusive.
    fn exclusive_upper(&mut self, cond: &isl::AstExpr, iterator: &str) -> Result<Vec<Expr>, Error> {
        let args = if cond.kind()? == AstExprKind::Op { cond.args()? } else { Vec::new() };
        let op = if args.len() == 2 { Some(cond.op()?) } else { None };
        let past = match op {
            Some(AstOp::And | AstOp::AndThen) => {
                let mut all = self.exclusive_upper(&args[0], iterator)?;
                all.extend(self.exclusive_upper(&args[1], iterator)?);
                return Ok(all);
            }
            Some(AstOp::Le) => 1,
            Some(AstOp::Lt) => 0,
            _ => return Err(condition(cond)?),
        };
        if args[0].kind()? != AstExprKind::Id || identifier(&args[0])? != iterator {
            return Err(condition(cond)?);
        }
        match self.expr(&args[1])? {
            Expr::Min(list) => Ok(list.iter().map(|e| e.plus_constant(past)).collect::<Result<_, _>>()?),
            bound => Ok(vec![bound.plus_constant(past)?]),
        }
    }

    fn call(&mut self, node: &isl::AstNode) -> Result<Node, Error> {
        let args = node.user_expr()?.args()?;
        let (name, args) = args.split_first().ok_or_else(|| Error::unsupported("a call of nothing"))?;
        let name = identifier(name)?;
        let statement = self
            .scop
            .statement_by_name(&name)
            .ok_or_else(|| Error::unsupported(format!("an instance of `{name}`, which is no statement")))?;
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        let conditions = self.is_own(statement, &args)?;
        Ok(Node::under(conditions, Node::Call(Call { statement, args }), None))
    }

    fn expr(&mut self, expr: &isl::AstExpr) -> Result<Expr, Error> {
        let expr = match expr.kind()? {
            AstExprKind::Int => Expr::Const(expr.val()?.to_i64().map_err(|_| Overflow)?),
            AstExprKind::Id => self.named(&identifier(expr)?)?,
            AstExprKind::Op => self.operation(expr)?,
        };
        self.count(expr.size())?;
        Ok(expr)
    }

    fn named(&self, name: &str) -> Result<Expr, Error> {
        if let Some((_, value)) = self.bindings.iter().rev().find(|(bound, _)| bound == name) {
            return Ok(value.clone());
        }
        let position = self.parameters.get(name);
        position
            .map(|&p| Expr::Parameter(p))
            .ok_or_else(|| Error::unsupported(format!("`{name}`, which is neither iterator nor parameter")))
    }

    fn operation(&mut self, expr: &isl::AstExpr) -> Result<Expr, Error> {
        let op = expr.op()?;
        let args = expr.args()?;
        if let (AstOp::Cond | AstOp::Select, [cond, then, otherwise]) = (op, &args[..]) {
            let cond = self.cond(cond)?;
            return Ok(Expr::Select(Box::new(cond), Box::new(self.expr(then)?), Box::new(self.expr(otherwise)?)));
        }
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        Ok(match (op, &args[..]) {
            (AstOp::Minus, [a]) => a.times(-1)?,
            (AstOp::Add, [a, b]) => a.plus(b)?,
            (AstOp::Sub, [a, b]) => a.minus(b)?,
            (AstOp::Mul, [a, b]) => match (a.as_constant(), b.as_constant()) {
                (Some(factor), _) => b.times(factor)?,
                (_, Some(factor)) => a.times(factor)?,
                _ => return Err(Error::unsupported("a product of two variables")),
            },
            // An exact quotient, or the quotient of a dividend that is not negative, is one rounded down.
            (AstOp::Div | AstOp::FdivQ | AstOp::PdivQ, [a, b]) => a.clone().floor_div(divisor(b)?),
            // A remainder that is only compared with zero is zero exactly when the non-negative remainder is.
            (AstOp::PdivR | AstOp::ZdivR, [a, b]) => a.clone().modulo(divisor(b)?),
            (AstOp::Min, _) => Expr::Min(flatten(args, |e| match e {
                Expr::Min(list) => Ok(list),
                other => Err(other),
            })),
            (AstOp::Max, _) => Expr::Max(flatten(args, |e| match e {
                Expr::Max(list) => Ok(list),
                other => Err(other),
            })),
            _ => return Err(Error::unsupported(format!("the expression `{}`", expr.to_c_str()?))),
        })
    }

    fn cond(&mut self, expr: &isl::AstExpr) -> Result<Cond, Error> {
        self.count(1)?;
        match expr.kind()? {
            AstExprKind::Int => {
                return Ok(if expr.val()?.is_zero()? { Cond::Or(Vec::new()) } else { Cond::And(Vec::new()) });
            }
            AstExprKind::Id => return Err(Error::unsupported("a variable as a condition")),
            AstExprKind::Op => {}
        }
        let args = expr.args()?;
        let comparison = match expr.op()? {
            AstOp::And | AstOp::AndThen => {
                return Ok(Cond::And(args.iter().map(|c| self.cond(c)).collect::<Result<_, _>>()?));
            }
            AstOp::Or | AstOp::OrElse => {
                return Ok(Cond::Or(args.iter().map(|c| self.cond(c)).collect::<Result<_, _>>()?));
            }
            AstOp::Eq => Comparison::Eq,
            AstOp::Le => Comparison::Le,
            AstOp::Lt => Comparison::Lt,
            AstOp::Ge => Comparison::Ge,
            AstOp::Gt => Comparison::Gt,
            _ => return Err(Error::unsupported(format!("the condition `{}`", expr.to_c_str()?))),
        };
        match &args[..] {
            [a, b] => Ok(Cond::Compare(comparison, self.expr(a)?, self.expr(b)?)),
            _ => Err(Error::unsupported(format!("the condition `{}`", expr.to_c_str()?))),
        }
    }
}

fn too_few_members() -> Error {
    Error::unsupported("a mark `grid` or `threads` of more members than its band has")
}

/// Nested lists of one operation made one list.
fn flatten(args: Vec<Expr>, split: impl Fn(Expr) -> Result<Vec<Expr>, Expr>) -> Vec<Expr> {
    args.into_iter().flat_map(|arg| split(arg).unwrap_or_else(|other| vec![other])).collect()
}

/// A condition of a loop that is no upper bound.
fn condition(cond: &isl::AstExpr) -> Result<Error, Error> {
    let text = cond.to_c_str()?;
    Ok(Error::unsupported(match text.as_str() {
        "1" => "a loop without an end, as the domain of a statement has none".to_owned(),
        _ => format!("the loop condition `{text}`"),
    }))
}

fn divisor(expr: &Expr) -> Result<i64, Error> {
    match expr.as_constant() {
        Some(value) if value > 0 => Ok(value),
        _ => Err(Error::unsupported("a division by something else than a positive constant")),
    }
}

fn identifier(expr: &isl::AstExpr) -> Result<String, Error> {
    expr.id()?.name()?.ok_or_else(|| Error::unsupported("a variable without a name"))
}

pub(super) fn contains_loop(node: &Node) -> bool {
    matches!(node, Node::For(_)) || node.children().any(contains_loop)
}
