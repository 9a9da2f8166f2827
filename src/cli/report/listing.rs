//! The sources, with what is said of loops under their lines.

use super::content::Report;
use super::html::Html;
use super::nest::{Nest, State};
use super::record::{Kind, Record};
use super::source::Source;
use super::words::{checks, counted, deeds, factor, milliseconds};
use std::collections::BTreeMap;
use std::ops::Range;

/// Sources of more bytes together are shown around their loops only.
const MOST_BYTES: usize = 100_000;

/// Lines that are shown before and after a loop's line then.
const AROUND: (usize, usize) = (3, 10);

/// The same where there are many nests, and how many are many.
const CLOSE: (usize, usize) = (2, 4);
const MANY: usize = 500;

/// A longer line is cut: nobody wrote it by hand.
const MOST_CHARACTERS: usize = 400;

/// Writes all sources that have nests.
pub fn sources(html: &mut Html, report: &Report<'_>) {
    let mut by_source: BTreeMap<usize, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for (number, nest) in report.nests.iter().enumerate() {
        by_source.entry(nest.source).or_default().entry(nest.line).or_default().push(number);
    }
    if by_source.is_empty() {
        return;
    }
    let is_whole = report.sources.size() <= MOST_BYTES;
    let around = if report.nests.len() > MANY { CLOSE } else { AROUND };
    let shown = if is_whole { None } else { Some(around) };
    html.element("section", &[("aria-labelledby", "sources")], |html| {
        html.words("h2", &[("id", "sources")], "Sources");
        html.element("nav", &[("aria-label", "Sources")], |html| {
            html.element("ul", &[("class", "files")], |html| {
                for (number, lines) in &by_source {
                    html.element("li", &[], |html| {
                        html.link(&format!("source-{number}"), report.sources.get(*number).shown());
                        html.words("small", &[], counted(lines.values().map(Vec::len).sum(), "nest"));
                    });
                }
            });
        });
        for (number, lines) in &by_source {
            html.line();
            let place = format!("source-{number}");
            html.element("article", &[("class", "source"), ("data-source", &number.to_string())], |html| {
                let source = report.sources.get(*number);
                html.words("h3", &[("id", &place), ("tabindex", "-1")], source.shown());
                listing(html, report, source, lines, shown);
            });
        }
    });
    html.line();
}

/// One source: stretches of lines, and under each line with nests what is said of them.
fn listing(
    html: &mut Html,
    report: &Report<'_>,
    source: &Source,
    nests: &BTreeMap<usize, Vec<usize>>,
    around: Option<(usize, usize)>,
) {
    let lines = match &source.lines {
        Ok(lines) => lines.as_slice(),
        Err(why) => {
            html.words("p", &[("class", "notice")], why);
            &[]
        }
    };
    // What has no line, or one that the source does not have any more.
    let is_there = |line: usize| (1..=lines.len()).contains(&line);
    for number in nests.iter().filter(|(line, _)| !is_there(**line)).flat_map(|(_, numbers)| numbers) {
        note(html, report, *number);
    }
    let marked: Vec<usize> = nests.keys().copied().filter(|line| is_there(*line)).collect();
    let windows = match around {
        None => whole(lines.len(), &marked),
        Some(around) => windows(lines.len(), &marked, around),
    };
    let mut next = 1;
    for window in windows {
        skipped(html, next..window.start);
        next = window.end;
        let mut start = window.start;
        for line in marked.iter().copied().filter(|line| window.contains(line)) {
            stretch(html, lines, start..line + 1, Some(worst(report, &nests[&line])));
            nests[&line].iter().for_each(|number| note(html, report, *number));
            start = line + 1;
        }
        stretch(html, lines, start..window.end, None);
    }
    if !marked.is_empty() {
        skipped(html, next..lines.len() + 1);
    }
}

/// All lines, if there is something to mark.
fn whole(count: usize, marked: &[usize]) -> Vec<Range<usize>> {
    if marked.is_empty() { Vec::new() } else { std::iter::once(1..count + 1).collect() }
}

/// The lines around those that are marked, as stretches that do not touch.
fn windows(count: usize, marked: &[usize], (before, after): (usize, usize)) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for line in marked {
        let window = line.saturating_sub(before).max(1)..(line + after + 1).min(count + 1);
        match windows.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => windows.push(window),
        }
    }
    windows
}

fn skipped(html: &mut Html, lines: Range<usize>) {
    if !lines.is_empty() {
        html.words("p", &[("class", "skipped")], format_args!("{} not shown", counted(lines.len(), "line")));
    }
}

/// Lines of a source; the last one may be marked.
fn stretch(html: &mut Html, lines: &[String], range: Range<usize>, state: Option<State>) {
    if range.is_empty() {
        return;
    }
    let last = range.end - 1;
    html.element("pre", &[("tabindex", "0"), ("aria-label", &format!("lines {} to {last}", range.start))], |html| {
        for number in range {
            let class = state.filter(|_| number == last).map_or("", State::word);
            let attributes = [("data-n", number.to_string()), ("class", class.to_owned())];
            let attributes: Vec<(&'static str, &str)> = attributes
                .iter()
                .filter(|(_, value)| !value.is_empty())
                .map(|(key, value)| (*key, value.as_str()))
                .collect();
            let text: String = lines[number - 1].chars().take(MOST_CHARACTERS).collect();
            html.words("code", &attributes, text);
            html.line();
        }
    });
}

/// The state that most needs a look.
fn worst(report: &Report<'_>, numbers: &[usize]) -> State {
    numbers.iter().map(|number| report.nests[*number].state).min().unwrap_or(State::Refused)
}

/// All that is said of a nest.
fn note(html: &mut Html, report: &Report<'_>, number: usize) {
    let nest = &report.nests[number];
    let (place, class) = (format!("nest-{number}"), format!("note {}", nest.state.word()));
    let attributes =
        [("class", class.as_str()), ("id", &place), ("data-nest", &number.to_string()), ("tabindex", "-1")];
    html.element("div", &attributes, |html| {
        html.element("h4", &[], |html| {
            html.words("span", &[("class", "state")], nest.state.word());
            html.text(" ");
            html.words("code", &[], nest.function());
            if let Some(gain) = nest.gain() {
                html.words("span", &[("class", "gain")], format_args!("predicted gain {}", factor(gain)));
            }
        });
        said(html, nest);
        functions(html, nest);
        for region in nest.records.iter().filter_map(|record| report.regions.of(nest, record)) {
            region.show(html);
        }
        remarks(html, nest);
        html.element("p", &[("class", "back")], |html| html.link("nests", "Back to the table"));
    });
}

/// What was done, why not, what would help, what is assumed, what it took.
fn said(html: &mut Html, nest: &Nest) {
    html.element("dl", &[], |html| {
        let mut entry = |what: &str, texts: Vec<String>| {
            if texts.is_empty() {
                return;
            }
            html.words("dt", &[], what);
            texts.iter().for_each(|text| html.words("dd", &[], text));
        };
        let about = |wanted: fn(&Record) -> bool| nest.records.iter().filter(move |record| wanted(record));
        let texts = |key: &'static str, wanted: fn(&Record) -> bool| {
            let mut texts: Vec<String> = about(wanted).flat_map(|record| record.all(key)).map(str::to_owned).collect();
            texts.dedup();
            texts
        };
        entry("Done", about(|record| record.kind == Kind::Passed).flat_map(deeds).collect());
        entry("Checked", checks(nest));
        let mut reasons: Vec<String> =
            about(|record| record.kind != Kind::Analysis).flat_map(|record| reasons(nest, record)).collect();
        reasons.dedup();
        if reasons.is_empty() {
            reasons.extend(nest.reason());
        }
        entry("Why", reasons);
        entry("What helps", texts("Help", |_| true));
        entry("Done with less", texts("SteppedDown", |_| true));
        let work =
            nest.operations().map(|count| format!("about {} ms ({count} counted operations)", milliseconds(count)));
        entry("Compile time", work.into_iter().collect());
        if nest.compilations > 1 {
            entry("Met in", vec![counted(nest.compilations, "compilation")]);
        }
    });
}

/// Why a nest, or a version of it, is as it is. What has new code may have versions that stay as they were: they are named, as
/// their reasons are none of the nest.
fn reasons(nest: &Nest, record: &Record) -> Vec<String> {
    let version = record.argument("Version").filter(|_| nest.state == State::Transformed);
    let version = version.map_or(String::new(), |version| format!("{version}: "));
    record.all("Reason").map(|reason| format!("{version}{reason}")).collect()
}

/// The functions, where there are several.
fn functions(html: &mut Html, nest: &Nest) {
    if nest.functions.len() < 2 {
        return;
    }
    html.element("details", &[], |html| {
        html.words("summary", &[], counted(nest.functions.len(), "function"));
        html.words("p", &[("class", "remark")], nest.functions.join(", "));
    });
}

/// The compiler's own words, where they say more than what stands above.
fn remarks(html: &mut Html, nest: &Nest) {
    if nest
        .records
        .iter()
        .all(|record| record.argument("Reason").is_some_and(|reason| record.text() == format!("refused: {reason}")))
    {
        return;
    }
    html.element("details", &[], |html| {
        html.words("summary", &[], "The compiler's words");
        for record in &nest.records {
            html.element("p", &[("class", "remark")], |html| {
                html.words("b", &[], &record.name);
                html.text(" ");
                html.text(record.text());
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{reasons, whole, windows};
    use crate::report::collect::Compilation;
    use crate::report::nest::Nest;
    use crate::report::source::Sources;
    use crate::report::yaml::records;

    #[test]
    fn versions_that_stay_as_they_were_are_named() {
        let record = |kind: &str, arguments: &str| {
            format!(
                "--- !{kind}\nPass: p\nName: n\nFunction: f\nDebugLoc: {{ File: a, Line: 1, Column: 1 }}\nArgs: {arguments}\n...\n"
            )
        };
        let left = record("Missed", "[{Version: where it rains}, {Reason: r}]");
        let told = |text: &str| -> Vec<String> {
            let records = records(text).unwrap();
            let one = Compilation { file: "a.opt.yaml".into(), records, folder: None, milliseconds: None };
            let nests = Nest::all(&[one], &mut Sources::default());
            nests[0].records.iter().flat_map(|record| reasons(&nests[0], record)).collect()
        };
        assert_eq!(told(&(left.clone() + &record("Passed", "[]"))), ["where it rains: r"]);
        assert_eq!(told(&left), ["r"]);
    }

    #[test]
    fn windows_do_not_touch() {
        assert_eq!(windows(100, &[10, 20, 80], (3, 14)), [7..35, 77..95]);
        assert_eq!(windows(12, &[1, 12], (3, 14)), whole(12, &[1]));
        assert!(windows(5, &[], (1, 1)).is_empty() && whole(5, &[]).is_empty());
    }
}
