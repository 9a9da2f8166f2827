//! Why another strategy has a parallel loop farther outside.

use super::{Contestant, Depths, Found, Result, SchedulerInputs, parallel_depths};
use polyrs::schedule::{Event, Rule};
use polyrs::scop::StatementId;
use std::collections::BTreeMap;

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
pub fn losses(region: &SchedulerInputs, found: &[Found]) -> Result<Vec<Loss>> {
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
fn explain(region: &SchedulerInputs, losses: &mut [Loss]) -> Result<()> {
    let Some(strategy) = Contestant::UnifiedCpu.strategy() else { return Ok(()) };
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
