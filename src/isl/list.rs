//! isl's lists, with conversion from and to Rust's.

use super::{
    Aff, AstExpr, AstNode, BasicMap, BasicSet, Ctx, Id, Map, PwAff, Result, Set, UnionMap, UnionPwAff, UnionSet, Val,
};

macro_rules! list {
    ($name:ident of $element:ident: $copy:ident $free:ident $to_str:ident $alloc:ident $add:ident $size:ident $at:ident) => {
        object! {
            #[doc = concat!("A list of [`", stringify!($element), "`].")]
            $name, $copy, $free, $to_str
        }
        methods! { $name:
            /// Appends an element.
            fn push(self, element: $element) -> $name = $add;
            /// The number of elements.
            fn len(&self) -> usize = $size;
            /// The element at a position.
            fn at(&self, position: i32) -> $element = $at;
        }
        impl $name {
            /// An empty list with room for `capacity` elements.
            pub fn with_capacity(ctx: &Ctx, capacity: usize) -> Result<Self> {
                unsafe extern "C" {
                    fn $alloc(ctx: *mut std::ffi::c_void, n: std::ffi::c_int) -> *mut std::ffi::c_void;
                }
                let n = i32::try_from(capacity).unwrap_or(0);
                // SAFETY: the context is alive.
                super::macros::Ret::from_raw(unsafe { $alloc(ctx.ptr(), n) }, ctx)
            }

            /// The list of these elements.
            pub fn from_vec(ctx: &Ctx, elements: Vec<$element>) -> Result<Self> {
                let mut list = Self::with_capacity(ctx, elements.len())?;
                for element in elements {
                    list = list.push(element)?;
                }
                Ok(list)
            }

            /// The elements.
            pub fn to_vec(&self) -> Result<Vec<$element>> {
                (0..self.len()?).map(|i| self.at(i32::try_from(i).unwrap_or(i32::MAX))).collect()
            }

            /// True when there is no element.
            pub fn is_empty(&self) -> Result<bool> {
                Ok(self.len()? == 0)
            }
        }
    };
}

list! { IdList of Id: isl_id_list_copy isl_id_list_free isl_id_list_to_str isl_id_list_alloc isl_id_list_add isl_id_list_size isl_id_list_get_at }
list! { ValList of Val: isl_val_list_copy isl_val_list_free isl_val_list_to_str isl_val_list_alloc isl_val_list_add isl_val_list_size isl_val_list_get_at }
list! { AffList of Aff: isl_aff_list_copy isl_aff_list_free isl_aff_list_to_str isl_aff_list_alloc isl_aff_list_add isl_aff_list_size isl_aff_list_get_at }
list! { PwAffList of PwAff: isl_pw_aff_list_copy isl_pw_aff_list_free isl_pw_aff_list_to_str isl_pw_aff_list_alloc isl_pw_aff_list_add isl_pw_aff_list_size isl_pw_aff_list_get_at }
list! { UnionPwAffList of UnionPwAff: isl_union_pw_aff_list_copy isl_union_pw_aff_list_free isl_union_pw_aff_list_to_str isl_union_pw_aff_list_alloc isl_union_pw_aff_list_add isl_union_pw_aff_list_size isl_union_pw_aff_list_get_at }
list! { BasicSetList of BasicSet: isl_basic_set_list_copy isl_basic_set_list_free isl_basic_set_list_to_str isl_basic_set_list_alloc isl_basic_set_list_add isl_basic_set_list_size isl_basic_set_list_get_at }
list! { BasicMapList of BasicMap: isl_basic_map_list_copy isl_basic_map_list_free isl_basic_map_list_to_str isl_basic_map_list_alloc isl_basic_map_list_add isl_basic_map_list_size isl_basic_map_list_get_at }
list! { SetList of Set: isl_set_list_copy isl_set_list_free isl_set_list_to_str isl_set_list_alloc isl_set_list_add isl_set_list_size isl_set_list_get_at }
list! { MapList of Map: isl_map_list_copy isl_map_list_free isl_map_list_to_str isl_map_list_alloc isl_map_list_add isl_map_list_size isl_map_list_get_at }
list! { UnionSetList of UnionSet: isl_union_set_list_copy isl_union_set_list_free isl_union_set_list_to_str isl_union_set_list_alloc isl_union_set_list_add isl_union_set_list_size isl_union_set_list_get_at }
list! { UnionMapList of UnionMap: isl_union_map_list_copy isl_union_map_list_free isl_union_map_list_to_str isl_union_map_list_alloc isl_union_map_list_add isl_union_map_list_size isl_union_map_list_get_at }
list! { AstNodeList of AstNode: isl_ast_node_list_copy isl_ast_node_list_free isl_ast_node_list_to_str isl_ast_node_list_alloc isl_ast_node_list_add isl_ast_node_list_size isl_ast_node_list_get_at }
list! { AstExprList of AstExpr: isl_ast_expr_list_copy isl_ast_expr_list_free isl_ast_expr_list_to_str isl_ast_expr_list_alloc isl_ast_expr_list_add isl_ast_expr_list_size isl_ast_expr_list_get_at }
