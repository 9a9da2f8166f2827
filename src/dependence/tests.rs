use super::samples::{self, K, M, R, Sample, W, band, sequence};
use super::*;
use crate::isl::{Ctx, UnionSet};
use crate::scop::{ArrayKind, StatementId};

fn analyse(scop: &Scop) -> Dependences {
    Dependences::compute(scop, Mode::default()).unwrap()
}

fn map(ctx: &Ctx, text: &str) -> UnionMap {
    UnionMap::parse(ctx, text).unwrap()
}

#[track_caller]
fn assert_map(actual: &UnionMap, expected: &str) {
    assert!(actual.is_equal(&map(actual.ctx(), expected)).unwrap(), "{actual} is not {expected}");
}

#[test]
fn live_ranges_have_the_relations_of_the_report() {
    let scop = samples::live_ranges();
    let deps = analyse(&scop);
    assert_map(&deps.flow, "{ A[] -> B[]; C[] -> D[] }");
    assert_map(&deps.dep_false, "{ A[] -> C[]; B[] -> C[] }");
    assert_map(&deps.order().unwrap(), "{ B[] -> C[] }");
    assert_map(&deps.forced, "{ }");
    assert_map(&deps.may_live_out, "{ B[] -> x[]; D[] -> y[] }");
    assert_map(&deps.may_live_in, "{ }");
    assert_map(&deps.tagged_flow, "{ [A[] -> A_0[]] -> [B[] -> B_0[]]; [C[] -> C_0[]] -> [D[] -> D_0[]] }");
}

#[test]
fn without_live_range_reordering_nothing_is_refined() {
    let deps = Dependences::compute(&samples::live_ranges(), Mode { live_range_reordering: false, ..Mode::default() })
        .unwrap();
    assert_map(&deps.flow, "{ A[] -> B[]; C[] -> D[] }");
    assert_map(&deps.dep_false, "{ A[] -> C[]; B[] -> C[] }");
    assert_map(&deps.tagged_order, "{ }");
    assert_map(&deps.forced, "{ }");
}

#[test]
fn a_kill_at_the_end_frees_the_last_write() {
    let kept = analyse(&samples::copy_through_scalar(ArrayKind::Memory, false));
    assert_map(&kept.may_live_out, "[n] -> { S[i] -> t[] : i = n - 1 and n >= 1; T[i] -> B[i] : 0 <= i < n }");
    assert_map(&kept.forced, "[n] -> { S[i] -> S[i'] : 0 <= i < i' = n - 1 }");
    let killed = analyse(&samples::copy_through_scalar(ArrayKind::Memory, true));
    assert_map(&killed.may_live_out, "[n] -> { T[i] -> B[i] : 0 <= i < n }");
    assert_map(&killed.forced, "{ }");
}

#[test]
fn kills_are_in_no_dependence() {
    let scop = samples::copy_through_scalar(ArrayKind::Memory, true);
    let kills = scop.kill_domain().unwrap();
    assert!(!kills.is_empty().unwrap());
    for mode in [true, false] {
        let deps = Dependences::compute(&scop, Mode { live_range_reordering: mode, ..Mode::default() }).unwrap();
        let all = deps.all().unwrap().union(deps.order().unwrap()).unwrap().union(deps.input(&scop).unwrap()).unwrap();
        let touched = all.clone().domain().unwrap().union(all.range().unwrap()).unwrap();
        assert!(!touched.is_empty().unwrap());
        assert!(touched.is_disjoint(&kills).unwrap());
    }
}

#[test]
fn a_kill_between_write_and_read_cuts_the_flow() {
    let order = sequence(&[("A[]", ""), ("E[]", ""), ("B[]", "")]);
    let scop = Sample::new("{ : }")
        .memory(&[("a", 0), ("x", 0)])
        .statement("{ A[] }", &[(W, "{ A[] -> a[] }")])
        .statement("{ E[] }", &[(K, "{ E[] -> a[] }")])
        .statement("{ B[] }", &[(R, "{ B[] -> a[] }"), (W, "{ B[] -> x[] }")])
        .order(&order, "{ x[] }");
    let deps = analyse(&scop);
    assert_map(&deps.flow, "{ }");
    assert_map(&deps.may_live_in, "{ }");
}

#[test]
fn may_writes_do_not_cut_and_keep_their_order() {
    let order = sequence(&[("A[]", ""), ("B[]", ""), ("C[]", "")]);
    let scop = Sample::new("{ : }")
        .memory(&[("a", 0), ("x", 0)])
        .statement("{ A[] }", &[(M, "{ A[] -> a[] }")])
        .statement("{ B[] }", &[(M, "{ B[] -> a[] }")])
        .statement("{ C[] }", &[(R, "{ C[] -> a[] }"), (W, "{ C[] -> x[] }")])
        .order(&order, "{ x[] }");
    let deps = analyse(&scop);
    assert_map(&deps.flow, "{ A[] -> C[]; B[] -> C[] }");
    assert_map(&deps.may_live_in, "{ C[] -> a[] }");
    assert_map(&deps.forced, "{ A[] -> B[] }");
}

#[test]
fn a_live_in_read_comes_before_the_write() {
    let order = sequence(&[("A[]", ""), ("B[]", "")]);
    let scop = Sample::new("{ : }")
        .memory(&[("a", 0), ("x", 0)])
        .statement("{ A[] }", &[(R, "{ A[] -> a[] }"), (W, "{ A[] -> x[] }")])
        .statement("{ B[] }", &[(W, "{ B[] -> a[] }")])
        .order(&order, "{ x[] }");
    let deps = analyse(&scop);
    assert_map(&deps.may_live_in, "{ A[] -> a[] }");
    assert_map(&deps.forced, "{ A[] -> B[] }");
    assert_map(&deps.may_live_out, "{ A[] -> x[] }");
}

#[test]
fn matmul_flows_along_the_reduction() {
    let deps = analyse(&samples::matmul());
    assert_map(
        &deps.flow,
        "[n] -> { S[i, j] -> T[i, j, 0] : 0 <= i, j < n; \
         T[i, j, k] -> T[i, j, k + 1] : 0 <= i, j < n and 0 <= k < n - 1 }",
    );
    assert_map(
        &deps.may_live_in,
        "[n] -> { T[i, j, k] -> A[i, k] : 0 <= i, j, k < n; T[i, j, k] -> B[k, j] : 0 <= i, j, k < n }",
    );
}

#[test]
fn input_dependences_are_the_next_reads_of_the_same_value() {
    let scop = samples::matmul();
    let input = analyse(&scop).input(&scop).unwrap();
    let expected = "[n] -> { T[i, j, k] -> T[i, j + 1, k] : 0 <= i, k < n and 0 <= j < n - 1; \
                    T[i, j, k] -> T[i + 1, j, k] : 0 <= j, k < n and 0 <= i < n - 1 }";
    assert_map(&input, expected);
}

#[test]
fn values_that_nobody_reads_are_dead_and_traps_are_not() {
    let build = |may_trap: bool| {
        Sample::new("[n] -> { : }")
            .memory(&[("a", 1), ("b", 1), ("x", 1)])
            .statement("[n] -> { P[i] : 0 <= i < n }", &[(W, "{ P[i] -> b[i] }")])
            .statement("[n] -> { S[i] : 0 <= i < n }", &[(R, "{ S[i] -> b[i] }"), (W, "{ S[i] -> a[i] }")])
            .with(|s| s.may_trap = may_trap)
            .statement("[n] -> { T[i] : 0 <= i < n }", &[(W, "{ T[i] -> x[i] }")])
            .order(
                &sequence(&[
                    ("P[i]", &band("P[i] -> [i]", "")),
                    ("S[i]", &band("S[i] -> [i]", "")),
                    ("T[i]", &band("T[i] -> [i]", "")),
                ]),
                "{ x[i] }",
            )
    };
    let scop = build(false);
    let dead = dead_instances(&scop, &analyse(&scop)).unwrap();
    let expected = UnionSet::parse(scop.ctx(), "[n] -> { P[i] : 0 <= i < n; S[i] : 0 <= i < n }").unwrap();
    assert!(dead.is_equal(&expected).unwrap(), "{dead}");
    let scop = build(true);
    assert!(dead_instances(&scop, &analyse(&scop)).unwrap().is_empty().unwrap());
}

#[test]
fn a_long_chain_of_live_values_is_widened_soundly() {
    // Only a[n] is seen, which needs a[n - 2], a[n - 4], ...: no finite number of steps ends.
    let scop = Sample::new("[n] -> { : n >= 2 }")
        .memory(&[("a", 1), ("b", 1)])
        .statement("[n] -> { S[i] : 2 <= i <= n }", &[(R, "{ S[i] -> a[i - 2] }"), (W, "{ S[i] -> a[i] }")])
        .statement("[n] -> { T[i] : 2 <= i <= n }", &[(W, "{ T[i] -> b[i] }")])
        .order(&sequence(&[("S[i]", &band("S[i] -> [i]", "")), ("T[i]", &band("T[i] -> [i]", ""))]), "[n] -> { a[n] }");
    let dead = dead_instances(&scop, &analyse(&scop)).unwrap();
    let needed = UnionSet::parse(scop.ctx(), "[n] -> { S[i] : 2 <= i <= n and (n - i) mod 2 = 0 }").unwrap();
    let unneeded = UnionSet::parse(scop.ctx(), "[n] -> { T[i] : 2 <= i <= n }").unwrap();
    assert!(dead.is_disjoint(&needed).unwrap(), "{dead}");
    assert!(unneeded.is_subset(&dead).unwrap(), "{dead}");
}

#[test]
fn private_candidates_have_no_value_from_outside_nor_for_it() {
    let scop = samples::copy_through_scalar(ArrayKind::Scalar, true);
    assert!(analyse(&scop).private_candidates(&scop).unwrap().contains("t"));
    let scop = samples::copy_through_scalar(ArrayKind::Scalar, false);
    assert!(analyse(&scop).private_candidates(&scop).unwrap().is_empty());
    let scop = samples::copy_through_scalar(ArrayKind::Memory, true);
    assert!(analyse(&scop).private_candidates(&scop).unwrap().is_empty());
}

#[test]
fn quota_is_reported_as_exhaustion() {
    let scop = samples::seidel_2d();
    let struck = scop.ctx().with_quota(1000, || Dependences::compute(&scop, Mode::default()).map(|_| ()));
    assert!(struck.unwrap_err().is_exhausted());
}

/// A statement sets or may set an array of one element, and another one adds to it; both may have run before.
fn restarts(first: &str) -> [bool; 2] {
    let ctx = Ctx::new();
    let text = format!(
        "scop: sum
parameters: [n]
context: \"[n] -> {{ : n >= 0 }}\"
arrays:
  c: {{ kind: memory, element: f64, extent: [] }}
statements:
  S:
    domain: \"[n] -> {{ S[] }}\"
    accesses:
      - {first} W: \"{{ S[] -> c[] }}\"
  T:
    domain: \"[n] -> {{ T[i] : 0 <= i < n }}\"
    accesses:
      - read R: \"{{ T[i] -> c[] }}\"
      - must_write V: \"{{ T[i] -> c[] }}\"
schedule:
  domain: \"[n] -> {{ S[]; T[i] : 0 <= i < n }}\"
  child:
    sequence:
      - filter: \"{{ S[] }}\"
      - filter: \"{{ T[i] }}\"
        child:
          schedule: \"[{{ T[i] -> [(i)] }}]\"
live_out: \"{{ c[] }}\"
"
    );
    let scop = Scop::parse(&ctx, &text).unwrap();
    let dependences = analyse(&scop);
    [0, 1].map(|id| dependences.can_start_over(&scop, &[StatementId(id)].into()).unwrap())
}

#[test]
fn a_region_starts_over_where_nothing_that_it_reads_was_overwritten() {
    assert_eq!(restarts("must_write"), [true, true]);
    // The sum may start from what was there before.
    assert_eq!(restarts("may_write"), [false, false]);
}

#[test]
fn what_has_an_effect_is_not_done_twice() {
    let mut scop = samples::live_ranges();
    let ran = [StatementId(0)].into();
    assert!(analyse(&scop).can_start_over(&scop, &ran).unwrap());
    scop.statements[0].side_effect = true;
    assert!(!analyse(&scop).can_start_over(&scop, &ran).unwrap());
}

/// Everything that is found in several ways is the same.
#[track_caller]
fn assert_same(one: &Dependences, other: &Dependences, what: &str) {
    let relations = |d: &Dependences| {
        [&d.flow, &d.tagged_flow, &d.dep_false, &d.tagged_order, &d.forced, &d.may_live_in, &d.may_live_out]
            .map(Clone::clone)
    };
    let names = ["flow", "tagged flow", "false", "order", "forced", "live in", "live out"];
    for ((a, b), name) in relations(one).iter().zip(relations(other).iter()).zip(names) {
        assert!(a.is_equal(b).unwrap(), "{what}: {name}:\n{a}\n{b}");
    }
}

#[test]
fn values_fields_and_single_arrays_are_as_in_an_analysis_of_all() {
    let (mut handed_on, mut fields) = (0, 0);
    let more = crate::regions::root().with_file_name("clustering/complex-three-addresses.scop");
    for file in crate::regions::files().into_iter().chain([more]) {
        let text = std::fs::read_to_string(&file).unwrap();
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        if scop.statements.len() > 40 {
            continue;
        }
        handed_on += HandedOn::of(&scop).unwrap().values.len();
        fields += fields::cut(&scop).unwrap().1.count();
        for live_range_reordering in [true, false] {
            let mode = Mode { live_range_reordering, ..Mode::default() };
            let all = Dependences::analysed(&scop, mode).unwrap();
            assert_same(&Dependences::by_parts(&scop, mode).unwrap(), &all, &file.display().to_string());
            assert_same(&Dependences::of_each_array(&scop, mode).unwrap(), &all, &file.display().to_string());
        }
    }
    assert!(handed_on > 10 && fields > 5, "{handed_on} values, {fields} fields");
}
