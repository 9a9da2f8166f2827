//! The code that is emitted for regions described by hand.

mod fixture;
mod translation_validation;

use fixture::{Model, printed, rewritten};
use polyrs_core::scop::AccessKind;

use super::EmitError;

const COPY: &str = r#"
func.func @copy(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %k = affine.apply affine_map<(d0) -> (d0 + 1)>(%j) {stmt = "S"}
      %x = affine.load %A[%i + 1, %k + %i - 1] {stmt = "S"} : memref<?x?xf64>
      %l = arith.index_cast %k {stmt = "S"} : index to i64
      %m = arith.sitofp %l {stmt = "S"} : i64 to f64
      %y = arith.addf %x, %m {stmt = "S"} : f64
      affine.store %y, %B[%i, symbol(%n) - %j] {stmt = "S"} : memref<?x?xf64>
    }
  }
  return
}"#;

const COPY_DOMAIN: &str = "[n] -> { S[i,j] : 0 <= i,j < n }";

fn copy<'m>(context: &'m str, schedule: &'m str) -> Model<'m> {
    Model {
        parameters: &["n"],
        context,
        arrays: &["A", "B"],
        scalars: &[],
        domain: COPY_DOMAIN,
        accesses: &[],
        schedule,
    }
}

const COPY_TILED: &str = r#"
domain: "[n] -> { S[i,j] : 0 <= i,j < n }"
child:
  mark: "parallel"
  child:
    schedule: "[n] -> [{ S[i,j] -> [32*floor(i/32)] }, { S[i,j] -> [32*floor(j/32)] }]"
    child:
      schedule: "[n] -> [{ S[i,j] -> [j] }, { S[i,j] -> [i] }]"
"#;

#[test]
fn loops_are_tiled_and_subscripts_composed() {
    let text = rewritten(&copy("{ : 0 <= n < 1000000 }", COPY_TILED), COPY).unwrap();
    assert_eq!(text.matches("affine.parallel").count(), 1);
    // A constant trip count where the tile is whole.
    assert!(text.contains("to 32 {"), "{text}");
    // The only application is the value that arithmetic needs, once for each of the two innermost loops.
    assert_eq!(text.matches("affine.apply").count(), 2, "{text}");
    assert!(!text.contains("scf.if"), "{text}");
}

/// How often a text occurs.
fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn unbounded_parameters_guard_the_new_code() {
    let text = rewritten(&copy("{ : }", COPY_TILED), COPY).unwrap();
    // Both branches of the guard: the new code, and the original as it was.
    assert_eq!(count(&text, "scf.if"), 1, "{text}");
    // Without iterations nothing overflows, so only a large size matters.
    assert_eq!(count(&text, "arith.cmpi"), 1, "{text}");
    assert_eq!(count(&text, "arith.cmpi sle"), 1, "{text}");
    assert!(text.contains("} else {"), "{text}");
    assert_eq!(count(&text, "affine.for %arg3 = 0 to %arg0 {"), 1, "{text}");
}

const CHAIN: &str = r#"
func.func @chain(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %x = affine.load %A[%i] {stmt = "P", scalar = "x"} : memref<?xf64>
    affine.store %x, %B[%i] {stmt = "C"} : memref<?xf64>
  }
  return
}"#;

const CHAIN_DOMAIN: &str = "[n] -> { P[i] : 0 <= i < n; C[i] : 0 <= i < n }";

fn chain(schedule: &str) -> Model<'_> {
    Model {
        parameters: &["n"],
        context: "{ : 0 <= n < 1000000 }",
        arrays: &["A", "B"],
        scalars: &["x"],
        domain: CHAIN_DOMAIN,
        accesses: &[("P", AccessKind::MustWrite, "{ P[i] -> x[] }"), ("C", AccessKind::Read, "{ C[i] -> x[] }")],
        schedule,
    }
}

const CHAIN_SEQUENCE: &str = r#"
domain: "[n] -> { P[i] : 0 <= i < n; C[i] : 0 <= i < n }"
child:
  schedule: "[n] -> [{ P[i] -> [-i]; C[i] -> [-i] }]"
  child:
    sequence:
    - filter: "{ P[i] }"
    - filter: "{ C[i] }"
"#;

#[test]
fn a_value_stays_in_ssa_within_an_iteration() {
    let text = rewritten(&chain(CHAIN_SEQUENCE), CHAIN).unwrap();
    assert!(!text.contains("memref.alloca"), "{text}");
    assert_eq!(count(&text, "affine.load"), 1, "{text}");
    assert!(text.contains("[-%"), "reversed subscripts: {text}");
}

/// The consumer comes one level deeper than the producer: still dominated.
const CHAIN_NESTED: &str = r#"
domain: "[n] -> { P[i] : 0 <= i < n; C[i] : 0 <= i < n }"
child:
  schedule: "[n] -> [{ P[i] -> [i]; C[i] -> [i] }]"
  child:
    sequence:
    - filter: "{ P[i] }"
    - filter: "{ C[i] }"
      child:
        schedule: "[n] -> [{ C[i] -> [i mod 2] }]"
"#;

#[test]
fn a_value_stays_in_ssa_for_reads_nested_deeper() {
    let text = rewritten(&chain(CHAIN_NESTED), CHAIN).unwrap();
    assert!(!text.contains("memref.alloca"), "{text}");
}

/// Producer and consumer in different iterations: the consumer of `i - 1` runs with the producer of `i`, before it.
const CHAIN_SHIFTED: &str = r#"
domain: "[n] -> { P[i] : 0 <= i < n; C[i] : 0 <= i < n }"
child:
  schedule: "[n] -> [{ P[i] -> [i]; C[i] -> [i + 1] }]"
  child:
    sequence:
    - filter: "{ C[i] }"
    - filter: "{ P[i] }"
"#;

#[test]
fn a_value_that_crosses_iterations_gets_a_buffer() {
    let text = rewritten(&chain(CHAIN_SHIFTED), CHAIN).unwrap();
    assert_eq!(count(&text, "memref.alloca() : memref<f64>"), 1, "{text}");
    let alloca = text.find("memref.alloca").unwrap();
    assert!(alloca < text.find("affine.for").unwrap(), "{text}");
    assert_eq!(count(&text, "[] : memref<f64>"), 2, "{text}");
}

const CHAIN_PRIVATE: &str = r#"
domain: "[n] -> { P[i] : 0 <= i < n; C[i] : 0 <= i < n }"
child:
  mark: "parallel private(x)"
  child:
    schedule: "[n] -> [{ P[i] -> [32*floor(i/32)]; C[i] -> [32*floor(i/32)] }]"
    child:
      schedule: "[n] -> [{ P[i] -> [i]; C[i] -> [i + 1] }]"
      child:
        sequence:
        - filter: "{ C[i] }"
        - filter: "{ P[i] }"
"#;

#[test]
fn a_private_buffer_is_made_in_the_parallel_body() {
    let text = rewritten(&chain(CHAIN_PRIVATE), CHAIN).unwrap();
    assert_eq!(count(&text, "memref.alloca() : memref<f64>"), 1, "{text}");
    assert!(text.find("affine.parallel").unwrap() < text.find("memref.alloca").unwrap(), "{text}");
}

const SUM: &str = r#"
func.func @sum(%n: index, %A: memref<?xf64>) -> f64 {
  %zero = arith.constant {stmt = "I", scalar = "s"} 0.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%acc = %zero) -> f64 {
    %x = affine.load %A[%i] {stmt = "B"} : memref<?xf64>
    %sum = arith.addf %acc, %x {stmt = "B", scalar = "s"} : f64
    affine.yield %sum : f64
  } {carried = "s"}
  %twice = arith.addf %r, %r : f64
  return %twice : f64
}"#;

fn sum(context: &str) -> Model<'_> {
    Model {
        parameters: &["n"],
        context,
        arrays: &["A"],
        scalars: &["s"],
        domain: "[n] -> { I[]; B[i] : 0 <= i < n }",
        accesses: &[
            ("I", AccessKind::MustWrite, "{ I[] -> s[] }"),
            ("B", AccessKind::Read, "{ B[i] -> s[] }"),
            ("B", AccessKind::MustWrite, "{ B[i] -> s[] }"),
        ],
        schedule: r#"
domain: "[n] -> { I[]; B[i] : 0 <= i < n }"
child:
  sequence:
  - filter: "{ I[] }"
  - filter: "{ B[i] }"
    child:
      schedule: "[n] -> [{ B[i] -> [i] }]"
"#,
    }
}

#[test]
fn a_value_used_after_the_region_is_loaded_there() {
    let text = rewritten(&sum("{ : 0 <= n < 1000 }"), SUM).unwrap();
    assert_eq!(count(&text, "memref.alloca() : memref<f64>"), 1, "{text}");
    let last = text.rfind("affine.load").unwrap();
    assert!(text.rfind("affine.store").unwrap() < last && last < text.find("arith.addf %1, %1").unwrap_or(usize::MAX));
    assert!(!text.contains("iter_args"), "{text}");
}

#[test]
fn a_guard_gives_the_value_of_either_branch() {
    let text = rewritten(&sum("{ : }"), SUM).unwrap();
    assert_eq!(count(&text, "iter_args"), 1, "{text}");
    let original = &text[text.find("iter_args").unwrap()..];
    // Behind the original loop its result is stored, and behind both branches the value is loaded.
    assert_eq!(count(original, "[] : memref<f64>"), 2, "{text}");
}

#[test]
fn memory_outside_of_the_region_is_never_private() {
    let schedule = COPY_TILED.replace("parallel", "parallel private(A)");
    let (error, text) = rewritten(&copy("{ : 0 <= n < 1000000 }", &schedule), COPY).unwrap_err();
    assert!(matches!(error, EmitError::Private { .. }), "{error}");
    assert_eq!(text, printed(COPY), "the IR is as it was");
}

#[test]
fn numbers_that_cannot_fit_are_refused() {
    let text = COPY.replace("[%i + 1,", "[%i * 4611686018427387904 + 1,");
    let (error, after) = rewritten(&copy("{ : }", COPY_TILED), &text).unwrap_err();
    assert!(matches!(error, EmitError::Overflow { bits: 64 }), "{error}");
    assert_eq!(after, printed(&text), "the IR is as it was");
}

/// A choice between two ranges, neither of which is the complement of a conjunction.
const HOLES: &str = r#"
domain: "[n] -> { S[i,j] : 0 <= i,j < n and (i < j - 5 or (i > j + 3 and i + j < n)) }"
child:
  schedule: "[n] -> [{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"
  options: "{ atomic[x] }"
"#;

#[test]
fn disjunctions_that_affine_cannot_say_fall_back_to_scf() {
    let model = Model {
        domain: "[n] -> { S[i,j] : 0 <= i,j < n and (i < j - 5 or (i > j + 3 and i + j < n)) }",
        ..copy("{ : 0 <= n < 1000000 }", HOLES)
    };
    let text = rewritten(&model, COPY).unwrap();
    assert_eq!(count(&text, "scf.if"), 1, "{text}");
    assert_eq!(count(&text, "arith.ori"), 1, "{text}");
}

#[test]
fn a_disjunction_of_inequalities_is_the_other_branch_of_a_conjunction() {
    let hole = |text: &str| text.replace("(i < j - 5 or (i > j + 3 and i + j < n))", "(i < j - 5 or i > j + 3)");
    let (domain, schedule) =
        (hole("[n] -> { S[i,j] : 0 <= i,j < n and (i < j - 5 or (i > j + 3 and i + j < n)) }"), hole(HOLES));
    let model = Model { domain: &domain, ..copy("{ : 0 <= n < 1000000 }", &schedule) };
    let text = rewritten(&model, COPY).unwrap();
    assert!(!text.contains("scf.if"), "{text}");
    assert!(text.contains("affine.if") && text.contains("} else {"), "{text}");
}
