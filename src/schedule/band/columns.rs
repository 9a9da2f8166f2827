//! Where the variables of the integer problem of a member are (ppcg report, section 6.5.5).
//!
//! | columns | what |
//! |---|---|
//! | one for each of a [`Formulation`]'s terms, in their order; `bound-parameters` have one for each parameter, distances of groups none | what is made least |
//! | with `bound-sum`: `m_i⁻, m_i⁺` for each parameter | the bound `m·n + m_0` on distances, `Σ (m_i⁺ + m_i⁻)` of which is that term |
//! | with `weighted-distances`: `u_i` for each parameter, and `w`, for each pair of nodes and weight | bounds on their distances, sums of which are that term's two columns |
//! | for each node: `c_x⁻, c_x⁺` of each variable, the last variable first; `c_n` of each parameter; `c_0` | its row |
//! | with `uncarried-spatial`: `e_k` for each relation | whether it is carried; `Σ (1 − e_k)` is that term |
//!
//! With [`Signs::NonNegative`] there are no `c_x⁻`. Nodes are in topological order of their strongly connected
//! components. The bounds of groups are zero or nothing, so they need no columns: see
//! [`crate::schedule::band::proximity`].

use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Edge, Graph};
use crate::schedule::strategy::{Formulation, Signs, Term};
use std::collections::BTreeSet;

/// How many columns a term has.
pub fn columns_of(term: Term, parameters: usize) -> usize {
    match term {
        Term::BoundParameters => parameters,
        Term::WeightedDistances => 2,
        Term::GroupDistances | Term::TemporalDistances | Term::SpatialDistances => 0,
        _ => 1,
    }
}

/// Where the variables of the problem are.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The number of parameters.
    pub parameters: usize,
    signed: bool,
    /// The terms that are made least, with their first columns.
    terms: Vec<(Term, usize)>,
    /// The first column of a signed bound's coefficients.
    pub slopes: Option<usize>,
    /// The bounds of pairs of nodes: source, target, weight, and the first column.
    pub weighted: Vec<((usize, usize, i64), usize)>,
    /// The first column of each node.
    pub start: Vec<usize>,
    /// The first column of the relations that the member is to carry.
    pub relations: usize,
    /// The number of columns.
    pub total: usize,
}

impl Columns {
    /// `relations` is the number of those that a member is to carry, if it is such a one.
    pub fn new(graph: &Graph, components: &Components, formulation: &Formulation, relations: usize) -> Columns {
        let (parameters, signed) = (graph.parameters, formulation.signs == Signs::Any);
        let (terms, slopes, start) = (Vec::new(), None, vec![0; graph.nodes.len()]);
        let mut columns =
            Columns { parameters, signed, terms, slopes, weighted: Vec::new(), start, relations: 0, total: 0 };
        for &term in &formulation.minimize {
            columns.terms.push((term, columns.total));
            columns.total += columns_of(term, parameters);
        }
        if formulation.minimizes(Term::BoundSum) {
            columns.slopes = Some(columns.total);
            columns.total += 2 * parameters;
        }
        if formulation.minimizes(Term::WeightedDistances) {
            let near = graph.edges.iter().filter(|edge| edge.is_near(formulation) && edge.weight > 0);
            let ends: BTreeSet<_> = near.map(|edge| (edge.source, edge.target, edge.weight)).collect();
            for ends in ends {
                columns.weighted.push((ends, columns.total));
                columns.total += parameters + 1;
            }
        }
        let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
        order.sort_by_key(|&node| components.of[node]);
        for node in order {
            columns.start[node] = columns.total;
            columns.total += 1 + graph.parameters + columns.width() * graph.nodes[node].variables();
        }
        columns.relations = columns.total;
        columns.total += relations;
        columns
    }

    /// The first column of a term, if it is made least.
    pub fn of(&self, wanted: Term) -> Option<usize> {
        self.terms.iter().find(|(term, _)| *term == wanted).map(|(_, column)| *column)
    }

    /// Columns for each coefficient of a variable.
    pub fn width(&self) -> usize {
        if self.signed { 2 } else { 1 }
    }

    /// The leading columns down to the bound on distances and to what loops walk along, which a search must make least
    /// before it stops (6.5.7). What only tells equally good members apart is not among them.
    pub fn down_to_aims(&self) -> usize {
        let last = |(term, first): &(Term, usize)| match term {
            Term::BoundParameters => Some(first + self.parameters),
            Term::WeightedDistances => Some(first + 2),
            Term::BoundSum | Term::BoundConstant | Term::RowCoefficients | Term::StrideCoefficients => Some(first + 1),
            Term::GroupDistances
            | Term::TemporalDistances
            | Term::SpatialDistances
            | Term::UncarriedSpatial
            | Term::ParameterCoefficients
            | Term::VariableCoefficients => None,
        };
        self.terms.iter().filter_map(last).max().unwrap_or(0)
    }

    /// Sizes of coefficients are an aim, and not what tells equally good members apart: there is no other, or loops are
    /// left to inner members by what they walk along.
    pub fn aims_at_sizes(&self) -> bool {
        let is_bounded = self.of(Term::BoundConstant).or(self.of(Term::WeightedDistances)).is_some();
        !is_bounded || self.terms.iter().any(|(term, _)| term.is_of_references())
    }

    /// The leading columns down to the sum of the variables' coefficients, to what is not carried, and to other aims.
    pub fn down_to_sizes(&self) -> usize {
        let terms = [Term::VariableCoefficients, Term::UncarriedSpatial];
        let sizes = terms.into_iter().filter_map(|term| self.of(term)).max().map_or(0, |column| column + 1);
        sizes.max(self.down_to_aims())
    }

    /// What each term comes to at a point of the problem, in the order of their importance.
    pub fn values_at(&self, point: &[i64]) -> Vec<(Term, Vec<i64>)> {
        let values =
            |&(term, first): &(Term, usize)| (term, point[first..first + columns_of(term, self.parameters)].to_vec());
        self.terms.iter().map(values).filter(|(_, values)| !values.is_empty()).collect()
    }

    /// The first column of the bound of an edge's pairs, if they have one of their own.
    fn weighted_bound(&self, edge: &Edge) -> Option<usize> {
        let ends = (edge.source, edge.target, edge.weight);
        self.weighted.iter().find(|(other, _)| *other == ends).map(|(_, first)| *first)
    }

    /// An edge's distances have a bound, as far as its weight is concerned.
    pub fn counts(&self, edge: &Edge) -> bool {
        self.of(Term::WeightedDistances).is_none() || edge.weight > 0
    }

    /// The constant of the bound on an edge's distances.
    pub fn bound_constant(&self, edge: &Edge) -> Option<usize> {
        self.weighted_bound(edge).map(|first| first + self.parameters).or_else(|| self.of(Term::BoundConstant))
    }

    /// A parameter's coefficient in the bound on an edge's distances: negative part, if there is one, and positive part.
    pub fn bound_parameter(&self, edge: &Edge, parameter: usize) -> Option<(Option<usize>, usize)> {
        if let Some(first) = self.weighted_bound(edge) {
            return Some((None, first + parameter));
        }
        match self.slopes {
            Some(first) => Some((Some(first + 2 * parameter), first + 2 * parameter + 1)),
            None => self.of(Term::BoundParameters).map(|first| (None, first + parameter)),
        }
    }

    /// A variable's coefficient: negative part, if there is one, and positive part.
    pub fn variable(&self, node: usize, variables: usize, variable: usize) -> (Option<usize>, usize) {
        let first = self.start[node] + self.width() * (variables - 1 - variable);
        if self.signed { (Some(first), first + 1) } else { (None, first) }
    }

    pub fn parameter(&self, node: usize, variables: usize, parameter: usize) -> usize {
        self.start[node] + self.width() * variables + parameter
    }

    pub fn constant(&self, node: usize, variables: usize) -> usize {
        self.parameter(node, variables, self.parameters)
    }
}
