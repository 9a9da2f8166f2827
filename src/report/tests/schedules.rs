//! What the schedulers make of PolyBench: docs/schedules.md is up to date, and `unified-cpu` keeps what its report
//! promises.
//!
//! `POLYRS_BLESS=1` writes the tables anew.

use polyrs::check::legality::{Assumptions, check};
use polyrs::cost::{Contiguity, contiguity};
use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::Ctx;
use polyrs::scop::{Scop, StatementId};
use polyrs_report::{Best, Contestant, Row, best_permutation, row, table, total};
use std::path::{Path, PathBuf};

/// The tables follow this line of docs/schedules.md.
const MARKER: &str = "<!-- From here on written by `cargo xtask table`. -->\n";

/// The kernels and their expanded variants, by name.
fn kernels() -> Vec<(String, Scop)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("test/polybench/scop");
    let named = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).unwrap();
        let scop = Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{}:{error}", file.display()));
        (file.file_stem().unwrap().to_str().unwrap().to_owned(), scop)
    };
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut kernels: Vec<(String, Scop)> = files.map(named).collect();
    kernels.sort_by(|(one, _), (other, _)| one.cmp(other));
    assert_eq!(kernels.len(), 34);
    kernels
}

#[test]
fn the_tables_are_up_to_date_and_the_promises_are_kept() {
    let kernels = kernels();
    let rows: Vec<Row> = kernels.iter().map(|(name, scop)| row(name, scop).unwrap()).collect();
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("docs/schedules.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (words, written) = text.split_once(MARKER).expect("docs/schedules.md has the line that the tables follow");
    let tables = table(&rows);
    if std::env::var_os("POLYRS_BLESS").is_some_and(|bless| bless == "1") {
        std::fs::write(&file, format!("{words}{MARKER}{tables}")).unwrap();
    } else {
        assert_eq!(written, tables, "docs/schedules.md is out of date: see `cargo xtask table --help`");
    }
    let complaints = rows
        .iter()
        .flat_map(|row| [unexplained_losses(row), lost_contiguity(row), recurrences(row), illegal(row)].concat());
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Where another strategy has a parallel loop farther outside, the scheduler names the rule that gave it up, and
/// without the rule it is there.
fn unexplained_losses(row: &Row) -> Vec<String> {
    let unexplained = row.losses.iter().filter(|loss| loss.rules.is_empty());
    unexplained.map(|loss| format!("{}: {loss:?}", row.name)).collect()
}

/// Innermost accesses are as contiguous as in any legal order of the loops, and as under any other strategy.
fn lost_contiguity(row: &Row) -> Vec<String> {
    let Some(best) = &row.best else { return vec![format!("{}: the search took too long", row.name)] };
    let ours = total(&row.of(Contestant::UnifiedCpu).reordered).contiguous;
    let others = row.found.iter().map(|found| total(&found.reordered).contiguous).max().unwrap_or(0);
    let mut complaints = Vec::new();
    for (who, most) in [("the best order", best.contiguous()), ("another strategy", others)] {
        if ours < most {
            complaints.push(format!("{}: {ours} contiguous accesses and not {most} as in {who}", row.name));
        }
    }
    complaints
}

/// The checker accepts the trees of our schedulers, and the best order of loops, which has the accesses that are
/// claimed.
fn illegal(row: &Row) -> Vec<String> {
    let scop = row.region.scop;
    let found = Contestant::ALL.iter().zip(&row.found).filter(|(contestant, _)| contestant.strategy().is_some());
    let trees = found.map(|(contestant, found)| (contestant.name(), &found.tree));
    let best = row.best.as_ref();
    let mut complaints = Vec::new();
    for (who, tree) in trees.chain(best.map(|best| ("the best order", &best.tree))) {
        if let Err(error) = check(scop, tree, &Assumptions::default()) {
            complaints.push(format!("{}: {who}: {error}", row.name));
        }
    }
    if let Some(best) = best {
        let counted = total(&contiguity(scop, &best.tree).unwrap()).contiguous;
        if counted != best.contiguous() {
            complaints.push(format!("{}: the best order has {counted} and not {}", row.name, best.contiguous()));
        }
    }
    complaints
}

/// What is taken differs from what suits memory best only to avoid recurrences of operations.
fn recurrences(row: &Row) -> Vec<String> {
    let ours = row.of(Contestant::UnifiedCpu);
    let (memory, taken) = (total(&ours.reordered), total(&ours.taken));
    let fewer = taken.contiguous < memory.contiguous && taken.recurrences >= memory.recurrences;
    fewer.then(|| format!("{}: {taken:?} is taken and not {memory:?}", row.name)).into_iter().collect()
}

fn parse(text: &str) -> Scop {
    Scop::parse(&Ctx::new(), text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A nest of two loops, 0 to N, around one statement.
fn nest(reads: &[&str], write: &str, rank: usize) -> Scop {
    let extent = vec!["?"; rank].join("\", \"");
    let mut text = format!(
        "scop: nest\nparameters: [N]\narrays:\n  A: {{ kind: memory, element: f64, extent: [\"{extent}\"] }}\n\
         statements:\n  S:\n    text: x\n    domain: \"{{ S[i, j] : 0 <= i, j < N }}\"\n    accesses:\n"
    );
    for (n, read) in reads.iter().enumerate() {
        text += &format!("      - read R{n}: \"{{ S[i, j] -> A[{read}] }}\"\n");
    }
    text += &format!(
        "      - must_write W: \"{{ S[i, j] -> A[{write}] }}\"\nschedule:\n  domain: \"{{ S[i, j] : 0 <= i, j < N }}\"\n  \
         child:\n    schedule: \"[{{ S[i, j] -> [(i)] }}, {{ S[i, j] -> [(j)] }}]\"\nlive_out: \"{{ A[{}] }}\"\n",
        ["a", "b", "c"][..rank].join(", ")
    );
    parse(&text)
}

fn best(scop: &Scop) -> Best {
    let dependences = Dependences::compute(scop, Mode { live_range_reordering: false, ..Mode::default() }).unwrap();
    best_permutation(scop, &dependences.all().unwrap(), 1_000).unwrap().unwrap()
}

fn counted(scop: &Scop) -> (usize, usize, usize) {
    let Contiguity { contiguous, accesses, recurrences } = total(&contiguity(scop, &scop.schedule).unwrap());
    (contiguous, accesses, recurrences)
}

#[test]
fn neighbours_and_the_same_element_are_contiguous() {
    assert_eq!(counted(&nest(&["i, j", "j, i", "i, 2j", "i, -j", "i, i", "j, j"], "i, j + 3", 2)), (4, 7, 0));
    assert_eq!(counted(&nest(&["i", "i + j"], "i", 1)), (3, 3, 1));
    assert_eq!(counted(&nest(&["j", "i + j"], "j", 1)), (3, 3, 0));
}

#[test]
fn loops_change_places_only_where_dependences_let_them() {
    let innermost = |scop: &Scop| best(scop).statements[&StatementId(0)].position;
    let free = nest(&["j, i"], "j, i", 2);
    assert_eq!((innermost(&free), best(&free).contiguous()), (0, 2));
    // Element (j, i) comes from (j + 1, i - 1): with the loops exchanged it would be read after it is written.
    let bound = nest(&["j + 1, i - 1"], "j, i", 2);
    assert_eq!((innermost(&bound), best(&bound).contiguous()), (1, 0));
}

/// Two statements in a nest of two loops, each with what it reads and writes. D is only read.
fn pair(first: (&[&str], &str), second: (&[&str], &str)) -> Scop {
    let mut text = String::from("scop: pair\nparameters: [N]\narrays:\n");
    for array in ["A", "B", "D"] {
        text += &format!("  {array}: {{ kind: memory, element: f64, extent: [\"?\", \"?\"] }}\n");
    }
    text += "statements:\n";
    for (name, (reads, write)) in [("S", first), ("T", second)] {
        text += &format!("  {name}:\n    text: x\n    domain: \"{{ {name}[i, j] : 0 <= i, j < N }}\"\n    accesses:\n");
        for (n, read) in reads.iter().enumerate() {
            text += &format!("      - read {name}{n}: \"{{ {name}[i, j] -> {read} }}\"\n");
        }
        text += &format!("      - must_write {name}: \"{{ {name}[i, j] -> {write} }}\"\n");
    }
    parse(
        &(text
            + "schedule:\n  domain: \"{ S[i, j] : 0 <= i, j < N; T[i, j] : 0 <= i, j < N }\"\n  child:\n    schedule: \"\
           [{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }, { S[i, j] -> [(j)]; T[i, j] -> [(j)] }]\"\n    child:\n      \
           sequence:\n        - filter: \"{ S[i, j] }\"\n        - filter: \"{ T[i, j] }\"\nlive_out: \"{ A[a, b]; \
           B[a, b] }\"\n"),
    )
}

#[test]
fn statements_are_distributed_but_not_out_of_a_circle() {
    let second: (&[&str], &str) = (&["A[j, i]", "D[i, j]"], "B[i, j]");
    // S needs nothing of T: it has i innermost, and T has j.
    let apart = pair((&["B[i + N, j]", "D[j, i]"], "A[j, i]"), second);
    assert_eq!(best(&apart).contiguous(), 4);
    // What T writes is read in the next iteration of i: one of the two loops is outside for both.
    let together = pair((&["B[i - 1, j]", "D[j, i]"], "A[j, i]"), second);
    assert_eq!(best(&together).contiguous(), 3);
}
