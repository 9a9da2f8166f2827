//! Blocks of threads at the end of an array: their loops are as long as those of others, and ask at each point whether
//! it exists.

use super::kernels::assert_complete;
use super::loops;
use crate::check::interpret::Interpreter;
use crate::codegen::{Ast, Expr, For, Node};
use crate::dependence::samples::{R, Sample, W};
use crate::scop::{AccessKind, Scop};
use std::collections::BTreeMap;

/// Tiles of 4 by 8, of which each of 2 by 4 threads has 2 by 2 points, in a loop along `k`.
const TREE: &str = r#"{ mark: "kernel", child: { mark: "grid *,*", child: {
  schedule: "[n, m, p] -> [{ S[i, j, k] -> [floor(i/4)] }, { S[i, j, k] -> [floor(j/8)] }]", child: {
  schedule: "[n, m, p] -> [{ S[i, j, k] -> [k] }]", child: { mark: "block", child: { mark: "threads 2,4", child: {
  schedule: "[n, m, p] -> [{ S[i, j, k] -> [i] }, { S[i, j, k] -> [j] }]" } } } } } } }"#;

/// Whole blocks, blocks that are cut off along either side or both, smaller ones than threads have points, and none.
const SIZES: [&[i64]; 9] =
    [&[8, 16, 2], &[7, 16, 2], &[8, 13, 2], &[5, 9, 3], &[1, 1, 1], &[3, 20, 1], &[4, 8, 0], &[0, 8, 2], &[4, -1, 2]];

/// A statement `S[i, j, k]` in this order.
fn code(condition: &str, accesses: &[(AccessKind, &str)]) -> (Scop, Ast) {
    let scop = Sample::new("[n, m, p] -> { : }")
        .memory(&[("A", 2), ("B", 2), ("C", 2), ("x", 1)])
        .statement(&domain("S", condition), accesses)
        .order(TREE, "{ C[i, j]; x[i] }");
    let ast = assert_complete(&scop, &SIZES);
    (scop, ast)
}

/// The domain of a statement with such a name.
fn domain(name: &str, condition: &str) -> String {
    format!("[n, m, p] -> {{ {name}[i, j, k] : 0 <= i < n and 0 <= j < m and 0 <= k < p {condition} }}")
}

/// `S[i, j, k]` and `T[i, j, k]` next to each other in that order.
fn side_by_side() -> String {
    let both = |of: &str| format!("{{ S[i, j, k] -> [{of}]; T[i, j, k] -> [{of}] }}");
    format!(
        r#"{{ mark: "kernel", child: {{ mark: "grid *,*", child: {{ schedule: "[n, m, p] -> [{}, {}]", child: {{
          schedule: "[n, m, p] -> [{}]", child: {{ mark: "block", child: {{ mark: "threads 2,4", child: {{
          schedule: "[n, m, p] -> [{}, {}]", child: {{
          sequence: [{{ filter: "{{ S[i, j, k] }}" }}, {{ filter: "{{ T[i, j, k] }}" }}] }} }} }} }} }} }} }} }}"#,
        both("floor(i/4)"),
        both("floor(j/8)"),
        both("k"),
        both("i"),
        both("j")
    )
}

const OWN: [(AccessKind, &str); 2] = [(R, "{ S[i, j, k] -> C[i, j] }"), (W, "{ S[i, j, k] -> C[i, j] }")];

/// The loops that hold what may end before, and those that hold what does not.
fn holding(ast: &Ast) -> (Vec<&For>, Vec<&For>) {
    let all = loops(&ast.root).into_iter().filter(|node| !node.promoted.is_empty());
    all.partition(|node| node.promoted.iter().any(|promoted| promoted.limit.iter().any(Option::is_some)))
}

/// What each thread holds is right, and nobody accesses it elsewhere.
fn assert_runs(scop: &Scop, ast: &Ast) {
    for values in SIZES {
        let values: BTreeMap<String, i64> =
            ["n", "m", "p"].iter().zip(values).map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let report = Interpreter::new(scop, &values, 100_000).and_then(|all| all.compare_ast(ast)).unwrap();
        assert!(report.is_same(), "{values:?}: {report:#?}\n{}", ast.to_text(scop));
    }
}

#[test]
fn what_exists_of_a_block_is_held() {
    let (scop, ast) = code("", &[OWN[0], OWN[1], (R, "{ S[i, j, k] -> A[i, k] }"), (R, "{ S[i, j, k] -> B[k, j] }")]);
    assert_runs(&scop, &ast);
    let text = ast.to_text(&scop);
    let (ending, whole) = holding(&ast);
    assert_eq!((ending.len(), whole.len()), (1, 1), "{text}");
    assert!(text.contains("#pragma promote C[4*c0 + c2 : 2 : 2 < n][8*c1 + c3 : 2 : 4 < m]"), "{text}");
    let points = loops(&ending[0].body);
    assert!(points.len() == 2 && points.iter().all(|inner| inner.ends), "{text}");
    assert!(loops(&whole[0].body).iter().all(|inner| !inner.ends), "{text}");
}

#[test]
fn ends_may_be_anywhere() {
    // Where rows are of other lengths, one end of a block depends on a point of it: such blocks are not held, but above
    // the last row they are.
    let (scop, ast) = code("and j <= i", &OWN);
    assert_runs(&scop, &ast);
    assert!(!holding(&ast).1.is_empty(), "{}", ast.to_text(&scop));
    // Two ends, of which one is the first for some sizes only.
    let (scop, ast) = code("and j < p", &OWN);
    assert_runs(&scop, &ast);
    let text = ast.to_text(&scop);
    assert!(text.contains(" < p]") || text.contains(" < m]"), "{text}");
    // What is read from other elements of the array is beyond them at these sizes, which nobody knows of all.
    let (scop, ast) = code("", &[OWN[0], OWN[1], (R, "{ S[i, j, k] -> C[i + 100, j] }")]);
    assert_runs(&scop, &ast);
}

#[test]
fn what_ends_where_the_tiles_around_say_is_not_held_over_them() {
    // Where a row ends depends on the tile along k; and at no size known before there are whole blocks.
    let tree = TREE.replace("[k] }]", "[floor(k/4)] }]\", child: { schedule: \"[n, m, p] -> [{ S[i, j, k] -> [k] }]");
    let tree = format!("{tree} }}");
    let domain = "[n, m, p] -> { S[i, j, k] : 0 <= i < n and 0 <= j <= 5*floor(k/4) + 4 and 0 <= k < p \
                  and n + 5*floor(k/4) <= 12 + 4*floor(i/4) + 8*floor(j/8) }";
    let scop =
        Sample::new("[n, m, p] -> { : }").memory(&[("C", 2)]).statement(domain, &OWN).order(&tree, "{ C[i, j] }");
    let ast = assert_complete(&scop, &[&[7, 0, 9], &[12, 0, 5], &[3, 0, 13]]);
    for held in loops(&ast.root).into_iter().filter(|node| !node.promoted.is_empty()) {
        let speaks_of_it = |expr: &Expr| expr.mentions(held.iterator);
        let mut all = held.promoted.iter().flat_map(|p| p.origin.iter().chain(p.limit.iter().flatten()));
        assert!(!all.any(speaks_of_it), "{}", ast.to_text(&scop));
    }
}

/// Where a loop ends at a condition that is stricter than its own bounds, blocks that may end are under the same
/// conditions as whole ones: there are none of them then.
#[test]
fn blocks_that_can_only_be_whole_do_not_end() {
    let scop = Sample::new("[n, m, p] -> { : }")
        .memory(&[("C", 2)])
        .statement(&domain("S", "and 2j <= m and 3i <= n + 4"), &OWN)
        .statement(&domain("T", ""), &[(R, "{ T[i, j, k] -> C[i, j] }"), (W, "{ T[i, j, k] -> C[i, j] }")])
        .order(&side_by_side(), "{ C[i, j] }");
    let ast = assert_complete(&scop, &SIZES);
    assert_runs(&scop, &ast);
    let (ending, whole) = holding(&ast);
    assert!(ending.is_empty() && !whole.is_empty(), "{}", ast.to_text(&scop));
}

#[test]
fn what_a_thread_may_have_no_point_of_is_not_held() {
    // Threads along j have the same element: one that has no point writes nothing, and must not write back what it read.
    let (scop, ast) = code("", &[(R, "{ S[i, j, k] -> x[i] }"), (W, "{ S[i, j, k] -> x[i] }")]);
    let (ending, _) = holding(&ast);
    assert!(ending.is_empty(), "{}", ast.to_text(&scop));
}

/// `F[i, j]` before `S[i, j, k]` in the same blocks, along k in tiles of 4.
fn set_before() -> String {
    let both = |first: &str, then: &str| format!("{{ F[i, j] -> [{first}]; S[i, j, k] -> [{then}] }}");
    let same = |of: &str| both(of, of);
    format!(
        r#"{{ mark: "kernel", child: {{ mark: "grid *,*", child: {{
          schedule: "[n, m, p] -> [{}, {}, {}]", child: {{ schedule: "[n, m, p] -> [{}]", child: {{
          mark: "block", child: {{ mark: "threads 2,4", child: {{ schedule: "[n, m, p] -> [{}, {}]", child: {{
          sequence: [{{ filter: "{{ F[i, j] }}" }}, {{ filter: "{{ S[i, j, k] }}" }}] }} }} }} }} }} }} }} }}"#,
        same("floor(i/4)"),
        same("floor(j/8)"),
        both("0", "floor(k/4)"),
        both("0", "k"),
        same("i"),
        same("j")
    )
}

/// A sum that is set to zero first is held where it ends from the first iteration to the last.
#[test]
fn a_sum_is_held_with_what_sets_it() {
    let scop = Sample::new("[n, m, p] -> { : }")
        .memory(&[("C", 2)])
        .statement("[n, m, p] -> { F[i, j] : 0 <= i < n and 0 <= j < m }", &[(W, "{ F[i, j] -> C[i, j] }")])
        .statement(&domain("S", ""), &OWN)
        .order(&set_before(), "{ C[i, j] }");
    let ast = assert_complete(&scop, &SIZES);
    assert_runs(&scop, &ast);
    let text = ast.to_text(&scop);
    let (ending, whole) = holding(&ast);
    // In tiles along k: those loops hold it.
    assert!(ending.len() == 1 && whole.len() == 1, "{text}");
    assert!(ending[0].body.statements().len() == 2, "{text}");
}

/// As in a product of matrices of which nobody knows that they fit: what sets a sum is for other sizes than what adds.
#[test]
fn a_statement_may_end_where_others_do_not() {
    let scop = Sample::new("[n, m, p] -> { : }")
        .memory(&[("C", 2)])
        .statement("[n, m, p] -> { F[i, j] : 0 <= i < n and 0 <= j < m }", &[(W, "{ F[i, j] -> C[i, j] }")])
        .statement("[n, m, p] -> { S[i, j, k] : 0 <= i < m and 0 <= j < n and 0 <= k < p }", &OWN)
        .order(&set_before(), "{ C[i, j] }");
    let ast = assert_complete(&scop, &SIZES);
    assert_runs(&scop, &ast);
    let text = ast.to_text(&scop);
    assert!(holding(&ast).0.iter().any(|inner| inner.promoted[0].limit.iter().all(Option::is_some)), "{text}");
}

#[test]
fn a_condition_of_another_kind_is_no_end() {
    // Some iterations do without the last rows, whose points exist.
    let scop = Sample::new("[n, m, p] -> { : }")
        .memory(&[("C", 2)])
        .statement(&domain("S", ""), &OWN)
        .statement(&domain("T", "and i + k < n"), &[(R, "{ T[i, j, k] -> C[i, j] }"), (W, "{ T[i, j, k] -> C[i, j] }")])
        .order(&side_by_side(), "{ C[i, j] }");
    let ast = assert_complete(&scop, &SIZES);
    assert_runs(&scop, &ast);
    // Where the second statement may be left out at a point that exists, nothing says that the point ends there.
    let says_so = |inner: &&For| !inner.ends || matches!(&inner.body, Node::If(branch) if branch.otherwise.is_none());
    assert!(loops(&ast.root).iter().all(says_so), "{}", ast.to_text(&scop));
}
