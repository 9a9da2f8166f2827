//! From a region to text.

use super::notation::Parameters;
use super::tree;
use super::yaml::{Data, Node, quoted, scalar};
use crate::isl;
use crate::scop::{Array, Scop, Statement};
use std::fmt::Write;

/// A longer line is broken where isl notation lists several parts.
const WIDTH: usize = 120;

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
                let head = format!("- {} {}: ", access.kind, access.reference);
                out.notation(3, &head, &self.parameters.strip(&relation.to_string()));
            }
            for (flag, name) in [(statement.side_effect, "side_effect"), (statement.may_trap, "may_trap")] {
                if flag {
                    out.line(2, &format!("{name}: true"));
                }
            }
        }
        Ok(())
    }
}

/// Lines of YAML in block style.
#[derive(Debug, Default)]
pub(super) struct Layout {
    text: String,
    /// Whether isl notation stays on one line, however long that gets: isl reads no line ends within quotes.
    whole_notation: bool,
}

impl Layout {
    /// One that keeps isl notation on one line.
    pub fn with_whole_notation() -> Self {
        Layout { whole_notation: true, ..Layout::default() }
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, level: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * level);
    }

    /// A key and isl notation, broken between the parts of a union when the line gets long.
    fn notation(&mut self, level: usize, head: &str, notation: &str) {
        let whole = format!("{head}{}", quoted(notation));
        if self.whole_notation || 2 * level + whole.chars().count() <= WIDTH {
            return self.line(level, &whole);
        }
        let indent = 2 * level + head.chars().count();
        // Members of a band first, then what is still too long.
        let members = whole.replace("}, {", "},\n{");
        let parts = members.split('\n').flat_map(|member| {
            let long = indent + member.chars().count() > WIDTH;
            let parts = if long { member.replace("; ", ";\n") } else { member.to_owned() };
            parts.split('\n').map(str::to_owned).collect::<Vec<_>>()
        });
        let margin = format!("\n{:1$}", "", indent + 3);
        self.line(level, &parts.collect::<Vec<_>>().join(&margin));
    }

    /// A schedule tree, each text in isl notation passed through `rewrite`.
    pub fn tree(&mut self, node: &Node, level: usize, rewrite: &dyn Fn(&str) -> String) {
        let Data::Map(entries) = &node.data else { return };
        for (key, value) in entries {
            self.entry(&plain(key), value, level, rewrite);
        }
    }

    fn entry(&mut self, key: &str, value: &Node, level: usize, rewrite: &dyn Fn(&str) -> String) {
        match &value.data {
            Data::Text(text) if text == "0" || text == "1" => self.line(level, &format!("{key}: {text}")),
            Data::Text(text) => self.notation(level, &format!("{key}: "), &rewrite(text)),
            Data::List(items) if items.iter().all(|i| matches!(i.data, Data::Text(_))) => {
                let items: Vec<String> = items.iter().map(plain).collect();
                self.line(level, &format!("{key}: [{}]", items.join(", ")));
            }
            Data::List(items) => {
                self.line(level, &format!("{key}:"));
                for item in items {
                    let start = self.text.len();
                    self.tree(item, level + 2, rewrite);
                    // The first entry of an item carries the dash.
                    let dash = start + 2 * (level + 1);
                    if self.text.len() > dash {
                        self.text.replace_range(dash..=dash, "-");
                    }
                }
            }
            Data::Map(_) => {
                self.line(level, &format!("{key}:"));
                self.tree(value, level + 1, rewrite);
            }
        }
    }
}

fn plain(node: &Node) -> String {
    match &node.data {
        Data::Text(text) => text.clone(),
        _ => String::new(),
    }
}
