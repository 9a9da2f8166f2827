//! How much of an array a region uses, where its declaration does not say how large it is.
//!
//! A parameter `float A[16][28][28]` of a C function is a pointer to planes, as many as there may be: the bounds of the
//! loops tell how many are used. What a cache holds depends on that, not on what else there is.

use super::{Array, Scop};
use crate::isl::{self, Set};

/// So many accesses to an array are looked at; with more of them nothing is known.
const MOST_ACCESSES: usize = 64;

impl Scop {
    /// Notes of each array whose first extent alone is not known how many of its first subscripts are used.
    ///
    /// # Errors
    /// Those of isl.
    pub fn note_used(&mut self) -> isl::Result<()> {
        let mut arrays = std::mem::take(&mut self.arrays);
        let noted = arrays.iter_mut().try_for_each(|array| {
            if is_open(array)? {
                array.used = self.used(array)?;
            }
            Ok(())
        });
        self.arrays = arrays;
        noted
    }

    /// The number of first subscripts from the least to the greatest one in use, if it does not depend on parameters.
    fn used(&self, array: &Array) -> isl::Result<Option<u64>> {
        let Some(used) = self.used_elements(array)? else { return Ok(None) };
        let mut range: Option<(i128, i128)> = None;
        for elements in used {
            let (least, greatest) = (elements.clone().dim_min_val(0)?, elements.dim_max_val(0)?);
            if !least.is_int()? || !greatest.is_int()? {
                return Ok(None);
            }
            let (least, greatest) = (least.to_i128()?, greatest.to_i128()?);
            range = Some(range.map_or((least, greatest), |(l, g)| (l.min(least), g.max(greatest))));
        }
        Ok(range.and_then(|(least, greatest)| u64::try_from(greatest - least + 1).ok()))
    }

    /// What each access that there is makes use of, `{ A[a] }`; `None` where an array has more accesses than are looked at.
    ///
    /// # Errors
    /// Those of isl.
    pub fn used_elements(&self, array: &Array) -> isl::Result<Option<Vec<Set>>> {
        let mut accesses = Vec::new();
        for statement in self.statements.iter().filter(|statement| !statement.is_kill()) {
            for access in &statement.accesses {
                if access.array()? == array.name {
                    accesses.push((access, &statement.domain));
                }
            }
        }
        if accesses.len() > MOST_ACCESSES {
            return Ok(None);
        }
        let mut used = Vec::new();
        for (access, domain) in accesses {
            let elements = access.relation.clone().intersect_domain(domain.clone())?.range()?;
            let elements = elements.intersect_params(self.context.clone())?;
            if !elements.is_empty()? {
                used.push(elements);
            }
        }
        Ok(Some(used))
    }
}

/// All extents are known but for the first.
fn is_open(array: &Array) -> isl::Result<bool> {
    for dimension in 0..array.rank() {
        if array.known_extent(dimension)?.is_none() != (dimension == 0) {
            return Ok(false);
        }
    }
    Ok(array.rank() > 0)
}

#[cfg(test)]
mod tests {
    use crate::isl::Ctx;
    use crate::scop::Scop;

    fn used(domain: &str, subscript: &str, extent: &str) -> Option<u64> {
        let text = format!(
            "scop: one\nparameters: [n]\ncontext: \"{{ : n > 0 }}\"\narrays:\n  A: {{ kind: memory, element: f32, extent: [{extent}] }}\n\
             statements:\n  S:\n    domain: \"{domain}\"\n    accesses:\n      - must_write R: \"{{ S[i] -> A[{subscript}] }}\"\n\
             schedule:\n  domain: \"{domain}\"\n  child: {{ schedule: \"[{{ S[i] -> [(i)] }}]\" }}\nlive_out: \"{{ A[a, b] }}\"\n"
        );
        Scop::parse(&Ctx::new(), &text).unwrap().arrays[0].used
    }

    #[test]
    fn bounds_of_loops_tell_what_is_used_of_an_array_of_unknown_length() {
        let ten = "{ S[i] : 0 <= i < 10 }";
        assert_eq!(used(ten, "i, 3", "\"?\", 28"), Some(10));
        assert_eq!(used(ten, "3 * i + 5, 3", "\"?\", 28"), Some(28));
        // It is the parameter that tells, what lies in a row is not known, or the declaration says it.
        assert_eq!(used("{ S[i] : 0 <= i < n }", "i, 3", "\"?\", 28"), None);
        assert_eq!(used(ten, "i, 3", "\"?\", \"?\""), None);
        assert_eq!(used(ten, "i, 3", "30, 28"), None);
    }
}
