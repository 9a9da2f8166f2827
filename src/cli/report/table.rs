//! The table of nests, with what chooses among them.

use super::content::Report;
use super::html::Html;
use super::nest::{Nest, State};
use super::words::{counted, deeds, factor, milliseconds};
use std::collections::BTreeSet;

/// Columns: the heading, and what the script orders them by: `text`, `number`, or the order that the page comes in.
const COLUMNS: [(&str, &str); 6] = [
    ("Nest", "text"),
    ("State", "order"),
    ("Depth", "number"),
    ("Gain", "number"),
    ("Work", "number"),
    ("What was done, or why not", "text"),
];

/// Writes the table, in an order of nests.
pub fn table(html: &mut Html, report: &Report<'_>, order: &[usize]) {
    html.element("section", &[("aria-labelledby", "nests")], |html| {
        html.words("h2", &[("id", "nests"), ("tabindex", "-1")], "Loop nests");
        html.words(
            "p",
            &[],
            "What refused nests would gain is not known. So they come first, the deepest first; then nests that were left, for \
             which nothing better was found; then those with new code, by the predicted gain.",
        );
        filters(html, report);
        html.element("table", &[("id", "table")], |html| {
            html.words("caption", &[], "Loop nests by what may be left to gain");
            html.element("thead", &[], |html| {
                html.element("tr", &[], |html| {
                    for (heading, by) in COLUMNS {
                        html.words("th", &[("scope", "col"), ("data-by", by)], heading);
                    }
                });
            });
            html.line();
            html.element("tbody", &[], |html| {
                for number in order {
                    row(html, report, *number);
                    html.line();
                }
            });
        });
        if order.is_empty() {
            html.words("p", &[("class", "empty")], "The records are of compilations in which no loop nest was met.");
        }
    });
    html.line();
}

/// The form stays hidden where no script brings it to life.
fn filters(html: &mut Html, report: &Report<'_>) {
    html.element(
        "form",
        &[("id", "filters"), ("role", "search"), ("aria-label", "Loop nests"), ("hidden", "")],
        |html| {
            html.element("div", &[("class", "states"), ("role", "group"), ("aria-label", "State")], |html| {
                button(html, "", "all", report.nests.len(), true);
                for state in State::ALL.into_iter().rev() {
                    let count = report.nests.iter().filter(|nest| nest.state == state).count();
                    button(html, state.word(), state.word(), count, false);
                }
            });
            let reasons: BTreeSet<String> = report.nests.iter().filter_map(Nest::reason).collect();
            choice(
                html,
                "reason",
                "Reason",
                "any reason",
                reasons.iter().map(|reason| (reason.as_str(), reason.as_str())),
            );
            let used: BTreeSet<usize> = report.nests.iter().map(|nest| nest.source).collect();
            let files: Vec<(String, String)> = used
                .into_iter()
                .map(|number| (number.to_string(), report.sources.get(number).shown().to_owned()))
                .collect();
            choice(html, "file", "File", "any file", files.iter().map(|(value, name)| (value.as_str(), name.as_str())));
            html.element("label", &[], |html| {
                html.words("span", &[], "Text");
                html.empty("input", &[("type", "search"), ("id", "text"), ("autocomplete", "off")]);
            });
            html.words("output", &[("id", "count"), ("aria-live", "polite")], counted(report.nests.len(), "nest"));
        },
    );
    html.line();
}

fn button(html: &mut Html, value: &str, word: &str, count: usize, is_pressed: bool) {
    let pressed = if is_pressed { "true" } else { "false" };
    let attributes = [("type", "button"), ("data-state", value), ("aria-pressed", pressed)];
    html.words("button", &attributes, format_args!("{word} ({count})"));
}

fn choice<'v>(html: &mut Html, id: &str, label: &str, any: &str, values: impl Iterator<Item = (&'v str, &'v str)>) {
    html.element("label", &[], |html| {
        html.words("span", &[], label);
        html.element("select", &[("id", id)], |html| {
            html.words("option", &[("value", "")], any);
            for (value, name) in values {
                html.words("option", &[("value", value)], name);
            }
        });
    });
}

/// Why a nest is as it is, or what was done to it.
fn outcome(nest: &Nest) -> String {
    nest.reason().unwrap_or_else(|| deeds(nest.main()).join(" "))
}

fn row(html: &mut Html, report: &Report<'_>, number: usize) {
    let nest = &report.nests[number];
    let (place, source) = (number.to_string(), nest.source.to_string());
    let attributes = [("data-nest", place.as_str()), ("data-file", source.as_str()), ("class", nest.state.word())];
    html.element("tr", &attributes, |html| {
        html.element("th", &[("scope", "row")], |html| {
            html.link(&format!("nest-{number}"), nest.function());
            html.words("small", &[], nest.place(report.sources));
        });
        html.element("td", &[], |html| html.words("span", &[("class", "state")], nest.state.word()));
        let numeric = |html: &mut Html, label: &'static str, value: Option<u64>, words: &str| match value {
            None => html.words("td", &[("class", "none")], ""),
            Some(value) => {
                let value = value.to_string();
                let attributes = [("class", "figure"), ("data-value", value.as_str()), ("data-label", label)];
                html.words("td", &attributes, words);
            }
        };
        let depth = Some(nest.depth()).filter(|depth| *depth > 0);
        numeric(html, "Depth", depth, &depth.map_or(String::new(), |depth| depth.to_string()));
        numeric(html, "Gain", nest.gain(), &nest.gain().map_or(String::new(), factor));
        let work = nest.operations().map(milliseconds);
        numeric(html, "Work", work, &work.map_or(String::new(), |time| format!("≈ {time} ms")));
        html.words("td", &[("class", "reason")], outcome(nest));
    });
}
