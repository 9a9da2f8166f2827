//! AST generation and the AST's nodes and expressions.

use super::macros::Ret;
use super::{AstNodeList, Ctx, Error, Id, IdList, PwAff, Result, Schedule, Set, Val};
use std::ffi::c_int;

object! {
    /// The state of AST generation.
    AstBuild, isl_ast_build_copy, isl_ast_build_free
}
object! {
    /// A node of the AST.
    AstNode, isl_ast_node_copy, isl_ast_node_free, isl_ast_node_to_str
}
object! {
    /// An expression of the AST.
    AstExpr, isl_ast_expr_copy, isl_ast_expr_free, isl_ast_expr_to_str
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AstNodeKind {
    For,
    If,
    Block,
    Mark,
    User,
}

/// The kind of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AstExprKind {
    /// An operation.
    Op,
    /// An identifier.
    Id,
    /// An integer.
    Int,
}

/// An operation of the AST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "isl's names; those with more to say are documented")]
pub enum AstOp {
    And,
    AndThen,
    Or,
    OrElse,
    Max,
    Min,
    Minus,
    Add,
    Sub,
    Mul,
    /// Exact division.
    Div,
    /// Division rounded down.
    FdivQ,
    /// Division of a non-negative dividend.
    PdivQ,
    /// Remainder of a non-negative dividend.
    PdivR,
    /// Remainder that is only compared with zero.
    ZdivR,
    Cond,
    Select,
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
    Call,
    Access,
    Member,
    AddressOf,
}

impl Ret for AstNodeKind {
    type Raw = c_int;
    fn from_raw(raw: c_int, ctx: &Ctx) -> Result<Self> {
        use AstNodeKind as K;
        const KINDS: [AstNodeKind; 5] = [K::For, K::If, K::Block, K::Mark, K::User];
        // The C enumeration starts at 1.
        usize::try_from(raw - 1).ok().and_then(|i| KINDS.get(i).copied()).ok_or_else(|| ctx.take_error())
    }
}

impl Ret for AstExprKind {
    type Raw = c_int;
    fn from_raw(raw: c_int, ctx: &Ctx) -> Result<Self> {
        match raw {
            0 => Ok(AstExprKind::Op),
            1 => Ok(AstExprKind::Id),
            2 => Ok(AstExprKind::Int),
            _ => Err(ctx.take_error()),
        }
    }
}

impl Ret for AstOp {
    type Raw = c_int;
    fn from_raw(raw: c_int, ctx: &Ctx) -> Result<Self> {
        use AstOp as O;
        const OPS: [AstOp; 26] = [
            O::And,
            O::AndThen,
            O::Or,
            O::OrElse,
            O::Max,
            O::Min,
            O::Minus,
            O::Add,
            O::Sub,
            O::Mul,
            O::Div,
            O::FdivQ,
            O::PdivQ,
            O::PdivR,
            O::ZdivR,
            O::Cond,
            O::Select,
            O::Eq,
            O::Le,
            O::Lt,
            O::Ge,
            O::Gt,
            O::Call,
            O::Access,
            O::Member,
            O::AddressOf,
        ];
        usize::try_from(raw).ok().and_then(|i| OPS.get(i).copied()).ok_or_else(|| ctx.take_error())
    }
}

methods! { AstBuild:
    /// A build for parameter values in a context.
    new from_context(context: Set) = isl_ast_build_from_context;
    /// Names for the iterators, outermost first.
    fn set_iterators(self, iterators: IdList) -> AstBuild = isl_ast_build_set_iterators;
    /// The AST of a schedule tree.
    fn node_from_schedule(&self, schedule: Schedule) -> AstNode = isl_ast_build_node_from_schedule;
    /// A function of parameters as an expression.
    fn expr_from_pw_aff(&self, function: PwAff) -> AstExpr = isl_ast_build_expr_from_pw_aff;
    /// A condition as an expression.
    fn expr_from_set(&self, set: Set) -> AstExpr = isl_ast_build_expr_from_set;
}

methods! { AstNode:
    /// The kind.
    fn kind(&self) -> AstNodeKind = isl_ast_node_get_type;
    /// The iterator of a for node.
    fn for_iterator(&self) -> AstExpr = isl_ast_node_for_get_iterator;
    /// The initial value of a for node.
    fn for_init(&self) -> AstExpr = isl_ast_node_for_get_init;
    /// The condition of a for node.
    fn for_cond(&self) -> AstExpr = isl_ast_node_for_get_cond;
    /// The increment of a for node.
    fn for_inc(&self) -> AstExpr = isl_ast_node_for_get_inc;
    /// The body of a for node.
    fn for_body(&self) -> AstNode = isl_ast_node_for_get_body;
    /// The loop has exactly one iteration (condition and increment are absent).
    fn for_is_degenerate(&self) -> bool = isl_ast_node_for_is_degenerate;
    /// The condition of an if node.
    fn if_cond(&self) -> AstExpr = isl_ast_node_if_get_cond;
    /// The then branch.
    fn if_then(&self) -> AstNode = isl_ast_node_if_get_then_node;
    /// There is an else branch.
    fn if_has_else(&self) -> bool = isl_ast_node_if_has_else_node;
    /// The else branch.
    fn if_else(&self) -> AstNode = isl_ast_node_if_get_else_node;
    /// The children of a block.
    fn block_children(&self) -> AstNodeList = isl_ast_node_block_get_children;
    /// The expression of a user node: a call whose first argument is the statement.
    fn user_expr(&self) -> AstExpr = isl_ast_node_user_get_expr;
    /// The mark of a mark node.
    fn mark_id(&self) -> Id = isl_ast_node_mark_get_id;
    /// The node under a mark.
    fn mark_node(&self) -> AstNode = isl_ast_node_mark_get_node;
    /// The node as C text.
    fn to_c_str(&self) -> String = isl_ast_node_to_C_str;
}

methods! { AstExpr:
    /// The kind.
    fn kind(&self) -> AstExprKind = isl_ast_expr_get_type;
    /// The operation.
    fn op(&self) -> AstOp = isl_ast_expr_get_op_type;
    /// The number of arguments.
    fn n_arg(&self) -> usize = isl_ast_expr_get_op_n_arg;
    /// An argument.
    fn arg(&self, position: i32) -> AstExpr = isl_ast_expr_get_op_arg;
    /// The identifier.
    fn id(&self) -> Id = isl_ast_expr_get_id;
    /// The integer.
    fn val(&self) -> Val = isl_ast_expr_get_val;
    /// The expression as C text.
    fn to_c_str(&self) -> String = isl_ast_expr_to_C_str;
}

impl AstExpr {
    /// The arguments of an operation.
    pub fn args(&self) -> Result<Vec<AstExpr>> {
        (0..self.n_arg()?)
            .map(|i| self.arg(i32::try_from(i).map_err(|_| Error::invalid("too many arguments"))?))
            .collect()
    }
}
