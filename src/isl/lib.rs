//! Safe isl: ownership in the types, errors as values, bounded work.
//!
//! isl annotates every argument with who owns it afterwards; here the Rust signature says the same:
//!
//! | isl            | here              |
//! |----------------|-------------------|
//! | `__isl_take X` | `X` by value      |
//! | `__isl_keep X` | `&X`              |
//! | `__isl_give X` | `Result<X>`       |
//! | `isl_bool`     | `Result<bool>`    |
//! | `isl_size`     | `Result<usize>`   |
//!
//! # Naming
//! A C function `isl_union_map_apply_range` is the method `UnionMap::apply_range`; `..._get_x` keeps its `get_`
//! only where isl has no shorter synonym in common use. `..._copy` is [`Clone`], `..._free` is [`Drop`],
//! `..._to_str` is [`std::fmt::Display`], `..._read_from_str` is `parse(ctx, text)`, and `X_from_Y` is `X::from_y`.
//!
//! # Contexts
//! A [`Ctx`] is reference counted by every object made in it and freed after the last of them; it is not `Send`, so
//! the compiler keeps each context on one thread. Make one context per SCoP.
//!
//! # Bounded work
//! [`Ctx::with_quota`] bounds the number of operations inside a closure: a counted bound, so that the same input gives
//! the same answer on any machine. A bound inside of another is a part of it: what the part takes the whole has less,
//! and a part that is used up leaves the rest. isl's operations are counted by isl, all other work by [`Ctx::charge`].
//! [`Ctx::set_deadline`] is the outer net on the thread's processor time, held by another thread that stops isl inside
//! of a call. Either strikes as [`Error::is_exhausted`].
//!
//! All unsafe code that concerns isl lives in this module.

#[macro_use]
mod macros;

#[expect(clippy::should_implement_trait, reason = "isl's names; the operations can fail")]
mod aff;
mod ast;
mod context;
mod ctx;
mod error;
mod flow;
mod id;
mod layout;
#[cfg(test)]
mod leftovers;
mod lexopt;
mod list;
mod map;
mod matrix;
mod meter;
mod moment;
mod points;
mod reduce;
mod schedule;
mod schedule_node;
mod set;
mod space;
mod stride;
mod union;
#[expect(clippy::should_implement_trait, reason = "isl's names; the operations can fail")]
mod val;
mod watchdog;

pub use aff::{Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
pub use ast::{AstBuild, AstExpr, AstExprKind, AstNode, AstNodeKind, AstOp};
pub use ctx::Ctx;
pub use error::{Error, ErrorKind, Result};
pub use flow::{UnionAccessInfo, UnionFlow};
pub use id::Id;
pub use list::{
    AffList, AstExprList, AstNodeList, BasicMapList, BasicSetList, IdList, MapList, PwAffList, SetList, UnionMapList,
    UnionPwAffList, UnionSetList, ValList,
};
pub use map::{BasicMap, Map};
pub use matrix::{ConstraintRows, Mat};
pub use moment::Moment;
pub use schedule::{Schedule, ScheduleConstraints};
pub use schedule_node::{AstLoopType, NodeType, ScheduleNode};
pub use set::{BasicSet, FixedBox, Point, Set};
pub use space::{DimType, LocalSpace, Space};
pub use union::{UnionMap, UnionSet};
pub use val::{MultiVal, Val};
