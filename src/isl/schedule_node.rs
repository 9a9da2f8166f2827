//! Nodes of schedule trees: walking and rewriting.

use super::macros::{Arg, Ret};
use super::{
    Ctx, Error, Id, MultiUnionPwAff, MultiVal, Result, Schedule, Set, UnionMap, UnionPwMultiAff, UnionSet, UnionSetList,
};
use std::ffi::c_int;

object! {
    /// A position in a schedule tree. Changes make a new tree; the old one is unaffected.
    ScheduleNode, isl_schedule_node_copy, isl_schedule_node_free, isl_schedule_node_to_str
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are isl's, explained in the ppcg report, section 4.4")]
pub enum NodeType {
    Band,
    Context,
    Domain,
    Expansion,
    Extension,
    Filter,
    Leaf,
    Guard,
    Mark,
    Sequence,
    Set,
}

impl Ret for NodeType {
    type Raw = c_int;
    fn from_raw(raw: c_int, ctx: &Ctx) -> Result<Self> {
        use NodeType as N;
        const TYPES: [NodeType; 11] = [
            N::Band,
            N::Context,
            N::Domain,
            N::Expansion,
            N::Extension,
            N::Filter,
            N::Leaf,
            N::Guard,
            N::Mark,
            N::Sequence,
            N::Set,
        ];
        usize::try_from(raw).ok().and_then(|i| TYPES.get(i).copied()).ok_or_else(|| ctx.take_error())
    }
}

/// How the AST generator treats a band member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum AstLoopType {
    /// As it sees fit.
    Default = 0,
    /// One loop, whatever that costs in guards.
    Atomic = 1,
    /// Unrolled.
    Unroll = 2,
    /// One loop a combination of statements.
    Separate = 3,
}

impl Arg for AstLoopType {
    type Raw = c_int;
    fn into_raw(self) -> c_int {
        self as c_int
    }
}

methods! { ScheduleNode:
    /// The root of a tree of a domain alone.
    new from_domain(domain: UnionSet) = isl_schedule_node_from_domain;
    /// The root of a tree that starts with an extension, for grafting.
    new from_extension(extension: UnionMap) = isl_schedule_node_from_extension;
    /// The kind.
    fn node_type(&self) -> NodeType = isl_schedule_node_get_type;
    /// The kind of the parent.
    fn parent_type(&self) -> NodeType = isl_schedule_node_get_parent_type;
    /// The whole tree.
    fn schedule(&self) -> Schedule = isl_schedule_node_get_schedule;
    /// The root.
    fn root(self) -> ScheduleNode = isl_schedule_node_root;
    /// The parent.
    fn parent(self) -> ScheduleNode = isl_schedule_node_parent;
    /// The ancestor so many generations up.
    fn ancestor(self, generation: i32) -> ScheduleNode = isl_schedule_node_ancestor;
    /// The child at a position.
    fn child(self, position: i32) -> ScheduleNode = isl_schedule_node_child;
    /// The first child.
    fn first_child(self) -> ScheduleNode = isl_schedule_node_first_child;
    /// The number of children (a leaf counts as a child).
    fn n_children(&self) -> usize = isl_schedule_node_n_children;
    /// There is a child that is no leaf.
    fn has_children(&self) -> bool = isl_schedule_node_has_children;
    /// There is a parent.
    fn has_parent(&self) -> bool = isl_schedule_node_has_parent;
    /// The position among the parent's children.
    fn child_position(&self) -> usize = isl_schedule_node_get_child_position;
    /// The next child of the parent.
    fn next_sibling(self) -> ScheduleNode = isl_schedule_node_next_sibling;
    /// The number of band members above.
    fn schedule_depth(&self) -> usize = isl_schedule_node_get_schedule_depth;
    /// The number of nodes above.
    fn tree_depth(&self) -> usize = isl_schedule_node_get_tree_depth;
    /// The instances that reach this node.
    fn domain(&self) -> UnionSet = isl_schedule_node_get_domain;
    /// The spaces of the instances that reach this node.
    fn universe_domain(&self) -> UnionSet = isl_schedule_node_get_universe_domain;
    /// What the bands above order: `{ S[i] -> [t] }`.
    fn prefix_schedule(&self) -> MultiUnionPwAff = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff;
    /// The same as a relation.
    fn prefix_schedule_union_map(&self) -> UnionMap = isl_schedule_node_get_prefix_schedule_union_map;
    /// The order of the subtree as a relation.
    fn subtree_schedule_union_map(&self) -> UnionMap = isl_schedule_node_get_subtree_schedule_union_map;
    /// The subtree depends on the node's outer bands (isolate options, contexts).
    fn is_subtree_anchored(&self) -> bool = isl_schedule_node_is_subtree_anchored;
    /// The number of members of a band.
    fn band_n_member(&self) -> usize = isl_schedule_node_band_n_member;
    /// The partial schedule of a band.
    fn band_partial_schedule(&self) -> MultiUnionPwAff = isl_schedule_node_band_get_partial_schedule;
    /// The partial schedule of a band as a relation.
    fn band_partial_schedule_union_map(&self) -> UnionMap = isl_schedule_node_band_get_partial_schedule_union_map;
    /// The band's members may be interchanged freely.
    fn band_permutable(&self) -> bool = isl_schedule_node_band_get_permutable;
    /// Marks a band as permutable or not.
    fn band_set_permutable(self, permutable: bool) -> ScheduleNode = isl_schedule_node_band_set_permutable;
    /// A member is marked coincident.
    fn band_member_coincident(&self, position: i32) -> bool = isl_schedule_node_band_member_get_coincident;
    /// Marks a member as coincident or not.
    fn band_member_set_coincident(self, position: i32, coincident: bool) -> ScheduleNode = isl_schedule_node_band_member_set_coincident;
    /// Says how the AST generator treats a member.
    fn band_member_set_ast_loop_type(self, position: i32, kind: AstLoopType) -> ScheduleNode = isl_schedule_node_band_member_set_ast_loop_type;
    /// Says how the AST generator treats a member in the isolated part.
    fn band_member_set_isolate_ast_loop_type(self, position: i32, kind: AstLoopType) -> ScheduleNode = isl_schedule_node_band_member_set_isolate_ast_loop_type;
    /// The AST options of a band.
    fn band_ast_build_options(&self) -> UnionSet = isl_schedule_node_band_get_ast_build_options;
    /// The AST options of a band replaced.
    fn band_set_ast_build_options(self, options: UnionSet) -> ScheduleNode = isl_schedule_node_band_set_ast_build_options;
    /// The band split in a tile band above a point band.
    fn band_tile(self, sizes: MultiVal) -> ScheduleNode = isl_schedule_node_band_tile;
    /// The band split in two after the first members.
    fn band_split(self, position: i32) -> ScheduleNode = isl_schedule_node_band_split;
    /// The members scaled.
    fn band_scale(self, factors: MultiVal) -> ScheduleNode = isl_schedule_node_band_scale;
    /// The members divided and rounded down.
    fn band_scale_down(self, factors: MultiVal) -> ScheduleNode = isl_schedule_node_band_scale_down;
    /// The members modulo values.
    fn band_mod(self, factors: MultiVal) -> ScheduleNode = isl_schedule_node_band_mod;
    /// The members shifted.
    fn band_shift(self, shift: MultiUnionPwAff) -> ScheduleNode = isl_schedule_node_band_shift;
    /// The band moved down to the leaves of its subtree.
    fn band_sink(self) -> ScheduleNode = isl_schedule_node_band_sink;
    /// A band inserted above this node.
    fn insert_partial_schedule(self, partial: MultiUnionPwAff) -> ScheduleNode = isl_schedule_node_insert_partial_schedule;
    /// A sequence inserted above this node.
    fn insert_sequence(self, filters: UnionSetList) -> ScheduleNode = isl_schedule_node_insert_sequence;
    /// A set inserted above this node.
    fn insert_set(self, filters: UnionSetList) -> ScheduleNode = isl_schedule_node_insert_set;
    /// A filter inserted above this node.
    fn insert_filter(self, filter: UnionSet) -> ScheduleNode = isl_schedule_node_insert_filter;
    /// A mark inserted above this node.
    fn insert_mark(self, mark: Id) -> ScheduleNode = isl_schedule_node_insert_mark;
    /// A context inserted above this node.
    fn insert_context(self, context: Set) -> ScheduleNode = isl_schedule_node_insert_context;
    /// A guard inserted above this node.
    fn insert_guard(self, guard: Set) -> ScheduleNode = isl_schedule_node_insert_guard;
    /// The mark of a mark node.
    fn mark_id(&self) -> Id = isl_schedule_node_mark_get_id;
    /// The instances that a filter lets pass.
    fn filter(&self) -> UnionSet = isl_schedule_node_filter_get_filter;
    /// The domain of a domain node.
    fn domain_domain(&self) -> UnionSet = isl_schedule_node_domain_get_domain;
    /// The context of a context node.
    fn context_context(&self) -> Set = isl_schedule_node_context_get_context;
    /// The guard of a guard node.
    fn guard_guard(&self) -> Set = isl_schedule_node_guard_get_guard;
    /// The extension of an extension node.
    fn extension(&self) -> UnionMap = isl_schedule_node_extension_get_extension;
    /// The contraction of an expansion node.
    fn expansion_contraction(&self) -> UnionPwMultiAff = isl_schedule_node_expansion_get_contraction;
    /// The expansion of an expansion node.
    fn expansion_expansion(&self) -> UnionMap = isl_schedule_node_expansion_get_expansion;
    /// The subtree under this node cut off.
    fn cut(self) -> ScheduleNode = isl_schedule_node_cut;
    /// The node deleted, its child taking its place.
    fn delete(self) -> ScheduleNode = isl_schedule_node_delete;
    /// A nested sequence child spliced into its parent sequence.
    fn sequence_splice_child(self, position: i32) -> ScheduleNode = isl_schedule_node_sequence_splice_child;
    /// Splices the sequences right below the children of a sequence into it.
    fn sequence_splice_children(self) -> ScheduleNode = isl_schedule_node_sequence_splice_children;
    /// A tree grafted before this node.
    fn graft_before(self, graft: ScheduleNode) -> ScheduleNode = isl_schedule_node_graft_before;
    /// A tree grafted after this node.
    fn graft_after(self, graft: ScheduleNode) -> ScheduleNode = isl_schedule_node_graft_after;
    /// The instances of a filter moved before the others.
    fn order_before(self, filter: UnionSet) -> ScheduleNode = isl_schedule_node_order_before;
    /// The instances of a filter moved after the others.
    fn order_after(self, filter: UnionSet) -> ScheduleNode = isl_schedule_node_order_after;
}

impl ScheduleNode {
    /// The children, in order.
    pub fn children(&self) -> Result<Vec<ScheduleNode>> {
        (0..self.n_children()?)
            .map(|i| self.clone().child(i32::try_from(i).map_err(|_| Error::invalid("too many children"))?))
            .collect()
    }

    /// Rewrites every node under and including this one, children first.
    ///
    /// `rewrite` may replace the node it is given by any tree at the same place.
    pub fn map_descendant_bottom_up(
        self,
        rewrite: &mut dyn FnMut(ScheduleNode) -> Result<ScheduleNode>,
    ) -> Result<ScheduleNode> {
        let mut node = self;
        if node.has_children()? {
            let n = i32::try_from(node.n_children()?).map_err(|_| Error::invalid("too many children"))?;
            for i in 0..n {
                node = node.child(i)?.map_descendant_bottom_up(rewrite)?.parent()?;
            }
        }
        rewrite(node)
    }

    /// Calls `visit` on this node and all under it, parents first; `false` skips the children.
    pub fn for_each_descendant_top_down(&self, visit: &mut dyn FnMut(&ScheduleNode) -> Result<bool>) -> Result<()> {
        if visit(self)? && self.has_children()? {
            for child in self.children()? {
                child.for_each_descendant_top_down(visit)?;
            }
        }
        Ok(())
    }

    /// The coincident flag of every member of a band.
    pub fn band_coincident(&self) -> Result<Vec<bool>> {
        (0..self.band_n_member()?).map(|i| self.band_member_coincident(i32::try_from(i).unwrap_or(0))).collect()
    }
}
