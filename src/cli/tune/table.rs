//! What is printed in the end.

use super::progress::seconds;
use super::search::Final;
use polyrs::tuning::{Choice, Entry, Tuned, spearman};
use std::fmt::Write;

/// Fewer candidates have no order that says anything.
const LEAST_RANKED: usize = 4;

/// The table of regions, how predictions rank what was measured, and what the whole program gained.
pub fn table(tuned: &Tuned, machine: Option<&str>, compared: Option<&Final>) -> String {
    let own = |entry: &&Entry| machine.is_none_or(|machine| entry.machine == machine);
    let entries: Vec<&Entry> = tuned.regions.iter().filter(own).collect();
    let head = ["region", "place", "original", "default", "best", "gain", "choice"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(entries.iter().map(|entry| row(entry)));
    let mut text = aligned(&rows);
    for entry in entries.iter().filter(|entry| !entry.note.is_empty()) {
        let _ = writeln!(text, "{}: {}", entry.name, entry.note);
    }
    let (mut all, mut lines) = (Vec::new(), Vec::new());
    for entry in &entries {
        let pairs = ranked(entry);
        if pairs.len() >= LEAST_RANKED
            && let Some(rank) = spearman(&pairs)
        {
            lines.push(format!("  {}: {rank:.2} of {} candidates\n", entry.name, pairs.len()));
        }
        // Costs of different regions, and their times, are in no relation: each is taken relative to the region's default.
        all.extend(relative(entry, &pairs));
    }
    if !lines.is_empty() {
        text += "rank correlation (Spearman) of predicted costs and measured times:\n";
        text += &lines.concat();
    }
    if lines.len() > 1
        && let Some(rank) = spearman(&all)
    {
        let _ = writeln!(text, "  all, relative to the default: {rank:.2} of {} candidates", all.len());
    }
    if let Some(Final { default, chosen }) = compared {
        let (before, after, gain) = (seconds(*default), seconds(*chosen), default / chosen);
        let _ = writeln!(
            text,
            "the whole program: {before} by default, {after} with the best of each region ({gain:.2} x)"
        );
    }
    text
}

fn row(entry: &Entry) -> [String; 7] {
    let shown = |time: Option<f64>| time.map_or("-".to_owned(), seconds);
    let best = super::regions::best(entry).map(|(_, seconds)| seconds);
    let gain = match (entry.default, entry.chosen) {
        (Some(default), Some(chosen)) if entry.choice != Choice::Default => format!("{:.2} x", default / chosen),
        _ => "-".to_owned(),
    };
    let choice = entry.choice.to_string();
    [entry.name.clone(), entry.place.clone(), shown(entry.original), shown(entry.default), shown(best), gain, choice]
}

fn aligned(rows: &[[String; 7]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            // The last one may be long.
            let _ = match column {
                6 => writeln!(text, "{cell}"),
                0 | 1 => write!(text, "{cell:<width$}  "),
                _ => write!(text, "{cell:>width$}  "),
            };
        }
    }
    text
}

/// Predicted costs and measured times.
fn ranked(entry: &Entry) -> Vec<(f64, f64)> {
    let known = entry.measured.iter().filter(|one| one.cost > 0);
    known.filter_map(|one| Some((one.cost as f64, one.seconds?))).collect()
}

fn relative(entry: &Entry, pairs: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let known = entry.measured.iter().find(|one| one.candidate == Choice::Default);
    let Some((cost, time)) = known.and_then(|one| Some((one.cost as f64, one.seconds?))) else { return Vec::new() };
    if cost == 0.0 || time == 0.0 {
        return Vec::new();
    }
    pairs.iter().map(|pair| (pair.0 / cost, pair.1 / time)).collect()
}

#[cfg(test)]
mod tests {
    use super::table;
    use crate::tune::search::Final;
    use polyrs::tuning::Tuned;

    const TEXT: &str = "version = 1
[[region]]
name = 'f:1'
place = 'x.c:3'
key = 'aa'
machine = 'zen'
options = '11'
choice = 'original'
original = 1.0
default = 2.0
chosen = 1.0
measured = [
  { candidate = 'default', cost = 10, seconds = 2.0 },
  { candidate = 'original', cost = 20, seconds = 1.0 },
  { candidate = 'order=scheduled', cost = 30, seconds = 3.0 },
  { candidate = 'order=original', cost = 40, seconds = 4.0 },
]
[[region]]
name = 'g:1'
key = 'bb'
machine = 'zen'
options = '11'
choice = 'default'
note = 'it does not run'
[[region]]
name = 'h:1'
key = 'bb'
machine = 'other'
options = '11'
choice = 'default'
";

    #[test]
    fn gains_and_ranks_are_told() {
        let tuned = Tuned::parse(TEXT).unwrap();
        let text = table(&tuned, Some("zen"), Some(&Final { default: 3.0, chosen: 2.0 }));
        let expected = "region  place  original  default    best    gain  choice\n\
                        f:1     x.c:3    1.00 s   2.00 s  1.00 s  2.00 x  original\n\
                        g:1                   -        -       -       -  default\n\
                        g:1: it does not run\n\
                        rank correlation (Spearman) of predicted costs and measured times:\n  \
                        f:1: 0.80 of 4 candidates\n\
                        the whole program: 3.00 s by default, 2.00 s with the best of each region (1.50 x)\n";
        assert_eq!(text, expected);
    }
}
