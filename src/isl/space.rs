//! Spaces: which tuples and parameters an object lives in.

use super::macros::Arg;
use super::{Ctx, Error, Id, Result};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};

/// The kind of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum DimType {
    /// The constant term.
    Cst = 0,
    /// A parameter.
    Param = 1,
    /// A dimension of a map's domain.
    In = 2,
    /// A dimension of a map's range, or of a set.
    Out = 3,
    /// An integer division local to the object.
    Div = 4,
    /// All of them.
    All = 5,
}

impl DimType {
    /// The dimensions of a set, which isl keeps where a map has its range.
    pub const SET: DimType = DimType::Out;
}

impl Arg for DimType {
    type Raw = c_int;
    fn into_raw(self) -> c_int {
        self as c_int
    }
}

object! {
    /// The space of a set, map or parameter domain.
    Space, isl_space_copy, isl_space_free, isl_space_to_str
}

object! {
    /// A space with integer divisions.
    LocalSpace, isl_local_space_copy, isl_local_space_free
}

methods! { Space:
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_space_dim;
    /// The space is one of sets.
    fn is_set(&self) -> bool = isl_space_is_set;
    /// The space is one of maps.
    fn is_map(&self) -> bool = isl_space_is_map;
    /// The space has parameters only.
    fn is_params(&self) -> bool = isl_space_is_params;
    /// Equality, names included.
    fn is_equal(&self, other: &Space) -> bool = isl_space_is_equal;
    /// The tuple of this kind has the same identifier and size in both.
    fn tuple_is_equal(&self, kind: DimType, other: &Space, other_kind: DimType) -> bool = isl_space_tuple_is_equal;
    /// The parameters alone.
    fn params(self) -> Space = isl_space_params;
    /// The domain of a map space.
    fn domain(self) -> Space = isl_space_domain;
    /// The range of a map space.
    fn range(self) -> Space = isl_space_range;
    /// A set space turned into `{ -> S }`.
    fn from_range(self) -> Space = isl_space_from_range;
    /// A set space turned into `{ S -> }`.
    fn from_domain(self) -> Space = isl_space_from_domain;
    /// The map space from one set space to another.
    fn map_from_domain_and_range(self, range: Space) -> Space = isl_space_map_from_domain_and_range;
    /// The map space from a set space to itself.
    fn map_from_set(self) -> Space = isl_space_map_from_set;
    /// Domain and range exchanged.
    fn reverse(self) -> Space = isl_space_reverse;
    /// A map space as a nested set space.
    fn wrap(self) -> Space = isl_space_wrap;
    /// A nested set space as a map space.
    fn unwrap_space(self) -> Space = isl_space_unwrap;
    /// The set space is a wrapped map space.
    fn is_wrapping(&self) -> bool = isl_space_is_wrapping;
    /// The set space `{ [A -> B] }` of a pair.
    fn product(self, other: Space) -> Space = isl_space_product;
    /// A tuple of this kind has an identifier.
    fn has_tuple_id(&self, kind: DimType) -> bool = isl_space_has_tuple_id;
    /// The tuple's identifier.
    fn tuple_id(&self, kind: DimType) -> Id = isl_space_get_tuple_id;
    /// The tuple's name.
    fn tuple_name(&self, kind: DimType) -> Option<String> = isl_space_get_tuple_name;
    /// The tuple renamed.
    fn set_tuple_id(self, kind: DimType, id: Id) -> Space = isl_space_set_tuple_id;
    /// The name of a dimension.
    fn dim_name(&self, kind: DimType, position: usize) -> Option<String> = isl_space_get_dim_name;
    /// The dimension named by an identifier.
    fn set_dim_id(self, kind: DimType, position: usize, id: Id) -> Space = isl_space_set_dim_id;
    /// Dimensions appended.
    fn add_dims(self, kind: DimType, n: usize) -> Space = isl_space_add_dims;
    /// Dimensions dropped.
    fn drop_dims(self, kind: DimType, first: usize, n: usize) -> Space = isl_space_drop_dims;
    /// The parameters of both, in one order.
    fn align_params(self, model: Space) -> Space = isl_space_align_params;
    /// The position of the dimension with an identifier, or a negative number.
    fn find_dim_by_id(&self, kind: DimType, id: &Id) -> i32 = isl_space_find_dim_by_id;
    /// A named set tuple over the parameters of this space.
    fn add_named_tuple_id_ui(self, id: Id, dim: usize) -> Space = isl_space_add_named_tuple_id_ui;
    /// An anonymous set tuple over the parameters of this space.
    fn add_unnamed_tuple_ui(self, dim: usize) -> Space = isl_space_add_unnamed_tuple_ui;
    /// A parameter appended.
    fn add_param_id(self, id: Id) -> Space = isl_space_add_param_id;
}

methods! { LocalSpace:
    /// The local space without divisions.
    new from_space(space: Space) = isl_local_space_from_space;
    /// The number of dimensions of a kind.
    fn dim(&self, kind: DimType) -> usize = isl_local_space_dim;
}

impl Space {
    /// The parameter space without parameters.
    pub fn unit(ctx: &Ctx) -> Result<Self> {
        Self::params_alloc(ctx, 0)
    }

    /// A parameter space of `n` still unnamed parameters.
    pub fn params_alloc(ctx: &Ctx, n: usize) -> Result<Self> {
        unsafe extern "C" {
            fn isl_space_params_alloc(ctx: *mut c_void, n: c_uint) -> *mut c_void;
        }
        // SAFETY: the context is alive.
        super::macros::Ret::from_raw(unsafe { isl_space_params_alloc(ctx.ptr(), n.into_raw()) }, ctx)
    }

    /// The position of a named dimension.
    pub fn find_dim_by_name(&self, kind: DimType, name: &str) -> Result<Option<usize>> {
        unsafe extern "C" {
            fn isl_space_find_dim_by_name(space: *mut c_void, kind: c_int, name: *const c_char) -> c_int;
        }
        let name = CString::new(name).map_err(|_| Error::invalid("a name holds a NUL byte"))?;
        // SAFETY: the space is valid and kept, the name NUL-terminated.
        let position = unsafe { isl_space_find_dim_by_name(self.ptr.as_ptr(), kind.into_raw(), name.as_ptr()) };
        Ok(usize::try_from(position).ok())
    }

    /// The names of the dimensions of a kind, in order (a placeholder for those without a name).
    pub fn dim_names(&self, kind: DimType) -> Result<Vec<String>> {
        (0..self.dim(kind)?).map(|i| Ok(self.dim_name(kind, i)?.unwrap_or_else(|| format!("_{i}")))).collect()
    }
}
