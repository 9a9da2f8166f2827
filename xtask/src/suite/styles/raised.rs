//! Whether a function's loops were raised whole, from what the plugin says.
//!
//! With `dump=raised` each region is printed as a function of the affine dialect, and a remark `scop: NAME:…` says what
//! became of it: new code, or that it is left as it is, which counts as well. A function is *raised whole* if one such
//! region has as many loops as its notation has. So the region starts at the outermost loops, with all of them in it, and
//! none was left out inside: a region that starts further inside, or a part of a row of loops, has fewer.

use crate::suite::remarks::{self, Message};

/// What became of a function's loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raised {
    /// They are one region.
    Whole,
    /// They are not; the first refusal's words, or what else is known.
    Not(String),
}

impl Raised {
    /// What was said of a function with so many loops.
    pub fn from_remarks(said: &str, loops: usize) -> Self {
        let told = |name: &str| said.contains(&format!("remark: scop: {name}:"));
        if regions(said).iter().any(|(name, count)| *count >= loops && told(name)) {
            return Self::Whole;
        }
        let refusal = remarks::parse(said).into_iter().find_map(|remark| match remark.message {
            Message::Refused(words) => Some(words),
            Message::Found { .. } => None,
        });
        Self::Not(refusal.unwrap_or_else(|| match said.contains("remark: scop: ") {
            true => "several regions".to_owned(),
            false => "nothing was said".to_owned(),
        }))
    }

    /// They are one region.
    pub fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// The regions that are printed: their names, and how many loops they have.
fn regions(said: &str) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut is_region = false;
    for line in said.lines() {
        if let Some(name) = line.strip_prefix("# raised of ") {
            found.push((name.trim().to_owned(), 0));
        } else if line.trim_start().starts_with("func.func ") {
            is_region = !line.contains("_check\"(");
        } else if is_region
            && line.contains("affine.for ")
            && let Some((_, count)) = found.last_mut()
        {
            *count += 1;
        }
    }
    found
}

/// Whether the plugin made new code for anything.
pub fn is_rewritten(said: &str) -> bool {
    said.contains("remark: the new code is in ")
}

#[cfg(test)]
mod tests {
    use super::{Raised, is_rewritten};

    const SAID: &str = "# raised of kernel.poly.0\nmodule {\n  func.func @\"kernel.poly.0\"(%a0: memref<?xf64>) {\n    \
                        affine.for %i0 = 0 to 4 {\n      %t2 = affine.for %i1 = 0 to 4 iter_args(%t3 = %t1) -> (f64) {\n\
                        }\n  }\n  func.func @\"kernel.poly.0_check\"(%a0: memref<?xf64>) -> i1 {\n  }\n}\n\
                        g.c:2:3: remark: scop: kernel.poly.0:2: 1 statement; bands=1 [-Rpass=poly-schedule]\n\
                        g.c:2:3: remark: the new code is in kernel.poly.0 and runs always [-Rpass-analysis=poly-schedule]\n";

    #[test]
    fn a_region_with_all_loops_is_whole() {
        assert_eq!(Raised::from_remarks(SAID, 2), Raised::Whole);
        assert!(is_rewritten(SAID));
        assert_eq!(Raised::from_remarks(SAID, 3), Raised::Not("several regions".into()));
    }

    #[test]
    fn the_first_refusal_says_why_not() {
        let refused = "g.c:1:1: remark: refused: a call [-Rpass-missed=poly-schedule]\n\
                       g.c:2:1: remark: refused: another [-Rpass-missed=poly-schedule]\n";
        assert_eq!(Raised::from_remarks(&(SAID.to_owned() + refused), 3), Raised::Not("a call".into()));
        assert_eq!(Raised::from_remarks("", 1), Raised::Not("nothing was said".into()));
        assert!(!is_rewritten(refused));
    }
}
