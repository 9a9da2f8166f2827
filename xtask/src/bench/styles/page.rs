//! The page of a full run, with tables of all styles.

use super::Measured;
use super::summary::{Nest, Spread, Summary};
use crate::bench::report::DOCUMENTS;
use crate::bench::save;
use crate::project::Project;
use crate::suite::styles::{Language, STYLES};
use anyhow::Result;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Writes the page.
///
/// # Errors
/// When it cannot be written.
pub fn write(project: &Project, facts: &Map<String, Value>, all: &[Measured], summary: &Summary) -> Result<()> {
    let folder = project.root.join(DOCUMENTS);
    std::fs::create_dir_all(&folder)?;
    save(&folder.join("styles.md"), &text(facts, all, summary))?;
    println!("written: {DOCUMENTS}/styles.md");
    Ok(())
}

fn text(facts: &Map<String, Value>, all: &[Measured], summary: &Summary) -> String {
    let repeat = facts.get("repeat").map(Value::to_string).unwrap_or_default();
    let mut text = format!(
        "# The same loops in many styles\n\nWritten by `cargo xtask bench styles --repeat {repeat} --documents`; not \
         edited by hand. `test/styles` has the loops.\n\n"
    );
    for (name, fact) in facts.iter().filter(|(_, fact)| !fact.is_object()) {
        let fact = fact.as_str().map_or_else(|| fact.to_string(), str::to_owned);
        let _ = writeln!(text, "- {}: {fact}", name.replace('_', " "));
    }
    text.push('\n');
    summary.headline().lines().for_each(|line| text += &format!("- {line}\n"));
    text += "\nTimes faster than the compiler alone; ° where the loops were not raised whole, empty where the style has \
             nothing of its own to say about them.\n";
    for (title, language) in [("C", Language::C), ("C++", Language::Cpp), ("Fortran", Language::Fortran)] {
        text += &table(title, language, all, summary);
    }
    text += &spreads(summary);
    text + &refusals(summary)
}

/// The styles of a language.
fn table(title: &str, language: Language, all: &[Measured], summary: &Summary) -> String {
    let is_there = |style: &&'static str| all.iter().any(|one| one.style == *style);
    let names = STYLES.iter().filter(|style| style.language() == language).map(|style| style.name());
    let styles: Vec<&str> = names.filter(is_there).collect();
    if styles.is_empty() {
        return String::new();
    }
    let mut text = format!("\n## {title}\n\n|  | {} |\n|---|{}\n", styles.join(" | "), "--:|".repeat(styles.len()));
    for nest in &summary.nests {
        let cell = |style: &&str| {
            let found =
                all.iter().find(|one| one.language == language && one.style == *style && one.nest() == nest.name);
            found.map_or(String::new(), |one| {
                format!("{:.2}{}", one.ratio(), if one.raised.is_whole() { "" } else { "°" })
            })
        };
        let _ = writeln!(text, "| {} | {} |", nest.name, styles.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    text
}

/// The fastest and the slowest style of each order.
fn spreads(summary: &Summary) -> String {
    let mut text =
        "\n## The fastest and the slowest style\n\nMilliseconds.\n\n|  | with the plugin | x | alone | x |\n\
                    |---|---|--:|---|--:|\n"
            .to_owned();
    for Nest { name, plain, ours, .. } in &summary.nests {
        let spelled = |Spread { best, worst }: &Spread| {
            format!("{} {:.2} to {} {:.2}", best.0, best.1 * 1e3, worst.0, worst.1 * 1e3)
        };
        let (own, other) = (spelled(ours), spelled(plain));
        let _ = writeln!(text, "| {name} | {own} | {:.2} | {other} | {:.2} |", ours.ratio(), plain.ratio());
    }
    text
}

/// Why loops were not raised whole, and what is slower.
fn refusals(summary: &Summary) -> String {
    let mut text = "\n## Raised whole\n\n| style | programs | whole |\n|---|--:|--:|\n".to_owned();
    for (style, all, whole) in &summary.styles {
        let _ = writeln!(text, "| {style} | {all} | {whole} |");
    }
    if !summary.refusals.is_empty() {
        text += "\nThe first refusal of the others:\n\n| programs | refusal |\n|--:|---|\n";
        for (words, count) in &summary.refusals {
            let _ = writeln!(text, "| {count} | {} |", words.replace('|', "/"));
        }
    }
    if !summary.losses.is_empty() {
        text += "\n## Slower than by the compiler alone\n\n| program | x |\n|---|--:|\n";
        for (name, ratio) in &summary.losses {
            let _ = writeln!(text, "| {name} | {ratio:.2} |");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::bench::styles::Measured;
    use crate::bench::styles::summary::Summary;
    use crate::suite::styles::Language;
    use crate::suite::styles::raised::Raised;
    use serde_json::{Map, json};

    #[test]
    fn cells_say_how_much_faster_and_what_was_not_raised() {
        let one = |order: &str, style: &'static str, raised: Raised| Measured {
            kernel: "gemm".into(),
            order: order.into(),
            style,
            language: Language::C,
            plain: 0.004,
            ours: 0.002,
            raised,
            is_rewritten: true,
            is_same: true,
        };
        let all = [
            one("ikj", "c-global", Raised::Whole),
            one("ikj", "c-walking", Raised::Not("a|b".into())),
            one("ijk", "c-global", Raised::Whole),
        ];
        let facts = Map::from_iter([("repeat".to_owned(), json!(3)), ("unix_time".to_owned(), json!(5))]);
        let page = text(&facts, &all, &Summary::of(&all));
        for line in [
            "bench styles --repeat 3 --documents",
            "- unix time: 5\n",
            "- 2 of 3 programs raised whole (66.7 %)\n",
            "## C\n\n|  | c-global | c-walking |\n|---|--:|--:|\n| gemm/ikj | 2.00 | 2.00° |\n| gemm/ijk | 2.00 |  |\n",
            "| gemm/ijk | c-global 2.00 to c-global 2.00 | 1.00 | c-global 4.00 to c-global 4.00 | 1.00 |\n",
            "| 1 | a/b |\n",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
        assert!(!page.contains("## Fortran") && !page.contains("## Slower"), "{page}");
    }
}
