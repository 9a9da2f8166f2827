//! What the schedulers make of PolyBench.

mod regions;

use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::Ctx;
use polyrs::report::{Contestant, Region, best_permutation};
use polyrs::scop::Scop;
use polyrs::tree::Contiguity;

#[test]
fn explore() {
    let folder = regions::root().join("../polybench/scop");
    for file in regions::below(&folder) {
        let ctx = Ctx::new();
        let scop = Scop::parse(&ctx, &std::fs::read_to_string(&file).unwrap()).unwrap();
        let strict = Dependences::compute(&scop, Mode { live_range_reordering: false }).unwrap().all().unwrap();
        let loose = Dependences::compute(&scop, Mode { live_range_reordering: true }).unwrap();
        let loose = loose.flow.clone().union(loose.forced.clone()).unwrap();
        let region = Region::new(&scop).unwrap();
        let found = region.found(Contestant::UnifiedCpu).unwrap();
        let sum = |x: &[(_, Contiguity)]| x.iter().map(|(_, c)| *c).sum::<Contiguity>().contiguous;
        let mut line = format!(
            "{} unified {}/{}",
            file.file_stem().unwrap().display(),
            sum(&found.scheduled),
            sum(&found.reordered)
        );
        for deps in [&strict, &loose] {
            let start = std::time::Instant::now();
            let best = best_permutation(&scop, deps, 100_000).unwrap();
            line += &format!(" best {:?} in {:?}", best.as_ref().map(|b| b.contiguous()), start.elapsed());
            if let Some(best) = best {
                for (id, i) in best.statements {
                    let of = |v: &[(polyrs::scop::StatementId, Contiguity)]| {
                        v.iter().filter(|x| x.0 == id).map(|x| x.1).sum::<Contiguity>()
                    };
                    let (a, b) = (of(&found.scheduled), of(&found.reordered));
                    if a.contiguous != i.accesses.contiguous || b.contiguous != i.accesses.contiguous {
                        line += &format!(
                            "\n    {}: {}/{} vs {} of {} at {}",
                            scop.statement(id).name,
                            a.contiguous,
                            b.contiguous,
                            i.accesses.contiguous,
                            i.accesses.accesses,
                            i.position
                        );
                    }
                }
            }
        }
        println!("{line}");
    }
}
