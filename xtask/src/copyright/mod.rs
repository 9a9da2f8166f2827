//! The file `copyright` of what is installed: who wrote what is linked in, and under which terms, in Debian's
//! machine-readable form.

mod crates;

use crate::command::Command;
use crate::project::Project;
use anyhow::{Context, Result, bail};
use crates::Crate;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What Debian says of MLIR, whose C API is linked in from archives.
const MLIR: &str = "/usr/share/doc/libmlir-22-dev/copyright";

/// Licences that have a paragraph of their own.
const OURS: [(&str, &str); 2] = [("Apache-2.0", "LICENSE-APACHE"), ("MIT", "LICENSE-MIT")];

/// The text that ends the terms of Apache-2.0; what follows says how to use them.
const END: &str = "END OF TERMS AND CONDITIONS";

/// What several crates have in common: their terms, and the texts of these.
type Terms = (String, String);

/// Crates of the same terms.
#[derive(Default)]
struct Group {
    files: Vec<String>,
    holders: Vec<String>,
}

/// The file.
///
/// # Errors
/// When a crate has no terms, or no text of them can be found.
pub fn text(project: &Project) -> Result<String> {
    let licence = |file: &str| {
        let path = project.root.join(file);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let apache = words(&licence(OURS[0].1)?);
    let mut text = header(&licence(OURS[1].1)?);
    let mut groups: BTreeMap<Terms, Group> = BTreeMap::new();
    for one in crates::linked(project)? {
        let group = groups.entry(terms(&one, &apache)?).or_default();
        group.files.push(format!("vendor/{}/*", one.name));
        for holder in holders(&one) {
            if !group.holders.contains(&holder) {
                group.holders.push(holder);
            }
        }
    }
    let mut groups: Vec<(Terms, Group)> = groups.into_iter().collect();
    groups.sort_by(|(_, a), (_, b)| a.files.cmp(&b.files));
    for ((terms, body), group) in &groups {
        text.push_str(&paragraph(&group.files, &group.holders, terms, body));
    }
    text.push_str(&runtime_of_rust(project)?);
    text.push_str(&paragraph(
        &["mlir/*".to_owned()],
        &["the contributors of LLVM".to_owned()],
        "Apache-2.0 with LLVM-exception",
        &exception(&std::fs::read_to_string(MLIR).with_context(|| format!("{MLIR} (package libmlir-22-dev)"))?)?,
    ));
    for (name, file) in OURS {
        let licence = licence(file)?;
        let lines: Vec<&str> = licence.trim_end().lines().filter(|line| holder(line).is_none()).collect();
        let _ = write!(text, "\nLicense: {name}\n{}", indented(&lines.join("\n")));
    }
    Ok(text)
}

/// What is ours.
fn header(mit: &str) -> String {
    let holders: Vec<String> = mit.lines().filter_map(holder).collect();
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: polyrs\n\
         Comment: The libraries and the program hold code of the crates that are named below as in a folder made by\n \
         `cargo vendor`, isl in vendor/isl-rs among them, of Rust's standard library, and of MLIR's C API.\n\
         {}",
        paragraph(&["*".to_owned()], &holders, "MIT or Apache-2.0", "")
    )
}

/// Rust's standard library, which is a part of every library and program.
fn runtime_of_rust(project: &Project) -> Result<String> {
    let version = Command::new("rustc").arg("--version").directory(&project.root).checked()?.stdout;
    let version = version.split_whitespace().nth(1).unwrap_or("unknown").to_owned();
    let holders = ["the contributors of the Rust project".to_owned()];
    Ok(paragraph(&[format!("rust-{version}/library/*")], &holders, "MIT or Apache-2.0", ""))
}

/// What a crate's terms are called, and their texts. The text of Apache-2.0 is long, and the same everywhere: it has a
/// paragraph.
fn terms(one: &Crate, apache: &str) -> Result<Terms> {
    let called = one.terms.replace(" OR ", " or ").replace(" AND ", " and ").replace(" WITH ", " with ");
    let (same, others): (Vec<&String>, Vec<&String>) =
        one.texts.iter().partition(|text| terms_of_apache(&words(text)) == terms_of_apache(apache));
    if one.texts.is_empty() {
        // Any of those that it offers will do.
        let offered = |name: &&str| !called.contains(" and ") && called.split(" or ").any(|it| it == *name);
        let Some(known) = OURS.iter().map(|(name, _)| *name).find(offered) else {
            bail!("the crate {} is under `{}` and has no text of that", one.name, one.terms);
        };
        return Ok((known.to_owned(), String::new()));
    }
    let mut body: Vec<String> = others.iter().map(|text| text.trim().to_owned()).collect();
    if !same.is_empty() && !body.is_empty() {
        body.push("The text of Apache-2.0 is below.".to_owned());
    }
    body.dedup();
    if body.is_empty() && !is_ours(&called) {
        body.push("The text of Apache-2.0 is below.".to_owned());
    }
    Ok((called, body.join("\n\n")))
}

/// Whether all that these words name has a paragraph.
fn is_ours(called: &str) -> bool {
    called.split(" or ").all(|name| OURS.iter().any(|(ours, _)| *ours == name))
}

/// The words of a text, without how it is broken into lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn terms_of_apache(words: &str) -> &str {
    words.split_once(END).map_or(words, |(terms, _)| terms)
}

/// Who has the rights to a crate, as its licences or else its manifest say.
fn holders(one: &Crate) -> Vec<String> {
    let mut found: Vec<String> = one.texts.iter().flat_map(|text| text.lines()).filter_map(holder).collect();
    found.dedup();
    if found.is_empty() {
        found.extend(one.authors.iter().cloned());
    }
    if found.is_empty() {
        found.push(format!("the authors of {}", one.name));
    }
    found
}

/// Whom a line names that says who has the rights, with the years.
fn holder(line: &str) -> Option<String> {
    let line = line.trim();
    let rest = line.strip_prefix("Copyright")?.trim_start();
    let after = ["(c)", "(C)", "©"].iter().find_map(|sign| rest.strip_prefix(sign)).map(str::trim_start);
    let is_year = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    match (after, is_year(rest)) {
        (Some(name), _) if !name.is_empty() && !name.starts_with(['[', '{', '<']) => Some(name.to_owned()),
        (None, true) => Some(rest.to_owned()),
        _ => None,
    }
}

/// The exceptions of LLVM's licence, in Debian's words about MLIR.
fn exception(debian: &str) -> Result<String> {
    let lines = debian.lines().skip_while(|line| !line.contains("LLVM Exceptions to the Apache 2.0 License"));
    let lines: Vec<&str> = lines.take_while(|line| line.starts_with(' ')).map(str::trim).collect();
    if lines.is_empty() {
        bail!("{MLIR} does not say what the exceptions of LLVM's licence are");
    }
    let text: Vec<&str> = lines.into_iter().map(|line| if line == "." { "" } else { line }).collect();
    Ok(format!("The text of Apache-2.0 is below.\n\n{}", text.join("\n")))
}

/// A paragraph about files.
fn paragraph(files: &[String], holders: &[String], terms: &str, body: &str) -> String {
    format!("\nFiles: {}\nCopyright: {}\nLicense: {terms}\n{}", files.join("\n "), holders.join("\n "), indented(body))
}

/// Text inside of a field.
fn indented(text: &str) -> String {
    let line = |line: &str| if line.trim().is_empty() { " .\n".to_owned() } else { format!(" {}\n", line.trim_end()) };
    text.lines().map(line).collect()
}

/// Whether the file names a crate whose name, with its version, begins so. Tests ask it.
pub fn names(text: &str, name: &str) -> bool {
    let start = format!("vendor/{name}");
    text.lines().any(|line| line.strip_prefix("Files:").unwrap_or(line).trim().starts_with(&start))
}

#[cfg(test)]
mod tests {
    use super::{Crate, exception, holder, indented, is_ours, terms};

    fn of(terms: &str, texts: &[&str]) -> Crate {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Crate { name: "a-1".into(), terms: terms.into(), authors: Vec::new(), texts }
    }

    #[test]
    fn holders_are_told_from_templates() {
        assert_eq!(holder("Copyright (c) 2015 Somebody"), Some("2015 Somebody".into()));
        assert_eq!(holder("  Copyright 2015-2020 A, B"), Some("2015-2020 A, B".into()));
        assert_eq!(holder("Copyright [yyyy] [name of copyright owner]"), None);
        assert_eq!(holder("Copyright (c) <year> <name>"), None);
        assert_eq!(holder("Copyright notices shall be kept"), None);
    }

    #[test]
    fn the_text_of_apache_is_there_once() {
        let apache = "Apache License, all of it END OF TERMS AND CONDITIONS";
        let (called, body) = terms(&of("MIT OR Apache-2.0", &[apache, "MIT of a"]), apache).unwrap();
        assert_eq!(called, "MIT or Apache-2.0");
        assert_eq!(body, "MIT of a\n\nThe text of Apache-2.0 is below.");
        assert_eq!(terms(&of("Apache-2.0", &[apache]), apache).unwrap(), ("Apache-2.0".into(), String::new()));
    }

    #[test]
    fn a_crate_without_a_text_needs_terms_that_are_known() {
        assert_eq!(terms(&of("Zlib OR MIT", &[]), "x").unwrap().0, "MIT");
        assert!(terms(&of("Zlib", &[]), "x").is_err());
        assert!(terms(&of("MIT AND Zlib", &[]), "x").is_err());
        assert!(is_ours("MIT or Apache-2.0") && !is_ours("Zlib or MIT"));
    }

    #[test]
    fn texts_stand_in_fields() {
        assert_eq!(indented("a\n\nb  "), " a\n .\n b\n");
        let debian =
            "License: x\n first\n ---- LLVM Exceptions to the Apache 2.0 License ----\n .\n As one\n\nFiles: y";
        assert!(exception(debian).unwrap().ends_with("----\n\nAs one"));
        assert!(exception("nothing").is_err());
    }
}
