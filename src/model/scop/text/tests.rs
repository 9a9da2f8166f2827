use super::parse_schedule;
use crate::isl::{Ctx, Schedule};
use crate::scop::{Scop, tree_difference};
use fastrand::Rng;

const SCALE: &str = r#"
scop: "scale:3"
parameters: [n, m]
context: "{ : n >= 1 }"
arrays:
  A: { kind: memory, element: f64, extent: [n, "{ [(n)] : n > m; [(2m)] : n <= m }"] }
  t: { kind: scalar, element: i32, extent: [] }
  L: { kind: local, element: x128, extent: ["?"] }
statements:
  S:
    text: "A[i] \"*=\" 2 # é"
    domain: "{ S[i] : 0 <= i < n }"
    accesses:
      - read R0: "{ S[i] -> A[i, 0] }"
      - must_write R1: "{ S[i] -> t[] }"
      - may_write R2: "[k, n, m] -> { S[i] -> L[j] : k = k and 0 <= j < m }"
    side_effect: true
    block: 7
    parts: 2
  K:
    domain: "{ K[] }"
    accesses:
      - kill R3: "{ K[] -> t[] }"
    may_trap: true
schedule:
  domain: "{ S[i] : 0 <= i < n; K[] }"
  child:
    sequence:
      - filter: "{ S[i] }"
        child:
          mark: parallel
          child:
            schedule: "[{ S[i] -> [(floor(i/32))] }, { S[i] -> [(i + n)] }]"
            permutable: 1
            coincident: [1, 0]
            options: "{ separate[0]; atomic[1] }"
      - filter: "{ K[] }"
live_out: "{ A[i, j] : i < n; t[] }"
"#;

fn scale() -> String {
    SCALE.replace("[k, n, m] -> ", "").replace("k = k and ", "")
}

fn error(text: &str) -> (usize, usize, String) {
    let error = Scop::parse(&Ctx::new(), text).expect_err("the text is wrong");
    (error.line, error.column, error.to_string())
}

/// The text, and the place and message of its error, after a replacement, which must apply.
fn broken(from: &str, to: &str) -> (String, usize, usize, String) {
    let text = scale();
    assert!(text.contains(from), "{from}");
    let text = text.replacen(from, to, 1);
    let (line, column, message) = error(&text);
    (text, line, column, message)
}

#[test]
fn print_and_parse_are_inverse() {
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, &scale()).unwrap();
    let text = scop.to_text().unwrap();
    let again = Scop::parse(&ctx, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(scop.difference(&again).unwrap(), None, "{text}");
    assert_eq!(again.to_text().unwrap(), text);
}

#[test]
fn a_region_made_without_text_round_trips() {
    let ctx = Ctx::new();
    let mut scop = Scop::parse(&ctx, &scale()).unwrap();
    // Parameters that only some objects have, in orders of their own.
    scop.context = crate::isl::Set::parse(&ctx, "[m] -> { : m > 0 }").unwrap();
    scop.statements[0].domain = crate::isl::Set::parse(&ctx, "[q, n] -> { S[i] : 0 <= i < n + q }").unwrap();
    let domain = scop.domain().unwrap().union(scop.kill_domain().unwrap()).unwrap();
    scop.schedule = Schedule::from_domain(domain).unwrap();
    let text = scop.to_text().unwrap();
    assert!(text.contains("parameters: [m, n, q]") || text.contains("parameters: [m, q, n]"), "{text}");
    let again = Scop::parse(&ctx, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(scop.difference(&again).unwrap(), None, "{text}");
}

#[test]
fn an_empty_region_round_trips() {
    let ctx = Ctx::new();
    let text = "scop: empty\narrays: {}\nstatements: {}\nschedule: { domain: \"{ }\" }\nlive_out: \"{ }\"\n";
    let scop = Scop::parse(&ctx, text).unwrap();
    assert!(scop.to_text().unwrap().contains("context: \"{ : }\""), "{}", scop.to_text().unwrap());
    let again = Scop::parse(&ctx, &scop.to_text().unwrap()).unwrap();
    assert_eq!(scop.difference(&again).unwrap(), None);
}

#[test]
fn every_change_is_a_difference() {
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, &scale()).unwrap();
    for (from, to) in [
        ("scale:3", "scale:4"),
        ("n >= 1", "n >= 2"),
        ("memory", "local"),
        ("f64", "f32"),
        ("2m)", "3m)"),
        ("read R0", "may_write R0"),
        ("read R0", "read Q0"),
        ("A[i, 0]", "A[i, 1]"),
        ("side_effect: true", "side_effect: false"),
        ("may_trap: true", "may_trap: false"),
        ("block: 7", "block: 6"),
        ("parts: 2", "parts: 3"),
        ("é", "e"),
        ("i < n; t[]", "i < m; t[]"),
        ("mark: parallel", "mark: vector"),
        ("i/32", "i/16"),
        ("permutable: 1", "permutable: 0"),
        ("[1, 0]", "[1, 1]"),
        ("separate[0]", "unroll[0]"),
        ("sequence:", "set:"),
    ] {
        let text = scale();
        assert!(text.contains(from), "{from}");
        let other = Scop::parse(&ctx, &text.replacen(from, to, 1)).unwrap_or_else(|e| panic!("{from}: {e}"));
        assert!(scop.difference(&other).unwrap().is_some(), "{from} -> {to}");
    }
}

#[test]
fn errors_have_place_and_help() {
    // What is replaced by what, the text whose start is the place, and a part of the message.
    for (from, to, place, message) in [
        ("may_trap", "may_trp", "may_trp", "`may_trp` is no key of a statement; did you mean `may_trap`?"),
        ("    domain: \"{ K[] }\"\n", "", "accesses:\n      - kill", "`domain` is missing in a statement"),
        ("live_out: \"{ A[i, j] : i < n; t[] }\"", "", "scop:", "`live_out` is missing in a region"),
        ("0 <= i < n }\"\n    acc", "0 <= i < k }\"\n    acc", "k }", "`k` is neither a parameter nor"),
        ("{ S[i] : 0 <= i < n }", "{ S[i : 0 <= i < n }", "}\"\n    acc", "`}` closes `[`"),
        ("{ S[i] : 0 <= i < n }", "{ T[i] : 0 <= i < n }", "\"{ T", "the domain of statement `S` has instances of `T`"),
        ("{ S[i] : 0 <= i < n }", "{ [i] : 0 <= i < n }", "\"{ [i]", "does not name its instances"),
        ("S[i] -> A[i, 0]", "S[i] -> D[i, 0]", "\"{ S[i] -> D", "there is no array `D`; expected one of A, t, L"),
        ("S[i] -> A[i, 0]", "S[i] -> A[i]", "\"{ S[i] -> A", "`A` has 2 dimensions, its elements have 1 here"),
        ("S[i] -> A[i, 0]", "S[i, j] -> A[i, 0]", "\"{ S[i, j]", "have 1 dimensions in its domain, 2 here"),
        ("S[i] -> A[i, 0]", "K[] -> A[0, 0]", "\"{ K[] -> A", "the access R0 of statement `S` has instances of `K`"),
        ("read R0", "reads R0", "reads R0", "`reads` is no kind of access; did you mean `read`?"),
        ("must_write R1", "must_write R0", "must_write R0", "`R0` is there twice; the first is in line 14"),
        ("  t: {", "  A: {", "A: { kind: scalar", "`A` is there twice; the first is in line 6"),
        ("  K:", "  S:", "S:\n    domain: \"{ K", "`S` is there twice; the first is in line 10"),
        ("kind: local", "kind: lokal", "lokal", "`lokal` is no kind of array; did you mean `local`?"),
        ("element: x128", "element: q", "q,", "`q` is no element type"),
        ("element: f64", "element: f63", "f63", "`f63` is no element type: floating-point numbers have 4, 6,"),
        ("extent: [n, ", "extent: [-1, ", "-1", "the extent `-1` is negative"),
        (
            "i < n; K[] }",
            "i < n }",
            "domain: \"{ S[i] : 0 <= i < n }\"\n  child",
            "the domain of the schedule leaves out { K[] }",
        ),
        ("0 <= i < n; K", "0 <= i <= n; K", "domain: \"{ S[i] : 0 <= i <=", "the domain of the schedule has beyond"),
        ("permutable: 1", "permutable: yes", "yes", "`yes` is neither 0 nor 1"),
        ("permutable: 1", "filter: \"{ S[i] }\"", "schedule: \"[{ S", "this node has both `schedule` and `filter`"),
        ("- filter: \"{ K[] }\"", "- mark: x", "mark: x", "a child of a sequence starts with a `filter`"),
        ("scop: \"scale:3\"", "scop: [a", "live_out", "this is not YAML"),
        ("n >= 1", "n >= 1 and [i]", "\"{ : n >= 1 and", "this is not a set in isl notation"),
        ("parameters: [n, m]", "parameters: [n, n]", "n]", "the parameter `n` is there twice"),
        ("parameters: [n, m]", "parameters: [n, 2m]", "2m", "`2m` cannot be the name of a parameter"),
    ] {
        let (text, line, column, found) = broken(from, to);
        assert!(found.contains(message), "{to}: {found}");
        let before = &text[..text.find(place).unwrap_or_else(|| panic!("{place}"))];
        let expected = (before.lines().count().max(1), before.rsplit('\n').next().unwrap_or("").chars().count() + 1);
        let expected = if before.ends_with('\n') { (expected.0 + 1, 1) } else { expected };
        if !found.contains("not YAML") {
            assert_eq!((line, column), expected, "{to}: {found}");
        }
    }
    let unknown = error(SCALE);
    assert!(unknown.2.contains("`k` is not among the parameters (n, m)"), "{unknown:?}");
    assert_eq!(error("").2, "1:1: the text is empty");
}

#[test]
fn a_tree_alone_is_read_for_a_region() {
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, &scale()).unwrap();
    let text = super::schedule_to_text(&scop.schedule).unwrap();
    let own = parse_schedule(&scop, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let isls = Schedule::parse(&ctx, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    for tree in [&own, &isls] {
        assert_eq!(tree_difference(&scop.schedule, tree).unwrap(), None, "{text}");
    }
    let error = parse_schedule(&scop, "domain: \"{ S[i] : i < q }\"").unwrap_err();
    assert_eq!((error.line, error.column), (1, 23), "{error}");
}

#[test]
fn isl_reads_trees_with_long_functions() {
    let ctx = Ctx::new();
    let part = |name: &str| format!("{name}[i, j] -> [(i + j)]");
    let statements = ["first", "second", "third", "fourth", "fifth", "sixth"];
    let domain = statements.map(|name| format!("{name}[i, j] : 0 <= i, j < 10")).join("; ");
    let functions = statements.map(part).join("; ");
    let text =
        format!("{{ domain: \"{{ {domain} }}\", child: {{ schedule: \"[{{ {functions} }}, {{ {functions} }}]\" }} }}");
    let tree = Schedule::parse(&ctx, &text).unwrap();
    let text = super::schedule_to_text(&tree).unwrap();
    assert!(text.lines().any(|line| line.len() > 200), "{text}");
    let again = Schedule::parse(&ctx, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(tree_difference(&tree, &again).unwrap(), None, "{text}");
}

fn mutated(text: &str, numbers: &mut Rng) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=numbers.usize(..3) {
        let at = numbers.usize(..chars.len());
        match numbers.usize(..5) {
            0 => drop(chars.remove(at)),
            1 => chars.insert(
                at,
                "[]{}()\":;,-> \n0n<=?&*!|%@`'\\\u{e9}\t"[..].chars().nth(numbers.usize(..32)).unwrap_or('x'),
            ),
            2 => chars[at] = chars[numbers.usize(..chars.len())],
            3 => {
                let end = (at + numbers.usize(..12)).min(chars.len());
                chars.drain(at..end);
            }
            _ => {
                let end = (at + numbers.usize(..24)).min(chars.len());
                let copy: Vec<char> = chars[at..end].to_vec();
                let to = numbers.usize(..chars.len());
                chars.splice(to..to, copy);
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_text_never_panics() {
    let ctx = Ctx::new();
    let mut numbers = Rng::with_seed(0x9e37_79b9_7f4a_7c15);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..3000 {
        let text = mutated(&scale(), &mut numbers);
        match Scop::parse(&ctx, &text) {
            Ok(scop) => {
                good += 1;
                let printed = scop.to_text().unwrap();
                let again = Scop::parse(&ctx, &printed).unwrap_or_else(|e| panic!("{e}\n{text}\n{printed}"));
                assert_eq!(scop.difference(&again).unwrap(), None, "{text}");
            }
            Err(error) => {
                bad += 1;
                assert!(
                    error.line >= 1 && error.column >= 1 && error.line <= text.lines().count() + 1,
                    "{error}\n{text}"
                );
            }
        }
    }
    assert!(good > 50 && bad > 50, "{good} good, {bad} bad");
}

#[test]
fn mutated_trees_never_panic() {
    let scop = Scop::parse(&Ctx::new(), &scale()).unwrap();
    let text = super::schedule_to_text(&scop.schedule).unwrap();
    let mut numbers = Rng::with_seed(0x2545_f491_4f6c_dd1d);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..2000 {
        let text = mutated(&text, &mut numbers);
        match parse_schedule(&scop, &text) {
            Ok(tree) => {
                good += 1;
                let printed = super::schedule_to_text(&tree).unwrap();
                let again = parse_schedule(&scop, &printed).unwrap_or_else(|e| panic!("{e}\n{text}\n{printed}"));
                assert_eq!(tree_difference(&tree, &again).unwrap(), None, "{text}");
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good > 20 && bad > 20, "{good} good, {bad} bad");
}
