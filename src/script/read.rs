//! isl's trees to loops with names.

use super::error::{NotDone, Wrong};
use super::nest::{Kind, Loop, Nest, Node, Part};
use crate::isl::{DimType, NodeType, Result, Schedule, ScheduleNode, UnionPwAff};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{Band, mark};
use crate::scop::Scop;
use std::collections::{BTreeMap, BTreeSet};

/// The loops of a tree. Its flags are forgotten, and marks for vectors, which are found anew.
///
/// # Errors
/// Nodes and marks that this knows nothing of, as those of kernels; failures of isl.
pub(super) fn nest(scop: &Scop, tree: &Schedule) -> std::result::Result<Nest, NotDone> {
    let mut reader = Reader { scop, above: Vec::new() };
    let root = reader.node(&tree.root()?.first_child()?, Said::default())?;
    Ok(Nest { domain: tree.domain()?, root })
}

/// What loops over wavefronts are called, which are sums of several iterators.
const FRONT: &str = "front";

/// What the marks right above a band say of it.
#[derive(Default, Clone)]
struct Said {
    kind: Option<Kind>,
    parallel: Option<Vec<String>>,
    is_front: bool,
}

struct Reader<'s> {
    scop: &'s Scop,
    /// The iterators that loops above are called by, with the kinds of these: of each statement.
    above: Vec<(Kind, BTreeMap<String, String>)>,
}

impl Reader<'_> {
    fn node(&mut self, node: &ScheduleNode, said: Said) -> std::result::Result<Node, NotDone> {
        let below = || node.clone().first_child();
        match node.node_type()? {
            NodeType::Leaf => Ok(Node::Leaf),
            NodeType::Band if node.band_n_member()? == 0 => self.node(&below()?, Said::default()),
            NodeType::Band => self.band(node, said),
            NodeType::Mark => self.mark(node, said),
            kind @ (NodeType::Sequence | NodeType::Set) => {
                let mut parts = Vec::new();
                for child in node.children()? {
                    let filter = child.filter()?;
                    if !filter.is_disjoint(&node.domain()?)? {
                        parts.push(Part { filter, node: self.node(&child.first_child()?, Said::default())? });
                    }
                }
                match (parts.pop(), parts.is_empty()) {
                    (None, _) => Ok(Node::Leaf),
                    (Some(only), true) => Ok(only.node),
                    (Some(last), false) => {
                        parts.push(last);
                        Ok(Node::Parts { ordered: kind == NodeType::Sequence, parts })
                    }
                }
            }
            NodeType::Filter | NodeType::Context | NodeType::Domain => self.node(&below()?, Said::default()),
            kind => Err(Wrong::new(format!("a tree with a node of kind {kind:?} cannot be changed by hand")).into()),
        }
    }

    fn mark(&mut self, node: &ScheduleNode, said: Said) -> std::result::Result<Node, NotDone> {
        let name = node.mark_id()?.name()?.unwrap_or_default();
        let unknown = || Wrong::new(format!("a tree with the mark `{name}` cannot be changed by hand"));
        let found = mark(node)?.ok_or_else(unknown)?;
        let below = node.clone().first_child()?;
        if let Some(kind) = Kind::of(&found) {
            return self.node(&below, Said { kind: Some(kind), ..said });
        }
        match found {
            Mark::Vector => self.node(&below, said),
            Mark::Parallel { private } => self.node(&below, Said { parallel: Some(private), ..said }),
            Mark::Wavefront | Mark::Packed { .. } | Mark::Rest => {
                let is_front = found == Mark::Wavefront;
                let body = Box::new(self.node(&below, Said { is_front, ..said })?);
                Ok(Node::Mark { mark: found, body })
            }
            _ => Err(unknown().into()),
        }
    }

    fn band(&mut self, node: &ScheduleNode, said: Said) -> std::result::Result<Node, NotDone> {
        let statements: BTreeSet<String> = node.domain()?.tuple_names()?.into_iter().collect();
        let depth = self.above.len();
        let mut loops = Vec::new();
        for (number, member) in Band::read(node)?.members.into_iter().enumerate() {
            let kind = match said.kind {
                None if said.is_front && number == 0 => Kind::Front,
                kind => kind.unwrap_or(Kind::Plain),
            };
            let names = match said.is_front && number == 0 {
                true => statements.iter().map(|statement| (statement.clone(), FRONT.to_owned())).collect(),
                false => self.names(&member, kind, &statements)?,
            };
            self.above.push((kind, names.clone()));
            let parallel = if number == 0 { said.parallel.clone() } else { None };
            loops.push(Loop { names, kind, parallel, member, body: Box::new(Node::Leaf) });
        }
        let mut inside = self.node(&node.clone().first_child()?, Said::default())?;
        self.above.truncate(depth);
        for mut this in loops.into_iter().rev() {
            *this.body = inside;
            inside = Node::Loop(this);
        }
        Ok(inside)
    }

    /// The iterators that a loop is called by: of those that its function is made of the last one that no loop of its
    /// kind above is called by.
    fn names(
        &self,
        member: &UnionPwAff,
        kind: Kind,
        statements: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, String>> {
        let mut names = BTreeMap::new();
        for function in member.pw_aff_list()?.to_vec()? {
            let space = function.domain_space()?;
            let Some(statement) = space.tuple_name(DimType::SET)?.filter(|name| statements.contains(name)) else {
                continue;
            };
            let function = function.clone().gist(function.domain()?)?;
            if !function.isa_aff()? {
                continue;
            }
            let aff = function.as_aff()?;
            let domain = self.scop.statement_by_name(&statement).map(|id| &self.scop.statement(id).domain);
            let mut involved = Vec::new();
            for dimension in 0..space.dim(DimType::SET)? {
                if aff.involves_dims(DimType::In, dimension, 1)? {
                    let name = domain.map_or(Ok(None), |domain| domain.dim_name(DimType::SET, dimension))?;
                    involved.push(name.unwrap_or_else(|| format!("i{dimension}")));
                }
            }
            let is_taken = |name: &&String| {
                self.above.iter().any(|(other, names)| *other == kind && names.get(&statement) == Some(*name))
            };
            let last = involved.iter().rfind(|name| !is_taken(name)).or(involved.last());
            names.extend(last.map(|name| (statement.clone(), name.clone())));
        }
        Ok(names)
    }
}
