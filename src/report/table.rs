//! The comparison as text.

use super::{Contestant, Found, Region, Result};
use crate::scop::Scop;
use crate::tree::Contiguity;
use std::fmt::Write;

/// What the contestants find for one region.
struct Row {
    name: String,
    found: Vec<Found>,
}

/// Tables in Markdown, with a line for each named region and one for the sums: bands, members and coincident members; contiguous
/// accesses.
///
/// # Errors
/// Those of analysis and schedulers.
pub fn table(regions: &[(String, Scop)]) -> Result<String> {
    let mut rows = Vec::new();
    for (name, scop) in regions {
        let region = Region::new(scop)?;
        let found = Contestant::ALL.into_iter().map(|contestant| region.found(contestant)).collect::<Result<_>>()?;
        rows.push(Row { name: name.clone(), found });
    }
    let mut text = String::new();
    bands(&mut text, &rows);
    accesses(&mut text, &rows);
    Ok(text)
}

fn header(text: &mut String, more: &[&str]) {
    let names: Vec<&str> = more.iter().copied().chain(Contestant::ALL.map(Contestant::name)).collect();
    let _ = writeln!(text, "| kernel | {} |\n|---|{}", names.join(" | "), "--:|".repeat(names.len()));
}

fn bands(text: &mut String, rows: &[Row]) {
    header(text, &[]);
    let mut sums = vec![[0; 3]; Contestant::ALL.len()];
    let cell = |[bands, members, coincident]: &[usize; 3]| format!("{bands} / {members} / {coincident}");
    for row in rows {
        let counts: Vec<[usize; 3]> = row
            .found
            .iter()
            .map(|found| {
                let statistics = &found.statistics;
                [statistics.bands, statistics.members, statistics.coincident]
            })
            .collect();
        for (sum, count) in sums.iter_mut().zip(&counts) {
            sum.iter_mut().zip(count).for_each(|(sum, count)| *sum += count);
        }
        let cells: Vec<String> = counts.iter().map(cell).collect();
        let _ = writeln!(text, "| {} | {} |", row.name, cells.join(" | "));
    }
    let cells: Vec<String> = sums.iter().map(cell).collect();
    let _ = writeln!(text, "| **sum** | {} |", cells.join(" | "));
}

fn accesses(text: &mut String, rows: &[Row]) {
    header(text, &["accesses"]);
    let mut sums = vec![[0; 2]; Contestant::ALL.len()];
    let mut all = 0;
    let cell = |[scheduled, reordered]: &[usize; 2]| format!("{scheduled} / {reordered}");
    for row in rows {
        let total = |counts: &[(_, Contiguity)]| counts.iter().map(|(_, count)| *count).sum::<Contiguity>();
        let counts: Vec<[usize; 2]> = row
            .found
            .iter()
            .map(|found| [total(&found.scheduled).contiguous, total(&found.reordered).contiguous])
            .collect();
        for (sum, count) in sums.iter_mut().zip(&counts) {
            sum.iter_mut().zip(count).for_each(|(sum, count)| *sum += count);
        }
        let accesses = row.found.iter().map(|found| total(&found.scheduled).accesses).max().unwrap_or(0);
        all += accesses;
        let cells: Vec<String> = counts.iter().map(cell).collect();
        let _ = writeln!(text, "| {} | {accesses} | {} |", row.name, cells.join(" | "));
    }
    let cells: Vec<String> = sums.iter().map(cell).collect();
    let _ = writeln!(text, "| **sum** | {all} | {} |", cells.join(" | "));
}
