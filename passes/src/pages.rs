//! Pages of the documentation that are made of what the code says; `POLYRS_BLESS=1` writes them anew.

use std::fmt::Write as _;
use std::path::Path;

use crate::llvm::{advice, options::OWN};
use crate::options::Options;
use polyrs_host::OptionRow;

/// What comes before the part of a page that is made here.
const MARK: &str = "<!-- From here on written by a test of the passes (POLYRS_BLESS=1). -->\n";

/// Compares the end of a page of docs with what was made for it.
fn compare(page: &str, made: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
    let text = std::fs::read_to_string(&file).unwrap();
    let (head, known) = text.split_once(MARK).expect("the page says where the rest begins");
    let made = format!("\n{made}");
    if known != made && std::env::var_os("POLYRS_BLESS").is_some_and(|bless| bless == "1") {
        std::fs::write(&file, format!("{head}{MARK}{made}")).unwrap();
        return;
    }
    assert_eq!(known, made, "run with POLYRS_BLESS=1 to write the rest of docs/{page} anew");
}

/// Text in a cell of a table: what may be taken for HTML or the end of the cell is none.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

fn table(rows: &[OptionRow]) -> String {
    let mut table = "| option | values | default | what it does |\n|---|---|---|---|\n".to_owned();
    for row in rows {
        let (name, values, help) = (row.name.to_text(), row.metavar.to_text(), row.help.to_text());
        let default = row.initial.to_text();
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        let _ = writeln!(table, "| `{name}` | `{}` | {default} | {} |", values.replace('|', "\\|"), cell(&help));
    }
    table
}

#[test]
fn the_options_are_listed() {
    let count = polyrs_core::driver::OPTIONS.len();
    let (optimizer, own) = Options::ROWS.split_at(count);
    let made = format!(
        "## What is done to a region\n\nThe passes and the command have these. `parallel` is `false` by default with clang, flang and opt.\n\n{}\n\
         ## Files, functions and looking inside\n\n{}\n\
         ## clang, flang and opt only\n\n`dump` also takes `raised`, `facts` and `kernels` there (docs/debugging.md).\n\n{}",
        table(optimizer),
        table(own),
        table(OWN)
    );
    compare("options.md", &made);
}

#[test]
fn reasons_are_listed_with_what_helps() {
    let mut made = "| what is said | what helps |\n|---|---|\n".to_owned();
    for reason in advice::ALL {
        let help = advice::help(reason).unwrap_or_default();
        let _ = writeln!(made, "| {} | {} |", cell(&reason.to_string()), cell(help));
    }
    compare("limits.md", &made);
}
