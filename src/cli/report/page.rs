//! The page: totals, the table of nests, and the sources with what is said of their loops.

use super::collect::Compilation;
use super::content::Report;
use super::html::Html;
use super::listing::sources;
use super::nest::{Nest, State, in_order};
use super::table::table;
use super::words::{counted, factor, meaning};

/// How the page looks.
const STYLE: &str = include_str!("page.css");

/// What it does: filters and orders of the table. All that it tells is there without.
const SCRIPT: &str = include_str!("page.js");

/// Nothing comes from outside, whatever is in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// Writes the page.
pub fn page(report: &Report<'_>) -> String {
    let mut html = Html::default();
    html.own("<!DOCTYPE html>\n");
    html.element("html", &[("lang", "en")], |html| {
        html.element("head", &[], |html| head(html, report.title));
        html.line();
        html.element("body", &[], |html| body(html, report));
    });
    html.line();
    html.finish()
}

fn head(html: &mut Html, title: &str) {
    html.empty("meta", &[("charset", "utf-8")]);
    html.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    html.empty("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    html.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
    html.empty("link", &[("rel", "icon"), ("href", "data:,")]);
    html.words("title", &[], format_args!("{title}: loop nests"));
    html.element("style", &[], |html| html.own(STYLE));
}

fn body(html: &mut Html, report: &Report<'_>) {
    html.element("a", &[("class", "skip"), ("href", "#nests")], |html| html.text("Skip to the loop nests"));
    html.element("header", &[], |html| {
        html.words("p", &[("class", "maker")], format_args!("polyrs {}", env!("CARGO_PKG_VERSION")));
        html.words("h1", &[], report.title);
        html.words("p", &[("class", "lead")], "What became of each loop nest, why, and what would help.");
    });
    html.line();
    html.element("main", &[], |html| {
        notices(html, report.notices);
        totals(html, report);
        let order = in_order(report.nests);
        table(html, report, &order);
        sources(html, report);
    });
    html.line();
    html.element("footer", &[], |html| {
        html.element("p", &[], |html| {
            html.text("Predictions are those of a model of the machine, not measurements. Made by ");
            html.words("code", &[], "polyrs report");
            html.text("; nothing of this page is loaded from elsewhere.");
        });
    });
    html.element("script", &[], |html| html.own(SCRIPT));
}

fn notices(html: &mut Html, notices: &[String]) {
    for notice in notices {
        html.words("p", &[("class", "notice"), ("role", "note")], notice);
    }
}

/// The numbers of all compilations.
fn totals(html: &mut Html, report: &Report<'_>) {
    let of = |state| report.nests.iter().filter(move |nest| nest.state == state);
    let count = |state| of(state).count();
    let about = |state| {
        let functions: usize = of(state).map(|nest| nest.functions.len()).sum();
        // Of a macro or a template there are several.
        let more = if functions > count(state) {
            format!("; {functions} with all functions of macros and templates")
        } else {
            String::new()
        };
        format!("{}{more}", meaning(state))
    };
    html.element("section", &[("aria-labelledby", "totals")], |html| {
        html.words("h2", &[("id", "totals")], "Totals");
        bar(html, report.nests.len(), &State::ALL.map(|state| (state, count(state))));
        html.element("dl", &[("class", "totals")], |html| {
            for state in State::ALL.into_iter().rev() {
                let class = format!("number {}", state.word());
                total(html, &class, &count(state).to_string(), state.word(), &about(state));
            }
            let files = report.compilations.len();
            total(
                html,
                "number",
                &files.to_string(),
                &format!("file{} compiled", if files == 1 { "" } else { "s" }),
                "",
            );
            if let Some(best) = report.nests.iter().filter_map(Nest::gain).max() {
                total(html, "number", &factor(best), "largest gain", "predicted, of one nest");
            }
            if let Some(time) = time(report.compilations) {
                total(html, "number", &time, "compile time", "of the pass, in all files");
            }
        });
    });
    html.line();
}

fn total(html: &mut Html, class: &str, number: &str, what: &str, about: &str) {
    html.element("div", &[("class", class)], |html| {
        html.words("dt", &[], what);
        html.element("dd", &[], |html| {
            html.words("b", &[], number);
            if !about.is_empty() {
                html.words("small", &[], about);
            }
        });
    });
}

/// The shares of the states as a bar.
fn bar(html: &mut Html, all: usize, counts: &[(State, usize)]) {
    if all == 0 {
        return;
    }
    let told: Vec<String> = counts.iter().rev().map(|(state, count)| format!("{count} {}", state.word())).collect();
    let label = format!("{}: {}", counted(all, "nest"), told.join(", "));
    html.element("div", &[("class", "bar"), ("role", "img"), ("aria-label", &label)], |html| {
        for (state, count) in counts.iter().rev().filter(|(_, count)| *count > 0) {
            html.element("span", &[("class", state.word()), ("style", &format!("flex-grow:{count}"))], |_| {});
        }
    });
}

/// How long the pass took, where the records say so.
fn time(compilations: &[Compilation]) -> Option<String> {
    let times: Vec<u64> = compilations.iter().filter_map(|one| one.milliseconds).collect();
    let sum: u64 = times.iter().sum();
    (!times.is_empty())
        .then(|| if sum < 1000 { format!("{sum} ms") } else { format!("{}.{} s", sum / 1000, sum % 1000 / 100) })
}
