//! Scheduling clusters with respect to each other (ppcg report, 7.3.4): the members of a cluster's band are the
//! variables of a node, and the constraints between statements are constraints between these nodes.
//!
//! No relation between clusters is ever computed. The generators of an edge's pairs are known, and those of its image
//! under the clusters' rows are their images. Conditional validity is judged on the statements themselves, with the
//! rows that the members give them; so instances are not taken for each other only because their cluster does not tell
//! them apart. What the coefficients of members count for is what those of their statements do, without what these may
//! cancel out.

use super::Clustering;
use super::estimate::value;
use crate::isl::{Id, Set};
use crate::schedule::band::conditions;
use crate::schedule::band::proximity;
use crate::schedule::band::{self, Context};
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::{BandEnd, Event, Origin, Rule, name, names};
use crate::schedule::farkas::Coefficients;
use crate::schedule::farkas::cone::gcd;
use crate::schedule::graph::components::Components;
use crate::schedule::graph::contiguity::Contiguity;
use crate::schedule::graph::sizes::limits;
use crate::schedule::graph::{Cache, Edge, Graph, Kinds, Node, ProximityRelation, Row, Statement};
use crate::schedule::strategy::{Near, Strategy};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Some clusters as a graph of their own.
pub struct Merge {
    graph: Graph,
    /// The node of each cluster, by the cluster's first component.
    node_of: BTreeMap<usize, usize>,
    /// The statements of the clusters, for judging conditional validity.
    statements: Graph,
    /// For each of these statements, the node of its cluster and the rows of the cluster's band.
    inner: Vec<Inner>,
    /// Edges that are conditions, with the edges of `statements` that they stand for.
    conditions: Vec<(usize, usize)>,
}

/// What there is to tell of a band if it is taken.
#[derive(Debug, Default)]
pub struct Told {
    /// How its members were found.
    pub members: Vec<Origin>,
    /// The rules by which coincidence is given up in it, with the number of members outside.
    pub rules: Vec<(Rule, usize)>,
}

impl Merge {
    /// The clusters of some components.
    pub fn new(clustering: &Clustering, involved: &[bool], strategy: &Strategy) -> Result<Merge> {
        let original = clustering.graph;
        let is_involved = |node: usize| involved[clustering.components.of[node]];
        let mut statements = original.part(is_involved);
        statements.forget_local();
        let mut nodes = Vec::new();
        let mut node_of = BTreeMap::new();
        for component in (0..involved.len()).filter(|&i| involved[i] && clustering.cluster[i] == i) {
            node_of.insert(component, nodes.len());
            let statement = statement(clustering, component, &statements.nodes[0].statement, strategy)?;
            nodes.push(Node::new(Rc::new(statement), original.parameters)?);
        }
        let kept = (0..original.nodes.len()).filter(|&node| is_involved(node));
        let inner = kept.map(|node| (node_of[&clustering.cluster_of(node)], clustering.rows(node).to_vec())).collect();
        let graph = Graph::new(original.parameters, nodes, Vec::new());
        let mut merge = Merge { graph, node_of, statements, inner, conditions: Vec::new() };
        merge.add_edges(strategy)?;
        merge.graph.target = clustering.target(involved, merge.graph.target, strategy);
        Ok(merge)
    }

    /// An edge for each pair of clusters and combination of kinds, but one for each condition.
    fn add_edges(&mut self, strategy: &Strategy) -> Result<()> {
        let mut by_ends: BTreeMap<(usize, usize), Vec<Images>> = BTreeMap::new();
        for (index, edge) in self.statements.edges.iter().enumerate() {
            let ends = (self.inner[edge.source].0, self.inner[edge.target].0);
            let condition = edge.kinds.condition.then_some(index);
            let all = by_ends.entry(ends).or_default();
            let same = all.iter_mut().find(|other| condition.is_none() && other.is_like(edge));
            let images = match same {
                Some(images) => images,
                None => {
                    all.push(Images {
                        kinds: edge.kinds,
                        proximity: edge.proximity.clone(),
                        near: edge.near.clone(),
                        weight: edge.weight,
                        first: index,
                        condition,
                        ..Images::default()
                    });
                    let last = all.len() - 1;
                    &mut all[last]
                }
            };
            images.add(&*edge.exact()?, &self.inner[edge.source], &self.inner[edge.target], edge.is_loop())?;
        }
        for ((source, target), all) in by_ends {
            for images in all {
                self.conditions.extend(images.condition.map(|original| (self.graph.edges.len(), original)));
                // Only its generators are asked for.
                let map = self.statements.edges[images.first].map.clone();
                let (kinds, proximity, weight) = (images.kinds, images.proximity.clone(), images.weight);
                let near = images.near.clone();
                let variables = (self.graph.nodes[source].variables(), self.graph.nodes[target].variables());
                let cache = images.into_cache(source == target, variables, self.graph.parameters, strategy);
                let (conditions, conditioned) = (Vec::new(), Vec::new());
                let edge = Edge {
                    source,
                    target,
                    map,
                    kinds,
                    conditions,
                    conditioned,
                    local: false,
                    proximity,
                    near,
                    weight,
                    cache: Rc::new(cache),
                };
                self.graph.edges.push(edge);
            }
        }
        Ok(())
    }

    /// Computes the band.
    pub fn solve(&mut self, context: &mut Context) -> Result<(BandEnd, Told)> {
        // Columns are in the order of the nodes, which is topological.
        let together = Components { of: vec![0; self.graph.nodes.len()], count: 1 };
        let start = self.statements.band_start;
        let mut told = Told::default();
        let mut observer = |event: Event| match event {
            Event::Member { origin, .. } => told.members.push(origin),
            Event::CoincidenceWaived { rule, depth, .. } => told.rules.push((rule, depth)),
            Event::CoincidenceGivenUp { members: 0, .. } => told.rules.push((Rule::Wavefront, start)),
            _ => {}
        };
        let mut context = Context {
            strategy: context.strategy,
            ctx: context.ctx,
            observer: &mut observer,
            explains: context.explains,
        };
        let Merge { graph, statements, inner, conditions, .. } = self;
        let mut clustered = Clustered { statements, inner, conditions };
        let end = band::compute_of(graph, &together, &mut context, &mut clustered)?;
        Ok((end, told))
    }

    /// The names of all statements.
    pub fn names(&self) -> Vec<String> {
        names(&self.statements)
    }

    /// The number of members outside of the band.
    pub fn depth(&self) -> usize {
        self.statements.band_start
    }

    /// One flag for each member: it is coincident.
    pub fn coincident(&self) -> &[bool] {
        &self.graph.coincident
    }

    /// The band has all members that are wanted.
    pub fn is_complete(&self) -> bool {
        self.graph.is_complete()
    }

    /// A statement's row for a member, given its cluster, its rows in the cluster's band and its number of variables.
    pub fn composed(&self, cluster: usize, rows: &[Row], variables: usize, member: usize) -> Result<Row> {
        compose(&self.graph.nodes[self.node_of[&cluster]].rows()[member], rows, self.graph.parameters, variables)
    }
}

/// The statements of clusters.
struct Clustered<'m> {
    statements: &'m mut Graph,
    inner: &'m [Inner],
    conditions: &'m [(usize, usize)],
}

impl Clustered<'_> {
    /// Gives the statements the members.
    fn compose(&mut self, graph: &Graph) -> Result<()> {
        self.statements.reset_band()?;
        push_composed(self.statements, graph, self.inner)
    }
}

impl band::Statements for Clustered<'_> {
    fn make_local(&mut self, graph: &mut Graph) -> Result<Vec<(String, String)>> {
        self.compose(graph)?;
        let local = conditions::make_local(self.statements)?;
        for &(edge, original) in self.conditions {
            graph.edges[edge].local = self.statements.edges[original].local;
        }
        Ok(local)
    }

    fn mark_coincident(&mut self, graph: &mut Graph) -> Result<()> {
        self.compose(graph)?;
        conditions::mark_coincident(self.statements)?;
        // The statements have the rows of outer bands, too.
        graph.coincident.clone_from_slice(&self.statements.coincident[self.statements.band_start..]);
        Ok(())
    }

    fn order(&mut self, graph: &Graph) -> Result<Vec<usize>> {
        self.compose(graph)?;
        proximity::order(self.statements)
    }

    fn depth(&self, graph: &Graph) -> usize {
        self.statements.band_start + graph.rows()
    }

    fn are_parallel(&self, graph: &Graph) -> Vec<bool> {
        let mut parallel: Vec<bool> = graph.nodes.iter().map(|node| node.is_parallel(&graph.coincident)).collect();
        let outer = &self.statements.coincident[..self.statements.band_start];
        for (node, of_node) in parallel.iter_mut().enumerate() {
            let mut statements = self.inner.iter().zip(&self.statements.nodes).filter(|((of, _), _)| *of == node);
            *of_node = *of_node || statements.all(|(_, statement)| statement.is_parallel(outer));
        }
        parallel
    }

    fn array(&self, _: &Graph, group: usize) -> Option<String> {
        self.statements.array(group)
    }

    fn all(&self, _: &Graph) -> Vec<String> {
        names(self.statements)
    }

    fn coefficient(&self, graph: &Graph, statement: &str, of: &str) -> Result<Option<(usize, Row)>> {
        let Some(place) = self.statements.find(statement)? else { return Ok(None) };
        let Some(form) = self.statements.nodes[place].coefficient(of)? else { return Ok(None) };
        let (node, rows) = &self.inner[place];
        let mut composed = form[..=graph.parameters].to_vec();
        for row in rows {
            composed.push(value(&form, &row[..=graph.parameters], &row[1 + graph.parameters..])?);
        }
        Ok(Some((*node, composed)))
    }

    fn missing(&mut self, graph: &Graph, statement: &str) -> Result<Option<(usize, usize)>> {
        let Some(place) = self.statements.find(statement)? else { return Ok(None) };
        self.compose(graph)?;
        Ok(Some((self.inner[place].0, self.statements.nodes[place].missing())))
    }

    fn name(&self, _: &Graph, node: usize) -> String {
        let statements = self.inner.iter().enumerate().filter(|(_, (of, _))| *of == node);
        statements.map(|(statement, _)| name(self.statements, statement)).collect::<Vec<_>>().join("+")
    }
}

/// Appends the members to the rows of the statements.
fn push_composed(statements: &mut Graph, clusters: &Graph, inner: &[Inner]) -> Result<()> {
    for (member, coincident) in clusters.coincident.iter().enumerate() {
        let row = |((node, rows), statement): (&Inner, &Node)| {
            compose(&clusters.nodes[*node].rows()[member], rows, clusters.parameters, statement.variables())
        };
        let rows = inner.iter().zip(&statements.nodes).map(row).collect::<Result<_>>()?;
        statements.push_rows(rows, *coincident)?;
    }
    Ok(())
}

/// A row over members of a band as a row over the variables of a statement.
fn compose(outer: &[i64], rows: &[Row], parameters: usize, variables: usize) -> Result<Row> {
    let (fixed, linear) = outer.split_at(1 + parameters);
    let mut composed = fixed.to_vec();
    composed.resize(1 + parameters + variables, 0);
    for (factor, row) in linear.iter().zip(rows) {
        for (sum, x) in composed.iter_mut().zip(row) {
            *sum = x.checked_mul(*factor).and_then(|x| x.checked_add(*sum)).ok_or(Error::Overflow)?;
        }
    }
    Ok(composed)
}

/// What stands for a cluster: a universe with a dimension for each member of its band: `{ cluster[t] }`.
fn statement(clustering: &Clustering, component: usize, model: &Statement, strategy: &Strategy) -> Result<Statement> {
    let members = clustering.parts[component].members();
    let id = Id::new(model.space.ctx(), &format!("cluster_{component}"))?;
    let space = model.space.clone().params()?.add_named_tuple_id_ui(id, members)?;
    let sizes = if strategy.treat_coalescing { vec![None; members] } else { Vec::new() };
    let limits = limits(&sizes, members, strategy.max_coefficient)?;
    let contiguity = contiguity(clustering, component, members);
    Ok(Statement { sizes, limits, contiguity, ..Statement::plain(Set::universe(space)?)? })
}

/// What the coefficients of members count for in the statements of a cluster.
fn contiguity(clustering: &Clustering, component: usize, members: usize) -> Contiguity {
    let nodes: &[Node] = &clustering.graph.nodes;
    let of_cluster = (0..nodes.len()).filter(|&node| clustering.cluster_of(node) == component);
    let statements = of_cluster.map(|node| {
        let rows = clustering.rows(node).iter().map(|row| nodes[node].linear(row)).collect();
        (&nodes[node].statement.contiguity, rows)
    });
    Contiguity::composed(statements, members)
}

/// The node of a statement's cluster, and the statement's rows in the band of the cluster.
type Inner = (usize, Vec<Row>);

/// Images of generators under the rows of clusters.
#[derive(Default)]
struct Images {
    kinds: Kinds,
    proximity: Vec<ProximityRelation>,
    near: BTreeSet<Near>,
    weight: i64,
    /// An edge that they come from.
    first: usize,
    /// That edge, if it is a condition.
    condition: Option<usize>,
    lines: Vec<Vec<i64>>,
    rays: Vec<Vec<i64>>,
}

impl Images {
    /// An edge asks for the same.
    fn is_like(&self, edge: &Edge) -> bool {
        let is_near_alike = self.proximity == edge.proximity && self.near == edge.near;
        self.kinds == edge.kinds && is_near_alike && self.weight == edge.weight
    }

    /// Adds the pairs of an edge, between statements with these clusters and rows. For statements of the same cluster
    /// the images are differences. `differences`: so are the generators.
    fn add(&mut self, pairs: &Coefficients, source: &Inner, target: &Inner, differences: bool) -> Result<()> {
        for row in &pairs.equalities {
            self.lines.push(image(pairs, row, source, target, differences)?);
        }
        for row in &pairs.inequalities {
            self.rays.push(image(pairs, row, source, target, differences)?);
        }
        Ok(())
    }

    /// The generators as an edge's cache, between nodes with these numbers of variables.
    fn into_cache(self, is_loop: bool, (n_in, n_out): (usize, usize), n_param: usize, strategy: &Strategy) -> Cache {
        let n_out = if is_loop { 0 } else { n_out };
        let coefficients = |n_param, lines, rays| {
            Rc::new(Coefficients { n_param, n_in, n_out, equalities: tidy(lines), inequalities: tidy(rays) })
        };
        let without_parameters = |rows: &[Vec<i64>]| -> Vec<Vec<i64>> {
            rows.iter().map(|row| [&row[..1], &row[1 + n_param..]].concat()).collect()
        };
        let cache = Cache::default();
        if is_loop && strategy.treat_coalescing {
            // As in `Of::BoundedDifferences`, without sizes.
            let relaxed = coefficients(0, without_parameters(&self.lines), without_parameters(&self.rays));
            cache.relaxed.get_or_init(|| relaxed);
        }
        cache.exact.get_or_init(|| coefficients(n_param, self.lines, self.rays));
        cache
    }
}

/// The image of a generator; see [`Images::add`].
fn image(
    pairs: &Coefficients,
    row: &[i64],
    (from, source): &Inner,
    (to, target): &Inner,
    differences: bool,
) -> Result<Vec<i64>> {
    let (head, tail) = row.split_at(1 + pairs.n_param);
    let (first, second) = tail.split_at(pairs.n_in);
    let mut image = head.to_vec();
    if differences {
        // Only the linear part of a row counts.
        let zero = vec![0; head.len()];
        for row in target {
            image.push(value(row, &zero, first)?);
        }
    } else if from == to {
        for (before, after) in source.iter().zip(target) {
            let distance = value(after, head, second)?.checked_sub(value(before, head, first)?);
            image.push(distance.ok_or(Error::Overflow)?);
        }
    } else {
        for (row, x) in source.iter().map(|row| (row, first)).chain(target.iter().map(|row| (row, second))) {
            image.push(value(row, head, x)?);
        }
    }
    Ok(image)
}

/// Generators in lowest terms, each once.
fn tidy(rows: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let lowest = |mut row: Vec<i64>| {
        let divisor = row.iter().fold(0, |divisor, &x| gcd(divisor, x));
        if divisor > 1 {
            row.iter_mut().for_each(|x| *x /= divisor);
        }
        row
    };
    let mut rows: Vec<Vec<i64>> = rows.into_iter().filter(|row| row.iter().any(|x| *x != 0)).map(lowest).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
