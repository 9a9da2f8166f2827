//! A correction of how isl's lexicographic optimizer matches the integer divisions of its context.
//!
//! The optimizer gives the divisions of a context (the part of the domain that it solves for) their places behind the
//! other divisions of the constraints: it looks each up among those of the constraints, and counts how many it finds.
//! It takes them to be distinct. Where a context has the same division twice (substitution of an equality makes two of
//! them equal), `align_context_divs` of isl_tab_pip.c counts the one that it finds twice. It then writes in front of
//! the divisions, or gives a division of the context the place of one that has nothing to do with it, and the optimum
//! is wrong.
//!
//! The optimizer sorts the context's divisions before, which is all that `isl_basic_set_sort_divs` is used for. The
//! build scripts of the packages that link isl have the linker (`--wrap`) send that call here, where equal divisions
//! are told apart. The second is then one that the constraints do not have, for which the optimizer makes a variable of
//! its own.

use super::DimType;
use super::layout::{distinguish_divisions, has_equal_divisions};
use super::macros::{Arg, Ret};
use std::ffi::c_void;
use std::ptr::NonNull;

unsafe extern "C" {
    fn isl_basic_map_sort_divs(set: *mut c_void) -> *mut c_void;
    fn isl_basic_map_dim(map: *mut c_void, kind: <DimType as Arg>::Raw) -> <usize as Ret>::Raw;
    fn isl_basic_map_free(map: *mut c_void) -> *mut c_void;
    fn isl_basic_set_cow(set: *mut c_void) -> *mut c_void;
}

// The linker finds it by its name; whoever loads the plugin must not.
std::arch::global_asm!(".hidden __wrap_isl_basic_set_sort_divs");

/// The set with its known integer divisions sorted, each written in a way of its own.
///
/// # Safety
/// isl's contract: `set` is a basic set, which is taken, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_isl_basic_set_sort_divs(set: *mut c_void) -> *mut c_void {
    // SAFETY: isl's functions accept null and report it; a set is changed only after `isl_basic_set_cow` made it the
    // only one.
    unsafe {
        let sorted = isl_basic_map_sort_divs(set);
        let Some(found) = NonNull::new(sorted) else { return sorted };
        // A basic set is a basic map whose dimensions are outputs.
        let Ok(dimensions) = usize::try_from(isl_basic_map_dim(sorted, DimType::All.into_raw())) else {
            return isl_basic_map_free(sorted);
        };
        if !has_equal_divisions(found, 1 + dimensions) {
            return sorted;
        }
        let own = isl_basic_set_cow(sorted);
        if let Some(own) = NonNull::new(own) {
            distinguish_divisions(own, 1 + dimensions);
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ctx, Error, UnionAccessInfo, UnionMap};
    use std::fmt::Write;

    /// Three loops around `A[w] = … A[r] …`, the second with a step.
    struct Program {
        first: [i64; 3],
        step: i64,
        /// What multiplies the second counter in the second subscript of what is written, and of what is read.
        factors: [i64; 2],
        /// What is added to the second subscript of what is read.
        offset: &'static str,
    }

    impl Program {
        /// Pseudo-random programs (xorshift), the same on each run.
        fn random(seed: u64) -> Self {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut below = |bound: usize| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                usize::try_from(state >> 33).unwrap() % bound
            };
            let mut number = |least: i64, bound: usize| least + i64::try_from(below(bound)).unwrap();
            Program {
                first: [number(0, 2), number(0, 2), number(0, 2)],
                step: number(2, 4),
                factors: [number(1, 5), number(1, 2)],
                offset: ["n", "o", "m", "1", "2"][usize::try_from(number(0, 5)).unwrap()],
            }
        }

        /// The two accesses to elements that writes may overwrite, and the order between them, as the analysis of
        /// dependences asks for it.
        fn false_dependences(&self, isl: &Ctx) -> Result<UnionMap, Error> {
            let Program { first: [i, j, k], step, factors: [write, read], offset } = self;
            let access = |element: String| {
                let bounds = format!("{i} <= i < m and {j} <= j < n + o and (j - {j}) mod {step} = 0 and {k} <= k < n");
                UnionMap::parse(isl, &format!("[m, n, o] -> {{ S[i, j, k] -> A[{element}] : {bounds} }}"))
            };
            let writes = access(format!("j, {write}j + k"))?;
            let reads = access(format!("i, {read}j + {offset}"))?;
            UnionAccessInfo::from_sink(writes.clone())?
                .set_may_source(writes.clone().union(reads)?)?
                .set_kill(writes)?
                .set_schedule_map(UnionMap::parse(isl, "{ S[i, j, k] -> [i, j, k] }")?)?
                .compute_flow()?
                .may_dependence()
        }

        /// The same for some sizes, instance by instance.
        fn expected(&self, isl: &Ctx, [m, n, o]: [i64; 3]) -> UnionMap {
            let offset = match self.offset {
                "m" => m,
                "n" => n,
                "o" => o,
                number => number.parse().unwrap(),
            };
            let [write, read] = self.factors;
            let step = usize::try_from(self.step).unwrap();
            let mut instances = Vec::new();
            for i in self.first[0]..m {
                for j in (self.first[1]..n + o).step_by(step) {
                    instances
                        .extend((self.first[2]..n).map(|k| ([i, j, k], [j, write * j + k], [i, read * j + offset])));
                }
            }
            let mut pairs =
                format!("[m, n, o] -> {{ S[i, j, k] -> S[x, y, z] : m = {m} and n = {n} and o = {o} and (false");
            for (at, (sink, element, _)) in instances.iter().enumerate() {
                // Back to the write before, which overwrites what is before it, and whose own read is overwritten here.
                for (source, written, read) in instances[..at].iter().rev() {
                    if written == element || read == element {
                        let [[i, j, k], [x, y, z]] = [source, sink];
                        write!(pairs, " or i = {i} and j = {j} and k = {k} and x = {x} and y = {y} and z = {z}")
                            .unwrap();
                    }
                    if written == element {
                        break;
                    }
                }
            }
            UnionMap::parse(isl, &(pairs + ") }")).unwrap()
        }
    }

    /// Contexts that have a division twice make up half of the problems that these programs lead to. Without the
    /// correction isl wrote outside of its memory for most of those. The operations are enough for more than half of
    /// the programs, and take a quarter of a second where they are not.
    #[test]
    fn equal_divisions_of_a_context_are_told_apart() {
        let mut compared = 0;
        for seed in 1..=60 {
            let isl = Ctx::new();
            let program = Program::random(seed);
            let found = match isl.with_quota(5_000_000, || program.false_dependences(&isl)) {
                Ok(found) => found,
                Err(error) => {
                    assert!(error.is_exhausted(), "seed {seed}: {error}");
                    continue;
                }
            };
            for sizes in [[3, 4, 3], [4, 5, 0], [2, 3, 6]] {
                let [m, n, o] = sizes;
                let fixed = UnionMap::parse(
                    &isl,
                    &format!("[m, n, o] -> {{ S[i, j, k] -> S[x, y, z] : m = {m} and n = {n} and o = {o} }}"),
                );
                let found = found.clone().intersect(fixed.unwrap()).unwrap();
                assert!(found.is_equal(&program.expected(&isl, sizes)).unwrap(), "seed {seed}, {sizes:?}: {found}");
            }
            compared += 1;
        }
        assert!(compared >= 30, "{compared}");
    }
}
