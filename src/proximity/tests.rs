use super::nearest::{Question, nearest};
use super::*;
use crate::dependence::samples::{self, M, R, Sample, W, band, sequence};
use crate::dependence::{Dependences, Mode};
use crate::isl::{Ctx, DimType, Map, UnionMap};
use crate::scop::ArrayKind;

/// A figure of the unified report.
fn figure(name: &str) -> Scop {
    let file = crate::regions::root().join("papers/zinenko2017").join(name).with_extension("scop");
    Scop::parse(&Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap()
}

fn proximity(scop: &Scop) -> Proximity {
    let found = Proximity::compute(scop, None, Line::default()).unwrap();
    assert_eq!(found.given_up, 0);
    found
}

impl Proximity {
    #[track_caller]
    fn of(&self, reference: &str) -> &ReferenceGroup {
        let with = |group: &&ReferenceGroup| group.references.iter().any(|name| name == reference);
        self.groups.iter().find(with).unwrap_or_else(|| panic!("no group has {reference}"))
    }
}

#[track_caller]
fn assert_pairs(actual: &UnionMap, expected: &str) {
    let expected = UnionMap::parse(actual.ctx(), expected).unwrap();
    assert!(actual.is_equal(&expected).unwrap(), "{actual} is not {expected}");
}

/// The distances between instances of one statement, a set for each; all others are left out.
fn distances(pairs: &UnionMap) -> Vec<crate::isl::Set> {
    let maps = pairs.map_list().unwrap().to_vec().unwrap();
    let own = |map: &Map| map.tuple_name(DimType::In).unwrap() == map.tuple_name(DimType::Out).unwrap();
    maps.into_iter().filter(own).map(|map| map.deltas().unwrap()).collect()
}

/// Each of these uses `{ S[i] -> X[x] }` of one statement with the next.
fn next(scop: &Scop, statement: &str, uses: UnionMap) -> UnionMap {
    let groups = std::collections::BTreeMap::from([(statement.to_owned(), 0)]);
    let question = Question { earlier: uses.clone(), later: uses, groups };
    let found = nearest(&[question], &scop.schedule, false).unwrap().found;
    found.into_iter().map(|(_, pairs)| pairs).reduce(|a, b| a.union(b).unwrap()).unwrap()
}

/// The pairs of lines' uses, elements of eight bytes, without any separation or completion.
fn plain_lines(scop: &Scop, statement: &str, array: &str) -> UnionMap {
    let text = "{ X[i] -> X[o] : 8o <= i < 8o + 8; X[i, j] -> X[i, o] : 8o <= j < 8o + 8 }".replace('X', array);
    let instances = scop.statement(scop.statement_by_name(statement).unwrap()).domain.clone().to_union_set().unwrap();
    let uses = scop.accesses(&[R, W]).unwrap().intersect_domain(instances).unwrap();
    next(scop, statement, uses.apply_range(UnionMap::parse(scop.ctx(), &text).unwrap()).unwrap())
}

#[test]
fn zinenko2017_figure_1_groups() {
    let found = proximity(&figure("figure01-matmul"));
    let table: Vec<_> = found.groups.iter().map(|g| (g.statement.0, g.array.as_str(), g.multiplicity)).collect();
    assert_eq!(table, [(0, "C", 1), (1, "C", 2), (1, "A", 1), (1, "B", 1)]);
    assert_eq!(found.of("R_r0").references, ["R_r0", "R_w0"]);
    let access = found.of("R_r2").access.clone().to_union_map().unwrap();
    assert_pairs(&access, "[N] -> { R[i, j, k] -> B[k, j] }");
}

#[test]
fn zinenko2017_figure_1_each_reference_is_reused_along_the_loop_it_leaves_out() {
    let found = proximity(&figure("figure01-matmul"));
    assert_pairs(
        &found.of("R_r0").temporal,
        "[N] -> { S[i, j] -> R[i, j, 0] : 0 <= i, j < N; R[i, j, k] -> R[i, j, k + 1] : 0 <= i, j < N and 0 <= k < N - 1 }",
    );
    assert_pairs(
        &found.of("R_r1").temporal,
        "[N] -> { R[i, j, k] -> R[i, j + 1, k] : 0 <= i, k < N and 0 <= j < N - 1 }",
    );
    assert_pairs(
        &found.of("R_r2").temporal,
        "[N] -> { R[i, j, k] -> R[i + 1, j, k] : 0 <= j, k < N and 0 <= i < N - 1 }",
    );
}

#[test]
fn zinenko2017_figure_1_lines_are_used_along_the_last_subscript_alone() {
    let scop = figure("figure01-matmul");
    let found = proximity(&scop);
    let along_j = "[N] -> { R[i, j, k] -> R[i, j + 1, k] : 0 <= i, j, k < N and j + 1 < N and (j + 1) mod 8 > 0 }";
    assert_pairs(&found.of("R_r0").spatial, along_j);
    assert_pairs(&found.of("R_r2").spatial, along_j);
    assert_pairs(
        &found.of("R_r1").spatial,
        "[N] -> { R[i, j, k] -> R[i, j, k + 1] : 0 <= i, j, k < N and k + 1 < N and (k + 1) mod 8 > 0 }",
    );
    // Without completion the end of a line is followed by its start with the next i (4.2).
    let plain = plain_lines(&scop, "R", "B");
    let back = UnionMap::parse(scop.ctx(), "[N] -> { R[0, 7, k] -> R[1, 0, k] : 0 <= k < N and N >= 8 }").unwrap();
    assert!(!back.is_empty().unwrap() && back.is_subset(&plain).unwrap(), "{plain}");
}

#[test]
fn zinenko2017_figure_2_patterns_are_separated() {
    let scop = figure("figure02-non-uniform");
    let found = proximity(&scop);
    let s1 = "[n] -> { S1[i, j] -> S1[i, j + 1] : n <= 42 and 0 < i < n and 0 <= j < n - 1 and (j + 1) mod 8 > 0 }";
    // B[i][j] and B[i-1][j] are one group, but of two patterns.
    assert_eq!(found.of("S1_r1").references, ["S1_r1", "S1_r2"]);
    assert_pairs(&found.of("S1_r1").spatial, s1);
    assert_pairs(&found.of("S1_r0").spatial, s1);
    let domain = "n <= 42 and 0 < i < n and 0 <= j < n and 0 <= k < n";
    let along_k = format!("[n] -> {{ S2[i, j, k] -> S2[i, j, k + 1] : {domain} and k < n - 1 and (k + 1) mod 8 > 0 }}");
    let along_j = format!("[n] -> {{ S2[i, j, k] -> S2[i, j + 1, k] : {domain} and j < n - 1 and (j + 1) mod 8 > 0 }}");
    assert_eq!((found.of("S2_r1").multiplicity, found.of("S2_r2").multiplicity), (1, 1));
    assert_pairs(&found.of("S2_r1").spatial, &along_k);
    assert_pairs(&found.of("S2_r2").spatial, &along_j);
    assert_pairs(&found.of("S2_r0").spatial, &along_j);
    // Without separation there are more: from B[i][j] to B[i-1][j] of the next i, from D[i][k] to D[i][j] of the next
    // j.
    for (statement, array, pair) in
        [("S1", "B", "S1[1, 15] -> S1[2, 8] : n = 42"), ("S2", "D", "S2[1, 7, 15] -> S2[1, 8, 0] : n = 42")]
    {
        let pair = UnionMap::parse(scop.ctx(), &format!("[n] -> {{ {pair} }}")).unwrap();
        let plain = plain_lines(&scop, statement, array);
        assert!(pair.is_subset(&plain).unwrap(), "{pair} is not in {plain}");
    }
}

#[test]
fn zinenko2017_figure_7_relations_of_a_statement_to_itself_are_uniform() {
    let scop = figure("figure07-lu");
    let flow = Dependences::compute(&scop, Mode::default()).unwrap().flow;
    assert!(distances(&flow).iter().any(|set| !set.is_singleton().unwrap()), "{flow}");
    let found = proximity(&scop);
    for group in &found.groups {
        assert!(distances(&group.temporal).iter().all(|set| set.is_singleton().unwrap()), "{}", group.temporal);
        assert!(distances(&group.spatial).iter().all(|set| set.is_singleton().unwrap()), "{}", group.spatial);
    }
    // Row i is written by S3 and then read by S3 at all later rows: only these reads are near each other.
    assert_pairs(
        &found.of("S3_r2").temporal,
        "[N] -> { S3[i, j, k] -> S3[i + 1, j, k] : 0 <= k < i and i + 1 <= j < N }",
    );
    assert_pairs(&found.of("S2_r0").temporal, "[N] -> { S1[i, j, j - 1] -> S2[i, j] : 0 < j < i < N }");
    // Nothing is next to a diagonal's element in its row.
    assert!(found.of("S2_r1").spatial.is_empty().unwrap());
}

#[test]
fn zinenko2017_figure_6_the_second_product_takes_over_from_the_first() {
    let found = proximity(&figure("figure06-2mm"));
    let table: Vec<_> = found.groups.iter().map(|g| (g.statement.0, g.array.as_str(), g.multiplicity)).collect();
    let second = [(2, "D", 2), (3, "D", 2), (3, "tmp", 1), (3, "C", 1)];
    assert_eq!(table, [&[(0, "tmp", 1), (1, "tmp", 2), (1, "A", 1), (1, "B", 1)][..], &second].concat());
    assert_pairs(
        &found.of("S4_r1").temporal,
        "[NI, NJ, NK, NL] -> { S2[i, j, NK - 1] -> S4[i, 0, j] : 0 <= i < NI and 0 <= j < NJ and NK > 0 and NL > 0; \
         S4[i, j, k] -> S4[i, j + 1, k] : 0 <= i < NI and 0 <= j < NL - 1 and 0 <= k < NJ and NK > 0 }",
    );
}

#[test]
fn the_order_of_the_loops_does_not_matter() {
    for order in [["i", "j", "k"], ["i", "k", "j"], ["j", "i", "k"], ["j", "k", "i"], ["k", "i", "j"], ["k", "j", "i"]]
    {
        let at = |step: &str| {
            format!(
                "T[{}]",
                order.map(|name| if name == step { format!("{name} + 1") } else { name.into() }).join(", ")
            )
        };
        let t = at("");
        let loops = order.iter().rev().fold(String::new(), |inner, name| band(&format!("{t} -> [{name}]"), &inner));
        let access = |element: &str| format!("{{ {t} -> {element} }}");
        let scop = Sample::new("[n] -> { : }")
            .memory(&[("A", 2), ("B", 2), ("C", 2)])
            .statement(
                &format!("[n] -> {{ {t} : 0 <= i, j, k < n }}"),
                &[(R, &access("A[i, k]")), (R, &access("B[k, j]")), (R, &access("C[i, j]")), (W, &access("C[i, j]"))],
            )
            .order(&loops, "{ C[i, j] }");
        let found = proximity(&scop);
        let to = |step: &str| format!("[n] -> {{ {t} -> {} : 0 <= i, j, k < n and {step} + 1 < n", at(step));
        let in_line = |step: &str| format!("{} and ({step} + 1) mod 8 > 0 }}", to(step));
        for (reference, time, space) in [("T_0", "j", "k"), ("T_1", "i", "j"), ("T_3", "k", "j")] {
            assert_pairs(&found.of(reference).temporal, &(to(time) + " }"));
            assert_pairs(&found.of(reference).spatial, &in_line(space));
        }
    }
}

/// `for i: S: read X at these subscripts`, with `i` between bounds.
fn walk(bounds: &str, subscripts: &[&str]) -> Scop {
    let accesses: Vec<String> = subscripts.iter().map(|s| format!("[n] -> {{ S[i] -> X[{s}] }}")).collect();
    let accesses: Vec<_> = accesses.iter().map(|text| (R, text.as_str())).collect();
    Sample::new("[n] -> { : }")
        .memory(&[("X", 1)])
        .statement(&format!("[n] -> {{ S[i] : {bounds} }}"), &accesses)
        .order(&band("S[i] -> [i]", ""), "{ X[i] }")
}

/// `for i, j: S: read X at these subscripts`.
fn nest(rank: usize, subscripts: &[&str]) -> Scop {
    let accesses: Vec<String> = subscripts.iter().map(|s| format!("{{ S[i, j] -> X[{s}] }}")).collect();
    let accesses: Vec<_> = accesses.iter().map(|text| (R, text.as_str())).collect();
    Sample::new("[n] -> { : }")
        .memory(&[("X", rank)])
        .statement("[n] -> { S[i, j] : 0 <= i, j < n }", &accesses)
        .order(&band("S[i, j] -> [i]", &band("S[i, j] -> [j]", "")), "{ }")
}

#[test]
fn lines_are_rounded_down_also_below_zero() {
    let found = proximity(&walk("-16 <= i < 16", &["i"]));
    assert_pairs(&found.of("S_0").spatial, "{ S[i] -> S[i + 1] : -16 <= i < 15 and not (i = -9 or i = -1 or i = 7) }");
}

#[test]
fn a_line_has_as_many_elements_as_fit() {
    let with =
        |bytes| Proximity::compute(&walk("0 <= i < 8", &["i"]), None, Line { bytes }).unwrap().groups.remove(0).spatial;
    assert_pairs(&with(32), "{ S[i] -> S[i + 1] : 0 <= i < 7 and i != 3 }");
    assert_pairs(&with(16), "{ S[i] -> S[i + 1] : 0 <= i < 7 and i mod 2 = 0 }");
    // One element, less, and nothing.
    for bytes in [15, 8, 4, 0] {
        assert_pairs(&with(bytes), "{ }");
    }
}

#[test]
fn strides_up_to_a_line_are_near() {
    let found = proximity(&walk("0 <= i < n", &["2i + 1"]));
    assert_pairs(&found.of("S_0").spatial, "[n] -> { S[i] -> S[i + 1] : 0 <= i < n - 1 and (i + 1) mod 4 > 0 }");
    // The report's A[5 i] for C = 4.
    let far = Proximity::compute(&walk("0 <= i < n", &["5i"]), None, Line { bytes: 32 }).unwrap();
    assert_pairs(&far.of("S_0").spatial, "{ }");
    let backwards = proximity(&walk("0 <= i < 16", &["-i"]));
    assert_pairs(&backwards.of("S_0").spatial, "{ S[i] -> S[i + 1] : 0 <= i < 15 and i != 0 and i != 8 }");
}

#[test]
fn lines_are_as_good_as_the_elements_in_them() {
    // Every second element of two pieces is accessed. The report's accesses to all of a line, cut off at what is
    // accessed.
    let scop = walk("0 <= i <= 6 or 9 <= i < 14", &["2i - 3"]);
    let uses = scop.reads().unwrap();
    let same_line = "{ X[a] -> X[b] : floor(a/8) = floor(b/8) }";
    let cut_off = UnionMap::parse(scop.ctx(), same_line).unwrap();
    let cut_off = uses.clone().apply_range(cut_off).unwrap().intersect_range(uses.range().unwrap()).unwrap();
    let expected = next(&scop, "S", cut_off);
    assert!(!expected.is_empty().unwrap());
    assert!(proximity(&scop).of("S_0").spatial.is_equal(&expected).unwrap());
}

#[test]
fn what_subscripts_leave_open_is_completed() {
    let spatial = |rank, subscripts: &str| proximity(&nest(rank, &[subscripts])).of("S_0").spatial.clone();
    // Tells both iterators: within a line i + j is fixed.
    assert_pairs(
        &spatial(2, "i + j, j"),
        "[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 0 < j < n and j mod 8 > 0 }",
    );
    assert_pairs(
        &spatial(1, "2i"),
        "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= j < n and 0 <= i < n - 1 and (i + 1) mod 4 > 0 }",
    );
    assert_pairs(
        &spatial(1, "i + j"),
        "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 and (i + j + 1) mod 8 > 0 }",
    );
    assert_pairs(&spatial(1, "0"), "{ }");
    assert_pairs(&spatial(2, "i, i"), "{ }");
    assert_pairs(&spatial(2, "j, 0"), "{ }");
}

#[test]
fn constants_of_the_last_subscript_alone_do_not_separate() {
    let found = proximity(&nest(2, &["i, j", "i, j + 2"]));
    assert_eq!(found.groups.len(), 1);
    assert_eq!(found.groups[0].multiplicity, 2);
    let spatial = &found.groups[0].spatial;
    // The line after is met by j + 2 first.
    assert_pairs(spatial, "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }");
    let found = proximity(&walk("0 <= i < 4", &["i", "i + n"]));
    assert_eq!(found.groups.len(), 2);
    let step = "[n] -> { S[i] -> S[i + 1] : 0 <= i < 3 and (i + 1 + n) mod 8 > 0 }";
    assert_pairs(&found.of("S_1").spatial, step);
}

/// `for i: S; for i: T`, with these accesses to arrays `X` and `p`, and bounds.
fn two_loops(x: (&str, &str), y: (&str, &str)) -> Scop {
    Sample::new("[n] -> { : }")
        .memory(&[("X", 1)])
        .statement(x.0, &[(W, x.1)])
        .statement(y.0, &[(R, y.1)])
        .order(&sequence(&[("S[i]", &band("S[i] -> [i]", "")), ("T[i]", &band("T[i] -> [i]", ""))]), "{ X[i] }")
}

#[test]
fn statements_share_a_pattern_by_the_position_of_iterators() {
    let even = ("{ S[i] : 0 <= i < 4 }", "{ S[i] -> X[2i] }");
    let found = proximity(&two_loops(even, ("{ T[i] : 0 <= i < 4 }", "{ T[i] -> X[2i + 1] }")));
    assert_pairs(&found.of("T_0").spatial, "{ T[i] -> T[i + 1] : 0 <= i < 3; S[3] -> T[0] }");
    assert_pairs(&found.of("T_0").temporal, "{ }");
    let found = proximity(&two_loops(even, ("{ T[i] : 0 <= i < 4 }", "{ T[i] -> X[i] }")));
    assert_pairs(&found.of("T_0").spatial, "{ T[i] -> T[i + 1] : 0 <= i < 3 }");
    assert_pairs(&found.of("T_0").temporal, "{ S[i] -> T[2i] : 0 <= i < 2 }");
}

#[test]
fn scalars_are_near_in_time_alone() {
    let found = proximity(&samples::row_filter());
    let scalars: Vec<&ReferenceGroup> = found.groups.iter().filter(|g| g.array == "p" || g.array == "v").collect();
    assert_eq!(scalars.len(), 6);
    assert!(scalars.iter().all(|g| g.spatial.is_empty().unwrap()));
    assert_pairs(&found.of("Y_0").temporal, "[n] -> { V[i, j] -> Y[i, j] : 0 <= i, j < n }");
    assert_pairs(&found.of("P_0").temporal, "[n] -> { Y[i, j] -> P[i, j] : 0 <= i, j < n }");
    // From one row to the next the distance depends on n.
    let found = proximity(&nest(0, &[""]));
    assert_pairs(&found.of("S_0").temporal, "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }");
}

#[test]
fn what_is_not_affine_has_no_neighbours_in_space() {
    let found = proximity(&walk("0 <= i < n", &["floor(i/2)", "i mod 3"]));
    assert_eq!(found.groups.len(), 2);
    for group in &found.groups {
        assert_eq!(group.multiplicity, 1);
        assert!(group.spatial.is_empty().unwrap());
    }
    assert_pairs(&found.of("S_0").temporal, "[n] -> { S[i] -> S[i + 1] : 0 <= i < n - 1 and i mod 2 = 0 }");
    assert_pairs(&found.of("S_1").temporal, "[n] -> { S[i] -> S[i + 3] : 0 <= i < n - 3 }");
    // A piece each, and still one function.
    let found = proximity(&walk("0 <= i < 4 or 8 <= i < 10", &["o] : o = i or (i >= 20 and o = 3); S[i] -> X[i"]));
    assert_eq!(found.groups.len(), 1);
    assert!(!found.groups[0].spatial.is_empty().unwrap());
}

#[test]
fn a_reference_to_several_elements_is_left_out() {
    let scop = Sample::new("[n] -> { : }")
        .memory(&[("X", 1)])
        .statement(
            "[n] -> { S[i] : 0 <= i < n }",
            &[(R, "{ S[i] -> X[i] }"), (M, "[n] -> { S[i] -> X[a] : 0 <= a < n }"), (M, "{ S[i] -> X[i + 1] }")],
        )
        .order(&band("S[i] -> [i]", ""), "{ X[i] }");
    let found = proximity(&scop);
    assert_eq!(found.groups.len(), 1);
    assert_eq!(found.groups[0].references, ["S_0", "S_2"]);
    assert_pairs(&found.groups[0].temporal, "[n] -> { S[i] -> S[i + 1] : 0 <= i < n - 1 }");
}

#[test]
fn dead_instances_and_kills_do_not_count() {
    let scop = walk("0 <= i < 8", &["i"]);
    let dead = UnionSet::parse(scop.ctx(), "{ S[i] : 2 <= i <= 3 }").unwrap();
    let found = Proximity::compute(&scop, Some(&dead), Line::default()).unwrap();
    assert_pairs(&found.groups[0].spatial, "{ S[0] -> S[1]; S[1] -> S[4]; S[i] -> S[i + 1] : 4 <= i < 7 }");
    let all = UnionSet::parse(scop.ctx(), "{ S[i] }").unwrap();
    assert!(Proximity::compute(&scop, Some(&all), Line::default()).unwrap().groups.is_empty());
    let killed = proximity(&samples::copy_through_scalar(ArrayKind::Scalar, true));
    let kept = proximity(&samples::copy_through_scalar(ArrayKind::Scalar, false));
    assert_eq!(killed.groups.len(), kept.groups.len());
}

#[test]
fn every_region_gives_the_same_twice_and_keeps_to_the_original_order() {
    for file in crate::regions::files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        let found = proximity(&scop);
        let again = proximity(&Scop::parse(&Ctx::new(), &text).unwrap());
        assert_eq!(found.to_text().unwrap(), again.to_text().unwrap(), "{}", file.display());
        let order = crate::isl::UnionMap::empty(scop.context.space().unwrap()).unwrap();
        let order = order.union(scop.schedule.map().unwrap()).unwrap();
        let before = order.clone().lex_lt_union_map(order).unwrap();
        for group in &found.groups {
            let all = group.temporal.clone().union(group.spatial.clone()).unwrap();
            assert!(all.is_subset(&before).unwrap(), "{}: {all}", file.display());
        }
    }
}
