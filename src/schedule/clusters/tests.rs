//! Which components are combined, and why others are not.

use crate::isl::{Ctx, Schedule, ScheduleConstraints};
use crate::schedule::{Event, Fusion, Strategy, WhyApart, schedule};

/// The tree, and the refusals with the statements that would have shared a band.
fn run(constraints: &str, strategy: &Strategy) -> (Schedule, Vec<(Vec<String>, WhyApart)>) {
    let constraints = ScheduleConstraints::parse(&Ctx::new(), constraints).unwrap();
    let mut refusals = Vec::new();
    let mut observe = |event| {
        if let Event::NotCombined { statements, refusal, .. } = event {
            let mut statements: Vec<String> = statements;
            statements.sort();
            refusals.push((statements, refusal));
        }
    };
    let tree = schedule(&constraints, strategy, &mut observe).unwrap();
    (tree, refusals)
}

/// The number of bands and the numbers of members, from the root on.
fn bands(tree: &Schedule) -> Vec<usize> {
    let mut bands = Vec::new();
    let root = tree.root().unwrap();
    root.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == crate::isl::NodeType::Band {
            bands.push(node.band_coincident()?.len());
        }
        Ok(true)
    })
    .unwrap();
    bands
}

fn constraints(domain: &str, validity: &str, proximity: &str) -> String {
    let (domain, validity, proximity) = (quoted(domain), quoted(validity), quoted(proximity));
    format!("{{ domain: {domain}, validity: {validity}, coincidence: {validity}, proximity: {proximity} }}")
}

fn quoted(text: &str) -> String {
    format!("\"[n] -> {{ {text} }}\"")
}

/// Domain, validity, proximity.
const TRMM: [&str; 3] = [
    "A[i, j, k] : i >= 0 and 0 <= j < n and i < k < n; B[i, j] : 0 <= i < n and 0 <= j < n",
    "A[i, j, k] -> A[i, j, k + 1] : i >= 0 and 0 <= j < n and i < k < n - 1; \
     A[i, j, k] -> A[k, j, l] : i >= 0 and 0 <= j < n and i < k < l < n; \
     A[i, j, n - 1] -> B[i, j] : 0 <= i < n - 1 and 0 <= j < n; \
     A[i, j, k] -> B[k, j] : i >= 0 and 0 <= j < n and i < k < n",
    "A[i, j, k] -> A[i, j, k + 1] : i >= 0 and 0 <= j < n and i < k < n - 1; \
     A[i, j, n - 1] -> B[i, j] : 0 <= i < n - 1 and 0 <= j < n",
];

#[test]
fn verdoolaege2017_example_21_no_coincident_member_is_lost() {
    let text = constraints(TRMM[0], TRMM[1], TRMM[2]);
    let keep = Strategy { maximize_coincidence: true, ..Strategy::isl_defaults() };
    let (tree, refusals) = run(&text, &keep);
    assert_eq!(bands(&tree), [3, 2], "{tree}");
    let all = vec!["A".to_owned(), "B".to_owned()];
    assert!(
        refusals.iter().any(|(s, r)| *s == all && matches!(r, WhyApart::FewerCoincident { coincident: 1, alone: 2 })),
        "{refusals:?}"
    );
    // Without the aim, the coincident member is given up.
    let (tree, refusals) = run(&text, &Strategy::isl_defaults());
    assert_eq!(bands(&tree), [3], "{refusals:?} {tree}");
}

#[test]
fn components_without_proximity_stay_apart() {
    let domain = "S[i] : 0 <= i < n; T[i] : 0 <= i < n";
    let (tree, refusals) = run(&constraints(domain, "S[i] -> T[i]", ""), &Strategy::isl_defaults());
    assert_eq!(bands(&tree), [1, 1]);
    assert!(refusals.is_empty());
    let (tree, _) = run(&constraints(domain, "S[i] -> T[i]", "S[i] -> T[i]"), &Strategy::isl_defaults());
    assert_eq!(bands(&tree), [1]);
}

#[test]
fn all_that_is_between_two_components_is_combined_with_them() {
    let domain = "A[i] : 0 <= i < n; B[i] : 0 <= i < n; C[i] : 0 <= i < n; D[i] : 0 <= i < n";
    let far = "A[i] -> D[j] : 0 <= i < n and 0 <= j < n";
    let validity = format!("A[i] -> B[i]; B[i] -> C[i]; {far}");
    let (tree, refusals) = run(&constraints(domain, &validity, &format!("A[i] -> C[i]; {far}")), &Strategy::ppcg());
    // A, B and C, beside D.
    assert_eq!(bands(&tree), [1, 1], "{tree}");
    let all = ["A", "B", "C", "D"].map(str::to_owned).to_vec();
    assert_eq!(refusals, [(all, WhyApart::NoMember)]);
}

#[test]
fn refusals_have_reasons() {
    let domain = "S[i] : 0 <= i < n; T[i] : 0 <= i < n";
    let all = "S[i] -> T[j] : 0 <= i < n and 0 <= j < n";
    let first = |strategy: &Strategy, validity: &str, proximity: &str| {
        let (tree, refusals) = run(&constraints(domain, validity, proximity), strategy);
        assert_eq!(bands(&tree), [1, 1], "{tree}");
        refusals[0].1
    };
    // Each of T after each of S: possible, but without any locality.
    assert_eq!(first(&Strategy::isl_defaults(), all, all), WhyApart::LongDistances);
    // No coincident member.
    assert_eq!(first(&Strategy::ppcg(), all, all), WhyApart::NoMember);
    let keep = Strategy { maximize_coincidence: true, ..Strategy::isl_defaults() };
    assert_eq!(first(&keep, all, all), WhyApart::FewerCoincident { coincident: 0, alone: 1 });
}

#[test]
fn what_was_refused_is_not_tried_again_with_more() {
    let domain = "S[i] : 0 <= i < n; T[i] : 0 <= i < n; U[i] : 0 <= i < n";
    // S and T do not fit, and U is after both.
    let all = |from: &str, to: &str| format!("{from}[i] -> {to}[j] : 0 <= i < n and 0 <= j < n");
    let validity = [all("S", "T"), all("T", "U"), all("S", "U")].join("; ");
    let (tree, refusals) = run(&constraints(domain, &validity, &validity), &Strategy::ppcg());
    assert_eq!(bands(&tree), [1, 1, 1]);
    let all = vec!["S".to_owned(), "T".to_owned(), "U".to_owned()];
    assert!(refusals.contains(&(all, WhyApart::TriedBefore)), "{refusals:?}");
    assert_eq!(refusals.len(), 3);
}

#[test]
fn single_producers_join_after_all_others() {
    // T reads one value of S in all instances: the distance is long, but S has a single instance.
    let domain = "S[] ; T[i] : 0 <= i < n";
    let used = "S[] -> T[i] : 0 <= i < n";
    let (tree, refusals) = run(&constraints(domain, used, used), &Strategy::isl_defaults());
    assert_eq!(bands(&tree), [1], "{tree}");
    assert!(refusals.is_empty(), "{refusals:?}");
}

#[test]
fn serialized_components_are_never_combined() {
    let text = constraints(TRMM[0], TRMM[1], TRMM[2]);
    let (tree, refusals) = run(&text, &Strategy { fusion: Fusion::None, ..Strategy::isl_defaults() });
    assert_eq!(bands(&tree), [3, 2]);
    assert!(refusals.is_empty());
}
