//! Right trees are accepted; every kind of corruption is refused for the right reason.

use super::{Assumptions, CheckError, Rule, check};
use crate::isl::{Ctx, DimType, Map, NodeType, Schedule, Set, UnionSet};
use crate::scop::{Access, AccessKind, Array, ArrayKind, ElementKind, ElementType, Scop, Statement};

/// A statement in short form: domain, then `kind relation` pairs.
type Short<'a> = (&'a str, &'a [(&'a str, &'a str)]);

fn scop(context: &str, statements: &[Short], arrays: &[(&str, usize, ArrayKind)], schedule: &str) -> Scop {
    let ctx = Ctx::new();
    let statements: Vec<Statement> = statements
        .iter()
        .map(|(domain, accesses)| {
            let domain = Set::parse(&ctx, domain).unwrap();
            let name = domain.tuple_name().unwrap().unwrap();
            let accesses = accesses
                .iter()
                .enumerate()
                .map(|(i, (kind, relation))| {
                    let kind = AccessKind::from_word(kind).unwrap();
                    Access::new(format!("{name}_{i}"), kind, Map::parse(&ctx, relation).unwrap())
                })
                .collect();
            Statement {
                name,
                domain,
                accesses,
                side_effect: false,
                may_trap: false,
                copy: false,
                reduction: None,
                block: None,
                parts: 1,
                text: String::new(),
            }
        })
        .collect();
    let context = Set::parse(&ctx, context).unwrap();
    let mut live_out = UnionSet::empty(context.space().unwrap()).unwrap();
    for (name, rank, kind) in arrays {
        if *kind == ArrayKind::Memory {
            let dims: Vec<String> = (0..*rank).map(|i| format!("a{i}")).collect();
            let elements = format!("{{ {name}[{}] }}", dims.join(","));
            live_out = live_out.union(UnionSet::parse(&ctx, &elements).unwrap()).unwrap();
        }
    }
    let element = ElementType { kind: ElementKind::Float, bits: 64 };
    let arrays = arrays.iter().map(|&(name, rank, kind)| Array::new(name, vec![None; rank], element, kind)).collect();
    let schedule = Schedule::parse(&ctx, schedule).unwrap();
    Scop { name: "test".into(), context, arrays, statements, schedule, live_out }
}

fn matmul() -> Scop {
    scop(
        "[n] -> { : n >= 0 }",
        &[
            ("[n] -> { S[i,j] : 0 <= i,j < n }", &[("must_write", "{ S[i,j] -> C[i,j] }")]),
            (
                "[n] -> { T[i,j,k] : 0 <= i,j,k < n }",
                &[
                    ("read", "{ T[i,j,k] -> C[i,j] }"),
                    ("read", "{ T[i,j,k] -> A[i,k] }"),
                    ("read", "{ T[i,j,k] -> B[k,j] }"),
                    ("must_write", "{ T[i,j,k] -> C[i,j] }"),
                ],
            ),
        ],
        &[("A", 2, ArrayKind::Memory), ("B", 2, ArrayKind::Memory), ("C", 2, ArrayKind::Memory)],
        MATMUL,
    )
}

const MATMUL_DOMAIN: &str = "[n] -> { S[i,j] : 0 <= i,j < n; T[i,j,k] : 0 <= i,j,k < n }";

const MATMUL: &str = r#"
domain: "[n] -> { S[i,j] : 0 <= i,j < n; T[i,j,k] : 0 <= i,j,k < n }"
child:
  schedule: "[{ S[i,j] -> [i]; T[i,j,k] -> [i] }, { S[i,j] -> [j]; T[i,j,k] -> [j] }]"
  permutable: 1
  coincident: [1, 1]
  child:
    sequence:
    - filter: "{ S[i,j] }"
    - filter: "{ T[i,j,k] }"
      child:
        schedule: "[{ T[i,j,k] -> [k] }]"
"#;

fn tree(scop: &Scop, text: &str) -> Schedule {
    Schedule::parse(scop.ctx(), text).unwrap()
}

#[track_caller]
fn rules(scop: &Scop, text: &str) -> Vec<Rule> {
    match check(scop, &tree(scop, text), &Assumptions::default()) {
        Ok(()) => Vec::new(),
        Err(CheckError::Illegal(violations)) => {
            for violation in &violations {
                println!("{violation}");
                assert!(!violation.example.is_empty(), "no example in {violation}");
            }
            violations.iter().map(|v| v.rule).collect()
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn original_order_is_legal() {
    assert_eq!(rules(&matmul(), MATMUL), []);
}

#[test]
fn tiled_and_parallel_tree_is_legal() {
    let scop = matmul();
    let node = scop.schedule.root().unwrap().first_child().unwrap();
    let space = node.band_partial_schedule().unwrap().space().unwrap();
    let mut sizes = crate::isl::MultiVal::zero(space).unwrap();
    for i in 0..2 {
        sizes = sizes.set_at(i, crate::isl::Val::int(scop.ctx(), 32).unwrap()).unwrap();
    }
    let mark = crate::isl::Id::new(scop.ctx(), "parallel").unwrap();
    let tiled = node.band_tile(sizes).unwrap().insert_mark(mark).unwrap().schedule().unwrap();
    check(&scop, &tiled, &Assumptions::default()).unwrap();
}

#[test]
fn reversed_reduction_is_refused() {
    let text = MATMUL.replace("T[i,j,k] -> [k]", "T[i,j,k] -> [-k]");
    assert!(rules(&matmul(), &text).contains(&Rule::OtherWriter));
}

#[test]
fn parallel_reduction_is_refused() {
    let text = r#"
domain: "[n] -> { S[i,j] : 0 <= i,j < n; T[i,j,k] : 0 <= i,j,k < n }"
child:
  sequence:
  - filter: "{ S[i,j] }"
  - filter: "{ T[i,j,k] }"
    child:
      mark: "parallel"
      child:
        schedule: "[{ T[i,j,k] -> [k] }, { T[i,j,k] -> [i] }, { T[i,j,k] -> [j] }]"
"#;
    assert!(rules(&matmul(), text).contains(&Rule::Unordered));
    // The same tree without the mark is fine.
    assert_eq!(rules(&matmul(), &text.replace("parallel", "point")), []);
    // The flag alone is refused as well.
    let flagged = text.replace("parallel", "point").replace("[j] }]\"", "[j] }]\"\n        coincident: [1, 0, 0]");
    assert_eq!(rules(&matmul(), &flagged), [Rule::NotCoincident]);
}

#[test]
fn set_node_over_dependent_statements_is_refused() {
    assert!(rules(&matmul(), &MATMUL.replace("sequence", "set")).contains(&Rule::Unordered));
}

#[test]
fn missing_and_repeated_instances_are_refused() {
    let missing = MATMUL.replace(MATMUL_DOMAIN, "[n] -> { S[i,j] : 0 <= i,j < n; T[i,j,k] : 0 < i,j,k < n }");
    assert!(rules(&matmul(), &missing).contains(&Rule::Missing));
    let filtered = MATMUL.replace("{ T[i,j,k] }", "{ T[i,j,k] : k > 0 }");
    assert!(rules(&matmul(), &filtered).contains(&Rule::Missing));
    let overlapping = MATMUL.replace("\"{ S[i,j] }\"", "\"{ S[i,j]; T[i,j,0] }\"");
    assert!(rules(&matmul(), &overlapping).contains(&Rule::Twice));
}

#[test]
fn unordered_instances_at_a_leaf_are_refused() {
    let text = MATMUL.replace("T[i,j,k] -> [k]", "T[i,j,k] -> [floor(k/2)]");
    assert!(rules(&matmul(), &text).contains(&Rule::Unordered));
}

/// A stencil whose band needs skewing before it is permutable.
fn jacobi() -> (Scop, String) {
    let text = r#"
domain: "[t,n] -> { S[k,i] : 0 <= k < t and 1 <= i < n }"
child:
  schedule: "[{ S[k,i] -> [k] }, { S[k,i] -> [i] }]"
"#;
    let scop = scop(
        "[t,n] -> { : }",
        &[(
            "[t,n] -> { S[k,i] : 0 <= k < t and 1 <= i < n }",
            &[
                ("read", "{ S[k,i] -> A[i - 1] }"),
                ("read", "{ S[k,i] -> A[i + 1] }"),
                ("must_write", "{ S[k,i] -> A[i] }"),
            ],
        )],
        &[("A", 1, ArrayKind::Memory)],
        text,
    );
    (scop, text.to_owned())
}

#[test]
fn permutable_flag_needs_skewing() {
    let (scop, text) = jacobi();
    let flagged = text.replace("[i] }]\"", "[i] }]\"\n  permutable: 1");
    assert_eq!(rules(&scop, &flagged), [Rule::NotPermutable]);
    assert_eq!(rules(&scop, &flagged.replace("[i] }]", "[k + i] }]")), []);
    assert!(rules(&scop, &text.replace("[i] }]", "[-i] }]")).contains(&Rule::OtherWriter));
}

/// `t = A[i]; B[i] = t` for all i, `t` an SSA value.
fn through_scalar(kind: ArrayKind) -> Scop {
    scop(
        "[n] -> { : }",
        &[
            ("[n] -> { P[i] : 0 <= i < n }", &[("read", "{ P[i] -> A[i] }"), ("must_write", "{ P[i] -> t[] }")]),
            ("[n] -> { Q[i] : 0 <= i < n }", &[("read", "{ Q[i] -> t[] }"), ("must_write", "{ Q[i] -> B[i] }")]),
        ],
        &[("A", 1, ArrayKind::Memory), ("B", 1, ArrayKind::Memory), ("t", 0, kind)],
        THROUGH_SCALAR,
    )
}

const THROUGH_SCALAR: &str = r#"
domain: "[n] -> { P[i] : 0 <= i < n; Q[i] : 0 <= i < n }"
child:
  schedule: "[{ P[i] -> [i]; Q[i] -> [i] }]"
  child:
    sequence:
    - filter: "{ P[i] }"
    - filter: "{ Q[i] }"
"#;

fn parallel(mark: &str) -> String {
    let body = THROUGH_SCALAR.split_once("child:\n").unwrap().1.replace('\n', "\n  ");
    format!(
        "domain: \"[n] -> {{ P[i] : 0 <= i < n; Q[i] : 0 <= i < n }}\"\nchild:\n  mark: \"{mark}\"\n  child:\n  {body}"
    )
}

#[test]
fn live_ranges_may_change_places() {
    let scop = through_scalar(ArrayKind::Scalar);
    let text = THROUGH_SCALAR.replace("P[i] -> [i]; Q[i] -> [i]", "P[i] -> [-i]; Q[i] -> [-i]");
    assert_eq!(rules(&scop, &text), []);
    // A memory cell keeps the last value, which is now another one.
    assert_eq!(rules(&through_scalar(ArrayKind::Memory), &text), [Rule::LiveOut]);
    // Live ranges that overlap clobber one another.
    let overlap = text.replace("Q[i] -> [-i]", "Q[i] -> [-i + 1]");
    assert!(rules(&scop, &overlap).contains(&Rule::OtherWriter));
}

/// `for i, j: t = A[i][j]; B[i][j] = t`, in the original order, and `t` is overwritten at each point.
fn grid(write_after: &str) -> (Scop, String) {
    let text = r#"
domain: "[n] -> { P[i,j] : 0 <= i,j < n; Q[i,j] : 0 <= i,j < n }"
child:
  schedule: "[{ P[i,j] -> [i]; Q[i,j] -> [i] }, { P[i,j] -> [j]; Q[i,j] -> [j] }]"
  permutable: 1
  child:
    sequence:
    - filter: "{ P[i,j] }"
    - filter: "{ Q[i,j] }"
"#;
    let statements: [Short; 2] = [
        ("[n] -> { P[i,j] : 0 <= i,j < n }", &[("read", "{ P[i,j] -> A[i,j] }"), ("must_write", "{ P[i,j] -> t[] }")]),
        ("[n] -> { Q[i,j] : 0 <= i,j < n }", &[("read", "{ Q[i,j] -> t[] }"), ("must_write", write_after)]),
    ];
    let kind = if write_after.contains("t[]") { ArrayKind::Memory } else { ArrayKind::Scalar };
    let arrays = [("A", 2, ArrayKind::Memory), ("B", 2, ArrayKind::Memory), ("t", 0, kind)];
    (scop("[n] -> { : }", &statements, &arrays, text), text.to_owned())
}

#[test]
fn live_ranges_within_a_point_do_not_make_a_band_less_permutable() {
    let (scop, text) = grid("{ Q[i,j] -> B[i,j] }");
    assert_eq!(rules(&scop, &text), []);
    // The last value is seen after the region, and the last point is the last one in any order of the members.
    let (scop, text) = grid("{ Q[i,j] -> t[] }");
    assert_eq!(rules(&scop, &text), []);
    // The last point, (n-1, 0), comes before (0, n-1) when the members change places.
    let (mut scop, text) = grid("{ Q[i,j] -> t[] }");
    let triangle = |set: &str| Set::parse(scop.ctx(), set).unwrap();
    let domains =
        ["[n] -> { P[i,j] : i,j >= 0 and i + j < n }", "[n] -> { Q[i,j] : i,j >= 0 and i + j < n }"].map(triangle);
    for (statement, domain) in scop.statements.iter_mut().zip(domains) {
        statement.domain = domain;
    }
    let text = text.replace("0 <= i,j < n", "i,j >= 0 and i + j < n");
    scop.schedule = tree(&scop, &text);
    assert!(rules(&scop, &text).contains(&Rule::NotPermutable));
}

#[test]
fn a_live_range_over_several_points_does_not_order_other_elements() {
    // w[0] goes from P to Q within a point; Q adds to w[1 + j], or w[1], from one point to a later one.
    let text = |permutable: &str| {
        format!(
            r#"
domain: "{{ P[i,j] : 0 <= i,j < 9; Q[i,j] : 0 <= i,j < 9 }}"
child:
  schedule: "[{{ P[i,j] -> [i]; Q[i,j] -> [i] }}, {{ P[i,j] -> [j]; Q[i,j] -> [j] }}]"
  permutable: {permutable}
  child:
    sequence:
    - filter: "{{ P[i,j] }}"
    - filter: "{{ Q[i,j] }}"
"#
        )
    };
    let found = |element: &str| {
        let (read, written) = (format!("{{ Q[i,j] -> w[{element}] }}"), format!("{{ Q[i,j] -> w[{element}] }}"));
        let statements: [Short; 2] = [
            ("{ P[i,j] : 0 <= i,j < 9 }", &[("must_write", "{ P[i,j] -> w[0] }")]),
            ("{ Q[i,j] : 0 <= i,j < 9 }", &[("read", "{ Q[i,j] -> w[0] }"), ("read", &read), ("must_write", &written)]),
        ];
        let scop = scop("{ : }", &statements, &[("w", 1, ArrayKind::Memory)], &text("0"));
        rules(&scop, &text("1"))
    };
    assert_eq!(found("1 + j"), []);
    assert!(found("1").contains(&Rule::NotPermutable));
}

#[test]
fn an_open_end_of_one_element_does_not_order_the_others() {
    // Every instance reads A[0], which was there before, and nobody reads what all but the last write to another
    // element.
    let domain = "{ S[i,j] : 0 <= i <= 6 and 0 <= j <= 2 }";
    let band = |members: &str| format!("domain: \"{domain}\"\nchild:\n  schedule: \"{members}\"\n  permutable: 1\n");
    let original = band("[{ S[i,j] -> [(i)] }, { S[i,j] -> [(j)] }]").replace("  permutable: 1\n", "");
    let of = |written: &str| {
        let accesses = [("read", "{ S[i,j] -> A[0] }"), ("must_write", written)];
        scop("{ : }", &[(domain, &accesses)], &[("A", 1, ArrayKind::Memory)], &original)
    };
    let skewed = band("[{ S[i,j] -> [(i)] }, { S[i,j] -> [(i + j)] }]");
    let backwards = band("[{ S[i,j] -> [(i)] }, { S[i,j] -> [(j - i)] }]");
    let wound = band("[{ S[i,j] -> [(i + j)] }, { S[i,j] -> [(2 * i + j)] }]");
    let apart = of("{ S[i,j] -> A[1] }");
    assert_eq!(rules(&apart, &skewed), []);
    assert_eq!(rules(&apart, &wound), []);
    // The last write must come last at every member.
    assert_eq!(rules(&apart, &backwards), [Rule::NotPermutable]);
    // What is written is read.
    assert!(rules(&of("{ S[i,j] -> A[0] }"), &skewed).contains(&Rule::NotPermutable));
}

#[test]
fn a_value_that_passes_from_point_to_point_keeps_its_band_in_order() {
    let (scop, text) = grid("{ Q[i,j] -> B[i,j] }");
    let shifted = text.replace("Q[i,j] -> [j]", "Q[i,j] -> [j + 1]");
    assert!(rules(&scop, &shifted).contains(&Rule::OtherWriter));
    let apart = text.replace("Q[i,j] -> [i]", "Q[i,j] -> [i + 1]");
    assert!(rules(&scop, &apart).contains(&Rule::NotPermutable));
}

#[test]
fn parallel_needs_private_copies() {
    let scop = through_scalar(ArrayKind::Scalar);
    assert!(rules(&scop, &parallel("parallel")).contains(&Rule::Unordered));
    assert_eq!(rules(&scop, &parallel("parallel private(t)")), []);
    // The last value would be lost with the private copy.
    let memory = through_scalar(ArrayKind::Memory);
    assert_eq!(rules(&memory, &parallel("parallel private(t)")), [Rule::LiveOut]);
    // A private copy of what comes from outside would be undefined.
    let found = rules(&scop, &parallel("parallel private(t, A)"));
    assert!(found.contains(&Rule::LiveIn), "{found:?}");
}

#[test]
fn vector_mark_needs_a_member_without_conflicts() {
    let (scop, text) = jacobi();
    let marked =
        text.replace("child:\n", "child:\n  mark: \"vector\"\n  child:\n").replace("\n  schedule", "\n    schedule");
    assert_eq!(rules(&scop, &marked), [Rule::NotVector]);
}

#[test]
fn dead_instances_must_be_dead() {
    let scop = through_scalar(ArrayKind::Scalar);
    let dead = |text: &str| Assumptions { dead: Some(UnionSet::parse(scop.ctx(), text).unwrap()), quota: 0 };
    let all = Schedule::parse(scop.ctx(), "{ domain: \"[n] -> { Q[i] : 0 <= i < n }\" }").unwrap();
    let wrong = check(&scop, &all, &dead("[n] -> { P[i] : 0 <= i < n }"));
    let Err(CheckError::Illegal(violations)) = wrong else { panic!("{wrong:?}") };
    assert!(violations.iter().any(|v| v.rule == Rule::NotDead), "{violations:?}");
}

#[test]
fn unknown_nodes_and_marks_are_refused() {
    let scop = through_scalar(ArrayKind::Scalar);
    let text = parallel("paralel");
    let result = check(&scop, &tree(&scop, &text), &Assumptions::default());
    assert!(matches!(result, Err(CheckError::Unsupported(_))), "{result:?}");
}

#[test]
fn budget_is_a_refusal() {
    let scop = matmul();
    let result = check(&scop, &scop.schedule, &Assumptions { dead: None, quota: 50 });
    assert!(matches!(result, Err(CheckError::Budget)), "{result:?}");
}

#[test]
fn dates_of_every_instance_are_required() {
    let scop = matmul();
    let mut bands = 0;
    scop.schedule
        .root()
        .unwrap()
        .for_each_descendant_top_down(&mut |node| {
            bands += usize::from(node.node_type()? == NodeType::Band);
            Ok(true)
        })
        .unwrap();
    assert_eq!((bands, scop.statements[1].domain.dim(DimType::SET).unwrap()), (2, 3));
    let text = MATMUL.replace("T[i,j,k] -> [k]", "T[i,j,k] -> [k] : k > 0");
    assert!(rules(&scop, &text).contains(&Rule::Missing));
}

/// `t = A[i]; B[i] = t` for all i with `t` in memory that is killed at the end (ppcg report, Listing 3).
#[test]
fn what_is_killed_at_the_end_is_not_live_out() {
    let mut scop = through_scalar(ArrayKind::Memory);
    let ctx = scop.ctx().clone();
    let relation = Map::parse(&ctx, "{ K[] -> t[] }").unwrap();
    let kill = Access::new("K_0".into(), AccessKind::Kill, relation);
    let domain = Set::parse(&ctx, "{ K[] }").unwrap();
    scop.schedule =
        scop.schedule.sequence(Schedule::from_domain(domain.clone().to_union_set().unwrap()).unwrap()).unwrap();
    let statement = Statement {
        name: "K".into(),
        domain,
        accesses: vec![kill],
        side_effect: false,
        may_trap: false,
        copy: false,
        reduction: None,
        block: None,
        parts: 1,
        text: String::new(),
    };
    scop.statements.push(statement);
    assert_eq!(rules(&scop, &parallel("parallel private(t)")), []);
    assert!(rules(&scop, &parallel("parallel")).contains(&Rule::Unordered));
}

/// Without a date, a pair of instances would have no order that a tree could break.
#[test]
fn an_original_order_that_leaves_instances_out_is_refused() {
    let statement: Short = ("{ S[i] : 0 <= i < 4 }", &[("must_write", "{ S[i] -> A[0] }")]);
    let arrays = [("A", 1, ArrayKind::Memory)];
    let domain = "domain: \"{ S[i] : 0 <= i < 4 }\"";
    for original in ["[{ S[i] -> [(i)] : i < 1 }]", "[{ S[i] -> [(0)] }, { S[i] -> [(i)] : i < 1 }]"] {
        let text = format!("{{ {domain}, child: {{ schedule: \"{original}\" }} }}");
        let scop = scop("{ : }", &[statement], &arrays, &text);
        for turned in
            ["mark: parallel, child: { schedule: \"[{ S[i] -> [(i)] }]\" }", "schedule: \"[{ S[i] -> [(-i)] }]\""]
        {
            let tree = Schedule::parse(scop.ctx(), &format!("{{ {domain}, child: {{ {turned} }} }}")).unwrap();
            let error = check(&scop, &tree, &Assumptions::default()).unwrap_err();
            assert!(matches!(error, CheckError::Unsupported(_)), "{error}");
        }
    }
}

/// A band without members may have a domain, which would let no pair pass.
#[test]
fn a_band_without_members_orders_all_instances() {
    let statement: Short = ("{ S[i] : 0 <= i < 4 }", &[("must_write", "{ S[i] -> A[0] }")]);
    let domain = "domain: \"{ S[i] : 0 <= i < 4 }\"";
    let original = format!("{{ {domain}, child: {{ schedule: \"[{{ S[i] -> [(i)] }}]\" }} }}");
    let scop = scop("{ : }", &[statement], &[("A", 1, ArrayKind::Memory)], &original);
    for (members, ok) in [("([] : { S[i] : i < 0 })", false), ("([] : { S[i] })", true), ("[]", true)] {
        let inner = "schedule: \"[{ S[i] -> [(i)] }]\"";
        let text = format!("{{ {domain}, child: {{ schedule: \"{members}\", child: {{ {inner} }} }} }}");
        let tree = Schedule::parse(scop.ctx(), &text).unwrap();
        assert_eq!(check(&scop, &tree, &Assumptions::default()).is_ok(), ok, "{members}");
    }
}
