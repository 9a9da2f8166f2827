//! What becomes kernels on a GPU.

use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::Ctx;
use polyrs::proximity::{Line, Proximity};
use polyrs::schedule::{Strategy, constraints, schedule_groups};
use polyrs::scop::Scop;
use polyrs::transform::gpu::{kernels, select};
use std::path::Path;

/// The kernels of a lifted PolyBench program under the unified strategy for GPUs, and all their launches.
fn counts(name: &str, parameters: &[(&str, i64)]) -> (usize, usize) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("test/polybench/scop/{name}.scop"));
    let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap();
    let dependences = Dependences::compute(&scop, Mode { live_range_reordering: true }).unwrap();
    let constraints = constraints(&scop, &dependences, None).unwrap();
    let groups = Proximity::compute(&scop, None, Line::default()).unwrap().groups;
    let tree = schedule_groups(&constraints, &groups, &Strategy::unified_gpu(), &mut |_| ()).unwrap();
    let tree = select(&tree).unwrap().expect("some member is coincident");
    let value = |name: &str| parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let found = kernels(&tree).unwrap();
    let launches = found.iter().map(|kernel| kernel.launch_count(&value, 100_000).unwrap().expect("few launches"));
    (found.len(), launches.sum())
}

/// Unified report, Figure 5: at most as many kernels, and launches of them, as its `ppcg spatial` has.
#[test]
fn no_more_kernels_and_launches_than_in_the_report() {
    for (name, sizes, (most_kernels, most_launches)) in [
        ("adi", [512, 512], (6, 3072)),
        ("gramschmidt", [2048, 2048], (7, 12287)),
        ("lu", [4096, 0], (2, 8190)),
        ("seidel-2d", [1024, 4096], (1, 16372)),
        ("symm", [2048, 2048], (2, 2)),
        ("trisolv", [4096, 0], (3, 8192)),
    ] {
        let (found, launches) = counts(name, &[("arg0", sizes[0]), ("arg1", sizes[1])]);
        assert!(found <= most_kernels && launches <= most_launches, "{name}: {found} kernels, {launches} launches");
        assert!(found > 0 && launches >= found, "{name}: {found} kernels, {launches} launches");
    }
    // Two kernels and a thousand launches fewer than in the report.
    assert_eq!(counts("adi", &[("arg0", 512), ("arg1", 512)]), (4, 2048));
}
