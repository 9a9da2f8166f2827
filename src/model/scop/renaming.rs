//! Two regions are the same but for names: what another front end, or another way of writing it, makes of a program.

use super::{Access, Scop, Statement};
use crate::isl::{self, Ctx, UnionMap, UnionSet};
use std::collections::BTreeMap;

/// With more parameters than that, no names are looked for: there are as many assignments as permutations.
const MOST_PARAMETERS: usize = 6;

/// New names for parameters, arrays and statements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renaming(BTreeMap<String, String>);

impl Renaming {
    /// A text in isl's notation, or a tree as text, with the new names. All names change at once.
    pub fn apply(&self, text: &str) -> String {
        let mut result = String::new();
        let mut rest = text;
        // A factor stands right before a name: `2n`.
        while let Some(start) = rest.find(|c: char| is_name(c) && !c.is_ascii_digit()) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
            let (name, after) = from.split_at(end);
            result += before;
            result += self.0.get(name).map_or(name, String::as_str);
            rest = after;
        }
        result + rest
    }

    /// Old and new names, the old ones in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(old, new)| (old.as_str(), new.as_str()))
    }

    fn with(&self, old: &str, new: &str) -> Renaming {
        let mut names = self.0.clone();
        names.insert(old.to_owned(), new.to_owned());
        Renaming(names)
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// What two regions differ in, whatever the names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// One has more statements.
    #[error("there are {0} and {1} statements")]
    Statements(usize, usize),
    /// One has more parameters that matter.
    #[error("there are {0} and {1} parameters that domains and subscripts use")]
    Parameters(usize, usize),
    /// There are too many parameters to try.
    #[error("with {0} parameters no names are looked for; {MOST_PARAMETERS} are the most")]
    TooMany(usize),
    /// No names of parameters make the domains the same.
    #[error("the domains differ, whatever the parameters are called; first those of {0}")]
    Domains(String),
    /// With the domains equal, no names of arrays make the accesses the same.
    #[error("the accesses differ, whatever the arrays are called")]
    Accesses,
    /// What isl says.
    #[error(transparent)]
    Isl(#[from] isl::Error),
}

impl Scop {
    /// New names for what another region of the same isl context has, with which it has this region's domains and
    /// accesses.
    ///
    /// Statements correspond by their place, as both are in textual order; parameters that neither domains nor
    /// subscripts use get a prime, and arrays that no statement uses keep their names. Context, order and what is live
    /// out are not looked at.
    ///
    /// # Errors
    /// What differs, of the assignment that comes furthest.
    pub fn renaming(&self, other: &Scop) -> Result<Renaming, Mismatch> {
        if self.statements.len() != other.statements.len() {
            return Err(Mismatch::Statements(self.statements.len(), other.statements.len()));
        }
        let (new, old) = (used_parameters(self)?, used_parameters(other)?);
        if new.len() != old.len() {
            return Err(Mismatch::Parameters(new.len(), old.len()));
        }
        if new.len() > MOST_PARAMETERS {
            return Err(Mismatch::TooMany(new.len()));
        }
        let mut names = Renaming::default();
        // What nobody uses is still a parameter of sets and relations, and must not get in the way of a new name.
        for unused in other.parameters()?.iter().filter(|name| !old.contains(name)) {
            names = names.with(unused, &format!("{unused}'"));
        }
        let pairs: Vec<(&Statement, &Statement)> = self.statements.iter().zip(&other.statements).collect();
        for (a, b) in &pairs {
            names = names.with(&b.name, &a.name);
        }
        let search = Search { ctx: self.ctx(), pairs };
        search.parameters(&names, &old, &new)
    }
}

/// The parameters in domains and subscripts.
fn used_parameters(scop: &Scop) -> isl::Result<Vec<String>> {
    let mut used = Vec::new();
    for statement in &scop.statements {
        let mut sets = vec![statement.domain.clone()];
        for access in &statement.accesses {
            sets.push(access.relation.clone().wrap()?);
        }
        for set in sets {
            for name in set.drop_unused_params()?.space()?.dim_names(isl::DimType::Param)? {
                if !used.contains(&name) {
                    used.push(name);
                }
            }
        }
    }
    Ok(used)
}

/// The search for names.
struct Search<'s> {
    ctx: &'s Ctx,
    /// The statements of this region and of the other.
    pairs: Vec<(&'s Statement, &'s Statement)>,
}

impl Search<'_> {
    /// Names that are found by giving the parameters that are left all names that are left.
    fn parameters(&self, names: &Renaming, old: &[String], new: &[String]) -> Result<Renaming, Mismatch> {
        let Some((first, others)) = old.split_first() else {
            self.domains(names)?;
            return self.accesses(names)?.ok_or(Mismatch::Accesses);
        };
        let mut furthest = None;
        for (at, name) in new.iter().enumerate() {
            let left: Vec<String> = [&new[..at], &new[at + 1..]].concat();
            match self.parameters(&names.with(first, name), others, &left) {
                Err(Mismatch::Accesses) => furthest = Some(Mismatch::Accesses),
                Err(mismatch @ Mismatch::Domains(_)) => furthest = furthest.or(Some(mismatch)),
                done => return done,
            }
        }
        Err(furthest.unwrap_or(Mismatch::Accesses))
    }

    fn domains(&self, names: &Renaming) -> Result<(), Mismatch> {
        for (a, b) in &self.pairs {
            // Of any shape, unlike a set.
            let renamed = UnionSet::parse(self.ctx, &names.apply(&b.domain.to_string()))?;
            if !a.domain.clone().to_union_set()?.is_equal(&renamed)? {
                return Err(Mismatch::Domains(a.name.clone()));
            }
        }
        Ok(())
    }

    /// Names of arrays as well.
    fn accesses(&self, names: &Renaming) -> isl::Result<Option<Renaming>> {
        let mut all = Vec::new();
        for (a, b) in &self.pairs {
            if a.accesses.len() != b.accesses.len() {
                return Ok(None);
            }
            all.extend(b.accesses.iter().map(|access| (*a, access)));
        }
        let mut taken = Vec::new();
        self.arrays(names, &all, &mut taken)
    }

    /// Finds a partner for each access in order, and goes back where there is none.
    fn arrays<'a>(
        &self,
        names: &Renaming,
        left: &[(&'a Statement, &Access)],
        taken: &mut Vec<&'a Access>,
    ) -> isl::Result<Option<Renaming>> {
        let Some(((statement, access), others)) = left.split_first() else { return Ok(Some(names.clone())) };
        let old = access.array()?;
        for partner in &statement.accesses {
            let is_taken = taken.iter().any(|other| std::ptr::eq(*other, partner));
            if is_taken || partner.kind != access.kind {
                continue;
            }
            let new = partner.array()?;
            let is_bound = names.0.get(&old).map(|bound| *bound == new);
            let is_free = || !names.0.values().any(|used| *used == new);
            if !is_bound.unwrap_or_else(is_free) {
                continue;
            }
            let names = names.with(&old, &new);
            if !self.same_relation(partner, access, &names)? {
                continue;
            }
            taken.push(partner);
            let found = self.arrays(&names, others, taken)?;
            taken.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn same_relation(&self, a: &Access, b: &Access, names: &Renaming) -> isl::Result<bool> {
        let renamed = UnionMap::parse(self.ctx, &names.apply(&b.relation.to_string()))?;
        a.relation.clone().to_union_map()?.is_equal(&renamed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRODUCT: &str = "
scop: product
parameters: [n, m]
arrays:
  C: { kind: memory, element: f64, extent: [n] }
  A: { kind: memory, element: f64, extent: [n, m] }
  B: { kind: memory, element: f64, extent: [m] }
statements:
  S:
    domain: \"{ S[i, j] : 0 <= i < n and 0 <= j < m }\"
    accesses:
      - read R0: \"{ S[i, j] -> C[i] }\"
      - read R1: \"{ S[i, j] -> A[i, j] }\"
      - read R2: \"{ S[i, j] -> B[j] }\"
      - must_write R3: \"{ S[i, j] -> C[i] }\"
schedule:
  domain: \"{ S[i, j] : 0 <= i < n and 0 <= j < m }\"
  child:
    schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\"
live_out: \"{ C[i] }\"
";

    fn renaming(changes: &[(&str, &str)]) -> Result<Renaming, Mismatch> {
        let ctx = Ctx::new();
        let a = Scop::parse(&ctx, PRODUCT).unwrap();
        let text = changes.iter().fold(PRODUCT.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        a.renaming(&Scop::parse(&ctx, &text).unwrap())
    }

    #[test]
    fn names_and_the_order_of_reads_do_not_matter() {
        let swapped =
            [("C", "tmp"), ("A", "C"), ("tmp", "A"), ("S", "T"), ("n]", "q]"), ("[n,", "[q,"), ("< n", "< q")];
        let found = renaming(&swapped).unwrap();
        let names: Vec<_> = found.iter().collect();
        assert_eq!(names, [("A", "C"), ("B", "B"), ("C", "A"), ("T", "S"), ("m", "m"), ("q", "n")]);
        assert_eq!(found.apply("[q] -> { T[i] -> C[q + 2q, T'] }"), "[n] -> { S[i] -> A[n + 2n, T'] }");
        let reads = [
            ("R0: \"{ S[i, j] -> C[i]", "R0: \"{ S[i, j] -> B[j]"),
            ("R2: \"{ S[i, j] -> B[j]", "R2: \"{ S[i, j] -> C[i]"),
        ];
        assert!(renaming(&reads).is_ok());
    }

    #[test]
    fn what_differs_is_said() {
        let domain = renaming(&[("0 <= j < m", "0 < j < m")]).unwrap_err();
        assert_eq!(domain, Mismatch::Domains("S".to_owned()));
        assert_eq!(renaming(&[("S[i, j] -> B[j]", "S[i, j] -> B[i]")]).unwrap_err(), Mismatch::Accesses);
        let kind = renaming(&[("must_write R3", "may_write R3")]).unwrap_err();
        assert_eq!(kind, Mismatch::Accesses);
        assert_eq!(renaming(&[("j < m", "j < n")]).unwrap_err(), Mismatch::Parameters(2, 1));
        // One array for two.
        let one = renaming(&[("S[i, j] -> B[j]", "S[i, j] -> C[j]")]).unwrap_err();
        assert_eq!(one, Mismatch::Accesses);
    }
}
