//! The polyhedral model of a loop region, as every front end hands it to the core.
//!
//! The constituents are those of the ppcg report, section 2: instance set, access relations, schedule, context. Tuple
//! names used in comments throughout the core: `S[i]` an instance of a statement, `A[a]` an element of an array,
//! `R[]` the tag of one reference of a statement; `[p]` stands for the parameters.

mod access;
mod array;
mod compare;
mod reduction;
mod renaming;
mod statement;
pub mod text;
mod used;

pub use access::{Access, AccessKind};
pub use array::{Array, ArrayKind, ElementKind, ElementType, below};
pub use compare::{Difference, tree_difference};
pub use reduction::{Operator, Reduction, Role};
pub use renaming::{Mismatch, Renaming};
pub use statement::{Statement, StatementId};

use crate::isl;
use std::collections::BTreeSet;

/// A loop region: what is executed, what it touches, and in which order.
#[derive(Debug, Clone)]
pub struct Scop {
    /// A name for messages and dumps, for example `gemm:12` (function and line).
    pub name: String,
    /// What is known about the parameters: `[p] -> { : ... }`. Every set and relation of the scop holds only there.
    pub context: isl::Set,
    /// The arrays, scalars included. Names are unique and are the tuple names of the access relations' ranges.
    pub arrays: Vec<Array>,
    /// The statements, in textual order. Names are unique and are the tuple names of the domains.
    pub statements: Vec<Statement>,
    /// The original order of all instances, kills included.
    pub schedule: isl::Schedule,
    /// The elements whose final value may be observed after the region: `{ A[a] }`.
    pub live_out: isl::UnionSet,
}

impl Scop {
    /// The isl context that everything in the scop belongs to.
    pub fn ctx(&self) -> &isl::Ctx {
        self.context.ctx()
    }

    /// The names of the parameters: those of the context first, then others in the order in which they are met.
    pub fn parameters(&self) -> isl::Result<Vec<String>> {
        let mut spaces = vec![self.context.space()?];
        for extent in self.arrays.iter().flat_map(|a| a.extent.iter().flatten()) {
            spaces.push(extent.space()?);
        }
        for statement in &self.statements {
            spaces.push(statement.domain.space()?);
            for access in &statement.accesses {
                spaces.push(access.relation.space()?);
            }
        }
        spaces.push(self.live_out.space()?);
        spaces.push(self.schedule.domain()?.space()?);
        let mut names: Vec<String> = Vec::new();
        for space in spaces {
            for name in space.dim_names(isl::DimType::Param)? {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    /// The statement with a name.
    pub fn statement_by_name(&self, name: &str) -> Option<StatementId> {
        self.statements.iter().position(|s| s.name == name).map(StatementId)
    }

    /// A statement.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.0]
    }

    /// The array with a name.
    pub fn array_by_name(&self, name: &str) -> Option<&Array> {
        self.arrays.iter().find(|a| a.name == name)
    }

    /// The array of an access.
    ///
    /// # Errors
    /// The region has none of that name; those of isl.
    pub fn array_of(&self, access: &Access) -> isl::Result<&Array> {
        let name = access.array()?;
        self.array_by_name(&name).ok_or_else(|| isl::Error::invalid(format!("no array is called {name}")))
    }

    /// Somebody may look at an element of an array after the region.
    ///
    /// # Errors
    /// Those of isl.
    pub fn is_seen_after(&self, array: &Array) -> isl::Result<bool> {
        let id = isl::Id::new(self.ctx(), &array.name)?;
        let space = self.context.space()?.add_named_tuple_id_ui(id, array.rank())?;
        Ok(!self.live_out.extract_set(space)?.is_empty()?)
    }

    /// All instances that do something, that is without the pure kills: `{ S[i] }`.
    ///
    /// This is the domain that is scheduled; kills only steer the dataflow analysis (ppcg report, section 3.2.3).
    pub fn domain(&self) -> isl::Result<isl::UnionSet> {
        self.union_of_domains(|s| !s.is_kill())
    }

    /// The instances of pure kills: `{ S[i] }`.
    pub fn kill_domain(&self) -> isl::Result<isl::UnionSet> {
        self.union_of_domains(Statement::is_kill)
    }

    /// The region without some instances `{ S[i] }`. Nothing else changes.
    ///
    /// # Errors
    /// An isl error.
    pub fn without(&self, instances: &isl::UnionSet) -> isl::Result<Self> {
        let mut rest = self.clone();
        for set in instances.set_list()?.to_vec()? {
            let name = set.tuple_name()?;
            if let Some(statement) = rest.statements.iter_mut().find(|s| Some(&s.name) == name.as_ref()) {
                statement.domain = statement.domain.clone().subtract(set)?;
            }
        }
        let domain = rest.domain()?.union(rest.kill_domain()?)?;
        rest.schedule = rest.schedule.intersect_domain(domain)?;
        Ok(rest)
    }

    /// The region without the accesses to some arrays. Nothing else changes.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn without_accesses_to(&self, arrays: &BTreeSet<String>) -> isl::Result<Self> {
        let mut rest = self.clone();
        for statement in &mut rest.statements {
            *statement = statement.with_accesses_to(|array| !arrays.contains(array))?;
        }
        Ok(rest)
    }

    fn union_of_domains(&self, keep: impl Fn(&Statement) -> bool) -> isl::Result<isl::UnionSet> {
        let mut all = isl::UnionSet::empty(self.context.space()?)?;
        for statement in self.statements.iter().filter(|s| keep(s)) {
            all = all.union(statement.domain.clone().to_union_set()?)?;
        }
        all.intersect_params(self.context.clone())
    }

    /// The accesses of some kinds, restricted to the domains and the context: `{ S[i] -> A[a] }`.
    pub fn accesses(&self, kinds: &[AccessKind]) -> isl::Result<isl::UnionMap> {
        self.collect(kinds, false)
    }

    /// The accesses of some kinds with the reference in the domain: `{ [S[i] -> R[]] -> A[a] }`
    /// (ppcg report, section 3.2.4).
    pub fn tagged_accesses(&self, kinds: &[AccessKind]) -> isl::Result<isl::UnionMap> {
        self.collect(kinds, true)
    }

    fn collect(&self, kinds: &[AccessKind], tagged: bool) -> isl::Result<isl::UnionMap> {
        let mut all = isl::UnionMap::empty(self.context.space()?)?;
        for statement in &self.statements {
            for access in statement.accesses.iter().filter(|a| kinds.contains(&a.kind)) {
                let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
                let relation = if tagged { access.tag(relation)? } else { relation };
                all = all.union(relation.to_union_map()?)?;
            }
        }
        all.intersect_params(self.context.clone())
    }

    /// Everything that may be read: `{ S[i] -> A[a] }`.
    pub fn reads(&self) -> isl::Result<isl::UnionMap> {
        self.accesses(&[AccessKind::Read])
    }

    /// Everything that may be written, definite writes included: `{ S[i] -> A[a] }`.
    pub fn may_writes(&self) -> isl::Result<isl::UnionMap> {
        self.accesses(&[AccessKind::MayWrite, AccessKind::MustWrite])
    }

    /// Everything that is definitely written: `{ S[i] -> A[a] }`.
    pub fn must_writes(&self) -> isl::Result<isl::UnionMap> {
        self.accesses(&[AccessKind::MustWrite])
    }

    /// The kills: `{ S[i] -> A[a] }`.
    pub fn kills(&self) -> isl::Result<isl::UnionMap> {
        self.accesses(&[AccessKind::Kill])
    }
}
