//! Whole blocks apart from cut ones, and what loops hold.

use super::*;
use crate::codegen::Promoted;
use crate::dependence::samples::{M, R, Sample, W};
use crate::scop::ArrayKind;

/// Blocks of 2 by 4 around a loop along `k`.
const BLOCKS: &str = r#"{ mark: "register", child: {
  schedule: "[n] -> [{ S[i, j, k] -> [2*floor(i/2)] }, { S[i, j, k] -> [4*floor(j/4)] }]", child: {
  schedule: "[n] -> [{ S[i, j, k] -> [k] }]", child: { mark: "block", child: { mark: "vector", child: {
  schedule: "[n] -> [{ S[i, j, k] -> [i] }, { S[i, j, k] -> [j] }]" } } } } } }"#;

fn update(domain: &str, accesses: &[(AccessKind, &str)]) -> Scop {
    let domain = format!("[n] -> {{ S[i, j, k] : 0 <= i, j, k < n {domain} }}");
    Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2), ("C", 2)])
        .statement(&domain, accesses)
        .order(BLOCKS, "{ C[i, j] }")
}

const OWN: [(AccessKind, &str); 2] = [(R, "{ S[i, j, k] -> C[i, j] }"), (W, "{ S[i, j, k] -> C[i, j] }")];

/// The loops that hold something.
fn holding(ast: &Ast) -> Vec<&For> {
    loops(&ast.root).into_iter().filter(|node| !node.promoted.is_empty()).collect()
}

/// What the only such loop holds.
fn promoted(ast: &Ast) -> &Promoted {
    let all = holding(ast);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].promoted.len(), 1);
    &all[0].promoted[0]
}

/// The bounds of the loops in a loop.
fn extents(node: &For) -> Vec<(Vec<Expr>, Vec<Expr>)> {
    loops(&node.body).into_iter().map(|inner| (inner.lower.clone(), inner.upper.clone())).collect()
}

const SIZES: [&[i64]; 9] = [&[-1], &[0], &[1], &[3], &[4], &[5], &[8], &[9], &[11]];

#[test]
fn a_whole_block_of_a_product_is_held() {
    let scop = update("", &[OWN[0], OWN[1], (R, "{ S[i, j, k] -> A[i, k] }"), (R, "{ S[i, j, k] -> B[k, j] }")]);
    let ast = assert_faithful(&scop, &SIZES);
    let promoted = promoted(&ast);
    assert_eq!((promoted.array.as_str(), &promoted.extent[..]), ("C", &[2, 4][..]));
    let whole = holding(&ast)[0];
    let bounds = |extent| (vec![Expr::Const(0)], vec![Expr::Const(extent)]);
    assert_eq!(extents(whole), [bounds(2), bounds(4)], "{}", ast.to_text(&scop));
    assert!(loops(&whole.body).iter().all(|inner| inner.block));
}

#[test]
fn a_loop_is_cut_where_blocks_stop_being_whole() {
    // for i, k > i: C[i][j] += C[k][j] * A[k][i]: the rows that are read are below those of the block where it is
    // whole.
    let accesses = [OWN[0], OWN[1], (R, "{ S[i, j, k] -> C[k, j] }"), (R, "{ S[i, j, k] -> A[k, i] }")];
    let scop = update("and k > i", &accesses);
    let ast = assert_faithful(&scop, &SIZES);
    let text = ast.to_text(&scop);
    assert_eq!(promoted(&ast).extent, [2, 4], "{text}");
    // Before that, the loop runs over cut blocks.
    let around = |node: &For| !node.block && loops(&node.body).iter().any(|inner| inner.block);
    assert!(loops(&ast.root).into_iter().filter(|node| node.promoted.is_empty() && around(node)).count() > 2, "{text}");
}

#[test]
fn what_is_read_besides_a_block_may_need_a_cut() {
    // As in a triangular decomposition: the elements that are read are left of the block, and above it.
    let accesses = [OWN[0], OWN[1], (R, "{ S[i, j, k] -> C[i, k] }"), (R, "{ S[i, j, k] -> C[k, j] }")];
    let scop = update("and k < j and j < i", &accesses);
    let ast = assert_faithful(&scop, &SIZES);
    assert!(!holding(&ast).is_empty(), "{}", ast.to_text(&scop));
    for node in holding(&ast) {
        assert_eq!((node.promoted[0].array.as_str(), &node.promoted[0].extent[..]), ("C", &[2, 4][..]));
    }
}

#[test]
fn what_may_be_in_the_block_keeps_it_in_memory() {
    // The element that is read may be left of the block, in it, or right of it.
    let scop = update("", &[OWN[0], OWN[1], (R, "{ S[i, j, k] -> C[i, k] }")]);
    assert!(holding(&assert_faithful(&scop, &SIZES)).is_empty());
    // So may any element.
    let scop = update("", &[OWN[0], OWN[1], (R, "{ S[i, j, k] -> C[x, y] }")]);
    assert!(holding(&assert_faithful(&scop, &SIZES)).is_empty());
}

#[test]
fn what_is_not_surely_written_is_not_written_back() {
    let scop = update("", &[OWN[0], (M, "{ S[i, j, k] -> C[i, j] }")]);
    assert!(holding(&assert_faithful(&scop, &SIZES)).is_empty());
    // Every other element.
    let scop = update("and (i + j) mod 2 = 0", &OWN);
    assert!(holding(&assert_faithful(&scop, &SIZES)).is_empty());
}

#[test]
fn what_moves_with_the_loop_is_not_held() {
    let accesses = [(R, "{ S[i, j, k] -> C[i + k, j] }"), (W, "{ S[i, j, k] -> C[i + k, j] }")];
    assert!(holding(&assert_faithful(&update("", &accesses), &SIZES)).is_empty());
    // Nor what two points of a block share.
    let accesses = [(R, "{ S[i, j, k] -> C[i + j, j] }"), (W, "{ S[i, j, k] -> C[i + j, j] }")];
    assert!(holding(&assert_faithful(&update("", &accesses), &SIZES)).is_empty());
}

#[test]
fn copying_out_needs_an_iteration() {
    // Where the loop along k does not run, nothing may be copied.
    let scop = update("and k >= 2", &OWN);
    let ast = assert_faithful(&scop, &SIZES);
    fn guarded(node: &Node, above: bool) -> Vec<bool> {
        match node {
            Node::For(inner) if !inner.promoted.is_empty() => vec![above],
            Node::For(inner) => guarded(&inner.body, above),
            Node::If(branch) => {
                let mut all = guarded(&branch.then, true);
                all.extend(branch.otherwise.iter().flat_map(|node| guarded(node, above)));
                all
            }
            Node::Block(children) => children.iter().flat_map(|child| guarded(child, above)).collect(),
            Node::Kernel(_) | Node::Shared(_) | Node::Call(_) => Vec::new(),
        }
    }
    assert_eq!(guarded(&ast.root, false), [true], "{}", ast.to_text(&scop));
}

/// There are conditions in a node.
fn asks(node: &Node) -> bool {
    matches!(node, Node::If(_)) || node.children().any(asks)
}

#[test]
fn what_only_the_first_or_last_iteration_does_is_not_asked_in_blocks() {
    // for i, k: { if (k == 0) x[i] = 0; x[i] += A[i][k]; if (k == n - 1) y[i] = x[i] }
    let own = [(R, "{ S[i, k] -> x[i] }"), (R, "{ S[i, k] -> A[i, k] }"), (W, "{ S[i, k] -> x[i] }")];
    let tree = r#"{ mark: "register", child: {
      schedule: "[n] -> [{ F[i] -> [4*floor(i/4)]; S[i, k] -> [4*floor(i/4)]; L[i] -> [4*floor(i/4)] }]", child: {
      schedule: "[n] -> [{ F[i] -> [0]; S[i, k] -> [k]; L[i] -> [n - 1] }]", child: { mark: "block", child: {
      schedule: "[n] -> [{ F[i] -> [i]; S[i, k] -> [i]; L[i] -> [i] }]", child: { sequence: [
        { filter: "{ F[i] }" }, { filter: "{ S[i, k] }" }, { filter: "{ L[i] }" } ] } } } } } }"#;
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("x", 1), ("y", 1)])
        .statement("[n] -> { F[i] : 0 <= i < n }", &[(W, "{ F[i] -> x[i] }")])
        .statement("[n] -> { S[i, k] : 0 <= i, k < n }", &own)
        .statement("[n] -> { L[i] : 0 <= i < n }", &[(R, "{ L[i] -> x[i] }"), (W, "{ L[i] -> y[i] }")])
        .order(tree, "{ x[i]; y[i] }");
    let ast = assert_faithful(&scop, &SIZES);
    assert_eq!(promoted(&ast).extent, [4]);
    assert!(!asks(&holding(&ast)[0].body), "{}", ast.to_text(&scop));
}

#[test]
fn ends_of_a_loop_that_is_in_tiles_are_not_asked_for_in_blocks() {
    // The same in tiles along k, each thread with a copy of t: a condition says which tile, and which iteration of it.
    let own = [(R, "{ S[i, k] -> x[i] }"), (R, "{ S[i, k] -> A[i, k] }"), (W, "{ S[i, k] -> x[i] }")];
    let last = [(R, "{ L[i] -> x[i] }"), (W, "{ L[i] -> t[] }"), (W, "{ L[i] -> y[i] }")];
    let tree = r#"{ mark: "parallel private(t)", child: {
      schedule: "[n] -> [{ F[i] -> [8*floor(i/8)]; S[i, k] -> [8*floor(i/8)]; L[i] -> [8*floor(i/8)] }]", child: {
      schedule: "[n] -> [{ F[i] -> [0]; S[i, k] -> [8*floor(k/8)]; L[i] -> [8*floor((n - 1)/8)] }]", child: {
      mark: "register", child: {
      schedule: "[n] -> [{ F[i] -> [4*floor(i/4)]; S[i, k] -> [4*floor(i/4)]; L[i] -> [4*floor(i/4)] }]", child: {
      schedule: "[n] -> [{ F[i] -> [0]; S[i, k] -> [k]; L[i] -> [n - 1] }]", child: { sequence: [
        { filter: "{ F[i] }", child: { mark: "block", child: { schedule: "[n] -> [{ F[i] -> [i] }]" } } },
        { filter: "{ S[i, k] }", child: { mark: "block", child: { schedule: "[n] -> [{ S[i, k] -> [i] }]" } } },
        { filter: "{ L[i] }", child: { mark: "block", child: { schedule: "[n] -> [{ L[i] -> [i] }]" } } } ] } } } } } } }"#;
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("x", 1), ("y", 1)])
        .array("t", ArrayKind::Scalar, 0)
        .statement("[n] -> { F[i] : 0 <= i < n }", &[(W, "{ F[i] -> x[i] }")])
        .statement("[n] -> { S[i, k] : 0 <= i, k < n }", &own)
        .statement("[n] -> { L[i] : 0 <= i < n }", &last)
        .order(tree, "{ x[i]; y[i] }");
    let ast = assert_faithful(&scop, &SIZES);
    let all = holding(&ast);
    assert!(!all.is_empty() && all.iter().all(|node| !asks(&node.body)), "{}", ast.to_text(&scop));
}

/// Two statements that update `C` and `D` by products, each over a part of `i, j, k`, in an order.
fn two_products(parameters: &str, first: &str, second: &str, tree: &str) -> Scop {
    let accesses = |statement: &str, element: &str| {
        let read = |element: &str| (R, format!("{{ {statement}[i, j, k] -> {element} }}"));
        let write = (W, format!("{{ {statement}[i, j, k] -> {element} }}"));
        [read(element), read("A[i, k]"), read("B[k, j]"), write]
    };
    let mut sample = Sample::new(&format!("{parameters} {{ : }}")).memory(&[("A", 2), ("B", 2), ("C", 2), ("D", 2)]);
    for (statement, domain, element) in [("S", first, "C[i, j]"), ("T", second, "D[i, j]")] {
        let accesses = accesses(statement, element);
        let domain = format!("{parameters} {{ {statement}[i, j, k] : {domain} }}");
        sample = sample.statement(&domain, &accesses.each_ref().map(|(kind, text)| (*kind, text.as_str())));
    }
    sample.order(tree, "{ C[i, j]; D[i, j] }")
}

/// A member over both statements.
fn over_both(function: &str) -> String {
    format!("{{ S[i, j, k] -> [{function}]; T[i, j, k] -> [{function}] }}")
}

/// The arrays that loops hold something of.
fn held(ast: &Ast) -> Vec<&str> {
    let mut held: Vec<&str> = holding(ast).iter().map(|node| node.promoted[0].array.as_str()).collect();
    held.sort_unstable();
    held.dedup();
    held
}

#[test]
fn blocks_on_both_sides_of_a_diagonal_are_held_apart() {
    // As in a product with a symmetric matrix: one sum for k < i, another one for k > i.
    let (rows, columns) = (over_both("2*floor(i/2)"), over_both("4*floor(j/4)"));
    let (k, i, j) = (over_both("k"), over_both("i"), over_both("j"));
    let tree = format!(
        r#"{{ mark: "register", child: {{ schedule: "[n] -> [{rows}, {columns}]", child: {{
        schedule: "[n] -> [{k}]", child: {{ mark: "block", child: {{ mark: "vector", child: {{
        schedule: "[n] -> [{i}, {j}]", child: {{ sequence: [ {{ filter: "{{ S[i, j, k] }}" }}, {{ filter: "{{ T[i, j, k] }}" }} ] }} }} }} }} }} }} }} }}"#
    );
    let scop = two_products("[n] ->", "0 <= i, j, k < n and k < i", "0 <= i, j, k < n and k > i", &tree);
    let ast = assert_faithful(&scop, &SIZES);
    assert_eq!(held(&ast), ["C", "D"], "{}", ast.to_text(&scop));
    assert!(holding(&ast).iter().all(|node| node.promoted.len() == 1));
}

#[test]
fn blocks_above_a_diagonal_are_held_where_those_below_are_not() {
    // As in a decomposition in place: left of the diagonal one statement has whole blocks, right of it the other one, and
    // which one it is depends on the block alone, not on the loop that updates it.
    let (rows, columns) = (over_both("2*floor(i/2)"), over_both("4*floor(j/4)"));
    let (k, i, j) = (over_both("k"), over_both("i"), over_both("j"));
    let part = |filter: &str| {
        format!(
            r#"{{ filter: "{{ {filter} }}", child: {{ mark: "block", child: {{ mark: "vector", child: {{
            schedule: "[{i}, {j}]" }} }} }} }}"#
        )
    };
    let tree = format!(
        r#"{{ mark: "register", child: {{ schedule: "[{rows}, {columns}]", child: {{ schedule: "[{k}]", child: {{
        sequence: [ {}, {} ] }} }} }} }}"#,
        part("S[i, j, k]"),
        part("T[i, j, k]")
    );
    let scop = two_products("", "0 <= i, j, k < 16 and j < i", "0 <= i, j, k < 16 and j >= i", &tree);
    let ast = assert_faithful(&scop, &[&[]]);
    assert_eq!(held(&ast), ["C", "D"], "{}", ast.to_text(&scop));
}
