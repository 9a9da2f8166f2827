//! Loops that hold footprints: right ones on the CPU and in kernels, and what may be wrong with one.

use super::build::{add, call, code, is, it, kernel, less, n, num, repeat, report, shared, tile, times, when};
use super::shared::{matrix, product};
use super::{BOUND, memory, parameters, scop};
use crate::ast::{Cond, Expr, IteratorId, Node, Parallel, Promoted, SharedTile};
use crate::interpret::{Error, Fault, Interpreter, Report};
use crate::scop::Scop;

/// A footprint of `C`: first element, how many, how far apart.
fn footprint(origin: [Expr; 2], extent: [i64; 2], stride: [i64; 2]) -> Promoted {
    Promoted {
        array: "C".to_owned(),
        origin: origin.to_vec(),
        extent: extent.to_vec(),
        stride: stride.to_vec(),
        limit: vec![None, None],
        numbers: vec![IteratorId(14), IteratorId(15)],
        outside: Vec::new(),
    }
}

/// A loop, given as a node, that holds something.
fn holding(mut node: Node, promoted: Promoted) -> Node {
    let Node::For(inner) = &mut node else { panic!("no loop") };
    inner.promoted.push(promoted);
    node
}

/// A product on the CPU: blocks of 2 by 2 at 0 and 1, `k` 2, points 3 and 4.
fn blocked(promoted: Option<Promoted>) -> Node {
    let points = call(0, vec![add(it(0), it(3)), add(it(1), it(4)), it(2)]);
    let points = repeat(3, num(0), vec![num(2)], 1, repeat(4, num(0), vec![num(2)], 1, points));
    let mut sum = repeat(2, num(0), vec![n()], 1, points);
    if let Some(promoted) = promoted {
        sum = holding(sum, promoted);
    }
    repeat(0, num(0), vec![n()], 2, repeat(1, num(0), vec![n()], 2, sum))
}

/// What it holds.
fn block() -> Promoted {
    footprint([it(0), it(1)], [2, 2], [1, 1])
}

/// The size of its matrices.
const BLOCKED: i64 = 4;

/// A node with its outermost loop parallel.
fn parallel(mut node: Node) -> Node {
    let Node::For(outer) = &mut node else { panic!("no loop") };
    outer.parallel = Some(Parallel::default());
    node
}

/// A product in a kernel: blocks 0 and 1 of 2 by 2 threads 2 and 3, which have 2 by 2 points 6 and 7 each, a block's
/// width apart; tiles of `k` 4, `k` 5.
fn tiled(promoted: Promoted) -> Node {
    let at = |block: usize, thread: usize, point: usize| add(add(times(4, it(block)), it(thread)), times(2, it(point)));
    let points = call(0, vec![at(0, 2, 6), at(1, 3, 7), it(5)]);
    let points = repeat(6, num(0), vec![num(2)], 1, repeat(7, num(0), vec![num(2)], 1, points));
    let body = repeat(5, it(4), vec![n(), add(it(4), num(3))], 1, points);
    let tiles = vec![
        matrix(0, "A", [times(4, it(0)), it(4)], [4, 3], [0, 2]),
        matrix(1, "B", [it(4), times(4, it(1))], [3, 4], [2, 1]),
    ];
    let steps = repeat(4, num(0), vec![n()], 3, shared(tiles, body));
    kernel(&[(0, 2), (1, 2)], &[(2, 2), (3, 2)], holding(steps, promoted))
}

/// What each thread holds from the first tile to the last.
fn sums() -> Promoted {
    let first = |block: usize, thread: usize| add(times(4, it(block)), it(thread));
    footprint([first(0, 2), first(1, 3)], [2, 2], [2, 2])
}

/// The size of its matrices.
const TILED: i64 = 8;

/// What is found besides differences of values, in words.
fn words(report: &Report) -> Vec<String> {
    assert!(report.instances.is_empty(), "{report:?}");
    report.faults.iter().map(Fault::to_string).collect()
}

fn on_cpu(promoted: Promoted) -> Vec<String> {
    words(&report(&product(""), BLOCKED, blocked(Some(promoted))))
}

fn in_kernel(promoted: Promoted) -> Vec<String> {
    words(&report(&product(""), TILED, tiled(promoted)))
}

fn has(found: &[String], wanted: &str) {
    assert!(found.iter().any(|fault| fault == wanted), "no `{wanted}` in {found:#?}");
}

#[test]
fn a_block_is_held() {
    for root in [blocked(Some(block())), parallel(blocked(Some(block())))] {
        let found = report(&product(""), BLOCKED, root);
        assert!(found.is_same() && found.compared == 16, "{found:?}");
    }
}

#[test]
fn sums_are_held_over_tiles_and_barriers() {
    let found = report(&product(""), TILED, tiled(sums()));
    assert!(found.is_same(), "{found:?}");
    assert_eq!((found.executed, found.compared), (512, 64));
}

#[test]
fn a_footprint_that_is_too_large_is_found() {
    let found = on_cpu(footprint([it(0), it(1)], [2, 3], [1, 1]));
    has(&found, "C[0, 4] is copied to a loop's buffer, and nothing else accesses it");
    has(&found, "C[0, 0] is copied back from a loop's buffer, and nothing in the loop writes it");
    let found = in_kernel(Promoted { extent: vec![2, 3], ..sums() });
    has(&found, "C[0, 8] is copied to a loop's buffer (block [0, 1], thread [0, 0]), and nothing else accesses it");
    // The loops have no such extent, so no access is seen to be one of the footprint.
    has(
        &found,
        "held elsewhere: S[0, 0, 0] (block [0, 0], thread [0, 0]) accesses C[0, 0] in memory, which a loop around it \
         holds",
    );
}

/// Elements of other blocks, each of which is copied back with the value that it had.
#[test]
fn a_footprint_that_is_not_written_is_found() {
    let elsewhere = footprint([it(0), add(num(2), times(-1, it(1)))], [2, 2], [1, 1]);
    let found = report(&product(""), BLOCKED, blocked(Some(elsewhere)));
    assert!(found.values.is_empty(), "{found:?}");
    assert_eq!(words(&found), ["C[0, 2] is copied back from a loop's buffer, and nothing in the loop writes it"]);
}

#[test]
fn a_wrong_stride_is_found() {
    let found = in_kernel(Promoted { stride: vec![2, 1], ..sums() });
    has(
        &found,
        "held elsewhere: S[0, 0, 0] (block [0, 0], thread [0, 0]) accesses C[0, 0] in memory, which a loop around it \
         holds",
    );
    assert!(found.iter().any(|fault| fault.starts_with("race: ")), "{found:#?}");
    has(
        &on_cpu(footprint([it(0), it(1)], [2, 2], [1, 2])),
        "C[0, 4] is copied to a loop's buffer, and nothing else accesses it",
    );
}

#[test]
fn what_another_thread_accesses_is_found() {
    // The row of another thread.
    let other = add(times(4, it(0)), add(num(1), times(-1, it(2))));
    let found = in_kernel(Promoted { origin: vec![other, sums().origin[1].clone()], ..sums() });
    has(
        &found,
        "race: the loop that holds it (block [0, 0], thread [1, 0]) writes C[0, 0], which S[0, 0, 0] (block [0, 0], \
         thread [0, 0]) reads",
    );
    // Of another block.
    let found = in_kernel(Promoted { origin: vec![it(2), sums().origin[1].clone()], ..sums() });
    assert!(found.iter().any(|fault| fault.starts_with("race: ") && fault.contains("block [1, 0]")), "{found:#?}");
}

#[test]
fn what_another_iteration_accesses_is_found() {
    let first_rows = || footprint([num(0), it(1)], [2, 2], [1, 1]);
    let found = words(&report(&product(""), BLOCKED, parallel(blocked(Some(first_rows())))));
    has(&found, "race: S[0, 0, 0] writes C[0, 0], which the copy to a loop's buffer reads");
    assert!(!on_cpu(first_rows()).iter().any(|fault| fault.starts_with("race: ")));
}

/// An element of the block, by its place in the array.
#[test]
fn an_access_by_another_subscript_is_found() {
    let scop = product("      - read S_x: \"{ S[i, j, k] -> C[i, 0] : j mod 2 = 0 }\"\n");
    assert!(report(&scop, BLOCKED, blocked(None)).is_same());
    let found = report(&scop, BLOCKED, blocked(Some(block())));
    assert!(!found.values.is_empty());
    has(&words(&found), "held elsewhere: S[0, 0, 0] accesses C[0, 0] in memory, which a loop around it holds");
    // Which happens to be the own one wherever it is in the block.
    let scop = product("      - read S_x: \"{ S[i, j, k] -> C[i, k] : k < 2 and j >= 2 or k = j }\"\n");
    let found = report(&scop, BLOCKED, blocked(Some(block())));
    assert!(words(&found).iter().any(|fault| fault.starts_with("held elsewhere: ")), "{found:?}");
}

/// Any element of the array, as far as is known.
#[test]
fn an_array_that_is_read_elsewhere_in_the_loop_is_found() {
    let scop = product("      - read S_x: \"{ S[i, j, k] -> C[x, j] : 0 <= x < n and x != i }\"\n");
    let found = report(&scop, BLOCKED, blocked(Some(block())));
    has(&words(&found), "held elsewhere: S[0, 0, 0] accesses C[1, 0] in memory, which a loop around it holds");
}

#[test]
fn a_loop_that_does_not_run_is_found() {
    let empty = |first: [Expr; 2]| {
        holding(repeat(2, n(), vec![num(0)], 1, Node::Block(Vec::new())), footprint(first, [1, 1], [1, 1]))
    };
    let root = Node::Block(vec![empty([num(0), num(0)]), blocked(Some(block()))]);
    let found = report(&product(""), BLOCKED, root);
    assert!(found.values.is_empty());
    assert_eq!(words(&found), ["a loop that holds elements of C does not run"]);
    let Node::Kernel(mut kernel) = tiled(sums()) else { panic!("no kernel") };
    kernel.body = Node::Block(vec![empty([it(2), it(3)]), kernel.body]);
    assert_eq!(
        words(&report(&product(""), TILED, Node::Kernel(kernel))),
        ["a loop that holds elements of C (block [0, 0], thread [0, 0]) does not run"]
    );
}

/// `for i: y[i] = f(x[i + 1]); for i, k: x[i] = g(x[i], A[k])`
fn sums_of_a_vector() -> Scop {
    scop(
        &memory(&["A", "x", "y"]),
        r#"
  T:
    domain: "{ T[i] : 0 <= i < n - 1 }"
    accesses:
      - read T_x: "{ T[i] -> x[i + 1] }"
      - must_write T_w: "{ T[i] -> y[i] }"
  S:
    domain: "{ S[i, k] : 0 <= i < n and 0 <= k < n }"
    accesses:
      - read S_x: "{ S[i, k] -> x[i] }"
      - read S_a: "{ S[i, k] -> A[k] }"
      - must_write S_w: "{ S[i, k] -> x[i] }""#,
        r#"
  domain: "{ S[i, k] : 0 <= i < n and 0 <= k < n; T[i] : 0 <= i < n - 1 }"
  child:
    sequence:
      - { filter: "{ T[i] }", child: { schedule: "[{ T[i] -> [(i)] }]" } }
      - { filter: "{ S[i, k] }", child: { schedule: "[{ S[i, k] -> [(i)] }, { S[i, k] -> [(k)] }]" } }"#,
        "{ x[i]; y[i] }",
    )
}

/// All threads hold their elements until the last one has read: values are right, but only with the buffers, which an
/// emitter need not make.
#[test]
fn a_read_of_what_another_thread_holds_is_found() {
    let read = when(Cond::And(vec![is(it(1), num(2)), less(it(0), num(5))]), call(0, vec![it(0)]));
    let sum = repeat(2, it(1), vec![add(it(1), num(2))], 1, call(1, vec![it(0), it(2)]));
    let copy = SharedTile { extent: vec![2], ..tile(it(1), 2, 3, (1, it(1))) };
    let steps = repeat(1, num(0), vec![n()], 2, shared(vec![copy], Node::Block(vec![read, sum])));
    let promoted = Promoted {
        array: "x".to_owned(),
        origin: vec![it(0)],
        extent: vec![1],
        stride: vec![1],
        limit: vec![None],
        numbers: vec![IteratorId(15)],
        outside: Vec::new(),
    };
    let found = report(&sums_of_a_vector(), 6, kernel(&[], &[(0, 6)], holding(steps, promoted)));
    assert!(found.values.is_empty(), "{found:?}");
    has(
        &words(&found),
        "race: the loop that holds it (block [], thread [1]) writes x[1], which T[0] (block [], thread [0]) reads",
    );
}

/// The same product, with a row and a column less than blocks have: points ask whether they exist.
fn ending(limit: [Option<Expr>; 2]) -> Vec<String> {
    let at = |block: usize, thread: usize, point: usize| add(add(times(4, it(block)), it(thread)), times(2, it(point)));
    let points = when(less(at(1, 3, 7), n()), call(0, vec![at(0, 2, 6), at(1, 3, 7), it(5)]));
    let rows = when(less(at(0, 2, 6), n()), repeat(7, num(0), vec![num(2)], 1, points));
    let steps = repeat(5, num(0), vec![n()], 1, repeat(6, num(0), vec![num(2)], 1, rows));
    let promoted = Promoted { limit: limit.to_vec(), ..sums() };
    let found = report(&product(""), TILED - 1, kernel(&[(0, 2), (1, 2)], &[(2, 2), (3, 2)], holding(steps, promoted)));
    assert_eq!((found.executed, found.compared), (343, 49));
    words(&found)
}

#[test]
fn what_ends_before_is_held_as_far_as_it_exists() {
    assert_eq!(ending([Some(n()), Some(n())]), [""; 0]);
    let beyond = "C[0, 7] is copied to a loop's buffer (block [0, 1], thread [0, 1]), and nothing else accesses it";
    has(&ending([Some(n()), None]), beyond);
    has(&ending([Some(n()), Some(add(n(), num(1)))]), beyond);
    // What is behind the limit is neither copied to the buffer nor back, and looked for there.
    has(
        &ending([Some(n()), Some(add(n(), num(-1)))]),
        "not held: S[0, 6, 0] (block [0, 1], thread [0, 0]) accesses C[0, 6] in a loop's buffer, beyond what that holds",
    );
}

/// The sums below the diagonal, `j <= i`, in blocks of 2 by 2 at 0 and 1: the columns of a row end where the row says.
fn triangle(beyond: i64) -> Vec<String> {
    let scop = scop(
        "  C: { kind: memory, element: f64, extent: [n, n] }\n",
        r#"
  S:
    domain: "{ S[i, j, k] : 0 <= j <= i < n and 0 <= k < n }"
    accesses:
      - read R: "{ S[i, j, k] -> C[i, j] }"
      - must_write W: "{ S[i, j, k] -> C[i, j] }""#,
        r#"
  domain: "{ S[i, j, k] : 0 <= j <= i < n and 0 <= k < n }"
  child: { schedule: "[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }, { S[i, j, k] -> [(k)] }]" }"#,
        "{ C[i, j] }",
    );
    let (row, column) = (add(it(0), it(3)), add(it(1), it(4)));
    let points = when(less(column.clone(), add(row.clone(), num(1))), call(0, vec![row, column, it(2)]));
    let block = repeat(3, num(0), vec![num(2)], 1, repeat(4, num(0), vec![num(2)], 1, points));
    let steps = repeat(2, num(0), vec![n()], 1, block);
    let limit = vec![None, Some(add(add(it(0), it(14)), num(beyond)))];
    let promoted = Promoted { limit, ..footprint([it(0), it(1)], [2, 2], [1, 1]) };
    let columns = repeat(1, num(0), vec![add(it(0), num(1))], 2, holding(steps, promoted));
    let found = report(&scop, 6, repeat(0, num(0), vec![n()], 2, columns));
    assert_eq!(found.executed, 126);
    words(&found)
}

#[test]
fn a_row_of_a_triangle_is_held_as_far_as_it_exists() {
    assert_eq!(triangle(1), [""; 0]);
    assert!(
        triangle(2).iter().any(|fault| fault.contains("C[0, 1] is copied to a loop's buffer")),
        "{:?}",
        triangle(2)
    );
    let missing = "accesses C[0, 0] in a loop's buffer, beyond what that holds";
    assert!(triangle(0).iter().any(|fault| fault.contains(missing)), "{:?}", triangle(0));
}

/// A copy to shared memory of what is held has another value, also where nobody else accesses it.
#[test]
fn a_tile_of_what_is_held_is_found() {
    let Node::Kernel(mut kernel) = tiled(sums()) else { panic!("no kernel") };
    let Node::For(steps) = &mut kernel.body else { panic!("no loop") };
    let Node::Shared(copies) = &mut steps.body else { panic!("no copy") };
    copies.tiles.push(matrix(2, "C", [times(4, it(0)), times(4, it(1))], [1, 1], [0, 1]));
    let found = report(&product(""), TILED, Node::Kernel(kernel));
    has(
        &words(&found),
        "held elsewhere: the copy to shared memory (block [0, 0], thread [0, 0]) accesses C[0, 0] in memory, which a \
         loop around it holds",
    );
}

#[test]
fn loops_that_cannot_hold_anything_are_refused() {
    let region = product("");
    let interpreter = Interpreter::new(&region, &parameters(&[("n", BLOCKED)]), BOUND).unwrap();
    let refused = |root: Node, why: &str| {
        let found = interpreter.compare_ast(&code(root)).map(|report| words(&report));
        assert_eq!(found, Err(Error::Malformed(why.to_owned())));
    };
    let rows = |node: Node| holding(node, footprint([num(0), num(0)], [1, 1], [1, 1]));
    refused(rows(parallel(blocked(None))), "a parallel loop holds elements");
    refused(
        rows(repeat(8, num(0), vec![num(1)], 1, kernel(&[], &[], blocked(None)))),
        "a kernel in a loop that holds elements",
    );
    let mut own = parallel(blocked(None));
    let Node::For(inner) = &mut own else { panic!("no loop") };
    inner.parallel = Some(Parallel { private: vec!["C".to_owned()] });
    refused(rows(repeat(8, num(0), vec![num(1)], 1, own)), "a loop has copies of `C`, which one around it holds");
    refused(blocked(Some(footprint([it(0), it(1)], [2, 0], [1, 1]))), "what is held of `C` is no box");
    refused(blocked(Some(Promoted { stride: vec![1], ..block() })), "what is held of `C` is no box");
    refused(blocked(Some(Promoted { limit: vec![None], ..block() })), "what is held of `C` is no box");
}
