//! Where statements are in the original order.

use crate::isl::{self, Aff, DimType, LocalSpace, Map, NodeType, PwAff, Schedule, ScheduleNode, UnionSet};
use std::collections::{BTreeMap, BTreeSet};

/// What a tree says of where each statement is.
#[derive(Debug, Clone, Default)]
pub struct Positions {
    statements: BTreeMap<String, Position>,
    /// The numbers given so far.
    count: usize,
    /// The children of each sequence, in order: the statement of one that has no loops and no others, or nothing.
    pub(crate) sequences: Vec<Vec<Option<String>>>,
    /// The bands so far.
    bands: usize,
}

/// The place of a statement.
#[derive(Debug, Clone, Default)]
struct Position {
    /// The members of the bands around it, outermost first: `{ S[i] -> [(t)] }`.
    loops: Vec<PwAff>,
    /// The innermost band, by its number; 0 for none.
    band: usize,
    /// The leaves at which it has instances.
    leaves: usize,
    /// Its number among all, in textual order.
    number: usize,
}

impl Positions {
    /// Those in a tree. Statements that are below nodes which front ends do not make are left out.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn of(tree: &Schedule) -> isl::Result<Positions> {
        let mut found = Positions::default();
        found.visit(&tree.root()?.first_child()?, &names(&tree.domain()?)?, 0)?;
        found.statements.retain(|_, position| position.leaves == 1);
        Ok(found)
    }

    fn visit(&mut self, node: &ScheduleNode, active: &BTreeSet<String>, band: usize) -> isl::Result<()> {
        match node.node_type()? {
            NodeType::Leaf => {
                // Statements at one leaf are in no order.
                for name in active {
                    let position = self.statements.entry(name.clone()).or_default();
                    position.leaves += 1;
                    position.band = band;
                    position.number = self.count;
                }
                self.count += 1;
                Ok(())
            }
            NodeType::Band => {
                let partial = node.band_partial_schedule()?;
                for member in 0..partial.size()? {
                    let functions = partial.at(i32::try_from(member).unwrap_or(i32::MAX))?.pw_aff_list()?;
                    for function in functions.to_vec()? {
                        let name = function.domain_space()?.tuple_name(DimType::SET)?;
                        if let Some(name) = name.filter(|name| active.contains(name)) {
                            self.statements.entry(name).or_default().loops.push(function);
                        }
                    }
                }
                self.bands += 1;
                let band = self.bands;
                self.visit(&node.clone().first_child()?, active, band)
            }
            NodeType::Sequence => {
                let mut children = Vec::new();
                for filter in node.children()? {
                    let inside: BTreeSet<String> = names(&filter.filter()?)?.intersection(active).cloned().collect();
                    let child = filter.first_child()?;
                    let is_single = child.node_type()? == NodeType::Leaf && inside.len() == 1;
                    children.push(inside.first().filter(|_| is_single).cloned());
                    self.visit(&child, &inside, band)?;
                }
                self.sequences.push(children);
                Ok(())
            }
            NodeType::Filter => {
                let inside = names(&node.filter()?)?.intersection(active).cloned().collect();
                self.visit(&node.clone().first_child()?, &inside, band)
            }
            // Its children are in no order, so that their statements share no loops.
            NodeType::Set => node.children()?.iter().try_for_each(|child| {
                self.bands += 1;
                self.visit(child, active, self.bands)
            }),
            NodeType::Mark | NodeType::Context | NodeType::Guard => {
                self.visit(&node.clone().first_child()?, active, band)
            }
            NodeType::Domain | NodeType::Expansion | NodeType::Extension => Ok(()),
        }
    }

    /// The number of loops around a statement; `None` where that is not one number.
    pub fn depth(&self, statement: &str) -> Option<usize> {
        self.statements.get(statement).map(|position| position.loops.len())
    }

    /// Two statements are in the same loops, all of them.
    pub fn share_loops(&self, one: &str, other: &str) -> bool {
        let band = |name: &str| self.statements.get(name).map(|position| position.band);
        band(one).is_some() && band(one) == band(other)
    }

    /// Statements in textual order are in the same loops with no other statement between them.
    pub fn are_adjacent(&self, statements: &[String]) -> bool {
        statements.windows(2).all(|pair| {
            let is_next = self.number(&pair[0]).checked_add(1) == Some(self.number(&pair[1]));
            is_next && self.share_loops(&pair[0], &pair[1])
        })
    }

    /// The iterators of a statement, so many, are the iterations of the loops around it, in their order.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn are_iterations(&self, statement: &str, iterators: usize) -> isl::Result<bool> {
        let Some(position) = self.statements.get(statement) else { return Ok(false) };
        if position.loops.len() != iterators {
            return Ok(false);
        }
        for (number, function) in position.loops.iter().enumerate() {
            let space = function.domain_space()?;
            if space.dim(DimType::SET)? != position.loops.len() || !function.isa_aff()? {
                return Ok(false);
            }
            let iterator = Aff::var_on_domain(LocalSpace::from_space(space)?, DimType::SET, number)?;
            if !function.clone().as_aff()?.plain_is_equal(&iterator)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of a statement in textual order; those that are not known come last.
    pub fn number(&self, statement: &str) -> usize {
        self.statements.get(statement).map_or(usize::MAX, |position| position.number)
    }

    /// The iteration of the outermost so many loops: `{ S[i] -> [t] }`.
    ///
    /// # Errors
    /// Failures of isl; a statement without that many.
    pub fn iterations(&self, statement: &str, loops: usize) -> isl::Result<Map> {
        let unknown = || isl::Error::invalid(format!("{statement} is not in {loops} loops"));
        let position = self.statements.get(statement).ok_or_else(unknown)?;
        let mut members = position.loops.get(..loops).ok_or_else(unknown)?.iter();
        let Some(first) = members.next() else { return Err(unknown()) };
        let mut map = first.clone().as_map()?;
        for member in members {
            map = map.flat_range_product(member.clone().as_map()?)?;
        }
        Ok(map)
    }
}

/// The names of the statements that have instances in a set.
pub(crate) fn names(instances: &UnionSet) -> isl::Result<BTreeSet<String>> {
    Ok(instances.tuple_names()?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::Positions;
    use crate::isl::{Ctx, Schedule};

    #[test]
    fn statements_have_loops_and_neighbours() {
        let ctx = Ctx::new();
        let text = "{ domain: \"{ A[i]; B[i, j]; C[i]; D[i] : i > 0; D[i] : i < 0 }\", child: { schedule: \"[{ A[i] -> [(i)]; B[i, j] -> [(i)]; C[i] -> [(2i)]; D[i] -> [(i)] }]\", child: { sequence: [ { filter: \"{ A[i] }\" }, { filter: \"{ B[i, j] }\", child: { schedule: \"[{ B[i, j] -> [(-j)] }]\" } }, { filter: \"{ C[i] }\" }, { filter: \"{ D[i] : i > 0 }\" }, { filter: \"{ D[i] : i < 0 }\" } ] } } }";
        let found = Positions::of(&Schedule::parse(&ctx, text).unwrap()).unwrap();
        assert_eq!(["A", "B", "C", "D"].map(|name| found.depth(name)), [Some(1), Some(2), Some(1), None]);
        assert!(found.number("A") < found.number("B") && found.number("B") < found.number("C"));
        assert_eq!(found.iterations("B", 2).unwrap().to_string(), "{ B[i, j] -> [i, -j] }");
        assert!(found.iterations("B", 3).is_err() && found.iterations("D", 1).is_err());
        let sequence: Vec<_> = found.sequences[0].iter().map(Option::as_deref).collect();
        assert_eq!(sequence, [Some("A"), None, Some("C"), Some("D"), Some("D")]);
    }
}
