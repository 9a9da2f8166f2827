//! Decoupled fusion and permutation (`src/schedule/decoupled`) on whole kernels: trees are legal by both judges, and
//! those of a few kernels have the bands that the paper's tool gives them.

use crate::regions::below;
use crate::schedules::{Making, complaints, constraints_of_region, read, test_file};
use polyrs::isl::{Ctx, NodeType, Schedule};
use polyrs::schedule::{Event, Strategy, schedule_explained, schedule_or_serialize};
use polyrs::scop::Scop;

const MODES: [Making; 2] = [
    Making { live_range_reordering: true, remove_dead: false, input: true },
    Making { live_range_reordering: false, remove_dead: false, input: true },
];

/// What is found for a kernel, and what was decided.
fn found(kernel: &str) -> (Schedule, Vec<Event>) {
    let ctx = Ctx::new();
    let file = test_file(&format!("polybench/scop/{kernel}.scop"));
    let constraints = constraints_of_region(&ctx, &file, MODES[0]);
    let mut events = Vec::new();
    let mut observer = |event: Event| events.push(event);
    let tree = schedule_explained(&constraints, &[], &Strategy::pluto_lp_dfp(), &mut observer).unwrap();
    (tree, events)
}

/// The flags of each outermost band: permutable, and coincident members.
fn bands(tree: &Schedule) -> Vec<(bool, Vec<bool>)> {
    let mut bands = Vec::new();
    tree.root()
        .unwrap()
        .for_each_descendant_top_down(&mut |node| {
            if node.node_type()? != NodeType::Band {
                return Ok(true);
            }
            bands.push((node.band_permutable()?, node.band_coincident()?));
            Ok(false)
        })
        .unwrap();
    bands
}

#[test]
fn trees_of_all_kernels_are_legal() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in below(&test_file("polybench/scop")) {
        for making in MODES {
            let ctx = Ctx::new();
            let scop = Scop::parse(&ctx, &read(&file)).unwrap();
            let constraints = constraints_of_region(&ctx, &file, making);
            let place = format!("{}: {making:?}", file.display());
            let mut fallback = None;
            let mut observer = |event: Event| {
                if let Event::Fallback { reason } = event {
                    fallback = Some(reason);
                }
            };
            let tree = match schedule_or_serialize(&constraints, &[], &Strategy::pluto_lp_dfp(), &mut observer) {
                Ok(tree) => tree,
                Err(error) => {
                    wrong.push(format!("{place}: {error}"));
                    continue;
                }
            };
            count += 1;
            wrong.extend(fallback.map(|reason| format!("{place}: {reason}")));
            let complaints = complaints(&constraints, &scop, &tree).into_iter();
            wrong.extend(complaints.map(|complaint| format!("{place}: {complaint}\n{tree}")));
        }
    }
    assert!(wrong.is_empty() && count >= 60, "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_product_has_a_band_of_three_with_two_coincident_members() {
    let (tree, _) = found("gemm");
    let sum = bands(&tree).into_iter().find(|(_, coincident)| coincident.len() == 3);
    let (permutable, coincident) = sum.unwrap_or_else(|| panic!("{tree}"));
    assert!(permutable && coincident.iter().filter(|coincident| **coincident).count() == 2, "{tree}");
}

#[test]
fn stencils_are_skewed_into_one_band() {
    for (kernel, members) in [("jacobi-1d", 2), ("jacobi-2d", 3), ("heat-3d", 4), ("fdtd-2d", 3), ("seidel-2d", 3)] {
        let (tree, events) = found(kernel);
        assert_eq!(bands(&tree), [(true, vec![false; members])], "{kernel}: {tree}");
        let is_skewed = |event: &Event| {
            matches!(event, Event::Member { origin, .. } if origin.problem == "hyperplane, skewed"
                && origin.failed == ["hyperplane"])
        };
        assert_eq!(events.iter().filter(|event| is_skewed(event)).count(), members - 1, "{kernel}: {events:?}");
    }
}

#[test]
fn products_that_follow_each_other_share_loops_as_with_integers() {
    let (tree, events) = found("2mm");
    assert_eq!(bands(&tree), [(true, vec![true, true]), (true, vec![true, false])], "{tree}");
    assert!(tree.to_string().contains("S1[i0, i1, i2] -> [(i1)]; S3[i0, i1, i2] -> [(i2)]"), "{tree}");
    assert!(!events.iter().any(|event| matches!(event, Event::Carried { .. })), "{events:?}");
}
