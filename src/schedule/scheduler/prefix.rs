//! The outermost members that a strategy gives ([`Strategy::prefix`](crate::schedule::Strategy::prefix)).
//!
//! One after the other is taken for the next member of a band, as long as all constraints that the band began with allow
//! it; else for the first one of the next band, which what is carried by then does not matter to. Constants take
//! statements apart, and what follows is taken for each part by itself. What is left is scheduled as the strategy says.

use super::{Order, Scheduler, Slot, Step};
use crate::isl::UnionPwAff;
use crate::schedule::band::conditions::{self, is_zero};
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::{BandEnd, Event, name, names};
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Graph, Row};
use crate::schedule::scheduler::tree::Loops;
use std::collections::BTreeSet;

/// Why a member cannot be taken.
enum Obstacle {
    /// A constraint of the band, between these statements, goes backwards.
    Backwards(String, String),
    /// A live range would be cut that something has to stay out of.
    Cut,
}

impl Scheduler<'_> {
    /// Takes the members of the prefix from one on.
    pub(super) fn fix(&mut self, slot: Slot, graph: Graph, from: usize) -> Result<()> {
        let mut graph = graph;
        graph.forget_local();
        let mut next = from;
        while let Some(text) = self.context.strategy.prefix.get(next) {
            let rows = rows(&graph, text, next)?;
            if rows.iter().all(|row| row[1..].iter().all(|x| *x == 0)) {
                if !graph.band_is_empty() {
                    break;
                }
                return self.fix_order(slot, graph, &rows, next);
            }
            let local: Vec<bool> = graph.edges.iter().map(|edge| edge.local).collect();
            graph.push_rows(rows, false)?;
            conditions::mark_coincident(&mut graph)?;
            if let Some(obstacle) = obstacle(&mut graph)? {
                let members = graph.rows() - graph.band_start - 1;
                if members == 0 {
                    return Err(obstacle.of(next));
                }
                graph.shorten_band(members)?;
                // What would have to be local for that member is not.
                graph.edges.iter_mut().zip(local).for_each(|(edge, local)| edge.local = local);
                break;
            }
            next += 1;
        }
        if graph.band_is_empty() {
            self.waiting.push((slot, graph, Step::Schedule));
            return Ok(());
        }
        let coincident = graph.coincident[graph.band_start..].to_vec();
        (self.context.observer)(Event::Band { statements: names(&graph), coincident, end: BandEnd::Given });
        self.below(slot, graph, Loops::Permutable, Step::Fixed(next))
    }

    /// Puts statements in the order of their constants.
    fn fix_order(&mut self, slot: Slot, graph: Graph, rows: &[Row], member: usize) -> Result<()> {
        for edge in graph.edges.iter().filter(|edge| edge.kinds.orders()) {
            if rows[edge.source][0] > rows[edge.target][0] {
                return Err(backwards(&graph, edge.source, edge.target).of(member));
            }
        }
        let places: BTreeSet<i64> = rows.iter().map(|row| row[0]).collect();
        if places.len() < 2 {
            self.waiting.push((slot, graph, Step::Fixed(member + 1)));
            return Ok(());
        }
        let place = |row: &Row| places.range(..row[0]).count();
        let of = Components { of: rows.iter().map(place).collect(), count: places.len() };
        self.spread(slot, graph, &of, Order::Sequence, |_| Step::Fixed(member + 1))
    }
}

/// A function as a row for each node.
fn rows(graph: &Graph, text: &str, member: usize) -> Result<Vec<Row>> {
    let Some(node) = graph.nodes.first() else { return Ok(Vec::new()) };
    let function = UnionPwAff::parse(node.statement.domain.ctx(), text)?;
    graph.rows_of(&function)?.map_err(|node| Error::Prefix {
        member: member + 1,
        problem: format!("gives {} no affine function", name(graph, node)),
    })
}

fn backwards(graph: &Graph, source: usize, target: usize) -> Obstacle {
    Obstacle::Backwards(name(graph, source), name(graph, target))
}

/// What keeps the last member from being one of its band.
fn obstacle(graph: &mut Graph) -> Result<Option<Obstacle>> {
    let last = graph.rows() - 1;
    for edge in graph.edges.iter().filter(|edge| edge.kinds.validity) {
        if !edge.exact()?.admits(&edge.distance(graph, last)?) {
            return Ok(Some(backwards(graph, edge.source, edge.target)));
        }
    }
    if !conditions::make_local(graph)?.is_empty() {
        return Ok(Some(Obstacle::Cut));
    }
    for edge in graph.edges.iter().filter(|edge| edge.local) {
        if !is_zero(&*edge.exact()?, &edge.distance(graph, last)?)? {
            return Ok(Some(Obstacle::Cut));
        }
    }
    Ok(None)
}

impl Obstacle {
    /// As an error about a member.
    fn of(self, member: usize) -> Error {
        let problem = match self {
            Obstacle::Backwards(source, target) => {
                format!("puts instances of {target} before those of {source} that have to come first")
            }
            Obstacle::Cut => "lets something into a live range that has to stay out of it".to_owned(),
        };
        Error::Prefix { member: member + 1, problem }
    }
}
