//! Sets of integer tuples.

use super::{BasicSetList, DimType, Id, Map, MultiAff, MultiPwAff, MultiVal, PwAff, PwMultiAff, Space, UnionSet, Val};

object! {
    /// A set described by one conjunction of affine constraints.
    BasicSet, isl_basic_set_copy, isl_basic_set_free, isl_basic_set_to_str
}
object! {
    /// A set of integer tuples in one space.
    Set, isl_set_copy, isl_set_free, isl_set_to_str
}
object! {
    /// A box of constant size that holds a set, if one was found.
    FixedBox, isl_fixed_box_copy, isl_fixed_box_free, isl_fixed_box_to_str
}
object! {
    /// One integer point.
    Point, isl_point_copy, isl_point_free, isl_point_to_str
}

parse! {
    BasicSet = isl_basic_set_read_from_str;
    Set = isl_set_read_from_str;
}

methods! { BasicSet:
    /// All points of a space.
    new universe(space: Space) = isl_basic_set_universe;
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_basic_set_dim;
    /// No integer point satisfies the constraints.
    fn is_empty(&self) -> bool = isl_basic_set_is_empty;
    /// As a set.
    fn to_set(self) -> Set = isl_set_from_basic_set;
    /// The intersection.
    fn intersect(self, other: BasicSet) -> BasicSet = isl_basic_set_intersect;
    /// Divisions projected out: a superset.
    fn remove_divs(self) -> BasicSet = isl_basic_set_remove_divs;
    /// An upper bound on the number of constraints.
    fn n_constraint(&self) -> usize = isl_basic_set_n_constraint;
}

methods! { FixedBox:
    /// One was found.
    fn is_valid(&self) -> bool = isl_fixed_box_is_valid;
    /// Its first point, in terms of parameters.
    fn offset(&self) -> MultiAff = isl_fixed_box_get_offset;
    /// Its size along each dimension.
    fn size(&self) -> MultiVal = isl_fixed_box_get_size;
}

methods! { Set:
    /// Both are obviously the same; `false` if that is not obvious.
    fn plain_is_equal(&self, other: &Set) -> bool = isl_set_plain_is_equal;
    /// A box whose size does not depend on parameters, as constraints at hand have it.
    fn simple_fixed_box_hull(&self) -> FixedBox = isl_set_get_simple_fixed_box_hull;
    /// All points of a space.
    new universe(space: Space) = isl_set_universe;
    /// No point of a space.
    new empty(space: Space) = isl_set_empty;
    /// The set of one point.
    new from_point(point: Point) = isl_set_from_point;
    /// The space.
    fn space(&self) -> Space = isl_set_get_space;
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_set_dim;
    /// The tuple's name.
    fn tuple_name(&self) -> Option<String> = isl_set_get_tuple_name;
    /// The tuple's identifier.
    fn tuple_id(&self) -> Id = isl_set_get_tuple_id;
    /// The tuple renamed.
    fn set_tuple_id(self, id: Id) -> Set = isl_set_set_tuple_id;
    /// The tuple without a name.
    fn reset_tuple_id(self) -> Set = isl_set_reset_tuple_id;
    /// The union.
    fn union(self, other: Set) -> Set = isl_set_union;
    /// The intersection.
    fn intersect(self, other: Set) -> Set = isl_set_intersect;
    /// Restricted to parameter values.
    fn intersect_params(self, params: Set) -> Set = isl_set_intersect_params;
    /// The difference.
    fn subtract(self, other: Set) -> Set = isl_set_subtract;
    /// All other points of the space.
    fn complement(self) -> Set = isl_set_complement;
    /// The image under a map.
    fn apply(self, map: Map) -> Set = isl_set_apply;
    /// The preimage under a tuple of functions.
    fn preimage_multi_aff(self, function: MultiAff) -> Set = isl_set_preimage_multi_aff;
    /// The preimage under a tuple of functions.
    fn preimage_multi_pw_aff(self, function: MultiPwAff) -> Set = isl_set_preimage_multi_pw_aff;
    /// The preimage under a tuple of functions.
    fn preimage_pw_multi_aff(self, function: PwMultiAff) -> Set = isl_set_preimage_pw_multi_aff;
    /// No integer point.
    fn is_empty(&self) -> bool = isl_set_is_empty;
    /// All integer points of the space, as far as it can be seen at once.
    fn plain_is_universe(&self) -> bool = isl_set_plain_is_universe;
    /// The same points.
    fn is_equal(&self, other: &Set) -> bool = isl_set_is_equal;
    /// Every point is in the other.
    fn is_subset(&self, other: &Set) -> bool = isl_set_is_subset;
    /// No common point.
    fn is_disjoint(&self, other: &Set) -> bool = isl_set_is_disjoint;
    /// Exactly one point for each parameter value.
    fn is_singleton(&self) -> bool = isl_set_is_singleton;
    /// Bounded for each parameter value.
    fn is_bounded(&self) -> bool = isl_set_is_bounded;
    /// The set lives in a parameter space.
    fn is_params(&self) -> bool = isl_set_is_params;
    /// Constraints merged where the set stays the same.
    fn coalesce(self) -> Set = isl_set_coalesce;
    /// Implicit equalities made explicit.
    fn detect_equalities(self) -> Set = isl_set_detect_equalities;
    /// Redundant constraints removed.
    fn remove_redundancies(self) -> Set = isl_set_remove_redundancies;
    /// Divisions without meaning removed.
    fn compute_divs(self) -> Set = isl_set_compute_divs;
    /// Divisions projected out: a superset.
    fn remove_divs(self) -> Set = isl_set_remove_divs;
    /// Simplified in a context: equal to the set wherever the context holds.
    fn gist(self, context: Set) -> Set = isl_set_gist;
    /// Simplified in a context of parameters.
    fn gist_params(self, context: Set) -> Set = isl_set_gist_params;
    /// A convex superset by constraints at hand.
    fn simple_hull(self) -> BasicSet = isl_set_simple_hull;
    /// A convex superset from constraints of the pieces alone.
    fn unshifted_simple_hull(self) -> BasicSet = isl_set_unshifted_simple_hull;
    /// The affine hull.
    fn affine_hull(self) -> BasicSet = isl_set_affine_hull;
    /// The polyhedral hull.
    fn polyhedral_hull(self) -> BasicSet = isl_set_polyhedral_hull;
    /// The parameter values for which the set has a point.
    fn params(self) -> Set = isl_set_params;
    /// The parameter set of a set without dimensions, or the set of parameters made a tuple-less set.
    fn from_params(self) -> Set = isl_set_from_params;
    /// Dimensions projected out.
    fn project_out(self, kind: DimType, first: usize, n: usize) -> Set = isl_set_project_out;
    /// All parameters projected out.
    fn project_out_all_params(self) -> Set = isl_set_project_out_all_params;
    /// Constraints that involve the dimensions dropped: a superset.
    fn drop_constraints_involving_dims(self, kind: DimType, first: usize, n: usize) -> Set = isl_set_drop_constraints_involving_dims;
    /// Dimensions moved.
    fn move_dims(self, to: DimType, to_pos: usize, from: DimType, from_pos: usize, n: usize) -> Set = isl_set_move_dims;
    /// Dimensions appended.
    fn add_dims(self, kind: DimType, n: usize) -> Set = isl_set_add_dims;
    /// A dimension fixed.
    fn fix_val(self, kind: DimType, position: usize, value: Val) -> Set = isl_set_fix_val;
    /// A dimension fixed to a small integer.
    fn fix_si(self, kind: DimType, position: usize, value: i32) -> Set = isl_set_fix_si;
    /// A dimension bounded below.
    fn lower_bound_val(self, kind: DimType, position: usize, value: Val) -> Set = isl_set_lower_bound_val;
    /// A dimension bounded above.
    fn upper_bound_val(self, kind: DimType, position: usize, value: Val) -> Set = isl_set_upper_bound_val;
    /// A parameter or dimension occurs in the constraints.
    fn involves_dims(&self, kind: DimType, first: usize, n: usize) -> bool = isl_set_involves_dims;
    /// The identifier of a dimension.
    fn set_dim_id(self, kind: DimType, position: usize, id: Id) -> Set = isl_set_set_dim_id;
    /// The name of a dimension.
    fn dim_name(&self, kind: DimType, position: usize) -> Option<String> = isl_set_get_dim_name;
    /// The lexicographically least points.
    fn lexmin(self) -> Set = isl_set_lexmin;
    /// The lexicographically greatest points.
    fn lexmax(self) -> Set = isl_set_lexmax;
    /// The least value of a dimension, as a function of the parameters.
    fn dim_min(self, position: i32) -> PwAff = isl_set_dim_min;
    /// The greatest value of a dimension, as a function of the parameters.
    fn dim_max(self, position: i32) -> PwAff = isl_set_dim_max;
    /// A dimension has a lower bound.
    fn dim_has_lower_bound(&self, kind: DimType, position: usize) -> bool = isl_set_dim_has_lower_bound;
    /// A dimension has an upper bound.
    fn dim_has_upper_bound(&self, kind: DimType, position: usize) -> bool = isl_set_dim_has_upper_bound;
    /// Some point of the set (void point when empty).
    fn sample_point(self) -> Point = isl_set_sample_point;
    /// The number of points of a bounded set without parameters.
    fn count_val(&self) -> Val = isl_set_count_val;
    /// The conjunctions.
    fn basic_set_list(&self) -> BasicSetList = isl_set_get_basic_set_list;
    /// The number of conjunctions.
    fn n_basic_set(&self) -> usize = isl_set_n_basic_set;
    /// The coefficients of the affine forms that are not negative on the set, which must have no divisions:
    /// `{ coefficients[[cst, parameters] -> S[...]] }`.
    fn coefficients(self) -> BasicSet = isl_set_coefficients;
    /// The conjunctions made disjoint.
    fn make_disjoint(self) -> Set = isl_set_make_disjoint;
    /// The identity relation on the set.
    fn identity(self) -> Map = isl_set_identity;
    /// The nested relation.
    fn unwrap_map(self) -> Map = isl_set_unwrap;
    /// The set nests a relation.
    fn is_wrapping(&self) -> bool = isl_set_is_wrapping;
    /// As a union.
    fn to_union_set(self) -> UnionSet = isl_set_to_union_set;
    /// Parameters ordered as in a model.
    fn align_params(self, model: Space) -> Set = isl_set_align_params;
    /// Unused parameters dropped.
    fn drop_unused_params(self) -> Set = isl_set_drop_unused_params;
    /// The set as a map from nothing.
    fn from_range_map(self) -> Map = isl_map_from_range;
    /// The set as a map to nothing.
    fn from_domain_map(self) -> Map = isl_map_from_domain;
    /// The pairs of this and another set as a wrapped relation.
    fn product(self, other: Set) -> Set = isl_set_product;
    /// The tuples of both after one another.
    fn flat_product(self, other: Set) -> Set = isl_set_flat_product;
    /// The nested tuples flattened.
    fn flatten(self) -> Set = isl_set_flatten;
    /// Every point of this set to every lexicographically greater point of the other.
    fn lex_lt_set(self, other: Set) -> Map = isl_set_lex_lt_set;
    /// The common values of all points on a dimension, if there is one: else NaN.
    fn plain_get_val_if_fixed(&self, kind: DimType, position: usize) -> Val = isl_set_plain_get_val_if_fixed;
    /// The greatest number that all differences of the values of a dimension are multiples of.
    fn stride(&self, position: i32) -> Val = isl_set_get_stride;
}

methods! { Point:
    /// The space.
    fn space(&self) -> Space = isl_point_get_space;
    /// The value of a dimension.
    fn coordinate(&self, kind: DimType, position: i32) -> Val = isl_point_get_coordinate_val;
    /// There is no point.
    fn is_void(&self) -> bool = isl_point_is_void;
    /// The point's values.
    fn multi_val(&self) -> MultiVal = isl_point_get_multi_val;
}
