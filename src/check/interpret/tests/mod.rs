mod build;
mod held;
mod race;
mod shared;

use super::{Difference, Error, Interpreter, Order, Reading, Report, Trial, small_parameters, trial};
use crate::ast::{Ast, Call, Expr, For, IteratorId, Node, Parallel};
use crate::isl::{Ctx, Schedule};
use crate::scop::{Scop, StatementId};
use std::collections::BTreeMap;

const BOUND: u64 = 100_000;

fn parameters(values: &[(&str, i64)]) -> BTreeMap<String, i64> {
    values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

/// A region of statements over `n`, written shorter than in full.
fn scop(arrays: &str, statements: &str, schedule: &str, live_out: &str) -> Scop {
    let text = format!(
        "scop: test\nparameters: [n]\ncontext: \"{{ : n >= 1 }}\"\narrays:\n{arrays}\nstatements:\n{statements}\n\
         schedule:\n{schedule}\nlive_out: \"{live_out}\"\n"
    );
    Scop::parse(&Ctx::new(), &text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn memory(names: &[&str]) -> String {
    names.iter().map(|n| format!("  {n}: {{ kind: memory, element: f64, extent: [n] }}\n")).collect()
}

/// `for i: A[i] = f(A[i - 1])`
fn chain() -> Scop {
    scop(
        &memory(&["A"]),
        r#"
  S:
    domain: "{ S[i] : 1 <= i < n }"
    accesses:
      - read R: "{ S[i] -> A[i - 1] }"
      - must_write W: "{ S[i] -> A[i] }""#,
        r#"  { domain: "{ S[i] : 1 <= i < n }", child: { schedule: "[{ S[i] -> [(i)] }]" } }"#,
        "{ A[i] }",
    )
}

/// `for i: { t = f(A[i]); B[i] = g(t); }` with a scalar `t`.
fn scalar(live_out: &str) -> Scop {
    let arrays = format!("{}  t: {{ kind: scalar, element: f64, extent: [] }}", memory(&["A", "B"]));
    scop(
        &arrays,
        r#"
  S:
    domain: "{ S[i] : 0 <= i < n }"
    accesses:
      - read S_r: "{ S[i] -> A[i] }"
      - must_write S_w: "{ S[i] -> t[] }"
  T:
    domain: "{ T[i] : 0 <= i < n }"
    accesses:
      - read T_r: "{ T[i] -> t[] }"
      - must_write T_w: "{ T[i] -> B[i] }""#,
        r#"
  domain: "{ S[i] : 0 <= i < n; T[i] : 0 <= i < n }"
  child:
    schedule: "[{ S[i] -> [(i)]; T[i] -> [(i)] }]"
    child: { sequence: [ { filter: "{ S[i] }" }, { filter: "{ T[i] }" } ] }"#,
        live_out,
    )
}

fn tree(scop: &Scop, text: &str) -> Schedule {
    crate::scop::text::parse_schedule(scop, text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn report(scop: &Scop, text: &str, reading: Reading) -> Report {
    let interpreter = Interpreter::new(scop, &parameters(&[("n", 6)]), BOUND).unwrap();
    interpreter.compare_tree(&tree(scop, text), reading).unwrap()
}

fn chain_band(function: &str, flags: &str) -> String {
    format!(
        r#"{{ domain: "{{ S[i] : 1 <= i < n }}", child: {{ schedule: "[{{ S[i] -> [({function})] }}]"{flags} }} }}"#
    )
}

#[test]
fn the_original_order_is_the_original() {
    for region in [chain(), scalar("{ B[i] }")] {
        let interpreter = Interpreter::new(&region, &parameters(&[("n", 6)]), BOUND).unwrap();
        let found = interpreter.compare_tree(&region.schedule, Reading::Marks).unwrap();
        assert!(found.is_same(), "{found:?}");
        assert!(found.compared >= 5 && found.undefined == 0, "{found:?}");
        assert_eq!(found.executed, interpreter.instance_count());
    }
}

#[test]
fn a_legal_change_is_accepted() {
    for function in ["2i + 3", "floor(i/2) + i"] {
        assert!(report(&chain(), &chain_band(function, ""), Reading::Marks).is_same());
    }
    let tiled = r#"{ domain: "{ S[i] : 1 <= i < n }", child: { schedule: "[{ S[i] -> [(floor(i/2))] }]", child: { schedule: "[{ S[i] -> [(i mod 2)] }]" } } }"#;
    assert!(report(&chain(), tiled, Reading::Marks).is_same());
}

#[test]
fn a_reversed_loop_is_found() {
    let found = report(&chain(), &chain_band("-i", ""), Reading::Marks);
    assert!(found.instances.is_empty() && !found.values.is_empty(), "{found:?}");
    // S[1] reads what was there before in any order.
    assert_eq!(found.first_wrong_read.as_deref(), Some("S[2]"));
}

#[test]
fn a_shifted_statement_is_found() {
    let shifted = |shift: &str| {
        format!(
            r#"{{ domain: "{{ S[i] : 0 <= i < n; T[i] : 0 <= i < n }}",
                 child: {{ schedule: "[{{ S[i] -> [(i)]; T[i] -> [(i + {shift})] }}]",
                 child: {{ sequence: [ {{ filter: "{{ S[i] }}" }}, {{ filter: "{{ T[i] }}" }} ] }} }} }}"#
        )
    };
    assert!(report(&scalar("{ B[i] }"), &shifted("0"), Reading::Marks).is_same());
    for shift in ["1", "-1"] {
        assert!(!report(&scalar("{ B[i] }"), &shifted(shift), Reading::Marks).values.is_empty(), "{shift}");
    }
}

#[test]
fn missing_and_foreign_instances_are_found() {
    let missing = r#"{ domain: "{ S[i] : 1 <= i < n - 1 }", child: { schedule: "[{ S[i] -> [(i)] }]" } }"#;
    let found = report(&chain(), missing, Reading::Marks);
    assert_eq!(found.instances, [Difference::Missing("S[5]".into())]);
    let foreign = r#"{ domain: "{ S[i] : 0 <= i < n }", child: { schedule: "[{ S[i] -> [(i)] }]" } }"#;
    let found = report(&chain(), foreign, Reading::Marks);
    assert_eq!(found.instances, [Difference::Foreign("S[0]".into())]);
    // A filter that drops an instance.
    let filtered = r#"{ domain: "{ S[i] : 1 <= i < n }", child: { schedule: "[{ S[i] -> [(i)] }]",
                        child: { sequence: [ { filter: "{ S[i] : i > 1 }" } ] } } }"#;
    let found = report(&chain(), filtered, Reading::Marks);
    assert!(found.instances.contains(&Difference::Missing("S[1]".into())), "{found:?}");
}

#[test]
fn a_wrong_parallel_mark_is_found() {
    let marked = |mark: &str, function: &str| {
        format!(
            r#"{{ domain: "{{ S[i] : 1 <= i < n }}", child: {{ mark: "{mark}", child: {{ schedule: "[{{ S[i] -> [({function})] }}]" }} }} }}"#
        )
    };
    for mark in ["parallel", "vector"] {
        assert!(!report(&chain(), &marked(mark, "i"), Reading::Marks).values.is_empty(), "{mark}");
    }
    // A mark that promises nothing.
    assert!(report(&chain(), &marked("tile", "i"), Reading::Marks).is_same());
}

#[test]
fn wrong_flags_are_found() {
    let coincident = chain_band("i", ", coincident: [1]");
    assert!(report(&chain(), &coincident, Reading::Marks).is_same());
    assert!(!report(&chain(), &coincident, Reading::Coincident).values.is_empty());
    // A[i][j] = f(A[i - 1][j + 1]): interchange is illegal.
    let region = scop(
        "  A: { kind: memory, element: f64, extent: [n, n] }",
        r#"
  S:
    domain: "{ S[i, j] : 0 <= i < n and 0 <= j < n }"
    accesses:
      - read R: "{ S[i, j] -> A[i - 1, j + 1] }"
      - must_write W: "{ S[i, j] -> A[i, j] }""#,
        r#"  { domain: "{ S[i, j] : 0 <= i < n and 0 <= j < n }",
               child: { schedule: "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]", permutable: 1 } }"#,
        "{ A[i, j] }",
    );
    let interpreter = Interpreter::new(&region, &parameters(&[("n", 4)]), BOUND).unwrap();
    assert!(interpreter.compare_tree(&region.schedule, Reading::Marks).unwrap().is_same());
    assert!(!interpreter.compare_tree(&region.schedule, Reading::Permuted).unwrap().is_same());
}

fn scalar_loop(mark: &str) -> String {
    format!(
        r#"{{ domain: "{{ S[i] : 0 <= i < n; T[i] : 0 <= i < n }}", child: {{ mark: "{mark}", child: {{
             schedule: "[{{ S[i] -> [(i)]; T[i] -> [(i)] }}]",
             child: {{ sequence: [ {{ filter: "{{ S[i] }}" }}, {{ filter: "{{ T[i] }}" }} ] }} }} }} }}"#
    )
}

#[test]
fn a_shared_scalar_races_and_a_private_one_does_not() {
    let region = scalar("{ B[i] }");
    let race = report(&region, &scalar_loop("parallel"), Reading::Marks);
    // Whole iterations may run in any order, so only interleaving shows the race.
    let by = |d: &Difference| matches!(d, Difference::Memory { order: Order::Interleaved(_), .. });
    assert!(!race.values.is_empty() && race.values.iter().all(by), "{race:?}");
    assert!(report(&region, &scalar_loop("parallel private(t)"), Reading::Marks).is_same());
}

#[test]
fn a_private_copy_that_is_live_out_is_found() {
    let found = report(&scalar("{ B[i]; t[] }"), &scalar_loop("parallel private(t)"), Reading::Marks);
    assert!(matches!(found.values.as_slice(), [Difference::Memory { element, .. }] if element == "t[]"), "{found:?}");
}

#[test]
fn a_private_copy_that_is_read_first_is_found() {
    // T before S: the value flows from one iteration to the next, the first comes from outside.
    let text = scalar("{ B[i] }").to_text().unwrap();
    let text = text.replace(
        "sequence:\n        - filter: \"{ S[i] }\"\n        - filter: \"{ T[i] }\"",
        "sequence:\n        - filter: \"{ T[i] }\"\n        - filter: \"{ S[i] }\"",
    );
    let region = Scop::parse(&Ctx::new(), &text).unwrap();
    let parallel = scalar_loop("parallel private(t)")
        .replace("{ S[i] }\" }, { filter: \"{ T[i] }", "{ T[i] }\" }, { filter: \"{ S[i] }");
    assert!(parallel.contains("\"{ T[i] }\" }, { filter: \"{ S[i] }"));
    let found = report(&region, &parallel, Reading::Marks);
    assert!(!found.values.is_empty(), "{found:?}");
}

#[test]
fn set_nodes_run_in_any_order() {
    let set = |text: &str| text.replace("sequence", "set");
    let found = report(&scalar("{ B[i] }"), &set(&scalar_loop("point")), Reading::Marks);
    assert!(!found.values.is_empty(), "{found:?}");
}

#[test]
fn instances_with_one_date_run_in_any_order() {
    let found = report(&chain(), &chain_band("0", ""), Reading::Marks);
    assert!(!found.values.is_empty(), "{found:?}");
}

#[test]
fn a_may_write_happens_or_not_by_what_is_read() {
    let must = chain()
        .to_text()
        .unwrap()
        .replace("A[-1 + i]", "B[i]")
        .replace("  A: {", "  B: { kind: memory, element: f64, extent: [n] }\n  A: {");
    let values = |text: &str| {
        let region = Scop::parse(&Ctx::new(), text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let interpreter = Interpreter::new(&region, &parameters(&[("n", 41)]), BOUND).unwrap();
        let original = interpreter.original().unwrap();
        assert!(interpreter.compare(&original).unwrap().is_same());
        assert_eq!(interpreter.run(&original, Order::Ascending), interpreter.run(&original, Order::Ascending));
        interpreter.live_out(&interpreter.run(&original, Order::Ascending))
    };
    let (must, may) = (values(&must), values(&must.replace("must_write", "may_write")));
    let written = must.iter().zip(&may).filter(|(a, b)| a == b).count();
    assert_eq!(must.len(), 40);
    assert!((10..=30).contains(&written), "{written} of 40 were written");
}

#[test]
fn a_reversed_chain_of_may_writes_is_found() {
    let text = chain().to_text().unwrap().replace("must_write", "may_write");
    let region = Scop::parse(&Ctx::new(), &text).unwrap();
    let interpreter = Interpreter::new(&region, &parameters(&[("n", 40)]), BOUND).unwrap();
    assert!(!interpreter.compare_tree(&tree(&region, &chain_band("-i", "")), Reading::Marks).unwrap().is_same());
}

#[test]
fn what_is_killed_or_never_written_is_undefined() {
    let kill = |live_out: &str| {
        scop(
            &format!("{}  L: {{ kind: local, element: f64, extent: [n] }}", memory(&["A", "B"])),
            r#"
  S:
    domain: "{ S[] }"
    accesses:
      - read S_r: "{ S[] -> L[0] }"
      - must_write S_w: "{ S[] -> B[0] }"
  K:
    domain: "{ K[] }"
    accesses:
      - kill K_k: "{ K[] -> A[i] : 0 <= i < 2 }"
  T:
    domain: "{ T[] }"
    accesses:
      - must_write T_w: "{ T[] -> A[1] }""#,
            r#"  { domain: "{ S[]; K[]; T[] }", child: { sequence: [ { filter: "{ S[] }" }, { filter: "{ K[] }" }, { filter: "{ T[] }" } ] } }"#,
            live_out,
        )
    };
    let region = kill("{ A[i]; B[i] }");
    let interpreter = Interpreter::new(&region, &parameters(&[("n", 3)]), BOUND).unwrap();
    let found = interpreter.compare(&interpreter.original().unwrap()).unwrap();
    // A[0] is killed and B[0] comes from an undefined local; A[1] is written after the kill.
    assert_eq!((found.compared, found.undefined, found.executed), (1, 2, 2));
    // A tree without kills is as good.
    let without = tree(
        &region,
        r#"{ domain: "{ S[]; T[] }", child: { sequence: [ { filter: "{ T[] }" }, { filter: "{ S[] }" } ] } }"#,
    );
    assert!(interpreter.compare_tree(&without, Reading::Marks).unwrap().is_same());
}

#[test]
fn side_effects_read_what_they_read_before() {
    let text = chain()
        .to_text()
        .unwrap()
        .replace("schedule:\n  dom", "    side_effect: true\nschedule:\n  dom")
        .replace("A[i]\"\n    side", "A[i] }\"\n    side");
    let text = text.replace("live_out: \"{ A[i] }\"", "live_out: \"{ }\"");
    let region = Scop::parse(&Ctx::new(), &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let found = report(&region, &chain_band("-i", ""), Reading::Marks);
    assert!(
        found.values.iter().all(|d| matches!(d, Difference::Effect { .. })) && !found.values.is_empty(),
        "{found:?}"
    );
}

#[test]
fn bounds_and_parameters_are_checked() {
    let region = chain();
    let new = |values: &[(&str, i64)], bound| Interpreter::new(&region, &parameters(values), bound).map(|_| ());
    assert_eq!(new(&[("n", 1000)], 100), Err(Error::TooMuch(100)));
    assert!(new(&[("n", 1000)], 100).unwrap_err().is_exhausted());
    assert_eq!(new(&[], BOUND), Err(Error::MissingParameter("n".into())));
    assert_eq!(new(&[("n", 2), ("m", 2)], BOUND), Err(Error::UnknownParameter("m".into())));
    assert!(matches!(new(&[("n", 0)], BOUND), Err(Error::OutsideContext(_))));
    // The bound also holds for runs.
    let interpreter = Interpreter::new(&region, &parameters(&[("n", 20)]), 80).unwrap();
    assert_eq!(interpreter.original().map(|_| ()), Err(Error::TooMuch(80)));
}

#[test]
fn an_access_to_the_whole_array_is_bounded_by_its_extents() {
    let region = |extent: &str| {
        let arrays = format!("{}  B: {{ kind: memory, element: f64, extent: [{extent}] }}", memory(&["A"]));
        scop(
            &arrays,
            r#"
  S:
    domain: "{ S[i] : 0 <= i < n }"
    accesses:
      - read R: "{ S[i] -> A[a] }"
      - may_write W: "{ S[i] -> B[b] }""#,
            r#"  { domain: "{ S[i] : 0 <= i < n }", child: { schedule: "[{ S[i] -> [(i)] }]" } }"#,
            "{ B[i] }",
        )
    };
    let known = region("2n");
    let interpreter = Interpreter::new(&known, &parameters(&[("n", 5)]), BOUND).unwrap();
    let found = interpreter.compare(&interpreter.original().unwrap()).unwrap();
    assert_eq!((found.compared, found.is_same()), (10, true));
    let unknown = region("\"?\"");
    assert_eq!(
        Interpreter::new(&unknown, &parameters(&[("n", 5)]), BOUND).map(|_| ()),
        Err(Error::Unbounded("W".into()))
    );
}

/// `for i = 1 to n: S[f(i)]`
fn ast(arg: Expr, upper: Expr, parallel: Option<Parallel>) -> Ast {
    let body = Node::Call(Call { statement: StatementId(0), args: vec![arg] });
    let iterator = IteratorId(0);
    let root = Node::For(Box::new(For {
        iterator,
        lower: vec![Expr::Const(1), Expr::Const(-3)],
        upper: vec![upper],
        step: 1,
        parallel,
        vector: false,
        block: false,
        ends: false,
        promoted: Vec::new(),
        carried: Vec::new(),
        body,
    }));
    Ast { parameters: vec!["n".into()], n_iterators: 1, root }
}

#[test]
fn an_ast_is_compared_like_a_tree() {
    let region = chain();
    let interpreter = Interpreter::new(&region, &parameters(&[("n", 6)]), BOUND).unwrap();
    let (i, n) = (|| Expr::Iterator(IteratorId(0)), || Expr::Parameter(0));
    let compare = |ast: &Ast| interpreter.compare_ast(ast).unwrap();
    assert!(compare(&ast(i(), n(), None)).is_same());
    assert!(!compare(&ast(i(), n(), Some(Parallel::default()))).values.is_empty());
    let reversed = Expr::Add(Box::new(n()), Box::new(Expr::Mul(-1, Box::new(i()))));
    let found = compare(&ast(reversed, n(), None));
    assert!(found.instances.is_empty() && !found.values.is_empty());
    let short = Expr::Add(Box::new(n()), Box::new(Expr::Const(-1)));
    assert_eq!(compare(&ast(i(), short, None)).instances, [Difference::Missing("S[5]".into())]);
    let long = Expr::Add(Box::new(n()), Box::new(Expr::Const(1)));
    assert_eq!(compare(&ast(i(), long, None)).instances, [Difference::Foreign("S[6]".into())]);
    let same = Expr::Max(vec![Expr::FloorDiv(Box::new(i()), 2), Expr::Const(1)]);
    assert!(compare(&ast(same, n(), None)).instances.contains(&Difference::Repeated("S[1]".into(), 3)));
    let unbound = ast(Expr::Iterator(IteratorId(7)), n(), None);
    assert!(matches!(interpreter.compare_ast(&unbound), Err(Error::Malformed(_))));
}

#[test]
fn wrong_code_is_found_at_small_sizes() {
    let (i, n) = (|| Expr::Iterator(IteratorId(0)), || Expr::Parameter(0));
    let region = chain();
    assert_eq!(trial(&region, &ast(i(), n(), None)), Trial::Same(3));
    let different = |code: &Ast| match trial(&region, code) {
        Trial::Different(what) => what,
        Trial::Same(sizes) => panic!("the same at {sizes} sizes"),
    };
    let reversed = Expr::Add(Box::new(n()), Box::new(Expr::Mul(-1, Box::new(i()))));
    assert!(different(&ast(reversed, n(), None)).contains(" ends with another value"));
    assert!(different(&ast(i(), n(), Some(Parallel::default()))).ends_with("n = 3"));
    // Beyond the first size.
    let most = Expr::Min(vec![n(), Expr::Const(15)]);
    assert_eq!(different(&ast(i(), most, None)), "S[15] is not run at n = 35");
    assert!(different(&ast(Expr::Iterator(IteratorId(7)), n(), None)).contains("not bound"));
}

#[test]
fn what_is_large_at_any_size_is_not_tried() {
    let text = chain().to_text().unwrap().replace("n > 0", "n > 1000000");
    let large = Scop::parse(&Ctx::new(), &text).unwrap();
    let nothing = ast(Expr::Const(0), Expr::Const(0), None);
    assert_eq!(trial(&large, &nothing), Trial::Same(0));
    let before = large.ctx().operations();
    trial(&large, &nothing);
    assert!(large.ctx().operations() - before < 10_000);
    let empty =
        Scop::parse(&Ctx::new(), &chain().to_text().unwrap().replace("i < n }", "i < n and i > 100 }")).unwrap();
    assert_eq!(trial(&empty, &nothing), Trial::Same(0));
}

#[test]
fn small_parameters_are_in_the_context() {
    let region = chain();
    assert_eq!(small_parameters(&region, 5).unwrap(), Some(parameters(&[("n", 5)])));
    let text = region.to_text().unwrap().replace("n > 0 }", "0 < n <= 3 }");
    let small = Scop::parse(&Ctx::new(), &text).unwrap();
    let found = small_parameters(&small, 5).unwrap().unwrap();
    assert!((1..=3).contains(&found["n"]), "{found:?}");
}
