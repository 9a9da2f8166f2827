//! Loops that are there already, around what is scheduled.

use crate::isl::{self, DimType, PwAff, UnionPwAff};
use crate::schedule::error::Result;
use crate::schedule::graph::{Graph, Node, Row};
use crate::schedule_tree::band::position;

impl Graph {
    /// Takes members of outer bands, `{ S[i] -> [(t)] }` each, for the first rows: what is found then continues them,
    /// in that members that follow need not be independent of one another alone. Members that are not affine functions
    /// of all instances of each statement are left out. All constraints are between instances that have the same values
    /// of them.
    pub fn take_prefix(&mut self, above: &[UnionPwAff]) -> Result<()> {
        for member in above {
            if let Ok(rows) = self.rows_of(member)? {
                self.push_rows(rows, false)?;
            }
        }
        self.next_band();
        self.set_target();
        Ok(())
    }

    /// A function `{ S[i] -> [(t)] }` as a row for each node; or a node that it is no affine function of.
    pub fn rows_of(&self, function: &UnionPwAff) -> Result<std::result::Result<Vec<Row>, usize>> {
        let functions = function.pw_aff_list()?.to_vec()?;
        let mut rows = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            match row(node, &functions)? {
                Some(row) => rows.push(row),
                None => return Ok(Err(index)),
            }
        }
        Ok(Ok(rows))
    }
}

/// The function on the instances of a node as a row over its compressed space.
fn row(node: &Node, functions: &[PwAff]) -> isl::Result<Option<Row>> {
    let statement = &node.statement;
    for function in functions {
        if !function.domain_space()?.tuple_is_equal(DimType::SET, &statement.space, DimType::SET)? {
            continue;
        }
        let domain = statement.domain.clone();
        let function = function.clone().align_params(domain.space()?)?;
        let function = match &statement.compression {
            Some(compression) => function.pullback_pw_multi_aff(compression.expand.clone())?,
            None => function,
        };
        // Of a parameter that is not there, no row can be one.
        let parameters = function.dim(DimType::Param)?;
        return if parameters == node.parameters { row_of(function.gist(domain)?) } else { Ok(None) };
    }
    Ok(None)
}

fn row_of(function: PwAff) -> isl::Result<Option<Row>> {
    if !function.isa_aff()? {
        return Ok(None);
    }
    let function = function.as_aff()?;
    if function.dim(DimType::Div)? > 0 {
        return Ok(None);
    }
    let mut row = vec![function.constant()?.as_i64()?];
    for kind in [DimType::Param, DimType::In] {
        for i in 0..function.dim(kind)? {
            row.push(function.coefficient(kind, position(i)?)?.as_i64()?);
        }
    }
    Ok(row.into_iter().collect())
}
