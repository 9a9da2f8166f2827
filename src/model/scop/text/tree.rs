//! Schedule trees: isl's YAML, checked node by node so that an error has its place.

use super::error::ParseError;
use super::fields::{Fields, suggestion};
use super::layout::Layout;
use super::notation::{Parameters, Source, text_of};
use super::yaml::{Data, Node, load, quoted};
use crate::isl::{self, Schedule};
use crate::scop::Scop;

/// Every key of isl's schedule-tree YAML, in an order in which isl accepts them.
const KEYS: [&str; 15] = [
    "domain",
    "schedule",
    "permutable",
    "coincident",
    "options",
    "filter",
    "sequence",
    "set",
    "mark",
    "context",
    "guard",
    "extension",
    "contraction",
    "expansion",
    "child",
];

/// The keys that say what kind of node it is.
const KINDS: [&str; 10] =
    ["domain", "schedule", "filter", "sequence", "set", "mark", "context", "guard", "extension", "expansion"];

/// Reads a schedule tree for a region. Like in a `.scop` text, isl notation in it may leave out the parameters.
///
/// The tree may have any domain: whether it fits the region is for the checker to say.
///
/// # Errors
/// The first thing wrong, with its place.
pub fn parse_schedule(scop: &Scop, text: &str) -> Result<Schedule, ParseError> {
    let node = load(text)?;
    let names = scop.parameters().map_err(|e| node.at.isl(e))?;
    read(&Source { ctx: scop.ctx(), text }, &node, &Parameters::new(names))
}

/// The text of a schedule tree: isl's YAML in block style, which isl can read as well.
pub fn schedule_to_text(schedule: &Schedule) -> isl::Result<String> {
    let mut layout = Layout::with_whole_notation();
    layout.tree(&to_node(schedule)?, 0, &|text| text.to_owned());
    Ok(layout.finish())
}

/// The tree as YAML nodes.
pub(super) fn to_node(schedule: &Schedule) -> isl::Result<Node> {
    load(&schedule.to_string()).map_err(|e| isl::Error::invalid(format!("isl wrote a tree that is no YAML: {e}")))
}

/// Reads the tree in a node.
pub(super) fn read(source: &Source<'_>, node: &Node, parameters: &Parameters) -> Result<Schedule, ParseError> {
    let flow = Tree { source, parameters }.node(node, true)?;
    Schedule::parse(source.ctx, &flow).map_err(|error| {
        let place = node.at;
        if error.is_exhausted() {
            place.isl(error)
        } else {
            place.error(format!("isl refuses this tree: {}", error.message))
        }
    })
}

struct Tree<'s> {
    source: &'s Source<'s>,
    parameters: &'s Parameters,
}

impl Tree<'_> {
    /// Checks a node and everything under it and writes it in isl's flow style with all parameters.
    fn node(&self, node: &Node, root: bool) -> Result<String, ParseError> {
        let fields = Fields::new(node, "a schedule tree's node", &KEYS)?;
        let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| fields.get(kind).is_some()).collect();
        let kind = match kinds.as_slice() {
            [kind] => *kind,
            [] => {
                let help = format!("a node has one of {}", KINDS.join(", "));
                return Err(node.at.error("this node has no kind").help(help));
            }
            [first, second, ..] => {
                let error = node.at.error(format!("this node has both `{first}` and `{second}`"));
                return Err(error.help("put one into the `child` of the other"));
            }
        };
        if root && kind != "domain" {
            return Err(node
                .at
                .error(format!("the tree starts with `{kind}`"))
                .help("the root of a tree is its `domain`"));
        }
        let mut parts = Vec::new();
        for key in KEYS {
            if let Some(value) = fields.get(key) {
                parts.push(format!("{key}: {}", self.value(key, value)?));
            }
        }
        Ok(format!("{{ {} }}", parts.join(", ")))
    }

    fn value(&self, key: &str, value: &Node) -> Result<String, ParseError> {
        match key {
            "child" => self.node(value, false),
            "sequence" | "set" => self.children(key, value),
            "coincident" => self.flags(value),
            "permutable" => flag(value),
            "mark" => Ok(quoted(text_of(value, "a mark")?)),
            "domain" | "filter" => {
                let set = self.read(value, "a union set", isl::UnionSet::parse)?;
                self.parameters.check(&set.space().map_err(|e| value.at.isl(e))?, value.at)?;
                Ok(quoted(&set.to_string()))
            }
            "schedule" => {
                let band = self.read(value, "a band's functions", isl::MultiUnionPwAff::parse)?;
                self.parameters.check(&band.space().map_err(|e| value.at.isl(e))?, value.at)?;
                Ok(quoted(&band.to_string()))
            }
            "context" | "guard" => Ok(quoted(&self.read(value, "a set", isl::Set::parse)?.to_string())),
            "extension" | "expansion" => {
                Ok(quoted(&self.read(value, "a union relation", isl::UnionMap::parse)?.to_string()))
            }
            "contraction" => Ok(quoted(&self.read(value, "functions", isl::UnionPwMultiAff::parse)?.to_string())),
            "options" => Ok(quoted(&self.read(value, "AST options", isl::UnionSet::parse)?.to_string())),
            _ => Err(value.at.error(format!("`{key}` cannot be read")).help(suggestion(key, &KEYS))),
        }
    }

    fn read<T>(&self, node: &Node, what: &str, reader: fn(&isl::Ctx, &str) -> isl::Result<T>) -> Result<T, ParseError> {
        self.parameters.read(self.source, node, what, reader)
    }

    fn children(&self, key: &str, value: &Node) -> Result<String, ParseError> {
        let Data::List(items) = &value.data else {
            return Err(value.at.error(format!("expected a list under `{key}`, found {}", value.kind())));
        };
        let mut parts = Vec::new();
        for item in items {
            let fields = Fields::new(item, "a schedule tree's node", &KEYS)?;
            if fields.get("filter").is_none() {
                return Err(item.at.error(format!("a child of a {key} starts with a `filter`")));
            }
            parts.push(self.node(item, false)?);
        }
        Ok(format!("[ {} ]", parts.join(", ")))
    }

    fn flags(&self, value: &Node) -> Result<String, ParseError> {
        let Data::List(items) = &value.data else {
            return Err(value.at.error(format!("expected a list of 0 and 1, found {}", value.kind())));
        };
        let flags: Vec<String> = items.iter().map(flag).collect::<Result<_, _>>()?;
        Ok(format!("[ {} ]", flags.join(", ")))
    }
}

fn flag(node: &Node) -> Result<String, ParseError> {
    match text_of(node, "0 or 1")? {
        text @ ("0" | "1") => Ok(text.to_owned()),
        other => Err(node.at.error(format!("`{other}` is neither 0 nor 1"))),
    }
}
