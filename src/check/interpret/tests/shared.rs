//! Tiles in shared memory: a product of matrices that is right, and what may be wrong with one.

use super::build::{
    add, all, call, code, faults, is, it, kernel, less, n, num, repeat, report, shared, tile, times, when,
};
use super::{BOUND, memory, parameters, scop};
use crate::ast::{Cond, Expr, IteratorId, Kernel, Node, Shared, SharedTile};
use crate::interpret::{Interpreter, Order, Trial, trial};
use crate::scop::{Scop, StatementId};

/// `for i, j, k: C[i][j] = f(C[i][j], A[i][k], B[k][j])`, with `more` accesses.
pub fn product(more: &str) -> Scop {
    let arrays = ["A", "B", "C"].map(|n| format!("  {n}: {{ kind: memory, element: f64, extent: [n, n] }}\n"));
    scop(
        &arrays.concat(),
        &format!(
            r#"
  S:
    domain: "{{ S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }}"
    accesses:
{more}
      - read S_c: "{{ S[i, j, k] -> C[i, j] }}"
      - read S_a: "{{ S[i, j, k] -> A[i, k] }}"
      - read S_b: "{{ S[i, j, k] -> B[k, j] }}"
      - must_write S_w: "{{ S[i, j, k] -> C[i, j] }}""#
        ),
        r#"
  domain: "{ S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }"
  child: { schedule: "[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }, { S[i, j, k] -> [(k)] }]" }"#,
        "{ C[i, j] }",
    )
}

/// Threads along each axis of a block, which work on an element each.
const THREADS: i64 = 2;
/// How long a tile is along `k`: more elements than threads.
const DEPTH: i64 = 3;
/// Not a multiple of any of them.
const SIZE: i64 = 5;

/// A tile of a matrix.
pub fn matrix(buffer: usize, array: &str, origin: [Expr; 2], extent: [i64; 2], reads: [usize; 2]) -> SharedTile {
    let element = [8 + 2 * buffer, 9 + 2 * buffer];
    SharedTile {
        order: vec![0, 1],
        buffer,
        array: array.to_owned(),
        origin: origin.to_vec(),
        extent: extent.to_vec(),
        element: element.map(IteratorId).to_vec(),
        exists: all(element.map(|element| less(it(element), n()))),
        reads: vec![(StatementId(0), reads.map(it).to_vec())],
    }
}

/// The code of the product: blocks 0 and 1, threads 2 and 3, tiles of `k` 4, `k` 5.
fn tiled() -> Node {
    let (i, j) = (add(times(THREADS, it(0)), it(2)), add(times(THREADS, it(1)), it(3)));
    let points = repeat(5, it(4), vec![n(), add(it(4), num(DEPTH))], 1, call(0, vec![i.clone(), j.clone(), it(5)]));
    let body = when(all([less(i, n()), less(j, n())]), points);
    let tiles = vec![
        matrix(0, "A", [times(THREADS, it(0)), it(4)], [THREADS, DEPTH], [0, 2]),
        matrix(1, "B", [it(4), times(THREADS, it(1))], [DEPTH, THREADS], [2, 1]),
    ];
    let blocks = (SIZE + THREADS - 1) / THREADS;
    let steps = repeat(4, num(0), vec![n()], DEPTH, shared(tiles, body));
    kernel(&[(0, blocks), (1, blocks)], &[(2, THREADS), (3, THREADS)], steps)
}

/// The code with its copy changed.
fn with(change: impl Fn(&mut Shared)) -> Node {
    fn apply(mut node: Node, change: &dyn Fn(&mut Shared)) -> Node {
        if let Node::Shared(shared) = &mut node {
            change(shared);
        }
        node.map_children(|child| Ok::<_, ()>(apply(child, change))).unwrap()
    }
    apply(tiled(), &change)
}

/// What is found, in words.
fn found(root: Node) -> Vec<String> {
    faults(&product(""), SIZE, root)
}

#[test]
fn a_product_with_tiles_is_the_product() {
    let found = report(&product(""), SIZE, tiled());
    assert!(found.is_same(), "{found:?}");
    assert_eq!((found.executed, found.compared), (125, 25));
    // Values come by way of tiles.
    let scop = product("");
    let interpreter = Interpreter::new(&scop, &parameters(&[("n", SIZE)]), BOUND).unwrap();
    let trace = interpreter.ast(&code(with(|shared| shared.tiles[0].exists = Cond::Or(Vec::new())))).unwrap();
    let outcome = interpreter.run(&trace, Order::Shuffled(7));
    assert!(interpreter.live_out(&outcome).iter().all(|(_, value)| value.is_none()));
}

#[test]
fn a_tile_that_is_too_small_is_found() {
    assert_eq!(
        found(with(|shared| shared.tiles[0].extent[1] -= 1)),
        ["S[0, 0, 2] (block [0, 0], thread [0, 0]) reads A[0, 2] from a tile, which it is outside of"]
    );
    assert_eq!(
        found(with(|shared| shared.tiles[1].origin[1] = add(shared.tiles[1].origin[1].clone(), num(1)))),
        ["S[0, 0, 0] (block [0, 0], thread [0, 0]) reads B[0, 0] from a tile, which it is outside of"]
    );
}

#[test]
fn an_element_that_is_not_copied_is_found() {
    let narrow = |cond: Cond| move |shared: &mut Shared| shared.tiles[0].exists = all([less(it(8), n()), cond.clone()]);
    assert_eq!(
        found(with(narrow(less(it(9), num(2))))),
        ["S[0, 0, 2] (block [0, 0], thread [0, 0]) reads A[0, 2] from a tile, where it was not copied"]
    );
    // Only in the last iteration: there is still what the one before copied.
    assert_eq!(
        found(with(narrow(less(it(9), add(n(), num(-1)))))),
        ["S[0, 0, 4] (block [0, 0], thread [0, 0]) reads A[0, 4] from a tile, where A[0, 1] is instead"]
    );
    // Only in one block: none finds what another one copied.
    assert_eq!(
        found(with(narrow(all([is(it(0), num(0)), less(it(9), n())])))),
        ["S[2, 0, 0] (block [1, 0], thread [0, 0]) reads A[2, 0] from a tile, where it was not copied"]
    );
}

/// Each thread copies its share of what it takes for the tile.
#[test]
fn a_tile_that_begins_elsewhere_in_each_thread_is_found() {
    let askew = with(|shared| shared.tiles[0].origin[0] = add(times(THREADS, it(0)), it(2)));
    assert!(found(askew).iter().any(|fault| fault.contains(" from a tile, ")));
}

#[test]
fn a_copy_beyond_the_array_is_found() {
    assert_eq!(
        found(with(|shared| shared.tiles[1].exists = less(it(11), n()))),
        ["B[5, 0] is copied to a tile (block [0, 0], thread [0, 0]), and nothing else accesses it"]
    );
}

#[test]
fn a_tile_in_the_place_of_another_one_is_found() {
    let found = found(with(|shared| shared.tiles[1].buffer = 0));
    assert!(
        found.iter().any(|fault| fault.contains(" reads A[0, 0] from a tile, where B[0, 0] is instead")),
        "{found:?}"
    );
}

#[test]
fn a_barrier_that_some_threads_miss_is_found() {
    let around = |change: &dyn Fn(Node) -> Node| {
        let Node::Kernel(kernel) = tiled() else { panic!() };
        let Node::For(mut steps) = kernel.body.clone() else { panic!() };
        steps.body = change(steps.body);
        Node::Kernel(Box::new(Kernel { body: Node::For(steps), ..*kernel }))
    };
    let diverges = |root: Node| {
        let report = report(&product(""), SIZE, root);
        report.faults.iter().map(ToString::to_string).find(|fault| fault.starts_with("divergence: ")).unwrap()
    };
    assert_eq!(
        diverges(around(&|copy| when(is(it(3), num(0)), copy))),
        "divergence: block [0, 0], thread [0, 0] waits at the barrier before the copy of A, B, block [0, 0], thread \
         [0, 1] has ended, after 0 barriers"
    );
    // A loop of more iterations in some threads: what one still reads, others overwrite.
    let Node::Kernel(mut kernel) = tiled() else { panic!() };
    let Node::For(steps) = &mut kernel.body else { panic!() };
    steps.upper.push(add(num(3), times(2, it(3))));
    assert_eq!(
        diverges(Node::Kernel(kernel)),
        "divergence: block [0, 0], thread [0, 1] waits at the barrier before the copy of A, B, block [0, 0], thread \
         [0, 0] has ended, after 2 barriers"
    );
    // A condition on the block is none on threads: as many instances are missing as these blocks have.
    let found = report(&product(""), SIZE, around(&|copy| when(is(it(1), num(0)), copy)));
    assert!(found.faults.is_empty() && !found.instances.is_empty(), "{found:?}");
}

/// `for i: { A[i] = f(); B[i] = g(A[i]); }`, or with the statements the other way round.
fn rewritten(first: &str, second: &str) -> Scop {
    scop(
        &memory(&["A", "B"]),
        r#"
  S:
    domain: "{ S[i] : 0 <= i < n }"
    accesses:
      - must_write S_w: "{ S[i] -> A[i] }"
  T:
    domain: "{ T[i] : 0 <= i < n }"
    accesses:
      - read T_r: "{ T[i] -> A[i] }"
      - must_write T_w: "{ T[i] -> B[i] }""#,
        &format!(
            r#"
  domain: "{{ S[i] : 0 <= i < n; T[i] : 0 <= i < n }}"
  child:
    schedule: "[{{ S[i] -> [(i)]; T[i] -> [(i)] }}]"
    child: {{ sequence: [ {{ filter: "{{ {first}[i] }}" }}, {{ filter: "{{ {second}[i] }}" }} ] }}"#
        ),
        "{ A[i]; B[i] }",
    )
}

#[test]
fn a_copy_that_is_stale_is_found() {
    let copy = |body: Node| shared(vec![tile(num(0), 4, 2, (1, it(0)))], body);
    let both = || Node::Block(vec![call(0, vec![it(0)]), call(1, vec![it(0)])]);
    let stale = "T[0] (block [], thread [0]) reads a stale copy of A[0], which S[0] has written since";
    let inside = report(&rewritten("S", "T"), 4, kernel(&[], &[(0, 4)], copy(both())));
    assert_eq!(inside.faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [stale]);
    assert!(!inside.values.is_empty());
    // Also where the copy has what is to be read: nothing in a kernel may write what it copies.
    let before = rewritten("T", "S");
    let kept = report(&before, 4, kernel(&[], &[(0, 4)], copy(both())));
    assert!(kept.values.is_empty(), "{kept:?}");
    assert_eq!(kept.faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [stale]);
    // With what was written by another kernel it is none.
    let apart = Node::Block(vec![
        kernel(&[], &[(0, 4)], call(0, vec![it(0)])),
        kernel(&[], &[(0, 4)], copy(call(1, vec![it(0)]))),
    ]);
    assert!(report(&rewritten("S", "T"), 4, apart).is_same());
}

/// A copy that is the only one has no barrier before it, and any thread may be the one that copies an element.
#[test]
fn a_write_before_the_only_copy_races_with_it() {
    let copy = || shared(vec![tile(num(0), 4, 2, (1, it(0)))], call(1, vec![it(0)]));
    let body = || Node::Block(vec![call(0, vec![it(0)]), copy()]);
    let scop = rewritten("S", "T");
    assert_eq!(
        faults(&scop, 4, kernel(&[], &[(0, 4)], body())),
        ["race: S[0] (block [], thread [0]) writes A[0], which the copy to shared memory (block [], thread [0]) \
             reads"]
    );
    let again = || shared(vec![tile(num(0), 4, 2, (1, it(0)))], Node::Block(Vec::new()));
    assert_eq!(faults(&scop, 4, kernel(&[], &[(0, 4)], Node::Block(vec![body(), again()]))), [""; 0]);
    // A thread that is alone waits for nobody.
    let alone = || repeat(0, num(0), vec![n()], 1, call(0, vec![it(0)]));
    let reads = shared(vec![tile(num(0), 4, 2, (1, it(0)))], repeat(0, num(0), vec![n()], 1, call(1, vec![it(0)])));
    assert_eq!(faults(&scop, 4, kernel(&[], &[], Node::Block(vec![alone(), reads]))), [""; 0]);
}

/// A trial refuses what has a fault, whether or not values come out right.
#[test]
fn a_trial_finds_faults() {
    let scop = rewritten("T", "S");
    let body = |upper: Expr| {
        let copy = SharedTile { exists: less(it(2), n()), ..tile(num(0), 64, 2, (1, it(0))) };
        let both = Node::Block(vec![call(1, vec![it(0)]), call(0, vec![it(0)])]);
        kernel(&[], &[(0, 64)], shared(vec![copy], when(less(it(0), upper), both)))
    };
    assert_eq!(trial(&scop, &code(body(n()))), Trial::Same(3));
    let swapped = kernel(&[], &[(0, 64)], Node::Block(Vec::new()));
    assert!(matches!(trial(&scop, &code(swapped)), Trial::Different(what) if what.contains("is not run")));
    let copy = SharedTile { exists: less(it(2), n()), ..tile(num(0), 64, 2, (1, it(0))) };
    let both = Node::Block(vec![call(0, vec![it(0)]), call(1, vec![it(0)])]);
    let stale = kernel(&[], &[(0, 64)], shared(vec![copy], when(less(it(0), n()), both)));
    assert!(matches!(trial(&scop, &code(stale)), Trial::Different(what) if what.contains("stale copy of A[0]")));
}
