//! What a step came to, for those who ask: what it carries, and what makes it so.
//!
//! A constraint or choice is left out for good if nothing better is found without it: fewer groups left uncarried of those that
//! remain, or smaller coefficients.

use crate::isl::Ctx;
use crate::schedule::band::binding::{Parts, Question, binding};
use crate::schedule::band::choices::of_all_members;
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::{Bound, CarryingStep, Relation, name};
use crate::schedule::feautrier::constraint_groups::{ConstraintGroup, asks, constraint_groups};
use crate::schedule::feautrier::{Carried, Extent, Purpose, carry_groups, forms};
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Edge, Graph, Row};
use crate::schedule::strategy::Strategy;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// The names of what is made least, as [`CarryingStep::values`] has them.
const TERMS: [&str; 3] = ["uncarried", "parameter-coefficients", "variable-coefficients"];

/// Tells what a step came to.
///
/// # Errors
/// Those of [`super::carry`].
pub(in crate::schedule) fn told(
    graph: &Graph,
    components: &Components,
    purpose: Purpose,
    (strategy, ctx): (&Strategy, &Ctx),
    step: &Carried,
) -> Result<CarryingStep> {
    let number = |x: &BigInt| i64::try_from(x).map_err(|_| Error::Overflow);
    let values = TERMS.into_iter().zip(&step.least).map(|(term, value)| Ok((term, number(value)?)));
    Ok(CarryingStep {
        depth: graph.rows(),
        own_only: step.extent == Extent::Own,
        values: values.collect::<Result<_>>()?,
        groups: step.groups,
        denominator: number(&step.denominator)?,
        divisor: step.divisor,
        relations: relations(graph, purpose, &step.rows)?,
        bound_by: bounds(graph, components, purpose, (strategy, ctx), Some(step))?,
    })
}

/// What binds a step, or where there is none is in the way of one.
///
/// # Errors
/// Those of [`super::carry`].
pub(in crate::schedule) fn bounds(
    graph: &Graph,
    components: &Components,
    purpose: Purpose,
    (strategy, ctx): (&Strategy, &Ctx),
    known: Option<&Carried>,
) -> Result<Vec<Bound>> {
    let extent = known.map_or(Extent::All, |step| step.extent);
    let kinds = |edge: &Edge| if asks(edge, purpose.coincidence) { kinds(edge, purpose) } else { Vec::new() };
    let parts =
        Parts { choices: of_all_members(strategy), problem: None, edges: graph.edges.iter().map(kinds).collect() };
    let question =
        Question { graph: graph.clone(), strategy: strategy.clone(), together: vec![false; graph.edges.len()] };
    let mut has_better = |Question { graph, strategy, .. }: &Question| {
        let groups = constraint_groups(graph, purpose.coincidence)?;
        let found = carry_groups(graph, components, (purpose, extent), &groups, strategy, ctx)?;
        let Some(known) = known else {
            // A step is not missed where there is nothing to carry.
            return Ok(found.is_some() || groups.0.is_empty() && groups.1.is_empty());
        };
        let others = if extent == Extent::All { &groups.1[..] } else { &[] };
        let left = groups.0.iter().chain(others);
        let least = i64::try_from(&known.denominator).map_err(|_| Error::Overflow)?;
        let uncarried = left.clone().filter(|group| !is_carried(graph, group, &known.solved, least)).count();
        let here = [&known.denominator * BigInt::from(uncarried), known.least[1].clone(), known.least[2].clone()];
        let (one, denominator) = match found {
            Some(found) => (found.least, found.denominator),
            // Rows of zeros carry nothing, and may be better all the same: where nothing is left to carry.
            None if can_be_zero(graph, strategy)? => ([left.count().into(), BigInt::ZERO, BigInt::ZERO], 1.into()),
            None => return Ok(false),
        };
        let times = |values: [BigInt; 3], factor: &BigInt| values.map(|value| value * factor);
        Ok(times(one, &known.denominator) < times(here, &denominator))
    };
    binding(question, parts, |node| name(graph, node), ctx, &mut has_better)
}

/// Rows of zeros are within what the strategy asks of coefficients.
fn can_be_zero(graph: &Graph, strategy: &Strategy) -> Result<bool> {
    let zeros: Vec<Row> = graph.nodes.iter().map(|node| vec![0; 1 + graph.parameters + node.variables()]).collect();
    Ok(forms(graph, strategy)?.iter().all(|form| form.holds(&zeros)))
}

/// Groups, with whether they are carried.
type Parted = BTreeSet<(usize, bool)>;

/// What edges ask, and how much of it rows carry.
fn relations(graph: &Graph, purpose: Purpose, rows: &[Row]) -> Result<Vec<Relation>> {
    let (intra, inter) = constraint_groups(graph, purpose.coincidence)?;
    // An edge may be one of several between the same statements, in the same words.
    let mut parts: BTreeMap<(usize, usize, Vec<&'static str>), Parted> = BTreeMap::new();
    for (index, group) in intra.iter().chain(&inter).enumerate() {
        let part = (index, is_carried(graph, group, rows, 1));
        for edge in &group.edges {
            let key = (group.source, group.target, kinds(&graph.edges[*edge], purpose));
            parts.entry(key).or_default().insert(part);
        }
    }
    let relation = |((source, target, kinds), parts): (_, Parted)| Relation {
        source: name(graph, source),
        target: name(graph, target),
        kinds,
        parts: parts.len(),
        carried: parts.iter().filter(|(_, carried)| *carried).count(),
    };
    Ok(parts.into_iter().map(relation).collect())
}

/// Rows of the ends put all pairs of a group at least so far apart.
fn is_carried(graph: &Graph, group: &ConstraintGroup, rows: &[Row], least: i64) -> bool {
    let product = |factors: &[i64], values: &[i64]| {
        let products = factors.iter().zip(values).map(|(a, b)| i128::from(*a).saturating_mul(i128::from(*b)));
        products.fold(0, i128::saturating_add)
    };
    let (source, target) = (&rows[group.source], &rows[group.target]);
    let fixed = 1 + graph.parameters;
    let distance = |generator: &[i64]| {
        if group.source == group.target {
            return product(&generator[1..], &target[fixed..]);
        }
        let (general, variables) = generator.split_at(fixed);
        let (of_source, of_target) = variables.split_at(source.len() - fixed);
        let end = |variables: &[i64], row: &Row| {
            product(general, &row[..fixed]).saturating_add(product(variables, &row[fixed..]))
        };
        end(of_target, target).saturating_sub(end(of_source, source))
    };
    let is_far = |ray: &Vec<i64>| distance(ray) >= i128::from(ray[0]).saturating_mul(i128::from(least));
    group.hull.lines.iter().all(|line| distance(line) == 0) && group.hull.rays.iter().all(is_far)
}

/// What an edge asks of a step, in words.
fn kinds(edge: &Edge, purpose: Purpose) -> Vec<&'static str> {
    let asked = [
        (edge.kinds.validity, "validity"),
        (edge.kinds.conditioned && !edge.kinds.validity, "conditional validity"),
        (edge.kinds.coincidence && purpose.coincidence, "coincidence"),
    ];
    asked.into_iter().filter(|(asks, _)| *asks).map(|(_, word)| word).collect()
}
