//! What a region will take, told by its size before anything is done for it.
//!
//! Without all dependences there is nothing, and the search, which ends with the best that it found, finds nothing with
//! much less than regions of the same size took. Such a region would use up what is left to its function and stay as it
//! is. So it is left alone from the start, which is what makes the builds of functions with many nests quick.

use crate::dependence;
use crate::isl::{self, DimType};
use crate::scop::Scop;
use std::collections::BTreeMap;

/// How much there is to analyse in a region: the cube of the loops around both of two accesses, over all pairs of
/// accesses to an array of which the first writes. So many pairs may depend on each other, and the work on a relation
/// grows about so with its dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegionSize(u64);

impl RegionSize {
    /// The operations that dependences are expected to take for each of this: in PolyBench and in gsl, a library for
    /// numerical mathematics, 50 to 2,600, in the middle 210, in nine of ten regions more than this.
    const OF_DEPENDENCES: u64 = 100;

    /// Those that all steps take where a region gets new code: 490 to 14,000, in nine of ten more than this.
    const OF_NEW_CODE: u64 = 1_000;

    /// That of a region; `None` for one that is analysed by parts, of whose work it tells little.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn of(scop: &Scop) -> isl::Result<Option<RegionSize>> {
        if dependence::is_large(scop) {
            return Ok(None);
        }
        let mut arrays: BTreeMap<String, Vec<(u64, bool)>> = BTreeMap::new();
        for access in scop.statements.iter().flat_map(|statement| &statement.accesses) {
            let loops = access.relation.dim(DimType::In)? as u64;
            arrays.entry(access.array()?).or_default().push((loops, access.kind.is_write()));
        }
        let of_array = |accesses: &Vec<(u64, bool)>| -> u64 {
            let writes = accesses.iter().filter(|(_, is_write)| *is_write).map(|(loops, _)| loops);
            writes.flat_map(|loops| accesses.iter().map(move |(others, _)| (loops + others).pow(3))).sum()
        };
        Ok(Some(RegionSize(arrays.values().map(of_array).sum())))
    }

    /// The operations that its dependences are expected to take, by a modest guess.
    pub fn expected_of_dependences(self) -> u64 {
        self.0.saturating_mul(Self::OF_DEPENDENCES)
    }

    /// The operations after which it usually gets new code, if it does, by a modest guess.
    pub fn expected_of_new_code(self) -> u64 {
        self.0.saturating_mul(Self::OF_NEW_CODE)
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
    use crate::dependence::{Dependences, Mode};

    #[test]
    fn pairs_count_with_the_loops_around_them() {
        // C is read and written by a statement in two loops and by one in three; A and B are only read.
        let of_pairs = [4, 4, 5, 5, 5, 5, 6, 6_u64].map(|loops| loops.pow(3));
        assert_eq!(RegionSize::of(&scop("gemm")).unwrap(), Some(RegionSize(of_pairs.iter().sum())));
        assert_eq!(RegionSize::of(&scop("deriche")).unwrap(), None, "it is analysed by parts");
    }

    #[test]
    fn dependences_take_about_as_much() {
        for name in ["atax", "mvt", "gemm", "trisolv", "durbin", "jacobi-1d", "3mm", "lu", "cholesky", "adi"] {
            let scop = scop(name);
            let expected = RegionSize::of(&scop).unwrap().unwrap().expected_of_dependences();
            let before = scop.ctx().operations();
            Dependences::compute(&scop, Mode::default()).unwrap();
            let taken = scop.ctx().operations() - before;
            assert!(taken > expected / 2 && expected > taken / 30, "{name} takes {taken}, not {expected}");
        }
    }
}
