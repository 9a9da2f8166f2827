//! Where a schedule has fewer contiguous accesses than the best order of loops, and whether a rule explains it.

use super::{Best, Found, Result};
use crate::isl::{MultiUnionPwAff, NodeType, Schedule, UnionMap, UnionPwAff};
use crate::scop::{Scop, StatementId};
use crate::tree::band::{Band, is_over_tiles};
use crate::tree::contiguity::next_along;

/// A statement with fewer contiguous accesses than it has in the best order of loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    /// The statement.
    pub statement: StatementId,
    /// Its contiguous accesses in the best order.
    pub most: usize,
    /// Those after members were reordered.
    pub reached: usize,
    /// The loop that is innermost in the best order is in a permutable band of several members, outside of the band of the statement's
    /// innermost loop. A band that can be tiled, and be made parallel by a wavefront, is not taken apart for that.
    pub in_tilable_band: bool,
}

/// The statements of a tree with fewer contiguous accesses than in the best order.
///
/// # Errors
/// Those of isl.
pub fn shortfalls(scop: &Scop, found: &Found, best: &Best) -> Result<Vec<Shortfall>> {
    let mut shortfalls = Vec::new();
    for (&statement, innermost) in &best.statements {
        let of_statement = found.reordered.iter().filter(|(id, _)| *id == statement);
        let reached = of_statement.map(|(_, count)| count.contiguous).sum();
        let most = innermost.accesses.contiguous;
        if reached < most {
            let in_tilable_band = is_in_tilable_band(scop, &found.tree, statement, &innermost.step)?;
            shortfalls.push(Shortfall { statement, most, reached, in_tilable_band });
        }
    }
    Ok(shortfalls)
}

/// The outermost band along which a step of a loop makes progress is permutable, has several members, and is outside of the band of
/// the statement's innermost loop.
fn is_in_tilable_band(scop: &Scop, tree: &Schedule, statement: StatementId, step: &UnionMap) -> Result<bool> {
    let domain = scop.statement(statement).domain.clone().to_union_set()?;
    let mut open = vec![(tree.root()?, Vec::new())];
    while let Some((node, mut bands)) = open.pop() {
        match node.node_type()? {
            NodeType::Leaf => {
                if !node.domain()?.is_disjoint(&domain)? {
                    return is_outside(&bands, &domain.affine_hull()?, step);
                }
                continue;
            }
            NodeType::Band if !is_over_tiles(&node)? => bands.push(Band::read(&node)?),
            _ => {}
        }
        open.extend(node.children()?.into_iter().map(|child| (child, bands.clone())));
    }
    Ok(false)
}

fn is_outside(bands: &[Band], domain: &crate::isl::UnionSet, step: &UnionMap) -> Result<bool> {
    let moves = |member: &UnionPwAff| -> Result<bool> {
        let stay = step.clone().eq_at(MultiUnionPwAff::from_union_pw_aff(member.clone())?)?;
        Ok(!step.is_subset(&stay)?)
    };
    let mut outer: Vec<UnionPwAff> = Vec::new();
    let (mut innermost, mut first) = (None, None);
    for (position, band) in bands.iter().enumerate() {
        for member in &band.members {
            if next_along(domain, &outer, member)?.is_some() {
                innermost = Some(position);
            }
            if first.is_none() && moves(member)? {
                first = Some(position);
            }
            outer.push(member.clone());
        }
    }
    let Some(first) = first else { return Ok(false) };
    let band = &bands[first];
    Ok(band.permutable && band.members.len() > 1 && innermost.is_some_and(|innermost| innermost > first))
}
