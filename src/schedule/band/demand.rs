//! What a step demands of the next member.

use crate::schedule::graph::{Edge, Graph, Row};
use crate::schedule::strategy::{Coincident, Step};

/// Which pairs that should coincide have to, and what is asked of coefficients.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Demand {
    /// For each edge.
    pub together: Vec<bool>,
    /// The step asks for some.
    pub any: bool,
    /// All that should.
    pub complete: bool,
    /// Of the coefficients of named statements.
    pub asked: Asked,
}

impl Demand {
    /// Of a step; of none where coincidence was given up. Of nodes with a coincident member some flags are `parallel`.
    pub fn new(graph: &Graph, step: &Step, coincidence: bool, parallel: &[bool]) -> Demand {
        let asks = |edge: &Edge| match step.coincident {
            Coincident::All => true,
            Coincident::One => !(parallel[edge.source] && parallel[edge.target]),
            Coincident::None => false,
        };
        let asked = |edge: &Edge| coincidence && edge.kinds.coincidence && asks(edge);
        let together: Vec<bool> = graph.edges.iter().map(asked).collect();
        let complete = graph.edges.iter().zip(&together).all(|(edge, together)| *together || !edge.kinds.coincidence);
        let any = together.contains(&true);
        Demand { together, any, complete, asked: Asked::default() }
    }
}

/// `Σ form · row of node + constant`, the forms over rows `[constant, parameters.., variables..]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Nodes, with the form over their rows.
    pub parts: Vec<(usize, Row)>,
    /// Added to them.
    pub constant: i64,
    /// It is zero. Else it is not negative.
    pub is_equality: bool,
}

impl Form {
    /// It holds of rows, one a node.
    pub fn holds(&self, rows: &[Row]) -> bool {
        let parts = self.parts.iter().flat_map(|(node, form)| form.iter().zip(&rows[*node]));
        let value = parts.map(|(a, x)| i128::from(*a).saturating_mul(i128::from(*x)));
        let sum = value.fold(i128::from(self.constant), i128::saturating_add);
        if self.is_equality { sum == 0 } else { sum >= 0 }
    }
}

/// What is asked of the next member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Of the coefficients.
    pub forms: Vec<Form>,
    /// Nodes whose pairs with themselves that should coincide have to.
    pub together: Vec<usize>,
}

impl Asked {
    /// The member is one for vectors.
    pub fn is_for_vectors(&self) -> bool {
        !self.together.is_empty()
    }

    /// The pairs of an edge have to coincide.
    pub fn keeps_together(&self, edge: &Edge) -> bool {
        edge.kinds.coincidence && edge.is_loop() && self.together.contains(&edge.source)
    }
}
