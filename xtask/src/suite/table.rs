//! What the pass did to each kernel, as a table, and its comparison with the checked-in one.

use super::remarks::{Message, Remark};
use anyhow::{Result, bail};

/// The table's columns; the facts are named as in the remarks.
const COLUMNS: [&str; 11] = [
    "kernel",
    "scops",
    "statements",
    "refused",
    "bands",
    "members",
    "coincident",
    "tiled",
    "wavefronts",
    "parallel",
    READ_BACK,
];

/// How many of the regions that were rewritten were read back and equal their schedules, as `N/M`.
const READ_BACK: &str = "read-back";

/// Where the facts of a remark begin among the columns.
const FIRST_FACT: usize = 4;

/// One kernel's row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    cells: Vec<String>,
}

impl Row {
    /// Sums up the remarks about a kernel.
    pub fn from_remarks(kernel: &str, remarks: &[Remark]) -> Self {
        let (mut scops, mut total) = (0, 0);
        let mut reasons = Vec::new();
        let mut facts: Vec<Vec<&str>> = vec![Vec::new(); COLUMNS.len() - FIRST_FACT];
        for remark in remarks {
            match &remark.message {
                Message::Found { statements, facts: found } => {
                    scops += 1;
                    total += statements;
                    for (values, column) in facts.iter_mut().zip(&COLUMNS[FIRST_FACT..]) {
                        values.extend(found.get(*column).map(String::as_str));
                    }
                }
                Message::Refused(reason) => reasons.push(reason.replace(['\t', '\n'], " ")),
            }
        }
        let refused = if reasons.is_empty() { "-".to_owned() } else { reasons.join("; ") };
        let mut cells = vec![kernel.to_owned(), scops.to_string(), total.to_string(), refused];
        let column =
            |(values, column): (&Vec<&str>, &&str)| if *column == READ_BACK { share(values) } else { sum(values) };
        cells.extend(facts.iter().zip(&COLUMNS[FIRST_FACT..]).map(column));
        Self { cells }
    }

    /// The kernel's name.
    pub fn kernel(&self) -> &str {
        &self.cells[0]
    }

    /// Whether the whole kernel was lifted: something was found, nothing refused.
    pub fn is_whole(&self) -> bool {
        self.cells[1] != "0" && self.cells[3] == "-"
    }

    /// Whether some band was tiled or some loop made parallel.
    pub fn is_improved(&self) -> bool {
        ["tiled", "wavefronts", "parallel"].iter().any(|name| {
            let column = COLUMNS.iter().position(|column| column == name);
            column.is_some_and(|column| !matches!(self.cells[column].as_str(), "-" | "0"))
        })
    }
}

/// How many of some values are 1, of how many; `-` for none.
fn share(values: &[&str]) -> String {
    if values.is_empty() {
        return "-".to_owned();
    }
    format!("{}/{}", values.iter().filter(|value| **value == "1").count(), values.len())
}

/// How many regions were read back and equal, and how many were rewritten, in all rows.
pub fn read_back(rows: &[Row]) -> (usize, usize) {
    let column = COLUMNS.iter().position(|column| *column == READ_BACK).unwrap_or(0);
    let pairs = rows.iter().filter_map(|row| {
        let (equal, all) = row.cells[column].split_once('/')?;
        Some((equal.parse::<usize>().ok()?, all.parse::<usize>().ok()?))
    });
    pairs.fold((0, 0), |(equal, all), (more, others)| (equal + more, all + others))
}

/// The sum of numbers; other values are listed; `-` for none.
fn sum(values: &[&str]) -> String {
    if values.is_empty() {
        return "-".to_owned();
    }
    let numbers: Option<Vec<u64>> = values.iter().map(|value| value.parse().ok()).collect();
    numbers.map_or_else(|| values.join("+"), |numbers| numbers.iter().sum::<u64>().to_string())
}

/// The rows as tab-separated text, as checked in.
pub fn to_tsv(rows: &[Row]) -> String {
    let mut text = COLUMNS.join("\t") + "\n";
    for row in rows {
        text += &(row.cells.join("\t") + "\n");
    }
    text
}

/// Reads tab-separated text.
///
/// # Errors
/// When the columns are not the ones of this version, or a row has too few or too many.
pub fn from_tsv(text: &str) -> Result<Vec<Row>> {
    let mut lines = text.lines();
    if lines.next() != Some(COLUMNS.join("\t").as_str()) {
        bail!("the columns are not {}", COLUMNS.join(", "));
    }
    let read = |line: &str| {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if cells.len() != COLUMNS.len() {
            bail!("not {} columns: {line}", COLUMNS.len());
        }
        Ok(Row { cells })
    };
    lines.map(read).collect()
}

/// The rows as aligned text for people.
pub fn to_text(rows: &[Row]) -> String {
    let header: Vec<String> = COLUMNS.iter().map(|column| (*column).to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&header).chain(rows.iter().map(|row| &row.cells)).collect();
    align(&all)
}

/// Lines of left-aligned columns.
fn align(rows: &[&Vec<String>]) -> String {
    let columns = rows.first().map_or(0, |row| row.len());
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// How the row of a kernel differs from the expected rows; none if it does not.
pub fn difference(expected: &[Row], actual: &Row) -> Option<String> {
    let Some(row) = expected.iter().find(|row| row.kernel() == actual.kernel()) else {
        return Some(format!("{}: not in the expected table", actual.kernel()));
    };
    let cells = row.cells.iter().zip(&actual.cells).zip(COLUMNS);
    let differences: Vec<String> = cells
        .filter(|((expected, actual), _)| expected != actual)
        .map(|((expected, actual), column)| format!("{column} is {actual}, expected {expected}"))
        .collect();
    (!differences.is_empty()).then(|| format!("{}: {}", actual.kernel(), differences.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{Row, difference, from_tsv, read_back, to_text, to_tsv};
    use crate::suite::remarks;

    fn row(kernel: &str, stderr: &str) -> Row {
        Row::from_remarks(kernel, &remarks::parse(stderr))
    }

    const TWO: &str = "a:1:1: remark: poly-schedule: scop: 2 statements; bands=1 coincident=0 tiled=3 parallel=x read-back=1\n\
                       a:2:1: remark: poly-schedule: scop: 1 statement; bands=2 coincident=1 tiled=0 parallel=y read-back=0; not read back: call\n";

    #[test]
    fn several_regions_add_up() {
        let row = row("k", TWO);
        assert_eq!(row.cells, ["k", "2", "3", "-", "3", "-", "1", "3", "-", "x+y", "1/2"]);
        assert_eq!(read_back(&[row.clone(), row.clone()]), (2, 4));
        assert!(row.is_whole() && row.is_improved());
    }

    #[test]
    fn a_refusal_and_silence_are_not_whole() {
        let refused = row("k", "a:1:1: remark: poly-schedule: refused: call\tto f");
        assert_eq!(refused.cells[3], "call to f");
        assert!(!refused.is_whole() && !refused.is_improved());
        assert!(!row("k", "").is_whole());
        let idle = row("k", "a:1:1: remark: poly-schedule: scop: 1 statements; tiled=0 parallel=0");
        assert!(idle.is_whole() && !idle.is_improved());
    }

    #[test]
    fn the_table_survives_its_file() {
        let rows = vec![row("k", TWO), row("l", "")];
        assert_eq!(from_tsv(&to_tsv(&rows)).unwrap(), rows);
        assert!(from_tsv("kernel\tscops\n").is_err());
        assert!(from_tsv(&(to_tsv(&[]) + "k\t1\n")).is_err());
        assert!(to_text(&rows).lines().count() == 3);
    }

    #[test]
    fn differences_name_the_column() {
        let expected = [row("k", TWO)];
        assert_eq!(difference(&expected, &expected[0]), None);
        let told = difference(&expected, &row("k", &TWO.replace("tiled=3", "tiled=2"))).unwrap();
        assert_eq!(told, "k: tiled is 2, expected 3");
        assert!(difference(&expected, &row("l", "")).unwrap().contains("not in the expected table"));
    }
}
