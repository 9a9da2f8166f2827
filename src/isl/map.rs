//! Relations between integer tuples.

use super::{BasicMapList, DimType, Id, MultiAff, MultiPwAff, PwMultiAff, Set, Space, UnionMap, Val};

object! {
    /// A relation described by one conjunction of affine constraints.
    BasicMap, isl_basic_map_copy, isl_basic_map_free, isl_basic_map_to_str
}
object! {
    /// A relation between integer tuples of two spaces.
    Map, isl_map_copy, isl_map_free, isl_map_to_str
}

parse! {
    BasicMap = isl_basic_map_read_from_str;
    Map = isl_map_read_from_str;
}

methods! { BasicMap:
    /// As a map.
    fn to_map(self) -> Map = isl_map_from_basic_map;
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_basic_map_dim;
    /// No pair satisfies the constraints.
    fn is_empty(&self) -> bool = isl_basic_map_is_empty;
}

methods! { Map:
    /// All pairs of a space.
    new universe(space: Space) = isl_map_universe;
    /// No pair of a space.
    new empty(space: Space) = isl_map_empty;
    /// The identity of a map space `{ A -> A }`.
    new identity(space: Space) = isl_map_identity;
    /// Pairs of tuples of a set space, the first lexicographically less.
    new lex_lt(space: Space) = isl_map_lex_lt;
    /// Pairs of tuples of a set space, the first lexicographically less or equal.
    new lex_le(space: Space) = isl_map_lex_le;
    /// Pairs of tuples of a set space, the first lexicographically greater.
    new lex_gt(space: Space) = isl_map_lex_gt;
    /// Pairs of tuples of a set space, the first lexicographically greater or equal.
    new lex_ge(space: Space) = isl_map_lex_ge;
    /// The pairs of two sets.
    new from_domain_and_range(domain: Set, range: Set) = isl_map_from_domain_and_range;
    /// The graph of a function.
    new from_multi_aff(function: MultiAff) = isl_map_from_multi_aff;
    /// The graph of a function.
    new from_multi_pw_aff(function: MultiPwAff) = isl_map_from_multi_pw_aff;
    /// The graph of a function.
    new from_pw_multi_aff(function: PwMultiAff) = isl_map_from_pw_multi_aff;
    /// The space.
    fn space(&self) -> Space = isl_map_get_space;
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_map_dim;
    /// A parameter or dimension occurs in the constraints.
    fn involves_dims(&self, kind: DimType, first: usize, n: usize) -> bool = isl_map_involves_dims;
    /// The tuple of this kind has an identifier.
    fn has_tuple_id(&self, kind: DimType) -> bool = isl_map_has_tuple_id;
    /// A tuple's identifier.
    fn tuple_id(&self, kind: DimType) -> Id = isl_map_get_tuple_id;
    /// A tuple's name.
    fn tuple_name(&self, kind: DimType) -> Option<String> = isl_map_get_tuple_name;
    /// A tuple renamed.
    fn set_tuple_id(self, kind: DimType, id: Id) -> Map = isl_map_set_tuple_id;
    /// The union.
    fn union(self, other: Map) -> Map = isl_map_union;
    /// The intersection.
    fn intersect(self, other: Map) -> Map = isl_map_intersect;
    /// Restricted to parameter values.
    fn intersect_params(self, params: Set) -> Map = isl_map_intersect_params;
    /// Restricted to a domain.
    fn intersect_domain(self, set: Set) -> Map = isl_map_intersect_domain;
    /// Restricted to a range.
    fn intersect_range(self, set: Set) -> Map = isl_map_intersect_range;
    /// The difference.
    fn subtract(self, other: Map) -> Map = isl_map_subtract;
    /// Pairs whose domain is not in the set.
    fn subtract_domain(self, set: Set) -> Map = isl_map_subtract_domain;
    /// Pairs whose range is not in the set.
    fn subtract_range(self, set: Set) -> Map = isl_map_subtract_range;
    /// All other pairs of the space.
    fn complement(self) -> Map = isl_map_complement;
    /// Domain and range exchanged.
    fn reverse(self) -> Map = isl_map_reverse;
    /// Range elements mapped on.
    fn apply_range(self, map: Map) -> Map = isl_map_apply_range;
    /// Domain elements mapped on.
    fn apply_domain(self, map: Map) -> Map = isl_map_apply_domain;
    /// The domain.
    fn domain(self) -> Set = isl_map_domain;
    /// The range.
    fn range(self) -> Set = isl_map_range;
    /// The parameter values for which there is a pair.
    fn params(self) -> Set = isl_map_params;
    /// The relation as a set of pairs.
    fn wrap(self) -> Set = isl_map_wrap;
    /// Maps each pair to its first element: `{ [A -> B] -> A }`.
    fn domain_map(self) -> Map = isl_map_domain_map;
    /// Maps each pair to its second element: `{ [A -> B] -> B }`.
    fn range_map(self) -> Map = isl_map_range_map;
    /// The first part of a nested domain: `{ [A -> B] -> C }` to `{ A -> C }`.
    fn domain_factor_domain(self) -> Map = isl_map_domain_factor_domain;
    /// The first part of a nested range: `{ A -> [B -> C] }` to `{ A -> B }`.
    fn range_factor_domain(self) -> Map = isl_map_range_factor_domain;
    /// The second part of a nested range: `{ A -> [B -> C] }` to `{ A -> C }`.
    fn range_factor_range(self) -> Map = isl_map_range_factor_range;
    /// `{ A -> B }` and `{ A -> C }` to `{ A -> [B -> C] }`.
    fn range_product(self, other: Map) -> Map = isl_map_range_product;
    /// `{ A -> B }` and `{ A -> C }` to `{ A -> [B, C] }`.
    fn flat_range_product(self, other: Map) -> Map = isl_map_flat_range_product;
    /// The sums of the range elements of both for each domain element.
    fn sum(self, other: Map) -> Map = isl_map_sum;
    /// The differences of the pairs, in the space of the tuples.
    fn deltas(self) -> Set = isl_map_deltas;
    /// No pair.
    fn is_empty(&self) -> bool = isl_map_is_empty;
    /// No pair, as far as it can be seen at once.
    fn plain_is_empty(&self) -> bool = isl_map_plain_is_empty;
    /// The same constraints, as far as it can be seen at once.
    fn plain_is_equal(&self, other: &Map) -> bool = isl_map_plain_is_equal;
    /// Both tuples are nested.
    fn can_zip(&self) -> bool = isl_map_can_zip;
    /// `{ [A -> B] -> [C -> D] }` to `{ [A -> C] -> [B -> D] }`.
    fn zip(self) -> Map = isl_map_zip;
    /// The preimage of the domain under functions.
    fn preimage_domain_pw_multi_aff(self, function: PwMultiAff) -> Map = isl_map_preimage_domain_pw_multi_aff;
    /// The preimage of the range under functions.
    fn preimage_range_pw_multi_aff(self, function: PwMultiAff) -> Map = isl_map_preimage_range_pw_multi_aff;
    /// The same pairs.
    fn is_equal(&self, other: &Map) -> bool = isl_map_is_equal;
    /// Every pair is in the other.
    fn is_subset(&self, other: &Map) -> bool = isl_map_is_subset;
    /// No common pair.
    fn is_disjoint(&self, other: &Map) -> bool = isl_map_is_disjoint;
    /// At most one range element for each domain element.
    fn is_single_valued(&self) -> bool = isl_map_is_single_valued;
    /// At most one domain element for each range element.
    fn is_injective(&self) -> bool = isl_map_is_injective;
    /// Single-valued and injective.
    fn is_bijective(&self) -> bool = isl_map_is_bijective;
    /// Only pairs of an element with itself.
    fn is_identity(&self) -> bool = isl_map_is_identity;
    /// Constraints merged.
    fn coalesce(self) -> Map = isl_map_coalesce;
    /// Implicit equalities made explicit.
    fn detect_equalities(self) -> Map = isl_map_detect_equalities;
    /// Redundant constraints removed.
    fn remove_redundancies(self) -> Map = isl_map_remove_redundancies;
    /// Simplified in a context.
    fn gist(self, context: Map) -> Map = isl_map_gist;
    /// Simplified in a context of domain elements.
    fn gist_domain(self, context: Set) -> Map = isl_map_gist_domain;
    /// Simplified in a context of parameters.
    fn gist_params(self, context: Set) -> Map = isl_map_gist_params;
    /// Dimensions projected out.
    fn project_out(self, kind: DimType, first: usize, n: usize) -> Map = isl_map_project_out;
    /// Dimensions moved.
    fn move_dims(self, to: DimType, to_pos: usize, from: DimType, from_pos: usize, n: usize) -> Map = isl_map_move_dims;
    /// Dimensions appended.
    fn add_dims(self, kind: DimType, n: usize) -> Map = isl_map_add_dims;
    /// Dimensions inserted.
    fn insert_dims(self, kind: DimType, position: usize, n: usize) -> Map = isl_map_insert_dims;
    /// A dimension fixed.
    fn fix_val(self, kind: DimType, position: usize, value: Val) -> Map = isl_map_fix_val;
    /// A dimension fixed to a small integer.
    fn fix_si(self, kind: DimType, position: usize, value: i32) -> Map = isl_map_fix_si;
    /// A dimension bounded below.
    fn lower_bound_val(self, kind: DimType, position: usize, value: Val) -> Map = isl_map_lower_bound_val;
    /// A dimension bounded above.
    fn upper_bound_val(self, kind: DimType, position: usize, value: Val) -> Map = isl_map_upper_bound_val;
    /// Two dimensions made equal.
    fn equate(self, kind: DimType, position: i32, other_kind: DimType, other: i32) -> Map = isl_map_equate;
    /// The first dimension made less than the second.
    fn order_lt(self, kind: DimType, position: i32, other_kind: DimType, other: i32) -> Map = isl_map_order_lt;
    /// The first dimension made greater than the second.
    fn order_gt(self, kind: DimType, position: i32, other_kind: DimType, other: i32) -> Map = isl_map_order_gt;
    /// The lexicographically least range elements.
    fn lexmin(self) -> Map = isl_map_lexmin;
    /// The lexicographically greatest range elements.
    fn lexmax(self) -> Map = isl_map_lexmax;
    /// As a union.
    fn to_union_map(self) -> UnionMap = isl_map_to_union_map;
    /// The dimension named by an identifier.
    fn set_dim_id(self, kind: DimType, position: usize, id: Id) -> Map = isl_map_set_dim_id;
    /// Parameters ordered as in a model.
    fn align_params(self, model: Space) -> Map = isl_map_align_params;
    /// The conjunctions.
    fn basic_map_list(&self) -> BasicMapList = isl_map_get_basic_map_list;
    /// The number of conjunctions.
    fn n_basic_map(&self) -> usize = isl_map_n_basic_map;
    /// The function whose graph this single-valued map is.
    fn as_pw_multi_aff(self) -> PwMultiAff = isl_map_as_pw_multi_aff;
    /// Divisions projected out: a superset.
    fn remove_divs(self) -> Map = isl_map_remove_divs;
    /// A convex superset by constraints at hand.
    fn simple_hull(self) -> BasicMap = isl_map_simple_hull;
    /// The affine hull.
    fn affine_hull(self) -> BasicMap = isl_map_affine_hull;
    /// The nested relation of the domain's.
    fn uncurry(self) -> Map = isl_map_uncurry;
    /// `{ [A -> B] -> C }` to `{ A -> [B -> C] }`.
    fn curry(self) -> Map = isl_map_curry;
    /// The nested tuples of the range flattened.
    fn flatten_range(self) -> Map = isl_map_flatten_range;
    /// Every domain element to the range elements of lexicographically greater tuples.
    fn lex_lt_map(self, other: Map) -> Map = isl_map_lex_lt_map;
    /// The value of a dimension common to all pairs, NaN if not seen at once.
    fn plain_get_val_if_fixed(&self, kind: DimType, position: usize) -> Val = isl_map_plain_get_val_if_fixed;
}
