//! Right code is accepted; every kind of wrong code is refused for the right reason.

use super::{Emitted, Order, Place, ValidationError, check};
use crate::isl::{Ctx, Map, Schedule, Set};
use crate::scop::{AccessKind, Scop, StatementId};

/// `for i: { S0: s = A[i]; S1: for j: B[j, i] = s + C[i, j] }`, the scalar crossing statements.
const SCOP: &str = r#"
scop: test
parameters: [n]
context: "{ : n >= 0 }"
arrays:
  A: { kind: memory, element: f64, extent: [n] }
  B: { kind: memory, element: f64, extent: [n, n] }
  s: { kind: scalar, element: f64, extent: [] }
statements:
  S0:
    domain: "{ S0[i] : 0 <= i < n }"
    accesses:
      - read r0: "{ S0[i] -> A[i] }"
      - must_write w0: "{ S0[i] -> s[] }"
  S1:
    domain: "{ S1[i, j] : 0 <= i < n and 1 <= j < n }"
    accesses:
      - read r1: "{ S1[i, j] -> s[] }"
      - read r2: "{ S1[i, j] -> B[i, j - 1] }"
      - must_write w1: "{ S1[i, j] -> B[i, j] }"
schedule:
  domain: "{ S0[i] : 0 <= i < n; S1[i, j] : 0 <= i < n and 1 <= j < n }"
  child:
    schedule: "[{ S0[i] -> [(i)]; S1[i, j] -> [(i)] }]"
    child:
      sequence:
        - filter: "{ S0[i] }"
        - filter: "{ S1[i, j] }"
          child:
            schedule: "[{ S1[i, j] -> [(j)] }]"
live_out: "{ A[i]; B[i, j] }"
"#;

/// The tree: the original order with the columns in strips of 32.
const TREE: &str = r#"
domain: "[n] -> { S0[i] : 0 <= i < n; S1[i, j] : 0 <= i < n and 1 <= j < n }"
child:
  mark: "parallel private(s)"
  child:
    schedule: "[n] -> [{ S0[i] -> [(i)]; S1[i, j] -> [(i)] }]"
    child:
      sequence:
      - filter: "[n] -> { S0[i] }"
      - filter: "[n] -> { S1[i, j] }"
        child:
          schedule: "[n] -> [{ S1[i, j] -> [(32*floor((j)/32))] }]"
          child:
            schedule: "[n] -> [{ S1[i, j] -> [(j)] }]"
"#;

/// The code in question.
struct Code {
    places: Vec<Text>,
    order: Vec<Order>,
}

/// A place as text.
#[derive(Clone)]
struct Text {
    statement: usize,
    domain: String,
    instances: String,
    accesses: Vec<(AccessKind, String)>,
}

/// `parallel for a: { S0(a); for t step 32: for u in the strip: S1(a, u) }`.
fn right() -> Code {
    let strip = "0 <= t < n and t mod 32 = 0 and t <= u < t + 32 and u < n and u >= 1";
    let body = vec![
        Order::Place(0),
        Order::Loop {
            dimension: 1,
            parallel: None,
            body: vec![Order::Loop { dimension: 2, parallel: None, body: vec![Order::Place(1)] }],
        },
    ];
    Code {
        places: vec![
            Text {
                statement: 0,
                domain: "[n] -> { N0[a] : 0 <= a < n }".into(),
                instances: "{ N0[a] -> S0[a] }".into(),
                accesses: vec![(AccessKind::Read, "{ N0[a] -> A[a] }".into())],
            },
            Text {
                statement: 1,
                domain: format!("[n] -> {{ N1[a, t, u] : 0 <= a < n and {strip} }}"),
                instances: "{ N1[a, t, u] -> S1[a, u] }".into(),
                accesses: vec![
                    (AccessKind::Read, "{ N1[a, t, u] -> B[a, u - 1] }".into()),
                    (AccessKind::MustWrite, "{ N1[a, t, u] -> B[a, u] }".into()),
                ],
            },
        ],
        order: vec![Order::Loop { dimension: 0, parallel: Some(vec!["s".into()]), body }],
    }
}

fn validated(code: &Code) -> Result<(), ValidationError> {
    validated_with(code, TREE)
}

fn validated_with(code: &Code, tree: &str) -> Result<(), ValidationError> {
    validated_of(code, SCOP, tree)
}

fn validated_of(code: &Code, scop: &str, tree: &str) -> Result<(), ValidationError> {
    validated_within(0, code, scop, tree)
}

fn validated_within(quota: u64, code: &Code, scop: &str, tree: &str) -> Result<(), ValidationError> {
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, scop).unwrap();
    let tree = Schedule::parse(&ctx, tree).unwrap();
    let places = code.places.iter().map(|place| Place {
        statement: StatementId(place.statement),
        domain: Set::parse(&ctx, &place.domain).unwrap(),
        instances: Map::parse(&ctx, &place.instances).unwrap(),
        accesses: place.accesses.iter().map(|(kind, text)| (*kind, Map::parse(&ctx, text).unwrap())).collect(),
    });
    check(&scop, &tree, &Emitted { places: places.collect(), order: code.order.clone() }, quota)
}

/// The right code with something exchanged in a place's domain.
fn with_domain(place: usize, from: &str, to: &str) -> Code {
    let mut code = right();
    let changed = code.places[place].domain.replace(from, to);
    assert_ne!(changed, code.places[place].domain);
    code.places[place].domain = changed;
    code
}

fn refusal(code: &Code) -> String {
    validated(code).expect_err("the code is wrong").to_string()
}

/// The order of the code with its outermost loop's parts exchanged.
fn reordered(change: impl FnOnce(&mut Option<Vec<String>>, &mut Vec<Order>)) -> Code {
    let mut code = right();
    let Order::Loop { parallel, body, .. } = &mut code.order[0] else { panic!("a loop") };
    change(parallel, body);
    code
}

#[test]
fn an_exhausted_quota_leaves_the_question_open() {
    // Whichever part of the proof it strikes in.
    for quota in [10, 1_000, 5_000, 10_000] {
        let error = validated_within(quota, &right(), SCOP, TREE).unwrap_err();
        assert!(error.is_open(), "{quota}: {error}");
    }
    validated_within(10_000_000, &right(), SCOP, TREE).unwrap();
}

#[test]
fn right_code_is_accepted() {
    validated(&right()).unwrap();
    // Strips may be cut in whole and partial ones.
    let mut code = with_domain(1, "u < t + 32 and u < n", "u < t + 32 and t + 32 <= n");
    let mut partial = right().places[1].clone();
    for text in [&mut partial.domain, &mut partial.instances]
        .into_iter()
        .chain(partial.accesses.iter_mut().map(|access| &mut access.1))
    {
        *text = text.replace("N1", "N2");
    }
    partial.domain = partial.domain.replace("u < n", "u < n and t + 32 > n");
    code.places.push(partial);
    let Order::Loop { body, .. } = &mut code.order[0] else { panic!("a loop") };
    let Order::Loop { body, .. } = &mut body[1] else { panic!("a loop") };
    body.push(Order::Loop { dimension: 2, parallel: None, body: vec![Order::Place(2)] });
    validated(&code).unwrap();
}

#[test]
fn wrong_bounds_are_found() {
    let short = refusal(&with_domain(1, "u < n", "u < n - 1"));
    assert!(short.starts_with("the code does not execute S1["), "{short}");
    let long = refusal(&with_domain(0, "a < n", "a <= n"));
    assert!(long.starts_with("the code executes S0[") && long.ends_with("which the schedule does not"), "{long}");
    let twice = refusal(&with_domain(1, "u < t + 32", "u <= t + 32"));
    assert!(twice.starts_with("the code executes S1[") && twice.ends_with("twice"), "{twice}");
    let step = refusal(&with_domain(1, "t mod 32 = 0", "t mod 64 = 0"));
    assert!(step.starts_with("the code does not execute S1["), "{step}");
}

#[test]
fn a_missing_and_a_repeated_place_are_found() {
    let mut code = right();
    code.places.remove(0);
    code.order = vec![Order::Place(0)];
    assert!(refusal(&code).starts_with("the code does not execute S0["));
    let mut code = right();
    let again = |text: &str| text.replace("N0", "N2");
    let first = code.places[0].clone();
    let accesses = first.accesses.iter().map(|(kind, text)| (*kind, again(text))).collect();
    code.places.push(Text { statement: 0, domain: again(&first.domain), instances: again(&first.instances), accesses });
    code.order.push(Order::Place(2));
    assert!(refusal(&code).ends_with("twice"));
}

#[test]
fn other_elements_are_found() {
    let mut code = right();
    code.places[1].accesses[0].1 = "{ N1[a, t, u] -> B[u - 1, a] }".into();
    let text = refusal(&code);
    assert!(text.starts_with("the code's read of B for S1 differs from the statement's where it is executed as N1["));
    let mut code = right();
    code.places[1].accesses.remove(1);
    assert!(refusal(&code).starts_with("the code's must_write of B for S1"), "a store is missing");
    let mut code = right();
    code.places[0].accesses.push((AccessKind::Read, "{ N0[a] -> B[a, a] }".into()));
    assert!(refusal(&code).starts_with("the code's read of B for S0"), "a load too many");
    // What stays in a register is not stored; but a statement does not write a scalar that it only reads.
    let mut code = right();
    code.places[0].accesses.push((AccessKind::MustWrite, "{ N0[a] -> s[] }".into()));
    validated(&code).unwrap();
    code.places[1].accesses.push((AccessKind::MustWrite, "{ N1[a, t, u] -> s[] }".into()));
    assert!(refusal(&code).starts_with("the code's must_write of s for S1"));
}

#[test]
fn elements_that_are_not_known_may_be_known_in_the_code() {
    let anywhere = SCOP.replace("read r0: \"{ S0[i] -> A[i] }\"", "read r0: \"{ S0[i] -> A[a] }\"");
    validated_of(&right(), &anywhere, TREE).unwrap();
    // Nothing runs in parallel, because the writes may be anywhere.
    let in_order = TREE.replace("parallel private(s)", "tile");
    let code = reordered(|parallel, _| *parallel = None);
    validated_of(&code, SCOP, &in_order).unwrap();
    let anywhere =
        SCOP.replace("must_write w1: \"{ S1[i, j] -> B[i, j] }\"", "may_write w1: \"{ S1[i, j] -> B[a, b] }\"");
    validated_of(&code, &anywhere, &in_order).unwrap();
    // What must be written still must be, and where.
    let partly = SCOP.replace("- must_write w1", "- may_write w2: \"{ S1[i, j] -> B[a, b] }\"\n      - must_write w1");
    validated_of(&code, &partly, &in_order).unwrap();
    let mut missing = reordered(|parallel, _| *parallel = None);
    missing.places[1].accesses.remove(1);
    let error = validated_of(&missing, &partly, &in_order).unwrap_err().to_string();
    assert!(error.starts_with("the code's must_write of B for S1"), "{error}");
}

#[test]
fn wrong_instances_are_found() {
    let mut code = right();
    code.places[1].instances = "{ N1[a, t, u] -> S1[a, t] }".into();
    assert!(validated(&code).is_err());
    let mut code = right();
    code.places[1].instances = "[n] -> { N1[a, t, u] -> S1[n - 1 - a, u] }".into();
    let text = refusal(&code);
    assert!(text.contains("of B for S1 differs"), "{text}");
}

#[test]
fn another_order_is_found() {
    let text = refusal(&reordered(|_, body| body.reverse()));
    assert!(text.starts_with("the order of the code: the schedule is illegal"), "{text}");
    // The strips inside out are legal as a schedule of nothing: the conflict is carried backwards.
    let mut code = right();
    code.places[1].instances = "[n] -> { N1[a, t, u] -> S1[a, n - u] }".into();
    code.places[1].accesses = vec![
        (AccessKind::Read, "[n] -> { N1[a, t, u] -> B[a, n - u - 1] }".into()),
        (AccessKind::MustWrite, "[n] -> { N1[a, t, u] -> B[a, n - u] }".into()),
    ];
    assert!(refusal(&code).contains("the schedule is illegal"));
}

#[test]
fn a_legal_order_that_is_not_the_trees_is_found() {
    // Without the parallel mark, rows backwards are legal because the scalar's live ranges move as wholes; the tree has
    // them in order, with one copy.
    let backwards = |text: &str| text.replace("S0[a]", "S0[n - 1 - a]").replace("S1[a", "S1[n - 1 - a");
    let mut code = right();
    for place in &mut code.places {
        place.instances = format!("[n] -> {}", backwards(&place.instances));
        for (_, relation) in &mut place.accesses {
            *relation = format!("[n] -> {}", relation.replace("A[a]", "A[n - 1 - a]").replace("B[a", "B[n - 1 - a"));
        }
    }
    let Order::Loop { parallel, .. } = &mut code.order[0] else { panic!("a loop") };
    *parallel = None;
    match validated_with(&code, &TREE.replace("parallel private(s)", "tile")) {
        Err(ValidationError::Order { array, .. }) => assert_eq!(array, "s"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn parallel_code_needs_its_private_copies() {
    let text = refusal(&reordered(|parallel, _| *parallel = Some(Vec::new())));
    assert!(text.contains("left unordered") && text.contains("array s"), "{text}");
    let inner = reordered(|_, body| {
        let Order::Loop { parallel, .. } = &mut body[1] else { panic!("a loop") };
        *parallel = Some(Vec::new());
    });
    assert!(refusal(&inner).contains("array B"));
}
