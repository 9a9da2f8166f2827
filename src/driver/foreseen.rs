//! What a region will take, told by its size before anything is done for it.
//!
//! A region that cannot be finished with what is left to its function would use up much of that and stay as it is. So
//! it is left alone from the start, which is what makes the builds of functions with many nests quick.

use crate::isl::{self, DimType};
use crate::scop::Scop;
use std::collections::BTreeMap;

/// How much there is to analyse in a region: the cube of the loops around both of two accesses, over all pairs of
/// accesses to an array of which the first writes. So many pairs may depend on each other, and the work on a relation
/// grows about so with its dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegionSize(u64);

impl RegionSize {
    /// The operations that are expected for each of this: regions that get new code in gsl, a library for numerical
    /// mathematics, and in PolyBench take 640 to 14,000, nine of ten more than 1,000.
    const OPERATIONS: u64 = 1_000;

    /// That of a region.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn of(scop: &Scop) -> isl::Result<RegionSize> {
        let mut arrays: BTreeMap<String, Vec<(u64, bool)>> = BTreeMap::new();
        for access in scop.statements.iter().flat_map(|statement| &statement.accesses) {
            let loops = access.relation.dim(DimType::In)? as u64;
            arrays.entry(access.array()?).or_default().push((loops, access.kind.is_write()));
        }
        let of_array = |accesses: &Vec<(u64, bool)>| -> u64 {
            let writes = accesses.iter().filter(|(_, is_write)| *is_write).map(|(loops, _)| loops);
            writes.flat_map(|loops| accesses.iter().map(move |(others, _)| (loops + others).pow(3))).sum()
        };
        Ok(RegionSize(arrays.values().map(of_array).sum()))
    }

    /// The operations that it takes to find new code for a region of this size, by a modest guess; one that stays as it
    /// is may take less.
    pub fn expected_operations(self) -> u64 {
        self.0.saturating_mul(Self::OPERATIONS)
    }
}

#[cfg(test)]
pub(super) mod samples {
    use crate::isl::Ctx;
    use crate::scop::Scop;
    use std::path::Path;

    /// A kernel of PolyBench.
    pub fn scop(name: &str) -> Scop {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("test/polybench/scop/{name}.scop"));
        let text = std::fs::read_to_string(path).unwrap();
        Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::samples::scop;
    use super::*;
    use crate::driver::{LayoutSearch, Options, optimize};

    #[test]
    fn pairs_count_with_the_loops_around_them() {
        // C is read and written by a statement in two loops and by one in three; A and B are only read.
        let of_pairs = [4, 4, 5, 5, 5, 5, 6, 6_u64].map(|loops| loops.pow(3));
        assert_eq!(RegionSize::of(&scop("gemm")).unwrap(), RegionSize(of_pairs.iter().sum()));
    }

    #[test]
    fn regions_that_get_new_code_take_more() {
        for name in ["atax", "mvt", "gemm", "trisolv", "durbin", "jacobi-1d", "3mm", "gramschmidt"] {
            let scop = scop(name);
            let expected = RegionSize::of(&scop).unwrap().expected_operations();
            let before = scop.ctx().operations();
            optimize(&scop, &Options { layout: LayoutSearch::None, ..Options::default() }, &mut ()).unwrap();
            let taken = scop.ctx().operations() - before;
            assert!(taken >= expected && expected > 0, "{name} takes {taken}, not {expected}");
        }
    }
}
