//! Loops and conditions recovered from branches.

use super::fixture::{Builder, DOUBLE, constant, copy_nest, minus_one};
use crate::llvm::raise::code::function::{Action, Type};
use crate::llvm::raise::code::operation::Predicate;
use crate::llvm::raise::refusal::Reason;
use crate::llvm::raise::structure::extent::Extent;
use crate::llvm::raise::structure::members::blocks_of;
use crate::llvm::raise::structure::nodes::ControlNode;

#[test]
fn loops_are_nested_as_they_are() {
    let mut builder = Builder::new();
    let n = builder.given(Type::Int(64), None);
    let [from, to] = [0, 1].map(|_| builder.given(Type::Pointer, None));
    let ([outer, inner], _) = copy_nest(&mut builder, n, from, to);
    let (code, chains) = builder.finish();
    let [ControlNode::Loop { number, body, .. }] = &chains[0][..] else { panic!("{chains:?}") };
    assert_eq!(*number, outer);
    let found: Vec<_> = body.iter().filter_map(ControlNode::first_loop).collect();
    assert_eq!(found, [inner]);
    assert_eq!(chains[0][0].loops(), 2);
    assert_eq!(blocks_of(&code, &chains[0]), code.loops[outer.0].blocks.iter().copied().collect());
}

#[test]
fn a_condition_has_two_ways_and_an_error_none() {
    let mut builder = Builder::new();
    let [n, m] = [0, 1].map(|_| builder.given(Type::Int(64), None));
    let wrong = builder.compare(Predicate::Slt, n, m);
    builder.fail_if(wrong);
    let condition = builder.compare(Predicate::Eq, n, m);
    builder.begin_if(condition);
    let a = builder.given(Type::Pointer, None);
    builder.load(DOUBLE, a, constant(0));
    builder.otherwise();
    builder.load(DOUBLE, a, constant(8));
    builder.end_if();
    let (_, chains) = builder.finish();
    let failure = chains[0].iter().find(|node| matches!(node, ControlNode::Failure { .. }));
    assert!(
        matches!(failure, Some(ControlNode::Failure { condition, when: true, .. }) if *condition == wrong),
        "{chains:?}"
    );
    let Some(ControlNode::If { condition: found, then, otherwise, .. }) =
        chains[0].iter().find(|node| matches!(node, ControlNode::If { .. }))
    else {
        panic!("{chains:?}")
    };
    assert_eq!(*found, condition);
    assert_eq!((then.nodes.len(), otherwise.nodes.len()), (1, 1));
}

#[test]
fn a_loop_with_two_ways_out_is_opaque() {
    let mut builder = Builder::new();
    let n = builder.given(Type::Int(64), None);
    let (number, _) = builder.begin_loop(Some(minus_one(n)));
    builder.end_loop();
    builder.code.loops[number.0].exiting = None;
    let (_, chains) = builder.finish();
    let opaque = chains[0].iter().find(|node| matches!(node, ControlNode::Opaque { .. }));
    let Some(ControlNode::Opaque { is_loop: true, obstacle, .. }) = opaque else { panic!("{chains:?}") };
    assert_eq!(obstacle.reason, Reason::Exits);
}

#[test]
fn what_is_used_behind_a_run_is_a_result() {
    let mut builder = Builder::new();
    let n = builder.given(Type::Int(64), None);
    let [from, to] = [0, 1].map(|_| builder.given(Type::Pointer, None));
    let (_, loaded) = copy_nest(&mut builder, n, from, to);
    let used = builder.instruction(DOUBLE, Action::Select, &[n, loaded, loaded]);
    let (code, chains) = builder.finish();
    let at = chains[0].iter().position(ControlNode::has_loop).unwrap();
    let extent = Extent::of(&code, &chains[0][at..=at]).unwrap();
    assert!(extent.inside.contains(&loaded) && !extent.inside.contains(&used));
    assert_eq!(extent.results(&code), [loaded].into());
}
