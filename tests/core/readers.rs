//! Text readers end soon and without a panic on whatever they are given: thousands of texts made from good ones.
//!
//! The same functions are the targets of `cargo fuzz` in `fuzz/`. The texts are the same in each run.
//! `POLYRS_CAMPAIGN=N` makes N times as many.

#[path = "../../fuzz/src/lib.rs"]
mod entries;

use entries::{ENTRIES, Entry};
use fastrand::Rng;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Texts for each reader.
const TEXTS: usize = 1500;

/// No text takes longer than this, by far: a bound on work would strike before.
const LONGEST: Duration = Duration::from_secs(60);

/// Words that mean something to some reader.
const WORDS: &[&str] = &[
    " and ",
    " or ",
    " mod ",
    " exists (e0: ",
    "floor(",
    " -> ",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "; ",
    ": ",
    ", ",
    "/",
    "-",
    "not ",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999999",
    "0",
    "1",
    "4294967295",
    "\"",
    "'",
    "\\",
    "\n",
    "\n  ",
    "\t",
    "#",
    "child:",
    "- filter: ",
    "mark: ",
    "domain: ",
    "sequence:",
    "?",
    "&a ",
    "*a",
    "|\n",
    "\u{0}",
    "\u{e9}",
    "\u{1F600}",
    "infty",
    "NaN",
    "base: host\n",
    "caches: ",
    "gpu: sm_90\n",
    "K",
    "--schedule-",
    "=",
    "%",
    "true",
    "implies",
    "ceild",
    "min(",
    "max(",
    "<=",
    "<<",
    "!=",
    "e1",
];

/// A range of a text of this length, mostly a short one.
fn range_of(numbers: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let most = if numbers.usize(..4) == 0 { length } else { 16 };
    let start = numbers.usize(..length + 1);
    start..(start + numbers.usize(..most + 1)).min(length)
}

/// A text made from a good one by a few changes.
fn mutated(seeds: &[Vec<char>], numbers: &mut Rng) -> String {
    let mut text = seeds[numbers.usize(..seeds.len())].clone();
    for _ in 0..=numbers.usize(..4) {
        let range = range_of(numbers, text.len());
        match numbers.usize(..8) {
            0 => drop(text.drain(range)),
            1 => {
                let copy = text[range.clone()].to_vec();
                text.splice(range.end..range.end, copy);
            }
            2 => {
                let other = &seeds[numbers.usize(..seeds.len())];
                let part = other[range_of(numbers, other.len())].to_vec();
                text.splice(range, part);
            }
            3 => text.truncate(range.start),
            // Deep nesting and long chains: whatever is read by recursion meets its bound.
            4 if numbers.usize(..12) == 0 => {
                let word = WORDS[numbers.usize(..WORDS.len())].repeat(1 + numbers.usize(..30_000));
                text.splice(range.start..range.start, word.chars());
            }
            _ => {
                let word = WORDS[numbers.usize(..WORDS.len())];
                let end = if numbers.usize(..2) == 0 { range.start } else { (range.start + 1).min(text.len()) };
                text.splice(range.start..end, word.chars());
            }
        }
    }
    text.into_iter().collect()
}

/// The texts of files below a folder that end like this.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Good texts for a reader.
fn seeds(name: &str) -> Vec<String> {
    match name {
        "scop" => files("test/scop", ".scop"),
        "tree" => vec![tree()],
        "constraints" => files("test/schedule", ".sc"),
        "machine" => {
            let mut texts = files("test", "machine.txt");
            texts.extend([
                polyrs::machine::Machine::generic().to_string(),
                "base: host\ncaches: 48K, 1M, 32M/8\n".into(),
                polyrs::machine::Gpu::preset("sm_80").unwrap().to_string(),
            ]);
            texts
        }
        "strategy" => vec![
            polyrs::schedule::Strategy::ppcg().to_string(),
            "preset = \"pluto\"\nfusion = \"max\"\n[[steps]]\nproblem = \"hyperplane\"\ncoincident = \"one\"\n".into(),
        ],
        "words" => vec![
            "--schedule-outer-coincidence --schedule-max-coefficient=4 --no-schedule-treat-coalescing".into(),
            "--schedule-algorithm feautrier 256,128/32,8 64/4".into(),
            "parallel private(A, B)\nthread x 1\ntile 3\nvector\nf64 i1 x128".into(),
        ],
        other => panic!("{other} has no texts to start from"),
    }
}

/// A tree of the region that trees are read for.
fn tree() -> String {
    let ctx = polyrs::isl::Ctx::new();
    let text = files("test/scop/basic", "gemm.scop").remove(0);
    let scop = polyrs::scop::Scop::parse(&ctx, &text).unwrap();
    polyrs::scop::text::schedule_to_text(&scop.schedule).unwrap()
}

/// Reads a text; what went wrong.
fn complaint(entry: Entry, text: &str) -> Option<String> {
    let start = Instant::now();
    if catch_unwind(|| entry(text)).is_err() {
        return Some("a panic".to_owned());
    }
    let took = start.elapsed();
    (took > LONGEST).then(|| format!("{took:?}"))
}

fn campaign(name: &str) {
    let (_, entry) = ENTRIES.iter().find(|(known, _)| *known == name).unwrap();
    let times = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let good = seeds(name);
    assert!(!good.is_empty(), "{name}");
    let seeds: Vec<Vec<char>> = good.iter().map(|text| text.chars().collect()).collect();
    let mut numbers = Rng::with_seed(name.bytes().map(u64::from).sum());
    let made = (0..TEXTS * times).map(|_| mutated(&seeds, &mut numbers));
    for (number, text) in good.iter().cloned().chain(made).enumerate() {
        if let Some(complaint) = complaint(*entry, &text) {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{number}.txt"));
            fs::write(&file, &text).unwrap();
            panic!("{name}: {complaint}; the text is in {}", file.display());
        }
    }
}

#[test]
fn regions() {
    campaign("scop");
}

#[test]
fn trees() {
    campaign("tree");
}

#[test]
fn constraints() {
    campaign("constraints");
}

#[test]
fn machines() {
    campaign("machine");
}

#[test]
fn strategies() {
    campaign("strategy");
}

#[test]
fn words() {
    campaign("words");
}

/// isl itself overflows the stack on the first four, and computes for minutes on the last two.
#[test]
fn what_is_too_large_for_isl_is_refused() {
    let (many, more) = (200_000, 1_000_000);
    for set in [
        format!("{{ S[i] : {}i > 0{} }}", "(".repeat(more), ")".repeat(more)),
        format!("{{ S[i] : {}i > 0{} }}", "exists (e : ".repeat(many), ")".repeat(many)),
        format!("{{ S[i] : i > {}i{} }}", "floor(".repeat(many), ")".repeat(many)),
        format!("{{ {} }}", "[".repeat(more)),
        format!("{{ S[i] : i > {} }}", "9".repeat(more)),
        format!("{{ S[{}i] }}", "i, ".repeat(many)),
    ] {
        let start = Instant::now();
        for (name, text) in [
            (
                "scop",
                format!(
                    "scop: deep\ncontext: \"{set}\"\narrays: {{}}\nstatements: {{}}\nschedule: {{ domain: \"{{ }}\" }}\nlive_out: \"{{ }}\""
                ),
            ),
            ("tree", format!("domain: \"{set}\"")),
            ("constraints", format!("domain: {set}")),
        ] {
            let (_, entry) = ENTRIES.iter().find(|(known, _)| *known == name).unwrap();
            assert_eq!(complaint(*entry, &text), None, "{name}: {}", &set[..30]);
        }
        assert!(start.elapsed() < LONGEST, "{}", &set[..30]);
    }
}

/// isl takes what begins so for a schedule tree, and a number in it for a pointer.
#[test]
fn trees_in_the_place_of_sets_are_refused() {
    constraint_of("domain: domain: 5 { A[i] }");
    constraint_of("domain: \"{ domain: 12345 }\"");
    constraint_of("domain: { domain: domain 2015 }");
    entries::tree("domain: \"{ domain: 2015 }\"");
    entries::scop("scop: a\ncontext: \"domain: 2015 {}\"\narrays: {}\nstatements: {}\nschedule: {}\nlive_out: \"{ }\"");
}

fn constraint_of(text: &str) {
    let error = polyrs::scop::text::parse_constraints(&polyrs::isl::Ctx::new(), text).unwrap_err();
    assert!(error.message.contains("schedule tree"), "{error}");
}

#[test]
fn every_reader_has_a_target() {
    for (name, _) in ENTRIES {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fuzz/fuzz_targets/{name}.rs"));
        assert!(fs::read_to_string(target).unwrap().contains(&format!("polyrs_fuzz::{name}(text)")), "{name}");
    }
}
