//! Sets and relations over several spaces at once.

use std::collections::BTreeMap;

use super::{Map, MapList, MultiUnionPwAff, Point, Result, Set, SetList, Space, UnionPwMultiAff};

object! {
    /// A union of sets in different spaces.
    UnionSet, isl_union_set_copy, isl_union_set_free, isl_union_set_to_str
}
object! {
    /// A union of relations in different spaces.
    UnionMap, isl_union_map_copy, isl_union_map_free, isl_union_map_to_str
}

parse! {
    UnionSet = isl_union_set_read_from_str;
    UnionMap = isl_union_map_read_from_str;
}

methods! { UnionSet:
    /// No element; the space gives the parameters.
    new empty(space: Space) = isl_union_set_empty;
    /// The set as a union.
    new from_set(set: Set) = isl_union_set_from_set;
    /// The union.
    fn union(self, other: UnionSet) -> UnionSet = isl_union_set_union;
    /// The intersection.
    fn intersect(self, other: UnionSet) -> UnionSet = isl_union_set_intersect;
    /// Restricted to parameter values.
    fn intersect_params(self, params: Set) -> UnionSet = isl_union_set_intersect_params;
    /// The difference.
    fn subtract(self, other: UnionSet) -> UnionSet = isl_union_set_subtract;
    /// The image under a relation.
    fn apply(self, map: UnionMap) -> UnionSet = isl_union_set_apply;
    /// The preimage under functions.
    fn preimage_union_pw_multi_aff(self, function: UnionPwMultiAff) -> UnionSet = isl_union_set_preimage_union_pw_multi_aff;
    /// No element.
    fn is_empty(&self) -> bool = isl_union_set_is_empty;
    /// The same elements.
    fn is_equal(&self, other: &UnionSet) -> bool = isl_union_set_is_equal;
    /// Every element is in the other.
    fn is_subset(&self, other: &UnionSet) -> bool = isl_union_set_is_subset;
    /// No common element.
    fn is_disjoint(&self, other: &UnionSet) -> bool = isl_union_set_is_disjoint;
    /// Constraints merged.
    fn coalesce(self) -> UnionSet = isl_union_set_coalesce;
    /// Implicit equalities made explicit.
    fn detect_equalities(self) -> UnionSet = isl_union_set_detect_equalities;
    /// Simplified in a context.
    fn gist(self, context: UnionSet) -> UnionSet = isl_union_set_gist;
    /// Simplified in a context of parameters.
    fn gist_params(self, context: Set) -> UnionSet = isl_union_set_gist_params;
    /// The parameter values for which there is an element.
    fn params(self) -> Set = isl_union_set_params;
    /// All points of the spaces.
    fn universe(self) -> UnionSet = isl_union_set_universe;
    /// The sets in single spaces.
    fn set_list(&self) -> SetList = isl_union_set_get_set_list;
    /// A set of parameter values, and of nothing else.
    fn is_params(&self) -> bool = isl_union_set_is_params;
    /// The number of spaces.
    fn n_set(&self) -> usize = isl_union_set_n_set;
    /// The part in one space.
    fn extract_set(&self, space: Space) -> Set = isl_union_set_extract_set;
    /// The identity relation.
    fn identity(self) -> UnionMap = isl_union_set_identity;
    /// The nested relations.
    fn unwrap_map(self) -> UnionMap = isl_union_set_unwrap;
    /// The union lives in one space.
    fn isa_set(&self) -> bool = isl_union_set_isa_set;
    /// The set of the only space.
    fn as_set(self) -> Set = isl_union_set_as_set;
    /// Some element.
    fn sample_point(self) -> Point = isl_union_set_sample_point;
    /// The space of the parameters.
    fn space(&self) -> Space = isl_union_set_get_space;
    /// Parameters ordered as in a model.
    fn align_params(self, model: Space) -> UnionSet = isl_union_set_align_params;
    /// The affine hull of the part in each space.
    fn affine_hull(self) -> UnionSet = isl_union_set_affine_hull;
    /// Lexicographically least points of each space.
    fn lexmin(self) -> UnionSet = isl_union_set_lexmin;
    /// Pairs of points of the same space, the first lexicographically less.
    fn lex_lt_union_set(self, other: UnionSet) -> UnionMap = isl_union_set_lex_lt_union_set;
    /// Pairs of points of the same space, the first lexicographically less or equal.
    fn lex_le_union_set(self, other: UnionSet) -> UnionMap = isl_union_set_lex_le_union_set;
    /// The pairs of this and another set, as wrapped relations.
    fn product(self, other: UnionSet) -> UnionSet = isl_union_set_product;
}

methods! { UnionMap:
    /// No pair; the space gives the parameters.
    new empty(space: Space) = isl_union_map_empty;
    /// The map as a union.
    new from_map(map: Map) = isl_union_map_from_map;
    /// The pairs of two sets.
    new from_domain_and_range(domain: UnionSet, range: UnionSet) = isl_union_map_from_domain_and_range;
    /// The graph of a tuple of functions.
    new from_multi_union_pw_aff(function: MultiUnionPwAff) = isl_union_map_from_multi_union_pw_aff;
    /// The graph of functions.
    new from_union_pw_multi_aff(function: UnionPwMultiAff) = isl_union_map_from_union_pw_multi_aff;
    /// The union.
    fn union(self, other: UnionMap) -> UnionMap = isl_union_map_union;
    /// The intersection.
    fn intersect(self, other: UnionMap) -> UnionMap = isl_union_map_intersect;
    /// Restricted to parameter values.
    fn intersect_params(self, params: Set) -> UnionMap = isl_union_map_intersect_params;
    /// Restricted to a domain.
    fn intersect_domain(self, set: UnionSet) -> UnionMap = isl_union_map_intersect_domain_union_set;
    /// Restricted to a range.
    fn intersect_range(self, set: UnionSet) -> UnionMap = isl_union_map_intersect_range_union_set;
    /// `{ A -> [B -> C] }` restricted to `{ A -> B }`.
    fn intersect_range_factor_domain(self, factor: UnionMap) -> UnionMap = isl_union_map_intersect_range_factor_domain;
    /// `{ [A -> B] -> C }` restricted to `{ A -> C }`.
    fn intersect_domain_factor_domain(self, factor: UnionMap) -> UnionMap = isl_union_map_intersect_domain_factor_domain;
    /// The difference.
    fn subtract(self, other: UnionMap) -> UnionMap = isl_union_map_subtract;
    /// Pairs whose domain is not in the set.
    fn subtract_domain(self, set: UnionSet) -> UnionMap = isl_union_map_subtract_domain;
    /// Pairs whose range is not in the set.
    fn subtract_range(self, set: UnionSet) -> UnionMap = isl_union_map_subtract_range;
    /// Domain and range exchanged.
    fn reverse(self) -> UnionMap = isl_union_map_reverse;
    /// Range elements mapped on.
    fn apply_range(self, map: UnionMap) -> UnionMap = isl_union_map_apply_range;
    /// Domain elements mapped on.
    fn apply_domain(self, map: UnionMap) -> UnionMap = isl_union_map_apply_domain;
    /// The domain.
    fn domain(self) -> UnionSet = isl_union_map_domain;
    /// The range.
    fn range(self) -> UnionSet = isl_union_map_range;
    /// The parameter values for which there is a pair.
    fn params(self) -> Set = isl_union_map_params;
    /// All pairs of the spaces.
    fn universe(self) -> UnionMap = isl_union_map_universe;
    /// The relation as a set of pairs.
    fn wrap(self) -> UnionSet = isl_union_map_wrap;
    /// Maps each pair to its first element: `{ [A -> B] -> A }`.
    fn domain_map(self) -> UnionMap = isl_union_map_domain_map;
    /// Maps each pair to its second element: `{ [A -> B] -> B }`.
    fn range_map(self) -> UnionMap = isl_union_map_range_map;
    /// The function `{ [A -> B] -> A }`.
    fn domain_map_union_pw_multi_aff(self) -> UnionPwMultiAff = isl_union_map_domain_map_union_pw_multi_aff;
    /// `{ [A -> B] -> C }` to `{ A -> C }`.
    fn domain_factor_domain(self) -> UnionMap = isl_union_map_domain_factor_domain;
    /// `{ [A -> B] -> C }` to `{ B -> C }`.
    fn domain_factor_range(self) -> UnionMap = isl_union_map_domain_factor_range;
    /// `{ A -> [B -> C] }` to `{ A -> B }`.
    fn range_factor_domain(self) -> UnionMap = isl_union_map_range_factor_domain;
    /// `{ A -> [B -> C] }` to `{ A -> C }`.
    fn range_factor_range(self) -> UnionMap = isl_union_map_range_factor_range;
    /// `{ [A -> B] -> [C -> D] }` to `{ A -> C }`.
    fn factor_domain(self) -> UnionMap = isl_union_map_factor_domain;
    /// `{ [A -> B] -> [C -> D] }` to `{ B -> D }`.
    fn factor_range(self) -> UnionMap = isl_union_map_factor_range;
    /// `{ A -> B }` and `{ A -> C }` to `{ A -> [B -> C] }`.
    fn range_product(self, other: UnionMap) -> UnionMap = isl_union_map_range_product;
    /// `{ A -> B }` and `{ A -> C }` to `{ A -> [B, C] }`.
    fn flat_range_product(self, other: UnionMap) -> UnionMap = isl_union_map_flat_range_product;
    /// `{ A -> C }` and `{ B -> C }` to `{ [A -> B] -> C }`.
    fn domain_product(self, other: UnionMap) -> UnionMap = isl_union_map_domain_product;
    /// `{ A -> B }` and `{ C -> D }` to `{ [A -> C] -> [B -> D] }`.
    fn product(self, other: UnionMap) -> UnionMap = isl_union_map_product;
    /// `{ [A -> B] -> C }` to `{ A -> [B -> C] }`.
    fn curry(self) -> UnionMap = isl_union_map_curry;
    /// `{ A -> [B -> C] }` to `{ [A -> B] -> C }`.
    fn uncurry(self) -> UnionMap = isl_union_map_uncurry;
    /// `{ A -> [B -> C] }` to `{ A -> [C -> B] }`.
    fn range_reverse(self) -> UnionMap = isl_union_map_range_reverse;
    /// Wrapped ranges or domains zipped: `{ [A -> B] -> [C -> D] }` to `{ [A -> C] -> [B -> D] }`.
    fn zip(self) -> UnionMap = isl_union_map_zip;
    /// The differences of pairs within one space.
    fn deltas(self) -> UnionSet = isl_union_map_deltas;
    /// Pairs whose images under a schedule are equal.
    fn eq_at(self, schedule: MultiUnionPwAff) -> UnionMap = isl_union_map_eq_at_multi_union_pw_aff;
    /// Pairs whose images under a schedule are lexicographically increasing.
    fn lex_lt_at(self, schedule: MultiUnionPwAff) -> UnionMap = isl_union_map_lex_lt_at_multi_union_pw_aff;
    /// Pairs whose images under a schedule are lexicographically decreasing.
    fn lex_gt_at(self, schedule: MultiUnionPwAff) -> UnionMap = isl_union_map_lex_gt_at_multi_union_pw_aff;
    /// Domain elements paired when the image of the first is lexicographically less.
    fn lex_lt_union_map(self, other: UnionMap) -> UnionMap = isl_union_map_lex_lt_union_map;
    /// Domain elements paired when the image of the first is lexicographically less or equal.
    fn lex_le_union_map(self, other: UnionMap) -> UnionMap = isl_union_map_lex_le_union_map;
    /// No pair.
    fn is_empty(&self) -> bool = isl_union_map_is_empty;
    /// The same pairs.
    fn is_equal(&self, other: &UnionMap) -> bool = isl_union_map_is_equal;
    /// Every pair is in the other.
    fn is_subset(&self, other: &UnionMap) -> bool = isl_union_map_is_subset;
    /// No common pair.
    fn is_disjoint(&self, other: &UnionMap) -> bool = isl_union_map_is_disjoint;
    /// At most one image each.
    fn is_single_valued(&self) -> bool = isl_union_map_is_single_valued;
    /// At most one preimage each.
    fn is_injective(&self) -> bool = isl_union_map_is_injective;
    /// Single-valued and injective.
    fn is_bijective(&self) -> bool = isl_union_map_is_bijective;
    /// Constraints merged.
    fn coalesce(self) -> UnionMap = isl_union_map_coalesce;
    /// Implicit equalities made explicit.
    fn detect_equalities(self) -> UnionMap = isl_union_map_detect_equalities;
    /// Redundant constraints removed.
    fn remove_redundancies(self) -> UnionMap = isl_union_map_remove_redundancies;
    /// Simplified in a context.
    fn gist(self, context: UnionMap) -> UnionMap = isl_union_map_gist;
    /// Simplified in a context of domain elements.
    fn gist_domain(self, context: UnionSet) -> UnionMap = isl_union_map_gist_domain;
    /// Simplified in a context of range elements.
    fn gist_range(self, context: UnionSet) -> UnionMap = isl_union_map_gist_range;
    /// Simplified in a context of parameters.
    fn gist_params(self, context: Set) -> UnionMap = isl_union_map_gist_params;
    /// The maps in single spaces.
    fn map_list(&self) -> MapList = isl_union_map_get_map_list;
    /// The number of spaces.
    fn n_map(&self) -> usize = isl_union_map_n_map;
    /// The part in one space.
    fn extract_map(&self, space: Space) -> Map = isl_union_map_extract_map;
    /// The relation lives in one space.
    fn isa_map(&self) -> bool = isl_union_map_isa_map;
    /// The map of the only space.
    fn as_map(self) -> Map = isl_union_map_as_map;
    /// The lexicographically least images.
    fn lexmin(self) -> UnionMap = isl_union_map_lexmin;
    /// The lexicographically greatest images.
    fn lexmax(self) -> UnionMap = isl_union_map_lexmax;
    /// The functions whose graph a single-valued relation is.
    fn as_union_pw_multi_aff(self) -> UnionPwMultiAff = isl_union_map_as_union_pw_multi_aff;
    /// The space of the parameters.
    fn space(&self) -> Space = isl_union_map_get_space;
    /// Parameters ordered as in a model.
    fn align_params(self, model: Space) -> UnionMap = isl_union_map_align_params;
    /// The preimage of the domain under functions.
    fn preimage_domain_union_pw_multi_aff(self, function: UnionPwMultiAff) -> UnionMap = isl_union_map_preimage_domain_union_pw_multi_aff;
    /// The preimage of the range under functions.
    fn preimage_range_union_pw_multi_aff(self, function: UnionPwMultiAff) -> UnionMap = isl_union_map_preimage_range_union_pw_multi_aff;
    /// Divisions made explicit.
    fn compute_divs(self) -> UnionMap = isl_union_map_compute_divs;
}

impl UnionSet {
    /// The sets by the names of their tuples, those without a name left out.
    pub fn named_sets(&self) -> Result<BTreeMap<String, Set>> {
        let mut named = BTreeMap::new();
        for set in self.set_list()?.to_vec()? {
            named.extend(set.tuple_name()?.map(|name| (name, set)));
        }
        Ok(named)
    }

    /// The names of the tuples, those without a name left out.
    pub fn tuple_names(&self) -> Result<Vec<String>> {
        let sets = self.set_list()?.to_vec()?;
        Ok(sets.iter().map(|set| set.tuple_name()).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}
