//! Code that is read back: what is right is found equal, every kind of mistake is found.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, OperationRef};
use polyrs_core::codegen::{Ast, Expr, Node};
use polyrs_core::driver;
use polyrs_core::schedule_tree::TileSizes;

use super::fixture::context;
use crate::mlir::emit::{EmitError, Manner, emit};
use crate::mlir::ir::operation::{is, only_block, operations};
use crate::mlir::lift::{NewCode, Settings, lift_function};
use crate::mlir::region::{ArrayBinding, LiftedRegion};
use crate::mlir::translation_validation::{Differs, Validation, validate};

/// The region, a call that ends it, and code that was made for it by hand: rows in parallel, columns in strips.
const BOTH: &str = r#"
func.func private @end_of_region()
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to %n {
      %0 = affine.load %A[%i] : memref<?xf64>
      %1 = affine.load %B[%i, %j - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%i, %j] : memref<?x?xf64>
    }
    %3 = affine.load %B[%i, 0] : memref<?x?xf64>
    affine.store %3, %A[%i] : memref<?xf64>
  }
  func.call @end_of_region() : () -> ()
  affine.parallel (%i) = (0) to (%n) {
    affine.for %t = 0 to %n step 32 {
      affine.for %j = max affine_map<(d0) -> (1, d0)>(%t) to min affine_map<(d0)[s0] -> (s0, d0 + 32)>(%t)[%n] {
        %m = affine.min affine_map<(d0, d1) -> (0, d0, d1)>(%i, %j) {polyrs.instance = "S0"}
        %0 = affine.load %A[%i] : memref<?xf64>
        %1 = affine.load %B[%i, %j - 1] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %B[%i, %j] : memref<?x?xf64>
      }
    }
    %k = affine.min affine_map<(d0) -> (0, d0)>(%i) {polyrs.instance = "S1"}
    %3 = affine.load %B[%i, 0] : memref<?x?xf64>
    affine.store %3, %A[%i] : memref<?xf64>
  }
  return
}"#;

/// Runs `work` on the function `f` of a module.
fn with_function<R>(text: &str, work: impl for<'c> FnOnce(&'c Context, OperationRef<'c, '_>) -> R) -> R {
    let context = context();
    let module = Module::parse(&context, text).unwrap_or_else(|| panic!("the test's input parses: {text}"));
    // SAFETY: the module outlives the reference.
    let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
    let function = operations(only_block(root, 0).unwrap()).pop().unwrap();
    work(&context, function)
}

fn first_region<'c, 'a>(function: OperationRef<'c, 'a>) -> LiftedRegion<'c, 'a> {
    lift_function(function, Settings::default()).into_iter().next().unwrap().unwrap()
}

/// Compares the code behind the call with the region before it, whose tree is the original order.
fn read_back(text: &str) -> Result<Validation, Differs> {
    with_function(text, |_, function| {
        let region = first_region(function);
        let tree = region.scop.schedule.clone();
        let mut code = operations(only_block(function, 0).unwrap());
        code.pop();
        let call = code.iter().position(|operation| is(*operation, "func.call")).unwrap();
        let buffers = region.arrays.iter().enumerate().map(|(number, binding)| match binding {
            ArrayBinding::Memory { buffer } => (number, *buffer),
            _ => panic!("the test has arguments only"),
        });
        let operations = code.split_off(call + 1);
        let new = NewCode { operations, parameters: region.parameters.clone(), buffers: buffers.collect() };
        validate(&region, &tree, &new)
    })
}

/// The text with the last occurrence of something exchanged: the new code's.
fn mutated(from: &str, to: &str) -> String {
    let position = BOTH.rfind(from).unwrap_or_else(|| panic!("{from} is in the text"));
    format!("{}{to}{}", &BOTH[..position], &BOTH[position + from.len()..])
}

fn assert_found(text: &str, expected: &str) {
    match read_back(text) {
        Err(Differs(told)) => assert!(told.contains(expected), "{told}"),
        other => panic!("{other:?}, expected {expected}: {text}"),
    }
}

#[test]
fn right_code_is_equal() {
    assert_eq!(read_back(BOTH).unwrap(), Validation::Equal);
}

#[test]
fn wrong_bounds_are_found() {
    assert_found(&mutated("(s0, d0 + 32)", "(s0 - 1, d0 + 32)"), "does not execute S0[");
    assert_found(&mutated("(s0, d0 + 32)", "(s0, d0 + 33)"), "twice");
    assert_found(&mutated("step 32", "step 16"), "twice");
    assert_found(&mutated("(0) to (%n)", "(1) to (%n)"), "does not execute S");
    assert_found(&mutated("(0) to (%n)", "(0) to (%n + 1)"), "which the schedule does not");
}

#[test]
fn swapped_subscripts_and_buffers_are_found() {
    assert_found(&mutated("%B[%i, %j]", "%B[%j, %i]"), "must_write of arg2 for S0 differs");
    assert_found(&mutated("%B[%i, %j - 1]", "%B[%i, %j - 2]"), "read of arg2 for S0 differs");
    assert_found(&mutated("affine.load %A[%i]", "affine.load %A[%j]"), "read of arg1 for S0 differs");
    assert_found(&mutated("(0, d0, d1)>(%i, %j)", "(0, d1, d0)>(%i, %j)"), "S0");
}

#[test]
fn another_order_is_found() {
    // The strips and the rest of the row change places.
    let (begin, end) = (BOTH.rfind("    affine.for %t").unwrap(), BOTH.rfind("    %k").unwrap());
    let rest = BOTH.rfind("  }\n  return").unwrap();
    let swapped = [&BOTH[..begin], &BOTH[end..rest], &BOTH[begin..end], &BOTH[rest..]].concat();
    assert_found(&swapped, "the order of the code");
    // Columns in parallel carry a dependence.
    let sequential = mutated("affine.parallel (%i) = (0) to (%n)", "affine.for %i = 0 to %n");
    assert_eq!(read_back(&sequential).unwrap(), Validation::Equal);
    let columns = sequential.replace("affine.for %t = 0 to %n step 32", "affine.parallel (%t) = (0) to (%n) step (32)");
    assert_found(&columns, "left unordered");
}

#[test]
fn missing_and_unknown_instances_are_found() {
    let marker = BOTH.rfind("    %k").unwrap();
    let end = BOTH.rfind("  }\n  return").unwrap();
    let missing = [&BOTH[..marker], &BOTH[end..]].concat();
    assert_found(&missing, "does not execute S1[");
    assert_found(&mutated("\"S1\"", "\"S7\""), "names no statement");
    assert_found(&mutated("(d0) -> (0, d0)>(%i)", "(d0) -> (0)>(%i)"), "another number of dimensions");
    let unmarked = mutated("    %k = affine.min affine_map<(d0) -> (0, d0)>(%i) {polyrs.instance = \"S1\"}\n", "");
    assert_found(&unmarked, "affine.load belongs to no instance");
}

#[test]
fn what_lifting_refuses_is_said() {
    let call = mutated("    %k", "    func.call @end_of_region() : () -> ()\n    %k");
    match read_back(&call).unwrap() {
        Validation::Unknown(reason) => assert!(reason.contains("func.call"), "{reason}"),
        Validation::Equal => panic!("a call cannot be read"),
    }
}

/// Rewrites the region with a tree and an AST for it, after a change to the AST.
fn emit_changed(change: impl FnOnce(&mut Ast)) -> (Result<Option<Validation>, EmitError>, String, String) {
    let end = BOTH.rfind("  affine.parallel (%i)").unwrap();
    let text = format!("{}  return\n}}", &BOTH[..end]);
    with_function(&text, |context, function| {
        let region = first_region(function);
        let options = driver::Options { tile_sizes: TileSizes::new(&[8]), ..driver::Options::default() };
        let mut found = driver::optimize(&region.scop, &options, &mut ()).unwrap();
        change(&mut found.ast);
        let before = function.to_string();
        let emitted = emit(context, region, &found.ast, 64, Some(&found.tree), Manner::default());
        assert!(function.verify());
        (emitted.map(|emitted| emitted.validation), before, function.to_string())
    })
}

/// The first loop of a node, outermost first.
fn first_loop(node: &mut Node) -> &mut polyrs_core::codegen::For {
    match node {
        Node::For(found) => found,
        Node::Block(children) => first_loop(&mut children[0]),
        Node::If(branch) => first_loop(&mut branch.then),
        Node::Kernel(_) | Node::Shared(_) | Node::Call(_) => panic!("a loop"),
    }
}

#[test]
fn what_is_emitted_is_equal_and_keeps_no_marker() {
    let (validation, before, after) = emit_changed(|_| {});
    assert_eq!(validation.unwrap(), Some(Validation::Equal));
    assert_ne!(before, after);
    assert!(!after.contains("polyrs.instance"), "{after}");
}

#[test]
fn a_wrong_emission_leaves_the_original() {
    let changes: [fn(&mut Ast); 3] = [
        |ast| first_loop(&mut ast.root).lower = vec![Expr::Const(1)],
        |ast| first_loop(&mut ast.root).step *= 2,
        |ast| first_loop(&mut ast.root).body = Node::Block(Vec::new()),
    ];
    for change in changes {
        let (validation, before, after) = emit_changed(change);
        assert!(matches!(validation, Err(EmitError::Differs(_))), "{validation:?}");
        assert_eq!(before, after);
    }
}
