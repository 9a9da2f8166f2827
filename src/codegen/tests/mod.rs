//! The generated code executes exactly the instances of the schedule, in its order.

mod beside;
mod blocks;
mod ends;
mod execute;
mod kernel_trees;
mod kernels;
mod overflow;
mod packed;
mod places;
mod random;
mod shared;
mod span;

use super::{Ast, Expr, For, Node, Options, generate};
use crate::isl;
use crate::scop::{Access, AccessKind, Scop};
use execute::{executed, expected, scop};

fn small_options() -> Options {
    Options::default()
}

/// Generates with and without separation; compares the sequence at parameter values in the context. Returns the first.
fn assert_faithful(scop: &Scop, values: &[&[i64]]) -> Ast {
    let separated = generate(scop, &scop.schedule, &small_options()).unwrap();
    let plain = generate(scop, &scop.schedule, &Options { separate_full_tiles: false, ..small_options() }).unwrap();
    for parameters in values {
        let expected = expected(scop, &scop.schedule, parameters);
        assert!(expected.windows(2).all(|w| w[0].0 < w[1].0), "the test's schedule must be a total order");
        let expected: Vec<_> = expected.into_iter().map(|(_, instance)| instance).collect();
        for ast in [&separated, &plain] {
            assert_eq!(executed(ast, parameters), expected, "at {parameters:?}:\n{}", ast.to_text(scop));
        }
    }
    assert!(values.iter().any(|p| !executed(&plain, p).is_empty()), "nothing was executed");
    separated
}

fn loops(node: &Node) -> Vec<&For> {
    match node {
        Node::Block(children) => children.iter().flat_map(loops).collect(),
        Node::For(node) => std::iter::once(&**node).chain(loops(&node.body)).collect(),
        Node::If(node) => loops(&node.then).into_iter().chain(node.otherwise.iter().flat_map(loops)).collect(),
        Node::Kernel(kernel) => loops(&kernel.body),
        Node::Shared(shared) => loops(&shared.body),
        Node::Call(_) => Vec::new(),
    }
}

const MATMUL_TILED: &str = r#"
domain: "[n, m] -> { S[i,j] : 0 <= i < n and 0 <= j < m }"
child:
  mark: "tile"
  child:
    mark: "parallel private(t)"
    child:
      schedule: "[n, m] -> [{ S[i,j] -> [4*floor(i/4)] }, { S[i,j] -> [4*floor(j/4)] }]"
      child:
        mark: "vector"
        child:
          schedule: "[n, m] -> [{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"
"#;

#[test]
fn tiles_are_cut_by_the_domain() {
    let ctx = isl::Ctx::new();
    let scop = scop(&ctx, "[n,m] -> { S[i,j] : 0 <= i < n and 0 <= j < m }", "[n,m] -> { : }", MATMUL_TILED);
    let ast = assert_faithful(&scop, &[&[0, 5], &[1, 1], &[4, 4], &[5, 8], &[7, 9], &[8, 11], &[-3, 2]]);
    let loops = loops(&ast.root);
    // Two tile loops, and the point loops twice: whole and cut along the rows.
    assert_eq!(loops.len(), 6, "{}", ast.to_text(&scop));
    assert_eq!(loops[0].parallel.as_ref().map(|p| p.private.clone()), Some(vec!["t".to_owned()]));
    assert!(loops[1..].iter().all(|l| l.parallel.is_none()));
    assert_eq!(loops.iter().map(|l| l.vector).collect::<Vec<_>>(), [false, false, false, true, false, true]);
    assert_eq!((&loops[3].lower[..], &loops[3].upper[..]), (&[Expr::Const(0)][..], &[Expr::Const(4)][..]));
    assert_eq!(loops[0].step, 4);
}

#[test]
fn a_member_with_one_value_does_not_pass_its_mark_on() {
    let ctx = isl::Ctx::new();
    let schedule = r#"
domain: "[n] -> { S[i,j] : i = 3 and 0 <= j < n }"
child:
  mark: "parallel"
  child:
    schedule: "[n] -> [{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"
"#;
    let scop = scop(&ctx, "[n] -> { S[i,j] : i = 3 and 0 <= j < n }", "[n] -> { : }", schedule);
    let ast = assert_faithful(&scop, &[&[0], &[1], &[6]]);
    assert!(loops(&ast.root).iter().all(|l| l.parallel.is_none()), "{}", ast.to_text(&scop));
}

#[test]
fn time_skewed_stencil_in_tiles() {
    let ctx = isl::Ctx::new();
    let domain = "[T,n] -> { S[t,i] : 0 <= t < T and 1 <= i < n - 1; R[t,i] : 0 <= t < T and 1 <= i < n - 1 }";
    let schedule = r#"
domain: "[T,n] -> { S[t,i] : 0 <= t < T and 1 <= i < n - 1; R[t,i] : 0 <= t < T and 1 <= i < n - 1 }"
child:
  schedule: "[T,n] -> [{ S[t,i] -> [4*floor(t/4)]; R[t,i] -> [4*floor(t/4)] }, { S[t,i] -> [4*floor((2t+i)/4)]; R[t,i] -> [4*floor((2t+i+1)/4)] }]"
  child:
    schedule: "[T,n] -> [{ S[t,i] -> [t]; R[t,i] -> [t] }, { S[t,i] -> [2t+i]; R[t,i] -> [2t+i+1] }]"
    child:
      sequence:
      - filter: "{ S[t,i] }"
      - filter: "{ R[t,i] }"
"#;
    let scop = scop(&ctx, domain, "[T,n] -> { : }", schedule);
    assert_faithful(&scop, &[&[0, 9], &[1, 3], &[3, 7], &[5, 9], &[9, 17]]);
}

#[test]
fn whole_tiles_have_no_conditions_inside() {
    let ctx = isl::Ctx::new();
    let domain = "[n] -> { S[i] : 0 <= i < n; R[i] : 3 <= i < n - 1 }";
    let schedule = r#"
domain: "[n] -> { S[i] : 0 <= i < n; R[i] : 3 <= i < n - 1 }"
child:
  schedule: "[n] -> [{ S[i] -> [8*floor(i/8)]; R[i] -> [8*floor(i/8)] }]"
  child:
    schedule: "[n] -> [{ S[i] -> [i]; R[i] -> [i] }]"
    options: "{ atomic[0] }"
    child:
      sequence:
      - filter: "{ S[i] }"
      - filter: "{ R[i] }"
"#;
    let scop = scop(&ctx, domain, "[n] -> { : }", schedule);
    let ast = assert_faithful(&scop, &[&[0], &[3], &[5], &[8], &[9], &[17], &[23], &[24], &[25], &[30]]);
    let loops = loops(&ast.root);
    let whole = loops.iter().find(|l| l.upper == [Expr::Const(8)]).expect("a loop over whole tiles");
    assert!(matches!(&whole.body, Node::Block(calls) if calls.iter().all(|c| matches!(c, Node::Call(_)))));
}

#[test]
fn wavefront_over_tiles() {
    let ctx = isl::Ctx::new();
    let domain = "[n] -> { S[i,j] : 0 <= i < n and 0 <= j < n }";
    let schedule = r#"
domain: "[n] -> { S[i,j] : 0 <= i < n and 0 <= j < n }"
child:
  schedule: "[n] -> [{ S[i,j] -> [4*floor(i/4) + 4*floor(j/4)] }]"
  child:
    mark: "parallel"
    child:
      schedule: "[n] -> [{ S[i,j] -> [4*floor(j/4)] }]"
      child:
        schedule: "[n] -> [{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"
"#;
    let scop = scop(&ctx, domain, "[n] -> { : }", schedule);
    let ast = assert_faithful(&scop, &[&[0], &[3], &[4], &[10], &[13]]);
    assert_eq!(loops(&ast.root).iter().filter(|l| l.parallel.is_some()).count(), 1);
}

#[test]
fn unions_strides_and_holes() {
    let ctx = isl::Ctx::new();
    // Bounds that are maxima of upper ends, strides with different offsets, and a domain with a hole.
    let domain =
        "[n,m] -> { A[i] : 0 <= i < n and i mod 3 = 1; B[i] : 0 <= i < m; C[i] : 0 <= i < n and (i <= 2 or i >= 5) }";
    let schedule = r#"
domain: "[n,m] -> { A[i] : 0 <= i < n and i mod 3 = 1; B[i] : 0 <= i < m; C[i] : 0 <= i < n and (i <= 2 or i >= 5) }"
child:
  schedule: "[n,m] -> [{ A[i] -> [i]; B[i] -> [i]; C[i] -> [i] }]"
  options: "{ atomic[0] }"
  child:
    sequence:
    - filter: "{ C[i] }"
    - filter: "{ A[i] }"
    - filter: "{ B[i] }"
"#;
    let scop = scop(&ctx, domain, "[n,m] -> { : }", schedule);
    assert_faithful(&scop, &[&[0, 0], &[9, 4], &[4, 9], &[0, 5], &[11, 0], &[7, 7]]);
}

#[test]
fn triangles_divisions_and_reversal() {
    let ctx = isl::Ctx::new();
    let domain = "[n] -> { S[i,j] : 0 <= i < n and i <= 2j <= n + i; R[i] : 0 <= i < n }";
    let schedule = r#"
domain: "[n] -> { S[i,j] : 0 <= i < n and i <= 2j <= n + i; R[i] : 0 <= i < n }"
child:
  schedule: "[n] -> [{ S[i,j] -> [-i]; R[i] -> [-i - 1] }]"
  child:
    sequence:
    - filter: "{ R[i] }"
    - filter: "{ S[i,j] }"
      child:
        schedule: "[n] -> [{ S[i,j] -> [floor(j/3)] }, { S[i,j] -> [-j] }]"
"#;
    let scop = scop(&ctx, domain, "[n] -> { : }", schedule);
    assert_faithful(&scop, &[&[0], &[1], &[2], &[5], &[8]]);
}

#[test]
fn modulus_of_iterators_and_conditions_on_parameters() {
    let ctx = isl::Ctx::new();
    let domain = "[n,k] -> { S[i,j] : 0 <= i < n and 0 <= j < 5 and (i + j) mod 4 = 2 and (k mod 2 = 0 or k > 7) }";
    let schedule = r#"
domain: "[n,k] -> { S[i,j] : 0 <= i < n and 0 <= j < 5 and (i + j) mod 4 = 2 and (k mod 2 = 0 or k > 7) }"
child:
  schedule: "[n,k] -> [{ S[i,j] -> [j] }, { S[i,j] -> [i] }]"
"#;
    let scop = scop(&ctx, domain, "[n,k] -> { : }", schedule);
    assert_faithful(&scop, &[&[0, 0], &[6, 0], &[6, 1], &[6, 9], &[13, 2], &[6, -1]]);
}

#[test]
fn kills_and_instances_outside_the_context_are_left_out() {
    let ctx = isl::Ctx::new();
    let schedule = r#"
domain: "[n] -> { S[i] : 0 <= i < n; K[] }"
child:
  sequence:
  - filter: "{ S[i] }"
    child:
      schedule: "[n] -> [{ S[i] -> [i] }]"
  - filter: "{ K[] }"
"#;
    let mut scop = scop(&ctx, "[n] -> { S[i] : 0 <= i < n; K[] }", "[n] -> { : n <= 4 }", schedule);
    let kill = scop.statement_by_name("K").unwrap().0;
    scop.statements[kill].side_effect = false;
    scop.statements[kill].accesses.push(Access::new(
        "K0".into(),
        crate::scop::AccessKind::Kill,
        isl::Map::parse(&ctx, "{ K[] -> t[] }").unwrap(),
    ));
    let ast = generate(&scop, &scop.schedule, &Options::default()).unwrap();
    assert_eq!(executed(&ast, &[3]), [(1, vec![0]), (1, vec![1]), (1, vec![2])]);
}

#[test]
fn code_beyond_the_bound_is_refused() {
    let ctx = isl::Ctx::new();
    let scop = scop(&ctx, "[n,m] -> { S[i,j] : 0 <= i < n and 0 <= j < m }", "[n,m] -> { : }", MATMUL_TILED);
    let error = generate(&scop, &scop.schedule, &Options { max_nodes: 10, ..Options::default() }).unwrap_err();
    assert!(error.is_exhausted(), "{error}");
}

#[test]
fn iterators_and_parameters_keep_different_names() {
    let ctx = isl::Ctx::new();
    let schedule = r#"
domain: "[c0] -> { S[i,j] : 0 <= i < c0 and 0 <= j <= i }"
child:
  schedule: "[c0] -> [{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"
"#;
    let scop = scop(&ctx, "[c0] -> { S[i,j] : 0 <= i < c0 and 0 <= j <= i }", "[c0] -> { : }", schedule);
    let ast = assert_faithful(&scop, &[&[4]]);
    assert!(ast.to_text(&scop).starts_with("for (c_0 = 0; c_0 < c0; c_0++) {\n"), "{}", ast.to_text(&scop));
}

#[test]
fn loops_in_another_order_are_begun_only_if_there_is_something_to_do() {
    let domain = "[n, m, l] -> { S[i,j,k] : 0 <= i < n and 0 <= j < m and 0 <= k < l }";
    let (i, j, k) = ("{ S[i,j,k] -> [i] }", "{ S[i,j,k] -> [j] }", "{ S[i,j,k] -> [k] }");
    let (tiles, skewed) = ("{ S[i,j,k] -> [8*floor(i/8)] }", "{ S[i,j,k] -> [i + j] }");
    for (members, condition) in [
        (vec![i, j, k], ""),
        (vec![tiles, "{ S[i,j,k] -> [8*floor(j/8)] }", i, j, k], ""),
        (vec![i, skewed, k], ""),
        (vec![k, i, j], "if (n >= 1 && m >= 1) {\n"),
        (vec![i, k, j], "if (m >= 1 && l >= 1) {\n"),
        (vec![tiles, k, i, j], "if (m >= 1 && l >= 1) {\n"),
    ] {
        let schedule = format!("domain: \"{domain}\"\nchild:\n  schedule: \"[n, m, l] -> [{}]\"\n", members.join(", "));
        let scop = scop(&isl::Ctx::new(), domain, "[n, m, l] -> { : }", &schedule);
        let ast = assert_faithful(&scop, &[&[2, 3, 4], &[0, 3, 4], &[2, 0, 4], &[9, 1, 0], &[1, 1, 1]]);
        let text = ast.to_text(&scop);
        let first = if condition.is_empty() { "for (" } else { condition };
        assert!(text.starts_with(first), "{members:?}: {text}");
    }
}

#[test]
fn conditions_leave_loops_that_they_do_not_depend_on() {
    let ctx = isl::Ctx::new();
    let tiled = r#"
domain: "[n, m] -> { S[i,j] : 0 <= i < n and 0 <= j < m }"
child:
  schedule: "[n, m] -> [{ S[i,j] -> [4*floor(j/4)] }, { S[i,j] -> [i] }, { S[i,j] -> [j] }]"
"#;
    let scop = scop(&ctx, "[n,m] -> { S[i,j] : 0 <= i < n and 0 <= j < m }", "[n,m] -> { : }", tiled);
    let ast = assert_faithful(&scop, &[&[0, 5], &[1, 1], &[4, 4], &[5, 9], &[-1, 4]]);
    // The loop over tiles is not begun without rows.
    let Node::If(rows) = &ast.root else { panic!("a condition on the rows: {}", ast.to_text(&scop)) };
    let Node::For(outer) = &rows.then else { panic!("a loop over tiles: {}", ast.to_text(&scop)) };
    let Node::If(branch) = &outer.body else { panic!("a condition around the rows: {}", ast.to_text(&scop)) };
    let bodies = [Some(&branch.then), branch.otherwise.as_ref()];
    for body in bodies.map(Option::unwrap) {
        let Node::For(rows) = body else { panic!("{}", ast.to_text(&scop)) };
        assert!(matches!(rows.body, Node::For(_)), "{}", ast.to_text(&scop));
    }
}

/// `I` comes with the first iteration of `R` and before it: isl would run it before the loop.
const FIRST_ITERATION: &str = r#"
domain: "[n] -> { I[]; R[i] : 0 <= i < n; W[i] : 0 <= i < n }"
child:
  mark: "parallel private(t)"
  child:
    schedule: "[n] -> [{ I[] -> [0]; W[i] -> [i + 1]; R[i] -> [i] }]"
    child:
      sequence:
      - filter: "{ I[]; W[i] }"
        child:
          set:
          - filter: "{ I[] }"
          - filter: "{ W[i] }"
      - filter: "{ R[i] }"
"#;

/// The calls outside of parallel loops, and those in each of them.
fn places(node: &Node, place: &mut Vec<Vec<String>>, current: usize, scop: &Scop) {
    match node {
        Node::Block(children) => children.iter().for_each(|child| places(child, place, current, scop)),
        Node::For(node) if node.parallel.is_some() => {
            place.push(Vec::new());
            let inside = place.len() - 1;
            places(&node.body, place, inside, scop);
        }
        Node::For(node) => places(&node.body, place, current, scop),
        Node::If(branch) => {
            places(&branch.then, place, current, scop);
            branch.otherwise.iter().for_each(|node| places(node, place, current, scop));
        }
        Node::Kernel(kernel) => places(&kernel.body, place, current, scop),
        Node::Shared(shared) => places(&shared.body, place, current, scop),
        Node::Call(call) => place[current].push(scop.statement(call.statement).name.clone()),
    }
}

#[test]
fn private_copies_are_not_left_behind() {
    let ctx = isl::Ctx::new();
    let domain = "[n] -> { I[]; R[i] : 0 <= i < n; W[i] : 0 <= i < n }";
    let mut scop = scop(&ctx, domain, "[n] -> { : n >= 1 }", FIRST_ITERATION);
    for (statement, kind, relation) in [
        ("I", AccessKind::MustWrite, "{ I[] -> t[] }"),
        ("W", AccessKind::MustWrite, "{ W[i] -> t[] }"),
        ("R", AccessKind::Read, "{ R[i] -> t[] }"),
    ] {
        let id = scop.statement_by_name(statement).unwrap();
        let relation = isl::Map::parse(&ctx, relation).unwrap();
        scop.statements[id.0].accesses.push(Access::new(format!("t{statement}"), kind, relation));
    }
    let ast = assert_faithful(&scop, &[&[1], &[2], &[5]]);
    let mut found = vec![Vec::new()];
    places(&ast.root, &mut found, 0, &scop);
    let with_copies = found.iter().filter(|calls| !calls.is_empty()).count();
    assert_eq!(with_copies, 1, "{}", ast.to_text(&scop));
    // Unprofitable in one piece, the loop stays parallel.
    assert_eq!(found.len(), 2, "{}", ast.to_text(&scop));
}
