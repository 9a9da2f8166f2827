//! Tiles that are copied, as isl's AST says them: where they start, and which of their elements are read.
//!
//! What is copied is what the subtree reads, and no more: at the edges of arrays, or where a program reads a triangle,
//! the rest of a tile may be no memory at all.

use super::facts::Facts;
use super::promote::expressions;
use super::{Ast, Comparison, Cond, Error, Expr, Node, SharedTile};
use crate::footprint::{Footprint, Tile, in_as_parameters};
use crate::isl::{self, AstBuild, AstExpr, DimType};
use crate::proximity::Subscripts;
use crate::scop::{Scop, StatementId};
use std::collections::BTreeMap;

/// Footprints of more pieces than this are not copied.
const MOST_PIECES: usize = 4;

/// The elements of a tile.
pub(super) struct Elements {
    /// The first one, in terms of parameters and iterators.
    pub origin: Vec<AstExpr>,
    /// Their number along each dimension.
    pub extent: Vec<i64>,
    /// What stands for the subscripts of an element in `exists`.
    pub names: Vec<String>,
    /// Those that are read; `None` where all are.
    pub exists: Option<AstExpr>,
}

impl Elements {
    /// Those of a footprint, in terms of its names but some. `None` if there is no such tile.
    pub fn of(scop: &Scop, footprint: &Footprint, unbound: &[String]) -> isl::Result<Option<Self>> {
        let mut elements = footprint.elements.clone();
        for name in unbound {
            let names = elements.space()?.dim_names(DimType::Param)?;
            if let Some(position) = names.iter().position(|known| known == name) {
                elements = elements.project_out(DimType::Param, position, 1)?;
            }
        }
        let elements = elements.coalesce()?;
        let Some(Tile { origin, extent }) = Tile::of(&elements)? else { return Ok(None) };
        if extent != footprint.extent || elements.n_basic_set()? > MOST_PIECES {
            return Ok(None);
        }
        // [p, c] -> { A[a] }
        let first = origin.as_set()?;
        let build = |space: isl::Space| AstBuild::from_context(scop.context.clone().align_params(space)?);
        let side = |position: usize| {
            let side = first.clone().dim_max(i32::try_from(position).unwrap_or(i32::MAX))?;
            build(side.space()?.params()?)?.expr_from_pw_aff(side)
        };
        let origin = (0..extent.len()).map(side).collect::<isl::Result<_>>()?;
        let names: Vec<String> = (0..extent.len()).map(|position| format!("polyrs_at{position}_")).collect();
        // { A[a] : a is in the tile }
        let array = elements.tuple_name()?.unwrap_or_default();
        let sides = extent.iter().zip(&names).map(|(size, name)| format!("{name} <= {name}x < {name} + {size}"));
        let others: Vec<String> = names.iter().map(|name| format!("{name}x")).collect();
        let conditions = sides.collect::<Vec<_>>().join(" and ");
        let around = format!("{{ {array}[{}] -> {array}[{}] : {conditions} }}", names.join(", "), others.join(", "));
        let tile = first.clone().apply(isl::Map::parse(scop.ctx(), &around)?)?;
        let rest = elements.gist(tile)?.gist_params(scop.context.clone())?.coalesce()?;
        let exists = if rest.plain_is_universe()? {
            None
        } else {
            let rest = in_as_parameters(rest.identity()?, &names)?.params()?;
            Some(build(rest.space()?)?.expr_from_set(rest)?)
        };
        Ok(Some(Elements { origin, extent, names, exists }))
    }
}

/// Leaves out what is known anyway of the elements that are copied.
pub(super) fn tidy(scop: &Scop, ast: &mut Ast) -> Result<(), Error> {
    let facts = Facts::new(&scop.context, &ast.parameters);
    tidy_node(&mut ast.root, &facts, false)
}

fn tidy_node(node: &mut Node, facts: &Facts, in_kernel: bool) -> Result<(), Error> {
    if !node.has_shared() {
        return Ok(());
    }
    match node {
        Node::For(inner) => {
            let mut inside = facts.inside(inner)?;
            // In kernels that takes more time than it saves.
            if let ([first], true, false) = (&inner.lower[..], inner.step > 1, in_kernel) {
                let distance = Expr::Iterator(inner.iterator).minus(first)?.modulo(inner.step);
                inside.assume(&Cond::Compare(Comparison::Eq, distance, Expr::Const(0)))?;
            }
            tidy_node(&mut inner.body, &inside, in_kernel)
        }
        Node::If(branch) => {
            let holds = facts.under(&branch.cond)?;
            tidy_node(&mut branch.then, &holds, in_kernel)?;
            let fails = facts.under(&branch.cond.negated())?;
            branch.otherwise.as_mut().map_or(Ok(()), |node| tidy_node(node, &fails, in_kernel))
        }
        Node::Kernel(kernel) => {
            let inside = facts.inside_kernel(kernel)?;
            tidy_node(&mut kernel.body, &inside, true)
        }
        Node::Shared(shared) => {
            shared.tiles.iter_mut().try_for_each(|tile| tidy_tile(tile, facts))?;
            tidy_node(&mut shared.body, facts, in_kernel)
        }
        other => other.children_mut().try_for_each(|child| tidy_node(child, facts, in_kernel)),
    }
}

fn tidy_tile(tile: &mut SharedTile, facts: &Facts) -> Result<(), Error> {
    let mut inside = facts.clone();
    for ((origin, extent), element) in tile.origin.iter().zip(&tile.extent).zip(&tile.element) {
        let element = || Expr::Iterator(*element);
        inside.assume(&Cond::Compare(Comparison::Ge, element(), origin.clone()))?;
        inside.assume(&Cond::Compare(Comparison::Lt, element(), origin.plus_constant(*extent)?))?;
    }
    if let Cond::And(all) = &mut tile.exists {
        let mut left = Vec::new();
        for cond in std::mem::take(all) {
            if !inside.imply(&cond)? {
                left.push(cond);
            }
        }
        *all = left;
    }
    Ok(())
}

/// The subscripts of the references that a tile holds, over the iterators of their statements.
pub(super) fn reads(
    scop: &Scop,
    footprint: &Footprint,
    parameters: &BTreeMap<String, usize>,
) -> Result<Vec<(StatementId, Vec<Expr>)>, Error> {
    let mut all = Vec::new();
    for &(id, number) in &footprint.references {
        let statement = scop.statement(id);
        let access = &statement.accesses[number].relation;
        let restricted = access.clone().intersect_domain(statement.domain.clone())?;
        let Some(subscripts) = Subscripts::of(access, &restricted, &statement.domain)? else { continue };
        let Some(subscripts) = expressions(&subscripts, parameters)? else { continue };
        if !all.contains(&(id, subscripts.clone())) {
            all.push((id, subscripts));
        }
    }
    Ok(all)
}
