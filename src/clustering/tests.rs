//! Decisions on the papers' examples, and what macro-statements have of their statements.

use super::{Clustering, Decision, Quotient, valid};
use crate::dependence::{Dependences, Mode};
use crate::isl::{Ctx, ScheduleConstraints};
use crate::schedule;
use crate::schedule_tree::Positions;
use crate::scop::Scop;
use std::path::Path;

fn region(ctx: &Ctx, file: &str) -> Scop {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/scop").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Scop::parse(ctx, &text).unwrap()
}

fn constraints(scop: &Scop, live_range_reordering: bool) -> ScheduleConstraints {
    let dependences = Dependences::compute(scop, Mode { live_range_reordering, ..Mode::default() }).unwrap();
    schedule::constraints(scop, &dependences, None).unwrap()
}

/// The decision as text, clusters apart by `/`.
fn decided(file: &str, clustering: &Clustering) -> String {
    let ctx = Ctx::new();
    let scop = region(&ctx, file);
    let both = [true, false].map(|reordering| {
        let clusters = clustering.decide(&scop, &constraints(&scop, reordering)).unwrap();
        clusters.decision.to_string().trim().replace('\n', " / ")
    });
    assert_eq!(both[0], both[1], "live ranges that may be reordered make no difference");
    both[0].clone()
}

#[test]
fn basic_blocks_are_those_of_figure_5() {
    let file = "papers/baghdadi2020/figure05-basic-blocks.scop";
    assert_eq!(decided(file, &Clustering::BasicBlock), "S0 S1 / S2 S3");
    assert_eq!(decided(file, &Clustering::None), "");
}

#[test]
fn blocks_that_follow_each_other_stay_apart() {
    let ctx = Ctx::new();
    let mut scop = region(&ctx, "papers/baghdadi2020/figure01-temporaries.scop");
    scop.statements[2].block = Some(1);
    scop.statements[3].block = Some(1);
    let decision = Clustering::BasicBlock.decide(&scop, &constraints(&scop, true)).unwrap().decision;
    assert_eq!(decision.to_string(), "S1 S2\nS3 S4\n");
}

#[test]
fn dist_has_two_dense_components_in_one_block() {
    let file = "papers/baghdadi2020/figure11-dist.scop";
    assert_eq!(decided(file, &Clustering::BasicBlock), "S0 S1 S2 S3");
    assert_eq!(decided(file, &Clustering::Scc), "S0 S1 / S2 S3");
}

#[test]
fn a_copy_through_a_scalar_is_dense() {
    assert_eq!(decided("papers/baghdadi2020/appendix-copy.scop", &Clustering::Scc), "S1 S2");
}

#[test]
fn what_is_not_convex_is_refused() {
    let ctx = Ctx::new();
    let scop = region(&ctx, "papers/baghdadi2020/figure04-not-convex.scop");
    let (constraints, positions) = (constraints(&scop, false), Positions::of(&scop.schedule).unwrap());
    let valid = |text: &str| {
        let decision: Decision = text.parse().unwrap();
        valid(decision, &constraints, &positions).unwrap().to_string()
    };
    assert_eq!(valid("S1 S3"), "");
    assert_eq!(valid("S1 S2"), "S1 S2\n");
    assert_eq!(valid("S1 S2 S3"), "S1 S2 S3\n");
}

#[test]
fn figure_1_has_three_relations_between_two_macro_statements() {
    let ctx = Ctx::new();
    let scop = region(&ctx, "papers/baghdadi2020/figure01-temporaries.scop");
    let (constraints, positions) = (constraints(&scop, false), Positions::of(&scop.schedule).unwrap());
    let edges = |constraints: &ScheduleConstraints| constraints.validity().unwrap().n_map().unwrap();
    let decision: Decision = "S1 S2\nS3 S4".parse().unwrap();
    let quotient = Quotient::new(&constraints, &positions, &decision).unwrap();
    assert_eq!(quotient.constraints().domain().unwrap().n_set().unwrap(), 2);
    assert_eq!((edges(&constraints), edges(quotient.constraints())), (7, 3));
}

#[test]
fn chains_are_those_of_the_report() {
    assert_eq!(decided("papers/verdoolaege2017/listing24-covariance.scop", &Clustering::Chains), "S7 S8");
    assert_eq!(decided("papers/verdoolaege2017/listing25-nussinov.scop", &Clustering::Chains), "A B");
    assert_eq!(decided("papers/verdoolaege2017/listing23-deriche.scop", &Clustering::Chains), "S1 S2 S3 S4 S5");
}
