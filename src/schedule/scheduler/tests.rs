//! Our schedules against isl's with the same options, and before the checker.

use super::*;
use crate::check::legality::{Assumptions, check};
use crate::dependence::{Dependences, Mode};
use crate::isl::{Ctx, NodeType};
use crate::regions;
use crate::schedule::{IslOptions, constraints, isl_schedule};
use crate::scop::Scop;
use std::path::PathBuf;

/// The regions of the test suite.
fn scops(ctx: &Ctx) -> Vec<(PathBuf, Scop)> {
    let parse = |path: PathBuf| {
        let scop = Scop::parse(ctx, &std::fs::read_to_string(&path).unwrap()).unwrap();
        (path, scop)
    };
    regions::files().into_iter().map(parse).collect()
}

fn ours(constraints: &ScheduleConstraints, strategy: &Strategy) -> Result<Schedule> {
    schedule(constraints, strategy, &mut |_| ())
}

/// Kinds of nodes, bands with their coincident flags, parents first.
fn shape(tree: &Schedule) -> Vec<(NodeType, Vec<bool>)> {
    let mut shape = Vec::new();
    let root = tree.root().unwrap();
    root.for_each_descendant_top_down(&mut |node| {
        let kind = node.node_type()?;
        let coincident = if kind == NodeType::Band { node.band_coincident()? } else { Vec::new() };
        shape.push((kind, coincident));
        Ok(true)
    })
    .unwrap();
    shape
}

/// The regions whose tree has another shape than isl's, and how many regions there are. All trees are legal, or isl's
/// is not either.
fn compare(options: IslOptions) -> (Vec<String>, usize) {
    let strategy = Strategy::from(options);
    let ctx = Ctx::new();
    let (mut other, mut all) = (Vec::new(), 0);
    for (path, scop) in scops(&ctx) {
        let dependences = Dependences::compute(&scop, Mode { live_range_reordering: true, ..Mode::default() }).unwrap();
        let constraints = constraints(&scop, &dependences, None).unwrap();
        let Ok(theirs) = ctx.with_quota(1_000_000, || isl_schedule(constraints.clone(), options)) else { continue };
        let ours = ours(&constraints, &strategy).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        all += 1;
        if shape(&ours) != shape(&theirs) {
            other.push(format!("{}: ours\n{ours}\nisl's\n{theirs}", path.display()));
        }
        if let Err(error) = check(&scop, &ours, &Assumptions::default()) {
            // isl's may be illegal as well: live ranges from one component to another are not seen.
            assert!(check(&scop, &theirs, &Assumptions::default()).is_err(), "{}: {error}\n{ours}", path.display());
        }
    }
    (other, all)
}

#[test]
fn whole_components_are_scheduled_as_by_isl() {
    let (other, all) = compare(IslOptions { whole_component: true, ..IslOptions::isl() });
    // Which components a band without solution is cut between is a heuristic, and ours sees another proof.
    assert!(other.len() <= 2 && all > 30, "{} of {all}: {}", other.len(), other.join("\n"));
}

#[test]
fn serialized_components_are_scheduled_as_by_isl() {
    let (other, all) = compare(IslOptions { serialize_sccs: true, ..IslOptions::isl() });
    assert!(other.is_empty() && all > 30, "{} of {all}: {}", other.len(), other.join("\n"));
}

#[test]
fn components_are_combined_as_by_isl() {
    let isl = IslOptions::isl();
    let most = IslOptions { maximize_coincidence: true, maximize_band_depth: true, ..isl };
    for options in [isl, most, IslOptions { outer_coincidence: true, ..most }] {
        let (other, all) = compare(options);
        // In nussinov, isl does not see that some relations are empty after the first band, and combines one statement
        // more.
        assert!(other.len() <= 1 && all > 30, "{} of {all}: {}", other.len(), other.join("\n"));
    }
}
