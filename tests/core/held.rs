//! What loops hold in buffers of their own, run with these buffers at small sizes: the code of the optimizer for CPUs,
//! and that of trees whose blocks are cut off by a triangle.

use super::gpu::{polybench, region};
use polyrs::check::interpret::{Interpreter, small_parameters};
use polyrs::codegen::{Ast, Expr, For, Node, generate};
use polyrs::driver::{Options, optimize};
use polyrs::isl::Ctx;
use polyrs::scop::Scop;
use polyrs::scop::text::parse_schedule;
use std::collections::BTreeMap;

/// The steps of the interpreter for a region, at most.
const STEPS: u64 = 2_000_000;

/// A loop of a node holds elements, and fulfils a condition.
pub(super) fn holds(node: &Node, condition: &impl Fn(&For) -> bool) -> bool {
    let own = matches!(node, Node::For(inner) if !inner.promoted.is_empty() && condition(inner));
    own || node.children().any(|child| holds(child, condition))
}

/// Whether faults are found in code whose loops hold something else; not if none of them is run.
pub(super) fn corruptions_found(name: &str, scop: &Scop, parameters: &BTreeMap<String, i64>, code: &Ast) -> bool {
    let is_found = |wrong: &Ast| {
        let all = Interpreter::new(scop, parameters, STEPS).unwrap();
        !all.compare_ast(wrong).unwrap().faults.is_empty()
    };
    let found = corrupted(code).each_ref().map(is_found);
    assert!(found.iter().all(|is_found| *is_found == found[0]), "{name}: {found:?}\n{}", code.to_text(scop));
    found[0]
}

/// An element more along the last dimension, elements farther apart, and others, of blocks that do not end before.
fn corrupted(code: &Ast) -> [Ast; 3] {
    [0, 1, 2].map(|which| {
        let mut code = code.clone();
        corrupt(&mut code.root, which);
        code
    })
}

fn corrupt(node: &mut Node, which: usize) {
    if let Node::For(inner) = node {
        for promoted in inner.promoted.iter_mut().filter(|promoted| promoted.limit.iter().all(Option::is_none)) {
            match which {
                0 => promoted.extent.iter_mut().rev().take(1).for_each(|extent| *extent += 1),
                1 => promoted.stride.iter_mut().for_each(|stride| *stride *= 2),
                _ => promoted.origin.iter_mut().for_each(|side| *side = side.plus(&Expr::Const(1)).unwrap()),
            }
        }
    }
    node.children_mut().for_each(|child| corrupt(child, which));
}

/// Whether faults are found in code whose loops hold elements beyond the end of arrays, and in code whose loops do not
/// hold the last ones; not if no block ends before.
pub(super) fn ends_found(name: &str, scop: &Scop, parameters: &BTreeMap<String, i64>, code: &Ast) -> bool {
    fn change(node: &mut Node, to: &impl Fn(&Expr) -> Option<Expr>) {
        if let Node::For(inner) = node {
            let all = inner.promoted.iter_mut().flat_map(|promoted| &mut promoted.limit);
            all.for_each(|limit| *limit = limit.as_ref().and_then(to));
        }
        node.children_mut().for_each(|child| change(child, to));
    }
    let is_found = |to: &dyn Fn(&Expr) -> Option<Expr>| {
        let mut wrong = code.clone();
        change(&mut wrong.root, &to);
        let all = Interpreter::new(scop, parameters, STEPS).unwrap();
        !all.compare_ast(&wrong).unwrap().faults.is_empty()
    };
    let too_many = is_found(&|_| None);
    assert!(!too_many || is_found(&|limit| limit.plus_constant(-1).ok()), "{name}: {}", code.to_text(scop));
    too_many
}

/// Programs of PolyBench whose code holds elements.
const HELD: [&str; 13] = [
    "2mm",
    "atax",
    "bicg",
    "covariance",
    "gemm",
    "gemver",
    "gesummv",
    "mvt",
    "symm",
    "symm-expanded",
    "syr2k",
    "syrk",
    "trmm",
];

#[test]
fn what_the_optimizer_holds_on_the_cpu_runs_with_buffers() {
    for name in HELD {
        let scop = region(&polybench().join(format!("{name}.scop")));
        let options = Options { profitability: false, check: false, ..Options::default() };
        let code = optimize(&scop, &options, &mut ()).unwrap().ast;
        assert!(holds(&code.root, &|_| true), "{name}: {}", code.to_text(&scop));
        // As many as whole blocks need.
        let parameters = small_parameters(&scop, 12).unwrap().unwrap();
        let all = Interpreter::new(&scop, &parameters, STEPS).unwrap();
        let report = all.compare_ast(&code).unwrap();
        assert!(report.is_same(), "{name}: {report:#?}\n{}", code.to_text(&scop));
        assert!(corruptions_found(name, &scop, &parameters, &code), "{name}: no block is whole");
    }
}

/// `S[i, j, k]: C[i, j] = f(C[i, j], ...)` in blocks of 2 by 4 around a loop along `k`.
fn update(condition: &str, reads: &[&str]) -> (Scop, Ast) {
    let reads: String =
        (0..).zip(reads).map(|(n, read)| format!("      - read R{n}: \"{{ S[i, j, k] -> {read} }}\"\n")).collect();
    let tree = |block: [&str; 2], end: &str| {
        format!(
            r#"{{ domain: "{{ S[i, j, k] : 0 <= i, j, k < n {condition} }}", child: {} {{
              schedule: "[{{ S[i, j, k] -> [(2*floor(i/2))] }}, {{ S[i, j, k] -> [(4*floor(j/4))] }}]", child: {{
              schedule: "[{{ S[i, j, k] -> [(k)] }}]", child: {} {{
              schedule: "[{{ S[i, j, k] -> [(i)] }}, {{ S[i, j, k] -> [(j)] }}]" }} {end} }} }} {end} }}"#,
            block[0], block[1]
        )
    };
    let arrays: String =
        ["A", "C"].iter().map(|name| format!("  {name}: {{ kind: memory, element: f64, extent: [n, n] }}\n")).collect();
    let text = format!(
        r#"scop: update
parameters: [n]
context: "{{ : n >= 1 }}"
arrays:
{arrays}
statements:
  S:
    domain: "{{ S[i, j, k] : 0 <= i, j, k < n {condition} }}"
    accesses:
{reads}      - read R: "{{ S[i, j, k] -> C[i, j] }}"
      - must_write W: "{{ S[i, j, k] -> C[i, j] }}"
schedule: {}
live_out: "{{ C[i, j] }}"
"#,
        tree(["", ""], "")
    );
    let scop = Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let marked = tree(["{ mark: \"register\", child:", "{ mark: \"block\", child:"], "}");
    let marked = parse_schedule(&scop, &marked).unwrap_or_else(|error| panic!("{error}\n{marked}"));
    let code = generate(&scop, &marked, &polyrs::codegen::Options::default()).unwrap();
    (scop, code)
}

fn at(value: i64) -> BTreeMap<String, i64> {
    BTreeMap::from([("n".to_owned(), value)])
}

#[test]
fn blocks_that_a_triangle_cuts_off_run_with_buffers() {
    for (condition, reads) in [
        ("", &["A[i, k]"][..]),
        // Below the block where it is whole.
        ("and k > i", &["C[k, j]", "A[k, i]"]),
        // Left of the block, and above it.
        ("and k < j and j < i", &["C[i, k]", "C[k, j]"]),
        // Where the loop along `k` may not run, nothing may be copied.
        ("and k >= 2", &[]),
    ] {
        let (scop, code) = update(condition, reads);
        assert!(holds(&code.root, &|_| true), "{condition}: {}", code.to_text(&scop));
        for value in 1..=11 {
            let report = Interpreter::new(&scop, &at(value), STEPS).and_then(|all| all.compare_ast(&code)).unwrap();
            assert!(report.is_same(), "{condition}, {value}: {report:#?}\n{}", code.to_text(&scop));
        }
        assert!(corruptions_found(condition, &scop, &at(11), &code));
    }
}
