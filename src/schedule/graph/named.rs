//! Statements and their loops by name.

use crate::isl::{Aff, DimType, Val};
use crate::schedule::error::{Error, Result};
use crate::schedule::graph::{Graph, Node, Row};
use crate::schedule::names::loops;
use crate::schedule::strategy::ONE;
use crate::schedule_tree::band::position;

impl Node {
    /// The coefficient of a loop, of a parameter or of the constant term ([`ONE`]) in a function of the statement's
    /// instances, as a form over the function's row. A loop hides a parameter of its name. None: there is no such loop
    /// or parameter.
    ///
    /// # Errors
    /// [`Error::Unsupported`]: the function is not one of that loop, which others determine with a fraction.
    pub fn coefficient(&self, of: &str) -> Result<Option<Row>> {
        let (space, statement) = (&self.statement.space, &self.statement);
        let parameters = statement.domain.space()?.dim_names(DimType::Param)?;
        let of_loop = loops(space)?.iter().position(|name| name == of);
        let parameter = parameters.iter().position(|name| name == of).filter(|_| of_loop.is_none());
        let mut form = vec![0; 1 + self.parameters];
        if let Some(parameter) = parameter {
            form[1 + parameter] = 1;
        } else if of == ONE {
            form[0] = 1;
        } else if of_loop.is_none() {
            return Ok(None);
        }
        for variable in 0..self.variables() {
            let Some(compression) = &statement.compression else {
                form.push(i64::from(of_loop == Some(variable)));
                continue;
            };
            let variable: Aff = compression.compress.at(position(variable)?)?;
            let value: Val = match (of_loop, parameter) {
                (Some(of_loop), _) => variable.coefficient(DimType::In, position(of_loop)?)?,
                (None, Some(parameter)) => {
                    let place = variable.domain_space()?.find_dim_by_name(DimType::Param, &parameters[parameter])?;
                    match place {
                        Some(place) => variable.coefficient(DimType::Param, position(place)?)?,
                        None => Val::int(space.ctx(), 0)?,
                    }
                }
                (None, None) => variable.constant()?,
            };
            form.push(value.as_i64()?.ok_or(Error::Unsupported("a constraint on a loop that others determine"))?);
        }
        Ok(Some(form))
    }

    /// The number of independent rows that it needs still.
    pub fn missing(&self) -> usize {
        self.variables() - self.independence().rank
    }
}

impl Graph {
    /// The array of a group of references.
    pub fn array(&self, group: usize) -> Option<String> {
        let mut references = self.nodes.iter().flat_map(|node| &node.statement.references);
        references.find(|references| references.group == group).map(|references| references.array.clone())
    }

    /// The node of a statement.
    pub fn find(&self, statement: &str) -> Result<Option<usize>> {
        for (index, node) in self.nodes.iter().enumerate() {
            if node.statement.space.tuple_name(DimType::SET)?.as_deref() == Some(statement) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}
