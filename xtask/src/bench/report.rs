//! What a benchmark leaves behind: `target/bench/NAME.json` and `NAME.svg`, and of a full run, if that is asked for, a table
//! with the machine's description and the plot in `docs/measured`.

use super::chart::Chart;
use super::results::{Row, geomean, to_json};
use super::{machine, save};
use crate::project::Project;
use anyhow::Result;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Where tables of full runs are, in the project.
pub const DOCUMENTS: &str = "docs/measured";

/// A column of a table besides the times: what is above it, and what it says of a row.
pub type Column<'r> = (&'static str, &'r dyn Fn(&Row) -> Option<String>);

/// What is to be written about the times of a benchmark.
pub struct Report<'r> {
    /// The name of the files.
    pub name: &'r str,
    /// The line above the plot, and the table.
    pub title: &'r str,
    /// How to run it again.
    pub command: String,
    /// What the axis of the plot means.
    pub axis: &'r str,
    /// The configuration that others are compared with.
    pub base: &'r str,
    /// The others, as in the plot and the table.
    pub compared: &'r [&'r str],
    /// Others whose mean is written as well.
    pub others: &'r [&'r str],
    /// What was measured with, besides the machine.
    pub facts: Map<String, Value>,
    /// Further columns of the table.
    pub columns: &'r [Column<'r>],
}

impl Report<'_> {
    /// Writes both files anew, and with `documents` those in the documentation.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&self, project: &Project, rows: &[Row], documents: bool) -> Result<()> {
        let mut facts = machine::describe(project);
        facts.extend(self.facts.clone());
        let folder = project.scratch("bench")?;
        let json = to_json(facts.clone(), rows, &[self.compared, self.others].concat(), self.base);
        save(&folder.join(format!("{}.json", self.name)), &(serde_json::to_string_pretty(&json)? + "\n"))?;
        let svg = self.chart(rows).to_svg();
        save(&folder.join(format!("{}.svg", self.name)), &svg)?;
        if documents {
            let folder = project.root.join(DOCUMENTS);
            std::fs::create_dir_all(&folder)?;
            save(&folder.join(format!("{}.svg", self.name)), &svg)?;
            save(&folder.join(format!("{}.md", self.name)), &self.document(&facts, rows)?)?;
            println!("written: {DOCUMENTS}/{0}.md, {DOCUMENTS}/{0}.svg", self.name);
        }
        Ok(())
    }

    fn chart(&self, rows: &[Row]) -> Chart<'_> {
        let ratios = |of: &dyn Fn(&str) -> Option<f64>| self.compared.iter().map(|config| of(config)).collect();
        let mut groups: Vec<(String, Vec<Option<f64>>)> =
            rows.iter().map(|row| (row.kernel.clone(), ratios(&|config| row.ratio(config, self.base)))).collect();
        groups.push(("geometric mean".to_owned(), ratios(&|config| geomean(rows, config, self.base))));
        Chart { title: self.title, axis: self.axis, series: self.compared, groups }
    }

    /// A table of the base's milliseconds and the ratios to them.
    fn document(&self, facts: &Map<String, Value>, rows: &[Row]) -> Result<String> {
        let mut text = format!("# {}\n\nWritten by `{}`; not edited by hand.\n\n", self.title, self.command);
        for (name, fact) in facts.iter().filter(|(_, fact)| !fact.is_object()) {
            let fact = fact.as_str().map_or_else(|| fact.to_string(), str::to_owned);
            writeln!(text, "- {}: {fact}", name.replace('_', " "))?;
        }
        write!(text, "\n![{}]({}.svg)\n\n|  | {} (ms) |", self.title, self.name, self.base)?;
        self.compared.iter().try_for_each(|config| write!(text, " {config} (x) |"))?;
        self.columns.iter().try_for_each(|(head, _)| write!(text, " {head} |"))?;
        writeln!(text, "\n|---|--:|{}", "--:|".repeat(self.compared.len() + self.columns.len()))?;
        let or_none = |cell: Option<String>| cell.unwrap_or_default();
        for row in rows {
            write!(text, "| {} | {} |", row.kernel, or_none(row.time(self.base).map(milliseconds)))?;
            for config in self.compared {
                write!(text, " {} |", or_none(row.ratio(config, self.base).map(|ratio| format!("{ratio:.2}"))))?;
            }
            self.columns.iter().try_for_each(|(_, cell)| write!(text, " {} |", or_none(cell(row))))?;
            writeln!(text)?;
        }
        write!(text, "| **geometric mean** | |")?;
        for config in self.compared {
            write!(text, " **{}** |", or_none(geomean(rows, config, self.base).map(|mean| format!("{mean:.2}"))))?;
        }
        writeln!(text, "{}", " |".repeat(self.columns.len()))?;
        Ok(text)
    }
}

/// Three digits.
fn milliseconds(seconds: f64) -> String {
    let time = seconds * 1e3;
    match time {
        _ if time >= 100.0 => format!("{time:.0}"),
        _ if time >= 1.0 => format!("{time:.2}"),
        _ => format!("{time:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_a_cell_for_each_column() {
        let row = |kernel: &str, seconds: &[(&'static str, f64)]| Row {
            kernel: kernel.into(),
            seconds: seconds.to_vec(),
            ..Row::default()
        };
        let rows = [row("a", &[("clang", 0.8), ("default", 0.1), ("polly", 1.6)]), row("b", &[("clang", 0.002)])];
        let double: Column<'_> = ("twice", &|row| row.time("default").map(|time| format!("{}", 2.0 * time)));
        let report = Report {
            name: "n",
            title: "Times",
            command: "bench".into(),
            axis: "x",
            base: "clang",
            compared: &["default", "polly"],
            others: &[],
            facts: Map::new(),
            columns: &[double],
        };
        let facts =
            Map::from_iter([("unix_time".to_owned(), Value::from(5)), ("all".to_owned(), serde_json::json!({}))]);
        let text = report.document(&facts, &rows).unwrap();
        let expected = "- unix time: 5\n\n![Times](n.svg)\n\n|  | clang (ms) | default (x) | polly (x) | twice |\n\
                        |---|--:|--:|--:|--:|\n| a | 800 | 8.00 | 0.50 | 0.2 |\n| b | 2.00 |  |  |  |\n\
                        | **geometric mean** | | **8.00** | **0.50** | |\n";
        assert!(text.ends_with(expected), "{text}");
    }
}
