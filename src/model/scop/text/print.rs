//! From a region to text.

use super::layout::Layout;
use super::notation::Parameters;
use super::tree;
use super::yaml::{quoted, scalar};
use crate::isl;
use crate::scop::{Array, Scop, Statement};

/// The text of a region.
pub(super) fn scop(scop: &Scop) -> isl::Result<String> {
    let names = scop.parameters()?;
    let list = names.iter().map(|name| scalar(name)).collect::<Vec<_>>().join(", ");
    let parameters = Parameters::new(names);
    let space = parameters.space(scop.ctx())?;
    let printer = Printer { parameters: &parameters, space };
    let mut out = Layout::default();
    out.line(0, &format!("scop: {}", scalar(&scop.name)));
    out.line(0, &format!("parameters: [{list}]"));
    out.notation(0, "context: ", &printer.set(&scop.context)?);
    printer.arrays(&mut out, &scop.arrays)?;
    printer.statements(&mut out, &scop.statements)?;
    out.line(0, "schedule:");
    let aligned = scop.schedule.clone().align_params(printer.space.clone())?;
    out.tree(&tree::to_node(&aligned)?, 1, &|text| parameters.strip(text));
    let live_out = scop.live_out.clone().align_params(printer.space.clone())?;
    out.notation(0, "live_out: ", &parameters.strip(&live_out.to_string()));
    Ok(out.finish())
}

/// Relations by name as YAML, for people: first the parameters of all of them, which the relations then leave out.
///
/// # Errors
/// Only those of isl.
pub fn relations_to_text(entries: &[(&str, isl::UnionMap)]) -> isl::Result<String> {
    let mut out = Layout::default();
    let Some(((_, first), rest)) = entries.split_first() else { return Ok(out.finish()) };
    let space = rest.iter().try_fold(first.space()?, |space, (_, relation)| space.align_params(relation.space()?))?;
    let names = space.dim_names(isl::DimType::Param)?;
    out.line(0, &format!("parameters: [{}]", names.join(", ")));
    let parameters = Parameters::new(names);
    for (name, relation) in entries {
        let text = relation.clone().align_params(space.clone())?.to_string();
        out.notation(0, &format!("{name}: "), &parameters.strip(&text));
    }
    Ok(out.finish())
}

struct Printer<'p> {
    parameters: &'p Parameters,
    space: isl::Space,
}

impl Printer<'_> {
    fn set(&self, set: &isl::Set) -> isl::Result<String> {
        Ok(self.parameters.strip(&set.clone().align_params(self.space.clone())?.to_string()))
    }

    fn arrays(&self, out: &mut Layout, arrays: &[Array]) -> isl::Result<()> {
        out.line(0, if arrays.is_empty() { "arrays: {}" } else { "arrays:" });
        for array in arrays {
            let extent = array.extent.iter().map(|e| self.extent(e.as_ref())).collect::<isl::Result<Vec<_>>>()?;
            let (name, kind, element) = (scalar(&array.name), array.kind.word(), array.element);
            out.line(1, &format!("{name}: {{ kind: {kind}, element: {element}, extent: [{}] }}", extent.join(", ")));
        }
        Ok(())
    }

    fn extent(&self, extent: Option<&isl::PwAff>) -> isl::Result<String> {
        let Some(extent) = extent else { return Ok(quoted("?")) };
        let text = self.parameters.strip(&extent.clone().align_params(self.space.clone())?.to_string());
        // One piece without a condition is written as its expression.
        let expression = text.strip_prefix("{ [(").and_then(|rest| rest.strip_suffix(")] }"));
        Ok(match expression {
            Some(expression) if !expression.contains([':', ';']) => scalar(expression),
            _ => quoted(&text),
        })
    }

    fn statements(&self, out: &mut Layout, statements: &[Statement]) -> isl::Result<()> {
        out.line(0, if statements.is_empty() { "statements: {}" } else { "statements:" });
        for statement in statements {
            out.line(1, &format!("{}:", scalar(&statement.name)));
            if !statement.text.is_empty() {
                out.line(2, &format!("text: {}", quoted(&statement.text)));
            }
            out.notation(2, "domain: ", &self.set(&statement.domain)?);
            if !statement.accesses.is_empty() {
                out.line(2, "accesses:");
            }
            for access in &statement.accesses {
                let relation = access.relation.clone().align_params(self.space.clone())?;
                let delay = if access.delay > 1 { format!(" delay {}", access.delay) } else { String::new() };
                let scaled = if access.scaled { " scaled" } else { "" };
                let head = format!("- {} {}{delay}{scaled}: ", access.kind, access.reference);
                out.notation(3, &head, &self.parameters.strip(&relation.to_string()));
            }
            let flags = [statement.side_effect, statement.may_trap, statement.copy];
            for (flag, name) in flags.into_iter().zip(["side_effect", "may_trap", "copy"]) {
                if flag {
                    out.line(2, &format!("{name}: true"));
                }
            }
            if let Some(reduction) = statement.reduction {
                out.line(2, &format!("reduction: {reduction}"));
            }
            if let Some(block) = statement.block {
                out.line(2, &format!("block: {block}"));
            }
            if statement.parts > 1 {
                out.line(2, &format!("parts: {}", statement.parts));
            }
        }
        Ok(())
    }
}
