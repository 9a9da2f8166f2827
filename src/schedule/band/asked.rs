//! What a problem asks of the coefficients of named statements: linear constraints, and loops that are left to vectors.
//!
//! A loop that is left to vectors has no coefficient in a statement's members until one is left to find. That one is
//! independent of the others, so that it has one, and all pairs that should coincide of what is scheduled like the
//! statement do in it.

use crate::schedule::band::demand::{Asked, Demand, Form};
use crate::schedule::band::statements::Statements;
use crate::schedule::error::Result;
use crate::schedule::graph::Graph;
use crate::schedule::strategy::{Formulation, Linear, Step, Strategy};

/// What a step demands, with what its problem asks of named statements.
///
/// # Errors
/// Those of [`by`].
pub fn with_asked(
    demand: Demand,
    step: &Step,
    graph: &Graph,
    strategy: &Strategy,
    statements: &mut dyn Statements,
) -> Result<Demand> {
    let mut demand = demand;
    demand.asked = by(strategy, &strategy.problems[step.problem], graph, statements)?;
    for (edge, together) in graph.edges.iter().zip(&mut demand.together) {
        *together = *together || demand.asked.keeps_together(edge);
    }
    Ok(demand)
}

/// What a strategy asks for of all members, and a problem of those that it gives.
///
/// # Errors
/// Those of [`forms`].
fn by(strategy: &Strategy, formulation: &Formulation, graph: &Graph, statements: &mut dyn Statements) -> Result<Asked> {
    let mut asked = Asked { forms: forms(&strategy.constraints, graph, statements)?, together: Vec::new() };
    asked.forms.extend(forms(&formulation.constraints, graph, statements)?);
    for (statement, of) in &formulation.vectorize {
        let Some((node, missing)) = statements.missing(graph, statement)? else { continue };
        let Some(part) = statements.coefficient(graph, statement, of)? else { continue };
        match missing {
            0 => {}
            1 => asked.together.push(node),
            _ => asked.forms.push(Form { parts: vec![part], constant: 0, is_equality: true }),
        }
    }
    Ok(asked)
}

/// What constraints ask of rows. One on a statement that is not among those that are scheduled here asks for nothing.
///
/// # Errors
/// [`crate::schedule::Error::Unsupported`]: a loop is not there any more, since others determine it.
pub fn forms(constraints: &[Linear], graph: &Graph, statements: &dyn Statements) -> Result<Vec<Form>> {
    let mut forms = Vec::new();
    for linear in constraints {
        match linear.is_about_each() {
            true => {
                for statement in statements.all(graph) {
                    forms.extend(form(&linear.about(&statement), graph, statements)?);
                }
            }
            false => forms.extend(form(linear, graph, statements)?),
        }
    }
    Ok(forms)
}

/// A constraint over rows. None: some of its statements, or of their loops, are not there.
fn form(linear: &Linear, graph: &Graph, statements: &dyn Statements) -> Result<Option<Form>> {
    let mut parts = Vec::new();
    for (factor, coefficient) in &linear.terms {
        let Some((node, mut form)) = statements.coefficient(graph, &coefficient.statement, &coefficient.of)? else {
            return Ok(None);
        };
        form.iter_mut().for_each(|x| *x = x.saturating_mul(*factor));
        parts.push((node, form));
    }
    Ok(Some(Form { parts, constant: linear.constant, is_equality: linear.is_equality }))
}
