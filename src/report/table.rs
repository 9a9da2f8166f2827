//! The comparison as text.

use super::{Best, Contestant, Found, Loss, Result, SchedulerInputs, best_permutation, losses, total};
use polyrs::cost::Contiguity;
use polyrs::scop::Scop;
use std::fmt::Write;

/// What the contestants find for one region.
pub struct Row<'s> {
    /// What the line is called.
    pub name: String,
    /// The region.
    pub region: SchedulerInputs<'s>,
    /// What each contestant finds, in the order of [`Contestant::ALL`].
    pub found: Vec<Found>,
    /// The legal order of loops with the most contiguous accesses; None where the search takes too long.
    pub best: Option<Best>,
    /// Where `unified-cpu` has parallel loops farther inside than another.
    pub losses: Vec<Loss>,
}

/// Finds out all that a line has.
///
/// # Errors
/// Those of analysis and schedulers.
pub fn row<'s>(name: &str, scop: &'s Scop) -> Result<Row<'s>> {
    /// The kernels need up to some thousand.
    const CHECKS: usize = 100_000;
    let region = SchedulerInputs::new(scop)?;
    let found = region.all_found()?;
    let best = best_permutation(scop, &region.dependences, CHECKS)?;
    let losses = losses(&region, &found)?;
    Ok(Row { name: name.to_owned(), region, found, best, losses })
}

impl Row<'_> {
    /// What a contestant finds.
    pub fn of(&self, contestant: Contestant) -> &Found {
        let position = Contestant::ALL.iter().position(|other| *other == contestant).unwrap_or(0);
        &self.found[position]
    }
}

/// Tables in Markdown with a line for each row and one for the sums: bands, members and coincident members; contiguous
/// accesses; parallel loops that were given up.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    bands(&mut text, rows);
    accesses(&mut text, rows);
    given_up(&mut text, rows);
    text
}

/// A table with a column of text and others of numbers.
fn head(text: &mut String, title: &str, before: &[&str], after: &[&str]) {
    let names = Contestant::ALL.map(Contestant::name);
    let columns: Vec<&str> = before.iter().chain(&names).chain(after).copied().collect();
    let _ =
        writeln!(text, "\n## {title}\n\n| kernel | {} |\n|---|{}", columns.join(" | "), "--:|".repeat(columns.len()));
}

fn line(text: &mut String, name: &str, cells: &[String]) {
    let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
}

fn add<const N: usize>(sums: &mut [[usize; N]], counts: &[[usize; N]]) {
    for (sum, count) in sums.iter_mut().flatten().zip(counts.iter().flatten()) {
        *sum += count;
    }
}

fn bands(text: &mut String, rows: &[Row]) {
    head(text, "Bands / members / coincident members", &[], &[]);
    let cells = |counts: &[[usize; 3]]| -> Vec<String> {
        counts.iter().map(|[bands, members, coincident]| format!("{bands} / {members} / {coincident}")).collect()
    };
    let mut sums = [[0; 3]; Contestant::ALL.len()];
    for row in rows {
        let numbers = |found: &Found| {
            let statistics = &found.statistics;
            [statistics.bands, statistics.members, statistics.coincident]
        };
        let counts: Vec<[usize; 3]> = row.found.iter().map(numbers).collect();
        add(&mut sums, &counts);
        line(text, &row.name, &cells(&counts));
    }
    line(text, "**sum**", &cells(&sums));
}

fn accesses(text: &mut String, rows: &[Row]) {
    head(text, "Contiguous innermost accesses, as scheduled → reordered", &["all"], &["most", "with latency"]);
    let cells = |all: usize, counts: &[[usize; 2]], most: Option<usize>, taken: usize| -> Vec<String> {
        let counts = counts.iter().map(|[scheduled, reordered]| format!("{scheduled} → {reordered}"));
        let most = most.map_or_else(|| "?".to_owned(), |most| most.to_string());
        [all.to_string()].into_iter().chain(counts).chain([most, taken.to_string()]).collect()
    };
    let mut sums = [[0; 2]; Contestant::ALL.len()];
    let (mut all_sum, mut most_sum, mut taken_sum) = (0, Some(0), 0);
    for row in rows {
        let numbers = |found: &Found| [total(&found.scheduled).contiguous, total(&found.reordered).contiguous];
        let counts: Vec<[usize; 2]> = row.found.iter().map(numbers).collect();
        let Contiguity { contiguous: taken, accesses: all, .. } = total(&row.of(Contestant::UnifiedCpu).taken);
        let most = row.best.as_ref().map(Best::contiguous);
        add(&mut sums, &counts);
        all_sum += all;
        taken_sum += taken;
        most_sum = most_sum.zip(most).map(|(sum, most)| sum + most);
        line(text, &row.name, &cells(all, &counts, most, taken));
    }
    line(text, "**sum**", &cells(all_sum, &sums, most_sum, taken_sum));
}

fn given_up(text: &mut String, rows: &[Row]) {
    let _ = writeln!(text, "\n## Parallel loops that unified-cpu gives up\n");
    if rows.iter().all(|row| row.losses.is_empty()) {
        let _ = writeln!(text, "None.");
        return;
    }
    let _ = writeln!(text, "| kernel | statement | depth elsewhere | depth | rule |\n|---|---|--:|--:|---|");
    for row in rows {
        for Loss { statement, other: (least, others), depth, rules } in &row.losses {
            let name = &row.region.scop.statement(*statement).name;
            let others: Vec<&str> = others.iter().map(|contestant| contestant.name()).collect();
            let depth = depth.map_or_else(|| "none".to_owned(), |depth| depth.to_string());
            let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
            let rules = if rules.is_empty() { "none".to_owned() } else { rules.join(", ") };
            let _ = writeln!(text, "| {} | {name} | {least} ({}) | {depth} | {rules} |", row.name, others.join(", "));
        }
    }
}
