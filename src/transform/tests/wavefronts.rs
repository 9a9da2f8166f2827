//! Wavefronts: what they make coincident, and where there are none.

use super::*;

/// The coincidence constraints between instances that what is around a band leaves together.
fn together(constraints: &ScheduleConstraints, band: &ScheduleNode) -> UnionMap {
    constraints.coincidence().unwrap().eq_at(band.prefix_schedule().unwrap()).unwrap()
}

/// No constraint among those connects two values of a band's member, though there are some.
pub(super) fn is_coincident(constraints: &ScheduleConstraints, band: &ScheduleNode, member: usize) -> bool {
    let member = Band::read(band).unwrap().members[member].clone();
    let member = crate::isl::MultiUnionPwAff::from_union_pw_aff(member).unwrap();
    let together = together(constraints, band);
    assert!(!together.is_empty().unwrap());
    together.is_subset(&together.clone().eq_at(member).unwrap()).unwrap()
}

pub(super) fn under<'a>(bands: &'a [ScheduleNode], marks: &[Mark]) -> &'a ScheduleNode {
    bands.iter().find(|band| marks_above(band).unwrap() == marks).unwrap()
}

#[test]
fn a_wavefront_makes_the_second_tile_member_coincident() {
    for scop in [samples::seidel_2d(), samples::jacobi_1d()] {
        let Scheduled { deps, constraints, tree } = scheduled(&scop, false);
        for sizes in [TileSizes::default(), TileSizes::new(&[4, 6])] {
            let tiled = tile(&tree, &sizes).unwrap();
            let skewed = wavefront(&tiled, &constraints, &sizes, 1).unwrap();
            assert_eq!(count(&skewed, &Mark::Wavefront), 1, "{skewed}");
            assert!(keeps(&skewed, &deps.flow));
            assert!(keeps(&skewed, &deps.forced));
            let all = bands(&skewed);
            let second = under(&all, &[Mark::TILE]);
            assert!(second.band_member_coincident(0).unwrap());
            assert!(is_coincident(&constraints, second, 0));
        }
    }
}

#[test]
fn a_wavefront_is_left_out_where_a_member_is_coincident() {
    let Scheduled { constraints, tree, .. } = scheduled(&samples::matmul(), true);
    let sizes = TileSizes::default();
    let tiled = tile(&tree, &sizes).unwrap();
    let same = wavefront(&tiled, &constraints, &sizes, 1).unwrap();
    assert!(same.plain_is_equal(&tiled).unwrap());
}

#[test]
fn a_wavefront_is_left_out_where_a_constraint_goes_backwards() {
    let Scheduled { constraints, tree, .. } = scheduled(&samples::seidel_2d(), false);
    let sizes = TileSizes::default();
    let tiled = tile(&tree, &sizes).unwrap();
    let backwards = UnionMap::parse(tree.ctx(), "{ S[t, i, j] -> S[t + 1, i - 9, j] }").unwrap();
    let more = constraints.coincidence().unwrap().union(backwards).unwrap();
    let same = wavefront(&tiled, &constraints.set_coincidence(more).unwrap(), &sizes, 1).unwrap();
    assert_eq!(count(&same, &Mark::Wavefront), 0, "{same}");
}

#[test]
fn a_sum_of_more_members_makes_more_of_them_coincident() {
    let Scheduled { deps, constraints, tree } = scheduled(&samples::seidel_2d(), false);
    for sizes in [TileSizes::new(&[4, 6, 3]), TileSizes::nested(&[vec![8, 12, 9], vec![4]])] {
        let tiled = tile(&tree, &sizes).unwrap();
        // A band of three members has two degrees of pipelined parallelism.
        for (degrees, expected) in [(0, None), (1, Some([true, false])), (2, Some([true; 2])), (9, Some([true; 2]))] {
            let skewed = wavefront(&tiled, &constraints, &sizes, degrees).unwrap();
            assert_eq!(count(&skewed, &Mark::Wavefront), usize::from(expected.is_some()), "{skewed}");
            assert!(keeps(&skewed, &deps.flow) && keeps(&skewed, &deps.forced), "{skewed}");
            let Some(expected) = expected else { continue };
            let level = sizes.levels().next().unwrap();
            let all = bands(&skewed);
            let rest = under(&all, &[Mark::Tile { level }]);
            assert_eq!(rest.band_coincident().unwrap(), expected);
            let really = [0, 1].map(|member| is_coincident(&constraints, rest, member));
            assert_eq!(really, expected, "{skewed}");
        }
    }
}

/// The unified report's partner (4.7) is the innermost member, which comes right after the sum then.
#[test]
fn the_partner_may_be_the_innermost_member() {
    let Scheduled { deps, constraints, tree } = scheduled(&samples::seidel_2d(), false);
    let sizes = TileSizes::new(&[4, 6, 3]);
    let tiled = tile(&tree, &sizes).unwrap();
    let of = |partner, degrees| {
        let skewed = wavefront(&tiled, &constraints, &sizes, Fronts { degrees, partner }).unwrap();
        assert!(keeps(&skewed, &deps.flow) && keeps(&skewed, &deps.forced), "{skewed}");
        skewed
    };
    let members = |tree: &Schedule, marks: &[Mark]| {
        let band = Band::read(under(&bands(tree), marks)).unwrap();
        band.members.iter().map(|member| member.to_string()).collect::<Vec<_>>()
    };
    let before = members(&tiled, &[Mark::TILE]);
    assert_eq!(before.len(), 3);
    let (next, innermost) = (of(WavefrontPartner::Next, 1), of(WavefrontPartner::Innermost, 1));
    for (skewed, order) in [(&next, [1, 2]), (&innermost, [2, 1])] {
        assert_eq!(members(skewed, &[Mark::TILE]), order.map(|member| before[member].clone()));
        let all = bands(skewed);
        let rest = under(&all, &[Mark::TILE]);
        assert_eq!(rest.band_coincident().unwrap(), [true, false]);
        assert_eq!([0, 1].map(|member| is_coincident(&constraints, rest, member)), [true, false], "{skewed}");
    }
    // Which member it is, decides which fronts there are.
    let front = |tree: &Schedule| bands(tree)[0].band_partial_schedule().unwrap().to_string();
    assert_ne!(front(&next), front(&innermost));
    // With as many degrees as there are there is no choice.
    assert!(of(WavefrontPartner::Next, 2).plain_is_equal(&of(WavefrontPartner::Innermost, 2)).unwrap());
}

#[test]
fn members_count_as_far_as_no_constraint_goes_backwards() {
    let Scheduled { constraints, tree, .. } = scheduled(&samples::seidel_2d(), false);
    // Forwards along t and t + i.
    let backwards = UnionMap::parse(tree.ctx(), "{ S[t, i, j] -> S[t + 1, i, j - 9] }").unwrap();
    let more = constraints.coincidence().unwrap().union(backwards).unwrap();
    let sizes = TileSizes::new(&[4]);
    let constraints = constraints.set_coincidence(more).unwrap();
    let skewed = wavefront(&tile(&tree, &sizes).unwrap(), &constraints, &sizes, 2).unwrap();
    let all = bands(&skewed);
    assert_eq!(under(&all, &[Mark::TILE]).band_coincident().unwrap(), [true, false], "{skewed}");
}

#[test]
fn points_have_wavefronts_too() {
    let scop = samples::seidel_2d();
    let Scheduled { deps, constraints, tree } = scheduled(&scop, false);
    let skewed = wavefront_of_points(&tree, &constraints, 2).unwrap();
    assert!(keeps(&skewed, &deps.flow) && keeps(&skewed, &deps.forced), "{skewed}");
    let all = bands(&skewed);
    assert_eq!(all.len(), 2);
    assert_eq!(marks_above(&all[0]).unwrap(), [Mark::Wavefront]);
    assert_eq!(all[1].band_coincident().unwrap(), [true, true]);
    assert!(together(&constraints, &all[1]).is_empty().unwrap());
    // The sum is a loop around points, so that what is below can be ordered.
    let above = crate::schedule_tree::band::point_members_above(&all[1]).unwrap();
    assert_eq!(above.len(), 1);
    assert!(keeps(&interchange(&scop, &skewed, &Machine::generic()).unwrap(), &deps.flow));
    let Scheduled { constraints, tree, .. } = scheduled(&samples::matmul(), true);
    assert!(wavefront_of_points(&tree, &constraints, 2).unwrap().plain_is_equal(&tree).unwrap());
}
