//! The integer problem whose solution is the next member of a band (ppcg report, section 6.5.5).
//!
//! `columns.rs` says where its variables are.

use crate::ilp::{Improve, NonTrivialRegion, Outcome, Point, RowId, Solver};
use crate::isl::Ctx;
use crate::schedule::band::ask::Ask;
use crate::schedule::band::columns::Columns;
use crate::schedule::band::demand::{Demand, Form};
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::BandEnd;
use crate::schedule::farkas::Coefficients;
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Edge, Graph, Node, ProximityRelation, Row};
use crate::schedule::phases::{Phase, enter};
use crate::schedule::strategy::{Formulation, Independence, Signs, Strategy, Term};
use crate::schedule::work::counted;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// So many cases are looked at for smaller coefficients.
pub const CASES: usize = 64;

/// A sum of columns with coefficients, and a constant.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
struct Sum {
    constant: i64,
    terms: Vec<(usize, i64)>,
}

impl Sum {
    fn add(&mut self, column: usize, factor: i64) {
        if factor != 0 {
            self.terms.push((column, factor));
        }
    }

    fn add_signed(&mut self, (negative, positive): (Option<usize>, usize), factor: i64) {
        if let Some(negative) = negative {
            self.add(negative, -factor);
        }
        self.add(positive, factor);
    }

    /// Nothing, keeping the room for terms.
    fn clear(&mut self) {
        self.constant = 0;
        self.terms.clear();
    }

    /// Puts the terms in order, each column once.
    fn tidy(&mut self) -> Result<()> {
        self.terms.sort_unstable_by_key(|(column, _)| *column);
        let mut kept = 0;
        for next in 0..self.terms.len() {
            let (column, factor) = self.terms[next];
            if kept > 0 && self.terms[kept - 1].0 == column {
                let sum = self.terms[kept - 1].1.checked_add(factor).ok_or(Error::Overflow)?;
                self.terms[kept - 1].1 = sum;
            } else {
                self.terms[kept] = (column, factor);
                kept += 1;
            }
        }
        self.terms.truncate(kept);
        self.terms.retain(|(_, factor)| *factor != 0);
        Ok(())
    }
}

/// A hash of numbers that we choose ourselves: nobody else's, so that it can be a fast one.
#[derive(Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, x: u64) {
        // 2^64 over the golden ratio, which is odd.
        self.0 = (self.0.rotate_left(5) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, x: i64) {
        self.write_u64(x.cast_unsigned());
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }

    fn finish(&self) -> u64 {
        // The table looks at the upper bits, and at the lower ones.
        self.0 ^ self.0 >> 32
    }
}

/// The problem of a band, for all members that solve it: they differ in what must not be trivial only.
#[derive(Debug)]
pub struct Problem {
    solver: Solver,
    columns: Columns,
    independence: Independence,
    signs: Signs,
    /// For each row of the solver, the edge whose validity it states, if it is between distinct nodes.
    validity: Vec<Option<usize>>,
    seen: HashSet<Sum, BuildHasherDefault<Mix>>,
}

/// A member.
#[derive(Debug, Clone)]
pub struct Found {
    /// A row for each node.
    pub rows: Vec<Row>,
    /// What the terms of its problem came to.
    pub values: Vec<(Term, Vec<i64>)>,
    /// The relations of groups that it does not keep together, where the problem has distances of groups.
    pub carried: Vec<ProximityRelation>,
}

/// How the search for a member ended.
#[derive(Debug)]
pub enum Member {
    /// There is one.
    Found(Found),
    /// There is none.
    None(BandEnd),
}

impl Member {
    /// It is better than another: there is one where there was none, or its terms come to less.
    pub fn is_better_than(&self, other: &Member) -> bool {
        let sizes =
            |found: &Found| -> Vec<i64> { found.values.iter().flat_map(|(_, values)| values.clone()).collect() };
        match (self, other) {
            (Member::Found(one), Member::Found(other)) => sizes(one) < sizes(other),
            (Member::Found(_), Member::None(_)) => true,
            (Member::None(_), _) => false,
        }
    }
}

impl Problem {
    /// The member does what is demanded. With `uncarried-spatial` there are so many
    /// relations to carry; else none.
    pub fn new(
        graph: &Graph,
        components: &Components,
        (strategy, formulation): (&Strategy, &Formulation),
        demand: &Demand,
        relations: usize,
    ) -> Result<Problem> {
        let _phase = enter(Phase::Problem);
        let columns = Columns::new(graph, components, formulation, relations);
        let Formulation { independence, signs, .. } = *formulation;
        let (solver, validity, seen) = (Solver::new(columns.total), Vec::new(), HashSet::default());
        let mut problem = Problem { solver, columns, independence, signs, validity, seen };
        problem.add_objectives(graph);
        problem.add_limits(graph, strategy);
        if !formulation.skew {
            problem.keep_from_skewing(graph);
        }
        if !formulation.parametric {
            problem.keep_from_parameters(graph);
        }
        for form in &demand.asked.forms {
            problem.ask_of_coefficients(graph, form)?;
        }
        let together = &demand.together;
        for loops in [true, false] {
            for (index, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| edge.is_loop() == loops) {
                let zero = edge.local || together[index];
                if edge.kinds.validity || zero {
                    let owner = (edge.kinds.validity && !loops).then_some(index);
                    problem.ask(graph, edge, strategy, Ask::NonNegative, owner)?;
                }
            }
        }
        for (edge, together) in graph.edges.iter().zip(together) {
            if edge.local || *together {
                problem.ask(graph, edge, strategy, Ask::NonPositive, None)?;
            } else if edge.is_near(formulation) && formulation.bounds_distances() && problem.columns.counts(edge) {
                problem.ask(graph, edge, strategy, Ask::Bounded, None)?;
                if !edge.kinds.validity {
                    problem.ask(graph, edge, strategy, Ask::BoundedBelow, None)?;
                }
            }
        }
        problem.add_relations(relations)?;
        Ok(problem)
    }

    /// Each relation is carried or not, and how many are not is a term (unified report, objective (5)).
    fn add_relations(&mut self, count: usize) -> Result<()> {
        let Some(sum) = self.columns.of(Term::UncarriedSpatial) else { return Ok(()) };
        let first = self.columns.relations;
        let mut uncarried = vec![(sum, -1)];
        for relation in first..first + count {
            self.add_ge(1, &[(relation, -1)], None);
            uncarried.push((relation, -1));
        }
        self.solver.add_eq_sparse(i64::try_from(count).map_err(|_| Error::Overflow)?, &uncarried);
        self.validity.push(None);
        Ok(())
    }

    fn add_objectives(&mut self, graph: &Graph) {
        let columns = self.columns.clone();
        if let (Some(sum), Some(first)) = (columns.of(Term::BoundSum), columns.slopes) {
            self.add_sum(sum, (first..first + 2 * columns.parameters).map(|column| (column, 1)).collect());
        }
        if let Some(sum) = columns.of(Term::WeightedDistances) {
            let slopes = |&((.., weight), first): &((usize, usize, i64), usize)| {
                (first..first + columns.parameters).map(move |u| (u, weight))
            };
            self.add_sum(sum, columns.weighted.iter().flat_map(slopes).collect());
            let constant = |&((.., weight), first): &((usize, usize, i64), usize)| (first + columns.parameters, weight);
            self.add_sum(sum + 1, columns.weighted.iter().map(constant).collect());
        }
        if let Some(sum) = columns.of(Term::ParameterCoefficients) {
            let of = |(index, node): (usize, &Node)| {
                (0..columns.parameters).map(|i| (columns.parameter(index, node.variables(), i), 1)).collect::<Vec<_>>()
            };
            self.add_sum(sum, graph.nodes.iter().enumerate().flat_map(of).collect());
        }
        for term in [Term::VariableCoefficients, Term::RowCoefficients, Term::StrideCoefficients] {
            let Some(sum) = columns.of(term) else { continue };
            let mut all = Vec::new();
            for (index, node) in graph.nodes.iter().enumerate() {
                for variable in 0..node.variables() {
                    let (negative, positive) = columns.variable(index, node.variables(), variable);
                    let count = node.statement.contiguity.count(term, variable);
                    all.extend(negative.into_iter().chain([positive]).map(|column| (column, count)));
                }
            }
            self.add_sum(sum, all);
        }
    }

    /// The first column is the sum of others, each times a factor.
    fn add_sum(&mut self, sum: usize, mut terms: Vec<(usize, i64)>) {
        terms.retain(|(_, factor)| *factor != 0);
        terms.push((sum, -1));
        terms.sort_unstable();
        self.solver.add_eq_sparse(0, &terms);
        self.validity.push(None);
    }

    fn add_limits(&mut self, graph: &Graph, strategy: &Strategy) {
        for (index, node) in graph.nodes.iter().enumerate() {
            let n = node.variables();
            if let Some(most) = strategy.max_constant {
                self.add_ge(most, &[(self.columns.constant(index, n), -1)], None);
            }
            if let Some(most) = strategy.max_coefficient {
                for parameter in 0..graph.parameters {
                    self.add_ge(most, &[(self.columns.parameter(index, n, parameter), -1)], None);
                }
            }
            for (variable, limit) in node.statement.limits.iter().enumerate() {
                let Some(most) = *limit else { continue };
                match self.columns.variable(index, n, variable) {
                    (Some(negative), positive) => {
                        self.add_ge(most, &[(negative, 1), (positive, -1)], None);
                        self.add_ge(most, &[(negative, -1), (positive, 1)], None);
                    }
                    (None, positive) => self.add_ge(most, &[(positive, -1)], None),
                }
            }
        }
    }

    /// No row has more than one variable, or a multiple of one.
    fn keep_from_skewing(&mut self, graph: &Graph) {
        for (index, node) in graph.nodes.iter().enumerate() {
            let first = self.columns.start[index];
            let coefficients = first..first + self.columns.width() * node.variables();
            self.add_ge(1, &coefficients.map(|column| (column, -1)).collect::<Vec<_>>(), None);
        }
    }

    /// No row has parameters.
    fn keep_from_parameters(&mut self, graph: &Graph) {
        for (index, node) in graph.nodes.iter().enumerate() {
            for parameter in 0..graph.parameters {
                let column = self.columns.parameter(index, node.variables(), parameter);
                self.add_ge(0, &[(column, -1)], None);
            }
        }
    }

    /// What a strategy asks of coefficients.
    fn ask_of_coefficients(&mut self, graph: &Graph, form: &Form) -> Result<()> {
        let mut sum = Sum { constant: form.constant, terms: Vec::new() };
        for (index, form) in &form.parts {
            let n = graph.nodes[*index].variables();
            sum.add(self.columns.constant(*index, n), form[0]);
            let (parameters, variables) = form[1..].split_at(graph.parameters);
            for (parameter, factor) in parameters.iter().enumerate() {
                sum.add(self.columns.parameter(*index, n, parameter), *factor);
            }
            for (variable, factor) in variables.iter().enumerate() {
                sum.add_signed(self.columns.variable(*index, n, variable), *factor);
            }
        }
        sum.tidy()?;
        if form.is_equality {
            self.solver.add_eq_sparse(sum.constant, &sum.terms);
            self.validity.push(None);
        } else {
            self.add_ge(sum.constant, &sum.terms, None);
        }
        Ok(())
    }

    fn add_ge(&mut self, constant: i64, terms: &[(usize, i64)], owner: Option<usize>) {
        self.solver.add_ge_sparse(constant, terms);
        self.validity.push(owner);
    }

    /// Adds what is asked of an edge's distance, a row for each row of its coefficients.
    fn ask(&mut self, graph: &Graph, edge: &Edge, strategy: &Strategy, ask: Ask, owner: Option<usize>) -> Result<()> {
        let (sign, bounded) = ask.form();
        let coefficients = match edge.is_loop() && !bounded {
            true => edge.relaxed(&graph.nodes[edge.source].statement, strategy)?,
            false => edge.exact()?,
        };
        let mut sum = Sum::default();
        for row in &coefficients.equalities {
            self.substitute(&mut sum, graph, edge, &coefficients, row, (sign, bounded))?;
            if !sum.terms.is_empty() {
                self.solver.add_eq_sparse(sum.constant, &sum.terms);
                self.validity.push(owner);
            }
        }
        for row in &coefficients.inequalities {
            self.substitute(&mut sum, graph, edge, &coefficients, row, (sign, bounded))?;
            if !sum.terms.is_empty() && !self.seen.contains(&sum) {
                self.seen.insert(sum.clone());
                self.add_ge(sum.constant, &sum.terms, owner);
            }
        }
        Ok(())
    }

    /// Writes a row of coefficients with `sign` times the distance, plus the bound, for the form.
    fn substitute(
        &self,
        sum: &mut Sum,
        graph: &Graph,
        edge: &Edge,
        coefficients: &Coefficients,
        row: &[i64],
        (sign, bounded): (i64, bool),
    ) -> Result<()> {
        let columns = &self.columns;
        let parameters = &row[1..1 + coefficients.n_param];
        let (inner, outer) = row[1 + coefficients.n_param..].split_at(coefficients.n_in);
        let (source, target) = (&graph.nodes[edge.source], &graph.nodes[edge.target]);
        sum.clear();
        if edge.is_loop() {
            for (i, factor) in inner.iter().enumerate() {
                sum.add_signed(columns.variable(edge.target, target.variables(), i), sign * factor);
            }
        } else {
            for (index, node, factors, sign) in
                [(edge.source, source, inner, -sign), (edge.target, target, outer, sign)]
            {
                let n = node.variables();
                for (i, factor) in factors.iter().enumerate() {
                    sum.add_signed(columns.variable(index, n, i), sign * factor);
                }
                for (i, factor) in parameters.iter().enumerate() {
                    sum.add(columns.parameter(index, n, i), sign * factor);
                }
                sum.add(columns.constant(index, n), sign * row[0]);
            }
        }
        if bounded {
            columns.bound_constant(edge).into_iter().for_each(|constant| sum.add(constant, row[0]));
            for (i, factor) in parameters.iter().enumerate() {
                columns.bound_parameter(edge, i).into_iter().for_each(|slope| sum.add_signed(slope, *factor));
            }
        }
        sum.tidy()
    }

    /// The next member.
    ///
    /// # Errors
    /// [`Error::Budget`], [`Error::Overflow`].
    pub fn solve(&mut self, graph: &Graph, components: &Components, ctx: &Ctx) -> Result<Member> {
        let _phase = enter(Phase::Ilp);
        self.solver.push();
        let regions = self.demand_independence(graph);
        let improve = if self.columns.aims_at_sizes() { Improve::Lexicographic(CASES) } else { Improve::LeadingZero };
        let found = self.search(graph, components, &regions, improve, ctx);
        self.solver.pop();
        found
    }

    /// Solves the problem as it stands, with regions that must not be trivial.
    pub fn search(
        &mut self,
        graph: &Graph,
        components: &Components,
        regions: &[NonTrivialRegion],
        improve: Improve,
        ctx: &Ctx,
    ) -> Result<Member> {
        let mut end = BandEnd::NoSolution;
        let validity = &self.validity;
        let mut on_conflict = |rows: &[RowId]| {
            if end == BandEnd::NoSolution {
                end = rows.iter().find_map(|row| cut(graph, components, validity, *row)).unwrap_or(end);
            }
        };
        let significant = match improve {
            Improve::Lexicographic(_) => self.columns.down_to_sizes(),
            _ => self.columns.down_to_aims(),
        };
        let solver = &mut self.solver;
        match counted(ctx, |budget| solver.non_trivial_lexmin(regions, significant, improve, budget, &mut on_conflict))
        {
            Outcome::Optimal(point) => Ok(Member::Found(self.found(graph, &point)?)),
            Outcome::Infeasible => Ok(Member::None(end)),
            Outcome::Budget => Err(Error::Budget),
        }
    }

    /// Remembers the constraints.
    pub fn push(&mut self) {
        self.solver.push();
    }

    /// Takes back the constraints since they were last remembered.
    pub fn pop(&mut self) {
        self.solver.pop();
    }

    /// The distance over an edge must be zero, until that is taken back.
    pub fn keep_together(&mut self, graph: &Graph, edge: &Edge) -> Result<()> {
        let coefficients = edge.exact()?;
        let mut sum = Sum::default();
        for row in coefficients.equalities.iter().chain(&coefficients.inequalities) {
            self.substitute(&mut sum, graph, edge, &coefficients, row, (1, false))?;
            if !sum.terms.is_empty() {
                self.solver.add_eq_sparse(sum.constant, &sum.terms);
            }
        }
        Ok(())
    }

    /// Asks for all the distances of a node with itself over an edge to be at least one where the relation is carried;
    /// elsewhere for no more than coefficients whose sizes have this sum can give.
    pub fn carry(&mut self, graph: &Graph, edge: &Edge, relation: usize, sum: i64) -> Result<()> {
        let column = self.columns.relations + relation;
        let coefficients = edge.exact()?;
        let lines = coefficients.equalities.iter().flat_map(|row| [(row, 1), (row, -1)]);
        let mut distance = Sum::default();
        for (row, sign) in lines.chain(coefficients.inequalities.iter().map(|row| (row, 1))) {
            self.substitute(&mut distance, graph, edge, &coefficients, row, (sign, false))?;
            let largest = row[1..].iter().map(|x| x.saturating_abs()).max().unwrap_or(0);
            let bound = largest.checked_mul(sum).ok_or(Error::Overflow)?;
            let mut terms = distance.terms.clone();
            terms.push((column, bound.checked_add(row[0]).and_then(i64::checked_neg).ok_or(Error::Overflow)?));
            self.add_ge(bound, &terms, None);
        }
        Ok(())
    }

    /// Regions for all nodes that are not scheduled completely, also where there is slack.
    pub fn demand_all_independence(&self, graph: &Graph) -> Vec<NonTrivialRegion> {
        let incomplete = graph.nodes.iter().enumerate().filter(|(_, node)| !node.independence().forms.is_empty());
        let region = |(index, node): (usize, &Node)| {
            let forms = node.independence().forms.iter().map(|form| self.expressed(index, node, form)).collect();
            NonTrivialRegion { forms }
        };
        incomplete.map(region).collect()
    }

    /// States that nodes without slack get a member that is independent of those before, as constraints or as regions
    /// that must not be trivial.
    pub fn demand_independence(&mut self, graph: &Graph) -> Vec<NonTrivialRegion> {
        let mut regions = Vec::new();
        for (index, node) in graph.nodes.iter().enumerate() {
            if !graph.needs_row(node) {
                continue;
            }
            if self.signs == Signs::NonNegative && node.variables() > 0 {
                let all = vec![1; node.variables()];
                self.add_positive(index, node, &[all]);
            }
            let forms = &node.independence().forms;
            match self.independence {
                Independence::Forms => {
                    let forms = forms.iter().map(|form| self.expressed(index, node, form)).collect();
                    regions.push(NonTrivialRegion { forms });
                }
                Independence::Orthogonal => self.add_positive(index, node, forms),
            }
        }
        regions
    }

    /// Forms over a node's variables are not negative, and their sum is at least one. Rows added here are taken back
    /// after the search, so they have no entry in `validity`.
    fn add_positive(&mut self, index: usize, node: &Node, forms: &[Vec<i64>]) {
        if forms.is_empty() {
            return;
        }
        let mut sum = vec![0; node.variables()];
        for form in forms {
            let terms = self.expressed(index, node, form);
            self.solver.add_ge_sparse(0, &terms);
            sum.iter_mut().zip(form).for_each(|(sum, a)| *sum += a);
        }
        let terms = self.expressed(index, node, &sum);
        self.solver.add_ge_sparse(-1, &terms);
    }

    /// A form over a node's variables in columns, ascending.
    fn expressed(&self, index: usize, node: &Node, form: &[i64]) -> Vec<(usize, i64)> {
        let mut sum = Sum::default();
        for (variable, factor) in form.iter().enumerate().rev() {
            sum.add_signed(self.columns.variable(index, node.variables(), variable), *factor);
        }
        sum.terms
    }

    /// The nodes' rows in a solution, and its terms.
    fn found(&self, graph: &Graph, point: &Point) -> Result<Found> {
        let values = point.to_i64().ok_or(Error::Overflow)?;
        let columns = &self.columns;
        let row = |(index, node): (usize, &Node)| {
            let n = node.variables();
            let mut row = vec![values[columns.constant(index, n)]];
            row.extend((0..columns.parameters).map(|i| values[columns.parameter(index, n, i)]));
            for variable in 0..n {
                let (negative, positive) = columns.variable(index, n, variable);
                let negative = negative.map_or(0, |column| values[column]);
                row.push(values[positive].checked_sub(negative).ok_or(Error::Overflow)?);
            }
            Ok(row)
        };
        let rows = graph.nodes.iter().enumerate().map(row).collect::<Result<_>>()?;
        Ok(Found { rows, values: columns.values_at(&values), carried: Vec::new() })
    }
}

/// The components that a row keeps apart, if it states the validity of an edge between two.
fn cut(graph: &Graph, components: &Components, validity: &[Option<usize>], row: RowId) -> Option<BandEnd> {
    let edge = &graph.edges[validity.get(row.0 as usize).copied().flatten()?];
    let (source, target) = (components.of[edge.source], components.of[edge.target]);
    (source != target).then_some(BandEnd::Conflict { source, target })
}
