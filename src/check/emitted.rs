//! Emitted code, lifted again, against the tree that it was emitted for.
//!
//! The legality of a tree says nothing of what became of it on the way through AST generation and emission. Here the
//! emitted code's own model, made by the front end as for any other code, is compared with the tree: the instances that
//! it executes, the elements that they touch, and the order must be the same. The front end only says which calls of the
//! AST the accesses of a statement of the new model came from.

#[cfg(test)]
mod tests;

use crate::codegen::{Ast, Expr, IteratorId, Node};
use crate::isl::{self, Aff, DimType, LocalSpace, Map, MultiPwAff, NodeType, PwAff, Set, UnionMap, UnionSet, Val};
use crate::scop::{AccessKind, ArrayKind, Scop, StatementId};
use std::collections::{BTreeMap, BTreeSet};

/// A statement of the model that the emitted code gave when it was lifted again, in the first model's context and with
/// its parameters and array names.
#[derive(Debug, Clone)]
pub struct Again {
    /// The instances: `{ N[c] : ... }`, one dimension for each loop around, outermost first.
    pub domain: Set,
    /// The iterators of the AST that the loops around were emitted for.
    pub iterators: Vec<IteratorId>,
    /// The calls of the AST, counted in textual order, that its accesses came from.
    pub calls: BTreeSet<usize>,
    /// The accesses to memory that exists outside of the region: `{ N[c] -> A[a] }`.
    pub accesses: Vec<(AccessKind, Map)>,
    /// The order: `{ N[c] -> [t] }`, with tuples of one length for all statements.
    pub time: Map,
}

/// How emitted code differs from the tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Difference {
    /// The question was not answered.
    #[error(transparent)]
    Isl(#[from] isl::Error),
    /// The new model's statements do not say which calls they came from.
    #[error("the new model cannot be compared: {0}")]
    Incomparable(String),
    /// Instances are missing, are executed twice, or should not be executed.
    #[error("the instances of {statement} differ")]
    Instances {
        /// The statement's name.
        statement: String,
    },
    /// A statement touches other elements.
    #[error("the elements of which {statement} has a {kind} differ")]
    Accesses {
        /// The names of the calls' statements.
        statement: String,
        /// The kind of the accesses.
        kind: AccessKind,
    },
    /// Instances are executed in another order.
    #[error("the order differs, for example of {pair}")]
    Order {
        /// Two instances, in isl notation, that the tree has in this order.
        pair: String,
    },
}

/// One call of the AST.
struct Call<'a> {
    statement: StatementId,
    args: &'a [Expr],
}

/// Compares the new model with the tree. Statements that touch no memory outside of the region are left out: their values
/// are in SSA or in buffers, which the new model has its own way with.
///
/// `context` is what the new model knows of the parameters, `[p] -> { : ... }`.
///
/// # Errors
/// The first [`Difference`] found.
pub fn compare(scop: &Scop, tree: &isl::Schedule, ast: &Ast, again: &[Again], context: &Set) -> Result<(), Difference> {
    let mut calls = Vec::new();
    collect(&ast.root, &mut calls);
    let context = scop.context.clone().intersect(context.clone())?;
    let comparison = Comparison { scop, ast, calls, context };
    let places = comparison.places(again)?;
    comparison.instances(tree, &places)?;
    comparison.accesses(again, &places)?;
    comparison.order(tree, again, &places)
}

fn collect<'a>(node: &'a Node, calls: &mut Vec<Call<'a>>) {
    match node {
        Node::Block(children) => children.iter().for_each(|child| collect(child, calls)),
        Node::For(node) => collect(&node.body, calls),
        Node::If(branch) => {
            collect(&branch.then, calls);
            branch.otherwise.iter().for_each(|node| collect(node, calls));
        }
        Node::Call(call) => calls.push(Call { statement: call.statement, args: &call.args }),
    }
}

/// Where a call came out: the new statement's position, and `{ N[c] -> S[i] }` on its domain.
type Places = BTreeMap<usize, Vec<(usize, Map)>>;

struct Comparison<'a> {
    scop: &'a Scop,
    ast: &'a Ast,
    calls: Vec<Call<'a>>,
    context: Set,
}

impl Comparison<'_> {
    fn places(&self, again: &[Again]) -> Result<Places, Difference> {
        let mut places = Places::new();
        for (position, new) in again.iter().enumerate() {
            for &call in &new.calls {
                let known = self.calls.get(call);
                let known = known.ok_or_else(|| Difference::Incomparable("a call that the AST lacks".into()))?;
                places.entry(call).or_default().push((position, self.instance_map(known, new)?));
            }
        }
        Ok(places)
    }

    /// `{ N[c] -> S[i] }`
    fn instance_map(&self, call: &Call<'_>, new: &Again) -> Result<Map, Difference> {
        let domain = new.domain.clone().intersect_params(self.context.clone())?;
        let name = isl::Id::new(domain.ctx(), &self.scop.statement(call.statement).name)?;
        let space = domain.space()?;
        let function = |expr: &Expr| self.function(expr, &space, &new.iterators);
        let args = call.args.iter().map(function).collect::<Result<Vec<_>, _>>()?;
        let range = space.clone().params()?.add_named_tuple_id_ui(name, args.len())?;
        let map_space = space.map_from_domain_and_range(range)?;
        let list = isl::PwAffList::from_vec(domain.ctx(), args)?;
        Ok(MultiPwAff::from_pw_aff_list(map_space, list)?.as_map()?.intersect_domain(domain)?)
    }

    /// An expression of the AST as a function on a new statement's space.
    fn function(&self, expr: &Expr, space: &isl::Space, iterators: &[IteratorId]) -> Result<PwAff, Difference> {
        let local = || LocalSpace::from_space(space.clone());
        let ctx = space.ctx();
        let function = |expr: &Expr| self.function(expr, space, iterators);
        Ok(match expr {
            Expr::Const(value) => PwAff::from_aff(Aff::val_on_domain(local()?, Val::int(ctx, *value)?)?)?,
            Expr::Parameter(position) => {
                let name = self.ast.parameters.get(*position);
                let name = name.ok_or_else(|| Difference::Incomparable("an unknown parameter".into()))?;
                let id = isl::Id::new(ctx, name)?;
                PwAff::from_aff(Aff::param_on_domain_space_id(space.clone(), id)?)?
            }
            Expr::Iterator(id) => {
                let position = iterators.iter().position(|iterator| iterator == id);
                let position = position.ok_or_else(|| Difference::Incomparable("a loop is missing".into()))?;
                PwAff::from_aff(Aff::var_on_domain(local()?, DimType::SET, position)?)?
            }
            Expr::Add(a, b) => function(a)?.add(function(b)?)?,
            Expr::Mul(factor, a) => function(a)?.scale(Val::int(ctx, *factor)?)?,
            Expr::FloorDiv(a, divisor) => function(a)?.scale_down(Val::int(ctx, *divisor)?)?.floor()?,
            Expr::Mod(a, divisor) => function(a)?.modulo(Val::int(ctx, *divisor)?)?,
            Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => {
                return Err(Difference::Incomparable("a choice in an argument".into()));
            }
        })
    }

    /// The accesses of a statement to memory outside of the region, of one kind: `{ S[i] -> A[a] }`.
    fn old_accesses(&self, statement: StatementId, kind: AccessKind) -> Result<Vec<Map>, Difference> {
        let mut maps = Vec::new();
        for access in &self.scop.statement(statement).accesses {
            let array = self.scop.array_by_name(&access.array()?);
            if access.kind == kind && array.is_some_and(|array| array.kind == ArrayKind::Memory) {
                maps.push(access.relation.clone());
            }
        }
        Ok(maps)
    }

    fn touches_memory(&self, statement: StatementId) -> Result<bool, Difference> {
        for kind in [AccessKind::Read, AccessKind::MayWrite, AccessKind::MustWrite] {
            if !self.old_accesses(statement, kind)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Every call's instances come out wherever it came out, and all calls together execute the tree's domain once.
    fn instances(&self, tree: &isl::Schedule, places: &Places) -> Result<(), Difference> {
        let wanted = tree.domain()?.intersect(self.scop.domain()?)?.intersect_params(self.context.clone())?;
        for (number, statement) in self.scop.statements.iter().enumerate() {
            let id = StatementId(number);
            if statement.is_kill() || !self.touches_memory(id)? {
                continue;
            }
            let differ = || Difference::Instances { statement: statement.name.clone() };
            let mut executed: Option<Set> = None;
            for (call, _) in self.calls.iter().enumerate().filter(|(_, call)| call.statement == id) {
                let Some(places) = places.get(&call) else { continue };
                let images = places.iter().map(|(_, map)| map.clone().range()).collect::<isl::Result<Vec<_>>>()?;
                for image in &images[1..] {
                    if !image.is_equal(&images[0])? {
                        return Err(differ());
                    }
                }
                executed = Some(match executed {
                    None => images[0].clone(),
                    Some(before) if before.is_disjoint(&images[0])? => before.union(images[0].clone())?,
                    Some(_) => return Err(differ()),
                });
            }
            let space = statement.domain.clone().align_params(self.context.space()?)?.space()?;
            let wanted = wanted.extract_set(space)?;
            let same = match executed {
                None => wanted.is_empty()?,
                Some(executed) => executed.is_equal(&wanted)?,
            };
            if !same {
                return Err(differ());
            }
        }
        Ok(())
    }

    fn accesses(&self, again: &[Again], places: &Places) -> Result<(), Difference> {
        let parameters = self.context.space()?;
        for (position, new) in again.iter().enumerate() {
            for kind in [AccessKind::Read, AccessKind::MayWrite, AccessKind::MustWrite] {
                let mut wanted = UnionMap::empty(parameters.clone())?;
                for call in &new.calls {
                    for (_, map) in places[call].iter().filter(|(place, _)| *place == position) {
                        for access in self.old_accesses(self.calls[*call].statement, kind)? {
                            wanted = wanted.union(map.clone().apply_range(access)?.to_union_map()?)?;
                        }
                    }
                }
                let mut found = UnionMap::empty(parameters.clone())?;
                for (_, access) in new.accesses.iter().filter(|(k, _)| *k == kind) {
                    let access = access.clone().intersect_domain(new.domain.clone())?;
                    found = found.union(access.intersect_params(self.context.clone())?.to_union_map()?)?;
                }
                // What is read outside of all loops may have become a part of what comes before the region.
                let partly = kind == AccessKind::Read && new.iterators.is_empty();
                if !(found.is_equal(&wanted)? || partly && found.is_subset(&wanted)?) {
                    let names = new.calls.iter().map(|call| &self.scop.statement(self.calls[*call].statement).name);
                    let statement = names.map(String::as_str).collect::<Vec<_>>().join(", ");
                    return Err(Difference::Accesses { statement, kind });
                }
            }
        }
        Ok(())
    }

    /// No pair that the tree orders is executed the other way round. Where the tree leaves an order open (set nodes) only
    /// pairs that touch the same element count.
    fn order(&self, tree: &isl::Schedule, again: &[Again], places: &Places) -> Result<(), Difference> {
        let parameters = self.context.space()?;
        let mut new = UnionMap::empty(parameters.clone())?;
        let mut elements = UnionMap::empty(parameters.clone())?;
        for (call, places) in places {
            let statement = self.calls[*call].statement;
            for (position, map) in places {
                // { S[i] -> [t] }
                let time = map.clone().reverse()?.apply_range(again[*position].time.clone())?;
                new = new.union(time.to_union_map()?)?;
            }
            for kind in [AccessKind::Read, AccessKind::MayWrite, AccessKind::MustWrite] {
                for access in self.old_accesses(statement, kind)? {
                    elements = elements.union(access.to_union_map()?)?;
                }
            }
        }
        let executed: UnionSet = new.clone().domain()?;
        let old = tree.map()?.intersect_domain(executed)?.intersect_params(self.context.clone())?;
        let mut before = old.clone().lex_lt_union_map(old)?;
        if has_set_nodes(tree)? {
            before = before.intersect(elements.clone().apply_range(elements.reverse()?)?)?;
        }
        let after = new.clone().lex_lt_union_map(new)?.reverse()?;
        if before.is_disjoint(&after)? {
            return Ok(());
        }
        let wrong = before.intersect(after)?;
        Err(Difference::Order { pair: wrong.wrap()?.sample_point()?.to_string() })
    }
}

fn has_set_nodes(tree: &isl::Schedule) -> isl::Result<bool> {
    let mut found = false;
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        found |= node.node_type()? == NodeType::Set;
        Ok(!found)
    })?;
    Ok(found)
}
