//! The groups of constraints of which Feautrier's algorithm carries as many as it can (ppcg report, 6.4.4), and what
//! they impose on coefficients (6.4.2).
//!
//! A group is a disjunct of the relations between two nodes; equal ones count once. Those of a node with itself are on
//! differences, with the parameters projected out, since their coefficients cancel (25). With coalescing avoided
//! (7.5.5), bounds on differences that only a coalescing schedule could use are left out. Directions in which some
//! group of a node is then unbounded both ways are its lineality space: instances on the same line count as the same in
//! all groups of the node, so that nothing is lost when the coefficients are constant along these lines.

use crate::schedule::error::Result;
use crate::schedule::farkas::Of;
use crate::schedule::farkas::coalescing::with_lines;
use crate::schedule::farkas::cone::{Cone, echelon};
use crate::schedule::graph::{Edge, Graph};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Constraints of which all or none are carried.
#[derive(Debug, Clone)]
pub(in crate::schedule) struct ConstraintGroup {
    /// The node with the first instances.
    pub source: usize,
    /// The node with the second instances.
    pub target: usize,
    /// The edges that it comes from.
    pub edges: Vec<usize>,
    /// The generators of the pairs, over `[constant, parameters.., in.., out..]`; for a node with itself, of the
    /// differences, over `[constant, δ..]`.
    pub hull: Cone,
}

/// The groups of nodes with themselves, and those between distinct nodes, both in the order of edges and disjuncts.
/// With `coincidence`, pairs that should coincide are among them, and not only those whose order matters.
pub(in crate::schedule) fn constraint_groups(
    graph: &Graph,
    coincidence: bool,
) -> Result<(Vec<ConstraintGroup>, Vec<ConstraintGroup>)> {
    let among = |loops: bool| {
        let edges = graph.edges.iter().enumerate();
        edges.filter(move |(_, edge)| edge.is_loop() == loops && asks(edge, coincidence))
    };
    let mut intra = Vec::new();
    for (index, edge) in among(true) {
        let sizes = &graph.nodes[edge.source].statement.sizes;
        for hull in edge.points()?.hulls(Of::BoundedDifferences(sizes))? {
            intra.push(ConstraintGroup { source: edge.source, target: edge.target, edges: vec![index], hull });
        }
    }
    let lines = lineality(graph, &intra)?;
    let mut extended = Distinct::default();
    for mut group in intra {
        let ctx = graph.nodes[group.source].statement.domain.ctx();
        let of_node = &lines[group.source];
        if !of_node.is_empty() {
            let dimension = 1 + graph.nodes[group.source].variables();
            let lines: Vec<Vec<i64>> = of_node.iter().map(|line| [&[0], &line[..]].concat()).collect();
            group.hull = with_lines(group.hull, &lines).canonical(ctx, dimension)?;
        }
        extended.add(group);
    }
    let mut inter = Distinct::default();
    for (index, edge) in among(false) {
        for mut hull in edge.points()?.hulls(Of::Pairs)? {
            hull = along_lines(graph, edge, hull, &lines)?;
            inter.add(ConstraintGroup { source: edge.source, target: edge.target, edges: vec![index], hull });
        }
    }
    Ok((extended.groups, inter.groups))
}

/// The pairs of an edge are to be carried.
pub(in crate::schedule) fn asks(edge: &Edge, coincidence: bool) -> bool {
    edge.kinds.orders() || coincidence && edge.kinds.coincidence
}

/// Groups, equal ones once.
#[derive(Default)]
struct Distinct {
    groups: Vec<ConstraintGroup>,
    place: BTreeMap<(usize, usize, Cone), usize>,
}

impl Distinct {
    fn add(&mut self, group: ConstraintGroup) {
        match self.place.entry((group.source, group.target, group.hull.clone())) {
            Entry::Occupied(place) => self.groups[*place.get()].edges.extend(group.edges),
            Entry::Vacant(place) => {
                place.insert(self.groups.len());
                self.groups.push(group);
            }
        }
    }
}

/// For each node, lines that span the lineality spaces of its groups.
fn lineality(graph: &Graph, intra: &[ConstraintGroup]) -> Result<Vec<Vec<Vec<i64>>>> {
    let mut lines = vec![Vec::new(); graph.nodes.len()];
    for group in intra {
        lines[group.source].extend(group.hull.lines.iter().map(|line| line[1..].to_vec()));
    }
    for lines in &mut lines {
        echelon(lines)?;
    }
    Ok(lines)
}

/// The pairs of all points on the lines through the ends of these.
fn along_lines(graph: &Graph, edge: &Edge, hull: Cone, lines: &[Vec<Vec<i64>>]) -> Result<Cone> {
    let (source, target) = (&graph.nodes[edge.source], &graph.nodes[edge.target]);
    let start = 1 + graph.parameters;
    let dimension = start + source.variables() + target.variables();
    let at = |line: &Vec<i64>, first: usize| {
        let mut all = vec![0; dimension];
        all[first..first + line.len()].copy_from_slice(line);
        all
    };
    let of_source = lines[edge.source].iter().map(|line| at(line, start));
    let of_target = lines[edge.target].iter().map(|line| at(line, start + source.variables()));
    let lines: Vec<Vec<i64>> = of_source.chain(of_target).collect();
    Ok(if lines.is_empty() { hull } else { with_lines(hull, &lines).canonical(edge.map.ctx(), dimension)? })
}
