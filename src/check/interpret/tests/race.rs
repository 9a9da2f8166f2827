//! Races of kernels, which barriers end.

use super::build::{
    add, all, call, code, faults, is, it, kernel, less, n, num, repeat, report, shared, tile, times, when,
};
use super::{BOUND, memory, parameters, scop};
use crate::ast::{For, Node};
use crate::interpret::{Difference, Error, Interpreter, Trial, trial};
use crate::scop::Scop;

/// `for i: B[i] = f(); for i: C[i] = g(B[i + shift], A[i]);`, of which only what is named can be observed.
fn two_steps(shift: &str, live_out: &str) -> Scop {
    scop(
        &memory(&["A", "B", "C"]).replace("[n]", "[2n]"),
        &format!(
            r#"
  S:
    domain: "{{ S[i] : 0 <= i < n }}"
    accesses:
      - must_write S_w: "{{ S[i] -> B[i] }}"
  T:
    domain: "{{ T[i] : 0 <= i < n }}"
    accesses:
      - read T_b: "{{ T[i] -> B[{shift}] }}"
      - read T_a: "{{ T[i] -> A[i] }}"
      - must_write T_w: "{{ T[i] -> C[i] }}""#
        ),
        r#"
  domain: "{ S[i] : 0 <= i < n; T[i] : 0 <= i < n }"
  child:
    sequence:
      - filter: "{ S[i] }"
        child: { schedule: "[{ S[i] -> [(i)] }]" }
      - filter: "{ T[i] }"
        child: { schedule: "[{ T[i] -> [(i)] }]" }"#,
        live_out,
    )
}

/// Both steps in a thread of its own for each `i`, with or without a barrier between them.
fn in_threads(blocks: i64, threads: i64, barrier: bool) -> Node {
    let i = || add(times(threads, it(0)), it(1));
    let second = call(1, vec![i()]);
    let second =
        if barrier { shared(vec![tile(times(threads, it(0)), threads, 2, (1, it(0)))], second) } else { second };
    kernel(&[(0, blocks)], &[(1, threads)], Node::Block(vec![call(0, vec![i()]), second]))
}

#[test]
fn threads_of_a_block_are_in_order_at_a_barrier() {
    let own = two_steps("i", "{ C[i] }");
    assert_eq!(faults(&own, 6, in_threads(2, 3, false)), [""; 0]);
    assert!(report(&own, 6, in_threads(2, 3, false)).is_same());
    let next = two_steps("(i + 1) mod 3", "{ C[i] }");
    assert!(report(&next, 3, in_threads(1, 3, true)).is_same());
    let found = report(&next, 3, in_threads(1, 3, false));
    assert!(!found.values.is_empty());
    assert_eq!(
        found.faults[0].to_string(),
        "race: S[1] (block [0], thread [1]) writes B[1], which T[0] (block [0], thread [0]) reads"
    );
    // No barrier is one for two blocks.
    let found = faults(&next, 3, in_threads(3, 1, true));
    assert_eq!(found, ["race: S[1] (block [1], thread [0]) writes B[1], which T[0] (block [0], thread [0]) reads"]);
}

/// Other values are read, but that is not observed.
#[test]
fn a_race_is_found_where_all_orders_give_the_same() {
    let unobserved = two_steps("(i + 1) mod 3", "{ B[i] }");
    for (blocks, threads) in [(1, 3), (3, 1)] {
        let found = report(&unobserved, 3, in_threads(blocks, threads, false));
        assert!(found.values.is_empty() && found.instances.is_empty(), "{found:?}");
        assert_eq!(found.faults.len(), 1, "{found:?}");
    }
    // What is read is in no element that is written.
    assert!(report(&two_steps("i + n", "{ C[i] }"), 3, in_threads(3, 1, false)).is_same());
}

/// `for i: A[0] = f(); A[0] = g();`
fn overwritten() -> Scop {
    scop(
        &memory(&["A"]),
        r#"
  S:
    domain: "{ S[i] : 0 <= i < n }"
    accesses:
      - must_write S_w: "{ S[i] -> A[0] }"
  T:
    domain: "{ T[] }"
    accesses:
      - must_write T_w: "{ T[] -> A[0] }""#,
        r#"
  domain: "{ S[i] : 0 <= i < n; T[] }"
  child:
    sequence:
      - filter: "{ S[i] }"
        child: { schedule: "[{ S[i] -> [(i)] }]" }
      - filter: "{ T[] }""#,
        "{ A[i] }",
    )
}

#[test]
fn two_threads_that_write_one_element_race() {
    let scop = overwritten();
    let all_in = |blocks: i64, threads: i64| {
        let i = || add(times(threads, it(0)), it(1));
        let first = kernel(&[(0, blocks)], &[(1, threads)], when(less(i(), n()), call(0, vec![i()])));
        Node::Block(vec![first, call(1, Vec::new())])
    };
    for (blocks, threads, other) in [(1, 40, "block [0], thread [1]"), (40, 1, "block [1], thread [0]")] {
        let found = report(&scop, 4, all_in(blocks, threads));
        assert!(found.values.is_empty(), "{found:?}");
        let [race] = &found.faults[..] else { panic!("{found:?}") };
        let expected = format!("race: S[0] (block [0], thread [0]) writes A[0], which S[1] ({other}) writes");
        assert_eq!(race.to_string(), expected);
        let tried = trial(&scop, &code(all_in(blocks, threads)));
        assert!(matches!(&tried, Trial::Different(what) if what.starts_with("race: S[0] ")), "{tried:?}");
    }
    // In one thread, and in a launch for each.
    let alone = kernel(&[], &[], repeat(0, num(0), vec![n()], 1, call(0, vec![it(0)])));
    assert!(report(&scop, 4, Node::Block(vec![alone, call(1, Vec::new())])).is_same());
    let launches = repeat(0, num(0), vec![n()], 1, kernel(&[(1, 1)], &[], call(0, vec![it(0)])));
    assert!(report(&scop, 4, Node::Block(vec![launches, call(1, Vec::new())])).is_same());
}

#[test]
fn an_instance_that_is_not_of_the_region_is_told_with_its_thread() {
    let scop = two_steps("i", "{ C[i] }");
    let found = report(&scop, 5, in_threads(2, 3, false));
    assert!(found.instances.contains(&Difference::Foreign("S[5] (block [1], thread [2])".to_owned())), "{found:?}");
}

/// A barrier in each of the code's iterations, with a loop or a condition around it that makes threads differ.
#[test]
fn threads_that_come_to_other_barriers_are_found() {
    let scop = two_steps("i", "{ C[i] }");
    let first = |i: usize| call(0, vec![it(i)]);
    let copy = |body: Node| shared(vec![tile(num(0), 4, 2, (1, it(0)))], body);
    let missed = Node::Block(vec![first(1), when(less(it(1), num(3)), copy(call(1, vec![it(1)])))]);
    let other = when(is(it(1), num(3)), call(1, vec![it(1)]));
    let found = faults(&scop, 4, kernel(&[], &[(1, 4)], Node::Block(vec![missed, other])));
    let expected = "divergence: block [], thread [0] waits at the barrier behind the copy of A, block [], thread [3] \
                    has ended, after 0 barriers";
    assert!(found.contains(&expected.to_owned()), "{found:?}");
    // As many barriers, but others.
    let sides = [less(it(1), num(2)), less(num(1), it(1))].map(|side| when(side, copy(call(1, vec![it(1)]))));
    let found = faults(&scop, 4, kernel(&[], &[(1, 4)], Node::Block([vec![first(1)], sides.to_vec()].concat())));
    let barrier = "the barrier before the copy of A";
    let expected = format!("divergence: block [], thread [0] waits at {barrier}, block [], thread [2] at {barrier}");
    assert!(found.contains(&expected), "{found:?}");
    // A loop of fewer iterations in later threads.
    let often = repeat(3, it(1), vec![num(4)], 1, copy(when(is(it(3), it(1)), call(1, vec![it(1)]))));
    let found = faults(&scop, 4, kernel(&[], &[(1, 4)], Node::Block(vec![first(1), often])));
    assert!(found.iter().any(|fault| fault.starts_with("divergence: ") && fault.ends_with("after 6 barriers")));
    assert_eq!(found.iter().filter(|fault| fault.starts_with("divergence: ")).count(), 1, "{found:?}");
    // What differs between blocks is no matter.
    let body = when(less(it(0), num(2)), copy(Node::Block(vec![call(0, vec![it(0)]), call(1, vec![it(0)])])));
    assert_eq!(faults(&scop, 2, kernel(&[(0, 3)], &[], narrow(body))), [""; 0]);
}

/// Copies but the elements that there are.
fn narrow(mut node: Node) -> Node {
    if let Node::Shared(shared) = &mut node {
        shared.tiles.iter_mut().for_each(|tile| tile.exists = all([less(it(2), n())]));
    }
    node.map_children(|child| Ok::<_, ()>(narrow(child))).unwrap()
}

#[test]
fn kernels_are_where_they_can_be() {
    let scop = two_steps("i", "{ C[i] }");
    let interpreter = Interpreter::new(&scop, &parameters(&[("n", 4)]), BOUND).unwrap();
    let refused = |root: Node| match interpreter.compare_ast(&code(root)) {
        Err(Error::Malformed(what)) => what,
        other => panic!("{other:?}"),
    };
    let copy = |body: Node| shared(vec![tile(num(0), 4, 2, (1, it(0)))], body);
    let nothing = || Node::Block(Vec::new());
    assert!(refused(kernel(&[], &[], copy(copy(nothing())))).contains("inside of another one"));
    assert!(refused(kernel(&[], &[], kernel(&[], &[], nothing()))).contains("a kernel in a kernel"));
    let Node::For(unordered) = repeat(3, num(0), vec![n()], 1, copy(nothing())) else { panic!() };
    let unordered = Node::For(Box::new(For { vector: true, ..*unordered }));
    assert!(refused(kernel(&[], &[], unordered)).contains("in any order"));
    // Nothing is done before the bound strikes.
    let large = kernel(&[(0, 1 << 40)], &[(1, 1024)], nothing());
    assert_eq!(interpreter.compare_ast(&code(large)), Err(Error::TooMuch(BOUND)));
    let interpreter = Interpreter::new(&scop, &parameters(&[("n", 4)]), BOUND).unwrap();
    let large = kernel(&[], &[], shared(vec![tile(num(0), 1 << 40, 2, (1, it(0)))], nothing()));
    assert_eq!(interpreter.compare_ast(&code(large)), Err(Error::TooMuch(BOUND)));
}
