//! Quasi-affine functions, piecewise and in tuples.

use super::{
    BasicSet, DimType, Id, LocalSpace, Map, MultiVal, PwAffList, Set, Space, UnionMap, UnionPwAffList, UnionSet, Val,
};

object! {
    /// A quasi-affine function of one value.
    Aff, isl_aff_copy, isl_aff_free, isl_aff_to_str
}
object! {
    /// A piecewise quasi-affine function of one value.
    PwAff, isl_pw_aff_copy, isl_pw_aff_free, isl_pw_aff_to_str
}
object! {
    /// A tuple of quasi-affine functions.
    MultiAff, isl_multi_aff_copy, isl_multi_aff_free, isl_multi_aff_to_str
}
object! {
    /// A tuple of piecewise quasi-affine functions.
    MultiPwAff, isl_multi_pw_aff_copy, isl_multi_pw_aff_free, isl_multi_pw_aff_to_str
}
object! {
    /// A piecewise tuple of quasi-affine functions.
    PwMultiAff, isl_pw_multi_aff_copy, isl_pw_multi_aff_free, isl_pw_multi_aff_to_str
}
object! {
    /// A piecewise function on several spaces.
    UnionPwAff, isl_union_pw_aff_copy, isl_union_pw_aff_free, isl_union_pw_aff_to_str
}
object! {
    /// A tuple of functions on several spaces: the partial schedule of a band.
    MultiUnionPwAff, isl_multi_union_pw_aff_copy, isl_multi_union_pw_aff_free, isl_multi_union_pw_aff_to_str
}
object! {
    /// A piecewise tuple of functions on several spaces.
    UnionPwMultiAff, isl_union_pw_multi_aff_copy, isl_union_pw_multi_aff_free, isl_union_pw_multi_aff_to_str
}

parse! {
    Aff = isl_aff_read_from_str;
    PwAff = isl_pw_aff_read_from_str;
    MultiAff = isl_multi_aff_read_from_str;
    MultiPwAff = isl_multi_pw_aff_read_from_str;
    PwMultiAff = isl_pw_multi_aff_read_from_str;
    UnionPwAff = isl_union_pw_aff_read_from_str;
    MultiUnionPwAff = isl_multi_union_pw_aff_read_from_str;
    UnionPwMultiAff = isl_union_pw_multi_aff_read_from_str;
}

methods! { Aff:
    /// The zero function on a domain.
    new zero_on_domain(domain: LocalSpace) = isl_aff_zero_on_domain;
    /// A constant function on a domain.
    new val_on_domain(domain: LocalSpace, value: Val) = isl_aff_val_on_domain;
    /// One dimension as a function.
    new var_on_domain(domain: LocalSpace, kind: DimType, position: usize) = isl_aff_var_on_domain;
    /// A parameter as a function on a domain space.
    new param_on_domain_space_id(domain: Space, id: Id) = isl_aff_param_on_domain_space_id;
    /// The sum.
    fn add(self, other: Aff) -> Aff = isl_aff_add;
    /// The difference.
    fn sub(self, other: Aff) -> Aff = isl_aff_sub;
    /// The product, one side constant.
    fn mul(self, other: Aff) -> Aff = isl_aff_mul;
    /// The quotient by a constant, rational.
    fn div(self, other: Aff) -> Aff = isl_aff_div;
    /// The negated function.
    fn neg(self) -> Aff = isl_aff_neg;
    /// The function rounded down.
    fn floor(self) -> Aff = isl_aff_floor;
    /// The function rounded up.
    fn ceil(self) -> Aff = isl_aff_ceil;
    /// The function modulo a positive value.
    fn modulo(self, modulus: Val) -> Aff = isl_aff_mod_val;
    /// Scaled by a value.
    fn scale(self, factor: Val) -> Aff = isl_aff_scale_val;
    /// Divided by a value, rational.
    fn scale_down(self, divisor: Val) -> Aff = isl_aff_scale_down_val;
    /// A constant added.
    fn add_constant(self, value: Val) -> Aff = isl_aff_add_constant_val;
    /// Whether some of these dimensions count, be it in a division.
    fn involves_dims(&self, kind: DimType, first: usize, n: usize) -> bool = isl_aff_involves_dims;
    /// The coefficient of a dimension (`In` for the domain's, `Param`, `Div`).
    fn coefficient(&self, kind: DimType, position: i32) -> Val = isl_aff_get_coefficient_val;
    /// The coefficient of a dimension replaced.
    fn set_coefficient(self, kind: DimType, position: i32, value: Val) -> Aff = isl_aff_set_coefficient_val;
    /// The constant term.
    fn constant(&self) -> Val = isl_aff_get_constant_val;
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_aff_dim;
    /// The integer division at a position.
    fn div_at(&self, position: i32) -> Aff = isl_aff_get_div;
    /// The function is constant.
    fn is_cst(&self) -> bool = isl_aff_is_cst;
    /// Structural equality.
    fn plain_is_equal(&self, other: &Aff) -> bool = isl_aff_plain_is_equal;
    /// Points where this is at least the other.
    fn ge_basic_set(self, other: Aff) -> BasicSet = isl_aff_ge_basic_set;
    /// Points where both are equal.
    fn eq_basic_set(self, other: Aff) -> BasicSet = isl_aff_eq_basic_set;
    /// The function's space.
    fn space(&self) -> Space = isl_aff_get_space;
    /// The domain's space.
    fn domain_space(&self) -> Space = isl_aff_get_domain_space;
    /// Composed with a tuple of functions.
    fn pullback_multi_aff(self, inner: MultiAff) -> Aff = isl_aff_pullback_multi_aff;
}

methods! { PwAff:
    /// The function of one piece.
    new from_aff(aff: Aff) = isl_pw_aff_from_aff;
    /// A constant on a set.
    new val_on_domain(domain: Set, value: Val) = isl_pw_aff_val_on_domain;
    /// The function restricted to a domain.
    new alloc(domain: Set, aff: Aff) = isl_pw_aff_alloc;
    /// A parameter as a function on a set.
    new param_on_domain_id(domain: Set, id: Id) = isl_pw_aff_param_on_domain_id;
    /// The sum.
    fn add(self, other: PwAff) -> PwAff = isl_pw_aff_add;
    /// The difference.
    fn sub(self, other: PwAff) -> PwAff = isl_pw_aff_sub;
    /// The product, one side constant.
    fn mul(self, other: PwAff) -> PwAff = isl_pw_aff_mul;
    /// The negated function.
    fn neg(self) -> PwAff = isl_pw_aff_neg;
    /// Rounded down.
    fn floor(self) -> PwAff = isl_pw_aff_floor;
    /// Rounded up.
    fn ceil(self) -> PwAff = isl_pw_aff_ceil;
    /// Modulo a positive value.
    fn modulo(self, modulus: Val) -> PwAff = isl_pw_aff_mod_val;
    /// Scaled by a value.
    fn scale(self, factor: Val) -> PwAff = isl_pw_aff_scale_val;
    /// Divided by a value, rational.
    fn scale_down(self, divisor: Val) -> PwAff = isl_pw_aff_scale_down_val;
    /// The lesser of two.
    fn min(self, other: PwAff) -> PwAff = isl_pw_aff_min;
    /// The greater of two.
    fn max(self, other: PwAff) -> PwAff = isl_pw_aff_max;
    /// This where defined, otherwise the other: the domains must be disjoint.
    fn union_add(self, other: PwAff) -> PwAff = isl_pw_aff_union_add;
    /// Pieces merged.
    fn coalesce(self) -> PwAff = isl_pw_aff_coalesce;
    /// Where the function is defined.
    fn domain(self) -> Set = isl_pw_aff_domain;
    /// Restricted to a domain.
    fn intersect_domain(self, set: Set) -> PwAff = isl_pw_aff_intersect_domain;
    /// Restricted to parameter values.
    fn intersect_params(self, set: Set) -> PwAff = isl_pw_aff_intersect_params;
    /// Simplified in a context.
    fn gist(self, context: Set) -> PwAff = isl_pw_aff_gist;
    /// Points where this is at least the other.
    fn ge_set(self, other: PwAff) -> Set = isl_pw_aff_ge_set;
    /// Points where this is at most the other.
    fn le_set(self, other: PwAff) -> Set = isl_pw_aff_le_set;
    /// Points where this is greater than the other.
    fn gt_set(self, other: PwAff) -> Set = isl_pw_aff_gt_set;
    /// Points where this is less than the other.
    fn lt_set(self, other: PwAff) -> Set = isl_pw_aff_lt_set;
    /// Points where both are equal.
    fn eq_set(self, other: PwAff) -> Set = isl_pw_aff_eq_set;
    /// Points where they differ.
    fn ne_set(self, other: PwAff) -> Set = isl_pw_aff_ne_set;
    /// The least value taken over domain and parameters (minus infinity where unbounded).
    fn min_val(self) -> Val = isl_pw_aff_min_val;
    /// The greatest value taken over domain and parameters (infinity where unbounded).
    fn max_val(self) -> Val = isl_pw_aff_max_val;
    /// Same function on the same domain.
    fn is_equal(&self, other: &PwAff) -> bool = isl_pw_aff_is_equal;
    /// The number of pieces.
    fn n_piece(&self) -> usize = isl_pw_aff_n_piece;
    /// The function has one piece on a universe domain or is a plain function.
    fn isa_aff(&self) -> bool = isl_pw_aff_isa_aff;
    /// The single function.
    fn as_aff(self) -> Aff = isl_pw_aff_as_aff;
    /// The graph of the function.
    fn as_map(self) -> Map = isl_pw_aff_as_map;
    /// The function's space.
    fn space(&self) -> Space = isl_pw_aff_get_space;
    /// The domain's space.
    fn domain_space(&self) -> Space = isl_pw_aff_get_domain_space;
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_pw_aff_dim;
    /// The domain tuple named.
    fn set_tuple_id(self, kind: DimType, id: Id) -> PwAff = isl_pw_aff_set_tuple_id;
    /// As a function of the parameters alone, which the dimensions must not matter to.
    fn project_domain_on_params(self) -> PwAff = isl_pw_aff_project_domain_on_params;
    /// Parameters ordered as in a model.
    fn align_params(self, model: Space) -> PwAff = isl_pw_aff_align_params;
    /// Composed with a tuple of functions.
    fn pullback_multi_aff(self, inner: MultiAff) -> PwAff = isl_pw_aff_pullback_multi_aff;
    /// Composed with a piecewise tuple of functions.
    fn pullback_pw_multi_aff(self, inner: PwMultiAff) -> PwAff = isl_pw_aff_pullback_pw_multi_aff;
    /// The values of a function of parameters: `[p] -> { [v] }`.
    fn values(self) -> Set = isl_set_from_pw_aff;
}

methods! { MultiAff:
    /// The identity on a map space `{ A -> A }`.
    new identity(space: Space) = isl_multi_aff_identity;
    /// The zero tuple in a map space.
    new zero(space: Space) = isl_multi_aff_zero;
    /// The number of functions.
    fn size(&self) -> usize = isl_multi_aff_size;
    /// The function at a position.
    fn at(&self, position: i32) -> Aff = isl_multi_aff_get_at;
    /// The function at a position replaced.
    fn set_at(self, position: i32, aff: Aff) -> MultiAff = isl_multi_aff_set_at;
    /// The space.
    fn space(&self) -> Space = isl_multi_aff_get_space;
    /// The graph.
    fn as_map(self) -> Map = isl_multi_aff_as_map;
    /// The point, of a function of parameters alone.
    fn as_set(self) -> Set = isl_multi_aff_as_set;
    /// Composed with another tuple.
    fn pullback_multi_aff(self, inner: MultiAff) -> MultiAff = isl_multi_aff_pullback_multi_aff;
}

methods! { MultiPwAff:
    /// The identity on a map space `{ A -> A }`.
    new identity(space: Space) = isl_multi_pw_aff_identity;
    /// The zero tuple in a map space.
    new zero(space: Space) = isl_multi_pw_aff_zero;
    /// The tuple of these functions in a map space.
    new from_pw_aff_list(space: Space, list: PwAffList) = isl_multi_pw_aff_from_pw_aff_list;
    /// The tuple as one.
    new from_pw_multi_aff(function: PwMultiAff) = isl_multi_pw_aff_from_pw_multi_aff;
    /// The number of functions.
    fn size(&self) -> usize = isl_multi_pw_aff_size;
    /// The function at a position.
    fn at(&self, position: i32) -> PwAff = isl_multi_pw_aff_get_at;
    /// The function at a position replaced.
    fn set_at(self, position: i32, function: PwAff) -> MultiPwAff = isl_multi_pw_aff_set_at;
    /// The space.
    fn space(&self) -> Space = isl_multi_pw_aff_get_space;
    /// The common domain.
    fn domain(self) -> Set = isl_multi_pw_aff_domain;
    /// Restricted to a domain.
    fn intersect_domain(self, set: Set) -> MultiPwAff = isl_multi_pw_aff_intersect_domain;
    /// The graph.
    fn as_map(self) -> Map = isl_multi_pw_aff_as_map;
    /// A tuple named.
    fn set_tuple_id(self, kind: DimType, id: Id) -> MultiPwAff = isl_multi_pw_aff_set_tuple_id;
}

methods! { PwMultiAff:
    /// The tuple of one piece.
    new from_multi_aff(function: MultiAff) = isl_pw_multi_aff_from_multi_aff;
    /// The tuple as one.
    new from_multi_pw_aff(function: MultiPwAff) = isl_pw_multi_aff_from_multi_pw_aff;
    /// The function whose graph a single-valued map is.
    new from_map(map: Map) = isl_pw_multi_aff_from_map;
    /// The tuple restricted to a domain.
    new alloc(domain: Set, function: MultiAff) = isl_pw_multi_aff_alloc;
    /// The function at a position.
    fn at(&self, position: i32) -> PwAff = isl_pw_multi_aff_get_at;
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_pw_multi_aff_dim;
    /// Where the function is defined.
    fn domain(self) -> Set = isl_pw_multi_aff_domain;
    /// The graph.
    fn as_map(self) -> Map = isl_pw_multi_aff_as_map;
    /// Pieces merged.
    fn coalesce(self) -> PwMultiAff = isl_pw_multi_aff_coalesce;
    /// Simplified in a context.
    fn gist(self, context: Set) -> PwMultiAff = isl_pw_multi_aff_gist;
    /// The number of pieces.
    fn n_piece(&self) -> usize = isl_pw_multi_aff_n_piece;
    /// The space.
    fn space(&self) -> Space = isl_pw_multi_aff_get_space;
    /// Restricted to a domain.
    fn intersect_domain(self, set: Set) -> PwMultiAff = isl_pw_multi_aff_intersect_domain;
    /// Composed with another tuple.
    fn pullback_pw_multi_aff(self, inner: PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_pullback_pw_multi_aff;
    /// `{ A -> B }` and `{ C -> D }` to `{ [A -> C] -> [B -> D] }`.
    fn product(self, other: PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_product;
}

methods! { UnionPwAff:
    /// The function on one space.
    new from_pw_aff(function: PwAff) = isl_union_pw_aff_from_pw_aff;
    /// A constant on a set.
    new val_on_domain(domain: UnionSet, value: Val) = isl_union_pw_aff_val_on_domain;
    /// A parameter as a function on a domain.
    new param_on_domain_id(domain: UnionSet, id: Id) = isl_union_pw_aff_param_on_domain_id;
    /// The sum on the common domain.
    fn add(self, other: UnionPwAff) -> UnionPwAff = isl_union_pw_aff_add;
    /// The difference on the common domain.
    fn sub(self, other: UnionPwAff) -> UnionPwAff = isl_union_pw_aff_sub;
    /// The sum, each where defined.
    fn union_add(self, other: UnionPwAff) -> UnionPwAff = isl_union_pw_aff_union_add;
    /// Scaled by a value.
    fn scale(self, factor: Val) -> UnionPwAff = isl_union_pw_aff_scale_val;
    /// Divided by a value, rational.
    fn scale_down(self, divisor: Val) -> UnionPwAff = isl_union_pw_aff_scale_down_val;
    /// Rounded down.
    fn floor(self) -> UnionPwAff = isl_union_pw_aff_floor;
    /// Modulo a positive value.
    fn modulo(self, modulus: Val) -> UnionPwAff = isl_union_pw_aff_mod_val;
    /// Where the function is zero.
    fn zero_union_set(self) -> UnionSet = isl_union_pw_aff_zero_union_set;
    /// The functions on single spaces.
    fn pw_aff_list(&self) -> PwAffList = isl_union_pw_aff_get_pw_aff_list;
    /// Where defined.
    fn domain(self) -> UnionSet = isl_union_pw_aff_domain;
    /// Restricted to a domain.
    fn intersect_domain(self, set: UnionSet) -> UnionPwAff = isl_union_pw_aff_intersect_domain;
    /// Composed with functions on other spaces.
    fn pullback_union_pw_multi_aff(self, inner: UnionPwMultiAff) -> UnionPwAff = isl_union_pw_aff_pullback_union_pw_multi_aff;
    /// The least value (minus infinity where unbounded).
    fn min_val(self) -> Val = isl_union_pw_aff_min_val;
    /// The greatest value (infinity where unbounded).
    fn max_val(self) -> Val = isl_union_pw_aff_max_val;
    /// Equality as far as it can be seen at once.
    fn plain_is_equal(&self, other: &UnionPwAff) -> bool = isl_union_pw_aff_plain_is_equal;
    /// The space of the parameters.
    fn space(&self) -> Space = isl_union_pw_aff_get_space;
}

methods! { MultiUnionPwAff:
    /// The tuple of these functions in a set space.
    new from_union_pw_aff_list(space: Space, list: UnionPwAffList) = isl_multi_union_pw_aff_from_union_pw_aff_list;
    /// The tuple of one function.
    new from_union_pw_aff(function: UnionPwAff) = isl_multi_union_pw_aff_from_union_pw_aff;
    /// The tuple whose graph a map is.
    new from_union_map(map: UnionMap) = isl_multi_union_pw_aff_from_union_map;
    /// The tuple on one space.
    new from_multi_pw_aff(function: MultiPwAff) = isl_multi_union_pw_aff_from_multi_pw_aff;
    /// The zero tuple in a set space.
    new zero(space: Space) = isl_multi_union_pw_aff_zero;
    /// The number of functions.
    fn size(&self) -> usize = isl_multi_union_pw_aff_size;
    /// The function at a position.
    fn at(&self, position: i32) -> UnionPwAff = isl_multi_union_pw_aff_get_at;
    /// The function at a position replaced.
    fn set_at(self, position: i32, function: UnionPwAff) -> MultiUnionPwAff = isl_multi_union_pw_aff_set_at;
    /// The (set) space of the values.
    fn space(&self) -> Space = isl_multi_union_pw_aff_get_space;
    /// Where defined.
    fn domain(self) -> UnionSet = isl_multi_union_pw_aff_domain;
    /// Restricted to a domain.
    fn intersect_domain(self, set: UnionSet) -> MultiUnionPwAff = isl_multi_union_pw_aff_intersect_domain;
    /// The sum.
    fn add(self, other: MultiUnionPwAff) -> MultiUnionPwAff = isl_multi_union_pw_aff_add;
    /// Each function where defined, unioned.
    fn union_add(self, other: MultiUnionPwAff) -> MultiUnionPwAff = isl_multi_union_pw_aff_union_add;
    /// Both tuples after one another.
    fn flat_range_product(self, other: MultiUnionPwAff) -> MultiUnionPwAff = isl_multi_union_pw_aff_flat_range_product;
    /// Scaled by values.
    fn scale_multi_val(self, factors: MultiVal) -> MultiUnionPwAff = isl_multi_union_pw_aff_scale_multi_val;
    /// Dropped functions.
    fn drop_dims(self, kind: DimType, first: usize, n: usize) -> MultiUnionPwAff = isl_multi_union_pw_aff_drop_dims;
    /// The functions after an inner function.
    fn pullback_union_pw_multi_aff(self, inner: UnionPwMultiAff) -> MultiUnionPwAff = isl_multi_union_pw_aff_pullback_union_pw_multi_aff;
    /// The values' tuple named.
    fn set_tuple_id(self, kind: DimType, id: Id) -> MultiUnionPwAff = isl_multi_union_pw_aff_set_tuple_id;
    /// The values' tuple without a name.
    fn reset_tuple_id(self, kind: DimType) -> MultiUnionPwAff = isl_multi_union_pw_aff_reset_tuple_id;
}

methods! { UnionPwMultiAff:
    /// The functions whose graph a single-valued map is.
    new from_union_map(map: UnionMap) = isl_union_pw_multi_aff_from_union_map;
    /// The function on one space.
    new from_pw_multi_aff(function: PwMultiAff) = isl_union_pw_multi_aff_from_pw_multi_aff;
    /// The graph.
    fn as_union_map(self) -> UnionMap = isl_union_pw_multi_aff_as_union_map;
    /// Where defined.
    fn domain(self) -> UnionSet = isl_union_pw_multi_aff_domain;
}
