//! Lines of text with isl notation in them.

use super::yaml::{Data, Node, quoted};
use std::fmt::Write;

/// A longer line is broken where isl notation lists several parts.
const WIDTH: usize = 120;

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

    /// A line.
    pub fn line(&mut self, level: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * level);
    }

    /// A key and isl notation, broken between the parts of a union when the line gets long.
    pub fn notation(&mut self, level: usize, head: &str, notation: &str) {
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
