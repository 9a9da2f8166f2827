//! How far outside the first parallel loop around each statement is, and why another strategy has it farther outside.

use super::{Contestant, Found, Region, Result};
use crate::cost::contiguity::next_along;
use crate::isl::{NodeType, Schedule, ScheduleConstraints, UnionPwAff, UnionSet};
use crate::machine::Machine;
use crate::schedule::{Event, Rule, Strategy};
use crate::schedule_tree::band::{Band, is_over_tiles};
use crate::scop::{Scop, StatementId};
use crate::transform::wavefront_of_points;
use std::collections::BTreeMap;

/// For each statement with loops, how many of them are around the outermost one that can run in parallel. None: no loop
/// can.
pub type Depths = BTreeMap<StatementId, Option<usize>>;

/// Looks for coincident members, and for those that a wavefront of one degree makes coincident.
///
/// Loops are the members that vary for the statement while those outside are fixed. In a wavefront, the sum is one of
/// them.
///
/// # Errors
/// Those of isl.
pub fn parallel_depths(scop: &Scop, tree: &Schedule, constraints: &ScheduleConstraints) -> Result<Depths> {
    let skewed = wavefront_of_points(tree, constraints, 1)?;
    let mut depths = Depths::new();
    let mut open = vec![(skewed.root()?, Vec::new())];
    while let Some((node, mut path)) = open.pop() {
        match node.node_type()? {
            NodeType::Leaf => {
                let reached = node.domain()?;
                for (index, statement) in scop.statements.iter().enumerate().filter(|(_, s)| !s.is_kill()) {
                    let domain = statement.domain.clone().to_union_set()?.intersect(reached.clone())?;
                    let loops = loops(&domain.affine_hull()?, &path)?;
                    if !loops.is_empty() {
                        depths.insert(StatementId(index), loops.iter().position(|coincident| *coincident));
                    }
                }
                continue;
            }
            NodeType::Band if !is_over_tiles(&node)? => {
                let band = Band::read(&node)?;
                path.extend(band.members.into_iter().zip(band.coincident));
            }
            _ => {}
        }
        open.extend(node.children()?.into_iter().map(|child| (child, path.clone())));
    }
    Ok(depths)
}

/// Whether each member that is a loop for the instances of a statement is coincident.
fn loops(domain: &UnionSet, path: &[(UnionPwAff, bool)]) -> Result<Vec<bool>> {
    let mut loops = Vec::new();
    if domain.is_empty()? {
        return Ok(loops);
    }
    let members: Vec<UnionPwAff> = path.iter().map(|(member, _)| member.clone()).collect();
    for (position, (member, coincident)) in path.iter().enumerate() {
        if next_along(domain, &members[..position], member)?.is_some() {
            loops.push(*coincident);
        }
    }
    Ok(loops)
}

/// A statement with a parallel loop farther outside under another strategy than under `unified-cpu`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The statement.
    pub statement: StatementId,
    /// The least depth under another strategy, and the strategies that have it.
    pub other: (usize, Vec<Contestant>),
    /// The depth under `unified-cpu`.
    pub depth: Option<usize>,
    /// The rules that the scheduler says it gave the loop up for: without them it is as far outside as elsewhere. One
    /// if one suffices. None: nothing explains the loss.
    pub rules: Vec<Rule>,
}

/// What `unified-cpu` loses; `found` is what each contestant finds, in the order of [`Contestant::ALL`].
///
/// # Errors
/// Those of isl and of the scheduler.
pub fn losses(region: &Region, found: &[Found]) -> Result<Vec<Loss>> {
    let all: Vec<(Contestant, &Depths)> = Contestant::ALL.into_iter().zip(found.iter().map(|f| &f.depths)).collect();
    let Some((_, ours)) = all.iter().find(|(contestant, _)| *contestant == Contestant::UnifiedCpu) else {
        return Ok(Vec::new());
    };
    let mut losses = Vec::new();
    for (&statement, &depth) in *ours {
        let of = |depths: &Depths| depths.get(&statement).copied().flatten();
        let Some(least) = all.iter().filter_map(|(_, depths)| of(depths)).min() else { continue };
        if depth.is_some_and(|depth| depth <= least) {
            continue;
        }
        let same = all.iter().filter(|(_, depths)| of(depths) == Some(least)).map(|(contestant, _)| *contestant);
        losses.push(Loss { statement, other: (least, same.collect()), depth, rules: Vec::new() });
    }
    if !losses.is_empty() {
        explain(region, &mut losses)?;
    }
    Ok(losses)
}

/// Finds the rules: those that the scheduler names for the statement, of these the first that suffices by itself, or
/// else all.
fn explain(region: &Region, losses: &mut [Loss]) -> Result<()> {
    let strategy = Strategy::unified_cpu(&Machine::generic());
    let mut named: Vec<(Rule, Vec<String>)> = Vec::new();
    region.schedule(&strategy, &mut |event: Event| {
        named.extend(event.rule().map(|(rule, statements)| (rule, statements.to_vec())));
    })?;
    let mut known: BTreeMap<Vec<Rule>, Depths> = BTreeMap::new();
    for loss in losses {
        let name = &region.scop.statement(loss.statement).name;
        let mut rules: Vec<Rule> = Vec::new();
        for (rule, _) in named.iter().filter(|(_, statements)| statements.contains(name)) {
            if !rules.contains(rule) {
                rules.push(*rule);
            }
        }
        let sets = rules.iter().map(|rule| vec![*rule]).chain([rules.clone()]);
        for set in sets {
            if !known.contains_key(&set) {
                let without = set.iter().fold(strategy.clone(), |strategy, rule| rule.without(&strategy));
                let tree = region.schedule(&without, &mut |_| ())?;
                known.insert(set.clone(), parallel_depths(region.scop, &tree, &region.constraints)?);
            }
            let depth = known[&set].get(&loss.statement).copied().flatten();
            if depth.is_some_and(|depth| depth <= loss.other.0) {
                loss.rules = set;
                break;
            }
        }
    }
    Ok(())
}
