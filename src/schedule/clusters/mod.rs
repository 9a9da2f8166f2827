//! Incremental scheduling (ppcg report, section 7.3): each strongly connected component gets a band of its own, and
//! then components are combined to clusters as long as that brings statements close to each other and loses nothing.
//!
//! 1. Each component is scheduled alone; Feautrier's algorithm has to wait.
//! 2. Proximity edges between distinct clusters are taken by [`estimate::weight`], then by distance in the topological
//!    order of the components (7.3.3). A component whose band is empty though it needs members is left alone.
//! 3. The clusters of an edge, with those on paths of validity constraints between them, are scheduled with respect to
//!    each other: [`merge`] (7.3.4).
//! 4. The result is taken if it has members; as many members and as many coincident members as each cluster has alone,
//!    where the strategy asks for that; and if it makes the distances over some proximity edge between the clusters
//!    small (7.3.5).
//! 5. What is left is put in order: [`arrange`] (7.3.6).

mod arrange;
mod estimate;
mod merge;
#[cfg(test)]
mod tests;

pub use arrange::{Kind, arrange};

use crate::schedule::band::{self, Context};
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::{BandEnd, Event, Rule, WhyApart, name, names};
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Graph, Node, Row};
use crate::schedule::phases::{Phase, enter};
use crate::schedule::strategy::Strategy;
use estimate::Distances;
use merge::Merge;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The clusters that a graph was combined to, in topological order.
pub struct Clusters {
    /// The statements of each cluster, with the band that they share, and why it has no more members.
    pub clusters: Vec<(Graph, BandEnd)>,
    /// The cluster of each node.
    of: Vec<usize>,
    /// For each cluster those that directly follow it.
    pub after: Vec<BTreeSet<usize>>,
}

/// Schedules strongly connected components by themselves and combines them.
///
/// Live ranges that go from one cluster to another are cut by their order. What is conditioned next to them has to be respected
/// inside of clusters then, and where some band does not, all is done anew with that as validity constraints. Each time
/// there are more of them, so that it ends.
pub fn compute(graph: &Graph, components: &Components, context: &mut Context) -> Result<Clusters> {
    let _phase = enter(Phase::Clusters);
    let mut graph = Cow::Borrowed(graph);
    loop {
        let mut clustering = Clustering::new(&graph, components, context)?;
        while let Some(edge) = clustering.best_edge() {
            clustering.combine_along(edge, context)?;
        }
        let mut found = clustering.finish()?;
        let (forced, is_respected) = found.keep_ranges_whole(&graph)?;
        if is_respected {
            return Ok(found);
        }
        let between =
            forced.iter().map(|&edge| (name(&graph, graph.edges[edge].source), name(&graph, graph.edges[edge].target)));
        (context.observer)(Event::ClustersRestarted { statements: names(&graph), ordered: between.collect() });
        forced.iter().for_each(|&edge| graph.to_mut().edges[edge].kinds.validity = true);
    }
}

impl Clusters {
    /// Makes conditioned constraints next to live ranges between clusters validity constraints of the clusters. Returns
    /// those of the whole graph, and whether all bands respect them.
    fn keep_ranges_whole(&mut self, graph: &Graph) -> Result<(Vec<usize>, bool)> {
        let forced = graph.next_to_cut(&self.of)?;
        if forced.is_empty() {
            return Ok((forced, true));
        }
        let mut is_respected = true;
        for (place, (cluster, _)) in self.clusters.iter_mut().enumerate() {
            // The edges of a cluster are in the order of those of the graph.
            let inside = |edge: &usize| {
                [graph.edges[*edge].source, graph.edges[*edge].target].iter().all(|&node| self.of[node] == place)
            };
            let inside = (0..graph.edges.len()).filter(inside);
            for (index, of_graph) in inside.enumerate().filter(|(_, of_graph)| forced.contains(of_graph)) {
                debug_assert_eq!(cluster.edges[index].kinds, graph.edges[of_graph].kinds, "the same edge");
                cluster.edges[index].kinds.validity = true;
                is_respected = is_respected && !cluster.is_violated_in_band(&cluster.edges[index])?;
            }
        }
        Ok((forced, is_respected))
    }
}

/// A strongly connected component, with the band of its cluster.
struct Part {
    graph: Graph,
    end: BandEnd,
}

impl Part {
    /// The number of members of its band.
    fn members(&self) -> usize {
        self.graph.rows() - self.graph.band_start
    }

    /// The number of coincident members before the first that is not.
    fn coincident(&self) -> usize {
        leading(&self.graph.coincident[self.graph.band_start..])
    }

    /// Its band is empty, but needs members.
    fn is_stuck(&self) -> bool {
        self.graph.band_is_empty() && !self.graph.is_complete()
    }

    /// The largest number of rows that a node still needs.
    fn missing(&self) -> usize {
        self.graph.nodes.iter().map(Node::missing).max().unwrap_or(0)
    }
}

fn leading(flags: &[bool]) -> usize {
    flags.iter().take_while(|flag| **flag).count()
}

/// What is known of an edge.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// The weight; reduced below zero when the edge has to wait until all others have been tried.
    weight: i64,
    /// Combining its clusters was tried in vain.
    refused: bool,
}

/// The state of the combination.
pub struct Clustering<'g> {
    graph: &'g Graph,
    components: &'g Components,
    parts: Vec<Part>,
    /// For each node its position in the graph of its component.
    position: Vec<usize>,
    /// For each component, the first component of its cluster.
    cluster: Vec<usize>,
    /// For each edge.
    states: Vec<State>,
    greatest_weight: i64,
}

impl<'g> Clustering<'g> {
    /// Each component is scheduled, and a cluster of its own.
    fn new(graph: &'g Graph, components: &'g Components, context: &mut Context) -> Result<Clustering<'g>> {
        let mut parts = Vec::with_capacity(components.count);
        for component in 0..components.count {
            let mut part = graph.component(&components.of, component);
            part.set_target();
            let single = Components { of: vec![0; part.nodes.len()], count: 1 };
            let end = band::compute(&mut part, &single, context)?;
            parts.push(Part { graph: part, end });
        }
        let mut sizes = vec![0; components.count];
        let mut place = |&component: &usize| {
            sizes[component] += 1;
            sizes[component] - 1
        };
        let position = components.of.iter().map(&mut place).collect();
        let states = vec![State::default(); graph.edges.len()];
        let cluster = (0..components.count).collect();
        let mut clustering = Clustering { graph, components, parts, position, cluster, states, greatest_weight: 0 };
        clustering.weigh()?;
        Ok(clustering)
    }

    /// Computes the weights of the edges that components can be combined along.
    fn weigh(&mut self) -> Result<()> {
        for index in 0..self.states.len() {
            if !self.is_candidate(index) {
                continue;
            }
            let edge = &self.graph.edges[index];
            let (source, target) = (&self.graph.nodes[edge.source], &self.graph.nodes[edge.target]);
            let weight = match estimate::weight(&*edge.exact()?, source, target) {
                // The weight only decides what is tried first.
                Err(Error::Overflow) => 0,
                weight => weight?,
            };
            self.states[index].weight = weight;
            self.greatest_weight = self.greatest_weight.max(weight);
        }
        Ok(())
    }

    /// The cluster of a node.
    fn cluster_of(&self, node: usize) -> usize {
        self.cluster[self.components.of[node]]
    }

    /// A node's rows in the band of its cluster.
    fn rows(&self, node: usize) -> &[Row] {
        let part = &self.parts[self.components.of[node]].graph;
        &part.nodes[self.position[node]].rows()[part.band_start..]
    }

    /// A proximity edge between distinct clusters that could be combined.
    fn is_candidate(&self, edge: usize) -> bool {
        let edge = &self.graph.edges[edge];
        let stuck = |node: usize| self.parts[self.components.of[node]].is_stuck();
        edge.kinds.attracts()
            && self.cluster_of(edge.source) != self.cluster_of(edge.target)
            && !stuck(edge.source)
            && !stuck(edge.target)
    }

    /// The edge along which clusters are combined next (7.3.3): the one with the greatest weight, then with the least
    /// distance.
    fn best_edge(&self) -> Option<usize> {
        let position = |node: usize| i64::try_from(self.cluster_of(node)).unwrap_or(i64::MAX);
        let rank = |&edge: &usize| {
            let ends = &self.graph.edges[edge];
            (-self.states[edge].weight, position(ends.target) - position(ends.source))
        };
        (0..self.states.len()).filter(|&edge| !self.states[edge].refused && self.is_candidate(edge)).min_by_key(rank)
    }

    /// Tries to combine the clusters of an edge. Afterwards they are, or the edge is refused or has to wait.
    fn combine_along(&mut self, edge: usize, context: &mut Context) -> Result<()> {
        self.graph.edges[edge].map.ctx().check_deadline()?;
        let weight = self.states[edge].weight;
        let involved = self.involved(edge);
        let mut parts = self.parts.iter().zip(&involved).filter(|(_, involved)| **involved);
        if parts.all(|(part, _)| part.graph.band_is_empty()) {
            // All their statements are scheduled completely: there is nothing to share.
            self.states[edge].refused = true;
            return Ok(());
        }
        let refusal = if self.is_hopeless(&involved, edge) {
            Some(WhyApart::TriedBefore)
        } else if self.is_ended(&involved) {
            Some(WhyApart::Ended)
        } else {
            self.try_combine(&involved, context)?
        };
        // Otherwise it only waits.
        if let Some(refusal) = refusal
            && self.states[edge].weight == weight
        {
            self.states[edge].refused = true;
            let ends = &self.graph.edges[edge];
            let clusters = self.graph.part(|node| involved[self.components.of[node]]);
            (context.observer)(Event::NotCombined {
                source: name(self.graph, ends.source),
                target: name(self.graph, ends.target),
                statements: names(&clusters),
                refusal,
            });
        }
        Ok(())
    }

    /// The components of the clusters of an edge, and of clusters on paths of validity constraints between them
    /// (7.3.4).
    fn involved(&self, edge: usize) -> Vec<bool> {
        let mut follows = vec![Vec::new(); self.cluster.len()];
        for edge in self.graph.edges.iter().filter(|edge| edge.kinds.orders()) {
            follows[self.cluster_of(edge.target)].push(self.cluster_of(edge.source));
        }
        let ends = &self.graph.edges[edge];
        let (source, target) = (self.cluster_of(ends.source), self.cluster_of(ends.target));
        follows[source].push(target);
        follows[target].push(source);
        let together = Components::of(follows);
        self.cluster.iter().map(|&cluster| together.of[cluster] == together.of[source]).collect()
    }

    /// An edge among the components was refused; or one of them has to wait, so that this one has to wait, too.
    fn is_hopeless(&mut self, involved: &[bool], edge: usize) -> bool {
        for (other, ends) in self.graph.edges.iter().enumerate() {
            if !self.is_among(ends.source, ends.target, involved) {
                continue;
            }
            if self.states[other].refused {
                return true;
            }
            if self.states[edge].weight >= 0 && self.states[other].weight < 0 {
                self.states[edge].weight -= self.greatest_weight + 1;
                return true;
            }
        }
        false
    }

    /// The band of a component among them is to have no further members, and no others (ppcg report, 6.7.2).
    fn is_ended(&self, involved: &[bool]) -> bool {
        self.parts.iter().zip(involved).any(|(part, involved)| *involved && part.end == BandEnd::Ended)
    }

    fn is_among(&self, source: usize, target: usize, involved: &[bool]) -> bool {
        involved[self.components.of[source]] && involved[self.components.of[target]]
    }

    /// Schedules the clusters of some components with respect to each other, and combines them if that is acceptable.
    fn try_combine(&mut self, involved: &[bool], context: &mut Context) -> Result<Option<WhyApart>> {
        let mut merge = Merge::new(self, involved, context.strategy)?;
        let (end, mut told) = merge.solve(context)?;
        let refusal = self.refusal(involved, &merge, context.strategy)?;
        if refusal.is_none() {
            if leading(merge.coincident()) < self.coincident_alone(involved) {
                told.rules.push((Rule::SingleDegree, merge.depth()));
            }
            for origin in told.members {
                (context.observer)(Event::Member { statements: merge.names(), origin });
            }
            for (rule, depth) in told.rules {
                (context.observer)(Event::CoincidenceWaived { statements: merge.names(), depth, rule });
            }
            self.combine(involved, &merge, end)?;
        }
        Ok(refusal)
    }

    /// The most coincident members that one of the clusters has alone.
    fn coincident_alone(&self, involved: &[bool]) -> usize {
        let parts = self.parts.iter().zip(involved).filter(|(_, involved)| **involved);
        parts.map(|(part, _)| part.coincident()).max().unwrap_or(0)
    }

    /// The number of members that the band of combined clusters should have. `greatest` is the number of members of the
    /// largest band; fewer are asked for where a statement of a smaller one still needs more members below the band
    /// than all of the largest ones, because it would end up with more members in all than it has alone.
    fn target(&self, involved: &[bool], greatest: usize, strategy: &Strategy) -> usize {
        let parts = || self.parts.iter().zip(involved).filter(|(_, involved)| **involved).map(|(part, _)| part);
        let slack = parts().filter(|part| part.members() == greatest).map(Part::missing).max().unwrap_or(0);
        let smaller = parts().filter(|part| part.members() < greatest && part.missing() > slack);
        match smaller.map(Part::members).min() {
            None => greatest,
            // It would be refused.
            Some(_) if strategy.maximize_band_depth => 0,
            Some(least) => least,
        }
    }

    /// Why the clusters should stay apart (7.3.5). None: they are combined.
    fn refusal(&mut self, involved: &[bool], merge: &Merge, strategy: &Strategy) -> Result<Option<WhyApart>> {
        let members = merge.coincident().len();
        if members == 0 {
            return Ok(Some(WhyApart::NoMember));
        }
        if strategy.maximize_band_depth && !merge.is_complete() {
            return Ok(Some(WhyApart::FewerMembers { members }));
        }
        let coincident = leading(merge.coincident());
        let alone = self.coincident_alone(involved);
        let alone = if strategy.one_coincident_is_enough() { alone.min(1) } else { alone };
        if strategy.maximize_coincidence && coincident < alone {
            return Ok(Some(WhyApart::FewerCoincident { coincident, alone }));
        }
        for index in 0..self.states.len() {
            let edge = &self.graph.edges[index];
            let apart = self.cluster_of(edge.source) != self.cluster_of(edge.target);
            if edge.kinds.attracts()
                && apart
                && self.is_among(edge.source, edge.target, involved)
                && self.brings_together(index, merge)?
            {
                return Ok(None);
            }
        }
        Ok(Some(WhyApart::LongDistances))
    }

    /// The members make the distances over an edge small.
    ///
    /// In as many directions as the edge's weight does not account for, they may be large where all sources or all
    /// targets have the same value. But that would hide distances inside of the cluster from later combinations, so
    /// such an edge first has to wait until all others have been tried.
    fn brings_together(&mut self, index: usize, merge: &Merge) -> Result<bool> {
        let edge = &self.graph.edges[index];
        let pairs = edge.exact()?;
        let members = merge.coincident().len();
        let waited = self.states[index].weight < 0;
        let weight = self.states[index].weight + if waited { self.greatest_weight + 1 } else { 0 };
        let mut slack = i64::try_from(members).unwrap_or(i64::MAX) - weight;
        let mut all_small = true;
        for member in 0..members {
            let row = |node: usize| {
                let variables = self.graph.nodes[node].variables();
                merge.composed(self.cluster_of(node), self.rows(node), variables, member)
            };
            let (source, target) = (row(edge.source)?, row(edge.target)?);
            let distances = Distances::new(&pairs, &source, &target);
            if distances.are_small()? {
                continue;
            }
            all_small = false;
            slack -= 1;
            if slack < 0 || !distances.have_single_end()? {
                return Ok(false);
            }
        }
        if !all_small && !waited {
            self.states[index].weight -= self.greatest_weight + 1;
        }
        Ok(all_small || waited)
    }

    /// Combines clusters: applies their members to the bands of their components.
    fn combine(&mut self, involved: &[bool], merge: &Merge, end: BandEnd) -> Result<()> {
        let first = involved.iter().position(|involved| *involved).unwrap_or(0);
        for component in (0..involved.len()).filter(|&i| involved[i]) {
            let part = &mut self.parts[component];
            let start = part.graph.band_start;
            let cluster = self.cluster[component];
            let mut members = Vec::with_capacity(merge.coincident().len());
            for member in 0..merge.coincident().len() {
                let nodes = part.graph.nodes.iter();
                let row = nodes.map(|node| merge.composed(cluster, &node.rows()[start..], node.variables(), member));
                members.push(row.collect::<Result<Vec<Row>>>()?);
            }
            part.graph.reset_band()?;
            for (rows, coincident) in members.into_iter().zip(merge.coincident()) {
                part.graph.push_rows(rows, *coincident)?;
            }
            part.end = end;
            self.cluster[component] = first;
        }
        Ok(())
    }

    /// The clusters in topological order. It may differ from that of their first components.
    fn finish(self) -> Result<Clusters> {
        let nodes = 0..self.graph.nodes.len();
        let mut members = vec![Vec::new(); self.cluster.len()];
        nodes.clone().for_each(|node| members[self.cluster_of(node)].push(node));
        let mut follows: Vec<Vec<usize>> = nodes.map(|node| members[self.cluster_of(node)].clone()).collect();
        for edge in self.graph.edges.iter().filter(|edge| edge.kinds.orders()) {
            follows[edge.target].push(edge.source);
        }
        let order = Components::of(follows);
        let mut after = vec![BTreeSet::new(); order.count];
        for edge in self.graph.edges.iter().filter(|edge| edge.kinds.orders()) {
            let (source, target) = (order.of[edge.source], order.of[edge.target]);
            if source != target {
                after[source].insert(target);
            }
        }
        let clusters = (0..order.count).map(|cluster| self.extract(&order, cluster)).collect::<Result<_>>()?;
        Ok(Clusters { clusters, after, of: order.of })
    }

    /// A cluster as a graph, with its band.
    fn extract(&self, order: &Components, cluster: usize) -> Result<(Graph, BandEnd)> {
        let mut graph = self.graph.component(&order.of, cluster);
        let nodes: Vec<usize> = (0..order.of.len()).filter(|&node| order.of[node] == cluster).collect();
        let parts = || nodes.iter().map(|&node| &self.parts[self.components.of[node]]);
        graph.target = parts().map(|part| part.graph.target).max().unwrap_or(0);
        let Some(part) = parts().next() else { return Ok((graph, BandEnd::Complete)) };
        for (member, coincident) in part.graph.coincident[graph.band_start..].iter().enumerate() {
            graph.push_rows(nodes.iter().map(|&node| self.rows(node)[member].clone()).collect(), *coincident)?;
        }
        Ok((graph, part.end))
    }
}
